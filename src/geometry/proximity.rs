//! Proximity: whether two boxes are within a distance of each other, exactly for one pair and roughly for several boxes
//! at once. Balls, pairs and joins take the answer from here.
//!
//! Two boxes are within a distance if the square of the distance between them is at most the square of that distance,
//! both as `distance` computes them, in `f64`. `Rank::distance_up` tells the least limit that has a distance.
//!
//! Keeps Q12 of `docs/invariants.md`, as far as it speaks of distances.

use super::distance::{distance, farthest, rough_limits};
use super::simd::{Hits, Simd, SimdBase};
use super::{Rank, Rect, Scalar, rough_squares, rough_squares_of_points};

/// A condition on the distance between two boxes. Closed: a distance exactly at the limit satisfies it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Proximity<S> {
    /// They share a point.
    Touching,
    /// They are at most so far apart.
    Within(Within<S>),
}

/// A limit on distances, prepared for comparisons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Within<S> {
    limit: Rank,
    /// An upper bound, rounding included, of the distance on any one axis between boxes within the limit.
    radius: S,
    /// The limits of rough squares, as `rough_limits` gives them: for boxes that may be within the limit, and for boxes
    /// that surely are.
    rough: [S; 2],
}

impl<S: Scalar> Proximity<S> {
    /// The condition of being at most that far apart; `None` if the distance is negative or NaN, since no boxes satisfy
    /// it then.
    pub(crate) fn within(distance: S) -> Option<Self> {
        if distance == S::default() {
            return Some(Self::Touching);
        }
        Within::new(distance).map(Self::Within)
    }

    /// How far to stretch a box on each side so that it meets all boxes in proximity to it.
    #[inline]
    pub(crate) fn radius(&self) -> S {
        match self {
            Self::Touching => S::from(0),
            Self::Within(within) => within.radius,
        }
    }

    /// Whether two boxes are within the distance.
    pub(crate) fn holds<const D: usize>(&self, a: &Rect<S, D>, b: &Rect<S, D>) -> bool {
        match self {
            Self::Touching => a.intersects(b),
            Self::Within(within) => within.holds(a, b),
        }
    }

    /// A box that meets all boxes in proximity to something inside this one.
    #[inline]
    pub(crate) fn stretched<const D: usize>(&self, rect: &Rect<S, D>) -> Rect<S, D> {
        match self {
            Self::Touching => *rect,
            Self::Within(within) => within.stretched(rect),
        }
    }
}

impl<S: Scalar> Within<S> {
    /// The limit at a distance; `None` if the distance is negative or NaN.
    pub(crate) fn new(distance: S) -> Option<Self> {
        let number = distance.to_f64();
        (0.0 <= number).then(|| {
            let limit = Rank::of_distance(number.abs());
            Self {
                limit,
                // The factor far exceeds the rounding of a difference and a square.
                radius: S::from_f64(number * (1.0 + f64::from(f32::EPSILON))).next_up(),
                rough: rough_limits(limit),
            }
        })
    }

    /// A box that meets all boxes within the limit of something inside this one.
    #[inline]
    pub(crate) fn stretched<const D: usize>(&self, rect: &Rect<S, D>) -> Rect<S, D> {
        // Rounding is monotone, so a coordinate at or above the exact difference is at or above the rounded one.
        Rect::ordered(rect.min().map(|end| end - self.radius), rect.max().map(|end| end + self.radius))
    }

    /// Whether two finite boxes are within the limit.
    #[inline]
    pub(crate) fn holds<const D: usize>(&self, a: &Rect<S, D>, b: &Rect<S, D>) -> bool {
        distance(&a.to_f64(), b) <= self.limit
    }

    /// Whether all points of two finite boxes are within the limit of each other.
    #[inline]
    pub(crate) fn holds_for_all<const D: usize>(&self, a: &Rect<S, D>, b: &Rect<S, D>) -> bool {
        farthest(&a.to_f64(), b) <= self.limit
    }

    /// Which of these boxes may be within the limit of one, and which surely are. `are_points` says that all of them
    /// are points.
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
}
