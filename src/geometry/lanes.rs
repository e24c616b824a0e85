//! Four numbers compared and reckoned with at once: the only place that names `wide`.
//!
//! Four are what every processor of today compares in one or two instructions, and few enough that all coordinates of
//! an entry lie in one or two lines of the cache.

use core::ops::{Add, BitAnd, Mul, Sub};

use wide::{f32x4, f64x4};

/// How many numbers.
pub(crate) const LANES: usize = 4;

/// Four numbers; or, as what a comparison gives, for each lane whether it holds.
pub trait Lanes<S>:
    Copy + From<[S; LANES]> + BitAnd<Output = Self> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// The same number in all lanes.
    fn splat(value: S) -> Self;
    /// The numbers one by one.
    fn to_array(self) -> [S; LANES];
    /// Lane by lane, whether this number is at or below the other.
    #[must_use]
    fn at_most(self, other: Self) -> Self;
    /// Lane by lane the lesser number; the other one where this is NaN.
    #[must_use]
    fn lesser(self, other: Self) -> Self;
    /// Lane by lane the lesser number; either one, if one is NaN.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// Lane by lane the greater number; either one, if one is NaN.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// The lanes that hold, as bits.
    fn bits(self) -> u64;
}

macro_rules! impl_lanes {
    ($vector:ident, $float:ident) => {
        impl Lanes<$float> for $vector {
            #[inline]
            fn splat(value: $float) -> Self {
                Self::splat(value)
            }
            #[inline]
            fn to_array(self) -> [$float; LANES] {
                self.to_array()
            }
            #[inline]
            fn at_most(self, other: Self) -> Self {
                self.simd_le(other)
            }
            #[inline]
            fn lesser(self, other: Self) -> Self {
                // What "fast" does with a NaN is not the same on all processors; on these it is right.
                if cfg!(target_feature = "sse2") {
                    self.fast_min(other)
                } else {
                    self.simd_le(other).bitselect(self, other)
                }
            }
            #[inline]
            fn min(self, other: Self) -> Self {
                self.fast_min(other)
            }
            #[inline]
            fn max(self, other: Self) -> Self {
                self.fast_max(other)
            }
            #[inline]
            fn bits(self) -> u64 {
                self.to_bitmask().into()
            }
        }
    };
}

impl_lanes!(f32x4, f32);
impl_lanes!(f64x4, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lesser_of_a_nan_is_the_other() {
        fn of<S: Copy + PartialEq + core::fmt::Debug, L: Lanes<S>>([one, two, nan]: [S; 3]) {
            assert_eq!(L::from([one, two, nan, one]).lesser(L::splat(one)).to_array(), [one; LANES]);
            assert_eq!(L::splat(nan).lesser(L::splat(two)).to_array(), [two; LANES]);
        }
        of::<f32, f32x4>([1.0, 2.0, f32::NAN]);
        of::<f64, f64x4>([1.0, 2.0, f64::NAN]);
    }
}
