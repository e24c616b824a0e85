//! Objects: in, out, and elsewhere.

use alloc::vec::Vec;

use super::error::{Full, NoSuchObject, WrongKind};
use super::{InsertError, MoveError, ObjectRef, SetLayerError, SpatialIndex};
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind, LayerId, LayerSet, Place};
use crate::layer::{IntoShape, Layer, LayerKind, with_trees};
use crate::tree::Entry;

/// What a move did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moved {
    /// The object stayed in its node, though perhaps in another block of it.
    InPlace,
    /// The object was filed in another node.
    Refiled,
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Adds an object to a layer. Takes time for the depth of the tree.
    ///
    /// A layer of points takes whatever converts into `[S; D]`, a layer of rectangles takes [`Rect`]. The other way
    /// round does not compile:
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
    /// index.insert(rects, [0.1, 0.1], ()); // a point is no rectangle: `Rect::at` makes one of it
    /// ```
    ///
    /// # Errors
    /// [`InsertError`] if a coordinate is not finite, or the layer is not one of this index.
    #[inline]
    pub fn insert<K: LayerKind>(
        &mut self,
        layer: Layer<K>,
        shape: impl IntoShape<K, S, D>,
        value: T,
    ) -> Result<Handle, InsertError> {
        let number = self.layers.number(layer)?;
        self.insert_shape::<K>(number, shape.into_shape().finite()?, value)
    }

    #[inline(always)]
    pub(super) fn insert_shape<K: LayerKind>(
        &mut self,
        layer: u8,
        shape: Rect<S, D>,
        value: T,
    ) -> Result<Handle, InsertError> {
        self.check_room(K::KIND)?;
        // It comes while the store names the object.
        with_trees!(self.forest, K::KIND, |trees| {
            trees.prefetch_way(trees.root(layer), || self.grid.address(&shape));
        });
        let handle = self.store.insert(value);
        self.file::<K>(layer, shape, handle);
        Ok(handle)
    }

    /// Files an entry that is nowhere, and its place.
    fn file<K: LayerKind>(&mut self, layer: u8, shape: Rect<S, D>, handle: Handle) {
        let entry = self.entry(shape, handle);
        let place = self.forest.insert(&self.grid, K::KIND, layer, &entry, &mut self.moved);
        self.relink(handle, place);
    }

    /// Changes an object's shape. It keeps its handle.
    ///
    /// Takes constant time while the object stays in its node's block. Otherwise it climbs to the lowest node around
    /// both places and goes down from there; nothing is searched.
    ///
    /// # Errors
    /// [`MoveError`] if the handle names no object, a coordinate is not finite, or the shape is a point where the
    /// object is a rectangle, or the other way round.
    #[inline]
    pub fn move_to<K: LayerKind>(
        &mut self,
        handle: Handle,
        shape: impl IntoShape<K, S, D>,
    ) -> Result<Moved, MoveError> {
        self.move_shape(handle, K::KIND, shape.into_shape())
    }

    #[inline(always)]
    pub(super) fn move_shape(&mut self, handle: Handle, kind: Kind, shape: Rect<S, D>) -> Result<Moved, MoveError> {
        let place = self.place(handle)?;
        check_kind(place, kind)?;
        let shape = shape.finite()?;
        let entry = self.entry(shape, handle);
        if self.forest.move_in_place(place, &shape, &entry.address) {
            return Ok(Moved::InPlace);
        }
        self.check_room(kind)?;
        Ok(self.refile(place, &entry))
    }

    /// Files an entry anew that is at a place; says what that meant.
    fn refile(&mut self, place: Place, entry: &Entry<S, D>) -> Moved {
        let before = self.forest.node_of(place);
        let place = self.forest.refile(&self.grid, place, entry, &mut self.moved);
        self.relink(entry.handle, place);
        let after = self.place(entry.handle).map(|place| self.forest.node_of(place));
        if after == Ok(before) { Moved::InPlace } else { Moved::Refiled }
    }

    /// Puts an object into another layer of the same kind. It keeps its handle. Nothing happens if it is there.
    ///
    /// # Errors
    /// [`SetLayerError`] if the handle names no object, or the layer is not one of this index, or holds the other
    /// kind of shapes.
    pub fn set_layer<K: LayerKind>(&mut self, handle: Handle, layer: Layer<K>) -> Result<(), SetLayerError> {
        let place = self.place(handle)?;
        let number = self.layers.number(layer)?;
        check_kind(place, K::KIND)?;
        if self.forest.layer_of(place) == number {
            return Ok(());
        }
        self.check_room(K::KIND)?;
        let shape = self.forest.shape(place);
        self.forest.remove(&self.grid, place, &mut self.moved);
        self.file::<K>(number, shape, handle);
        Ok(())
    }

    /// Removes an object and returns its value, or `None` if there is no such object.
    ///
    /// Nothing is searched; takes time for the depth of the tree, to count one object less.
    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        // The store first: its memory and that of the trees are waited for together.
        let (place, value) = self.store.remove(handle)?;
        self.forest.remove(&self.grid, place, &mut self.moved);
        self.relink_moved();
        Some(value)
    }

    /// Removes all objects that `keep` does not want to keep. It is asked about all of them, layer by layer, before the
    /// first is removed.
    pub fn retain(&mut self, mut keep: impl FnMut(Handle, Rect<S, D>, &mut T) -> bool) {
        let mut unwanted = Vec::new();
        let mut layers = LayerSet::ALL;
        while let Some((layer, kind)) = self.next_layer(&mut layers) {
            with_trees!(self.forest, kind, |trees| for place in trees.places(layer) {
                let handle = trees.handle(place);
                let value = self.store.get_mut(handle);
                if value.is_some_and(|value| !keep(handle, trees.shape(place), value)) {
                    unwanted.push(handle);
                }
            });
        }
        for handle in unwanted {
            self.remove(handle);
        }
    }

    /// An object, by its handle.
    #[must_use]
    pub fn object(&self, handle: Handle) -> Option<ObjectRef<'_, T, S, D>> {
        self.store.place(handle).map(|place| ObjectRef::new(self, place, handle))
    }

    /// What an object carries.
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        self.store.get(handle)
    }

    /// What an object carries, to change it.
    #[must_use]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.store.get_mut(handle)
    }

    /// An object's shape; a point is a box of no extent.
    #[must_use]
    pub fn shape(&self, handle: Handle) -> Option<Rect<S, D>> {
        self.store.place(handle).map(|place| self.forest.shape(place))
    }

    /// An object's layer.
    #[must_use]
    pub fn layer(&self, handle: Handle) -> Option<LayerId> {
        self.object(handle).map(|object| object.layer())
    }

    /// Whether the handle names an object.
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.store.place(handle).is_some()
    }

    #[inline]
    fn place(&self, handle: Handle) -> Result<Place, NoSuchObject> {
        self.store.place(handle).ok_or(NoSuchObject { handle })
    }

    fn check_room(&self, kind: Kind) -> Result<(), Full> {
        if self.forest.has_room(kind) {
            return Ok(());
        }
        Err(Full::at(with_trees!(self.forest, kind, |trees| trees.buckets_used())))
    }
}

#[inline]
fn check_kind(place: Place, called: Kind) -> Result<(), WrongKind> {
    let object = place.kind();
    if object == called { Ok(()) } else { Err(WrongKind { object, called }) }
}
