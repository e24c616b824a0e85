//! Buckets of points.

use core::array;

use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind};
use crate::tree::{BUCKET_SLOTS, Bucket, lanes_to_bits};

/// Slots whose coordinates on one axis lie side by side, to be compared at once.
const LANES: usize = 8;

/// Up to 64 points: blocks of coordinates, axis by axis, and after them the handles.
#[derive(Clone, Debug)]
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
        self.handles[usize::from(position)]
    }

    #[inline]
    fn shape(&self, position: u8) -> Rect<S, D> {
        let (block, lane) = (usize::from(position) / LANES, usize::from(position) % LANES);
        Rect::at(array::from_fn::<S, D, _>(|axis| self.coordinates[block][axis][lane]))
    }

    #[inline]
    fn set_shape(&mut self, position: u8, shape: &Rect<S, D>) {
        let (block, lane) = (usize::from(position) / LANES, usize::from(position) % LANES);
        for axis in 0..D {
            self.coordinates[block][axis][lane] = shape.min()[axis];
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
