//! Four numbers compared at once: the only place that names `wide`.
//!
//! Four are what every processor of today compares in one or two instructions, and few enough that all coordinates of
//! an entry lie in one or two lines of the cache.

use core::ops::BitAnd;

use wide::{f32x4, f64x4};

/// How many numbers.
pub(crate) const LANES: usize = 4;

/// Four numbers; or, as what a comparison gives, for each lane whether it holds.
pub trait Lanes<S>: Copy + From<[S; LANES]> + BitAnd<Output = Self> {
    /// The same number in all lanes.
    fn splat(value: S) -> Self;
    /// Lane by lane, whether this number is at or below the other.
    #[must_use]
    fn at_most(self, other: Self) -> Self;
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
            fn at_most(self, other: Self) -> Self {
                self.simd_le(other)
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
