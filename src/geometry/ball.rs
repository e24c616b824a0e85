//! The ball: all points within a distance of a center. `proximity` compares the distances.
//!
//! Keeps Q7 of `docs/invariants.md`.

use super::proximity::Within;
use super::{Rect, Scalar};

/// All points within a distance of a center: a disc in 2D. The ball is closed: points at exactly that distance belong
/// to it.
///
/// A ball of radius 0 is its center; a ball of infinite radius is all of space. A ball is empty if its radius is
/// negative or NaN, or if its center is not finite.
///
/// # Distances
///
/// The distance between two shapes is that of their closest points: 0 where they touch. Everything that compares a
/// distance with a limit ([`within_distance`](crate::SpatialIndex::within_distance),
/// [`Nearest::within`](crate::Nearest::within), pairs and joins within a distance, balls) computes it in the same way:
/// on each axis it takes the gap between the shapes, as a difference in `f64`; then it compares the sum of the squares
/// of the gaps with the square of the limit.
///
/// For coordinates of `f32` this is exact unless their magnitudes differ by a factor of 2^29 or so; otherwise the
/// squares are rounded. Nothing overflows or underflows, however large or small the numbers are. A distance that an
/// answer reports is rounded up, to the least limit that includes the object.
///
/// ```
/// use quadrille::{Ball, Rect};
///
/// let ball = Ball::new([0.0_f32, 0.0], 5.0);
/// assert!(ball.intersects(&Rect::new([3.0, 4.0], [9.0, 9.0]))); // a corner touches it
/// assert!(!ball.intersects(&Rect::new([4.0, 4.0], [9.0, 9.0]))); // meets its bounds, but not the ball
/// assert!(ball.contains(&Rect::new([-3.0, -4.0], [3.0, 4.0])));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball<S = f32, const D: usize = 2> {
    center: [S; D],
    radius: S,
    bounds: Rect<S, D>,
    /// `None` if the ball is empty.
    within: Option<Within<S>>,
}

impl<S: Scalar, const D: usize> Ball<S, D> {
    /// Makes the ball around a center.
    ///
    /// ```
    /// # use quadrille::{Ball, Rect};
    /// let ball: Ball = Ball::new([0.0, 0.0], 5.0);
    /// assert!(ball.intersects(&Rect::from_point([3.0, 4.0]))); // exactly 5 away
    /// ```
    #[must_use]
    pub fn new(center: impl Into<[S; D]>, radius: S) -> Self {
        let center = center.into();
        let is_finite = center.iter().all(|at| at.is_finite());
        let within = Within::new(radius).filter(|_| is_finite);
        let bounds = if within.is_some() { stretched(&Rect::from_point(center), radius) } else { Rect::nowhere() };
        Self { center, radius, bounds, within }
    }

    /// The center.
    ///
    /// ```
    /// # use quadrille::Ball;
    /// assert_eq!(Ball::new([1.0_f32, 2.0], 5.0).center(), [1.0, 2.0]);
    /// ```
    #[must_use]
    pub fn center(&self) -> [S; D] {
        self.center
    }

    /// The radius.
    ///
    /// ```
    /// # use quadrille::Ball;
    /// assert_eq!(Ball::new([1.0_f32, 2.0], 5.0).radius(), 5.0);
    /// ```
    #[must_use]
    pub fn radius(&self) -> S {
        self.radius
    }

    /// The smallest box around the ball with coordinates of this type; all NaN if the ball is empty.
    ///
    /// ```
    /// # use quadrille::{Ball, Rect};
    /// let ball: Ball = Ball::new([0.0, 0.0], 5.0);
    /// assert!(ball.bounds().contains(&Rect::new([-5.0, -5.0], [5.0, 5.0])));
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    /// Whether the box shares a point with the ball. An empty one, which has a NaN, does not.
    ///
    /// ```
    /// # use quadrille::{Ball, Rect};
    /// let ball: Ball = Ball::new([0.0, 0.0], 5.0);
    /// assert!(!ball.intersects(&Rect::new([4.0, 4.0], [9.0, 9.0]))); // meets its bounds only
    /// ```
    #[must_use]
    #[inline]
    pub fn intersects(&self, rect: &Rect<S, D>) -> bool {
        !rect.is_empty() && self.within.is_some_and(|within| within.holds(&Rect::from_point(self.center), rect))
    }

    /// Whether all of the box lies inside the ball.
    ///
    /// ```
    /// # use quadrille::{Ball, Rect};
    /// let ball: Ball = Ball::new([0.0, 0.0], 5.0);
    /// assert!(ball.contains(&Rect::new([-3.0, -4.0], [3.0, 4.0]))); // all corners are on its edge
    /// ```
    #[must_use]
    #[inline]
    pub fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.bounds.contains(rect)
            && self.within.is_some_and(|within| within.holds_for_all(&Rect::from_point(self.center), rect))
    }

    /// The comparison with the radius; `None` if the ball is empty.
    #[inline]
    pub(crate) fn within(&self) -> Option<&Within<S>> {
        self.within.as_ref()
    }

    /// The ball moved by an offset. The center is rounded.
    pub(crate) fn shifted(&self, by: [f64; D]) -> Self {
        if by.iter().all(|&by| by == 0.0) {
            return *self;
        }
        Self::new(Rect::from_point(self.center).shifted(by).min(), self.radius)
    }

    /// A box that meets everything that the ball meets: the bounds or, by rounding, a little more.
    pub(crate) fn surroundings(&self) -> Rect<S, D> {
        self.within.map_or(self.bounds, |within| within.stretched(&Rect::from_point(self.center)).hull(&self.bounds))
    }
}

/// The smallest box of its type around all that is within a distance of a box.
pub(super) fn stretched<S: Scalar, const D: usize>(rect: &Rect<S, D>, by: S) -> Rect<S, D> {
    Rect::ordered(rect.min().map(|at| difference_down(at, by)), rect.max().map(|at| sum_up(at, by)))
}

/// The least number that is not below the exact sum.
fn sum_up<S: Scalar>(a: S, b: S) -> S {
    let sum = a + b;
    // The rounding error of the sum, exactly (Knuth's two-sum); NaN if the sum has overflowed.
    let b_part = sum - a;
    let left_out = (a - (sum - b_part)) + (b - b_part);
    if S::default() < left_out { sum.next_up() } else { sum }
}

/// The largest number that is not above the exact difference.
fn difference_down<S: Scalar>(a: S, b: S) -> S {
    let zero = S::default();
    zero - sum_up(b, zero - a)
}
