//! Lazy queries: a description of a question, asked when it is counted, collected, iterated or watched.

use std::sync::{Mutex, MutexGuard};

use numpy::PyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyTuple;
use quadrille as library;
use quadrille::{Cursor, Handle, LayerSet};

use crate::arrays::{Number, array, distance_of, handle_or_handles, row};
use crate::errors::{poisoned, value_error};
use crate::index::Index;
use crate::layers::{LayerOrLayers, Layers, asked};
use crate::regions::{Asked, Shape, new_ball};
use crate::space::{Space, Tree, over, with};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Predicate {
    #[default]
    Intersecting,
    ContainedIn,
    Containing,
}

impl Predicate {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Intersecting => "intersecting",
            Self::ContainedIn => "contained_in",
            Self::Containing => "containing",
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Predicate {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let name = object.extract::<&str>()?;
        let known = [Self::Intersecting, Self::ContainedIn, Self::Containing].into_iter().find(|known| known.name() == name);
        known.ok_or_else(|| PyValueError::new_err(format!("predicate: {name:?} is none")))
    }
}

/// A question to an index of one kind.
struct Question<S, const D: usize> {
    predicate: Predicate,
    region: Asked<S, D>,
    layers: LayerSet,
    /// Handles that are left out, ascending.
    excluded: Vec<Handle>,
}

/// Makes the query of the library for a question to an index or to a periodic world.
macro_rules! ask {
    ($view:expr, $question:expr, $query:ident => $body:expr) => {
        match ($question.predicate, &$question.region) {
            (Predicate::Intersecting, Asked::Rect(rect)) => {
                let $query = $view.intersecting(*rect).in_layers($question.layers);
                $body
            }
            (Predicate::Intersecting, Asked::Ball(ball)) => {
                let $query = $view.intersecting(*ball).in_layers($question.layers);
                $body
            }
            (Predicate::Intersecting, Asked::Shape(shape, _)) => {
                let $query = $view.intersecting(shape.clone()).in_layers($question.layers);
                $body
            }
            (Predicate::ContainedIn, Asked::Rect(rect)) => {
                let $query = $view.contained_in(*rect).in_layers($question.layers);
                $body
            }
            (Predicate::ContainedIn, Asked::Ball(ball)) => {
                let $query = $view.contained_in(*ball).in_layers($question.layers);
                $body
            }
            (Predicate::ContainedIn, Asked::Shape(shape, _)) => {
                let $query = $view.contained_in(shape.clone()).in_layers($question.layers);
                $body
            }
            (Predicate::Containing, region) => {
                let $query = $view.containing(region.bounds()).in_layers($question.layers);
                $body
            }
        }
    };
}

impl<S: Number, const D: usize> Question<S, D> {
    fn is_excluded(&self, handle: Handle) -> bool {
        self.excluded.binary_search(&handle).is_ok()
    }

    fn collect(&self, space: &Space<S, D>, tree: &Tree<S, D>) -> Vec<Handle> {
        let mut handles = Vec::new();
        over!(space, tree, view => ask!(view, self, query => query.for_each(|object| handles.push(object.handle()))));
        if !self.excluded.is_empty() {
            handles.retain(|&handle| !self.is_excluded(handle));
        }
        handles
    }

    fn count(&self, space: &Space<S, D>, tree: &Tree<S, D>) -> usize {
        if self.excluded.is_empty() {
            over!(space, tree, view => ask!(view, self, query => query.count()))
        } else {
            self.collect(space, tree).len()
        }
    }

    fn first(&self, space: &Space<S, D>, tree: &Tree<S, D>) -> Option<Handle> {
        over!(space, tree, view => ask!(view, self, query => {
            query.map(|object| object.handle()).find(|&handle| !self.is_excluded(handle))
        }))
    }

    /// The query put aside. Cursors know no periodic world: there the answer is taken at once.
    fn pause(&self, space: &Space<S, D>, tree: &Tree<S, D>) -> Position<S, D> {
        if space.torus.is_some() {
            return Position::Listed(self.collect(space, tree).into_iter());
        }
        let (shape, layers) = (self.region.shape(), self.layers);
        match self.predicate {
            Predicate::Intersecting => Position::Intersecting(tree.intersecting(shape).in_layers(layers).pause()),
            Predicate::ContainedIn => Position::ContainedIn(tree.contained_in(shape).in_layers(layers).pause()),
            Predicate::Containing => {
                Position::Containing(tree.containing(self.region.bounds()).in_layers(layers).pause())
            }
        }
    }
}

