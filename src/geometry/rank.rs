//! The rank of an object in an ordered query: a time, or a distance by its square.
//!
//! A square in `f64` orders distances correctly unless it overflows or loses digits. With coordinates of `f32` it does
//! neither. With coordinates of `f64` it overflows from distances of `2^512` on, and loses digits below `2^-450`. There the
//! square of a scaled distance decides. Only this file knows that. Of equal times, a second time may decide.
//!
//! Keeps Q8 of `docs/invariants.md`, as far as it speaks of order.

use core::cmp::Ordering;

use super::Scalar;
use super::scalar::{larger, rounded_up};
use super::simd::Vector as _;

/// Squares from `TINY` on have all their digits. Distances with smaller squares are compared by the square of the
/// distance times `UP`.
const TINY: f64 = power_of_two(-900);
const UP: f64 = power_of_two(563);
/// Distances whose squares overflow are compared by the square of the distance times `DOWN`.
const DOWN: f64 = power_of_two(-600);

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits((1023 + exponent).cast_unsigned() << 52)
}

/// Whether a square has neither overflowed nor lost digits.
#[inline]
fn is_usual(square: f64) -> bool {
    (TINY..f64::INFINITY).contains(&square)
}

/// The position of an object in an ordered query.
///
/// Both numbers are the bits of an `f64`. The bits of numbers from zero up have the same order as the numbers, and are
/// compared faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank {
    /// A time, or a square: 0 if it loses digits, infinity if it overflows.
    coarse: u64,
    /// The square of the scaled distance where the square loses digits or overflows; the second time if there is one;
    /// otherwise 0.
    fine: u64,
}

impl Rank {
    pub(crate) const ZERO: Self = Self { coarse: 0, fine: 0 };
    pub(crate) const INFINITY: Self = Self::new(f64::INFINITY, f64::INFINITY);

    /// After the ranks of all objects.
    pub(crate) const NEVER: Self = Self { coarse: u64::MAX, fine: u64::MAX };

    /// The rank of two numbers, neither of which is NaN, negative, or negative zero.
    #[inline]
    const fn new(coarse: f64, fine: f64) -> Self {
        debug_assert!(coarse.is_sign_positive() && !coarse.is_nan());
        debug_assert!(fine.is_sign_positive() && !fine.is_nan());
        Self { coarse: coarse.to_bits(), fine: fine.to_bits() }
    }

    /// The rank of a time, which is neither NaN, negative, nor negative zero.
    #[inline]
    pub(crate) fn of_time(time: f64) -> Self {
        Self::new(time, 0.0)
    }

    /// The rank of a time among objects that are told apart by a second time. Both are as in [`of_time`](Self::of_time).
    #[inline]
    pub(crate) fn of_times(time: f64, second: f64) -> Self {
        Self::new(time, second)
    }

    /// The last rank at a time.
    #[inline]
    pub(crate) fn last_at(time: f64) -> Self {
        Self::new(time, f64::INFINITY)
    }

    #[inline]
    pub(crate) fn time(self) -> f64 {
        self.coarse()
    }

    /// The rank of the distance that has this square if all coordinates are multiplied by a power of two.
    #[inline]
    pub(crate) fn of_square(square_at: impl Fn(f64) -> f64) -> Self {
        let square = square_at(1.0);
        if is_usual(square) { Self::new(square, 0.0) } else { Self::of_unusual_square(square, square_at) }
    }

    #[cold]
    fn of_unusual_square(square: f64, square_at: impl Fn(f64) -> f64) -> Self {
        if square < TINY { Self::new(0.0, square_at(UP)) } else { Self::new(square, square_at(DOWN)) }
    }

    /// The rank of a square; `None` if the square has overflowed or lost digits.
    pub(crate) fn of_usual_square(square: f64) -> Option<Self> {
        is_usual(square).then(|| Self::new(square, 0.0))
    }

    /// The rank of objects at exactly this distance, which is neither negative nor NaN.
    pub(crate) fn of_distance(distance: f64) -> Self {
        Self::of_square(|scale| distance * scale * (distance * scale))
    }

    /// A time, or a square: 0 if it loses digits, infinity if it overflows.
    #[inline]
    pub(super) fn coarse(self) -> f64 {
        f64::from_bits(self.coarse)
    }

    /// A number that grows with the rank, or stays.
    #[inline]
    pub(crate) fn rounded(self) -> f32 {
        self.coarse() as f32
    }

    #[inline]
    fn fine(self) -> f64 {
        f64::from_bits(self.fine)
    }

    /// The square of the distance, rounded: it may vanish or be infinite.
    #[inline]
    pub(crate) fn square(self) -> f64 {
        if self.coarse() == 0.0 { self.fine() / UP / UP } else { self.coarse() }
    }

    /// The distance, rounded.
    pub(crate) fn distance(self) -> f64 {
        if self.coarse() == 0.0 {
            self.fine().square_root() / UP
        } else if self.coarse() < f64::INFINITY {
            self.coarse().square_root()
        } else {
            self.fine().square_root() / DOWN
        }
    }

