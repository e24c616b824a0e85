//! Distances and hits that rounding cannot change: in whole lattice steps where that is possible, with a margin where
//! not.

use crate::data::{LATTICE, Point, Rect};

/// The square of a distance, in lattice steps: exact.
pub(crate) type Square = u64;

fn steps(coordinate: f32) -> i64 {
    (f64::from(coordinate) * LATTICE) as i64
}

/// The square of the distance of two boxes; 0 if they meet.
#[inline]
pub(crate) fn square(a: &Rect, b: &Rect) -> Square {
    let gap = |axis: usize| {
        let (before, behind) = (steps(a.min[axis]) - steps(b.max[axis]), steps(b.min[axis]) - steps(a.max[axis]));
        before.max(behind).max(0).unsigned_abs()
    };
    gap(0).pow(2) + gap(1).pow(2)
}

/// The square of a distance that is on the lattice.
pub(crate) fn square_of(distance: f32) -> Square {
    steps(distance).unsigned_abs().pow(2)
}

/// By how much a square may be wrong that was reckoned in `f32`, with or without a root on the way.
pub(crate) fn rounding(square: Square) -> Square {
    square >> 20
}

/// The distance on the lattice, about the wanted one, that is farthest from all distances with these squares: so that
/// who is within it does not depend on rounding.
pub(crate) fn clear_distance(wanted: f32, squares: &mut [Square]) -> f32 {
    squares.sort_unstable();
    let step = (1.0 / LATTICE) as f32;
    let count = (wanted * (CLEAR_SHARE / step)).ceil().max(1.0) as u16;
    let candidates = (0..=count).map(|number| wanted + f32::from(number) * step);
    let clearance = |distance: f32| {
        let square = square_of(distance);
        let behind = squares.partition_point(|&other| other < square);
        let next = squares.get(behind).map_or(u64::MAX, |&other| other - square);
        let before = behind.checked_sub(1).map_or(u64::MAX, |place| square - squares[place]);
        next.min(before) as f64 / square.max(1) as f64
    };
    candidates.max_by(|&a, &b| clearance(a).total_cmp(&clearance(b))).unwrap_or(wanted)
}

/// How much longer than wanted a clear distance may be.
pub(crate) const CLEAR_SHARE: f32 = 0.03;

/// A straight way from one point to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) from: Point,
    pub(crate) to: Point,
}

impl Segment {
    /// From one end to the other: exact on the lattice.
    #[inline]
    pub(crate) fn way(&self) -> Point {
        [0, 1].map(|axis| self.to[axis] - self.from[axis])
    }

    /// The box around a part of the segment.
    pub(crate) fn bounds(&self, from: f64, to: f64) -> Rect {
        let at = |t: f64| [0, 1].map(|axis| (f64::from(self.from[axis]) + t * f64::from(self.way()[axis])) as f32);
        let (a, b) = (at(from), at(to));
        Rect { min: [0, 1].map(|axis| a[axis].min(b[axis])), max: [0, 1].map(|axis| a[axis].max(b[axis])) }
    }

    /// Where the segment, prolonged without end, enters a box that is so much larger on each side: 1 is its end.
    pub(crate) fn enters(&self, rect: &Rect, larger: f64) -> Option<f64> {
        let (mut from, mut to) = (0.0_f64, f64::INFINITY);
        for axis in [0, 1] {
            let (origin, way) = (f64::from(self.from[axis]), f64::from(self.way()[axis]));
            let (low, high) = (f64::from(rect.min[axis]) - larger, f64::from(rect.max[axis]) + larger);
            if way == 0.0 {
                if origin < low || high < origin {
                    return None;
                }
                continue;
            }
            let (a, b) = ((low - origin) / way, (high - origin) / way);
            (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
        }
        (from <= to).then_some(from)
    }

    /// The same up to its end, in `f32`, as users write it.
    #[inline]
    pub(crate) fn entry(&self, rect: &Rect) -> Option<f32> {
        let way = self.way();
        let mut range = [0.0_f32, 1.0];
        for axis in [0, 1] {
            let (a, b) =
                ((rect.min[axis] - self.from[axis]) / way[axis], (rect.max[axis] - self.from[axis]) / way[axis]);
            range = [range[0].max(a.min(b)), range[1].min(a.max(b))];
        }
        (range[0] <= range[1]).then_some(range[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_of_the_gaps() {
        let rect = Rect { min: [1.0, 1.0], max: [2.0, 3.0] };
        assert_eq!(square(&Rect::at([0.0, 2.0]), &rect), square_of(1.0));
        assert_eq!(square(&rect, &Rect::at([5.0, 7.0])), square_of(5.0));
        assert_eq!(square(&Rect::at([2.0, 3.0]), &rect), 0);
    }

    #[test]
    fn a_clear_distance_keeps_away() {
        let mut squares = [square_of(10.0), square_of(10.1), square_of(10.25)];
        let clear = clear_distance(10.0, &mut squares);
        assert!((10.12..10.24).contains(&clear), "{clear}");
    }

    #[test]
    fn segments_enter_where_they_should() {
        let segment = Segment { from: [0.0, 0.0], to: [4.0, 2.0] };
        let rect = Rect { min: [2.0, 0.0], max: [3.0, 8.0] };
        assert_eq!(segment.enters(&rect, 0.0), Some(0.5));
        assert_eq!(segment.entry(&rect), Some(0.5));
        assert_eq!(segment.enters(&Rect { min: [2.0, 1.5], ..rect }, 0.0), Some(0.75));
        assert_eq!(segment.enters(&Rect { min: [2.0, 1.75], ..rect }, 0.0), None);
        assert_eq!(segment.enters(&Rect { min: [2.0, 1.75], ..rect }, 0.5), Some(0.625));
        assert_eq!(segment.entry(&Rect { min: [8.0, 1.0], max: [9.0, 9.0] }), None);
    }
}
