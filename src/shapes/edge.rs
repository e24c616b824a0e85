//! The edge of a polygon, and what it has to do with a point or a box: comparisons of coordinates, and signs of the
//! orientation of three points, which `robust` computes exactly.
//!
//! Keeps Q7 of `docs/invariants.md`.

use robust::{Coord, orient2d};

use crate::Rect;
use crate::geometry::{LANES, level, with_vectors};

/// No side is off by more than this part of the sum of the two products that it is the difference of (Shewchuk: *Adaptive
/// precision floating-point arithmetic and fast robust geometric predicates*, 1997: `(3 + 16 e) e`, rounded up).
const ERROR: f64 = 4.0 * (f64::EPSILON / 2.0);

/// An edge in coordinates that are scaled so that products neither overflow nor lose digits.
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

    /// How many of the first edges lie surely beside a box, in whole groups, and whether an odd number of these cross the line
    /// to the right of its lowest corner. The rest is to be looked at one by one, at least as many as a group has.
    pub(super) fn first_beside(edges: &[Self], part: &Rect<f64, 2>) -> (usize, bool) {
        let (min, max, diagonal) = (part.min(), part.max(), Self { from: part.min(), to: part.max() });
        with_vectors!(level(), |_simd| {
            // Of a point the two ends are one, which saves a half.
            if diagonal.is_point() { first_beside(edges, min, min) } else { first_beside(edges, min, max) }
        })
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

/// As `Edge::first_beside`, of the ends of a box. Without branches among several, so that compilers make vectors of them.
#[inline(always)]
fn first_beside(edges: &[Edge], [left, bottom]: [f64; 2], [right, top]: [f64; 2]) -> (usize, bool) {
    let (mut beside, mut is_odd) = (0, false);
    for several in edges.as_chunks::<LANES>().0 {
        let (mut are_odd, mut is_unsure) = (false, false);
        for &Edge { from, to } in several {
            // Whether a point lies surely to the left, and surely to the right.
            let sides = |x: f64, y: f64| {
                let products = [(from[0] - x) * (to[1] - y), (from[1] - y) * (to[0] - x)];
                let (side, error) = (products[0] - products[1], ERROR * (products[0].abs() + products[1].abs()));
                [error < side, side < -error]
            };
            let (goes_right, goes_up) = (from[0] < to[0], from[1] < to[1]);
            let [is_left, _] = sides(if goes_up { right } else { left }, if goes_right { bottom } else { top });
            let [_, is_right] = sides(if goes_up { left } else { right }, if goes_right { top } else { bottom });
            let [from_below, to_below] = [from[1] <= bottom, to[1] <= bottom];
            let is_level = ((from[1] <= top) | (to[1] <= top)) & ((bottom <= from[1]) | (bottom <= to[1]));
            are_odd ^= (from_below != to_below) & ((from_below & is_left) | (to_below & is_right));
            is_unsure |= is_level & !(is_left | is_right);
        }
        if is_unsure {
            break;
        }
        (beside, is_odd) = (beside + LANES, is_odd ^ are_odd);
    }
    (beside, is_odd)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Says whether what is told of the first edges is what each of them says, and how many they are.
    fn beside(edges: &[Edge], rect: &Rect<f64, 2>) -> usize {
        let (beside, is_odd) = Edge::first_beside(edges, rect);
        let first = &edges[..beside];
        assert!(first.iter().all(|edge| !edge.meets(rect)), "{first:?} meet {rect:?}");
        for axis in [0, 1] {
            let odd = first.iter().fold(false, |odd, edge| odd ^ edge.is_right_of(rect.min(), axis));
            assert_eq!(odd, is_odd, "{first:?} beside {rect:?} along {axis}");
        }
        beside
    }

    #[test]
    fn edges_beside_a_box_are_told_of_as_one_by_one() {
        let knots = || (0..4_u32).flat_map(|x| (0..4_u32).map(move |y| [f64::from(x), f64::from(y)]));
        let edges: Vec<Edge> = knots().flat_map(|from| knots().map(move |to| Edge { from, to })).collect();
        let mut told = 0;
        for (a, b) in knots().flat_map(|a| knots().map(move |b| (a, b))) {
            let rect = Rect::new(a, b);
            told += edges.iter().map(|&edge| beside(&[edge; LANES], &rect)).sum::<usize>();
            for start in 0..LANES {
                beside(&edges[start * 29..], &rect);
            }
        }
        // Most edges of such a lattice meet most boxes.
        assert!(10_000 < told / LANES, "{told}");
    }

    /// Kettner et al., *Classroom examples of robustness problems in geometric computations*: points nearly on a line.
    #[test]
    fn rounding_tells_of_no_edge() {
        let edges = [Edge { from: [12.0, 12.0], to: [24.0, 24.0] }, Edge { from: [17.3, 17.3], to: [0.1, 0.1] }];
        let step = f64::EPSILON / 2.0;
        for (x, y) in (0..64_u8).flat_map(|x| (0..64_u8).map(move |y| (x, y))) {
            let at = [x, y].map(|steps| 0.5 + f64::from(steps) * step);
            for scale in [1.0, 29.0, 1e-60, 1e60] {
                let (at, by) = (at.map(|at| at * scale), |point: [f64; 2]| point.map(|at| at * scale));
                for edge in edges.map(|Edge { from, to }| Edge { from: by(from), to: by(to) }) {
                    beside(&[edge; LANES], &Rect::from_point(at));
                    beside(&[edge; LANES], &Rect::new(at, [at[0], at[1] + step * scale]));
                }
            }
        }
    }
}
