//! How a bucket's slots lie in memory: in blocks of lanes, to be compared at once.

use crate::tree::BUCKET_SLOTS;

/// Slots whose coordinates on one axis lie side by side.
pub(super) const LANES: usize = 8;

/// The slot of a position. (The mask tells the compiler what positions are.)
#[inline]
pub(super) fn slot_of(position: u8) -> usize {
    usize::from(position) % BUCKET_SLOTS
}

/// The block and the lane in it of a position.
#[inline]
pub(super) fn lane_of(position: u8) -> (usize, usize) {
    (slot_of(position) / LANES, slot_of(position) % LANES)
}

/// Gathers eight bytes that are each 0 or 1 into eight bits.
#[inline]
pub(super) fn lanes_to_bits(lanes: [u8; LANES]) -> u64 {
    // The multiplication carries byte `i` to bit `56 + i`; no two products meet, so nothing carries over.
    u64::from_le_bytes(lanes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
