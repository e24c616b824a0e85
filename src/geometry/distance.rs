//! Distances between boxes: an exact rank for one pair, and rough squares for several boxes at once.
//!
//! The distance is that of the closest points. Ordered queries rank objects by its square, computed in `f64`. For
//! coordinates of `f32` the square neither overflows nor underflows. For coordinates of `f64` it may: then a second
//! number decides, the square of the distance scaled by a power of two.
//!
//! Keeps Q8, Q9 and Q12 of `docs/invariants.md`, as far as they speak of distances.

use super::{Rank, Rect, Scalar, Simd, SimdBase};

/// Squares from `TINY` on have all their digits. Distances with smaller squares are compared by the square of the
/// distance times `UP`.
const TINY: f64 = power_of_two(-900);
const UP: f64 = power_of_two(563);
/// Distances whose squares overflow are compared by the square of the distance times `DOWN`.
const DOWN: f64 = power_of_two(-600);

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits((1023 + exponent).cast_unsigned() << 52)
}

/// Whether a square tells distances apart: it has neither overflowed nor lost digits.
#[inline]
pub(crate) fn is_usual(square: f64) -> bool {
    (TINY..f64::INFINITY).contains(&square)
}

/// The rank of the distance between two boxes. Neither has a NaN, and the second one is finite.
#[inline]
pub(crate) fn distance<S: Scalar, const D: usize>(target: &Rect<f64, D>, shape: &Rect<S, D>) -> Rank {
    let square = sum_of_squares(gaps(target, shape, 1.0));
    if is_usual(square) { Rank::new(square, 0.0) } else { unusual_distance(target, shape, square) }
}

#[cold]
fn unusual_distance<S: Scalar, const D: usize>(target: &Rect<f64, D>, shape: &Rect<S, D>, square: f64) -> Rank {
    if square < TINY {
        Rank::new(0.0, sum_of_squares(gaps(target, shape, 1.0).map(|gap| gap * UP)))
    } else {
        // Coordinates are scaled before they are subtracted, since the difference itself may overflow.
        Rank::new(square, sum_of_squares(gaps(target, shape, DOWN)))
    }
}

impl<S: Scalar, const D: usize> Rect<S, D> {
    /// The square of the distance between the closest points of the two boxes, computed in `f64`; 0 if they touch or
    /// overlap.
    ///
    /// A box inside another one is never nearer to a third than that one is, to the last bit. So it serves as a bound
    /// for a metric of one's own: see [`Metric`](crate::Metric). A NaN counts as no distance on its axis.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let door = Rect::new([0.0_f32, 0.0], [2.0, 1.0]);
    /// assert_eq!(door.distance_squared(&Rect::from_point([5.0, 5.0])), 25.0);
    /// assert_eq!(door.distance_squared(&Rect::from_point([1.0, 1.0])), 0.0);
    /// ```
    #[must_use]
    pub fn distance_squared(&self, other: &Self) -> f64 {
        sum_of_squares(gaps(&self.to_f64(), other, 1.0))
    }
}

/// The rank of objects at exactly this distance, which is neither negative nor NaN.
pub(crate) fn rank_of_distance(distance: f64) -> Rank {
    let square = distance * distance;
    let scaled = |scale: f64| distance * scale * (distance * scale);
    if is_usual(square) {
        Rank::new(square, 0.0)
    } else if square < TINY {
        Rank::new(0.0, scaled(UP))
    } else {
        Rank::new(square, scaled(DOWN))
    }
}

/// The square of a distance as a plain number, rounded.
#[inline]
pub(crate) fn square_of<S: Scalar>(rank: Rank) -> S {
    let square = if rank.coarse() == 0.0 { rank.fine() / UP / UP } else { rank.coarse() };
    S::from_f64(square)
}

/// The gap between the boxes on each axis, computed from coordinates that are multiplied by `scale`.
#[inline]
fn gaps<S: Scalar, const D: usize>(target: &Rect<f64, D>, shape: &Rect<S, D>, scale: f64) -> [f64; D] {
    let mut gaps = [0.0; D];
    for (axis, gap) in gaps.iter_mut().enumerate() {
        let after = shape.min()[axis].to_f64() * scale - target.max()[axis] * scale;
        let before = target.min()[axis] * scale - shape.max()[axis].to_f64() * scale;
        let most = if after < before { before } else { after };
        *gap = if 0.0 < most { most } else { 0.0 };
    }
    gaps
}

