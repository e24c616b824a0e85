//! The class `Index`: how it is made, and what concerns the whole. Its other methods are in the files of their ideas.

use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quadrille::{Handle, Periodic, Rect};

use crate::arrays::{
    Arg, Coordinates, Number, Object, Objects, Opt, Table, array, as_array, number_of, one_box, table,
};
use crate::errors::{refuse, value_error};
use crate::handles::Handles;
use crate::rows::Rows;
use crate::space::{Space, Spaces, Tree, with};

/// A spatial index for things that move: layers of points and boxes in 2D or 3D.
///
/// `world` is a box (4 or 6 numbers: the lower corner, then the upper one) in which most objects will be. It sets the
/// resolution and is no limit: objects outside are found like all others, but where most are outside, calls take longer.
/// With None the world follows the objects as they are inserted and moved. `dim`, 2 or 3, is needed only without a
/// world. `dtype` is that of coordinates inside: "float64" or "float32"; what is passed in is converted, what is
/// returned has this type.
/// `torus` says whether the world wraps around, on all axes or on each: (True, False). Then it needs a world, and takes
/// places modulo its size. Distances between degrees of a globe need points in 3D instead: see the guide.
///
/// Objects are named in two ways. A *handle* (an int, or uint64 in arrays) names one object of this index, and no later
/// one; another index takes it for one of its own. A *row* (int64) is its place in arrays of yours beside its layer:
/// `speed[index.intersecting(box, units).rows()]`. Each layer counts from 0. So rows of several layers at once raise
/// ValueError: name one layer, or take handles. See `rows`.
///
/// All intervals are closed: touching counts. An index may be used from several threads; a call waits for one that
/// changes the index. Calls for many objects or questions let other Python threads run; do not write their arrays
/// meanwhile. Ctrl-C ends batches, polls, pairs, and questions about regions that are neither box nor ball.
///
/// Numbers of the wrong type raise TypeError; NaN, masked arrays, wrong shapes, corners in the wrong order and rows in
/// place of handles raise ValueError, with the row; handles without an object raise StaleHandleError, which is a
/// KeyError. An index is then as it was.
///
/// >>> index = Index([0, 0, 100, 100])
/// >>> units = index.add_points()
/// >>> handles = index.insert_many(units, [(1, 2), (50, 50), (3, 4)])
/// >>> index.intersecting([0, 0, 10, 10]).tolist()
/// [0, 2]
#[pyclass(frozen, weakref, module = "pyquadrille")]
pub(crate) struct Index(pub(crate) Spaces);

/// The index that a method is called on.
pub(crate) type This<'a, 'py> = &'a Bound<'py, Index>;

/// Whether the world wraps around, on all axes or on each.
#[derive(FromPyObject)]
enum Torus {
    All(bool),
    Each(Vec<bool>),
}

fn make<S: Number, const D: usize>(world: Option<&Coordinates>, torus: Option<&[bool]>) -> PyResult<Space<S, D>> {
    let rect = world
        .map_or(Ok(Rect::new([0.0; D].map(S::from_f64), [1.0; D].map(S::from_f64))), |world| world.rect("world"))?;
    let tree = Tree::new(rect).map_err(|error| value_error(format_args!("world: {error}")))?;
    let torus = torus.map(|axes| {
        let axes = axes.try_into().map_err(value_error)?;
        Periodic::new(rect).map(|torus| torus.on_axes(axes)).map_err(value_error)
    });
    Ok(Space::new((tree, Rows::default()), torus.transpose()?, world.is_none()))
}

/// Points (N, D), or one point (D,).
fn points_of<S: Number, const D: usize>(name: &'static str, object: Arg) -> PyResult<(Vec<[S; D]>, bool)> {
    let array = as_array(object)?;
    if array.ndim() == 1 && !array.is_empty() {
        return Ok((vec![Coordinates::new(name, &array)?.point(name)?], true));
    }
    Ok((Table::new(name, &array, &[D])?.points()?.to_vec(), false))
}

