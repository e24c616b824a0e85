//! Many windows and many distances at once, without the interpreter. Answers come as two arrays: where each begins, and all
//! their objects.

use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quadrille::{Answer, Answers, Ball, Handle, LayerSet};

use crate::arrays::{Number, Table, array, distances};
use crate::ask::{Predicate, Question};
use crate::handles::{Naming, excluded_of_each};
use crate::index::Index;
use crate::layers::{LayerOrLayers, asked};
use crate::regions::Asked;
use crate::signals::{QUESTION, Signals};
use crate::space::{Space, Tree, View, with};

/// The handle that each question leaves out: one for all, or one for each.
pub(crate) struct Excluded(Vec<Handle>);

impl Excluded {
    pub(crate) fn new(object: Option<&Bound<'_, PyAny>>, questions: usize) -> PyResult<Self> {
        let handles = excluded_of_each(object)?;
        if handles.len() > 1 && handles.len() != questions {
            let message = format!("excluding: 1 or {questions} handles expected, not {}", handles.len());
            return Err(PyValueError::new_err(message));
        }
        Ok(Self(handles))
    }

    pub(crate) fn of(&self, question: usize) -> &[Handle] {
        if self.0.len() < 2 { &self.0 } else { &self.0[question..=question] }
    }
}

/// Offsets and items as arrays.
fn csr(py: Python<'_>, answers: Answers<Handle>, out: Naming) -> PyResult<Bound<'_, PyTuple>> {
    (offsets(py, answers.offsets), out.array(py, &answers.items)).into_pyobject(py)
}

#[expect(clippy::cast_possible_wrap, reason = "lists are shorter")]
pub(crate) fn offsets(py: Python<'_>, offsets: Vec<usize>) -> Bound<'_, PyArray1<i64>> {
    array(py, offsets.into_iter().map(|offset| offset as i64).collect())
}

/// Many regions with the same predicate.
struct Many<S, const D: usize> {
    regions: Vec<Asked<S, D>>,
    predicate: Predicate,
    layers: LayerSet,
    excluded: Excluded,
}

impl<S: Number, const D: usize> Many<S, D> {
    /// Reads boxes for an index of the kind of a space.
    fn windows(
        _: &Space<S, D>,
        boxes: &Bound<'_, PyAny>,
        predicate: Predicate,
        layers: LayerSet,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let boxes = Table::new("boxes", boxes, &[2 * D, D])?.rects()?;
        let excluded = Excluded::new(excluding, boxes.len())?;
        Ok(Self { regions: boxes.into_iter().map(Asked::Rect).collect(), predicate, layers, excluded })
    }

    /// Asks about each, in an order that the library chooses.
    fn ask<A: Copy>(
        &self,
        space: &Space<S, D>,
        (tree, signals): (&Tree<S, D>, &Signals),
        mut ask: impl FnMut(&View<'_, S, D>, &Question<'_, S, D>, &mut Answer<'_, A>),
    ) -> Answers<A> {
        let view = space.view(tree);
        tree.query_batch(self.regions.iter().map(Asked::bounds), |_, answer| {
            let number = answer.number();
            if !signals.let_pass(QUESTION) {
                return;
            }
            let (region, excluded) = (&self.regions[number], self.excluded.of(number));
            ask(&view, &Question { predicate: self.predicate, region, layers: self.layers, excluded }, answer);
        })
    }

    fn objects(&self, space: &Space<S, D>, asked: (&Tree<S, D>, &Signals)) -> Answers<Handle> {
        let mut handles = Vec::new();
        self.ask(space, asked, |view, question, answer| {
            question.collect(view, &mut handles);
            asked.1.let_pass(handles.len());
            answer.extend(handles.drain(..));
        })
    }

    fn counts(&self, space: &Space<S, D>, asked: (&Tree<S, D>, &Signals)) -> Vec<usize> {
        self.ask(space, asked, |view, question, answer| answer.extend([question.count(view)])).items
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
        slf: &Bound<'py, Self>,
        boxes: &Bound<'py, PyAny>,
        layers: Option<LayerOrLayers<'py>>,
        predicate: &str,
        excluding: Option<&Bound<'py, PyAny>>,
        out: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, layers, predicate) = (slf.py(), asked(slf, layers)?, Predicate::named(predicate)?);
        let out = Naming::named(out)?;
        with!(&slf.get().0, space => {
            let windows = Many::windows(space, boxes, predicate, layers, excluding)?;
            csr(py, space.read_longer(py, |tree, signals| windows.objects(space, (tree, signals)))?, out)
        })
    }

    /// The number of objects for each of M boxes, (M,).
    #[pyo3(signature = (boxes, layers=None, *, predicate="intersecting", excluding=None))]
    fn count_windows<'py>(
        slf: &Bound<'py, Self>,
        boxes: &Bound<'py, PyAny>,
        layers: Option<LayerOrLayers<'py>>,
        predicate: &str,
        excluding: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (py, layers, predicate) = (slf.py(), asked(slf, layers)?, Predicate::named(predicate)?);
        with!(&slf.get().0, space => {
            let windows = Many::windows(space, boxes, predicate, layers, excluding)?;
            Ok(offsets(py, space.read_longer(py, |tree, signals| windows.counts(space, (tree, signals)))?))
        })
    }

    /// For each of M points (M, D), the objects at most `distance` away: one distance, or (M,). Returns CSR as
    /// `windows`.
    #[pyo3(signature = (points, distance, layers=None, *, excluding=None, out="rows"))]
    fn within_many<'py>(
        slf: &Bound<'py, Self>,
        points: &Bound<'py, PyAny>,
        distance: &Bound<'py, PyAny>,
        layers: Option<LayerOrLayers<'py>>,
        excluding: Option<&Bound<'py, PyAny>>,
        out: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, dim, layers, out) = (slf.py(), slf.get().0.dim(), asked(slf, layers)?, Naming::named(out)?);
        with!(&slf.get().0, space => {
            let table = Table::new("points", points, &[dim])?;
            let points = table.points()?;
            let distances = distances("distance", distance, points.len())?;
            let excluded = Excluded::new(excluding, points.len())?;
            let balls = points.iter().zip(distances).map(|(&point, radius)| Asked::Ball(Ball::new(point, radius)));
            let (regions, predicate) = (balls.collect(), Predicate::Intersecting);
            let balls = Many { regions, predicate, layers, excluded };
            csr(py, space.read_longer(py, |tree, signals| balls.objects(space, (tree, signals)))?, out)
        })
    }
}