/// The rank of the distance from a point to the farthest point of a box. Both are finite.
#[inline]
pub(super) fn farthest<S: Scalar, const D: usize>(point: [f64; D], shape: &Rect<S, D>) -> Rank {
    let mut corner = point;
    for (axis, at) in corner.iter_mut().enumerate() {
        let [min, max] = [shape.min()[axis], shape.max()[axis]].map(S::to_f64);
        *at = if *at - min < max - *at { max } else { min };
    }
    distance(&Rect::from_point(point), &Rect::from_point(corner))
}

#[inline]
fn sum_of_squares<const D: usize>(gaps: [f64; D]) -> f64 {
    gaps.iter().fold(0.0, |sum, gap| sum + gap * gap)
}

/// An upper bound, rounding included, of the distance on any one axis if the distance has at most this rank. It is up
/// to 6 % too large.
pub(crate) fn radius(rank: Rank) -> f64 {
    let root = if rank.coarse() == 0.0 {
        root_above(rank.fine()) / UP
    } else if rank.coarse() < f64::INFINITY {
        root_above(rank.coarse())
    } else if rank.fine() < f64::INFINITY {
        root_above(rank.fine()) / DOWN
    } else {
        return f64::INFINITY;
    };
    // A square and a sum of three are rounded by less than 2^-50 together.
    root * (1.0 + power_of_two(-40))
}

/// An upper bound, rounding included, of the square of a distance with at most this rank, if all coordinates are
/// multiplied by `scale`. It may vanish where it is less than any square of a gap that takes part in a comparison.
#[inline]
pub(crate) fn above_square(rank: Rank, scale: f64) -> f64 {
    let square = if rank.coarse() < TINY { TINY } else { rank.coarse() };
    square * scale * scale * (1.0 + power_of_two(-40))
}

/// An upper bound of the square root of a finite number.
///
/// Halves the exponent, and with it the bits of the fraction. This turns `4^k * (1 + f)` into `2^k * (1 + f/2)`, whose
/// square is larger by `4^k * f^2/4`. It turns `2 * 4^k * (1 + f)` into `2^k * (3/2 + f/2)`, whose square is larger by
/// `4^k * (1 - f)^2/4`. Zero becomes `3/2 * 2^-512`.
fn root_above(square: f64) -> f64 {
    f64::from_bits((square.to_bits() >> 1) + (1023 << 51))
}

/// An upper bound of the rough squares of distances that have at most this rank.
pub(crate) fn rough_square<S: Scalar>(rank: Rank) -> S {
    loosened(S::from_f64(if rank.coarse() < TINY { TINY } else { rank.coarse() }))
}

/// Two limits of rough squares. If the rough square exceeds the first, the distance exceeds this rank; if it is at most
/// the second, the distance does not. Between the two only the exact distance decides.
pub(crate) fn rough_limits<S: Scalar>(rank: Rank) -> [S; 2] {
    let square = S::from_f64(rank.coarse());
    // As `loosened` does, but downward.
    let surely = square * (S::from(1) - S::from(16) * S::EPSILON) - S::from(16) * S::MIN_POSITIVE;
    let tells = is_usual(rank.coarse()) && square.is_finite();
    [rough_square(rank), if tells { surely } else { S::NEG_INFINITY }]
}

/// Raises a bound of rough squares by the largest error that they can have.
///
/// A rough square is off by a factor of `1 ± 5/2 EPSILON` at most (a difference, its square and two sums are rounded;
/// the difference counts twice), and by three times the smallest number. So if one object has the rough square `r`, an
/// object that is no farther away has a rough square of at most `r (1 + 6 EPSILON)` and a little.
#[inline]
pub(crate) fn loosened<S: Scalar>(rough: S) -> S {
    rough * (S::from(1) + S::from(16) * S::EPSILON) + S::MIN_POSITIVE
}

