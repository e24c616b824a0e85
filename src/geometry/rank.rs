//! The rank of an object in an ordered query: a number from zero to infinity, with a second one for where the first is
//! too coarse.

use core::cmp::Ordering;

/// Where an object comes in an ordered answer. Compared as it stands, `coarse` first.
///
/// The numbers are kept as their bits, which for numbers from zero up are in the same order and compared faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank {
    coarse: u64,
    fine: u64,
}

impl Rank {
    pub(crate) const ZERO: Self = Self { coarse: 0, fine: 0 };
    pub(crate) const INFINITY: Self = Self { coarse: f64::INFINITY.to_bits(), fine: f64::INFINITY.to_bits() };

    /// The rank of numbers that are at or above zero, not a negative zero, and no NaN.
    #[inline]
    pub(crate) fn new(coarse: f64, fine: f64) -> Self {
        debug_assert!(coarse.is_sign_positive() && !coarse.is_nan(), "{coarse}");
        debug_assert!(fine.is_sign_positive() && !fine.is_nan(), "{fine}");
        Self { coarse: coarse.to_bits(), fine: fine.to_bits() }
    }

    #[inline]
    pub(crate) fn coarse(self) -> f64 {
        f64::from_bits(self.coarse)
    }

    #[inline]
    pub(crate) fn fine(self) -> f64 {
        f64::from_bits(self.fine)
    }

    /// The lesser of two.
    pub(crate) fn or_less(self, other: Self) -> Self {
        if self.cmp(&other) == Ordering::Greater { other } else { self }
    }
}

impl Ord for Rank {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.coarse.cmp(&other.coarse).then_with(|| self.fine.cmp(&other.fine))
    }
}

impl PartialOrd for Rank {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    // Nearly always the first number decides, and the compiler does not see that.

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.coarse < other.coarse || (self.coarse == other.coarse && self.fine < other.fine)
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        self.coarse < other.coarse || (self.coarse == other.coarse && self.fine <= other.fine)
    }
}
