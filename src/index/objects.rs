//! Objects: in, out, and elsewhere.

use alloc::vec::Vec;

use super::{ObjectRef, SpatialIndex};
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind, LayerId, LayerSet};
use crate::layer::{IntoShape, Layer, LayerKind};
use crate::space::{InsertError, MoveError, Moved, SetLayerError};
use crate::tree::with_trees;

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
        let number = self.space.number(layer)?;
        self.insert_shape(K::KIND, number, shape.into_shape().finite()?, value)
    }

    #[inline(always)]
    pub(super) fn insert_shape(
        &mut self,
        kind: Kind,
        layer: u8,
        shape: Rect<S, D>,
        value: T,
    ) -> Result<Handle, InsertError> {
        self.space.check_room(kind)?;
        let handle = self.space.make_handle(kind, layer, &shape);
        self.values.insert(handle, value);
        self.space.insert(kind, layer, shape, handle);
        Ok(handle)
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
        self.space.move_to(handle, K::KIND, shape.into_shape())
    }

    /// Puts an object into another layer of the same kind. It keeps its handle. Nothing happens if it is there.
    ///
    /// # Errors
    /// [`SetLayerError`] if the handle names no object, or the layer is not one of this index, or holds the other
    /// kind of shapes.
    pub fn set_layer<K: LayerKind>(&mut self, handle: Handle, layer: Layer<K>) -> Result<(), SetLayerError> {
        self.space.set_layer(handle, layer)
    }

    /// Removes an object and returns its value, or `None` if there is no such object.
    ///
    /// Nothing is searched; takes time for the depth of the tree, to count one object less.
    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        // The value first: its memory and that of the trees are waited for together.
        let value = self.values.remove(handle)?;
        self.space.remove(handle);
        Some(value)
    }

    /// Removes all objects that `keep` does not want to keep. It is asked about all of them, layer by layer, before the
    /// first is removed.
    pub fn retain(&mut self, mut keep: impl FnMut(Handle, Rect<S, D>, &mut T) -> bool) {
        let mut unwanted = Vec::new();
        let mut layers = LayerSet::ALL;
        while let Some((layer, kind)) = self.space.next_layer(&mut layers) {
            with_trees!(self.space.forest, kind, |trees| for place in trees.places(layer) {
                let handle = trees.arena().handle(place);
                let value = self.values.get_mut(handle);
                if value.is_some_and(|value| !keep(handle, trees.arena().shape(place), value)) {
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
        self.space.place(handle).map(|place| ObjectRef::new(self, place, handle))
    }

    /// What an object carries.
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        self.values.get(handle)
    }

    /// What an object carries, to change it.
    #[must_use]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.values.get_mut(handle)
    }

    /// An object's shape; a point is a box of no extent.
    #[must_use]
    pub fn shape(&self, handle: Handle) -> Option<Rect<S, D>> {
        self.space.place(handle).map(|place| self.space.forest.shape(place))
    }

    /// An object's layer.
    #[must_use]
    pub fn layer(&self, handle: Handle) -> Option<LayerId> {
        self.object(handle).map(|object| object.layer())
    }

    /// Whether the handle names an object.
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.space.place(handle).is_some()
    }
}
