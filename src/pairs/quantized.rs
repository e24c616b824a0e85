//! Quantized bounds: up to 64 boxes compared with another one at once, roughly, by bytes.
//!
//! On each axis, coordinates are quantized to 256 steps between the ends of the bounds around all boxes. One byte is
//! the step in which a box begins, another one the step in which it ends. Quantizing is monotone, and the same for all
//! boxes, so boxes that meet have quantized bounds that meet.
//!
//! It does not know what the boxes are compared with. Keeps invariant Q12 of `docs/invariants.md`.

use crate::geometry::{
    LANES, Lanes, Rect, Scalar, Simd, SimdBase, SimdMask, Vectorized, extend, greatest, i8x64, least,
};
use crate::tree::{BUCKET_SLOTS, Bucket, BucketRef, positions, with_kind};

/// One byte for each box.
type Bytes = [i8; BUCKET_SLOTS];

/// For each axis the steps in which the boxes of a block begin, and those in which they end. A step is the lowest byte
/// of a number.
type QuantizedBlock<S, const D: usize> = [[[S; LANES]; 2]; D];

/// The quantized bounds of some boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantized<S, const D: usize> {
    /// The smallest box around the boxes.
    pub(super) bounds: Rect<S, D>,
    /// For each axis its origin and its scale. The step of a coordinate is its distance from the origin, scaled and
    /// rounded, minus 128.
    axes: [[S; 2]; D],
    /// For each axis the steps in which the boxes begin, and the steps in which they end.
    ends: [[Bytes; 2]; D],
}

/// The origin and the scale of an axis.
fn origin_and_scale<S: Scalar>(low: S, high: S) -> [S; 2] {
    let extent = high - low;
    let scale = S::from(255) / extent;
    // Without a finite scale, because the extent is 0 or overflows, all coordinates are in one step.
    if extent.is_finite() && scale.is_finite() { [low, scale] } else { [S::from(0); 2] }
}

/// Bounds and axes, spread over vectors.
#[derive(Clone, Copy)]
pub(super) struct Steps<V: Simd, S: Scalar, const D: usize> {
    bounds: [[Lanes<V, S>; 2]; D],
    /// The origin and the scale.
    axes: [[Lanes<V, S>; 2]; D],
    rounding: Lanes<V, S>,
}

impl<V: Simd, S: Scalar, const D: usize> Steps<V, S, D> {
    /// The quantized bounds of boxes that meet the bounds. Those of other boxes are arbitrary.
    #[inline(always)]
    pub(super) fn quantize(&self, boxes: &[[Lanes<V, S>; 2]; D]) -> QuantizedBlock<S, D> {
        let mut quantized = [[[S::from(0); LANES]; 2]; D];
        for axis in 0..D {
            let ([from, to], [low, high]) = (boxes[axis], self.bounds[axis]);
            quantized[axis] = [self.step(axis, from.max(low)), self.step(axis, to.min(high))];
        }
        quantized
    }

    /// The steps of coordinates that lie within the bounds.
    #[inline(always)]
    fn step(&self, axis: usize, at: Lanes<V, S>) -> [S; LANES] {
        let [origin, scale] = self.axes[axis];
        ((at - origin) * scale + self.rounding).to_array()
    }
}

impl<S: Scalar, const D: usize> Quantized<S, D> {
    /// The quantized bounds of no boxes.
    pub(super) fn none() -> Self {
        Self { bounds: Rect::nowhere(), axes: [[S::from(0); 2]; D], ends: [[[0; BUCKET_SLOTS]; 2]; D] }
    }

    /// The bounds and axes, spread over vectors.
    #[inline(always)]
    pub(super) fn steps<V: Simd>(&self, simd: V) -> Steps<V, S, D> {
        let mut bounds = [[S::Lanes::splat(simd, S::NAN); 2]; D];
        let mut axes = bounds;
        for axis in 0..D {
            let (low, high) = (self.bounds.min()[axis], self.bounds.max()[axis]);
            let splat = |at| S::Lanes::splat(simd, at);
            (bounds[axis], axes[axis]) = ([low, high].map(splat), self.axes[axis].map(splat));
        }
        Steps { bounds, axes, rounding: S::Lanes::splat(simd, S::ROUNDING) }
    }

