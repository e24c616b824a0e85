//! Operations on several boxes or numbers at once, lane by lane. Does not know how wide vectors are.

use super::scalar::{larger, smaller};
use super::simd::{Hits, Select, Simd, SimdBase};
use super::{Rect, Scalar};

/// The lesser number of each lane; `other` where `this` is NaN. (Processors differ on the minimum with a NaN.)
#[inline(always)]
pub(crate) fn lesser<V: Simd, L: SimdBase<V>>(this: L, other: L) -> L {
    this.simd_lt(other).select(this, other)
}

/// The same as [`middle`](super::scalar::middle), in each lane.
#[inline(always)]
pub(crate) fn middle_lanes<V: Simd, S: Scalar>(simd: V, min: S::Lanes<V>, max: S::Lanes<V>) -> S::Lanes<V> {
    let [half, most, least] = [S::HALF, S::MAX, S::from(0) - S::MAX].map(|number| S::Lanes::splat(simd, number));
    let sum = min + max;
    let is_finite = least.simd_le(sum) & sum.simd_le(most);
    is_finite.select(sum * half, min * half + max * half)
}

/// Bounds of no boxes, lane by lane.
#[inline(always)]
pub(crate) fn no_bounds<V: Simd, S: Scalar, const D: usize>(simd: V) -> [[S::Lanes<V>; 2]; D] {
    [[S::INFINITY, S::NEG_INFINITY].map(|end| S::Lanes::splat(simd, end)); D]
}

/// Extends bounds by further boxes, in the lanes where there is one.
#[inline(always)]
pub(crate) fn extend<V: Simd, S: Scalar, const D: usize>(
    bounds: &mut [[S::Lanes<V>; 2]; D],
    boxes: &[[S::Lanes<V>; 2]; D],
    is_box: Hits<V, S>,
) {
    for ([low, high], [min, max]) in bounds.iter_mut().zip(boxes) {
        *low = is_box.select(low.min(*min), *low);
        *high = is_box.select(high.max(*max), *high);
    }
}

/// The box around the bounds in all lanes.
#[inline(always)]
pub(crate) fn around<V: Simd, S: Scalar, const D: usize>(bounds: &[[S::Lanes<V>; 2]; D]) -> Rect<S, D> {
    let [mut min, mut max] = [[S::NAN; D]; 2];
    for axis in 0..D {
        let [low, high] = [bounds[axis][0].to_array(), bounds[axis][1].to_array()];
        min[axis] = low.into_iter().fold(S::INFINITY, smaller);
        max[axis] = high.into_iter().fold(S::NEG_INFINITY, larger);
    }
    Rect::ordered(min, max)
}

/// The ends of a box, repeated in every lane.
#[inline(always)]
pub(crate) fn splat<V: Simd, S: Scalar, const D: usize>(simd: V, rect: &Rect<S, D>) -> [[S::Lanes<V>; 2]; D] {
    // A loop, since closures passed to the standard library are not compiled with the wider vectors.
    let mut lanes = [[S::Lanes::splat(simd, S::NAN); 2]; D];
    for (axis, ends) in lanes.iter_mut().enumerate() {
        *ends = [S::Lanes::splat(simd, rect.min()[axis]), S::Lanes::splat(simd, rect.max()[axis])];
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::super::simd::{LANES, Level, level, with_vectors};
    use super::*;

    fn of_a_nan<V: Simd, S: Scalar>(simd: V) {
        let splat = |value| S::Lanes::<V>::splat(simd, value);
        let [one, two] = [1, 2].map(S::from);
        let mut mixed = splat(one);
        mixed[2] = S::NAN;
        mixed[7] = two;
        assert_eq!(lesser(mixed, splat(one)).to_array(), [one; LANES]);
        assert_eq!(lesser(splat(S::NAN), splat(two)).to_array(), [two; LANES]);
    }

    #[test]
    fn the_lesser_of_a_nan_is_the_other() {
        for level in [level(), Level::baseline()] {
            with_vectors!(level, |simd| of_a_nan::<_, f32>(simd));
            with_vectors!(level, |simd| of_a_nan::<_, f64>(simd));
        }
    }
}
