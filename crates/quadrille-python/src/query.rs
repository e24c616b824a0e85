//! Lazy queries: a description of a question, asked when it is counted, collected, iterated or watched.

use std::borrow::Cow;

use numpy::PyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quadrille as library;
use quadrille::{Cursor, Handle};

use crate::arrays::{Number, array, boxes, table};
use crate::errors::value_error;
use crate::handles::{excluded, row};
use crate::index::Index;
use crate::layers::{LayerOrLayers, Layers, layer_set};
use crate::lock::Lock;
use crate::region_query::{Predicate, RegionQuery};
use crate::regions::{RegionArgument, TypedRegion};
use crate::space::{Space, with};

/// A query to an index of any kind.
trait AnyQuery: Send + Sync {
    fn collect(&self, py: Python<'_>, index: &Index) -> PyResult<Vec<Handle>>;
    fn count(&self, py: Python<'_>, index: &Index) -> PyResult<usize>;
    fn first(&self, py: Python<'_>, index: &Index) -> PyResult<Option<Handle>>;
    fn clusters<'py>(&self, py: Python<'py>, index: &Index, size: f64) -> PyResult<Bound<'py, PyTuple>>;
    fn iterate(&self, py: Python<'_>, index: &Py<Index>) -> PyResult<Box<dyn AnyIteration>>;
    fn poll(&self, py: Python<'_>, index: &Index, watch: &mut library::Watch) -> PyResult<[Vec<u64>; 2]>;
    fn arguments<'py>(&self, py: Python<'py>, index: &Py<Index>) -> PyResult<Bound<'py, PyTuple>>;
}

/// The space of an index that is known to be of a kind.
fn space_of<S: Number, const D: usize>(index: &Index) -> PyResult<&Space<S, D>> {
    index.0.of_kind().ok_or_else(|| PyRuntimeError::new_err("an index of another kind"))
}

impl<S: Number, const D: usize> AnyQuery for RegionQuery<'static, S, D> {
    fn collect(&self, py: Python<'_>, index: &Index) -> PyResult<Vec<Handle>> {
        let (space, mut handles) = (space_of(index)?, Vec::new());
        space.read(py, |tree| self.collect(space, tree, &mut handles))?;
        Ok(handles)
    }

    fn count(&self, py: Python<'_>, index: &Index) -> PyResult<usize> {
        let space = space_of(index)?;
        space.read(py, |tree| self.count(space, tree))
    }

    fn first(&self, py: Python<'_>, index: &Index) -> PyResult<Option<Handle>> {
        let space = space_of(index)?;
        space.read(py, |tree| self.first(space, tree))
    }

    #[expect(clippy::cast_possible_wrap, reason = "an index holds fewer objects")]
    fn clusters<'py>(&self, py: Python<'py>, index: &Index, size: f64) -> PyResult<Bound<'py, PyTuple>> {
        let space = space_of(index)?;
        let clusters = space.read_long(py, |tree| self.clusters(space, tree, S::from_f64(size)))?;
        let clusters = clusters.map_err(|error| value_error(format_args!("size: {error}")))?;
        let cells = table(py, clusters.iter().map(|cluster| cluster.cell).collect())?;
        let counts = array(py, clusters.iter().map(|cluster| cluster.count as i64).collect());
        let means = table(py, clusters.iter().map(|cluster| cluster.mean).collect())?;
        let bounds: Vec<_> = clusters.iter().map(|cluster| cluster.bounds).collect();
        let rows = array(py, clusters.iter().map(|cluster| row(cluster.handle)).collect());
        (cells, counts, means, boxes(py, &bounds)?, rows).into_pyobject(py)
    }

    fn iterate(&self, py: Python<'_>, index: &Py<Index>) -> PyResult<Box<dyn AnyIteration>> {
        let space = space_of(index.get())?;
        space.read(py, |tree| {
            // Under the lock, so that the world cannot follow in between.
            space.begin_cursor();
            let (region, torus, index) = (&self.region, self.torus(space), index.clone_ref(py));
            match self.predicate {
                Predicate::Intersecting => iterate(torus, index, self.filtered(tree.intersecting(region.shape()))),
                Predicate::ContainedIn => iterate(torus, index, self.filtered(tree.contained_in(region.shape()))),
                Predicate::Containing => iterate(torus, index, self.filtered(tree.containing(region.bounds()))),
            }
        })
    }

