//! Objects of an index: inserted, moved, removed, and looked up by handle or by row.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use quadrille::{BatchMoved, Handle, Kind, LayerId, LayerSet, ObjectError, Points, Rect, Rects};

use crate::arrays::{Arg, Coordinates, Number, Object, Opt, Table, array, boxes, one_box, reserved};
use crate::errors::{object_error, refuse, stale, stale_many, value_error};
use crate::handles::{Handles, Integers, bits_or_none, handle_of, rows_of};
use crate::index::{Index, This};
use crate::layers::{Among, Layer, layer_set};
use crate::space::{Followed, Space, Tree, with};

/// The shape of one object of a kind, finite.
fn one_shape<S: Number, const D: usize>(few: &Coordinates, kind: Kind) -> PyResult<Rect<S, D>> {
    let len = few.numbers().len();
    let rect = match kind {
        Kind::Points => Rect::from_point(few.point::<S, D>("shape")?),
        Kind::Rects if len == 2 * D => few.rect("shape")?,
        Kind::Rects => return refuse(format_args!("shape: a box of {} numbers expected, not {len}", 2 * D)),
    };
    let infinite = |at: &S| !at.is_finite();
    if rect.min().iter().any(infinite) || rect.max().iter().any(infinite) {
        return refuse("shape: a coordinate is infinite");
    }
    Ok(rect)
}

/// Calls the typed function of the library for an untyped layer.
fn insert_all<S: Number, const D: usize>(
    tree: &mut Tree<S, D>, layer: LayerId, shapes: &[Rect<S, D>],
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
    tree: &mut Tree<S, D>, kind: Kind, moves: impl Iterator<Item = (u64, Rect<S, D>)>,
) -> BatchMoved {
    let moves = moves.map(|(bits, shape)| (Handle::from_bits(bits), shape));
    match kind {
        Kind::Points => tree.move_batch::<Points, _>(moves.map(|(handle, shape)| (handle, shape.min()))),
        Kind::Rects => tree.move_batch::<Rects, _>(moves),
    }
}

/// Why a strict operation on many objects does nothing.
enum Refusal {
    /// The row of the first, and all.
    Stale(usize, Vec<u64>),
    Kind(usize),
    Twice(usize),
}

impl Refusal {
    /// Checks that all handles name objects, and of a kind.
    fn find<S: Number, const D: usize>(tree: &Tree<S, D>, handles: &[u64], kind: Option<Kind>) -> Option<Self> {
        let is_dead = |&bits: &u64| !tree.contains(Handle::from_bits(bits));
        if let Some(row) = handles.iter().position(is_dead) {
            return Some(Self::Stale(row, handles[row..].iter().copied().filter(is_dead).collect()));
        }
        let kind = kind?;
        let others: Vec<_> = tree.layers().filter(|&layer| tree.layer_kind(layer) != Some(kind)).collect();
        let is_other = |&bits: &u64| tree.layer(Handle::from_bits(bits)).is_some_and(|layer| others.contains(&layer));
        if others.is_empty() { None } else { handles.iter().position(is_other).map(Self::Kind) }
    }

    fn error(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Stale(row, handles) => stale_many(py, row, handles),
            Self::Twice(row) => value_error(format_args!("handles, row {row}: the object comes twice")),
            Self::Kind(row) => value_error(format_args!("row {row}: the object is in a layer of the other kind")),
        }
    }
}

/// The box of a row, as it is. One with its corners in the wrong order is nowhere.
fn rect_of<S: Number, const D: usize>(row: &[S]) -> Rect<S, D> {
    match *row.as_chunks::<D>().0 {
        [point] => Rect::from_point(point),
        [min, max] => Rect::try_new(min, max).unwrap_or_else(|_| Rect::nowhere()),
        _ => Rect::nowhere(),
    }
}

