//! Layers of an index, and sets of them. Both know their index, so that none is taken for one of another index.

use std::hash::{Hash, Hasher};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use quadrille::{Kind, LayerId, LayerSet};

use crate::arrays::{Object, boxes, one_box};
use crate::errors::value_error;
use crate::index::{Index, This};
use crate::space::with;

/// A set of layers of one index. `walls | units` and `~walls` make it.
#[pyclass(frozen, subclass, eq, hash, weakref, module = "pyquadrille")]
pub(crate) struct Layers {
    pub(crate) index: Py<Index>,
    pub(crate) set: LayerSet,
}

/// A layer of an index, of points or of boxes, and the set of it alone. `Index.add_points` and `Index.add_boxes` make it.
///
/// Layers combine to sets: `walls | units`, `~walls`. A layer is pickled with its index.
#[pyclass(frozen, extends = Layers, module = "pyquadrille")]
pub(crate) struct Layer {
    pub(crate) id: LayerId,
    pub(crate) kind: Kind,
}

impl PartialEq for Layers {
    fn eq(&self, other: &Self) -> bool {
        self.index.is(&other.index) && self.set == other.set
    }
}

impl Hash for Layers {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.set.hash(state);
    }
}

/// A layer, or a set of layers.
pub(crate) struct SomeLayers<'py>(Bound<'py, Layers>);

/// The layers of a question, if not all.
pub(crate) type Among<'py> = Option<SomeLayers<'py>>;

impl<'py> FromPyObject<'_, 'py> for SomeLayers<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(layers) = object.cast::<Layers>() {
            return Ok(Self(layers.to_owned()));
        }
        let name = object.get_type().name()?;
        Err(PyTypeError::new_err(format!("layers: a layer, or several as `walls | units`, expected, not {name}")))
    }
}

impl SomeLayers<'_> {
    /// The set, if it is one of this index.
    pub(crate) fn set(&self, of: &Py<Index>) -> PyResult<LayerSet> {
        let layers = self.0.get();
        if layers.index.is(of) { Ok(layers.set) } else { Err(foreign()) }
    }
}

fn foreign() -> PyErr {
    PyValueError::new_err("a layer of another index; those of a copy are in its layers()")
}

/// The layers of a query: all by default.
pub(crate) fn layer_set(index: &Bound<'_, Index>, layers: Among) -> PyResult<LayerSet> {
    layers.map_or(Ok(LayerSet::ALL), |layers| layers.set(index.as_unbound()))
}

impl Layer {
    pub(crate) fn new<'py>(index: This<'_, 'py>, id: LayerId, kind: Kind) -> PyResult<Bound<'py, Self>> {
        let set = Layers { index: index.clone().unbind(), set: id.into() };
        Bound::new(index.py(), PyClassInitializer::from(set).add_subclass(Self { id, kind }))
    }

    /// The identifier and the kind, if it is one of this index.
    pub(crate) fn in_index(layer: &Bound<'_, Self>, index: This) -> PyResult<(LayerId, Kind)> {
        let Self { id, kind } = *layer.get();
        if layer.as_super().get().index.is(index) { Ok((id, kind)) } else { Err(foreign()) }
    }
}

#[pymethods]
impl Layer {
    /// Its number in the index, from 0 to 63.
    #[getter]
    fn number(&self) -> u8 {
        self.id.number()
    }

    /// Whether it holds points; otherwise it holds boxes.
    #[getter]
    fn holds_points(&self) -> bool {
        self.kind == Kind::Points
    }

    fn __repr__(&self) -> String {
        format!("<layer {} of {}>", self.id.number(), if self.holds_points() { "points" } else { "boxes" })
    }
}

#[pymethods]
impl Layers {
    /// The index that it is of.
    #[getter]
    fn index(&self, py: Python<'_>) -> Py<Index> {
        self.index.clone_ref(py)
    }

    fn __or__(&self, py: Python<'_>, other: SomeLayers) -> PyResult<Self> {
        Ok(Self { index: self.index.clone_ref(py), set: self.set | other.set(&self.index)? })
    }

    fn __and__(&self, py: Python<'_>, other: SomeLayers) -> PyResult<Self> {
        Ok(Self { index: self.index.clone_ref(py), set: self.set & other.set(&self.index)? })
    }

    fn __invert__(&self, py: Python<'_>) -> Self {
        Self { index: self.index.clone_ref(py), set: !self.set }
    }

    fn __contains__(&self, layer: &Bound<'_, Layer>) -> bool {
        self.index.is(&layer.as_super().get().index) && self.set.contains(layer.get().id)
    }