    fn poll(&self, py: Python<'_>, index: &Index, watch: &mut library::Watch) -> PyResult<[Vec<u64>; 2]> {
        let (space, mut handles) = (space_of(index)?, Vec::new());
        let changes = space.read(py, |tree| {
            self.collect(space, tree, &mut handles);
            let objects = handles.iter().filter_map(|&handle| tree.object(handle));
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
    query: Box<dyn AnyQuery>,
}

impl Query {
    /// Makes a query. The region is read for the kind of the index.
    pub(crate) fn new(
        index: &Bound<'_, Index>,
        predicate: Predicate,
        region: &RegionArgument<'_, '_>,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let layers = layer_set(index, layers)?;
        let excluded = excluded(excluding)?;
        let query = with!(&index.get().0, space => {
            let region = Cow::Owned(region_for(space, region)?);
            Box::new(RegionQuery { predicate, region, layers, excluded: Cow::Owned(excluded) }) as Box<dyn AnyQuery>
        });
        Ok(Self { index: index.clone().unbind(), query })
    }

    /// The arguments of the function that makes the query.
    pub(crate) fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.query.arguments(py, &self.index)
    }
}

/// A region for the kind of a space.
fn region_for<S: Number, const D: usize>(
    _: &Space<S, D>,
    region: &RegionArgument<'_, '_>,
) -> PyResult<TypedRegion<S, D>> {
    TypedRegion::new(region)
}

#[pymethods]
impl Query {
    /// The rows of all objects of the answer, each once, in no specified order.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let handles = self.query.collect(py, self.index.get())?;
        Ok(array(py, handles.into_iter().map(row).collect()))
    }

    /// The rows, so that `places[query]` is `places[query.rows()]`.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("copy: an answer is always a new array"));
        }
        let rows = self.rows(py)?.into_any();
        dtype.map_or(Ok(rows.clone()), |dtype| rows.call_method1("astype", (dtype,)))
    }

    /// The handles of all objects of the answer, in the order of `rows`.
    fn handles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(array(py, bits(&self.query.collect(py, self.index.get())?)))
    }

    /// The rows as a list, which is faster than an array for a few.
    fn tolist(&self, py: Python<'_>) -> PyResult<Vec<i64>> {
        Ok(self.query.collect(py, self.index.get())?.into_iter().map(row).collect())
    }

    /// The number of objects. Of what lies wholly inside the region only counters are read.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.query.count(py, self.index.get())
    }

    /// Whether there is an object. Stops at the first one.
    fn exists(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.query.first(py, self.index.get())?.is_some())
    }

    /// The row of some object of the answer, or None. Stops at the first one.
    fn first(&self, py: Python<'_>) -> PyResult<Option<i64>> {
        Ok(self.query.first(py, self.index.get())?.map(row))
    }

    /// Groups the objects by square cells with sides of `size`, counted from the world's minimum corner.
    ///
    /// Returns for each cell with objects its numbers (K, D), how many they are (K,), the mean of their centers (K, D), their
    /// bounds (K, 2D), and the lowest of their rows (K,), which does not flicker. A border belongs to the cell above.
    /// Costs least if the longest side of the world is 1, 2, 4, 8 … sizes long. Raises ValueError for sizes that are not
    /// positive and finite, or below 2^-30 of the distance of an object.
    fn clusters<'py>(&self, py: Python<'py>, size: f64) -> PyResult<Bound<'py, PyTuple>> {
        self.query.clusters(py, self.index.get(), size)
    }

    /// Remembers the answer from poll to poll.
    fn watch(slf: Py<Self>) -> Watch {
        Watch::of(slf, library::Watch::new())
    }

    /// As `exists`.
    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        self.exists(py)
    }

    /// Rows one by one, found when they are asked for.
    ///
    /// The index may be changed on the way. An object that matches all the time and is left alone comes exactly once;
    /// one that is moved may come again, or not at all. `set_world`, `fit_world` and `clear` without layers end the
    /// iteration with RuntimeError.
    fn __iter__(&self, py: Python<'_>) -> PyResult<Rows> {
        Ok(Rows(Some(self.query.iterate(py, &self.index)?)))
    }
}

/// An iteration over a query of any type, to an index of any kind.
trait AnyIteration: Send + Sync {
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Handle>>;
}

struct Iteration<P, S: Number, const D: usize, R> {
    index: Py<Index>,
    cursor: Cursor<P, S, D, R>,
}

