//! Saved indexes. An index is saved in the library's exact form; its layers are saved with it, so that they are of one index again.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use quadrille::{Kind, LayerSet, Periodic, Rect};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arrays::{Number, Object};
use crate::errors::value_error;
use crate::index::Index;
use crate::layers::{Layer, Layers};
use crate::rows::{Rows, Saved};
use crate::space::{Space, Spaces, Tree, with};

fn save(saved: &impl Serialize) -> PyResult<Vec<u8>> {
    postcard::to_allocvec(saved).map_err(value_error)
}

/// Reads all of the bytes.
fn load<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    match postcard::take_from_bytes(bytes).map_err(value_error)? {
        (loaded, []) => Ok(loaded),
        (_, rest) => Err(value_error(format_args!("{} bytes too many", rest.len()))),
    }
}

/// A function of this module and its arguments, which unpickling calls.
type Reduced<'py> = PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)>;

fn function<'py>(py: Python<'py>, name: &str) -> Object<'py> {
    py.import("pyquadrille._core")?.getattr(name)
}

/// Which axes of which box wrap around, and whether the world follows the objects.
type Rules<S> = (Option<(Vec<S>, Vec<bool>)>, bool);

fn save_space<S: Number + Serialize, const D: usize>(py: Python<'_>, space: &Space<S, D>) -> PyResult<Vec<u8>> {
    let torus = space.torus.map(|torus| {
        let world = torus.world();
        ([world.min(), world.max()].as_flattened().to_vec(), torus.axes().to_vec())
    });
    let rules: Rules<S> = (torus, space.follows);
    space.read_long(py, |tree| postcard::to_allocvec(&(rules, &tree.tree, tree.rows.saved())))?.map_err(value_error)
}

fn load_space<S: Number + DeserializeOwned, const D: usize>(bytes: &[u8]) -> PyResult<Space<S, D>> {
    let ((torus, follows), tree, rows): (Rules<S>, Tree<S, D>, Saved) = load(bytes)?;
    let rows = Rows::loaded(rows, &tree)?;
    let torus = torus.map(|(world, axes)| {
        let [min, max] = *world.as_chunks().0 else { return Err(value_error("a world of other dimensions")) };
        let axes = axes.try_into().map_err(|_| value_error("axes of other dimensions"))?;
        let world = Rect::try_new(min, max).map_err(value_error)?;
        Ok(Periodic::new(world).map_err(value_error)?.on_axes(axes))
    });
    Ok(Space::new((tree, rows), torus.transpose()?, follows))
}

#[pyfunction]
pub(crate) fn _index(py: Python<'_>, kind: &str, bytes: &[u8]) -> PyResult<Index> {
    py.detach(|| {
        Ok(Index(match kind {
            "2f4" => Spaces::F2(load_space(bytes)?),
            "2f8" => Spaces::D2(load_space(bytes)?),
            "3f4" => Spaces::F3(load_space(bytes)?),
            "3f8" => Spaces::D3(load_space(bytes)?),
            _ => return Err(value_error(format_args!("there is no index of kind {kind:?}"))),
        }))
    })
}

#[pymethods]
impl Index {
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py> {
        let kind = match self.0 {
            Spaces::F2(_) => "2f4",
            Spaces::D2(_) => "2f8",
            Spaces::F3(_) => "3f4",
            Spaces::D3(_) => "3f8",
        };
        let bytes = with!(&self.0, space => save_space(py, space))?;
        Ok((function(py, "_index")?, (kind, PyBytes::new(py, &bytes)).into_pyobject(py)?))
    }
}

#[pyfunction]
pub(crate) fn _layer<'py>(index: &Bound<'py, Index>, bytes: &[u8]) -> PyResult<Bound<'py, Layer>> {
    let (id, is_points): (_, bool) = load(bytes)?;
    Layer::new(index, id, if is_points { Kind::Points } else { Kind::Rects })
}

#[pymethods]
impl Layer {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py> {
        let (py, Self { id, kind }) = (slf.py(), slf.get());
        let bytes = PyBytes::new(py, &save(&(id, *kind == Kind::Points))?);
        Ok((function(py, "_layer")?, (slf.as_super().get().index.clone_ref(py), bytes).into_pyobject(py)?))
    }
}

#[pyfunction]
pub(crate) fn _layers(index: Py<Index>, bits: u64) -> Layers {
    Layers { index, set: LayerSet::from_bits(bits) }
}

#[pymethods]
impl Layers {
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py> {
        Ok((function(py, "_layers")?, (self.index.clone_ref(py), self.set.to_bits()).into_pyobject(py)?))
    }
}
