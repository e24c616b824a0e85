//! Many watches at once, without the interpreter: who has entered and who has left each of many regions.

use numpy::PyArray1;
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
use crate::query::Moved;
use crate::regions::AnyRegion;
use crate::space::{Space, with};

/// Those that have entered, or left: the numbers of regions, ascending, and handles.
type Changes = (Vec<i64>, Vec<u64>);
type Pair<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u64>>);

fn add((regions, handles): &mut Changes, region: i64, changed: &[library::Handle]) {
    regions.extend(changed.iter().map(|_| region));
    handles.extend(changed.iter().map(|handle| handle.to_bits()));
}

/// Asks about many regions at once.
impl<S: Number, const D: usize> Space<S, D> {
    fn poll_watches(&self, py: Python<'_>, watches: &Watches, moved: Moved) -> PyResult<[Changes; 2]> {
        let queries = RegionQueries::of_any(self, &watches.regions, watches.layers)?;
        self.read_longer(py, |tree, signals| {
            let answers = match &moved {
                Some(moved) if self.torus.is_none() => queries.of_moved(tree, moved)?,
                _ => queries.handles(self, tree, signals).iter().map(<[_]>::to_vec).collect(),
            };
            let (mut changes, mut named) = (<[Changes; 2]>::default(), Vec::new());
            let mut is_moved = vec![false; tree.slots()];
            for slot in moved.iter().flatten().map(|handle| handle.slot()) {
                is_moved.get_mut(slot).into_iter().for_each(|is_moved| *is_moved = true);
            }
            let is_named = |moved: &[library::Handle], handle: &library::Handle| moved.binary_search(handle).is_ok();
            for (number, (watch, mut answer)) in (0..).zip(watches.memory.write()?.iter_mut().zip(answers)) {
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
                add(&mut changes[0], number, polled.entered);
                add(&mut changes[1], number, polled.left);
            }
            Ok(changes)
        })?
    }
}

/// Tells which objects have entered and which have left each of many regions. `Index.watch_many` makes it.
#[pyclass(frozen, weakref, module = "pyquadrille")]
pub(crate) struct Watches {
    index: Py<Index>,
    regions: Vec<AnyRegion>,
    layers: LayerSet,
    /// A watch for each region.
    memory: Lock<Vec<library::Watch>>,
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
        let moved = moved_of(moved)?;
        let changes = with!(&self.index.get().0, space => space.poll_watches(py, self, moved))?;
        Ok(changes.map(|(regions, handles)| (array(py, regions), array(py, handles))).into())
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
        let layers = layer_set(slf, layers)?;
        let read = |(number, region): (usize, PyResult<Bound<'_, PyAny>>)| {
            let region = region?;
            AnyRegion::new(&region, slf.get()).or_else(|error| {
                error.value(region.py()).call_method1("add_note", (format!("regions, number {number}"),))?;
                Err(error)
            })
        };
        let regions = regions.try_iter()?.enumerate().map(read).collect::<PyResult<Vec<_>>>()?;
        let memory = Lock::new(filled(library::Watch::new(), regions.len())?);
        Ok(Watches { index: slf.clone().unbind(), regions, layers, memory })
    }
}
