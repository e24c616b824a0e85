//! How a bucket's slots lie in memory: each coordinate of all slots side by side, to be compared many at once.
//!
//! Comparing vectors gives masks as wide as their numbers. To pack them into bits, each vector's masks select a bit of
//! their own, and all vectors are ORed lane by lane: that leaves a few lanes, each with a run of the bits. So positions
//! that follow each other lie in the same lane of vectors that follow each other.

use crate::geometry::Scalar;
use crate::tree::BUCKET_SLOTS;

const LANES_MAX: usize = 4;

/// One coordinate of all slots.
pub(super) type Coordinates<S> = [S; BUCKET_SLOTS];

/// The slot of a position. (The mask tells the compiler what positions are.)
#[inline]
pub(super) fn slot_of(position: u8) -> usize {
    usize::from(position) % BUCKET_SLOTS
}

/// Where among the coordinates a position is.
#[inline]
pub(super) fn lane_of<S: Scalar>(position: u8) -> usize {
    let vectors = BUCKET_SLOTS / S::LANES;
    slot_of(position) % vectors * S::LANES + slot_of(position) / vectors
}

/// What is left of the bits where `test` fails.
#[inline]
pub(super) fn select<S: Scalar>(bits: &mut [S::Bits; BUCKET_SLOTS], test: impl Fn(usize) -> bool) {
    for (lane, bit) in bits.iter_mut().enumerate() {
        *bit = if test(lane) { *bit } else { S::NO_BITS };
    }
}

/// One bit for each position out of one for each lane.
#[inline]
pub(super) fn gather<S: Scalar>(bits: &[S::Bits; BUCKET_SLOTS]) -> u64 {
    let mut runs = [S::NO_BITS; LANES_MAX];
    for vector in bits.chunks_exact(S::LANES) {
        for (run, &bit) in runs.iter_mut().zip(vector) {
            *run = *run | bit;
        }
    }
    let mut mask = 0;
    for (lane, &run) in runs.iter().enumerate().take(S::LANES) {
        mask |= run.into() << (lane * (BUCKET_SLOTS / S::LANES));
    }
    mask
}
