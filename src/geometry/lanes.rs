//! Numbers compared several at once, with the widest vectors worth having: the only place that names `fearless_simd`.
//!
//! What is generic over [`Simd`] is compiled twice for x86-64, for its baseline and for AVX2, and [`dispatch`] chooses
//! at run time. Functions on the way from there to a comparison are `inline(always)`, since what is not inlined knows
//! nothing of the wider vectors.

use fearless_simd::Select;

pub(crate) use fearless_simd::Simd;
pub(crate) use fearless_simd::{Level, SimdBase, SimdMask, f32x8, f64x8, i8x64};

/// How many numbers are compared at once: those of one line of the cache, for points of `f32` in the plane.
pub(crate) const LANES: usize = 8;

/// For each lane whether a comparison holds.
pub(crate) type Hits<V, S> = <<S as super::Scalar>::Lanes<V> as fearless_simd::SimdBase<V>>::Mask;

/// Lane by lane the lesser number; `other` where this is NaN. (Of the minimum of a NaN every processor thinks otherwise.)
#[inline(always)]
pub(crate) fn lesser<V: Simd, L: SimdBase<V>>(this: L, other: L) -> L {
    this.simd_lt(other).select(this, other)
}

/// Makes bounds hold further boxes, lane by lane, but for those that begin with a NaN: there `none` stands for them.
#[inline(always)]
pub(crate) fn extend<V: Simd, S: super::Scalar, const D: usize>(
    bounds: &mut [[S::Lanes<V>; 2]; D],
    boxes: &[[S::Lanes<V>; 2]; D],
    none: &[S::Lanes<V>; 2],
) {
    let is_box = boxes[0][0].simd_le(boxes[0][0]);
    for ([low, high], [min, max]) in bounds.iter_mut().zip(boxes) {
        *low = low.min(is_box.select(*min, none[0]));
        *high = high.max(is_box.select(*max, none[1]));
    }
}

/// The least of several numbers.
pub(crate) fn least<S: super::Scalar>(numbers: [S; LANES]) -> S {
    numbers.into_iter().fold(S::INFINITY, |least, number| if number < least { number } else { least })
}

/// The greatest of several numbers.
pub(crate) fn greatest<S: super::Scalar>(numbers: [S; LANES]) -> S {
    numbers.into_iter().fold(S::NEG_INFINITY, |greatest, number| if greatest < number { number } else { greatest })
}

/// The ends of a box, for several to be compared with.
#[inline(always)]
pub(crate) fn splat<V: Simd, S: super::Scalar, const D: usize>(
    simd: V,
    rect: &super::Rect<S, D>,
) -> [[S::Lanes<V>; 2]; D] {
    let mut lanes = [[S::Lanes::splat(simd, S::NAN); 2]; D];
    for (axis, ends) in lanes.iter_mut().enumerate() {
        *ends = [S::Lanes::splat(simd, rect.min()[axis]), S::Lanes::splat(simd, rect.max()[axis])];
    }
    lanes
}

/// Work that is done with vectors of whatever width.
pub(crate) trait Vectorized {
    type Output;

    fn run<V: Simd>(self, simd: V) -> Self::Output;
}

/// What the processor can do.
#[inline]
pub(crate) fn level() -> Level {
    Level::try_detect().unwrap_or_else(Level::baseline)
}

/// Does work with the vectors of a level.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn dispatch<W: Vectorized>(level: Level, work: W) -> W::Output {
    if let Some(simd) = level.as_avx2() {
        return simd.vectorize(
            #[inline(always)]
            || work.run(simd),
        );
    }
    // Wider vectors than those of AVX2 add little, and every version has to be compiled.
    out_of_line(work, level.as_sse2().expect("every x86-64 processor has SSE2"))
}

/// Keeps the caller short, whose other way is the one that is taken.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn out_of_line<W: Vectorized>(work: W, simd: impl Simd) -> W::Output {
    work.run(simd)
}

/// Does work with the vectors of a level.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn dispatch<W: Vectorized>(level: Level, work: W) -> W::Output {
    fearless_simd::dispatch!(level, simd => work.run(simd))
}

#[cfg(test)]
mod tests {
    use super::super::Scalar;
    use super::*;

    struct Nans;

    impl Vectorized for Nans {
        type Output = ();

        fn run<V: Simd>(self, simd: V) {
            of_a_nan::<V, f32>(simd);
            of_a_nan::<V, f64>(simd);
        }
    }

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
        dispatch(level(), Nans);
        dispatch(Level::baseline(), Nans);
    }
}