/// Looks up the objects in rows of the only one of some layers.
fn at_rows<S: Number, A, const D: usize>(
    tree: &Followed<S, D>, layers: LayerSet, rows: &[i64], look: impl Fn(Option<Handle>) -> A,
) -> PyResult<Vec<A>> {
    let (layer, mut found) = (tree.one_of(layers)?, reserved(rows.len())?);
    let capacity = tree.capacity(layer);
    for &row in rows {
        match usize::try_from(row) {
            Ok(row) if row < capacity => found.push(look(tree.in_row(layer, row))),
            Ok(_) => return Err(PyIndexError::new_err(format!("rows: {row} is not below the capacity of {capacity}"))),
            Err(_) => return Err(PyIndexError::new_err(format!("rows: {row} is below 0"))),
        }
    }
    Ok(found)
}

/// The rows of objects of one layer.
fn rows_of_handles<S: Number, const D: usize>(tree: &Followed<S, D>, handles: &[u64]) -> PyResult<Vec<i64>> {
    let layer = |&bits: &u64| tree.layer(Handle::from_bits(bits));
    let first = handles.first().and_then(layer);
    match handles.iter().position(|bits| layer(bits) != first) {
        Some(row) => refuse(format_args!("handles, row {row}: the object is in another layer than that of row 0")),
        None => Ok(handles.iter().map(|&bits| tree.rows.row(Handle::from_bits(bits))).collect()),
    }
}

/// Changes, each written for all kinds of index.
impl<S: Number, const D: usize> Space<S, D> {
    fn insert(&self, py: Python<'_>, (layer, kind): (LayerId, Kind), shape: &Coordinates) -> PyResult<u64> {
        let shape = self.wrapped(kind, one_shape(shape, kind)?);
        let inserted = self.write(py, 1, |tree| {
            tree.begin(layer);
            tree.insert_any(layer, shape, ()).inspect(|&handle| tree.have_come(layer, &[handle]))
        })?;
        inserted.map(Handle::to_bits).map_err(value_error)
    }

    fn insert_many(&self, (layer, kind): (LayerId, Kind), shapes: Arg) -> PyResult<Vec<Handle>> {
        let (py, width) = (shapes.py(), if kind == Kind::Points { D } else { 2 * D });
        let mut shapes = Table::new("shapes", shapes, &[width])?.shapes()?;
        for shape in &mut shapes {
            *shape = self.wrapped(kind, *shape);
        }
        let inserted = self.write_long(py, shapes.len(), |tree| {
            if tree.layer_kind(layer).is_some() {
                self.follow_first(tree, &shapes);
            }
            tree.begin(layer);
            insert_all(tree, layer, &shapes).inspect(|handles| tree.have_come(layer, handles))
        })?;
        inserted.map_err(|(row, error)| value_error(format_args!("shapes, row {row}: {error}")))
    }

    fn order_of(&self, shapes: Arg) -> PyResult<Vec<i64>> {
        let (py, table) = (shapes.py(), Table::new("shapes", shapes, &[D, 2 * D])?);
        let kind = if table.width == D { Kind::Points } else { Kind::Rects };
        let shapes = table.shapes()?;
        let mut rows = reserved(shapes.len())?;
        rows.extend((0_i64..).zip(shapes.iter().map(|&shape| self.wrapped(kind, shape))));
        self.write_long(py, 0, |tree| {
            self.follow_first(tree, &shapes);
            tree.sort_by_place(&mut rows, |row| row.1);
            rows.into_iter().map(|row| row.0).collect()
        })
    }

    fn move_to(&self, py: Python<'_>, handle: u64, shape: &Coordinates) -> PyResult<()> {
        // Told by the numbers, not by the object: a box without extent moves a point, too.
        let kind = if shape.numbers().len() == D { Kind::Points } else { Kind::Rects };
        let shape = self.wrapped(kind, one_shape(shape, kind)?);
        let moved = self.write(py, 1, |tree| match kind {
            Kind::Points => tree.move_to::<Points>(Handle::from_bits(handle), shape.min()),
            Kind::Rects => tree.move_to::<Rects>(Handle::from_bits(handle), shape),
        })?;
        moved.map(|_| ()).map_err(|error| object_error(py, handle, error))
    }

