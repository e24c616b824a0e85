//! The class `Index`: the index as a whole, its layers and its objects. Questions are in the files that answer them.

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quadrille::{BatchMoved, Handle, Kind, LayerId, ObjectError, Periodic, Points, Rect, Rects};

use crate::arrays::{Few, Handles, Number, Table, array, bits_or_none, boxes, corners, reserved, row, rows_of, table};
use crate::errors::{object_error, stale, value_error};
use crate::layers::{Layer, LayerOrLayers, asked};
use crate::space::{Space, Spaces, Tree, with};

/// A spatial index for things that move: layers of points and boxes in 2D or 3D.
///
/// `world` is a box (4 or 6 numbers: the lower corner, then the upper one) in which most objects will be. It sets the
/// resolution and is no limit: objects outside are found like all others, a little slower. With None the world follows
/// the objects as they are inserted and moved. `dim`, 2 or 3, is needed only without a world. `dtype` is that of
/// coordinates inside: "float64" or "float32"; what is passed in is converted, what is returned has this type.
/// `torus` says whether the world wraps around, on all axes or on each: (True, False). Then it needs a world, and takes
/// places modulo its size.
///
/// Objects are named in two ways. A *handle* (an int, or uint64 in arrays) names one object for ever. A *row* (int64) is
/// its place in arrays of yours beside the index: `speed[index.intersecting(box).rows()]`. See `rows`.
///
/// All intervals are closed: touching counts. An index may be used from several threads; a call waits for one that
/// changes the index. Calls for many objects or questions let other Python threads run; do not write their arrays
/// meanwhile.
///
/// Numbers of the wrong type raise TypeError; NaN, wrong shapes and corners in the wrong order raise ValueError, with the
/// row; handles without an object raise StaleHandleError, which is a KeyError. An index is then as it was.
///
/// >>> index = Index([0, 0, 100, 100])
/// >>> units = index.add_points()
/// >>> handles = index.insert_many(units, [(1, 2), (50, 50), (3, 4)])
/// >>> index.intersecting([0, 0, 10, 10]).tolist()
/// [0, 2]
#[pyclass(frozen, module = "pyquadrille")]
pub(crate) struct Index(pub(crate) Spaces);

/// The rows of handles, or of one: numbers from 0 for arrays beside the index.
///
/// No two objects that live at the same time have the same row. As long as nothing is removed, objects get the rows 0,
/// 1, 2 … in the order in which they are inserted; later ones take the rows of removed ones first. Raises TypeError if
/// the handles are not integers, and ValueError for what no index has ever given.
#[pyfunction]
pub(crate) fn rows<'py>(py: Python<'py>, handles: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let row = |&handle: &Handle| {
        if handle == Handle::default() {
            Err(PyValueError::new_err("no index has given this handle"))
        } else {
            Ok(row(handle))
        }
    };
    if let Ok(bits) = handles.extract::<u64>() {
        return Ok(row(&Handle::from_bits(bits))?.into_pyobject(py)?.into_any());
    }
    let rows = Handles::new("handles", handles)?.to_vec().iter().map(row).collect::<PyResult<_>>()?;
    Ok(array(py, rows).into_any())
}

/// Whether the world wraps around, on all axes or on each.
#[derive(FromPyObject)]
enum Torus {
    All(bool),
    Each(Vec<bool>),
}

fn make<S: Number, const D: usize>(world: Option<&Few>, torus: Option<&[bool]>) -> PyResult<Space<S, D>> {
    let rect = world
        .map_or(Ok(Rect::new([0.0; D].map(S::from_f64), [1.0; D].map(S::from_f64))), |world| world.rect("world"))?;
    let tree = Tree::new(rect).map_err(|error| value_error(format_args!("world: {error}")))?;
    let torus = torus.map(|axes| {
        let axes = axes.try_into().map_err(|_| PyValueError::new_err(format!("torus: {D} axes expected")))?;
        Periodic::new(rect).map(|torus| torus.on_axes(axes)).map_err(value_error)
    });
    Ok(Space::new(tree, torus.transpose()?, world.is_none()))
}

