//! Many windows and many distances at once, without the interpreter. Answers come as two arrays: where each begins, and all
//! their objects.

use std::borrow::Cow;

use numpy::PyArray1;
use pyo3::prelude::*;
use quadrille::{Answer, Answers, Ball, Handle, LayerSet, Rect, SpatialIndex};

use crate::arrays::{Arg, Number, Objects, Opt, Table, array, distances};
use crate::errors::{refuse, value_error};
use crate::handles::{Naming, excluded_of_each};
use crate::index::{Index, This};
use crate::layers::{Among, layer_set};
use crate::region_query::{Predicate, RegionQuery};
use crate::regions::{AnyRegion, TypedRegion};
use crate::signals::{QUESTION, Signals};
use crate::space::{Space, Tree, with};

/// The handle that each question leaves out: one for all, or one for each.
pub(crate) struct Excluded(Vec<Handle>);

impl Excluded {
    pub(crate) fn new(object: Opt, questions: usize) -> PyResult<Self> {
        let handles = excluded_of_each(object)?;
        if handles.len() > 1 && handles.len() != questions {
            return refuse(format_args!("excluding: 1 or {questions} handles expected, not {}", handles.len()));
        }
        Ok(Self(handles))
    }

    pub(crate) fn of(&self, question: usize) -> &[Handle] {
        if self.0.len() < 2 { &self.0 } else { &self.0[question..=question] }
    }
}

#[expect(clippy::cast_possible_wrap, reason = "lists are shorter")]
pub(crate) fn offsets(py: Python<'_>, offsets: Vec<usize>) -> Bound<'_, PyArray1<i64>> {
    array(py, offsets.into_iter().map(|offset| offset as i64).collect())
}

/// Asks many questions, each about a shape, in an order that the library chooses. Each counts as so many steps.
pub(crate) fn batch_in<A: Copy, S: Number, const D: usize>(
    tree: &Tree<S, D>, signals: &Signals, shapes: &[Rect<S, D>], steps: usize,
    mut ask: impl FnMut(&Tree<S, D>, &Signals, &mut Answer<'_, A>),
) -> Answers<A> {
    tree.query_batch(shapes.iter().copied(), |_, answer| {
        signals.let_pass_or_unwind(steps);
        ask(tree, signals, answer);
    })
}

/// Many regions with the same predicate.
pub(crate) struct RegionQueries<S, const D: usize> {
    pub(crate) regions: Vec<TypedRegion<S, D>>,
    predicate: Predicate,
    layers: LayerSet,
    excluded: Excluded,
}

impl<S: Number, const D: usize> RegionQueries<S, D> {
    /// Boxes for an index of the kind of a space.
    fn windows(_: &Space<S, D>, boxes: Arg, predicate: Predicate, layers: LayerSet, excluding: Opt) -> PyResult<Self> {
        let boxes = Table::new("boxes", boxes, &[2 * D, D])?.rects()?;
        let excluded = Excluded::new(excluding, boxes.len())?;
        Ok(Self { regions: boxes.into_iter().map(TypedRegion::Rect).collect(), predicate, layers, excluded })
    }

    /// Balls around points.
    fn balls(_: &Space<S, D>, points: Arg, distance: Arg, layers: LayerSet, excluding: Opt) -> PyResult<Self> {
        let table = Table::new("points", points, &[D])?;
        let points = table.points()?;
        let distances = distances("distance", distance, points.len())?;
        let excluded = Excluded::new(excluding, points.len())?;
        let balls = points.iter().zip(distances).map(|(&point, radius)| TypedRegion::Ball(Ball::new(point, radius)));
        Ok(Self { regions: balls.collect(), predicate: Predicate::Intersecting, layers, excluded })
    }

    /// Regions of any form.
    pub(crate) fn of_any(space: &Space<S, D>, regions: &[AnyRegion], layers: LayerSet) -> PyResult<Self> {
        let regions = regions.iter().map(|region| region.typed_for(space)).collect::<PyResult<_>>()?;
        Ok(Self { regions, predicate: Predicate::Intersecting, layers, excluded: Excluded(Vec::new()) })
    }

    fn ask<A: Copy>(
        &self, tree: &Tree<S, D>, signals: &Signals,
        mut ask: impl FnMut(&RegionQuery<'_, S, D>, &Tree<S, D>, &Signals, &mut Answer<'_, A>),
    ) -> Answers<A> {
        let bounds: Vec<_> = self.regions.iter().map(TypedRegion::bounds).collect();
        batch_in(tree, signals, &bounds, QUESTION, |tree, signals, answer| {
            ask(&self.query(answer.number()), tree, signals, answer);
        })
    }

    fn query(&self, number: usize) -> RegionQuery<'_, S, D> {
        let (region, excluded) = (Cow::Borrowed(&self.regions[number]), self.excluded.of(number));
        RegionQuery { predicate: self.predicate, region, layers: self.layers, excluded }
    }

    /// The objects of each.
    pub(crate) fn handles(&self, space: &Space<S, D>, tree: &Tree<S, D>, signals: &Signals) -> Answers<Handle> {
        let mut handles = Vec::new();
        self.ask(tree, signals, |query, tree, signals, answer| {
            query.collect(space, tree, &mut handles, false);
            signals.let_pass_or_unwind(handles.len());
            answer.extend(handles.drain(..));
        })
    }

    /// The objects of each that are among some, in a world with edges.
    pub(crate) fn of_moved(&self, tree: &Tree<S, D>, moved: &[Handle]) -> PyResult<Vec<Vec<Handle>>> {
        // Whose bounds meet an object, a tree of them says, which is quick to build.
        let mut bounds = SpatialIndex::<usize, S, D>::new(tree.world()).map_err(value_error)?;
        let (layer, mut endless) = (bounds.add_rect_layer().map_err(value_error)?, Vec::new());
        for (number, region) in self.regions.iter().enumerate() {
            if bounds.insert(layer, region.bounds(), number).is_err() {
                endless.push(number);
            }
        }
        let mut answers = vec![Vec::new(); self.regions.len()];
        for &handle in moved {
            let is_asked = tree.layer(handle).is_some_and(|layer| self.layers.contains(layer));
            let Some(shape) = tree.shape(handle).filter(|_| is_asked) else { continue };
            let near = bounds.intersecting(shape).map(|region| *region.value());
            for number in near.chain(endless.iter().copied()).filter(|&number| self.query(number).holds(&shape)) {
                answers[number].push(handle);
            }
        }
        Ok(answers)
    }

    /// The same as offsets and items.
    fn objects<'py>(&self, py: Python<'py>, space: &Space<S, D>, out: Naming) -> Objects<'py> {
        let (ends, names) = space.read_longer(py, |tree, signals| {
            let (namer, answers) = (tree.namer(out, self.layers)?, self.handles(space, tree, signals));
            Ok::<_, PyErr>((answers.offsets, namer.names(&answers.items)))
        })??;
        (offsets(py, ends), out.array(py, names)?).into_pyobject(py)
    }

    fn counts(&self, py: Python<'_>, space: &Space<S, D>) -> PyResult<Vec<usize>> {
        space.read_longer(py, |tree, signals| {
            self.ask(tree, signals, |query, tree, _, answer| answer.extend([query.count(space, tree)])).items
        })
    }
}

