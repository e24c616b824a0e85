//! The layout of a bucket in memory: rows of `LANES` positions, which are compared at once. In a row the coordinates of
//! one axis lie side by side.

use super::BUCKET_SLOTS;
use crate::geometry::LANES;

/// The number of rows in a bucket.
pub(super) const BLOCKS: usize = BUCKET_SLOTS / LANES;

/// The coordinates of a row on one axis.
pub(super) type Coordinates<S> = [S; LANES];

/// A position as an index. The remainder shows the compiler that it is in range.
#[inline]
pub(super) fn slot_of(position: u8) -> usize {
    usize::from(position) % BUCKET_SLOTS
}

/// The row of a position, and the lane in it.
#[inline]
pub(super) fn lane_of(position: u8) -> (usize, usize) {
    (slot_of(position) / LANES, slot_of(position) % LANES)
}
