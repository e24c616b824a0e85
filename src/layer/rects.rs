//! Buckets of rectangles.

use core::array;

use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind};
use crate::tree::{BUCKET_SLOTS, Bucket};

use super::lanes::{Coordinates, gather, lane_of, select, slot_of};

/// Up to 64 boxes: corners, axis by axis, and after them the handles.
#[derive(Clone, Debug)]
#[repr(align(64))] // a line of the cache
pub(crate) struct RectBucket<S, const D: usize> {
    /// For each axis the minima, then the maxima.
    corners: [[Coordinates<S>; 2]; D],
    handles: [Handle; BUCKET_SLOTS],
}

impl<S: Scalar, const D: usize> Bucket<S, D> for RectBucket<S, D> {
    const KIND: Kind = Kind::Rects;
    const EXTENDED: bool = true;

    fn vacant() -> Self {
        Self { corners: [[[S::NAN; BUCKET_SLOTS]; 2]; D], handles: [Handle::default(); BUCKET_SLOTS] }
    }

    #[inline]
    fn handle(&self, position: u8) -> Handle {
        self.handles[slot_of(position)]
    }

    #[inline]
    fn shape(&self, position: u8) -> Rect<S, D> {
        let lane = lane_of::<S>(position);
        let corner = |end: usize| array::from_fn(|axis| self.corners[axis][end][lane]);
        Rect::ordered(corner(0), corner(1))
    }

    #[inline]
    fn set_shape(&mut self, position: u8, shape: &Rect<S, D>) {
        let lane = lane_of::<S>(position);
        for axis in 0..D {
            self.corners[axis][0][lane] = shape.min()[axis];
            self.corners[axis][1][lane] = shape.max()[axis];
        }
    }

    #[inline]
    fn set_handle(&mut self, position: u8, handle: Handle) {
        self.handles[slot_of(position)] = handle;
    }

    fn vacate(&mut self, position: u8) {
        self.corners[0][0][lane_of::<S>(position)] = S::NAN;
    }

    #[inline]
    fn matching(&self, test: impl Fn(usize, S, S) -> bool) -> u64 {
        let mut bits = S::VECTOR_BITS;
        for (axis, [minima, maxima]) in self.corners.iter().enumerate() {
            select::<S>(&mut bits, |lane| test(axis, minima[lane], maxima[lane]));
        }
        gather::<S>(&bits)
    }
}
