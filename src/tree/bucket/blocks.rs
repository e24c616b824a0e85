//! The layout of a bucket's slots in memory: blocks of as many slots as are compared at once, and in each block the
//! coordinates of one axis side by side.

use super::BUCKET_SLOTS;
use crate::geometry::LANES;

/// The number of blocks in a bucket.
pub(super) const BLOCKS: usize = BUCKET_SLOTS / LANES;

/// The coordinates of a block's slots on one axis.
pub(super) type Coordinates<S> = [S; LANES];

/// The slot of a position. The remainder tells the compiler that it is in range.
#[inline]
pub(super) fn slot_of(position: u8) -> usize {
    usize::from(position) % BUCKET_SLOTS
}

/// The block of a position, and the lane in it.
#[inline]
pub(super) fn lane_of(position: u8) -> (usize, usize) {
    (slot_of(position) / LANES, slot_of(position) % LANES)
}
