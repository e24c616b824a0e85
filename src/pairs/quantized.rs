//! Quantized bounds: up to 64 boxes are compared with another one at once, roughly, by bytes.
//!
//! On each axis, coordinates are quantized to 256 steps between the ends of the bounds around all boxes. One byte is
//! the step in which a box begins, another one the step in which it ends. Quantizing is monotone, and the same for all
//! boxes, so boxes that meet have quantized bounds that meet.
//!
//! Without vectors, eight boxes at once are compared by a word. Then there are only 128 steps, so that each byte has a bit
//! to spare, which no difference of two steps carries beyond.
//!
//! It does not know what the boxes are compared with. Keeps invariant Q12 of `docs/invariants.md`.

use crate::geometry::{
    LANES, Lanes, Level, Rect, Scalar, Simd, SimdBase, SimdMask, are_emulated, around, extend, i8x64, larger_lanes,
    smaller_lanes, splat, with_vectors,
};
use crate::tree::{BUCKET_SLOTS, Bucket, BucketRef, positions, with_kind};

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
    /// For each axis the steps in which the boxes begin, and the steps in which they end. If vectors are emulated, the
    /// steps are halved and not negative.
    ends: [[Bytes; 2]; D],
}

/// A number in each byte of a word.
const IN_EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each byte of a word.
const HIGH_BITS: u64 = 0x80 * IN_EACH_BYTE;

/// The number of words that hold a byte for each box.
const WORDS: usize = BUCKET_SLOTS / size_of::<u64>();

/// One of the words of some bytes.
#[inline(always)]
fn word_of(bytes: &Bytes, number: usize) -> u64 {
    let mut word = [0; size_of::<u64>()];
    for (byte, step) in word.iter_mut().zip(&bytes[number * size_of::<u64>()..]) {
        *byte = step.cast_unsigned();
    }
    u64::from_le_bytes(word)
}

/// Half of a step, counted from 0.
#[inline(always)]
fn halved(step: i8) -> u8 {
    (step.cast_unsigned() ^ 0x80) >> 1
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
    simd: V,
}

