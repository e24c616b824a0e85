//! Which boxes are near enough to each other: one answer for balls, pairs and joins, exactly and several at once.
//!
//! Two boxes are within a distance if the square of the distance between them is at most the square of that distance,
//! both as [`distance`](super::distance) computes them, in `f64`. So what rounds to a distance is within it.

use super::distance::{distance, farthest, rank_of_distance, rough_limits};
use super::{Hits, Rank, Rect, Scalar, Simd, SimdBase, rough_squares, rough_squares_of_points, splat};

/// When two boxes are near enough. Closed: boxes exactly that far apart are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Proximity<S> {
    /// If they share a point.
    Touching,
    /// If they are at most so far apart.
    Within(Within<S>),
}

/// A distance that counts as near, ready to be compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Within<S> {
    limit: Rank,
    /// A distance that what is near does not exceed on any axis, rounding included.
    radius: S,
    /// What rough squares of distances do not exceed, of what is near; and of what is near for sure.
    rough: [S; 2],
}

impl<S: Scalar> Proximity<S> {
    /// Up to that distance; none if it is negative or NaN, so that nothing is near.
    pub(crate) fn within(distance: S) -> Option<Self> {
        if distance == S::default() {
            return Some(Self::Touching);
        }
        Within::new(distance).map(Self::Within)
    }

    /// How far a box is to be stretched on each side to meet all that is near to it.
    #[inline]
    pub(crate) fn radius(&self) -> S {
        match self {
            Self::Touching => S::from(0),
            Self::Within(within) => within.radius,
        }
    }

    /// A box that meets all boxes near to something that lies in this one.
    #[inline]
    pub(crate) fn stretched<const D: usize>(&self, rect: &Rect<S, D>) -> Rect<S, D> {
        match self {
            Self::Touching => *rect,
            Self::Within(within) => within.stretched(rect),
        }
    }
}

impl<S: Scalar> Within<S> {
    /// At most that far; none if the distance is negative or NaN.
    pub(crate) fn new(distance: S) -> Option<Self> {
        let distance = distance.to_f64();
        (0.0 <= distance).then(|| {
            let limit = rank_of_distance(distance.abs());
            Self {
                limit,
                // The factor is far more than a difference and a square are rounded by.
                radius: S::from_f64(distance * (1.0 + f64::from(f32::EPSILON))).next_up(),
                rough: rough_limits(limit),
            }
        })
    }

    /// A box that meets all boxes near to something that lies in this one.
    #[inline]
    pub(crate) fn stretched<const D: usize>(&self, rect: &Rect<S, D>) -> Rect<S, D> {
        // Rounding is monotone, so a coordinate at or above the difference is at or above what that is rounded to.
        Rect::ordered(rect.min().map(|end| end - self.radius), rect.max().map(|end| end + self.radius))
    }

    /// Whether two finite boxes are so near.
    #[inline]
    pub(crate) fn holds<const D: usize>(&self, a: &Rect<S, D>, b: &Rect<S, D>) -> bool {
        distance(&a.to_f64(), b) <= self.limit
    }

    /// Whether every point of a finite box is so near to a point.
    #[inline]
    pub(crate) fn holds_for_all_of<const D: usize>(&self, point: [S; D], rect: &Rect<S, D>) -> bool {
        farthest(point.map(S::to_f64), rect) <= self.limit
    }

    /// Which of several boxes may be near to one, and which are for sure. All may be points.
    #[inline(always)]
    pub(crate) fn compare<V: Simd, const D: usize>(
        &self,
        simd: V,
        target: &[[S::Lanes<V>; 2]; D],
        boxes: &[[S::Lanes<V>; 2]; D],
        are_points: bool,
    ) -> [Hits<V, S>; 2] {
        let squares = if are_points {
            rough_squares_of_points::<V, S, D>(target, boxes)
        } else {
            rough_squares::<V, S, D>(simd, target, boxes)
        };
        self.rough.map(
            #[inline(always)]
            |limit| squares.simd_le(S::Lanes::splat(simd, limit)),
        )
    }

    /// As `compare`, of boxes with a point.
    #[inline(always)]
    pub(crate) fn compare_with_point<V: Simd, const D: usize>(
        &self,
        simd: V,
        point: [S; D],
        boxes: &[[S::Lanes<V>; 2]; D],
        are_points: bool,
    ) -> [Hits<V, S>; 2] {
        self.compare(simd, &splat(simd, &Rect::at(point)), boxes, are_points)
    }
}
