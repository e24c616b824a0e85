//! An object in its index.

use core::fmt;

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, LayerId, Place};

/// An object in its index, as queries yield it.
///
/// Handle, shape and layer come from where the query found it. The value is looked up when asked for, so that
/// counting, or collecting handles, does not touch the memory of values.
pub struct ObjectRef<'a, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    place: Place,
}

impl<'a, T, S: Scalar, const D: usize> ObjectRef<'a, T, S, D> {
    #[inline]
    pub(crate) fn new(index: &'a SpatialIndex<T, S, D>, place: Place) -> Self {
        Self { index, place }
    }

    pub(crate) fn index(&self) -> &'a SpatialIndex<T, S, D> {
        self.index
    }

    /// The object's handle.
    #[must_use]
    #[inline]
    pub fn handle(&self) -> Handle {
        self.index.forest.handle(self.place)
    }

    /// The object's shape; a point is a box of no extent.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> Rect<S, D> {
        self.index.forest.shape(self.place)
    }

    /// The object's layer.
    #[must_use]
    pub fn layer(&self) -> LayerId {
        self.index.layers.id(usize::from(self.index.forest.layer_of(self.place)))
    }

    /// What the object carries.
    ///
    /// # Panics
    /// Never: an entry's handle always names a value.
    #[must_use]
    #[inline]
    pub fn value(&self) -> &'a T {
        self.index.store.get(self.handle()).expect("every entry has a value")
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
