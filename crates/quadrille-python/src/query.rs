//! Lazy queries: a description of a question, asked when it is counted, collected, iterated or watched.

use std::borrow::Cow;

use numpy::PyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use quadrille as library;
use quadrille::{Cluster, Cursor, Handle, LayerSet};

use crate::arrays::{Arg, Number, Object, Objects, Opt, array, boxes, number_of, table};
use crate::errors::value_error;
use crate::handles::{Naming, excluded, moved_of};
use crate::index::{Index, This};
use crate::layers::{Among, Layers, layer_set};
use crate::lock::Lock;
use crate::region_query::{Predicate, RegionQuery};
use crate::regions::{RegionArgument, TypedRegion};
use crate::space::{Followed, Space, with};

/// A query to an index of any kind.
trait AnyQuery: Send + Sync {
    /// Of all objects, or of one.
    fn names(&self, py: Python<'_>, index: &Index, out: Naming, only_one: bool) -> PyResult<Vec<i64>>;
    fn count(&self, py: Python<'_>, index: &Index) -> PyResult<usize>;
    fn clusters<'py>(&self, py: Python<'py>, index: &Index, size: f64) -> Objects<'py>;
    fn iterate(&self, py: Python<'_>, index: &Py<Index>) -> PyResult<Box<dyn AnyIteration>>;
    fn poll(
        &self, py: Python<'_>, index: &Index, watch: &Lock<library::Watch>, moved: Moved,
    ) -> PyResult<[Vec<u64>; 2]>;
    fn arguments<'py>(&self, py: Python<'py>, index: &Py<Index>) -> Objects<'py>;
}

/// The space of an index that is known to be of a kind.
pub(crate) fn space_of<S: Number, const D: usize>(index: &Index) -> PyResult<&Space<S, D>> {
    index.0.of_kind().ok_or_else(|| PyRuntimeError::new_err("an index of another kind"))
}

/// The objects that alone have changed since the last poll.
type Moved = Option<Vec<Handle>>;

impl<S: Number, const D: usize> RegionQuery<'static, S, D> {
    /// Asks a question; about a region that may be hard, so that a signal may end it.
    fn read<A: Send>(
        &self, py: Python<'_>, index: &Index, ask: impl FnOnce(&Space<S, D>, &Followed<S, D>) -> PyResult<A> + Send,
    ) -> PyResult<A> {
        let space = space_of(index)?;
        if self.region.is_simple() {
            space.read(py, |tree| ask(space, tree))?
        } else {
            space.read_longer(py, |tree, _| ask(space, tree))?
        }
    }
}

impl<S: Number, const D: usize> AnyQuery for RegionQuery<'static, S, D> {
    fn names(&self, py: Python<'_>, index: &Index, out: Naming, only_one: bool) -> PyResult<Vec<i64>> {
        self.read(py, index, |space, tree| {
            let (namer, mut handles) = (tree.namer(out, self.layers)?, Vec::new());
            self.collect(space, tree, &mut handles, only_one);
            Ok(namer.names(&handles))
        })
    }

    fn count(&self, py: Python<'_>, index: &Index) -> PyResult<usize> {
        self.read(py, index, |space, tree| Ok(self.count(space, tree)))
    }

    fn clusters<'py>(&self, py: Python<'py>, index: &Index, size: f64) -> Objects<'py> {
        let space = space_of(index)?;
        let (clusters, rows) = space.read_long(py, |tree| {
            let (namer, clusters) =
                (tree.namer(Naming::Rows, self.layers)?, self.clusters(space, tree, S::from_f64(size)));
            let clusters = clusters.map_err(|error| value_error(format_args!("size: {error}")))?;
            let rows = clusters.iter().map(|cluster| namer.name(cluster.handle)).collect();
            Ok::<_, PyErr>((clusters, rows))
        })??;
        let cells = table(py, clusters.iter().map(|cluster| cluster.cell).collect())?;
        let [counts, means, bounds] = columns(py, clusters.iter())?;
        (cells, counts, means, bounds, array::<i64>(py, rows)).into_pyobject(py)
    }

    fn iterate(&self, py: Python<'_>, index: &Py<Index>) -> PyResult<Box<dyn AnyIteration>> {
        let space = space_of(index.get())?;
        space.read(py, |tree| {
            tree.namer(Naming::Rows, self.layers)?;
            // Under the lock, so that the world cannot follow in between.
            space.begin_cursor();
            let (region, torus, index) = (&self.region, self.torus(space), index.clone_ref(py));
            Ok(match self.predicate {
                Predicate::Intersecting => iterate(torus, index, self.filtered(tree.intersecting(region.shape()))),
                Predicate::ContainedIn => iterate(torus, index, self.filtered(tree.contained_in(region.shape()))),
                Predicate::Containing => iterate(torus, index, self.filtered(tree.containing(region.bounds()))),
            })
        })?
    }

    fn poll(
        &self, py: Python<'_>, index: &Index, watch: &Lock<library::Watch>, moved: Moved,
    ) -> PyResult<[Vec<u64>; 2]> {
        let space = space_of(index)?;
        // The second lock is awaited without the interpreter.
        space.read_longer(py, |tree, _| {
            let handles = self.among(space, tree, moved.as_deref());
            let (mut watch, objects) = (watch.write()?, handles.iter().filter_map(|&handle| tree.object(handle)));
            let changes = match &moved {
                Some(moved) => watch.poll_moved(moved, objects),
                None => watch.poll(objects),
            };
            changes.map(|changes| [bits(changes.entered), bits(changes.left)]).map_err(value_error)
        })?
    }

    fn arguments<'py>(&self, py: Python<'py>, index: &Py<Index>) -> Objects<'py> {
        let layers = Layers { index: index.clone_ref(py), set: self.layers };
        let region = self.region.object(py)?;
        (index.clone_ref(py), self.predicate.name(), region, layers, bits(&self.excluded)).into_pyobject(py)
    }
}