    /// The least number of a type that, as a limit of distances, includes this one.
    pub(crate) fn distance_up<S: Scalar>(self) -> S {
        rounded_up(self.distance(), |limit| self <= Self::of_distance(limit))
    }

    /// The square of the distance, or a greater number where the square loses digits.
    #[inline]
    pub(super) fn square_or_more(self) -> f64 {
        larger(self.coarse(), TINY)
    }

    /// An upper bound, rounding included, of the square of a distance with at most this rank, if all coordinates are
    /// multiplied by `scale`. It may vanish where it is less than any square of a gap that takes part in a comparison.
    #[inline]
    pub(crate) fn above_square(self, scale: f64) -> f64 {
        self.square_or_more() * scale * scale * (1.0 + power_of_two(-40))
    }

    /// An upper bound, rounding included, of the distance on any one axis if the distance has at most this rank. It is
    /// up to 6 % too large.
    pub(crate) fn radius(self) -> f64 {
        let root = if self.coarse() == 0.0 {
            root_above(self.fine()) / UP
        } else if self.coarse() < f64::INFINITY {
            root_above(self.coarse())
        } else if self.fine() < f64::INFINITY {
            root_above(self.fine()) / DOWN
        } else {
            return f64::INFINITY;
        };
        // A square and a sum of three are rounded by less than 2^-50 together.
        root * (1.0 + power_of_two(-40))
    }

    /// Whether the first number alone tells that this rank lies between two others, neither of which it is.
    #[inline]
    pub(crate) fn is_well_between(self, low: Self, high: Self) -> bool {
        low.coarse < self.coarse && self.coarse < high.coarse
    }

    /// The rank right before this one, which must not be zero.
    pub(crate) fn before(self) -> Self {
        let (fine, borrows) = self.fine.overflowing_sub(1);
        Self { coarse: self.coarse - u64::from(borrows), fine }
    }

    /// Whether this is [`NEVER`](Self::NEVER), which no object has.
    #[inline]
    pub(crate) fn is_never(self) -> bool {
        self.coarse == Self::NEVER.coarse
    }

    /// The rank as one number, in the same order.
    pub(crate) fn bits(self) -> u128 {
        u128::from(self.coarse) << 64 | u128::from(self.fine)
    }

    /// The rank that has these bits. Of bits that no rank has, it is before or after all that are compared with it.
    pub(crate) fn from_bits(bits: u128) -> Self {
        Self { coarse: (bits >> 64) as u64, fine: bits as u64 }
    }

    #[inline]
    pub(crate) fn is_zero(self) -> bool {
        self.coarse | self.fine == 0
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

    // Written by hand, since the compiler does not know that the first number nearly always decides.

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.coarse < other.coarse || (self.coarse == other.coarse && self.fine < other.fine)
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        self.coarse < other.coarse || (self.coarse == other.coarse && self.fine <= other.fine)
    }
}

/// An upper bound of the square root of a finite number.
///
/// Halves the exponent, and with it the bits of the fraction. This turns `4^k * (1 + f)` into `2^k * (1 + f/2)`, whose
/// square is larger by `4^k * f^2/4`. It turns `2 * 4^k * (1 + f)` into `2^k * (3/2 + f/2)`, whose square is larger by
/// `4^k * (1 - f)^2/4`. Zero becomes `3/2 * 2^-512`.
fn root_above(square: f64) -> f64 {
    f64::from_bits((square.to_bits() >> 1) + (1023 << 51))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all magnitudes whose squares come out exact, powers of two among them, and others.
    fn distances() -> impl Iterator<Item = f64> {
        (-1020..1020)
            .step_by(3)
            .flat_map(|exponent| [1.0, 1.25, 1.37, 1.99].map(|times| times * power_of_two(exponent)))
    }

    /// A radius is never below the distance, and a few percent above it; and so with squares.
    #[test]
    fn radii_are_tight_bounds() {
        for distance in distances() {
            let radius = Rank::of_distance(distance).radius();
            assert!(distance <= radius && radius <= 1.07 * distance, "{distance:e}: {radius:e}");
        }
        for distance in distances().filter(|distance| is_usual(distance * distance)) {
            let (above, square) = (Rank::of_distance(distance).above_square(0.5), distance * distance * 0.25);
            let error = (above - square) / square;
            assert!(power_of_two(-41) < error && error < power_of_two(-39), "{distance:e}: {error:e}");
        }
        assert!(Rank::of_distance(0.0).radius() < f64::MIN_POSITIVE);
        assert!(Rank::INFINITY.radius().is_infinite());
    }

    /// Squares come back unless they overflow or vanish.
    #[test]
    fn squares_are_those_of_distances() {
        for distance in distances() {
            let (returned, square) = (Rank::of_distance(distance).square(), distance * distance);
            let are_equal = returned.to_bits() == square.to_bits();
            assert!(are_equal || (returned - square).abs() <= f64::MIN_POSITIVE, "{distance:e}: {returned:e}");
        }
    }
}
