//! The ball: all that is near enough to a point.

use core::array;

use super::distance::{rank_of_distance, rough_limits, rough_squares, rough_squares_of_points};
use super::scalar::power_to_one;
use super::{Hits, Rect, Region, Scalar, Simd, SimdBase, splat};

/// All points within a distance of a center: a disc in 2D. Closed: what is just that far belongs to it.
///
/// A ball of radius 0 is its center, one of infinite radius is everywhere. With a negative radius, a NaN, or a center
/// that is not finite, it is nowhere.
///
/// Distances are compared by their squares, computed in `f64`: for coordinates of `f32` that is exact unless they are
/// of very different magnitude (a factor of 2^29 or so), and else what rounding of the last bit makes of it. Nothing
/// overflows, however large or small the numbers.
///
/// ```
/// use quadrille::{Ball, Rect, Region};
///
/// let ball = Ball::new([0.0_f32, 0.0], 5.0);
/// assert!(ball.intersects(&Rect::new([3.0, 4.0], [9.0, 9.0]))); // touched by a corner
/// assert!(!ball.intersects(&Rect::new([4.0, 4.0], [9.0, 9.0]))); // meets the bounds, not the ball
/// assert!(ball.contains(&Rect::new([-3.0, -4.0], [3.0, 4.0])));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball<S = f32, const D: usize = 2> {
    center: [S; D],
    radius: S,
    bounds: Rect<S, D>,
    /// Squares are taken of what has been multiplied by this.
    scale: f64,
    /// What rough squares of distances from the center do not exceed, of boxes that meet the ball; and of those that do
    /// for sure.
    rough: [S; 2],
}

impl<S: Scalar, const D: usize> Ball<S, D> {
    /// Makes the ball around a center.
    #[must_use]
    pub fn new(center: impl Into<[S; D]>, radius: S) -> Self {
        let center = center.into();
        let is_somewhere = S::default() <= radius && center.iter().all(|at| at.is_finite());
        if !is_somewhere {
            return Self { center, radius, bounds: Rect::nowhere(), scale: 1.0, rough: [S::NAN; 2] };
        }
        let bounds = Rect::ordered(center.map(|at| difference_down(at, radius)), center.map(|at| sum_up(at, radius)));
        let reach = radius.to_f64();
        Self { center, radius, bounds, scale: power_to_one(reach), rough: rough_limits(rank_of_distance(reach)) }
    }

    /// The center.
    #[must_use]
    pub fn center(&self) -> [S; D] {
        self.center
    }

    /// The radius.
    #[must_use]
    pub fn radius(&self) -> S {
        self.radius
    }

    /// Whether a point as far from the center as that on each axis belongs to the ball.
    #[inline]
    fn reaches(&self, distances: [f64; D]) -> bool {
        // What squares to zero or infinity is, beside the radius, as good as that.
        let square = |distance: f64| distance * self.scale * (distance * self.scale);
        distances.into_iter().map(square).sum::<f64>() <= square(self.radius.to_f64())
    }
}

/// Monotone in the box by every step: differences, squares of what is not negative, sums.
impl<S: Scalar, const D: usize> Region<S, D> for Ball<S, D> {
    /// The smallest box of such numbers around the ball.
    fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    #[inline]
    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        self.bounds.intersects(rect)
            && self.reaches(array::from_fn(|axis| {
                let [min, at, max] = [rect.min()[axis], self.center[axis], rect.max()[axis]].map(S::to_f64);
                let gap = if max < at { at - max } else { min - at };
                if 0.0 < gap { gap } else { 0.0 }
            }))
    }

    #[inline(always)]
    fn sift<V: Simd>(&self, simd: V, boxes: &[[S::Lanes<V>; 2]; D], are_points: bool) -> Option<[Hits<V, S>; 2]> {
        let center = splat(simd, &Rect::at(self.center));
        let squares = if are_points {
            rough_squares_of_points::<V, S, D>(&center, boxes)
        } else {
            rough_squares::<V, S, D>(simd, &center, boxes)
        };
        Some(self.rough.map(
            #[inline(always)]
            |limit| squares.simd_le(S::Lanes::splat(simd, limit)),
        ))
    }

    #[inline]
    fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.bounds.contains(rect)
            && self.reaches(array::from_fn(|axis| {
                let [min, at, max] = [rect.min()[axis], self.center[axis], rect.max()[axis]].map(S::to_f64);
                let (below, above) = (at - min, max - at);
                if below < above { above } else { below }
            }))
    }
}

/// The least number that is not below the sum.
fn sum_up<S: Scalar>(a: S, b: S) -> S {
    let sum = a + b;
    // What rounding has left out, exactly (after Knuth); NaN if the sum has overflowed.
    let b_part = sum - a;
    let left_out = (a - (sum - b_part)) + (b - b_part);
    if S::default() < left_out { sum.next_up() } else { sum }
}

/// The largest number that is not above the difference.
fn difference_down<S: Scalar>(a: S, b: S) -> S {
    let zero = S::default();
    zero - sum_up(b, zero - a)
}
