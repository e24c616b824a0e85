//! Buckets of rectangles.

use core::array;

use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind};
use crate::tree::{BUCKET_SLOTS, Bucket, lanes_to_bits};

/// Slots whose coordinates on one axis lie side by side, to be compared at once.
const LANES: usize = 8;

/// Up to 64 boxes: blocks of corners, axis by axis, and after them the handles.
#[derive(Clone, Debug)]
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
        self.handles[usize::from(position)]
    }

    #[inline]
    fn shape(&self, position: u8) -> Rect<S, D> {
        let (block, lane) = (usize::from(position) / LANES, usize::from(position) % LANES);
        let corners = &self.corners[block];
        Rect::ordered(array::from_fn(|axis| corners[axis][0][lane]), array::from_fn(|axis| corners[axis][1][lane]))
    }

    #[inline]
    fn set_shape(&mut self, position: u8, shape: &Rect<S, D>) {
        let (block, lane) = (usize::from(position) / LANES, usize::from(position) % LANES);
        for axis in 0..D {
            self.corners[block][axis][0][lane] = shape.min()[axis];
            self.corners[block][axis][1][lane] = shape.max()[axis];
        }
    }

    #[inline]
    fn set_handle(&mut self, position: u8, handle: Handle) {
        self.handles[usize::from(position)] = handle;
    }

    fn vacate(&mut self, position: u8) {
        self.set_shape(position, &Rect::at([S::NAN; D]));
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