/// A question to an index of any kind.
trait AnyQuestion: Send + Sync {
    fn collect(&self, py: Python<'_>, index: &Index) -> PyResult<Vec<Handle>>;
    fn count(&self, py: Python<'_>, index: &Index) -> PyResult<usize>;
    fn first(&self, py: Python<'_>, index: &Index) -> PyResult<Option<Handle>>;
    fn steps(&self, py: Python<'_>, index: &Py<Index>) -> PyResult<Box<dyn Steps>>;
    fn poll(&self, py: Python<'_>, index: &Index, watch: &mut library::Watch) -> PyResult<[Vec<u64>; 2]>;
    fn arguments<'py>(&self, py: Python<'py>, index: &Py<Index>) -> PyResult<Bound<'py, PyTuple>>;
}

/// The space of an index that is known to be of a kind.
fn space_of<S: Number, const D: usize>(index: &Index) -> PyResult<&Space<S, D>> {
    index.0.of_kind().ok_or_else(|| PyRuntimeError::new_err("an index of another kind"))
}

impl<S: Number, const D: usize> AnyQuestion for Question<S, D> {
    fn collect(&self, py: Python<'_>, index: &Index) -> PyResult<Vec<Handle>> {
        let space = space_of(index)?;
        space.read(py, |tree| self.collect(space, tree))
    }

    fn count(&self, py: Python<'_>, index: &Index) -> PyResult<usize> {
        let space = space_of(index)?;
        space.read(py, |tree| self.count(space, tree))
    }

    fn first(&self, py: Python<'_>, index: &Index) -> PyResult<Option<Handle>> {
        let space = space_of(index)?;
        space.read(py, |tree| self.first(space, tree))
    }

    fn steps(&self, py: Python<'_>, index: &Py<Index>) -> PyResult<Box<dyn Steps>> {
        let space = space_of(index.get())?;
        let position = space.read(py, |tree| self.pause(space, tree))?;
        space.begin_cursor();
        Ok(Box::new(Paused { index: index.clone_ref(py), position, excluded: self.excluded.clone() }))
    }

    fn poll(&self, py: Python<'_>, index: &Index, watch: &mut library::Watch) -> PyResult<[Vec<u64>; 2]> {
        let space = space_of(index)?;
        let changes = space.read(py, |tree| {
            let objects = self.collect(space, tree).into_iter().filter_map(|handle| tree.object(handle));
            watch.poll(objects).map(|changes| [bits(changes.entered), bits(changes.left)])
        });
        changes?.map_err(value_error)
    }

    fn arguments<'py>(&self, py: Python<'py>, index: &Py<Index>) -> PyResult<Bound<'py, PyTuple>> {
        let layers = Layers { index: index.clone_ref(py), set: self.layers };
        let region = self.region.object(py)?;
        (index.clone_ref(py), self.predicate.name(), region, layers, bits(&self.excluded)).into_pyobject(py)
    }
}

fn bits(handles: &[Handle]) -> Vec<u64> {
    handles.iter().map(|handle| handle.to_bits()).collect()
}

/// A question, not yet asked: `Index.intersecting` and others make it. Each method asks it anew.
#[pyclass(frozen, module = "pyquadrille")]
pub(crate) struct Query {
    index: Py<Index>,
    question: Box<dyn AnyQuestion>,
}

impl Query {
    /// Makes a query; `region` reads the region for the kind of index.
    pub(crate) fn new(
        index: &Bound<'_, Index>,
        predicate: Predicate,
        region: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let layers = asked(index, layers)?;
        let mut excluded = excluding.map_or(Ok(Vec::new()), |excluding| handle_or_handles("excluding", excluding))?;
        excluded.sort_unstable();
        let question = with!(&index.get().0, space => {
            Box::new(Question { predicate, region: space.region(region)?, layers, excluded }) as Box<dyn AnyQuestion>
        });
        Ok(Self { index: index.clone().unbind(), question })
    }

    /// The arguments of the function that makes the query.
    pub(crate) fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.question.arguments(py, &self.index)
    }
}

impl<S: Number, const D: usize> Space<S, D> {
    /// A region for this kind of index.
    fn region(&self, object: &Bound<'_, PyAny>) -> PyResult<Asked<S, D>> {
        Asked::new(object)
    }
}

#[pymethods]
impl Query {
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let handles = self.question.collect(py, self.index.get())?;
        Ok(array(py, handles.into_iter().map(row).collect()))
    }

    fn handles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(array(py, bits(&self.question.collect(py, self.index.get())?)))
    }

    fn tolist(&self, py: Python<'_>) -> PyResult<Vec<i64>> {
        Ok(self.question.collect(py, self.index.get())?.into_iter().map(row).collect())
    }

    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.question.count(py, self.index.get())
    }

    fn exists(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.question.first(py, self.index.get())?.is_some())
    }

    fn first(&self, py: Python<'_>) -> PyResult<Option<i64>> {
        Ok(self.question.first(py, self.index.get())?.map(row))
    }

    fn watch(slf: Py<Self>) -> Watch {
        Watch::of(slf, library::Watch::new())
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        self.exists(py)
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Rows> {
        Ok(Rows(Some(self.question.steps(py, &self.index)?)))
    }
}

