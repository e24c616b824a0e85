//! Clusters by radius, with a memory of the last poll.

use std::any::Any;
use std::borrow::Cow;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use quadrille as library;
use quadrille::LayerSet;

use crate::arrays::{Arg, Coordinates, Number, Objects, array, number, number_of, table};
use crate::errors::value_error;
use crate::handles::Naming;
use crate::index::{Index, This};
use crate::layers::{Among, layer_set};
use crate::lock::Lock;
use crate::query::columns;
use crate::region_query::{Predicate, RegionQuery};
use crate::regions::TypedRegion;
use crate::space::{Space, with};

/// The memory, of the kind of an index.
fn memory<S: Number, const D: usize>(_: &Space<S, D>, radius: f64) -> Box<dyn Any + Send + Sync> {
    Box::new(Lock::new(library::Markers::<S, D>::new(number(radius))))
}

/// Numbers of markers and of others, -1 for none.
fn pairs(changes: &[(u64, Option<u64>)]) -> Vec<[i64; 2]> {
    changes.iter().map(|&(number, other)| [number.cast_signed(), other.map_or(-1, u64::cast_signed)]).collect()
}

impl<S: Number, const D: usize> Space<S, D> {
    fn poll_markers<'py>(&self, py: Python<'py>, view: Arg, markers: &Markers) -> Objects<'py> {
        let (view, layers) = (Coordinates::new("view", view)?.rect("view")?, markers.layers);
        let memory = markers.memory.downcast_ref::<Lock<library::Markers<S, D>>>();
        let memory = memory.ok_or_else(|| PyRuntimeError::new_err("an index of another kind"))?;
        let (found, rows, come, gone) = self.read_long(py, |tree| {
            // The second lock is awaited without the interpreter.
            let (namer, mut markers) = (tree.namer(Naming::Rows, layers)?, memory.write()?);
            let found = markers.poll(view, |bounds, size| {
                let region = Cow::Owned(TypedRegion::Rect(bounds));
                let predicate = Predicate::Intersecting;
                RegionQuery { predicate, region, layers, excluded: &[] }.clusters(self, tree, size)
            });
            let found = found.map_err(|error| value_error(format_args!("a third of the radius: {error}")))?;
            let rows = found.iter().map(|(_, marker)| namer.name(marker.handle)).collect();
            Ok::<_, PyErr>((found, rows, pairs(&markers.come), pairs(&markers.gone)))
        })??;
        let numbers = array(py, found.iter().map(|(number, _)| number.cast_signed()).collect());
        let [counts, means, bounds] = columns(py, found.iter().map(|(_, marker)| marker))?;
        let seen = (numbers, counts, means, bounds, array::<i64>(py, rows));
        (seen, table(py, come)?, table(py, gone)?).into_pyobject(py)
    }
}

/// Clusters by radius that keep their places and numbers from poll to poll: circles on a map. `Index.markers` makes it.
///
/// Objects, by cells of a third of the radius, go to the nearest center within the radius. Centers of the last poll stay; where
/// objects have changed, one that is more than 0.1 of the radius from its mean moves there. The fullest cell that none
/// reaches is a new center, and so on. Means are more than 0.75 of the radius apart, and each object is in one marker. No
/// other marker gets the number of one. The border of a periodic world parts markers.
#[pyclass(frozen, weakref, module = "pyquadrille")]
pub(crate) struct Markers {
    index: Py<Index>,
    layers: LayerSet,
    memory: Box<dyn Any + Send + Sync>,
}

#[pymethods]
impl Markers {
    /// Groups the objects again. Returns the markers whose means lie in a box `view`, and which markers have come and gone.
    ///
    /// The first are their numbers (K,), ascending, how many objects they have (K,), the means of the objects' centers
    /// (K, D), the bounds of these objects (K, 2D), and the lowest of their rows (K,). Those that are new are pairs (P, 2)
    /// with the one that each came from, those that are no more with the one that it has gone into; or with -1.
    ///
    /// Markers outside of the view are remembered, so it may move, or be one tile after another. Raises ValueError where a
    /// third of the radius is below 2^-30 of the distance of an object; the memory is then as it was.
    fn poll<'py>(&self, py: Python<'py>, view: Arg) -> Objects<'py> {
        with!(&self.index.get().0, space => space.poll_markers(py, view, self))
    }
}

#[pymethods]
impl Index {
    /// Remembers clusters of objects by `radius`, for circles on a map: one memory for each zoom. Rows are those of one layer.
    #[pyo3(signature = (radius, layers=None))]
    fn markers(slf: This, radius: Arg, layers: Among) -> PyResult<Markers> {
        let (radius, layers) = (number_of::<f64>("radius", radius)?, layer_set(slf, layers)?);
        if !(0.0 < radius && radius.is_finite()) {
            return Err(value_error(format_args!("radius: {radius}, but it must be positive and finite")));
        }
        let memory = with!(&slf.get().0, space => memory(space, radius));
        Ok(Markers { index: slf.clone().unbind(), layers, memory })
    }
}