impl<V: Simd, S: Scalar, const D: usize> QuantizedSteps<V, S, D> {
    /// The quantized bounds of some boxes. Arbitrary for boxes that do not meet the bounds.
    #[inline(always)]
    pub(super) fn quantize(&self, boxes: &[[Lanes<V, S>; 2]; D]) -> QuantizedRow<S, D> {
        let mut quantized = [[[S::from(0); LANES]; 2]; D];
        for axis in 0..D {
            let ([from, to], [low, high]) = (boxes[axis], self.bounds[axis]);
            let from = larger_lanes::<V, S>(self.simd, from, low);
            let to = smaller_lanes::<V, S>(self.simd, to, high);
            quantized[axis] = [self.step(axis, from), self.step(axis, to)];
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

    /// Quantizes some entries of a group, given all positions in use, as bits. There must be at least one entry.
    pub(super) fn quantize(&mut self, level: Level, bucket: BucketRef<'_, S, D>, used: u64, entries: u64) {
        with_kind!(bucket, |bucket| with_vectors!(level, |simd| self.quantize_in(simd, bucket, used, entries)));
    }

    #[inline(always)]
    fn quantize_in<V: Simd, const ENDS: usize>(
        &mut self,
        simd: V,
        bucket: &Bucket<S, D, ENDS>,
        used: u64,
        entries: u64,
    ) {
        let bounds = bounds_of(simd, bucket, used, entries);
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
        if are_emulated(simd) {
            self.halve();
        }
    }

    /// Halves all steps.
    fn halve(&mut self) {
        for step in self.ends.iter_mut().flatten().flatten() {
            *step = halved(*step).cast_signed();
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
        QuantizedSteps { bounds, axes, rounding: S::Lanes::splat(simd, S::ROUNDING), simd }
    }

    /// The boxes that may meet one of a row, as bits: at least all that meet it. Bits beyond the boxes may be set.
    #[inline(always)]
    pub(super) fn candidates<V: Simd>(&self, simd: V, row: &QuantizedRow<S, D>, lane: usize) -> u64 {
        if are_emulated(simd) {
            return self.candidates_by_words(row, lane);
        }
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

    /// As `candidates`, for halved steps.
    #[inline(always)]
    fn candidates_by_words(&self, row: &QuantizedRow<S, D>, lane: usize) -> u64 {
        let everywhere = |step: S| u64::from(halved(step.low_byte())) * IN_EACH_BYTE;
        let mut target = [[0; 2]; D];
        for (into, [from, to]) in target.iter_mut().zip(row) {
            *into = [everywhere(from[lane % LANES]), everywhere(to[lane % LANES]) | HIGH_BITS];
        }
        let mut candidates = 0;
        for number in (0..WORDS).rev() {
            // The high bit of a byte stays if the number subtracted is not greater than the other one.
            let mut meet = HIGH_BITS;
            for ([from, to], [begins, ends]) in target.iter().zip(&self.ends) {
                meet &= (word_of(ends, number) | HIGH_BITS) - from;
                meet &= to - word_of(begins, number);
            }
            // The product moves the bit of each byte to its place in the highest byte.
            candidates = candidates << 8 | (meet >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        }
        candidates
    }
}

/// The smallest box around some entries of a bucket, given all positions in use.
#[inline(always)]
fn bounds_of<V: Simd, S: Scalar, const D: usize, const ENDS: usize>(
    simd: V,
    bucket: &Bucket<S, D, ENDS>,
    used: u64,
    entries: u64,
) -> Rect<S, D> {
    if entries != used || are_emulated(simd) {
        let shapes = positions(entries).map(|position| bucket.shape(position));
        return shapes.reduce(|a, b| a.hull(&b)).unwrap_or_else(Rect::nowhere);
    }
    let none = [S::Lanes::splat(simd, S::INFINITY), S::Lanes::splat(simd, S::NEG_INFINITY)];
    let mut bounds = [none; D];
    for number in 0..rows_of(used) {
        extend::<V, S, D>(&mut bounds, &bucket.row(simd, number), &none);
    }
    around::<V, S, D>(&bounds)
}

/// The number of rows that hold the entries.
#[inline]
pub(super) fn rows_of(used: u64) -> usize {
    (BUCKET_SLOTS - used.leading_zeros() as usize).div_ceil(LANES)
}

#[cfg(test)]
mod tests {
    use core::array;

    use super::*;
    use crate::geometry::level;

    /// The number whose lowest byte is such a step.
    fn number<S: Scalar>(step: u8) -> S {
        S::ROUNDING + S::from(step.into())
    }

    /// Random boxes and targets in bytes: vectors and words compare steps and half steps as their definitions say.
    #[test]
    fn words_compare_half_steps() {
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
            let meeting = |boxes: &Quantized<f32, 2>, halves: u32| {
                let of = |axis: usize, end: usize, position: usize| boxes.ends[axis][end][position];
                let meets = |position: usize| {
                    (0..2).all(|axis| {
                        let [from, to] = steps[axis].map(|step| step >> halves);
                        let [begin, end] = [0, 1].map(|end| (of(axis, end, position).cast_unsigned() ^ 0x80) >> halves);
                        from <= end && begin <= to
                    })
                };
                (0..BUCKET_SLOTS).filter(|&position| meets(position)).fold(0, |bits, position| bits | 1_u64 << position)
            };
            let [whole, half] = array::from_fn(|halves| meeting(&boxes, halves as u32));
            let by_vectors = with_vectors!(level(), |simd| boxes.candidates(simd, &target, 3));
            assert_eq!(by_vectors, whole);
            boxes.halve();
            assert_eq!(boxes.candidates_by_words(&target, 3), half);
            assert_eq!(whole & !half, 0);
        }
    }
}