/// How many objects clusters have, their means and bounds, as arrays.
#[expect(clippy::cast_possible_wrap, reason = "an index holds fewer objects")]
pub(crate) fn columns<'a, 'py, S: Number, const D: usize>(
    py: Python<'py>, clusters: impl Iterator<Item = &'a Cluster<S, D>> + Clone,
) -> PyResult<[Bound<'py, PyAny>; 3]> {
    let counts = clusters.clone().map(|cluster| cluster.count as i64).collect();
    let means = clusters.clone().map(|cluster| cluster.mean).collect();
    let bounds: Vec<_> = clusters.map(|cluster| cluster.bounds).collect();
    Ok([array(py, counts).into_any(), table(py, means)?, boxes(py, &bounds)?])
}

fn bits(handles: &[Handle]) -> Vec<u64> {
    handles.iter().map(|handle| handle.to_bits()).collect()
}

/// A question, not yet asked: `Index.intersecting` and others make it. Each method asks it anew.
#[pyclass(frozen, weakref, module = "pyquadrille")]
pub(crate) struct Query {
    index: Py<Index>,
    query: Box<dyn AnyQuery>,
}

impl Query {
    /// Makes a query. The region is read for the kind of the index.
    pub(crate) fn new(
        index: &Bound<'_, Index>, predicate: Predicate, region: &RegionArgument<'_, '_>, layers: Among, excluding: Opt,
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
    pub(crate) fn arguments<'py>(&self, py: Python<'py>) -> Objects<'py> {
        self.query.arguments(py, &self.index)
    }
}

/// A region for the kind of a space.
fn region_for<S: Number, const D: usize>(
    _: &Space<S, D>, region: &RegionArgument<'_, '_>,
) -> PyResult<TypedRegion<S, D>> {
    TypedRegion::new(region)
}