impl<P, S: Number, const D: usize, R> AnyIteration for Iteration<P, S, D, R>
where
    P: library::Predicate + Send + Sync,
    R: library::Region<S, D> + Send + Sync,
{
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Handle>> {
        let space = space_of(self.index.get())?;
        let next = space.read(py, |tree| Ok(self.cursor.step(tree)?.map(|object| object.handle())))?;
        next.map_err(|error: library::ResumeError| PyRuntimeError::new_err(error.to_string()))
    }
}

impl<P, S: Number, const D: usize, R> Drop for Iteration<P, S, D, R> {
    fn drop(&mut self) {
        if let Ok(space) = space_of::<S, D>(self.index.get()) {
            space.end_cursor();
        }
    }
}

/// Begins an iteration over the objects of an index.
fn iterate<P, S: Number, const D: usize, R>(
    torus: Option<&library::Periodic<S, D>>,
    index: Py<Index>,
    query: library::Query<'_, (), P, S, D, R>,
) -> Box<dyn AnyIteration>
where
    P: library::Predicate<Wrapped: Send + Sync + 'static> + Send + Sync + 'static,
    R: library::Region<S, D> + Send + Sync + 'static,
{
    match torus {
        None => Box::new(Iteration { index, cursor: query.pause() }),
        Some(torus) => Box::new(Iteration { index, cursor: query.periodic(torus).pause() }),
    }
}

/// Rows one by one: an iteration over a `Query`.
#[pyclass(name = "_RowIterator", module = "pyquadrille")]
pub(crate) struct Rows(Option<Box<dyn AnyIteration>>);

#[pymethods]
impl Rows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<i64>> {
        let Some(iteration) = &mut self.0 else { return Ok(None) };
        let next = iteration.next(py);
        if !matches!(next, Ok(Some(_))) {
            self.0 = None;
        }
        Ok(next?.map(row))
    }
}

/// Tells which objects have entered an answer and which have left it. `Query.watch` makes it. It is pickled with its index.
#[pyclass(frozen, module = "pyquadrille")]
pub(crate) struct Watch {
    pub(crate) query: Py<Query>,
    watch: Lock<library::Watch>,
}

impl Watch {
    pub(crate) fn of(query: Py<Query>, watch: library::Watch) -> Self {
        Self { query, watch: Lock::new(watch) }
    }

    pub(crate) fn memory(&self, py: Python<'_>) -> PyResult<library::Watch> {
        Ok(self.watch.read_attached(py)?.clone())
    }
}

type Handles<'py> = Bound<'py, PyArray1<u64>>;

#[pymethods]
impl Watch {
    /// Asks the query again.
    ///
    /// Returns the handles of the objects that have entered since the last poll and of those that have left, removed
    /// ones included, each ascending. At the first poll all have entered.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<(Handles<'py>, Handles<'py>)> {
        let query = self.query.get();
        let [entered, left] = {
            let mut watch = self.watch.write_attached(py)?;
            query.query.poll(py, query.index.get(), &mut watch)?
        };
        Ok((array(py, entered), array(py, left)))
    }

    /// The handles of the last answer, ascending.
    fn inside<'py>(&self, py: Python<'py>) -> PyResult<Handles<'py>> {
        let inside = bits(self.watch.read_attached(py)?.inside());
        Ok(array(py, inside))
    }
}

#[pymethods]
impl Index {
    /// The objects that share a point with a region, a box (2D,) or a point (D,), but for those with handles in
    /// `excluding`.
    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn intersecting(
        slf: &Bound<'_, Self>,
        region: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Query> {
        Query::new(slf, Predicate::Intersecting, &RegionArgument::Region(region), layers, excluding)
    }

    /// The objects that lie wholly inside a region.
    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn contained_in(
        slf: &Bound<'_, Self>,
        region: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Query> {
        Query::new(slf, Predicate::ContainedIn, &RegionArgument::Region(region), layers, excluding)
    }

    /// The objects that contain all of a region, or of its bounds if it is no box.
    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn containing(
        slf: &Bound<'_, Self>,
        region: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Query> {
        Query::new(slf, Predicate::Containing, &RegionArgument::Region(region), layers, excluding)
    }

    /// The objects at most `distance` from a point (D,): those that intersect a `Ball`.
    #[pyo3(signature = (point, distance, layers=None, *, excluding=None))]
    fn within_distance(
        slf: &Bound<'_, Self>,
        point: &Bound<'_, PyAny>,
        distance: f64,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Query> {
        Query::new(slf, Predicate::Intersecting, &RegionArgument::ball(point, distance)?, layers, excluding)
    }
}
