//! Buckets of points.

use core::array;

use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind};
use crate::tree::{BUCKET_SLOTS, Bucket};

use super::lanes::{LANES, lane_of, lanes_to_bits, slot_of};

/// Up to 64 points: blocks of coordinates, axis by axis, and after them the handles.
#[derive(Clone, Debug)]
#[repr(align(64))] // a line of the cache
pub(crate) struct PointBucket<S, const D: usize> {
    coordinates: [[[S; LANES]; D]; BUCKET_SLOTS / LANES],
    handles: [Handle; BUCKET_SLOTS],
}

impl<S: Scalar, const D: usize> Bucket<S, D> for PointBucket<S, D> {
    const KIND: Kind = Kind::Points;
    const EXTENDED: bool = false;

    fn vacant() -> Self {
        Self { coordinates: [[[S::NAN; LANES]; D]; BUCKET_SLOTS / LANES], handles: [Handle::default(); BUCKET_SLOTS] }
    }

    #[inline]
    fn handle(&self, position: u8) -> Handle {
        self.handles[slot_of(position)]
    }

    #[inline]
    fn shape(&self, position: u8) -> Rect<S, D> {
        let (block, lane) = lane_of(position);
        Rect::at(array::from_fn::<S, D, _>(|axis| self.coordinates[block][axis][lane]))
    }

    #[inline]
    fn set_shape(&mut self, position: u8, shape: &Rect<S, D>) {
        let (block, lane) = lane_of(position);
        for axis in 0..D {
            self.coordinates[block][axis][lane] = shape.min()[axis];
        }
    }

    #[inline]
    fn set_handle(&mut self, position: u8, handle: Handle) {
        self.handles[slot_of(position)] = handle;
    }

    fn vacate(&mut self, position: u8) {
        let (block, lane) = lane_of(position);
        self.coordinates[block][0][lane] = S::NAN;
    }

    #[inline]
    fn matching(&self, test: impl Fn(usize, S, S) -> bool) -> u64 {
        let mut mask = 0;
        for (block, coordinates) in self.coordinates.iter().enumerate() {
            let mut lanes = [1; LANES];
            for (axis, values) in coordinates.iter().enumerate() {
                for (lane, &value) in lanes.iter_mut().zip(values) {
                    *lane &= u8::from(test(axis, value, value));
                }
            }
            mask |= lanes_to_bits(lanes) << (block * LANES);
        }
        mask
    }
}
