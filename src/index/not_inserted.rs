//! Insertion that gives the value back when it is refused, and the error that carries it.
//!
//! A method of its own, so that the errors of `insert` and of batches stay plain data: the same type for all values, `Copy`,
//! and small however large a value is.

use core::fmt;

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::key::Handle;
use crate::layer::{IntoShape, Layer, LayerKind};
use crate::space::InsertError;

/// An object was not inserted; here is its value. [`SpatialIndex::try_insert`] returns it.
///
/// It converts into the [`InsertError`], so `?` works where that is expected, and drops the value then.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// let refused = index.try_insert(units, [f32::NAN, 0.0], "scout").unwrap_err();
/// println!("{} was refused: {refused}", refused.value);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, thiserror::Error)]
#[error("{reason}")]
pub struct NotInserted<T> {
    /// The value as it was given.
    pub value: T,
    /// Why the object was refused.
    pub reason: InsertError,
}

impl<T> From<NotInserted<T>> for InsertError {
    fn from(error: NotInserted<T>) -> Self {
        error.reason
    }
}

/// Prints the reason, whatever the value is.
impl<T> fmt::Debug for NotInserted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotInserted").field("reason", &self.reason).finish_non_exhaustive()
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Adds an object to a layer as [`insert`](Self::insert) does, but gives the value back if it is refused.
    ///
    /// ```
    /// # use quadrille::{InsertError, Quadtree, Rect};
    /// let mut index: Quadtree<String> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let refused = index.try_insert(units, [f32::NAN, 0.0], "scout".to_owned()).unwrap_err();
    /// assert!(matches!(refused.reason, InsertError::NotFinite(_)));
    /// let scout = index.try_insert(units, [1.0, 2.0], refused.value)?;
    /// assert_eq!(index.get(scout).map(String::as_str), Some("scout"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NotInserted`] with the value and the reason, which is one of those of `insert`. The index is unchanged then.
    pub fn try_insert<K: LayerKind>(
        &mut self,
        layer: Layer<K>,
        shape: impl IntoShape<K, S, D>,
        value: T,
    ) -> Result<Handle, NotInserted<T>> {
        match self.admit(layer, shape.into_shape()) {
            Ok((number, shape)) => Ok(self.insert_admitted(K::KIND, number, shape, value)),
            Err(reason) => Err(NotInserted { value, reason }),
        }
    }

    /// Every reason to refuse, checked ahead; returns the number of the layer and the shape.
    fn admit<K: LayerKind>(&self, layer: Layer<K>, shape: Rect<S, D>) -> Result<(u8, Rect<S, D>), InsertError> {
        let number = self.space.number(layer)?;
        let shape = shape.finite()?;
        self.space.check_room(K::KIND)?;
        Ok((number, shape))
    }
}
