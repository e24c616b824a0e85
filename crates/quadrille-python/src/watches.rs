//! Many watches at once, without the interpreter: who has entered and who has left each of many regions.

use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use quadrille as library;
use quadrille::LayerSet;

use crate::arrays::{Arg, Number, Objects, Opt, array, filled};
use crate::batch::{RegionQueries, offsets};
use crate::errors::value_error;
use crate::handles::moved_of;
use crate::index::{Index, This};
use crate::layers::{Among, layer_set};
use crate::lock::Lock;
use crate::space::{Space, with};

/// Those that have entered, or left: the numbers of regions, ascending, and handles.
#[derive(Default)]
struct Changes {
    regions: Vec<i64>,
    handles: Vec<u64>,
}

type Pair<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u64>>);

impl Changes {
    fn add(&mut self, region: i64, handles: &[library::Handle]) {
        self.regions.extend(handles.iter().map(|_| region));
        self.handles.extend(handles.iter().map(|handle| handle.to_bits()));
    }

    fn arrays(self, py: Python<'_>) -> Pair<'_> {
        (array(py, self.regions), array(py, self.handles))
    }
}

/// The objects that alone have changed since the last poll, ascending.
type Moved = Option<Vec<library::Handle>>;
/// A watch for each region.
type Memory = Lock<Vec<library::Watch>>;

/// Regions for an index of any kind.
trait AnyRegions: Send + Sync {
    fn poll(&self, py: Python<'_>, index: &Index, memory: &Memory, moved: Moved) -> PyResult<[Changes; 2]>;
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>>;
}

impl<S: Number, const D: usize> AnyRegions for RegionQueries<S, D> {
    fn poll(&self, py: Python<'_>, index: &Index, memory: &Memory, moved: Moved) -> PyResult<[Changes; 2]> {
        let space: &Space<S, D> =
            index.0.of_kind().ok_or_else(|| PyRuntimeError::new_err("an index of another kind"))?;
        space.read_longer(py, |tree, signals| {
            let answers = match &moved {
                Some(moved) if space.torus.is_none() => self.of_moved(tree, moved)?,
                _ => self.handles(space, tree, signals).iter().map(<[_]>::to_vec).collect(),
            };
            let (mut changes, mut named) = (<[Changes; 2]>::default(), Vec::new());
            let mut is_moved = vec![false; tree.slots()];
            for slot in moved.iter().flatten().map(|handle| handle.slot()) {
                is_moved.get_mut(slot).into_iter().for_each(|is_moved| *is_moved = true);
            }
            let is_named = |moved: &[library::Handle], handle: &library::Handle| moved.binary_search(handle).is_ok();
            for (number, (watch, mut answer)) in (0..).zip(memory.write()?.iter_mut().zip(answers)) {
                if let Some(moved) = &moved {
                    answer.retain(|handle| is_named(moved, handle));
                    let inside = watch
                        .inside()
                        .iter()
                        .filter(|handle| is_moved.get(handle.slot()) == Some(&true) && is_named(moved, handle));
                    named.clear();
                    named.extend(inside.chain(&answer).copied());
                    if named.is_empty() {
                        continue;
                    }
                }
                let objects = answer.iter().filter_map(|&handle| tree.object(handle));
                let polled = if moved.is_some() { watch.poll_moved(&named, objects) } else { watch.poll(objects) };
                let polled = polled.map_err(value_error)?;
                changes[0].add(number, polled.entered);
                changes[1].add(number, polled.left);
            }
            Ok(changes)
        })?
    }

    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.regions.iter().map(|region| region.object(py)).collect()
    }
}

/// Tells which objects have entered and which have left each of many regions. `Index.watch_many` makes it. It is pickled
/// with its index.
#[pyclass(frozen, weakref, module = "pyquadrille")]
pub(crate) struct Watches {
    index: Py<Index>,
    regions: Box<dyn AnyRegions>,
    layers: LayerSet,
    memory: Memory,
}

/// Watches as what makes them again.
pub(crate) type Parts<'py> = (Py<Index>, Vec<Bound<'py, PyAny>>, LayerSet, Vec<library::Watch>);

impl Watches {
    /// Watches of regions; without a memory, new ones.
    pub(crate) fn of(
        index: &Bound<'_, Index>, regions: Arg, layers: LayerSet, memory: Option<Vec<library::Watch>>,
    ) -> PyResult<Self> {
        let (regions, len) = with!(&index.get().0, space => {
            let queries = RegionQueries::of_any(space, regions, layers)?;
            let len = queries.regions.len();
            (Box::new(queries) as Box<dyn AnyRegions>, len)
        });
        let memory = memory.map_or_else(|| filled(library::Watch::new(), len), Ok)?;
        if memory.len() != len {
            return Err(value_error(format_args!("{} watches for {len} regions", memory.len())));
        }
        Ok(Self { index: index.clone().unbind(), regions, layers, memory: Lock::new(memory) })
    }

    pub(crate) fn parts<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        let memory = self.memory.read_attached(py)?.clone();
        Ok((self.index.clone_ref(py), self.regions.objects(py)?, self.layers, memory))
    }
}

#[pymethods]
impl Watches {
    /// Asks about all regions again.
    ///
    /// Returns who has entered since the last poll and who has left, each as the numbers of regions, (P,), ascending, and
    /// handles, (P,). At the first poll all have entered. `moved` are the handles of all objects that were inserted, moved,
    /// removed or put into another layer since the last poll. Then only these are looked at.
    #[pyo3(signature = (moved=None))]
    fn poll<'py>(&self, py: Python<'py>, moved: Opt) -> PyResult<(Pair<'py>, Pair<'py>)> {
        let [entered, left] = self.regions.poll(py, self.index.get(), &self.memory, moved_of(moved)?)?;
        Ok((entered.arrays(py), left.arrays(py)))
    }

    /// The handles of the last answers, in one list, and its offsets, as `windows` returns them.
    fn inside<'py>(&self, py: Python<'py>) -> Objects<'py> {
        let (mut ends, mut handles) = (vec![0], Vec::new());
        for watch in &*self.memory.read_attached(py)? {
            handles.extend(watch.inside().iter().map(|handle| handle.to_bits()));
            ends.push(handles.len());
        }
        (offsets(py, ends), array(py, handles)).into_pyobject(py)
    }
}

#[pymethods]
impl Index {
    /// Remembers which objects intersect each of many regions, from poll to poll: geofences.
    #[pyo3(signature = (regions, layers=None))]
    fn watch_many(slf: This, regions: Arg, layers: Among) -> PyResult<Watches> {
        Watches::of(slf, regions, layer_set(slf, layers)?, None)
    }
}