    pub(crate) fn __repr__(&self) -> String {
        let numbers = (0..64).filter(|number| self.set.to_bits() >> number & 1 == 1);
        format!("<layers {:?}>", numbers.collect::<Vec<u8>>())
    }
}

#[pymethods]
impl Index {
    /// Adds a layer of points. Raises ValueError beyond 64 layers.
    fn add_points<'py>(slf: This<'_, 'py>) -> PyResult<Bound<'py, Layer>> {
        let id =
            with!(&slf.get().0, space => space.write(slf.py(), 0, |tree| tree.add_point_layer().map(LayerId::from))?);
        Layer::new(slf, id.map_err(value_error)?, Kind::Points)
    }

    /// Adds a layer of boxes, of sizes as mixed as you like. Raises ValueError beyond 64 layers.
    fn add_boxes<'py>(slf: This<'_, 'py>) -> PyResult<Bound<'py, Layer>> {
        let id =
            with!(&slf.get().0, space => space.write(slf.py(), 0, |tree| tree.add_rect_layer().map(LayerId::from))?);
        Layer::new(slf, id.map_err(value_error)?, Kind::Rects)
    }

    /// All layers, by number. Layers of a copied or unpickled index are found here.
    fn layers<'py>(slf: This<'_, 'py>) -> PyResult<Vec<Bound<'py, Layer>>> {
        let layers: Vec<_> = with!(&slf.get().0, space => space.read(slf.py(), |tree| {
            tree.layers().filter_map(|id| Some((id, tree.layer_kind(id)?))).collect()
        })?);
        layers.into_iter().map(|(id, kind)| Layer::new(slf, id, kind)).collect()
    }

    /// Removes a layer with all of its objects. Returns how many these were.
    fn remove_layer(slf: This, layer: &Bound<'_, Layer>) -> PyResult<usize> {
        let (id, _) = Layer::in_index(layer, slf)?;
        with!(&slf.get().0, space => space.write_long(slf.py(), 0, |tree| {
            tree.remove_layer(id).inspect(|_| tree.are_clear(id.into()))
        })?.map_err(value_error))
    }
}

#[pymethods]
impl Index {
    /// The length that arrays by the rows of a layer must have: one more than the largest row so far.
    ///
    /// Raises ValueError without a layer, if there are several.
    #[pyo3(signature = (layer=None))]
    fn capacity(slf: This, layer: Among) -> PyResult<usize> {
        let layers = layer_set(slf, layer)?;
        with!(&slf.get().0, space => space.read(slf.py(), |tree| Ok(tree.capacity(tree.one_of(layers)?)))?)
    }

    /// The smallest box around the objects of some layers, (2D,); None without objects.
    #[pyo3(signature = (layers=None))]
    fn bounds<'py>(slf: This<'_, 'py>, layers: Among) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, layers) = (slf.py(), layer_set(slf, layers)?);
        with!(&slf.get().0, space => {
            let bounds = space.read_long(py, |tree| tree.bounds(layers))?;
            Ok(bounds.map(|bounds| one_box(py, &bounds)))
        })
    }

    /// Removes all objects, or those of some layers.
    #[pyo3(signature = (layers=None))]
    fn clear(slf: This, layers: Among) -> PyResult<()> {
        let layers = layers.map(|layers| layers.set(slf.as_unbound())).transpose()?;
        with!(&slf.get().0, space => space.write_long(slf.py(), 0, |tree| {
            match layers {
                Some(layers) => tree.clear_in(layers),
                None => tree.clear(),
            }
            tree.are_clear(layers.unwrap_or(LayerSet::ALL));
        }))
    }

    /// The number of objects of some layers, O(1).
    #[pyo3(signature = (layers=None))]
    fn count(slf: This, layers: Among) -> PyResult<usize> {
        let layers = layer_set(slf, layers)?;
        with!(&slf.get().0, space => space.read(slf.py(), |tree| tree.len_in(layers)))
    }

    /// The cells of the layer's tree, as boxes (N, 2D), to draw them.
    fn cells<'py>(slf: This<'_, 'py>, layer: &Bound<'_, Layer>) -> Object<'py> {
        let (py, (id, _)) = (slf.py(), Layer::in_index(layer, slf)?);
        with!(&slf.get().0, space => {
            let cells: Vec<_> = space.read_long(py, |tree| tree.cells(id).map(|cell| cell.square()).collect())?;
            boxes(py, &cells)
        })
    }
}
