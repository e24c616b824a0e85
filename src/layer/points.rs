//! Buckets of points.

use core::array;

use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind};
use crate::tree::{BUCKET_SLOTS, Bucket};

use super::lanes::{Coordinates, gather, lane_of, select, slot_of};

/// Up to 64 points: coordinates, axis by axis, and after them the handles.
#[derive(Clone, Debug)]
#[repr(align(64))] // a line of the cache
pub(crate) struct PointBucket<S, const D: usize> {
    coordinates: [Coordinates<S>; D],
    handles: [Handle; BUCKET_SLOTS],
}

impl<S: Scalar, const D: usize> Bucket<S, D> for PointBucket<S, D> {
    const KIND: Kind = Kind::Points;
    const EXTENDED: bool = false;

    fn vacant() -> Self {
        Self { coordinates: [[S::NAN; BUCKET_SLOTS]; D], handles: [Handle::default(); BUCKET_SLOTS] }
    }

    #[inline]
    fn handle(&self, position: u8) -> Handle {
        self.handles[slot_of(position)]
    }

    #[inline]
    fn shape(&self, position: u8) -> Rect<S, D> {
        let lane = lane_of::<S>(position);
        Rect::at(array::from_fn::<S, D, _>(|axis| self.coordinates[axis][lane]))
    }

    #[inline]
    fn set_shape(&mut self, position: u8, shape: &Rect<S, D>) {
        let lane = lane_of::<S>(position);
        for axis in 0..D {
            self.coordinates[axis][lane] = shape.min()[axis];
        }
    }

    #[inline]
    fn set_handle(&mut self, position: u8, handle: Handle) {
        self.handles[slot_of(position)] = handle;
    }

    fn vacate(&mut self, position: u8) {
        self.coordinates[0][lane_of::<S>(position)] = S::NAN;
    }

    #[inline]
    fn matching(&self, test: impl Fn(usize, S, S) -> bool) -> u64 {
        let mut bits = S::VECTOR_BITS;
        for (axis, values) in self.coordinates.iter().enumerate() {
            select::<S>(&mut bits, |lane| test(axis, values[lane], values[lane]));
        }
        gather::<S>(&bits)
    }
}