/// The shape of one object of a kind, finite.
fn one_shape<S: Number, const D: usize>(few: &Few, kind: Kind) -> PyResult<Rect<S, D>> {
    let rect = match kind {
        Kind::Points => Rect::from_point(few.point::<S, D>("shape")?),
        Kind::Rects if few.numbers().len() == 2 * D => few.rect("shape")?,
        Kind::Rects => {
            let message = format!("shape: a box of {} numbers expected, not {}", 2 * D, few.numbers().len());
            return Err(PyValueError::new_err(message));
        }
    };
    let infinite = |at: &S| !at.is_finite();
    if rect.min().iter().any(infinite) || rect.max().iter().any(infinite) {
        return Err(PyValueError::new_err("shape: a coordinate is infinite"));
    }
    Ok(rect)
}

/// Calls the typed function of the library for an untyped layer.
fn insert_all<S: Number, const D: usize>(
    tree: &mut Tree<S, D>,
    layer: LayerId,
    shapes: &[Rect<S, D>],
) -> Result<Vec<Handle>, (usize, ObjectError)> {
    let inserted = if let Some(layer) = tree.point_layer(layer) {
        tree.insert_batch(layer, shapes.iter().map(|shape| (shape.min(), ())))
    } else if let Some(layer) = tree.rect_layer(layer) {
        tree.insert_batch(layer, shapes.iter().map(|&shape| (shape, ())))
    } else {
        // No layer of the index any more: the error says so.
        let shape = Rect::from_point([S::from(0_u16); D]);
        return tree.insert_any(layer, shape, ()).map(|handle| vec![handle]).map_err(|error| (0, error));
    };
    inserted.map_err(|error| (error.position, error.reason))
}

fn move_all<S: Number, const D: usize>(
    tree: &mut Tree<S, D>,
    kind: Kind,
    moves: impl Iterator<Item = (u64, Rect<S, D>)>,
) -> BatchMoved {
    let moves = moves.map(|(bits, shape)| (Handle::from_bits(bits), shape));
    match kind {
        Kind::Points => tree.move_batch::<Points, _>(moves.map(|(handle, shape)| (handle, shape.min()))),
        Kind::Rects => tree.move_batch::<Rects, _>(moves),
    }
}

/// Why a strict operation on many objects does nothing.
enum Refusal {
    Stale(Vec<u64>),
    Kind(usize),
}

impl Refusal {
    /// Checks that all handles name objects, and of a kind.
    fn find<S: Number, const D: usize>(tree: &Tree<S, D>, handles: &[u64], kind: Option<Kind>) -> Option<Self> {
        let is_dead = |&&bits: &&u64| !tree.contains(Handle::from_bits(bits));
        let dead: Vec<u64> = handles.iter().filter(is_dead).copied().collect();
        if !dead.is_empty() {
            return Some(Self::Stale(dead));
        }
        let kind = kind?;
        let others: Vec<_> = tree.layers().filter(|&layer| tree.layer_kind(layer) != Some(kind)).collect();
        let is_other = |&bits: &u64| tree.layer(Handle::from_bits(bits)).is_some_and(|layer| others.contains(&layer));
        if others.is_empty() { None } else { handles.iter().position(is_other).map(Self::Kind) }
    }

    fn error(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Stale(handles) => stale(py, handles),
            Self::Kind(row) => value_error(format_args!("row {row}: the object is in a layer of the other kind")),
        }
    }
}

/// A box that is nowhere: no object has it.
fn nowhere<S: Number, const D: usize>() -> Rect<S, D> {
    Rect::from_point([S::NAN; D])
}

