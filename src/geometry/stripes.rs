//! Which of up to 64 boxes may meet another one, compared roughly but all at once: by bytes.
//!
//! The bounds of the boxes are divided into 256 stripes, on each axis apart. A byte says in which stripe a box begins,
//! another one in which it ends. The stripe of a coordinate is found by steps each of which is monotone, the same for all
//! boxes. So boxes that meet begin and end in stripes that do.

use super::simd::i8x64;
use super::{LANES, Rect, Scalar, Simd, SimdBase, SimdMask};

/// How many boxes are divided at most.
const BOXES: usize = 64;

/// One byte for each box.
type Bytes = [i8; BOXES];

/// For each axis the stripes in which the boxes of one block begin, and those in which they end.
/// As the lowest bytes of numbers.
pub(crate) type BlockStripes<S, const D: usize> = [[[S; LANES]; 2]; D];

/// Boxes by stripes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stripes<S, const D: usize> {
    bounds: Rect<S, D>,
    axes: [Axis<S>; D],
    /// For each axis the stripes in which the boxes begin, and those in which they end.
    ends: [[Bytes; 2]; D],
}

/// How an axis is divided: a coordinate's stripe is its distance from the origin, scaled and rounded, less 128.
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
            // Too long for numbers, or of no length: all is in one stripe.
            Self { origin: S::from(0), scale: S::from(0) }
        }
    }
}

/// Bounds and axes, for several boxes at once.
#[derive(Clone, Copy)]
pub(crate) struct Ruler<V: Simd, S: Scalar, const D: usize> {
    bounds: [[S::Lanes<V>; 2]; D],
    /// Origin and scale.
    axes: [[S::Lanes<V>; 2]; D],
    rounding: S::Lanes<V>,
}

impl<V: Simd, S: Scalar, const D: usize> Ruler<V, S, D> {
    /// Which of several boxes meet the bounds, as bits.
    #[inline(always)]
    pub(crate) fn near(&self, boxes: &[[S::Lanes<V>; 2]; D]) -> u64 {
        let mut near = boxes[0][0].simd_le(self.bounds[0][1]) & self.bounds[0][0].simd_le(boxes[0][1]);
        for (axis, [from, to]) in boxes.iter().enumerate().skip(1) {
            near &= from.simd_le(self.bounds[axis][1]) & self.bounds[axis][0].simd_le(*to);
        }
        near.to_bitmask()
    }

    /// In which stripes boxes begin and end that meet the bounds.
    #[inline(always)]
    pub(crate) fn stripes(&self, boxes: &[[S::Lanes<V>; 2]; D]) -> BlockStripes<S, D> {
        let mut stripes = [[[S::from(0); LANES]; 2]; D];
        for axis in 0..D {
            let ([from, to], [low, high]) = (boxes[axis], self.bounds[axis]);
            stripes[axis] = [self.stripe(axis, from.max(low)), self.stripe(axis, to.min(high))];
        }
        stripes
    }

    /// The stripes of coordinates that lie within the bounds.
    #[inline(always)]
    fn stripe(&self, axis: usize, at: S::Lanes<V>) -> [S; LANES] {
        let [origin, scale] = self.axes[axis];
        ((at - origin) * scale + self.rounding).to_array()
    }
}

impl<S: Scalar, const D: usize> Stripes<S, D> {
    /// Of no boxes.
    pub(crate) fn none() -> Self {
        let axis = Axis { origin: S::from(0), scale: S::from(0) };
        Self { bounds: Rect::nowhere(), axes: [axis; D], ends: [[[0; BOXES]; 2]; D] }
    }

    /// Divides boxes anew, given the smallest box around them, in so many blocks.
    #[inline(always)]
    pub(crate) fn divide<V: Simd>(
        &mut self,
        simd: V,
        bounds: Rect<S, D>,
        blocks: usize,
        block: impl Fn(usize) -> [[S::Lanes<V>; 2]; D],
    ) {
        self.bounds = bounds;
        for axis in 0..D {
            self.axes[axis] = Axis::between(bounds.min()[axis], bounds.max()[axis]);
        }
        let ruler = self.ruler(simd);
        for number in 0..blocks {
            let stripes = ruler.stripes(&block(number));
            for (into, stripes) in self.ends.iter_mut().zip(&stripes) {
                for (into, stripes) in into.iter_mut().zip(stripes) {
                    for (into, stripe) in into[number * LANES..][..LANES].iter_mut().zip(stripes) {
                        *into = stripe.low_byte();
                    }
                }
            }
        }
    }

    /// The smallest box around the boxes.
    pub(crate) fn bounds(&self) -> &Rect<S, D> {
        &self.bounds
    }

    /// The bounds and axes, for several boxes at once.
    #[inline(always)]
    pub(crate) fn ruler<V: Simd>(&self, simd: V) -> Ruler<V, S, D> {
        let mut bounds = [[S::Lanes::splat(simd, S::NAN); 2]; D];
        let mut axes = bounds;
        for axis in 0..D {
            let Axis { origin, scale } = self.axes[axis];
            let (low, high) = (self.bounds.min()[axis], self.bounds.max()[axis]);
            bounds[axis] = [S::Lanes::splat(simd, low), S::Lanes::splat(simd, high)];
            axes[axis] = [S::Lanes::splat(simd, origin), S::Lanes::splat(simd, scale)];
        }
        Ruler { bounds, axes, rounding: S::Lanes::splat(simd, S::ROUNDING) }
    }

    /// The boxes that may meet one of a block, as bits: at least all that do. May have bits beyond the boxes.
    #[inline(always)]
    pub(crate) fn candidates<V: Simd>(&self, simd: V, stripes: &BlockStripes<S, D>, lane: usize) -> u64 {
        let apart = |axis: usize| {
            let [begins, ends] = self.ends[axis].map(
                #[inline(always)]
                |stripes| i8x64::load_array(simd, stripes),
            );
            let [from, to] = &stripes[axis];
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
