//! Distances between boxes: an exact rank for one pair, and rough squares for several boxes at once.
//!
//! The distance is that of the closest points. Ordered queries rank objects by its square, computed in `f64`.
//!
//! Keeps Q8, Q9 and Q12 of `docs/invariants.md`, as far as they speak of distances.

use super::simd::{Simd, SimdBase};
use super::{Rank, Rect, Scalar};

/// The rank of the distance between two boxes. Neither has a NaN, and the second one is finite.
#[inline]
pub(crate) fn distance<S: Scalar, const D: usize>(target: &Rect<f64, D>, shape: &Rect<S, D>) -> Rank {
    Rank::of_square(
        #[inline]
        |scale| sum_of_squares(gaps(target, shape, scale)),
    )
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

/// The gap between the boxes on each axis, computed from coordinates that are multiplied by `scale`: they are scaled
/// before they are subtracted, since the difference itself may overflow.
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

/// The rank of the distance between the points of two boxes that are farthest from each other. Both are finite.
#[inline]
pub(super) fn farthest<S: Scalar, const D: usize>(from: &Rect<f64, D>, shape: &Rect<S, D>) -> Rank {
    let ends = core::array::from_fn::<_, D, _>(|axis| {
        let [min, max] = [shape.min()[axis].to_f64(), shape.max()[axis].to_f64()];
        if from.max()[axis] - min < max - from.min()[axis] { [from.min()[axis], max] } else { [from.max()[axis], min] }
    });
    distance(&Rect::from_point(ends.map(|[end, _]| end)), &Rect::from_point(ends.map(|[_, end]| end)))
}

#[inline]
pub(super) fn sum_of_squares<const D: usize>(gaps: [f64; D]) -> f64 {
    gaps.iter().fold(0.0, |sum, gap| sum + gap * gap)
}

/// An upper bound of the rough squares of distances that have at most this rank.
#[inline]
pub(crate) fn rough_square<S: Scalar>(rank: Rank) -> S {
    loosened(S::from_f64(rank.square_or_more()))
}

/// Two limits of rough squares. If the rough square exceeds the first, the distance exceeds this rank; if it is at most
/// the second, the distance does not. Between the two only the exact distance decides.
#[inline]
pub(crate) fn rough_limits<S: Scalar>(rank: Rank) -> [S; 2] {
    let square = S::from_f64(rank.coarse());
    // As `loosened` does, but downward.
    let surely = square * (S::from(1) - S::from(16) * S::EPSILON) - S::from(16) * S::MIN_POSITIVE;
    [rough_square(rank), if square.is_finite() { surely } else { S::NEG_INFINITY }]
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

/// Rough squares of the distances of eight points from one point; NaN where a point has a NaN.
#[inline(always)]
pub(crate) fn rough_squares_of_points<V: Simd, S: Scalar, const D: usize>(
    target: &[[S::Lanes<V>; 2]; D],
    points: &[[S::Lanes<V>; 2]; D],
) -> S::Lanes<V> {
    // In this order the processor reads the points as it subtracts them.
    let gap = target[0][0] - points[0][0];
    let mut squares = gap * gap;
    for axis in 1..D {
        let gap = target[axis][0] - points[axis][0];
        squares += gap * gap;
    }
    squares
}

/// Rough squares of the distances of eight boxes from one box; NaN where the first coordinate of a box is NaN.
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

    /// Of two objects about equally far, the rough square of one and the limits by the other never say the opposite of the
    /// exact ranks; and they leave little undecided.
    #[test]
    fn rough_limits_are_true_and_tight() {
        rough_limits_by::<f32>(&[-20, -3, 0, 13, 40]);
        rough_limits_by::<f64>(&[-460, -450, -300, 0, 27, 300, 500]);
    }

    fn rough_limits_by<S: Scalar>(exponents: &[i32]) {
        let origin = Rect::from_point([0.0; 3]);
        let rough = |at: [S; 3]| at.iter().fold(S::from(0), |sum, &gap| sum + gap * gap);
        for &exponent in exponents {
            let scale = S::from_f64(2.0_f64.powi(exponent));
            for number in 0..400_u16 {
                let at = [number % 13 + 1, number % 7, number % 5].map(|part| S::from(part * 64 + number) * scale);
                let near = [at[2], at[0].next_up(), at[1].next_down().abs()];
                let [rank, other] = [at, near].map(|at| distance(&origin, &Rect::from_point(at)));
                let [perhaps, surely] = rough_limits::<S>(rank);
                let told = [rough(near) <= perhaps || rank < other, surely < rough(near) || other <= rank];
                assert_eq!(told, [true; 2], "{at:?} {near:?}");
                if 0.0 < rank.coarse() && rank.coarse().is_finite() && rough(at).is_finite() {
                    let (square, slack) = (rough(at), S::from(64) * S::MIN_POSITIVE);
                    let little = S::from(64) * S::EPSILON * square + slack;
                    assert!(perhaps - square <= little && square - surely <= little, "{at:?} {perhaps:?} {surely:?}");
                }
            }
        }
    }
}