    /// Returns those that are not moved: none if `strict`.
    fn move_many(&self, handles: &[u64], shapes: Arg, strict: bool) -> PyResult<Vec<u64>> {
        let (py, table) = (shapes.py(), Table::new("shapes", shapes, &[D, 2 * D])?);
        if table.len() != handles.len() {
            return Err(value_error(format_args!("{} shapes for {} handles", table.len(), handles.len())));
        }
        let kind = if table.width == D { Kind::Points } else { Kind::Rects };
        let named = handles.iter().copied();
        if strict {
            let shapes = table.shapes()?;
            let moves = named.zip(shapes.iter().map(|&shape| self.wrapped(kind, shape)));
            let refused = self.write_long(py, handles.len(), |tree| {
                let refusal = Refusal::find(tree, handles, Some(kind));
                if refusal.is_none() {
                    // Nothing else can be refused.
                    let _ = move_all(tree, kind, moves);
                }
                refusal
            })?;
            return refused.map_or(Ok(Vec::new()), |refusal| Err(refusal.error(py)));
        }
        let rows = table.numbers().chunks_exact(table.width);
        let moves = named.zip(rows.map(|row| self.wrapped(kind, rect_of(row))));
        self.write_long(py, handles.len(), |tree| {
            move_all(tree, kind, moves).refused.into_iter().map(|(handle, _)| bits_or_none(handle)).collect()
        })
    }

    fn set_layer(&self, py: Python<'_>, handles: &[u64], (layer, kind): (LayerId, Kind)) -> PyResult<()> {
        let set = self.write_long(py, 0, |tree| {
            if tree.layer_kind(layer).is_some()
                && let Some(refusal) = Refusal::find(tree, handles, Some(kind))
            {
                return Ok::<_, ObjectError>(Err(refusal));
            }
            tree.begin(layer);
            for &bits in handles {
                let (handle, home) = (Handle::from_bits(bits), tree.homes(&[bits]));
                if tree.layer(handle) != Some(layer) {
                    tree.set_layer(handle, layer)?;
                    tree.have_left(home);
                    tree.have_come(layer, &[handle]);
                }
            }
            Ok(Ok(()))
        })?;
        set.map_err(value_error)?.map_err(|refusal| refusal.error(py))
    }
}

#[pymethods]
impl Index {
    /// Adds one object, a point (D,) or a box (2D,), as the layer holds. Returns its handle.
    fn insert(slf: This, layer: &Bound<'_, Layer>, shape: Arg) -> PyResult<u64> {
        let (layer, shape) = (Layer::in_index(layer, slf)?, Coordinates::new("shape", shape)?);
        with!(&slf.get().0, space => space.insert(slf.py(), layer, &shape))
    }

