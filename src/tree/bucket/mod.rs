//! Buckets: the shapes and handles of up to 64 entries, in one layout for points and one for rectangles. Independent of
//! nodes and chains.
//!
//! Keeps its part of T9 of `docs/invariants.md`: vacant slots.

mod blocks;
mod points;
mod rects;
#[cfg(feature = "serde")]
mod saved;

use core::iter;

use crate::geometry::{Lanes, Rect, Scalar, Simd};
use crate::key::{Handle, Kind};

pub(crate) use points::PointBucket;
pub(crate) use rects::RectBucket;
#[cfg(feature = "serde")]
pub(crate) use saved::{SavedEntry, SavedSlots};

/// The number of entries that a bucket can hold: one for each bit of a mask of hits.
pub(crate) const BUCKET_SLOTS: usize = 64;

/// The shapes and handles of up to 64 entries. The layer's kind decides how a shape is stored.
///
/// A vacant position has NaN as its first coordinate, so no test of a shape hits it.
pub(crate) trait Bucket<const D: usize>: Sized {
    type Scalar: Scalar;

    const KIND: Kind;
    /// Whether shapes have an extent, and so buckets and nodes a reach.
    const EXTENDED: bool;

    fn vacant() -> Self;
    /// The handles by position. Meaningless where there is no entry.
    fn handles(&self) -> &[Handle; BUCKET_SLOTS];
    #[inline]
    fn handle(&self, position: u8) -> Handle {
        // The remainder shows the compiler that the position is in range.
        self.handles()[usize::from(position) % BUCKET_SLOTS]
    }
    fn shape(&self, position: u8) -> Rect<Self::Scalar, D>;
    fn set_shape(&mut self, position: u8, shape: &Rect<Self::Scalar, D>);
    fn set_handle(&mut self, position: u8, handle: Handle);
    /// Marks a position as vacant, so that no test hits it.
    fn vacate(&mut self, position: u8);
    /// Begins to fetch all shapes.
    fn prefetch_shapes(&self);
    fn prefetch_shape(&self, position: u8);
    /// The minima and maxima on each axis of the `LANES` entries at positions from `LANES * block` on.
    fn block<V: Simd>(&self, simd: V, block: usize) -> [[Lanes<V, Self::Scalar>; 2]; D];
}

/// The positions whose bits are set, lowest first.
#[inline]
pub(crate) fn positions(mut bits: u64) -> impl Iterator<Item = u8> {
    iter::from_fn(move || {
        let position = bits.trailing_zeros() as u8;
        (bits != 0).then(|| {
            bits &= bits - 1;
            position
        })
    })
}
