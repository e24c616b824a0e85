//! Quantized bounds: up to 64 boxes are compared with another one at once, roughly, by bytes.
//!
//! On each axis, coordinates are quantized to 256 steps between the ends of the bounds around all boxes. One byte is
//! the step in which a box begins, another one the step in which it ends. Quantizing is monotone, and the same for all
//! boxes, so boxes that meet have quantized bounds that meet.
//!
//! It does not know what the boxes are compared with. Keeps invariant Q12 of `docs/invariants.md`.

use crate::geometry::{LANES, Lanes, Level, Rect, Scalar, Simd, SimdBase, SimdMask, i8x64, splat, with_vectors};
use crate::tree::{BUCKET_SLOTS, Bucket, BucketRef, rows_of, with_kind};

/// One byte for each box.
type Bytes = [i8; BUCKET_SLOTS];

/// For each axis the steps in which the boxes of a row begin, and the steps in which they end. A step is the lowest
/// byte of a number.
type QuantizedRow<S, const D: usize> = [[[S; LANES]; 2]; D];

/// The quantized bounds of some boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantized<S, const D: usize> {
    /// The smallest box around the boxes.
    pub(super) bounds: Rect<S, D>,
    axes: [Axis<S>; D],
    /// For each axis the steps in which the boxes begin, and the steps in which they end.
    ends: [[Bytes; 2]; D],
}

/// The quantization of an axis. The step of a coordinate is its distance from the origin, scaled and rounded,
/// minus 128.
#[derive(Clone, Copy, Debug)]
struct Axis<S> {
    origin: S,
    scale: S,
}

impl<S: Scalar> Axis<S> {
    fn between(low: S, high: S) -> Self {
        let extent = high - low;
        let scale = S::from(255) / extent;
        if extent.is_finite() && scale.is_finite() {
            Self { origin: low, scale }
        } else {
            // Without a finite scale, because the extent is 0 or overflows, all coordinates are in one step.
            Self { origin: S::from(0), scale: S::from(0) }
        }
    }
}

/// Bounds and axes, spread over vectors.
#[derive(Clone, Copy)]
pub(super) struct QuantizedSteps<V: Simd, S: Scalar, const D: usize> {
    bounds: [[Lanes<V, S>; 2]; D],
    /// The origin and the scale.
    axes: [[Lanes<V, S>; 2]; D],
    rounding: Lanes<V, S>,
}

impl<V: Simd, S: Scalar, const D: usize> QuantizedSteps<V, S, D> {
    /// The quantized bounds of some boxes. Arbitrary for boxes that do not meet the bounds.
    #[inline(always)]
    pub(super) fn quantize(&self, boxes: &[[Lanes<V, S>; 2]; D]) -> QuantizedRow<S, D> {
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
        Self {
            bounds: Rect::nowhere(),
            axes: [Axis { origin: S::from(0), scale: S::from(0) }; D],
            ends: [[[0; BUCKET_SLOTS]; 2]; D],
        }
    }

    /// Quantizes some entries of a group, at least one, as bits.
    pub(super) fn quantize(&mut self, level: Level, bucket: BucketRef<'_, S, D>, entries: u64) {
        with_kind!(bucket, |bucket| with_vectors!(level, |simd| self.quantize_in(simd, bucket, entries)));
    }

    #[inline(always)]
    fn quantize_in<V: Simd, const ENDS: usize>(&mut self, simd: V, bucket: &Bucket<S, D, ENDS>, entries: u64) {
        let bounds = bucket.bounds(simd, entries);
        self.bounds = bounds;
        for axis in 0..D {
            self.axes[axis] = Axis::between(bounds.min()[axis], bounds.max()[axis]);
        }
        let steps = self.steps(simd);
        for number in 0..rows_of(entries) {
            let quantized = steps.quantize(&bucket.row(simd, number));
            for (into, ends) in self.ends.iter_mut().zip(&quantized) {
                for (into, ends) in into.iter_mut().zip(ends) {
                    for (into, end) in into[number * LANES..][..LANES].iter_mut().zip(ends) {
                        *into = end.low_byte();
                    }
                }
            }
        }
    }

    /// The bounds and axes, spread over vectors.
    #[inline(always)]
    pub(super) fn steps<V: Simd>(&self, simd: V) -> QuantizedSteps<V, S, D> {
        let bounds = splat(simd, &self.bounds);
        let mut axes = bounds;
        for (axis, Axis { origin, scale }) in axes.iter_mut().zip(&self.axes) {
            *axis = [S::Lanes::splat(simd, *origin), S::Lanes::splat(simd, *scale)];
        }
        QuantizedSteps { bounds, axes, rounding: S::Lanes::splat(simd, S::ROUNDING) }
    }

    /// The boxes that may meet one of a row, as bits: at least all that meet it. Bits beyond the boxes may be set.
    #[inline(always)]
    pub(super) fn candidates<V: Simd>(&self, simd: V, row: &QuantizedRow<S, D>, lane: usize) -> u64 {
        let apart = |axis: usize| {
            let [begins, ends] = self.ends[axis].map(
                #[inline(always)]
                |bytes| i8x64::load_array(simd, bytes),
            );
            let [from, to] = &row[axis];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::level;

    /// The number whose lowest byte is such a step.
    fn number<S: Scalar>(step: u8) -> S {
        S::ROUNDING + S::from(step.into())
    }

    /// Random boxes and targets in bytes: vectors compare steps as their definition says.
    #[test]
    fn vectors_compare_steps() {
        let mut state = 9_u64;
        let mut roll = |below: u8| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            ((state >> 33) % u64::from(below)) as u8
        };
        for _ in 0..200 {
            let mut boxes = Quantized::<f32, 2>::none();
            let mut target: QuantizedRow<f32, 2> = [[[0.0; LANES]; 2]; 2];
            let mut steps = [[0_u8; 2]; 2];
            for axis in 0..2 {
                for position in 0..BUCKET_SLOTS {
                    let from = roll(250);
                    let to = from + roll(6);
                    boxes.ends[axis][0][position] = (from ^ 0x80).cast_signed();
                    boxes.ends[axis][1][position] = (to ^ 0x80).cast_signed();
                }
                let from = roll(200);
                steps[axis] = [from, from + roll(50)];
                target[axis] = steps[axis].map(|step| [number(step); LANES]);
            }
            let meets = |position: usize| {
                (0..2).all(|axis| {
                    let [begin, end] = [0, 1].map(|end| boxes.ends[axis][end][position].cast_unsigned() ^ 0x80);
                    steps[axis][0] <= end && begin <= steps[axis][1]
                })
            };
            let meeting = (0..BUCKET_SLOTS).filter(|&at| meets(at)).fold(0, |bits, at| bits | 1_u64 << at);
            for level in [level(), Level::baseline()] {
                assert_eq!(with_vectors!(level, |simd| boxes.candidates(simd, &target, 3)), meeting);
            }
        }
    }
}