    /// The boxes that may meet one of a block, as bits: at least all that do. Bits beyond the boxes may be set.
    #[inline(always)]
    pub(super) fn candidates<V: Simd>(&self, simd: V, block: &QuantizedBlock<S, D>, lane: usize) -> u64 {
        let apart = |axis: usize| {
            let [begins, ends] = self.ends[axis].map(
                #[inline(always)]
                |bytes| i8x64::load_array(simd, bytes),
            );
            let [from, to] = &block[axis];
            let from = i8x64::splat(simd, from[lane % LANES].low_byte());
            from.simd_gt(ends) | begins.simd_gt(i8x64::splat(simd, to[lane % LANES].low_byte()))
        };
        let mut all_apart = apart(0);
        for axis in 1..D {
            all_apart |= apart(axis);
        }
        !all_apart.to_bitmask()
    }
}

/// The quantization of the bounds of some entries of a bucket. There must be at least one.
pub(super) struct Quantize<'a, S, const D: usize> {
    pub(super) bucket: BucketRef<'a, S, D>,
    /// All entries in use, and those to quantize, as bits.
    pub(super) used: u64,
    pub(super) entries: u64,
    pub(super) boxes: &'a mut Quantized<S, D>,
}

impl<S: Scalar, const D: usize> Quantize<'_, S, D> {
    #[inline(always)]
    fn all_in<V: Simd, const ENDS: usize>(self, simd: V, bucket: &Bucket<S, D, ENDS>) {
        let bounds = self.bounds(simd, bucket);
        self.boxes.bounds = bounds;
        for axis in 0..D {
            self.boxes.axes[axis] = origin_and_scale(bounds.min()[axis], bounds.max()[axis]);
        }
        let steps = self.boxes.steps(simd);
        for number in 0..blocks_of(self.entries) {
            let quantized = steps.quantize(&bucket.row(simd, number));
            for (into, ends) in self.boxes.ends.iter_mut().zip(&quantized) {
                for (into, ends) in into.iter_mut().zip(ends) {
                    for (into, end) in into[number * LANES..][..LANES].iter_mut().zip(ends) {
                        *into = end.low_byte();
                    }
                }
            }
        }
    }

    /// The smallest box around the entries.
    #[inline(always)]
    fn bounds<V: Simd, const ENDS: usize>(&self, simd: V, bucket: &Bucket<S, D, ENDS>) -> Rect<S, D> {
        if self.entries != self.used {
            let shapes = positions(self.entries).map(|position| bucket.shape(position));
            return shapes.reduce(|a, b| a.hull(&b)).unwrap_or_else(Rect::nowhere);
        }
        let none = [S::Lanes::splat(simd, S::INFINITY), S::Lanes::splat(simd, S::NEG_INFINITY)];
        let mut bounds = [none; D];
        for number in 0..blocks_of(self.used) {
            extend::<V, S, D>(&mut bounds, &bucket.row(simd, number), &none);
        }
        let (mut low, mut high) = ([S::NAN; D], [S::NAN; D]);
        for axis in 0..D {
            (low[axis], high[axis]) = (least(bounds[axis][0].to_array()), greatest(bounds[axis][1].to_array()));
        }
        Rect::ordered(low, high)
    }
}

impl<S: Scalar, const D: usize> Vectorized for Quantize<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) {
        with_kind!(self.bucket, |bucket| self.all_in(simd, bucket));
    }
}

/// The number of blocks that hold the entries.
#[inline]
pub(super) fn blocks_of(used: u64) -> usize {
    (BUCKET_SLOTS - used.leading_zeros() as usize).div_ceil(LANES)
}
