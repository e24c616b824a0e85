//! Many windows and many distances at once, without the interpreter. Answers come as two arrays: where each begins, and all
//! their objects.

use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quadrille::{Answer, Answers, Handle, LayerSet, Rect};

use crate::arrays::{Naming, Number, Table, array, distances, handle_or_handles};
use crate::index::Index;
use crate::layers::{LayerOrLayers, asked};
use crate::query::Predicate;
use crate::space::{Space, Tree, over, with};

/// The handle that each question leaves out: one for all, or one for each.
pub(crate) struct Excluded(Vec<Handle>);

impl Excluded {
    pub(crate) fn new(object: Option<&Bound<'_, PyAny>>, questions: usize) -> PyResult<Self> {
        let handles = object.map_or(Ok(Vec::new()), |object| handle_or_handles("excluding", object))?;
        if handles.len() > 1 && handles.len() != questions {
            let message = format!("excluding: 1 or {questions} handles expected, not {}", handles.len());
            return Err(PyValueError::new_err(message));
        }
        Ok(Self(handles))
    }

    pub(crate) fn of(&self, question: usize) -> Handle {
        match self.0[..] {
            [] => Handle::default(),
            [one] => one,
            _ => self.0[question],
        }
    }
}

/// Offsets and items as arrays.
fn csr<'py>(py: Python<'py>, answers: Answers<Handle>, out: Naming) -> PyResult<Bound<'py, PyTuple>> {
    (offsets(py, answers.offsets), out.array(py, &answers.items)).into_pyobject(py)
}

#[expect(clippy::cast_possible_wrap, reason = "lists are shorter")]
pub(crate) fn offsets(py: Python<'_>, offsets: Vec<usize>) -> Bound<'_, PyArray1<i64>> {
    array(py, offsets.into_iter().map(|offset| offset as i64).collect())
}

/// Many windows with the same predicate.
struct Windows<S, const D: usize> {
    windows: Vec<Rect<S, D>>,
    predicate: Predicate,
    layers: LayerSet,
    excluded: Excluded,
}

/// Asks about one window, by any predicate.
macro_rules! ask {
    ($of:expr, $view:expr, $window:expr, $number:expr, $query:ident => $body:expr) => {{
        let excluded = $of.excluded.of($number);
        match $of.predicate {
            Predicate::Intersecting => {
                let $query = $view.intersecting(*$window).in_layers($of.layers).excluding(excluded);
                $body
            }
            Predicate::ContainedIn => {
                let $query = $view.contained_in(*$window).in_layers($of.layers).excluding(excluded);
                $body
            }
            Predicate::Containing => {
                let $query = $view.containing(*$window).in_layers($of.layers).excluding(excluded);
                $body
            }
        }
    }};
}

impl<S: Number, const D: usize> Windows<S, D> {
    fn objects(&self, space: &Space<S, D>, tree: &Tree<S, D>) -> Answers<Handle> {
        over!(space, tree, view => tree.query_batch(self.windows.iter().copied(), |window, answer: &mut Answer<'_, _>| {
            ask!(self, view, window, answer.number(), query => answer.extend(query.map(|object| object.handle())));
        }))
    }

    fn counts(&self, space: &Space<S, D>, tree: &Tree<S, D>) -> Vec<usize> {
        over!(space, tree, view => tree.query_batch(self.windows.iter().copied(), |window, answer: &mut Answer<'_, _>| {
            let count = ask!(self, view, window, answer.number(), query => query.count());
            answer.extend([count]);
        }))
        .items
    }
}

#[pymethods]
impl Index {
    #[pyo3(signature = (boxes, layers=None, *, predicate=Predicate::Intersecting, excluding=None, out=Naming::Rows))]
    fn windows<'py>(
        slf: &Bound<'py, Self>,
        boxes: &Bound<'py, PyAny>,
        layers: Option<LayerOrLayers<'py>>,
        predicate: Predicate,
        excluding: Option<&Bound<'py, PyAny>>,
        out: Naming,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, dim, layers) = (slf.py(), slf.get().0.dim(), asked(slf, layers)?);
        with!(&slf.get().0, space => {
            let windows = Table::new("boxes", boxes, &[2 * dim, dim])?.rects()?;
            let excluded = Excluded::new(excluding, windows.len())?;
            let windows = Windows { windows, predicate, layers, excluded };
            csr(py, space.read_long(py, |tree| windows.objects(space, tree))?, out)
        })
    }

    #[pyo3(signature = (boxes, layers=None, *, predicate=Predicate::Intersecting, excluding=None))]
    fn count_windows<'py>(
        slf: &Bound<'py, Self>,
        boxes: &Bound<'py, PyAny>,
        layers: Option<LayerOrLayers<'py>>,
        predicate: Predicate,
        excluding: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (py, dim, layers) = (slf.py(), slf.get().0.dim(), asked(slf, layers)?);
        with!(&slf.get().0, space => {
            let windows = Table::new("boxes", boxes, &[2 * dim, dim])?.rects()?;
            let excluded = Excluded::new(excluding, windows.len())?;
            let windows = Windows { windows, predicate, layers, excluded };
            Ok(offsets(py, space.read_long(py, |tree| windows.counts(space, tree))?))
        })
    }

    #[pyo3(signature = (points, distance, layers=None, *, excluding=None, out=Naming::Rows))]
    fn within_many<'py>(
        slf: &Bound<'py, Self>,
        points: &Bound<'py, PyAny>,
        distance: &Bound<'py, PyAny>,
        layers: Option<LayerOrLayers<'py>>,
        excluding: Option<&Bound<'py, PyAny>>,
        out: Naming,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, dim, layers) = (slf.py(), slf.get().0.dim(), asked(slf, layers)?);
        with!(&slf.get().0, space => {
            let table = Table::new("points", points, &[dim])?;
            let points = table.points()?;
            let distances = distances("distance", distance, points.len())?;
            let excluded = Excluded::new(excluding, points.len())?;
            let answers = space.read_long(py, |tree| over!(space, tree, view => {
                tree.query_batch(points.iter().copied(), |point, answer: &mut Answer<'_, _>| {
                    let (number, center) = (answer.number(), point.min());
                    let query = view.within_distance(center, distances[number]).in_layers(layers);
                    answer.extend(query.excluding(excluded.of(number)).map(|object| object.handle()));
                })
            }))?;
            csr(py, answers, out)
        })
    }
}
