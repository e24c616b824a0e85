//! The edge of a polygon, and what it has to do with a point or a box: comparisons of coordinates, and signs of the
//! orientation of three points, which `robust` computes exactly.
//!
//! Keeps Q7 of `docs/invariants.md`.

use robust::{Coord, orient2d};

use super::Rect;

/// An edge in scaled coordinates: those of a polygon whose products neither overflow nor lose digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) from: [f64; 2],
    pub(super) to: [f64; 2],
}

impl Edge {
    pub(super) fn reversed(self) -> Self {
        Self { from: self.to, to: self.from }
    }

    #[inline]
    pub(super) fn bounds(&self) -> Rect<f64, 2> {
        Rect::new(self.from, self.to)
    }

    /// Above 0 if the point lies to the left of the edge's line, below 0 if to the right, 0 if on the line.
    #[inline(always)]
    pub(super) fn side(&self, point: [f64; 2]) -> f64 {
        let [from, to, point] = [self.from, self.to, point].map(|[x, y]| Coord { x, y });
        orient2d(from, to, point)
    }

    /// The corner of a box that lies furthest to the left of the edge's line.
    #[inline(always)]
    pub(super) fn leftmost(&self, part: &Rect<f64, 2>) -> [f64; 2] {
        let [goes_right, goes_up] = [0, 1].map(|axis| self.from[axis] < self.to[axis]);
        let ([left, bottom], [right, top]) = (part.min(), part.max());
        [if goes_up { left } else { right }, if goes_right { top } else { bottom }]
    }

    /// The corner of a box that lies furthest to the right of the edge's line.
    pub(super) fn rightmost(&self, part: &Rect<f64, 2>) -> [f64; 2] {
        self.reversed().leftmost(part)
    }

    /// Whether the edge leads up, or straight to the right: so of two opposite directions one does.
    pub(super) fn goes_up(&self) -> bool {
        (self.from[1], self.from[0]) < (self.to[1], self.to[0])
    }

    #[expect(clippy::float_cmp, reason = "only a point has equal ends")]
    pub(super) fn is_point(&self) -> bool {
        self.from == self.to
    }

    /// Whether the edge shares a point with a box.
    #[inline]
    pub(super) fn meets(&self, part: &Rect<f64, 2>) -> bool {
        self.bounds().intersects(part)
            && self.side(self.rightmost(part)) <= 0.0
            && 0.0 <= self.side(self.leftmost(part))
    }

    /// Whether the edge shares a point with the interior of a box, or crosses a box that is a line.
    pub(super) fn enters(&self, part: &Rect<f64, 2>) -> bool {
        let crosses = || self.side(self.rightmost(part)) < 0.0 && 0.0 < self.side(self.leftmost(part));
        self.bounds().overlaps(part) && (self.is_point() || crosses())
    }

    /// Whether the edge runs along an axis, through a point and beyond it.
    #[expect(clippy::float_cmp, reason = "such an edge has the very coordinate")]
    pub(super) fn runs_along_after(&self, axis: usize, point: [f64; 2]) -> bool {
        let (min, max) = (self.bounds().min(), self.bounds().max());
        let beside = 1 - axis;
        min[beside] == point[beside]
            && max[beside] == point[beside]
            && min[axis] <= point[axis]
            && point[axis] < max[axis]
    }

    /// Whether the edge crosses the line to the right of a place right beside a point: further along an axis by infinitely
    /// little, and along the other one by infinitely less.
    #[inline]
    pub(super) fn is_right_of(&self, point: [f64; 2], axis: usize) -> bool {
        let [from_below, to_below] = [self.from, self.to].map(|end| end[1] <= point[1]);
        if from_below == to_below {
            return false;
        }
        let upward = if from_below { *self } else { self.reversed() };
        let side = upward.side(point);
        // An edge through the point passes to the right of a place straight above if it leans to the right.
        0.0 < side || side == 0.0 && axis == 1 && upward.from[0] < upward.to[0]
    }
}
