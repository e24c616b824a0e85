//! The rank of an object in an ordered query: a number from zero to infinity, and a second one for where the first is
//! too coarse. Does not know what it measures.
//!
//! Keeps Q8 of `docs/invariants.md`, as far as it speaks of order.

use core::cmp::Ordering;

/// The position of an object in an ordered query. `coarse` is compared first.
///
/// Both are bits of an `f64`. For numbers from zero up, bits have the same order as the numbers and are compared
/// faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank {
    coarse: u64,
    fine: u64,
}

impl Rank {
    pub(crate) const ZERO: Self = Self { coarse: 0, fine: 0 };
    pub(crate) const INFINITY: Self = Self { coarse: f64::INFINITY.to_bits(), fine: f64::INFINITY.to_bits() };

    /// After all ranks.
    pub(crate) const NEVER: Self = Self { coarse: u64::MAX, fine: u64::MAX };

    /// The rank of two numbers, neither of which is NaN, negative, or negative zero.
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

    /// The rank right before this one, which is not zero.
    pub(crate) fn before(self) -> Self {
        match self.fine.checked_sub(1) {
            Some(fine) => Self { fine, ..self },
            None => Self { coarse: self.coarse - 1, fine: Self::INFINITY.fine },
        }
    }

    /// Whether this is [`NEVER`](Self::NEVER), which no object has.
    #[inline]
    pub(crate) fn is_never(self) -> bool {
        self.coarse == u64::MAX
    }

    #[inline]
    pub(crate) fn is_zero(self) -> bool {
        self.coarse | self.fine == 0
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

    // Written by hand, since the compiler does not know that nearly always the first number decides.

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.coarse < other.coarse || (self.coarse == other.coarse && self.fine < other.fine)
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        self.coarse < other.coarse || (self.coarse == other.coarse && self.fine <= other.fine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rank_is_between_one_and_the_rank_before() {
        for rank in [Rank::new(2.0, 3.0), Rank::new(2.0, 0.0), Rank::new(0.0, f64::MIN_POSITIVE), Rank::INFINITY] {
            let before = rank.before();
            assert!(before < rank && before <= rank && before != rank, "{before:?} {rank:?}");
            let is_next = if before.coarse == rank.coarse {
                before.fine + 1 == rank.fine
            } else {
                (before.coarse + 1, before.fine, rank.fine) == (rank.coarse, Rank::INFINITY.fine, 0)
            };
            assert!(is_next, "{before:?} {rank:?}");
        }
    }
}