/// The box of a row, as it is. One with its corners in the wrong order is nowhere.
fn rect_of<S: Number, const D: usize>(row: &[S]) -> Rect<S, D> {
    match *row.as_chunks::<D>().0 {
        [point] => Rect::from_point(point),
        [min, max] => Rect::try_new(min, max).unwrap_or_else(|_| nowhere()),
        _ => nowhere(),
    }
}

/// Looks up the objects of rows.
fn at_rows<S: Number, A, const D: usize>(
    tree: &Tree<S, D>,
    rows: &[i64],
    look: impl Fn(Option<Handle>) -> A,
) -> PyResult<Vec<A>> {
    let capacity = tree.slots() - 1;
    let mut found = reserved(rows.len())?;
    for &row in rows {
        match usize::try_from(row) {
            Ok(row) if row < capacity => found.push(look(tree.handle_at(row + 1))),
            _ => return Err(PyIndexError::new_err(format!("row {row} is not below the capacity of {capacity}"))),
        }
    }
    Ok(found)
}

/// Points (N, D), or one point (D,).
fn points_of<S: Number, const D: usize>(
    name: &'static str,
    object: &Bound<'_, PyAny>,
    _: &Space<S, D>,
) -> PyResult<(Vec<[S; D]>, bool)> {
    if let Ok(few) = Few::new(name, object) {
        return Ok((vec![few.point(name)?], true));
    }
    Ok((Table::new(name, object, &[D])?.points()?.to_vec(), false))
}

fn point_or_points<S: Number, const D: usize>(
    py: Python<'_>,
    points: Vec<[S; D]>,
    is_one: bool,
) -> PyResult<Bound<'_, PyAny>> {
    if is_one { Ok(array(py, points.into_flattened()).into_any()) } else { table(py, points) }
}

fn copied<S: Number, const D: usize>(py: Python<'_>, space: &Space<S, D>) -> PyResult<Space<S, D>> {
    Ok(Space::new(space.read_long(py, Tree::clone)?, space.torus, space.follows))
}

/// A periodic world stays as it is.
fn fixed<S: Number, const D: usize>(space: &Space<S, D>) -> PyResult<()> {
    match space.torus {
        Some(_) => Err(PyValueError::new_err("a world that wraps around cannot be set")),
        None => Ok(()),
    }
}