    /// Adds points (N, D) or boxes (N, 2D), all or none. Returns their handles, (N,).
    ///
    /// Builds the layer anew if it holds no more than these: faster than one by one, and better laid out.
    fn insert_many<'py>(slf: This<'_, 'py>, layer: &Bound<'_, Layer>, shapes: Arg<'_, 'py>) -> Object<'py> {
        let layer = Layer::in_index(layer, slf)?;
        let handles = with!(&slf.get().0, space => space.insert_many(layer, shapes))?;
        Ok(array(slf.py(), handles.into_iter().map(Handle::to_bits).collect()).into_any())
    }

    /// Adds the bounds of geometries of shapely, such as a column of GeoPandas, or points to a layer of points: all or
    /// none. Returns their handles, (N,).
    ///
    /// Whether a geometry itself meets a region, ask shapely about the rows that are found. Raises ValueError for a
    /// geometry that is empty or missing.
    fn insert_geometries<'py>(slf: This<'_, 'py>, layer: &Bound<'_, Layer>, geometries: Arg<'_, 'py>) -> Object<'py> {
        let as_points = layer.get().kind == Kind::Points;
        let shapes = slf.py().import("pyquadrille.geometries")?.call_method1("shapes", (geometries, as_points))?;
        Self::insert_many(slf, layer, &shapes)
    }

    /// The order of points (N, D) or boxes (N, 2D) in space: the numbers of their rows, (N,).
    ///
    /// Of objects that are inserted in this order, neighbours in space have neighbouring rows, so answers read your arrays
    /// nearly in order. Sort all your arrays by it before you insert many objects.
    fn order_of<'py>(&self, shapes: Arg<'_, 'py>) -> Object<'py> {
        let order = with!(&self.0, space => space.order_of(shapes))?;
        Ok(array(shapes.py(), order).into_any())
    }

    /// Gives an object another place: a point (D,) or a box (2D,). O(1) for a short way.
    #[pyo3(name = "move")]
    fn move_one(&self, py: Python<'_>, #[pyo3(from_py_with = handle_of)] handle: u64, shape: Arg) -> PyResult<()> {
        let shape = Coordinates::new("shape", shape)?;
        with!(&self.0, space => space.move_to(py, handle, &shape))
    }

    /// Gives many objects other places: (N,) and (N, D) or (N, 2D). Fastest in the order of handles.
    ///
    /// If `strict`, moves all or none: raises StaleHandleError, or ValueError for what is not finite or of the wrong
    /// kind for its layer. Otherwise moves all that it can, and returns the handles of the others, also 0 for no object.
    #[pyo3(signature = (handles, shapes, *, strict=true))]
    fn move_many<'py>(
        &self, py: Python<'py>, handles: Arg<'_, 'py>, shapes: Arg<'_, 'py>, strict: bool,
    ) -> Object<'py> {
        let read = if strict { Handles::new } else { Handles::or_none };
        let handles = read("handles", handles)?;
        let refused = with!(&self.0, space => space.move_many(handles.bits(), shapes, strict))?;
        Ok(array(py, refused).into_any())
    }

    /// Removes one object.
    fn remove(&self, py: Python<'_>, #[pyo3(from_py_with = handle_of)] handle: u64) -> PyResult<()> {
        let removed = with!(&self.0, space => space.write(py, 0, |tree| {
            let home = tree.homes(&[handle]);
            tree.remove(Handle::from_bits(handle)).inspect(|()| tree.have_left(home))
        })?);
        removed.ok_or_else(|| stale(py, handle))
    }

    /// Removes many objects. Returns how many. If `strict`, removes none if some are gone, which raises StaleHandleError, or
    /// come twice: ValueError.
    #[pyo3(signature = (handles, *, strict=true))]
    fn remove_many(&self, py: Python<'_>, handles: Arg, strict: bool) -> PyResult<usize> {
        let handles = Handles::new("handles", handles)?;
        let handles = handles.bits();
        let removed = with!(&self.0, space => space.write_long(py, 0, |tree| {
            if strict && let Some(refusal) = Refusal::find(tree, handles, None) {
                return Err(refusal);
            }
            let (all, homes) = (handles.iter().map(|&bits| Handle::from_bits(bits)), tree.homes(handles));
            let removed = match tree.remove_batch(all.clone()) {
                Ok(removed) => removed.len(),
                Err(twice) if strict => return Err(Refusal::Twice(twice.position)),
                // One by one if some are gone or come twice.
                Err(_) => all.filter(|&handle| tree.remove(handle).is_some()).count(),
            };
            tree.have_left(homes);
            Ok(removed)
        })?);
        removed.map_err(|refusal| refusal.error(py))
    }

    /// Puts objects into another layer of the same kind, all or none. Handles stay, rows are those of the new layer.
    fn set_layer(slf: This, handles: Arg, layer: &Bound<'_, Layer>) -> PyResult<()> {
        let (py, layer) = (slf.py(), Layer::in_index(layer, slf)?);
        let handles = Handles::one_or_more("handles", handles)?;
        with!(&slf.get().0, space => space.set_layer(py, handles.bits(), layer))
    }

    /// The place of an object: a box (2D,), for a point with equal corners.
    fn shape<'py>(&self, py: Python<'py>, #[pyo3(from_py_with = handle_of)] handle: u64) -> Object<'py> {
        with!(&self.0, space => {
            let shape = space.read(py, |tree| tree.shape(Handle::from_bits(handle)))?;
            let shape = shape.ok_or_else(|| stale(py, handle))?;
            Ok(one_box(py, &shape))
        })
    }

    /// The layer of an object.
    fn layer<'py>(slf: This<'_, 'py>, #[pyo3(from_py_with = handle_of)] handle: u64) -> PyResult<Bound<'py, Layer>> {
        let py = slf.py();
        let layer = with!(&slf.get().0, space => space.read(py, |tree| {
            let id = tree.layer(Handle::from_bits(handle))?;
            Some((id, tree.layer_kind(id)?))
        })?);
        let (id, kind) = layer.ok_or_else(|| stale(py, handle))?;
        Layer::new(slf, id, kind)
    }

    /// The places of the objects in some rows of a layer, as boxes: (N, 2D). NaN in rows without an object.
    ///
    /// Raises IndexError for rows below 0, or not below `capacity`; ValueError without a layer, if there are several.
    #[pyo3(signature = (rows, layer=None))]
    fn shapes<'py>(slf: This<'_, 'py>, rows: Arg<'_, 'py>, layer: Among) -> Object<'py> {
        let (py, rows, layers) = (slf.py(), rows_of(rows)?, layer_set(slf, layer)?);
        let rows = rows.as_slice();
        with!(&slf.get().0, space => {
            let shapes = space.read_long(py, |tree| {
                at_rows(tree, layers, rows, |handle| handle.and_then(|handle| tree.shape(handle)).unwrap_or_else(Rect::nowhere))
            })??;
            boxes(py, &shapes)
        })
    }

    /// The handles of the objects in some rows of a layer, (N,), or in one, or in all from 0 to `capacity`. 0 names no object.
    ///
    /// Raises IndexError for rows below 0, or not below `capacity`; ValueError without a layer, if there are several.
    #[pyo3(signature = (rows=None, layer=None))]
    fn handles<'py>(slf: This<'_, 'py>, rows: Opt, layer: Among) -> Object<'py> {
        let (py, layers) = (slf.py(), layer_set(slf, layer)?);
        let name = |handle: Option<Handle>| bits_or_none(handle.unwrap_or_default());
        let one = rows.and_then(|rows| rows.extract::<i64>().ok());
        if let Some(row) = one {
            let handle = with!(&slf.get().0, space => space.read(py, |tree| at_rows(tree, layers, &[row], name))?);
            return Ok(handle?[0].into_pyobject(py)?.into_any());
        }
        let rows = rows.map(rows_of).transpose()?;
        let rows = rows.as_ref().map(Integers::as_slice);
        let handles = with!(&slf.get().0, space => space.read_long(py, |tree| {
            let all = || tree.one_of(layers).map(|layer| (0..tree.capacity(layer)).map(|row| name(tree.in_row(layer, row))).collect());
            rows.map_or_else(all, |rows| at_rows(tree, layers, rows, name))
        })?)?;
        Ok(array::<u64>(py, handles).into_any())
    }

    /// The rows of handles of one layer, or of one handle: numbers from 0 for arrays beside that layer.
    ///
    /// No two objects that live in a layer at the same time have the same row. As long as nothing is removed, the objects of a
    /// layer get the rows 0, 1, 2 … in the order in which they come into it; later ones take the rows of removed ones first.
    /// Raises StaleHandleError for objects that are gone, and ValueError for those of several layers.
    fn rows<'py>(&self, py: Python<'py>, handles: Arg<'_, 'py>) -> Object<'py> {
        let (one, handles) = (Handles::one("handles", handles)?, Handles::one_or_more("handles", handles)?);
        let handles = handles.bits();
        let rows = with!(&self.0, space => space.read_long(py, |tree| match Refusal::find(tree, handles, None) {
            Some(refusal) => Err(refusal),
            None => Ok(rows_of_handles(tree, handles)),
        })?);
        let rows = rows.map_err(|refusal| refusal.error(py))??;
        if one.is_some() { Ok(rows[0].into_pyobject(py)?.into_any()) } else { Ok(array(py, rows).into_any()) }
    }
}
