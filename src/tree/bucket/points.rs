//! The storage of points. A point has no extent, so one coordinate per axis is both minimum and maximum.

use core::array;

use crate::geometry::{LANES, Rect, Scalar, Simd, SimdBase};
use crate::key::{Handle, Kind};
use crate::prefetch::prefetch;

use super::blocks::{BLOCKS, Coordinates, lane_of, slot_of};
use super::{BUCKET_SLOTS, Bucket};

/// Up to 64 points: rows of coordinates, axis by axis, then the handles.
#[derive(Clone, Debug)]
#[repr(align(64))] // a cache line
pub(crate) struct PointBucket<S, const D: usize> {
    coordinates: [[Coordinates<S>; D]; BLOCKS],
    handles: [Handle; BUCKET_SLOTS],
}

impl<S: Scalar, const D: usize> Bucket<D> for PointBucket<S, D> {
    type Scalar = S;

    const KIND: Kind = Kind::Points;
    const EXTENDED: bool = false;

    fn vacant() -> Self {
        Self { coordinates: [[[S::NAN; LANES]; D]; BLOCKS], handles: [Handle::default(); BUCKET_SLOTS] }
    }

    #[inline]
    fn handles(&self) -> &[Handle; BUCKET_SLOTS] {
        &self.handles
    }

    #[inline]
    fn shape(&self, position: u8) -> Rect<S, D> {
        let (block, lane) = lane_of(position);
        Rect::from_point(array::from_fn::<S, D, _>(|axis| self.coordinates[block][axis][lane]))
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
    fn prefetch_shape(&self, position: u8) {
        prefetch(&self.coordinates[lane_of(position).0]);
    }

    #[inline]
    fn prefetch_shapes(&self) {
        prefetch(self.coordinates.as_flattened());
    }

    #[inline(always)]
    fn block<V: Simd>(&self, simd: V, block: usize) -> [[S::Lanes<V>; 2]; D] {
        let mut points = [[S::Lanes::splat(simd, S::NAN); 2]; D];
        for (point, values) in points.iter_mut().zip(&self.coordinates[block]) {
            *point = [S::Lanes::load_array(simd, *values); 2];
        }
        points
    }
}