fn point_or_points<S: Number, const D: usize>(py: Python<'_>, points: Vec<[S; D]>, is_one: bool) -> Object<'_> {
    if is_one { Ok(array(py, points.into_flattened()).into_any()) } else { table(py, points) }
}

impl<S: Number, const D: usize> Space<S, D> {
    fn wrap_points<'py>(&self, py: Python<'py>, points: Arg<'_, 'py>) -> Object<'py> {
        let (points, is_one) = points_of("points", points)?;
        let wrap = |point| self.torus.as_ref().map_or(point, |torus| torus.wrap(point));
        point_or_points(py, points.into_iter().map(wrap).collect(), is_one)
    }

    fn displacement<'py>(&self, py: Python<'py>, start: Arg<'_, 'py>, end: Arg<'_, 'py>) -> Object<'py> {
        let ((start, is_one), (end, _)) = (points_of("start", start)?, points_of("end", end)?);
        if start.len() != end.len() {
            return Err(PyValueError::new_err(format!("{} starts and {} ends", start.len(), end.len())));
        }
        let between = |(from, to): ([S; D], [S; D])| match &self.torus {
            Some(torus) => torus.displacement(from, to),
            None => std::array::from_fn(|axis| to[axis] - from[axis]),
        };
        point_or_points(py, start.into_iter().zip(end).map(between).collect(), is_one)
    }
}

fn copied<S: Number, const D: usize>(py: Python<'_>, space: &Space<S, D>) -> PyResult<Space<S, D>> {
    Ok(Space::new(space.read_long(py, |tree| (tree.tree.clone(), tree.rows.clone()))?, space.torus, space.follows))
}

/// A periodic world stays as it is.
fn fixed<S: Number, const D: usize>(space: &Space<S, D>) -> PyResult<()> {
    if space.torus.is_none() { Ok(()) } else { refuse("a world that wraps around cannot be set") }
}

/// Reads the type of coordinates.
fn is_double(dtype: Arg) -> PyResult<bool> {
    let py = dtype.py();
    let dtype = py.import("numpy")?.call_method1("dtype", (dtype,))?;
    if dtype.eq(numpy::dtype::<f64>(py))? {
        Ok(true)
    } else if dtype.eq(numpy::dtype::<f32>(py))? {
        Ok(false)
    } else {
        Err(PyTypeError::new_err(format!("dtype: float64 or float32 expected, not {dtype}")))
    }
}