/// Where a query stands between two steps.
enum Position<S: Number, const D: usize> {
    Intersecting(Cursor<library::Intersecting, S, D, Shape<S, D>>),
    ContainedIn(Cursor<library::ContainedIn, S, D, Shape<S, D>>),
    Containing(Cursor<library::Containing, S, D>),
    Listed(std::vec::IntoIter<Handle>),
}

/// A query under way.
struct Paused<S: Number, const D: usize> {
    index: Py<Index>,
    position: Position<S, D>,
    excluded: Vec<Handle>,
}

/// A query under way, of any kind.
trait Steps: Send + Sync {
    fn step(&mut self, py: Python<'_>) -> PyResult<Option<Handle>>;
}

impl<S: Number, const D: usize> Steps for Paused<S, D> {
    fn step(&mut self, py: Python<'_>) -> PyResult<Option<Handle>> {
        let space = space_of(self.index.get())?;
        let (position, excluded) = (&mut self.position, &self.excluded);
        let next = space.read(py, |tree| {
            loop {
                let next = match position {
                    Position::Intersecting(cursor) => cursor.step(tree)?.map(|object| object.handle()),
                    Position::ContainedIn(cursor) => cursor.step(tree)?.map(|object| object.handle()),
                    Position::Containing(cursor) => cursor.step(tree)?.map(|object| object.handle()),
                    Position::Listed(handles) => handles.find(|&handle| tree.contains(handle)),
                };
                if next.is_none_or(|handle| excluded.binary_search(&handle).is_err()) {
                    return Ok(next);
                }
            }
        })?;
        next.map_err(|error: library::ResumeError| PyRuntimeError::new_err(error.to_string()))
    }
}

impl<S: Number, const D: usize> Drop for Paused<S, D> {
    fn drop(&mut self) {
        if let Ok(space) = space_of::<S, D>(self.index.get()) {
            space.end_cursor();
        }
    }
}

/// Rows one by one: an iteration over a `Query`.
#[pyclass(module = "pyquadrille")]
pub(crate) struct Rows(Option<Box<dyn Steps>>);

#[pymethods]
impl Rows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<i64>> {
        let Some(steps) = &mut self.0 else { return Ok(None) };
        let next = steps.step(py);
        if !matches!(next, Ok(Some(_))) {
            self.0 = None;
        }
        Ok(next?.map(row))
    }
}

/// What has entered an answer and what has left it. `Query.watch` makes it. It is pickled with its index.
#[pyclass(frozen, module = "pyquadrille")]
pub(crate) struct Watch {
    pub(crate) query: Py<Query>,
    watch: Mutex<library::Watch>,
}

impl Watch {
    pub(crate) fn of(query: Py<Query>, watch: library::Watch) -> Self {
        Self { query, watch: Mutex::new(watch) }
    }

    pub(crate) fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, library::Watch>> {
        self.watch.lock_py_attached(py).map_err(poisoned)
    }
}

type Handles<'py> = Bound<'py, PyArray1<u64>>;

#[pymethods]
impl Watch {
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<(Handles<'py>, Handles<'py>)> {
        let query = self.query.get();
        let [entered, left] = {
            let mut watch = self.lock(py)?;
            query.question.poll(py, query.index.get(), &mut watch)?
        };
        Ok((array(py, entered), array(py, left)))
    }

    fn inside<'py>(&self, py: Python<'py>) -> PyResult<Handles<'py>> {
        let inside = bits(self.lock(py)?.inside());
        Ok(array(py, inside))
    }
}

#[pymethods]
impl Index {
    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn intersecting(
        slf: &Bound<'_, Self>,
        region: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Query> {
        Query::new(slf, Predicate::Intersecting, region, layers, excluding)
    }

    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn contained_in(
        slf: &Bound<'_, Self>,
        region: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Query> {
        Query::new(slf, Predicate::ContainedIn, region, layers, excluding)
    }

    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn containing(
        slf: &Bound<'_, Self>,
        region: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Query> {
        Query::new(slf, Predicate::Containing, region, layers, excluding)
    }

    #[pyo3(signature = (point, distance, layers=None, *, excluding=None))]
    fn within_distance(
        slf: &Bound<'_, Self>,
        point: &Bound<'_, PyAny>,
        distance: f64,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Query> {
        let ball = new_ball(point, distance_of("distance", distance)?)?;
        Query::new(slf, Predicate::Intersecting, &ball, layers, excluding)
    }
}
