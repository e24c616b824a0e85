//! A reference to an object: its place and handle, with the index to look up the rest.
//!
//! Knows no query; the queries that start at an object are with the others.

use core::fmt;

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, LayerId, Place};

/// An object of an index, as queries yield it and [`SpatialIndex::object`] returns it.
///
/// Handle, shape and layer come from the tree. The value is looked up only by [`value`](Self::value), so counting
/// objects or collecting handles does not touch the memory of values.
pub struct ObjectRef<'a, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    place: Place,
    handle: Handle,
}

impl<'a, T, S: Scalar, const D: usize> ObjectRef<'a, T, S, D> {
    #[inline]
    pub(crate) fn new(index: &'a SpatialIndex<T, S, D>, place: Place, handle: Handle) -> Self {
        Self { index, place, handle }
    }

    /// The index and the place of the object, for queries that start at it.
    pub(crate) fn origin(&self) -> (&'a SpatialIndex<T, S, D>, Place) {
        (self.index, self.place)
    }

    /// The object's handle.
    #[must_use]
    #[inline]
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// The object's shape. A point is a box without extent.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> Rect<S, D> {
        self.index.space.forest.shape(self.place)
    }

    /// The object's layer.
    #[must_use]
    pub fn layer(&self) -> LayerId {
        self.index.space.layers.id(usize::from(self.index.space.forest.layer_of(self.place)))
    }

    /// The object's value.
    ///
    /// # Panics
    /// Never: every object has a value.
    #[must_use]
    #[inline]
    pub fn value(&self) -> &'a T {
        self.index.values.get(self.handle).expect("every entry has a value")
    }
}

impl<T, S, const D: usize> Clone for ObjectRef<'_, T, S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S, const D: usize> Copy for ObjectRef<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> fmt::Debug for ObjectRef<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectRef")
            .field("handle", &self.handle())
            .field("shape", &self.shape())
            .field("layer", &self.layer())
            .finish_non_exhaustive()
    }
}