#[pymethods]
impl Index {
    /// For each of M boxes (M, 2D) or points (M, D), the objects that it meets, as `intersecting` does.
    ///
    /// Returns offsets (M + 1,) and rows (K,) in one list (CSR): the answer to question n is
    /// `rows[offsets[n]:offsets[n+1]]`.
    /// `excluding` is one handle, or one for each question, (M,), where 0 is no row but excludes nothing.
    #[pyo3(signature = (boxes, layers=None, *, predicate="intersecting", excluding=None, out="rows"))]
    fn windows<'py>(
        slf: This<'_, 'py>, boxes: Arg<'_, 'py>, layers: Among, predicate: &str, excluding: Opt, out: &str,
    ) -> Objects<'py> {
        let (py, layers, predicate) = (slf.py(), layer_set(slf, layers)?, Predicate::named(predicate)?);
        let out = Naming::named(out)?;
        with!(&slf.get().0, space => {
            RegionQueries::windows(space, boxes, predicate, layers, excluding)?.objects(py, space, out)
        })
    }

    /// The number of objects for each of M boxes, (M,).
    #[pyo3(signature = (boxes, layers=None, *, predicate="intersecting", excluding=None))]
    fn count_windows<'py>(
        slf: This<'_, 'py>, boxes: Arg<'_, 'py>, layers: Among, predicate: &str, excluding: Opt,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (py, layers, predicate) = (slf.py(), layer_set(slf, layers)?, Predicate::named(predicate)?);
        let counts = with!(&slf.get().0, space => {
            RegionQueries::windows(space, boxes, predicate, layers, excluding)?.counts(py, space)
        });
        Ok(offsets(py, counts?))
    }

    /// For each of M points (M, D), the objects at most `distance` away: one distance, or (M,). Returns CSR as
    /// `windows`.
    #[pyo3(signature = (points, distance, layers=None, *, excluding=None, out="rows"))]
    fn within_many<'py>(
        slf: This<'_, 'py>, points: Arg<'_, 'py>, distance: Arg<'_, 'py>, layers: Among, excluding: Opt, out: &str,
    ) -> Objects<'py> {
        let (py, layers, out) = (slf.py(), layer_set(slf, layers)?, Naming::named(out)?);
        with!(&slf.get().0, space => {
            RegionQueries::balls(space, points, distance, layers, excluding)?.objects(py, space, out)
        })
    }

    /// The number of objects at most `distance` away, for each of M points: (M,).
    #[pyo3(signature = (points, distance, layers=None, *, excluding=None))]
    fn count_within_many<'py>(
        slf: This<'_, 'py>, points: Arg<'_, 'py>, distance: Arg<'_, 'py>, layers: Among, excluding: Opt,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (py, layers) = (slf.py(), layer_set(slf, layers)?);
        let counts = with!(&slf.get().0, space => {
            RegionQueries::balls(space, points, distance, layers, excluding)?.counts(py, space)
        });
        Ok(offsets(py, counts?))
    }
}
