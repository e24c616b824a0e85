//! Single objects: inserting, moving, removing and looking them up.
//!
//! Keeps space and values in step, by E1 and S3 of `docs/invariants.md`.

use super::{ObjectRef, SpatialIndex};
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind, LayerId};
use crate::layer::{IntoShape, Layer, LayerKind};
use crate::space::{Moved, ObjectError};
use crate::tree::Entry;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Adds an object to a layer, and returns its handle. Takes time in proportion to the depth of the tree.
    ///
    /// A layer of points takes any type that converts into `[S; D]`; a layer of rectangles takes [`Rect`]. Coordinates
    /// outside the world are allowed. The wrong kind of shape does not compile:
    ///
    /// ```compile_fail,E0277
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    /// let points = index.add_point_layer().unwrap();
    /// index.insert(points, Rect::new([0.1, 0.1], [0.2, 0.2]), ()); // a rectangle is no point
    /// ```
    ///
    /// ```compile_fail,E0277
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    /// let rects = index.add_rect_layer().unwrap();
    /// index.insert(rects, [0.1, 0.1], ()); // a point is no rectangle: `Rect::from_point` makes one of it
    /// ```
    ///
    /// # Errors
    /// [`ObjectError`] if a coordinate is NaN or infinite, if the layer is not one of this index, or if the index is
    /// full. The index is then unchanged and the value is dropped. To keep the value, check the shape first.
    #[inline]
    pub fn insert<K: LayerKind>(
        &mut self,
        layer: Layer<K>,
        shape: impl IntoShape<K, S, D>,
        value: T,
    ) -> Result<Handle, ObjectError> {
        let number = self.space.layers.number(layer)?;
        let shape = shape.into_shape();
        shape.check_finite()?;
        self.insert_shape(K::KIND, number, shape, value)
    }

    /// Adds an object with a finite shape.
    #[inline(always)]
    pub(super) fn insert_shape(
        &mut self,
        kind: Kind,
        layer: u8,
        shape: Rect<S, D>,
        value: T,
    ) -> Result<Handle, ObjectError> {
        self.space.check_room(kind)?;
        let address = self.space.grid().address_of(kind, &shape);
        self.space.trees.prefetch_way(layer, &address);
        let handle = self.space.places.insert();
        self.values.insert(handle, value);
        self.space.insert(layer, &Entry::new(kind, shape, handle, address));
        Ok(handle)
    }

    /// Changes an object's shape. The handle stays valid.
    ///
    /// A point may also be moved to a box without extent. So an object of either kind can be moved back to an earlier
    /// [`shape`](Self::shape).
    ///
    /// Takes constant time while the object stays in its block of cells. Otherwise it climbs to the lowest node around
    /// both places and goes down from there; it never searches. To move many objects, see [`update`](Self::update) and
    /// [`move_batch`](Self::move_batch).
    ///
    /// ```
    /// # use quadrille::{ObjectError, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// index.move_to(scout, [60.0, 70.0])?;
    /// assert!(matches!(index.move_to(scout, [f32::NAN, 0.0]), Err(ObjectError::NotFinite(_))));
    /// assert_eq!(index.shape(scout), Some(Rect::from_point([60.0, 70.0]))); // as before the refused move
    /// index.move_to(scout, Rect::from_point([1.0, 2.0]))?; // a box without extent
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ObjectError`] if the handle names no object, if a coordinate is NaN or infinite, if the shape is not of the
    /// object's kind (a point for a rectangle, or a box with an extent for a point), or if the index is full. The
    /// object is then unchanged.
    #[inline]
    pub fn move_to<K: LayerKind>(
        &mut self,
        handle: Handle,
        shape: impl IntoShape<K, S, D>,
    ) -> Result<Moved, ObjectError> {
        self.space.move_to(handle, K::KIND, shape.into_shape())
    }

    /// Moves an object, a point or a rectangle, by an offset. The handle stays valid.
    ///
    /// The same as [`move_to`](Self::move_to) with the object's [`shape`](Self::shape), [translated](Rect::translated)
    /// by the offset. Each corner is rounded on its own, so repeated small moves may change the size of a rectangle a
    /// little. If that matters, keep the shape yourself and use `move_to`.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let crates = index.add_rect_layer()?;
    /// let handle = index.insert(crates, Rect::new([1.0, 1.0], [2.0, 3.0]), "crate")?;
    /// index.move_by(handle, [10.0, 0.0])?;
    /// assert_eq!(index.shape(handle), Some(Rect::new([11.0, 1.0], [12.0, 3.0])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ObjectError`] if the handle names no object, if a coordinate becomes NaN or infinite, or if the index is full.
    /// The object is then unchanged.
    pub fn move_by(&mut self, handle: Handle, offset: impl Into<[S; D]>) -> Result<Moved, ObjectError> {
        let place = self.space.place_or_error(handle)?;
        let shape = self.space.trees.arena().shape(place).translated(offset);
        self.space.move_to(handle, self.space.kind_of(place), shape)
    }

    /// Moves an object into another layer of the same kind, given by its [`Layer`] or its [`LayerId`]. The handle stays
    /// valid. Does nothing if the object is in that layer already.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let asleep = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// index.set_layer(scout, asleep)?;
    /// assert_eq!((index.len_in(units), index.layer(scout)), (0, Some(asleep.id())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ObjectError`] if the handle names no object, if the layer is not one of this index or holds the other kind
    /// of shapes, or if the index is full.
    pub fn set_layer(&mut self, handle: Handle, layer: impl Into<LayerId>) -> Result<(), ObjectError> {
        self.space.set_layer(handle, layer.into())
    }

    /// Removes an object and returns its value, or `None` if there is no such object.
    ///
    /// The handle leads straight to the object, so there is no search. Takes time in proportion to the depth of the
    /// tree, because all nodes above count one object less. To remove many objects, see
    /// [`remove_batch`](Self::remove_batch).
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// assert_eq!(index.remove(scout), Some("scout"));
    /// assert_eq!(index.remove(scout), None); // the handle names nothing any more
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        // The value goes first, so that its memory is fetched together with the tree's.
        let place = self.space.places.remove(handle)?;
        let value = self.values.remove(handle);
        self.space.remove(place);
        value
    }

    /// The object with a handle, or `None` if there is no such object.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// assert_eq!(index.object(scout).map(|scout| scout.intersecting().count()), Some(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn object(&self, handle: Handle) -> Option<ObjectRef<'_, T, S, D>> {
        self.space.place(handle).map(|place| ObjectRef::new(self, place, handle))
    }

    /// The object's value.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// assert_eq!(index.get(scout), Some(&"scout"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        self.space.place(handle)?;
        self.values.get(handle)
    }

    /// The object's value, for changes.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// if let Some(name) = index.get_mut(scout) {
    ///     *name = "medic";
    /// }
    /// assert_eq!(index.remove(scout), Some("medic"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.space.place(handle)?;
        self.values.get_mut(handle)
    }

    /// The values of some objects at once, for changes. `None` if one of the handles names no object, or if two are
    /// equal.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<i32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let (orc, elf) = (index.insert(units, [1.0, 2.0], 10)?, index.insert(units, [1.0, 3.0], 7)?);
    /// if let Some([attacker, defender]) = index.get_disjoint_mut([orc, elf]) {
    ///     *defender -= *attacker;
    ///     *attacker += 1;
    /// }
    /// assert_eq!((index.get(orc), index.get(elf)), (Some(&11), Some(&-3)));
    /// assert_eq!(index.get_disjoint_mut([orc, orc]), None); // one value, twice
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[doc(alias = "get_many_mut")]
    pub fn get_disjoint_mut<const N: usize>(&mut self, handles: [Handle; N]) -> Option<[&mut T; N]> {
        let are_living = handles.iter().all(|&handle| self.contains(handle));
        if are_living { self.values.get_disjoint_mut(handles) } else { None }
    }

    /// The object's shape. A point is a box without extent.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// assert_eq!(index.shape(scout).map(|shape| shape.min()), Some([1.0, 2.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shape(&self, handle: Handle) -> Option<Rect<S, D>> {
        self.space.place(handle).map(|place| self.space.trees.arena().shape(place))
    }

    /// The object's layer.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// assert_eq!(index.layer(scout), Some(units.id()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn layer(&self, handle: Handle) -> Option<LayerId> {
        self.object(handle).map(|object| object.layer())
    }

    /// Whether the handle names an object.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// index.remove(scout);
    /// assert!(!index.contains(scout));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.space.place(handle).is_some()
    }

    /// How long a list of your own must be, to be indexed by [`Handle::slot`]: one more than the number of the last
    /// slot that any object has had.
    ///
    /// It grows with the largest number of objects that there ever were at once; only [`shrink_to_fit`](Self::shrink_to_fit)
    /// lowers it. Ask again after insertions. A [`Handle`] is also a key of `slotmap`, whose `SecondaryMap` grows by itself
    /// and tells old handles from new ones.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// let mut speeds = vec![0.0; index.slots()];
    /// speeds[scout.slot()] = 1.5;
    /// assert_eq!(speeds, [0.0, 1.5]); // slots are counted from 1
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn slots(&self) -> usize {
        self.space.places.slots()
    }

    /// The handle of the object in a slot, the inverse of [`Handle::slot`]. `None` if the slot is empty, or is none of
    /// this index.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// assert_eq!(index.handle_at(scout.slot()), Some(scout));
    /// index.remove(scout);
    /// assert_eq!(index.handle_at(scout.slot()), None);
    /// let medic = index.insert(units, [1.0, 2.0], "medic")?; // in the same slot
    /// assert_eq!(index.handle_at(scout.slot()), Some(medic));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn handle_at(&self, slot: usize) -> Option<Handle> {
        self.space.places.handle_at(slot)
    }
}
