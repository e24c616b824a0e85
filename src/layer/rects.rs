//! Buckets of rectangles.

use core::array;

use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind};
use crate::tree::{BUCKET_SLOTS, Bucket};

use super::lanes::{LANES, lane_of, lanes_to_bits, slot_of};

/// Up to 64 boxes: blocks of corners, axis by axis, and after them the handles.
#[derive(Clone, Debug)]
#[repr(align(64))] // a line of the cache
pub(crate) struct RectBucket<S, const D: usize> {
    /// For each block and axis the minima, then the maxima.
    corners: [[[[S; LANES]; 2]; D]; BUCKET_SLOTS / LANES],
    handles: [Handle; BUCKET_SLOTS],
}

impl<S: Scalar, const D: usize> Bucket<S, D> for RectBucket<S, D> {
    const KIND: Kind = Kind::Rects;
    const EXTENDED: bool = true;

    fn vacant() -> Self {
        Self { corners: [[[[S::NAN; LANES]; 2]; D]; BUCKET_SLOTS / LANES], handles: [Handle::default(); BUCKET_SLOTS] }
    }

    #[inline]
    fn handle(&self, position: u8) -> Handle {
        self.handles[slot_of(position)]
    }

    #[inline]
    fn shape(&self, position: u8) -> Rect<S, D> {
        let (block, lane) = lane_of(position);
        let corners = &self.corners[block];
        Rect::ordered(array::from_fn(|axis| corners[axis][0][lane]), array::from_fn(|axis| corners[axis][1][lane]))
    }

    #[inline]
    fn set_shape(&mut self, position: u8, shape: &Rect<S, D>) {
        let (block, lane) = lane_of(position);
        for axis in 0..D {
            self.corners[block][axis][0][lane] = shape.min()[axis];
            self.corners[block][axis][1][lane] = shape.max()[axis];
        }
    }

    #[inline]
    fn set_handle(&mut self, position: u8, handle: Handle) {
        self.handles[slot_of(position)] = handle;
    }

    fn vacate(&mut self, position: u8) {
        let (block, lane) = lane_of(position);
        self.corners[block][0][0][lane] = S::NAN;
    }

    #[inline]
    fn matching(&self, test: impl Fn(usize, S, S) -> bool) -> u64 {
        let mut mask = 0;
        for (block, corners) in self.corners.iter().enumerate() {
            let mut lanes = [1; LANES];
            for (axis, [minima, maxima]) in corners.iter().enumerate() {
                for ((lane, &min), &max) in lanes.iter_mut().zip(minima).zip(maxima) {
                    *lane &= u8::from(test(axis, min, max));
                }
            }
            mask |= lanes_to_bits(lanes) << (block * LANES);
        }
        mask
    }
}