#[pymethods]
impl Query {
    /// The rows of all objects of the answer, each once, in no specified order.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(array(py, self.query.names(py, self.index.get(), Naming::Rows, false)?))
    }

    /// The rows, so that `places[query]` is `places[query.rows()]`.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(&self, py: Python<'py>, dtype: Opt<'_, 'py>, copy: Option<bool>) -> Object<'py> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("copy: an answer is always a new array"));
        }
        let rows = self.rows(py)?.into_any();
        dtype.map_or(Ok(rows.clone()), |dtype| rows.call_method1("astype", (dtype,)))
    }

    /// The handles of all objects of the answer, in the order of `rows`.
    fn handles<'py>(&self, py: Python<'py>) -> Object<'py> {
        Naming::Handles.array(py, self.query.names(py, self.index.get(), Naming::Handles, false)?)
    }

    /// The rows as a list, which is faster than an array for a few.
    fn tolist(&self, py: Python<'_>) -> PyResult<Vec<i64>> {
        self.query.names(py, self.index.get(), Naming::Rows, false)
    }

    /// The number of objects. Of what lies wholly inside the region only counters are read.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.query.count(py, self.index.get())
    }

    /// Whether there is an object. Stops at the first one.
    fn exists(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(!self.query.names(py, self.index.get(), Naming::Handles, true)?.is_empty())
    }

    /// The row of some object of the answer, or None. Stops at the first one.
    fn first(&self, py: Python<'_>) -> PyResult<Option<i64>> {
        Ok(self.query.names(py, self.index.get(), Naming::Rows, true)?.pop())
    }

    /// Groups the objects by square cells with sides of `size`, counted from the world's minimum corner.
    ///
    /// Returns for each cell with objects its numbers (K, D), how many they are (K,), the mean of their centers (K, D), their
    /// bounds (K, 2D), and the lowest of their rows (K,), which does not flicker. A border belongs to the cell above.
    /// Costs least if the longest side of the world is 1, 2, 4, 8 … sizes long. Raises ValueError for sizes that are not
    /// positive and finite, or below 2^-30 of the distance of an object.
    fn clusters<'py>(&self, py: Python<'py>, size: Arg<'_, 'py>) -> Objects<'py> {
        self.query.clusters(py, self.index.get(), number_of("size", size)?)
    }

    /// Remembers the answer from poll to poll.
    fn watch(slf: Py<Self>) -> Watch {
        Watch::of(slf, library::Watch::new())
    }

    /// As `count`.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.count(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (_, predicate, region, layers, excluding): (Py<PyAny>, String, Py<PyAny>, Py<Layers>, Vec<u64>) =
            self.arguments(py)?.extract()?;
        let layers =
            if layers.get().set == LayerSet::ALL { "all layers".into() } else { layers.bind(py).repr()?.to_string() };
        Ok(format!("<Query {predicate}({}) in {layers}, excluding {excluding:?}>", region.bind(py).repr()?))
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
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<i64>>;
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
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<i64>> {
        let space = space_of(self.index.get())?;
        let next = space.read(py, |tree| Ok(self.cursor.step(tree)?.map(|object| tree.rows.row(object.handle()))))?;
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
    torus: Option<&library::Periodic<S, D>>, index: Py<Index>, query: library::Query<'_, (), P, S, D, R>,
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
        next
    }
}

/// Tells which objects have entered an answer and which have left it. `Query.watch` makes it. It is pickled with its index.
#[pyclass(frozen, weakref, module = "pyquadrille")]
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
    /// ones included, each ascending. At the first poll all have entered. `moved` are the handles of all objects that were
    /// inserted, moved, removed or put into another layer since the last poll. Then only these are looked at.
    #[pyo3(signature = (moved=None))]
    fn poll<'py>(&self, py: Python<'py>, moved: Opt) -> PyResult<(Handles<'py>, Handles<'py>)> {
        let (query, moved) = (self.query.get(), moved_of(moved)?);
        let [entered, left] = query.query.poll(py, query.index.get(), &self.watch, moved)?;
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
    fn intersecting(slf: This, region: Arg, layers: Among, excluding: Opt) -> PyResult<Query> {
        Query::new(slf, Predicate::Intersecting, &RegionArgument::Region(region), layers, excluding)
    }

    /// The objects that lie wholly inside a region.
    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn contained_in(slf: This, region: Arg, layers: Among, excluding: Opt) -> PyResult<Query> {
        Query::new(slf, Predicate::ContainedIn, &RegionArgument::Region(region), layers, excluding)
    }

    /// The objects that contain all of a region, or of its bounds if it is no box.
    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn containing(slf: This, region: Arg, layers: Among, excluding: Opt) -> PyResult<Query> {
        Query::new(slf, Predicate::Containing, &RegionArgument::Region(region), layers, excluding)
    }

    /// The objects at most `distance` from a point (D,): those that intersect a `Ball`.
    #[pyo3(signature = (point, distance, layers=None, *, excluding=None))]
    fn within_distance(slf: This, point: Arg, distance: Arg, layers: Among, excluding: Opt) -> PyResult<Query> {
        Query::new(slf, Predicate::Intersecting, &RegionArgument::ball(point, distance)?, layers, excluding)
    }
}
