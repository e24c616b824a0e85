//! How a bucket's slots lie in memory: in blocks of as many as are compared at once, in each block the coordinates of
//! one axis side by side.

use crate::geometry::{LANES, Lanes, Scalar};
use crate::tree::BUCKET_SLOTS;

/// Blocks of a bucket.
pub(super) const BLOCKS: usize = BUCKET_SLOTS / LANES;

/// One coordinate of the slots of a block.
pub(super) type Coordinates<S> = [S; LANES];

/// The slot of a position. (The mask tells the compiler what positions are.)
#[inline]
pub(super) fn slot_of(position: u8) -> usize {
    usize::from(position) % BUCKET_SLOTS
}

/// The block of a position, and the lane in it.
#[inline]
pub(super) fn lane_of(position: u8) -> (usize, usize) {
    (slot_of(position) / LANES, slot_of(position) % LANES)
}

/// The positions in whose lanes `test` holds, as bits.
#[inline]
pub(super) fn gather<S: Scalar, B>(blocks: &[B; BLOCKS], test: impl Fn(&B) -> S::Lanes) -> u64 {
    let mut mask = 0;
    for (number, block) in blocks.iter().enumerate() {
        mask |= test(block).bits() << (number * LANES);
    }
    mask
}
