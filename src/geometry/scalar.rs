//! The two types of coordinates, and the arithmetic that the crate needs of them. Knows no shapes.

use core::fmt::{Debug, Display};
use core::ops::{Add, Div, Mul, Sub};

use super::simd::Vector;

/// A coordinate: `f32` or `f64`. Sealed, since the crate relies on properties of exactly these two.
///
/// ```
/// # use quadrille::{Quadtree, Rect, Scalar};
/// // Code for both types of coordinates.
/// fn everywhere<S: Scalar>(index: &Quadtree<(), S>) -> usize {
///     index.intersecting(Rect::new([S::NEG_INFINITY; 2], [S::INFINITY; 2])).count()
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "coordinates are `f32` or `f64`, not `{Self}`",
    label = "`f32` or `f64` is expected",
    note = "write `1.0`, not `1`; for whole numbers see <https://github.com/quadrille-rs/quadrille/blob/main/docs/guide/numbers.md#integers>"
)]
pub trait Scalar:
    Vector
    + Copy
    + Debug
    + Display
    + Default
    + PartialEq
    + PartialOrd
    + Add<Output = Self>
    + Mul<Output = Self>
    + Sub<Output = Self>
    + Div<Output = Self>
    + From<u16>
    + Into<f64>
    + Send
    + Sync
    + Unpin
    + core::panic::UnwindSafe
    + core::panic::RefUnwindSafe
    + 'static
{
    /// One half.
    const HALF: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Negative infinity.
    const NEG_INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// The largest finite number.
    const MAX: Self;
    /// The distance from 1 to the next larger number.
    const EPSILON: Self;
    /// The smallest positive normal number.
    const MIN_POSITIVE: Self;

    /// The value as an `f64`, which holds it exactly.
    fn to_f64(self) -> f64 {
        self.into()
    }
    /// The nearest value to an `f64`; an `f32` overflows to infinity.
    fn from_f64(value: f64) -> Self;
    /// Whether the value is neither NaN nor infinite.
    fn is_finite(self) -> bool;
    /// The value without its sign.
    #[must_use]
    fn abs(self) -> Self;
    /// The integer part, saturating at the ends of `u32`; NaN gives 0.
    fn to_u32(self) -> u32;
    /// The next larger number; infinity and NaN stay.
    #[must_use]
    fn next_up(self) -> Self;
    /// The next smaller number; negative infinity and NaN stay.
    #[must_use]
    fn next_down(self) -> Self;
}

/// A coordinate moved by an offset: the first number that is not before the sum, as it moves. So what is moved out of a world
/// is not rounded onto its border, and touches only what it touches exactly.
pub(crate) fn shifted<S: Scalar>(at: S, by: f64) -> S {
    let from = at.to_f64();
    let sum = from + by;
    let (rounded, added) = (S::from_f64(sum), sum - from);
    // All that both roundings have left out.
    let rest = (sum - rounded.to_f64()) + ((from - (sum - added)) + (by - added));
    if 0.0 < by && 0.0 < rest {
        rounded.next_up()
    } else if by < 0.0 && rest < 0.0 {
        rounded.next_down()
    } else {
        rounded
    }
}

/// The smaller of two numbers; the first if they are equal or one is NaN.
#[inline(always)]
pub(crate) fn smaller<S: PartialOrd>(a: S, b: S) -> S {
    if b < a { b } else { a }
}

/// The larger of two numbers; the first if they are equal or one is NaN.
#[inline(always)]
pub(crate) fn larger<S: PartialOrd>(a: S, b: S) -> S {
    if a < b { b } else { a }
}

/// The least number of a type that includes something as a limit, given about that number: what is told of an answer is a
/// limit for the next question.
pub(crate) fn rounded_up<S: Scalar>(about: f64, includes: impl Fn(f64) -> bool) -> S {
    let nearest = S::from_f64(about);
    if includes(nearest.to_f64()) { nearest } else { nearest.next_up() }
}

/// Halfway between two numbers, rounded: never beyond one of them.
#[inline(always)]
pub(crate) fn middle<S: Scalar>(min: S, max: S) -> S {
    // Large coordinates, whose sum would overflow, are halved before they are added; tiny ones cannot be halved.
    if (min + max).is_finite() { (min + max) * S::HALF } else { min * S::HALF + max * S::HALF }
}

/// The power of two that scales a number to between 1 and 2, or as close to that as a power of two can at the ends of
/// the range of numbers.
///
/// Scaling by it rounds only numbers that are tiny beside that number. So products of scaled numbers neither overflow
/// nor underflow where it matters.
pub(super) fn power_to_one(number: f64) -> f64 {
    let exponent = number.to_bits() >> 52 & 0x7FF;
    f64::from_bits(2046_u64.saturating_sub(exponent).max(1) << 52)
}

/// The larger magnitude of two numbers; a NaN in the second is ignored.
pub(super) fn larger_magnitude(a: f64, b: f64) -> f64 {
    larger(a.abs(), b.abs())
}

macro_rules! impl_scalar {
    ($float:ident, $($constant:ident)*, $($method:ident -> $result:ty),*) => {
        impl Scalar for $float {
            const HALF: Self = 0.5;
            $(const $constant: Self = $float::$constant;)*

            #[allow(clippy::cast_possible_truncation, reason = "fires for f32 only; documented: rounds")]
            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $float
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the cast saturates, and the grid relies on that"
            )]
            #[inline]
            fn to_u32(self) -> u32 {
                self as u32
            }
            $(#[inline]
            fn $method(self) -> $result {
                self.$method()
            })*
        }
    };
    ($($float:ident)*) => {$(
        impl_scalar!(
            $float,
            INFINITY NEG_INFINITY NAN MAX EPSILON MIN_POSITIVE,
            is_finite -> bool, abs -> Self, next_up -> Self, next_down -> Self
        );
    )*};
}

impl_scalar!(f32 f64);
