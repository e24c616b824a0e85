//! Lazy queries: a description of a question, asked when it is counted, collected, iterated or watched.

use std::borrow::Cow;

use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use quadrille as library;
use quadrille::{Cluster, Handle, LayerSet};

use crate::arrays::{Arg, Number, Object, Objects, Opt, array, boxes, number, number_of, table};
use crate::errors::value_error;
use crate::handles::{Naming, excluded, moved_of};
use crate::index::{Index, This};
use crate::layers::{Among, Layers, layer_set};
use crate::lock::Lock;
use crate::region_query::{Predicate, RegionQuery};
use crate::regions::AnyRegion;
use crate::space::{Followed, Space, with};

/// The objects that alone have changed since the last poll, ascending.
pub(crate) type Moved = Option<Vec<Handle>>;

/// Questions, each written for all kinds of index.
impl<S: Number, const D: usize> Space<S, D> {
    fn query<'a>(&self, asked: &'a Query) -> PyResult<RegionQuery<'a, S, D>> {
        let Query { predicate, ref region, layers, ref excluded, .. } = *asked;
        Ok(RegionQuery { predicate, region: Cow::Owned(region.typed_for(self)?), layers, excluded })
    }

    /// Asks a question; about a region that may be hard, so that a signal may end it.
    fn ask<A: Send>(
        &self, py: Python<'_>, asked: &Query,
        ask: impl FnOnce(&RegionQuery<'_, S, D>, &Followed<S, D>) -> PyResult<A> + Send,
    ) -> PyResult<A> {
        let query = self.query(asked)?;
        if query.region.is_simple() {
            self.read(py, |tree| ask(&query, tree))?
        } else {
            self.read_longer(py, |tree, _| ask(&query, tree))?
        }
    }

    /// The names of all objects, or of one.
    fn names(&self, py: Python<'_>, asked: &Query, out: Naming, only_one: bool) -> PyResult<Vec<i64>> {
        self.ask(py, asked, |query, tree| {
            let (namer, mut handles) = (tree.namer(out, query.layers)?, Vec::new());
            query.collect(self, tree, &mut handles, only_one);
            Ok(namer.names(&handles))
        })
    }

    fn clusters<'py>(&self, py: Python<'py>, asked: &Query, size: f64) -> Objects<'py> {
        let query = self.query(asked)?;
        let (clusters, rows) = self.read_long(py, |tree| {
            let (namer, clusters) = (tree.namer(Naming::Rows, query.layers)?, query.clusters(self, tree, number(size)));
            let clusters = clusters.map_err(|error| value_error(format_args!("size: {error}")))?;
            let rows = clusters.iter().map(|cluster| namer.name(cluster.handle)).collect();
            Ok::<_, PyErr>((clusters, rows))
        })??;
        let cells = table(py, clusters.iter().map(|cluster| cluster.cell).collect())?;
        let [counts, means, bounds] = columns(py, clusters.iter())?;
        (cells, counts, means, bounds, array::<i64>(py, rows)).into_pyobject(py)
    }

    fn poll_watch(
        &self, py: Python<'_>, asked: &Query, watch: &Lock<library::Watch>, moved: Moved,
    ) -> PyResult<[Vec<u64>; 2]> {
        let query = self.query(asked)?;
        // The second lock is awaited without the interpreter.
        self.read_longer(py, |tree, _| {
            let handles = query.among(self, tree, moved.as_deref());
            let (mut watch, objects) = (watch.write()?, handles.iter().filter_map(|&handle| tree.object(handle)));
            let changes = match &moved {
                Some(moved) => watch.poll_moved(moved, objects),
                None => watch.poll(objects),
            };
            changes.map(|changes| [bits(changes.entered), bits(changes.left)]).map_err(value_error)
        })?
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
    predicate: Predicate,
    region: AnyRegion,
    layers: LayerSet,
    excluded: Vec<Handle>,
}

impl Query {
    pub(crate) fn new(
        index: &Bound<'_, Index>, predicate: Predicate, region: AnyRegion, layers: Among, excluding: Opt,
    ) -> PyResult<Self> {
        let (layers, excluded) = (layer_set(index, layers)?, excluded(excluding)?);
        Ok(Self { index: index.clone().unbind(), predicate, region, layers, excluded })
    }

    fn names(&self, py: Python<'_>, out: Naming, only_one: bool) -> PyResult<Vec<i64>> {
        with!(&self.index.get().0, space => space.names(py, self, out, only_one))
    }
}