/// Reads the type of coordinates.
fn is_double(dtype: &Bound<'_, PyAny>) -> PyResult<bool> {
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
    fn new(
        world: Option<&Bound<'_, PyAny>>,
        dim: Option<usize>,
        dtype: Option<&Bound<'_, PyAny>>,
        torus: Option<Torus>,
    ) -> PyResult<Self> {
        let world = world.map(|world| Few::new("world", world)).transpose()?;
        let of_world = world.map(|world| world.numbers().len());
        let dim = match (of_world, dim) {
            (Some(4) | None, None | Some(2)) => 2,
            (Some(6), None | Some(3)) | (None, Some(3)) => 3,
            (Some(len @ (4 | 6)), Some(dim)) => {
                return Err(PyValueError::new_err(format!("dim: {dim}, but the world has {len} numbers")));
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
    fn torus<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        with!(&self.0, space => {
            let axes = space.torus.as_ref().map_or(vec![false; self.dim()], |torus| torus.axes().to_vec());
            pyo3::types::PyTuple::new(py, axes)
        })
    }

    /// The world: (2D,).
    #[getter]
    fn world<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        with!(&self.0, space => {
            let world = space.read(py, Tree::world)?;
            Ok(array(py, corners(&world).as_flattened().to_vec()).into_any())
        })
    }

    /// The length that arrays addressed by row must have: one more than the largest row so far.
    #[getter]
    fn capacity(&self, py: Python<'_>) -> PyResult<usize> {
        // Slot 0 is that of no object.
        with!(&self.0, space => space.read(py, |tree| tree.slots() - 1))
    }

    /// Files all objects anew in another world, O(n). _Handles and rows stay. A periodic world cannot be changed.
    fn set_world(&self, py: Python<'_>, world: &Bound<'_, PyAny>) -> PyResult<()> {
        let world = Few::new("world", world)?;
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
            space.write_long(py, 0, Tree::fit_world)?.map_err(value_error)
        })
    }

    /// The smallest box around the objects of some layers, (2D,); None without objects.
    #[pyo3(signature = (layers=None))]
    fn bounds<'py>(slf: &Bound<'py, Self>, layers: Option<LayerOrLayers<'py>>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, layers) = (slf.py(), asked(slf, layers)?);
        with!(&slf.get().0, space => {
            let bounds = space.read_long(py, |tree| tree.bounds(layers))?;
            Ok(bounds.map(|bounds| array(py, corners(&bounds).as_flattened().to_vec()).into_any()))
        })
    }

    /// Builds all anew, O(n log n): for use after many single insertions.
    fn optimize(&self, py: Python<'_>) -> PyResult<()> {
        with!(&self.0, space => space.write_long(py, 0, Tree::optimize))
    }

    /// Removes all objects, or those of some layers.
    #[pyo3(signature = (layers=None))]
    fn clear(slf: &Bound<'_, Self>, layers: Option<LayerOrLayers<'_>>) -> PyResult<()> {
        let layers = layers.map(|layers| layers.set(slf.as_unbound())).transpose()?;
        with!(&slf.get().0, space => space.write_long(slf.py(), 0, |tree| match layers {
            Some(layers) => tree.clear_in(layers),
            None => tree.clear(),
        }))
    }

    /// The number of objects of some layers, O(1).
    #[pyo3(signature = (layers=None))]
    fn count(slf: &Bound<'_, Self>, layers: Option<LayerOrLayers<'_>>) -> PyResult<usize> {
        let layers = asked(slf, layers)?;
        with!(&slf.get().0, space => space.read(slf.py(), |tree| tree.len_in(layers)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        with!(&self.0, space => space.read(py, Tree::len))
    }

    /// Whether the handle names an object.
    fn __contains__(&self, py: Python<'_>, handle: u64) -> PyResult<bool> {
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

    fn __deepcopy__(&self, py: Python<'_>, memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        let _ = memo;
        self.__copy__(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (dim, dtype) = (self.dim(), self.dtype(py));
        Ok(format!("<Index of {} objects, dim={dim}, dtype={dtype}>", self.__len__(py)?))
    }

    /// Adds a layer of points. Raises ValueError beyond 64 layers.
    fn add_points(slf: &Bound<'_, Self>) -> PyResult<Layer> {
        let id =
            with!(&slf.get().0, space => space.write(slf.py(), 0, |tree| tree.add_point_layer().map(LayerId::from))?);
        Ok(Layer { index: slf.clone().unbind(), id: id.map_err(value_error)?, kind: Kind::Points })
    }

    /// Adds a layer of boxes, of sizes as mixed as you like. Raises ValueError beyond 64 layers.
    fn add_boxes(slf: &Bound<'_, Self>) -> PyResult<Layer> {
        let id =
            with!(&slf.get().0, space => space.write(slf.py(), 0, |tree| tree.add_rect_layer().map(LayerId::from))?);
        Ok(Layer { index: slf.clone().unbind(), id: id.map_err(value_error)?, kind: Kind::Rects })
    }

    /// All layers, by number. Layers of a copied or unpickled index are found here.
    fn layers(slf: &Bound<'_, Self>) -> PyResult<Vec<Layer>> {
        let layers: Vec<_> = with!(&slf.get().0, space => space.read(slf.py(), |tree| {
            tree.layers().filter_map(|id| Some((id, tree.layer_kind(id)?))).collect()
        })?);
        Ok(layers.into_iter().map(|(id, kind)| Layer { index: slf.clone().unbind(), id, kind }).collect())
    }

    /// Removes a layer with all of its objects. Returns how many these were.
    fn remove_layer(slf: &Bound<'_, Self>, layer: &Layer) -> PyResult<usize> {
        let id = layer.id_in(slf)?;
        with!(&slf.get().0, space => space.write_long(slf.py(), 0, |tree| tree.remove_layer(id))?.map_err(value_error))
    }

    /// Adds one object, a point (D,) or a box (2D,), as the layer holds. Returns its handle.
    fn insert(slf: &Bound<'_, Self>, layer: &Layer, shape: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (py, id, few) = (slf.py(), layer.id_in(slf)?, Few::new("shape", shape)?);
        with!(&slf.get().0, space => {
            let shape = space.wrapped(layer.kind == Kind::Points, one_shape(&few, layer.kind)?);
            let inserted = space.write(py, 1, |tree| tree.insert_any(id, shape, ()))?;
            inserted.map(Handle::to_bits).map_err(value_error)
        })
    }

    /// Adds points (N, D) or boxes (N, 2D), all or none. Returns their handles, (N,).
    ///
    /// Builds the layer anew if it holds no more than these: faster than one by one, and better laid out.
    fn insert_many<'py>(
        slf: &Bound<'py, Self>,
        layer: &Layer,
        shapes: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, id, dim) = (slf.py(), layer.id_in(slf)?, slf.get().dim());
        let width = if layer.kind == Kind::Points { dim } else { 2 * dim };
        with!(&slf.get().0, space => {
            let mut shapes = Table::new("shapes", shapes, &[width])?.shapes()?;
            for shape in &mut shapes {
                *shape = space.wrapped(layer.kind == Kind::Points, *shape);
            }
            let inserted = space.write_long(py, shapes.len(), |tree| insert_all(tree, id, &shapes))?;
            let handles = inserted.map_err(|(row, error)| value_error(format_args!("shapes, row {row}: {error}")))?;
            Ok(array(py, handles.into_iter().map(Handle::to_bits).collect()).into_any())
        })
    }

    /// Gives an object another place: a point (D,) or a box (2D,). O(1) for a short way.
    #[pyo3(name = "move")]
    fn move_one(&self, py: Python<'_>, handle: u64, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let few = Few::new("shape", shape)?;
        with!(&self.0, space => {
            // A box without extent may move a point, but the numbers are those of a kind.
            let kind = if few.numbers().len() == self.dim() { Kind::Points } else { Kind::Rects };
            let shape = space.wrapped(kind == Kind::Points, one_shape(&few, kind)?);
            let moved = space.write(py, 1, |tree| match kind {
                Kind::Points => tree.move_to::<Points>(Handle::from_bits(handle), shape.min()),
                Kind::Rects => tree.move_to::<Rects>(Handle::from_bits(handle), shape),
            })?;
            moved.map(|_| ()).map_err(|error| object_error(py, handle, error))
        })
    }

    /// Gives many objects other places: (N,) and (N, D) or (N, 2D). Fastest in the order of handles.
    ///
    /// If `strict`, moves all or none: raises StaleHandleError, or ValueError for what is not finite or of the wrong
    /// kind for its layer. Otherwise moves all that it can, and returns the handles of the others.
    #[pyo3(signature = (handles, shapes, *, strict=true))]
    fn move_many<'py>(
        &self,
        py: Python<'py>,
        handles: &Bound<'py, PyAny>,
        shapes: &Bound<'py, PyAny>,
        strict: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (handles, dim) = (Handles::new("handles", handles)?, self.dim());
        let handles = handles.bits();
        with!(&self.0, space => {
            let table = Table::new("shapes", shapes, &[dim, 2 * dim])?;
            if table.len() != handles.len() {
                let message = format!("{} shapes for {} handles", table.len(), handles.len());
                return Err(PyValueError::new_err(message));
            }
            let kind = if table.width == dim { Kind::Points } else { Kind::Rects };
            let wrapped = |shape| space.wrapped(kind == Kind::Points, shape);
            if strict {
                let shapes = table.shapes()?;
                let moves = handles.iter().copied().zip(shapes.iter().map(|&shape| wrapped(shape)));
                let refused = space.write_long(py, handles.len(), |tree| {
                    if let Some(refusal) = Refusal::find(tree, handles, Some(kind)) {
                        return Some(refusal);
                    }
                    // Nothing else can be refused.
                    let _ = move_all(tree, kind, moves);
                    None
                })?;
                return match refused {
                    Some(refusal) => Err(refusal.error(py)),
                    None => Ok(array::<u64>(py, Vec::new()).into_any()),
                };
            }
            let rows = table.numbers();
            let refused: Vec<u64> = space.write_long(py, handles.len(), |tree| {
                let shape = |row: &[_]| wrapped(rect_of(row));
                let moves = handles.iter().copied().zip(rows.chunks_exact(table.width).map(shape));
                move_all(tree, kind, moves).refused.into_iter().map(|(handle, _)| bits_or_none(handle)).collect()
            })?;
            Ok(array(py, refused).into_any())
        })
    }

    /// Removes one object.
    fn remove(&self, py: Python<'_>, handle: u64) -> PyResult<()> {
        let removed = with!(&self.0, space => space.write(py, 0, |tree| tree.remove(Handle::from_bits(handle)))?);
        removed.ok_or_else(|| stale(py, vec![handle]))
    }

    /// Removes many objects. Returns how many. If `strict`, raises StaleHandleError and removes none if some are gone.
    #[pyo3(signature = (handles, *, strict=true))]
    fn remove_many(&self, py: Python<'_>, handles: &Bound<'_, PyAny>, strict: bool) -> PyResult<usize> {
        let handles = Handles::new("handles", handles)?;
        let handles = handles.bits();
        let removed = with!(&self.0, space => space.write_long(py, 0, |tree| {
            if strict && let Some(refusal) = Refusal::find(tree, handles, None) {
                return Err(refusal);
            }
            Ok(handles.iter().filter(|&&bits| tree.remove(Handle::from_bits(bits)).is_some()).count())
        })?);
        removed.map_err(|refusal| refusal.error(py))
    }

    /// Puts objects into another layer of the same kind, all or none. _Handles stay.
    fn set_layer(slf: &Bound<'_, Self>, handles: &Bound<'_, PyAny>, layer: &Layer) -> PyResult<()> {
        let (py, id) = (slf.py(), layer.id_in(slf)?);
        let handles = Handles::one_or_more("handles", handles)?;
        let handles = handles.bits();
        with!(&slf.get().0, space => {
            space.write_long(py, 0, |tree| {
                if tree.layer_kind(id).is_some() && let Some(refusal) = Refusal::find(tree, handles, Some(layer.kind)) {
                    return Ok(Err(refusal));
                }
                handles.iter().try_for_each(|&bits| tree.set_layer(Handle::from_bits(bits), id)).map(Ok)
            })?
            .map_err(value_error)?
            .map_err(|refusal| refusal.error(py))
        })
    }

    /// The place of an object: a box (2D,), for a point with equal corners.
    fn shape<'py>(&self, py: Python<'py>, handle: u64) -> PyResult<Bound<'py, PyAny>> {
        with!(&self.0, space => {
            let shape = space.read(py, |tree| tree.shape(Handle::from_bits(handle)))?;
            let shape = shape.ok_or_else(|| stale(py, vec![handle]))?;
            Ok(array(py, corners(&shape).as_flattened().to_vec()).into_any())
        })
    }

    /// The layer of an object.
    fn layer(slf: &Bound<'_, Self>, handle: u64) -> PyResult<Layer> {
        let py = slf.py();
        let layer = with!(&slf.get().0, space => space.read(py, |tree| {
            let id = tree.layer(Handle::from_bits(handle))?;
            Some((id, tree.layer_kind(id)?))
        })?);
        let (id, kind) = layer.ok_or_else(|| stale(py, vec![handle]))?;
        Ok(Layer { index: slf.clone().unbind(), id, kind })
    }

    /// The places of the objects in some rows, as boxes: (N, 2D). NaN in rows without an object.
    ///
    /// Raises IndexError for rows below 0, or not below `capacity`.
    fn shapes<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rows = rows_of(rows)?;
        let rows = rows.as_slice();
        with!(&self.0, space => {
            let shapes = space.read_long(py, |tree| {
                at_rows(tree, rows, |handle| handle.and_then(|handle| tree.shape(handle)).unwrap_or_else(nowhere))
            })??;
            boxes(py, &shapes)
        })
    }

    /// The handles of the objects in some rows, (N,), or in one, or in all from 0 to `capacity`. 0 names no object.
    ///
    /// Raises IndexError for rows below 0, or not below `capacity`.
    #[pyo3(signature = (rows=None))]
    fn handles<'py>(&self, py: Python<'py>, rows: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let name = |handle: Option<Handle>| bits_or_none(handle.unwrap_or_default());
        let Some(rows) = rows else {
            let handles = with!(&self.0, space => space.read_long(py, |tree| {
                (1..tree.slots()).map(|slot| name(tree.handle_at(slot))).collect()
            })?);
            return Ok(array::<u64>(py, handles).into_any());
        };
        if let Ok(row) = rows.extract::<i64>() {
            let handle = with!(&self.0, space => space.read(py, |tree| at_rows(tree, &[row], name))?);
            return Ok(handle?[0].into_pyobject(py)?.into_any());
        }
        let rows = rows_of(rows)?;
        let rows = rows.as_slice();
        let handles = with!(&self.0, space => space.read_long(py, |tree| at_rows(tree, rows, name))?)?;
        Ok(array(py, handles).into_any())
    }

    /// Points (N, D), or one (D,), taken modulo the size of the world on the axes that wrap around.
    fn wrap<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        with!(&self.0, space => {
            let (points, is_one) = points_of("points", points, space)?;
            let wrap = |&point: &_| space.torus.as_ref().map_or(point, |torus| torus.wrap(point));
            point_or_points(py, points.iter().map(wrap).collect(), is_one)
        })
    }

    /// The shortest vectors from points to points, (N, D) or (D,), across the border of the world where that is shorter.
    fn displacement<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        end: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        with!(&self.0, space => {
            let ((start, is_one), (end, _)) = (points_of("start", start, space)?, points_of("end", end, space)?);
            if start.len() != end.len() {
                return Err(PyValueError::new_err(format!("{} starts and {} ends", start.len(), end.len())));
            }
            let between = |(from, to): (&[_; _], &[_; _])| match &space.torus {
                Some(torus) => torus.displacement(*from, *to),
                None => std::array::from_fn(|axis| to[axis] - from[axis]),
            };
            point_or_points(py, start.iter().zip(&end).map(between).collect(), is_one)
        })
    }

    /// The cells of the layer's tree, as boxes (N, 2D), to draw them.
    fn cells<'py>(slf: &Bound<'py, Self>, layer: &Layer) -> PyResult<Bound<'py, PyAny>> {
        let (py, id) = (slf.py(), layer.id_in(slf)?);
        with!(&slf.get().0, space => {
            let cells: Vec<_> = space.read_long(py, |tree| tree.cells(id).map(|cell| cell.square()).collect())?;
            boxes(py, &cells)
        })
    }

    /// Draws objects and cells by matplotlib: see `pyquadrille.plot.plot`. Returns the axes.
    #[pyo3(signature = (ax=None, **options))]
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        ax: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyquadrille.plot")?.call_method("plot", (slf, ax), options)
    }
}