#[pymethods]
impl Index {
    #[new]
    #[pyo3(
        signature = (world=None, *, dim=None, dtype=None, torus=None),
        text_signature = "(world=None, *, dim=None, dtype='float64', torus=False)"
    )]
    fn new(world: Opt, dim: Opt, dtype: Opt, torus: Option<Torus>) -> PyResult<Self> {
        let world = world.map(|world| Coordinates::new("world", world)).transpose()?;
        let dim = dim.map(|dim| number_of::<usize>("dim", dim)).transpose()?;
        let of_world = world.map(|world| world.numbers().len());
        let dim = match (of_world, dim) {
            (Some(4) | None, None | Some(2)) => 2,
            (Some(6), None | Some(3)) | (None, Some(3)) => 3,
            (Some(len @ (4 | 6)), Some(dim)) => {
                return refuse(format_args!("dim: {dim}, but the world has {len} numbers"));
            }
            (Some(len), _) => return Err(PyValueError::new_err(format!("world: 4 or 6 numbers expected, not {len}"))),
            (None, Some(dim)) => return Err(PyValueError::new_err(format!("dim: 2 or 3 expected, not {dim}"))),
        };
        let axes = match torus.unwrap_or(Torus::All(false)) {
            Torus::All(wraps) => vec![wraps; dim],
            Torus::Each(axes) => axes,
        };
        if axes.len() != dim {
            return Err(PyValueError::new_err(format!("torus: {dim} axes expected, not {}", axes.len())));
        }
        let torus = axes.contains(&true).then_some(&axes[..]);
        if world.is_none() && torus.is_some() {
            return Err(PyValueError::new_err("torus: a world that wraps around must be given"));
        }
        let is_double = dtype.map_or(Ok(true), is_double)?;
        Ok(Self(match (dim, is_double) {
            (2, false) => Spaces::F2(make(world.as_ref(), torus)?),
            (2, true) => Spaces::D2(make(world.as_ref(), torus)?),
            (_, false) => Spaces::F3(make(world.as_ref(), torus)?),
            (_, true) => Spaces::D3(make(world.as_ref(), torus)?),
        }))
    }

    /// The number of dimensions D: 2 or 3.
    #[getter]
    fn dim(&self) -> usize {
        self.0.dim()
    }

    /// The type of coordinates: float64 or float32.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self.0 {
            Spaces::F2(_) | Spaces::F3(_) => numpy::dtype::<f32>(py).into_any(),
            Spaces::D2(_) | Spaces::D3(_) => numpy::dtype::<f64>(py).into_any(),
        }
    }

    /// On which axes the world wraps around.
    #[getter]
    fn torus<'py>(&self, py: Python<'py>) -> Objects<'py> {
        with!(&self.0, space => {
            let axes = space.torus.as_ref().map_or(vec![false; self.dim()], |torus| torus.axes().to_vec());
            PyTuple::new(py, axes)
        })
    }

    /// The world: (2D,).
    #[getter]
    fn world<'py>(&self, py: Python<'py>) -> Object<'py> {
        with!(&self.0, space => {
            Ok(one_box(py, &space.read(py, |tree| tree.world())?))
        })
    }

    /// Files all objects anew in another world, O(n). Handles and rows stay. A periodic world cannot be changed.
    fn set_world(&self, py: Python<'_>, world: Arg) -> PyResult<()> {
        let world = Coordinates::new("world", world)?;
        with!(&self.0, space => {
            fixed(space)?;
            let world = world.rect("world")?;
            space.write_long(py, 0, |tree| tree.set_world(world))?.map_err(value_error)
        })
    }

    /// Sets the world to the bounds of all objects, O(n). Raises ValueError if they lie in one point.
    fn fit_world(&self, py: Python<'_>) -> PyResult<()> {
        with!(&self.0, space => {
            fixed(space)?;
            space.write_long(py, 0, |tree| tree.fit_world())?.map_err(value_error)
        })
    }

    /// Builds all anew, O(n log n): for use after many single insertions.
    fn optimize(&self, py: Python<'_>) -> PyResult<()> {
        with!(&self.0, space => space.write_long(py, 0, |tree| tree.optimize()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        with!(&self.0, space => space.read(py, |tree| tree.len()))
    }

    /// Whether the handle names an object. Raises ValueError for a row.
    fn __contains__(&self, py: Python<'_>, handle: Arg) -> PyResult<bool> {
        let Some(handle) = Handles::if_any(handle)? else { return Ok(false) };
        with!(&self.0, space => space.read(py, |tree| tree.contains(Handle::from_bits(handle))))
    }

    /// An index of its own with the same objects, handles and layers, O(n).
    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self(match &self.0 {
            Spaces::F2(space) => Spaces::F2(copied(py, space)?),
            Spaces::D2(space) => Spaces::D2(copied(py, space)?),
            Spaces::F3(space) => Spaces::F3(copied(py, space)?),
            Spaces::D3(space) => Spaces::D3(copied(py, space)?),
        }))
    }

    fn __deepcopy__(&self, py: Python<'_>, memo: Arg) -> PyResult<Self> {
        let _ = memo;
        self.__copy__(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (dtype, world, torus) = (self.dtype(py), self.world(py)?.call_method0("tolist")?, self.torus(py)?);
        let layers = with!(&self.0, space => space.read(py, |tree| tree.layers().count())?);
        Ok(format!(
            "<Index of {} objects in {layers} layers, world={world}, dtype={dtype}, torus={torus}>",
            self.__len__(py)?
        ))
    }

    /// Points (N, D), or one (D,), taken modulo the size of the world on the axes that wrap around.
    fn wrap<'py>(&self, py: Python<'py>, points: Arg<'_, 'py>) -> Object<'py> {
        with!(&self.0, space => space.wrap_points(py, points))
    }

    /// The shortest vectors from points to points, (N, D) or (D,), across the border of the world where that is
    /// shorter.
    fn displacement<'py>(&self, py: Python<'py>, start: Arg<'_, 'py>, end: Arg<'_, 'py>) -> Object<'py> {
        with!(&self.0, space => space.displacement(py, start, end))
    }
}