/// Rough squares of the distances of several points from one point; NaN where a point has a NaN.
#[inline(always)]
pub(crate) fn rough_squares_of_points<V: Simd, S: Scalar, const D: usize>(
    target: &[[S::Lanes<V>; 2]; D],
    points: &[[S::Lanes<V>; 2]; D],
) -> S::Lanes<V> {
    let gap = points[0][0] - target[0][0];
    let mut squares = gap * gap;
    for axis in 1..D {
        let gap = points[axis][0] - target[axis][0];
        squares += gap * gap;
    }
    squares
}

/// Rough squares of the distances of several boxes from one box; NaN where the first coordinate of a box is NaN.
#[inline(always)]
pub(crate) fn rough_squares<V: Simd, S: Scalar, const D: usize>(
    simd: V,
    target: &[[S::Lanes<V>; 2]; D],
    boxes: &[[S::Lanes<V>; 2]; D],
) -> S::Lanes<V> {
    let zero = S::Lanes::splat(simd, S::from(0));
    // Processors differ on the maximum with a NaN. NaN times zero is NaN everywhere.
    let mut squares = boxes[0][0] * zero;
    for ([from, to], [min, max]) in target.iter().zip(boxes) {
        let gap = (*min - *to).max(*from - *max).max(zero);
        squares += gap * gap;
    }
    squares
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
            let radius = radius(rank_of_distance(distance));
            assert!(distance <= radius && radius <= 1.07 * distance, "{distance:e}: {radius:e}");
        }
        for distance in distances().filter(|distance| is_usual(distance * distance)) {
            let (above, square) = (above_square(rank_of_distance(distance), 0.5), distance * distance * 0.25);
            let error = (above - square) / square;
            assert!(power_of_two(-41) < error && error < power_of_two(-39), "{distance:e}: {error:e}");
        }
        assert!(radius(rank_of_distance(0.0)) < f64::MIN_POSITIVE);
        assert!(radius(Rank::INFINITY).is_infinite());
    }

    /// Squares are told as far as they are numbers.
    #[test]
    fn squares_are_those_of_distances() {
        for distance in distances() {
            let (told, square) = (square_of::<f64>(rank_of_distance(distance)), distance * distance);
            let are_equal = told.to_bits() == square.to_bits();
            assert!(are_equal || (told - square).abs() <= f64::MIN_POSITIVE, "{distance:e}: {told:e}");
        }
    }

    /// Of two objects about equally far, the rough square of one and the limits by the other never say the opposite of the
    /// exact ranks; and they leave little undecided.
    #[test]
    fn rough_limits_are_true_and_tight() {
        rough_limits_by::<f32>(&[-20, -3, 0, 13, 40]);
        rough_limits_by::<f64>(&[-460, -450, -300, 0, 27, 300, 500]);
    }

    fn rough_limits_by<S: Scalar>(exponents: &[i64]) {
        let origin = Rect::from_point([0.0; 3]);
        let rough = |at: [S; 3]| at.iter().fold(S::from(0), |sum, &gap| sum + gap * gap);
        for &exponent in exponents {
            let scale = S::from_f64(power_of_two(exponent));
            for number in 0..400_u16 {
                let at = [number % 13 + 1, number % 7, number % 5].map(|part| S::from(part * 64 + number) * scale);
                let near = [at[2], at[0].next_up(), at[1].next_down().abs()];
                let [rank, other] = [at, near].map(|at| distance(&origin, &Rect::from_point(at)));
                let [perhaps, surely] = rough_limits::<S>(rank);
                let told = [rough(near) <= perhaps || rank < other, surely < rough(near) || other <= rank];
                assert_eq!(told, [true; 2], "{at:?} {near:?}");
                if is_usual(rank.coarse()) && rough(at).is_finite() {
                    let (square, slack) = (rough(at), S::from(64) * S::MIN_POSITIVE);
                    let little = S::from(64) * S::EPSILON * square + slack;
                    assert!(perhaps - square <= little && square - surely <= little, "{at:?} {perhaps:?} {surely:?}");
                }
            }
        }
    }
}
