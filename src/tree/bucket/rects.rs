//! The storage of rectangles, or of cuboids in 3D.

use core::array;

use crate::geometry::{LANES, Rect, Scalar, Simd, SimdBase};
use crate::key::{Handle, Kind};
use crate::prefetch::prefetch;

use super::blocks::{BLOCKS, Coordinates, lane_of, slot_of};
use super::{BUCKET_SLOTS, Bucket};

/// Up to 64 boxes: rows of corners, axis by axis, then the handles.
#[derive(Clone, Debug)]
#[repr(align(64))] // a cache line
pub(crate) struct RectBucket<S, const D: usize> {
    /// For each row and axis the minima, then the maxima.
    corners: [[[Coordinates<S>; 2]; D]; BLOCKS],
    handles: [Handle; BUCKET_SLOTS],
}

impl<S: Scalar, const D: usize> Bucket<D> for RectBucket<S, D> {
    type Scalar = S;

    const KIND: Kind = Kind::Rects;
    const EXTENDED: bool = true;

    fn vacant() -> Self {
        Self { corners: [[[[S::NAN; LANES]; 2]; D]; BLOCKS], handles: [Handle::default(); BUCKET_SLOTS] }
    }

    #[inline]
    fn handles(&self) -> &[Handle; BUCKET_SLOTS] {
        &self.handles
    }

    #[inline]
    fn shape(&self, position: u8) -> Rect<S, D> {
        let (block, lane) = lane_of(position);
        let corner = |end: usize| array::from_fn(|axis| self.corners[block][axis][end][lane]);
        Rect::ordered(corner(0), corner(1))
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
    fn prefetch_shape(&self, position: u8) {
        prefetch(self.corners[lane_of(position).0].as_flattened());
    }

    #[inline]
    fn prefetch_shapes(&self) {
        prefetch(self.corners.as_flattened().as_flattened());
    }

    #[inline(always)]
    fn block<V: Simd>(&self, simd: V, block: usize) -> [[S::Lanes<V>; 2]; D] {
        let mut boxes = [[S::Lanes::splat(simd, S::NAN); 2]; D];
        for (ends, [min, max]) in boxes.iter_mut().zip(&self.corners[block]) {
            *ends = [S::Lanes::load_array(simd, *min), S::Lanes::load_array(simd, *max)];
        }
        boxes
    }
}