#[pymethods]
impl Query {
    /// The rows of all objects of the answer, each once, in no specified order.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(array(py, self.names(py, Naming::Rows, false)?))
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
        Naming::Handles.array(py, self.names(py, Naming::Handles, false)?)
    }

    /// The rows as a list, which is faster than an array for a few.
    fn tolist(&self, py: Python<'_>) -> PyResult<Vec<i64>> {
        self.names(py, Naming::Rows, false)
    }

    /// The number of objects. Of what lies wholly inside the region only counters are read.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        with!(&self.index.get().0, space => space.ask(py, self, |query, tree| Ok(query.count(space, tree))))
    }

    /// Whether there is an object. Stops at the first one.
    fn exists(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(!self.names(py, Naming::Handles, true)?.is_empty())
    }

    /// The row of some object of the answer, or None. Stops at the first one.
    fn first(&self, py: Python<'_>) -> PyResult<Option<i64>> {
        Ok(self.names(py, Naming::Rows, true)?.pop())
    }

    /// Groups the objects by square cells with sides of `size`, counted from the world's minimum corner.
    ///
    /// Returns for each cell with objects its numbers (K, D), how many they are (K,), the mean of their centers (K, D), their
    /// bounds (K, 2D), and the lowest of their rows (K,), which does not flicker. A border belongs to the cell above.
    /// Costs least if the longest side of the world is 1, 2, 4, 8 … sizes long. Raises ValueError for sizes that are not
    /// positive and finite, or below 2^-30 of the distance of an object.
    fn clusters<'py>(&self, py: Python<'py>, size: Arg<'_, 'py>) -> Objects<'py> {
        let size = number_of("size", size)?;
        with!(&self.index.get().0, space => space.clusters(py, self, size))
    }

    /// Remembers the answer from poll to poll.
    fn watch(slf: Py<Self>) -> Watch {
        Watch { query: slf, watch: Lock::new(library::Watch::new()) }
    }

    /// As `count`.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.count(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let layers = Layers { index: self.index.clone_ref(py), set: self.layers };
        let layers = if self.layers == LayerSet::ALL { "all layers".into() } else { layers.__repr__() };
        let (region, excluding) = (self.region.object(py)?.repr()?, bits(&self.excluded));
        Ok(format!("<Query {}({region}) in {layers}, excluding {excluding:?}>", self.predicate.name()))
    }

    /// As `exists`.
    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        self.exists(py)
    }

    /// The rows one by one, all as they are when the loop begins: the index may be changed on the way.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tolist(py)?.into_pyobject(py)?.try_iter()
    }
}

/// Tells which objects have entered an answer and which have left it. `Query.watch` makes it.
#[pyclass(frozen, weakref, module = "pyquadrille")]
pub(crate) struct Watch {
    query: Py<Query>,
    watch: Lock<library::Watch>,
}

#[pymethods]
impl Watch {
    /// Asks the query again.
    ///
    /// Returns the handles of the objects that have entered since the last poll and of those that have left, removed
    /// ones included, each ascending. At the first poll all have entered. `moved` are the handles of all objects that were
    /// inserted, moved, removed or put into another layer since the last poll. Then only these are looked at.
    #[pyo3(signature = (moved=None))]
    fn poll<'py>(&self, py: Python<'py>, moved: Opt) -> Objects<'py> {
        let (query, moved) = (self.query.get(), moved_of(moved)?);
        let [entered, left] = with!(&query.index.get().0, space => space.poll_watch(py, query, &self.watch, moved))?;
        (array(py, entered), array(py, left)).into_pyobject(py)
    }

    /// The handles of the last answer, ascending.
    fn inside<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
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
        Query::new(slf, Predicate::Intersecting, AnyRegion::new(region, slf.get())?, layers, excluding)
    }

    /// The objects that lie wholly inside a region.
    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn contained_in(slf: This, region: Arg, layers: Among, excluding: Opt) -> PyResult<Query> {
        Query::new(slf, Predicate::ContainedIn, AnyRegion::new(region, slf.get())?, layers, excluding)
    }

    /// The objects that contain all of a region, or of its bounds if it is no box.
    #[pyo3(signature = (region, layers=None, *, excluding=None))]
    fn containing(slf: This, region: Arg, layers: Among, excluding: Opt) -> PyResult<Query> {
        Query::new(slf, Predicate::Containing, AnyRegion::new(region, slf.get())?, layers, excluding)
    }

    /// The objects at most `distance` from a point (D,): those that intersect a `Ball`.
    #[pyo3(signature = (point, distance, layers=None, *, excluding=None))]
    fn within_distance(slf: This, point: Arg, distance: Arg, layers: Among, excluding: Opt) -> PyResult<Query> {
        Query::new(slf, Predicate::Intersecting, AnyRegion::ball(point, distance, slf.get())?, layers, excluding)
    }
}
