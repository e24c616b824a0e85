//! The ball: all that is near enough to a point.

use super::proximity::Within;
use super::{Rect, Scalar};

/// All points within a distance of a center: a disc in 2D. Closed: what is exactly that far belongs to it.
///
/// A ball of radius 0 is its center, one of infinite radius is everywhere. With a negative radius, a NaN, or a center
/// that is not finite, it is nowhere.
///
/// # Distances
///
/// The distance between two shapes is that of their closest points: 0 where they touch. All who compare it with a limit
/// ([`within_distance`](crate::SpatialIndex::within_distance), [`Nearest::within`](crate::Nearest::within), pairs and
/// joins within a distance, balls) compute the same: on each axis the gap, as a difference in `f64`; the sum of the
/// squares of the gaps; and compare it with the square of the limit. For coordinates of `f32` that is exact unless they
/// are of very different magnitude (a factor of 2^29 or so); otherwise a distance that rounds to the limit is within it.
/// Nothing overflows or vanishes, however large or small the numbers.
///
/// ```
/// use quadrille::{Ball, Rect};
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
    /// None if the ball is nowhere.
    within: Option<Within<S>>,
}

impl<S: Scalar, const D: usize> Ball<S, D> {
    /// Makes the ball around a center.
    #[must_use]
    pub fn new(center: impl Into<[S; D]>, radius: S) -> Self {
        let center = center.into();
        let is_finite = center.iter().all(|at| at.is_finite());
        let within = Within::new(radius).filter(|_| is_finite);
        let bounds = if within.is_some() {
            Rect::ordered(center.map(|at| difference_down(at, radius)), center.map(|at| sum_up(at, radius)))
        } else {
            Rect::nowhere()
        };
        Self { center, radius, bounds, within }
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

    /// The smallest box of such numbers around the ball; with NaN if it is nowhere.
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    /// Whether the box shares a point with the ball.
    #[must_use]
    #[inline]
    pub fn intersects(&self, rect: &Rect<S, D>) -> bool {
        self.within.is_some_and(|within| within.holds(&Rect::at(self.center), rect))
    }

    /// Whether all of the box lies inside the ball.
    #[must_use]
    #[inline]
    pub fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.bounds.contains(rect) && self.within.is_some_and(|within| within.holds_for_all_of(self.center, rect))
    }

    /// What counts as near to the center.
    #[inline]
    pub(crate) fn within(&self) -> Option<&Within<S>> {
        self.within.as_ref()
    }

    /// A box that meets all that the ball meets. By rounding that is a little more than the bounds.
    pub(crate) fn surroundings(&self) -> Rect<S, D> {
        self.within.map_or_else(Rect::nowhere, |within| within.stretched(&Rect::at(self.center)))
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
