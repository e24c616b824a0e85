//! Many watches at once, without the interpreter: who has entered and who has left each of many regions.

use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quadrille as library;
use quadrille::LayerSet;

use crate::arrays::{Number, array, filled};
use crate::batch::{RegionQueries, offsets};
use crate::errors::value_error;
use crate::index::Index;
use crate::layers::{LayerOrLayers, layer_set};
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

/// Regions for an index of any kind.
trait AnyRegions: Send + Sync {
    fn poll(&self, py: Python<'_>, index: &Index, memory: &Lock<Vec<library::Watch>>) -> PyResult<[Changes; 2]>;
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>>;
}

impl<S: Number, const D: usize> AnyRegions for RegionQueries<S, D> {
    fn poll(&self, py: Python<'_>, index: &Index, memory: &Lock<Vec<library::Watch>>) -> PyResult<[Changes; 2]> {
        let space: &Space<S, D> =
            index.0.of_kind().ok_or_else(|| PyRuntimeError::new_err("an index of another kind"))?;
        space.read_longer(py, |tree, signals| {
            let mut memory = memory.write()?;
            let answers = self.handles(space, tree, signals);
            let mut changes = <[Changes; 2]>::default();
            // A call that was ended has told nothing, and so remembers nothing.
            if signals.have_ended() {
                return Ok(changes);
            }
            for (number, (watch, answer)) in (0..).zip(memory.iter_mut().zip(answers.iter())) {
                let objects = answer.iter().filter_map(|&handle| tree.object(handle));
                let polled = watch.poll(objects).map_err(value_error)?;
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
#[pyclass(frozen, module = "pyquadrille")]
pub(crate) struct Watches {
    index: Py<Index>,
    regions: Box<dyn AnyRegions>,
    layers: LayerSet,
    memory: Lock<Vec<library::Watch>>,
}

/// Watches as what makes them again.
pub(crate) type Parts<'py> = (Py<Index>, Vec<Bound<'py, PyAny>>, LayerSet, Vec<library::Watch>);

impl Watches {
    /// Watches of regions; without a memory, new ones.
    pub(crate) fn of(
        index: &Bound<'_, Index>,
        regions: &Bound<'_, PyAny>,
        layers: LayerSet,
        memory: Option<Vec<library::Watch>>,
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
    /// handles, (P,). At the first poll all have entered.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<(Pair<'py>, Pair<'py>)> {
        let [entered, left] = self.regions.poll(py, self.index.get(), &self.memory)?;
        Ok((entered.arrays(py), left.arrays(py)))
    }

    /// The handles of the last answers, in one list, and its offsets, as `windows` returns them.
    fn inside<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
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
    fn watch_many(
        slf: &Bound<'_, Self>,
        regions: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
    ) -> PyResult<Watches> {
        Watches::of(slf, regions, layer_set(slf, layers)?, None)
    }
}
