//! Buckets of points.

use core::array;

use crate::geometry::{LANES, Rect, Scalar};
use crate::key::{Handle, Kind};
use crate::tree::{BUCKET_SLOTS, Bucket};

use super::lanes::{BLOCKS, Coordinates, gather, lane_of, slot_of};

/// Up to 64 points: coordinates in blocks, axis by axis, and after them the handles.
#[derive(Clone, Debug)]
#[repr(align(64))] // a line of the cache
pub(crate) struct PointBucket<S, const D: usize> {
    coordinates: [[Coordinates<S>; D]; BLOCKS],
    handles: [Handle; BUCKET_SLOTS],
}

impl<S: Scalar, const D: usize> Bucket<S, D> for PointBucket<S, D> {
    const KIND: Kind = Kind::Points;
    const EXTENDED: bool = false;

    fn vacant() -> Self {
        Self { coordinates: [[[S::NAN; LANES]; D]; BLOCKS], handles: [Handle::default(); BUCKET_SLOTS] }
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
    fn matching(&self, test: impl Fn(usize, S::Lanes, S::Lanes) -> S::Lanes) -> u64 {
        gather::<S, _>(&self.coordinates, |block| {
            let on_axis = |axis: usize| {
                let values = block[axis].into();
                test(axis, values, values)
            };
            (1..D).fold(on_axis(0), |all, axis| all & on_axis(axis))
        })
    }

    #[inline]
    fn block(&self, block: usize) -> [[S::Lanes; 2]; D] {
        let coordinates = &self.coordinates[block];
        array::from_fn(|axis| [coordinates[axis].into(); 2])
    }
}
