//! Distances and hits that rounding cannot change: in whole lattice steps where that is possible, with a margin where
//! not.

use std::array::from_fn;

use crate::data::{LATTICE, Point, Rect, Scalar, greater, lesser};

/// The square of a distance, in lattice steps: exact.
pub(crate) type Square = u64;

fn steps<S: Scalar>(coordinate: S) -> i64 {
    (coordinate.to_f64() * LATTICE) as i64
}

/// The square of the distance of two boxes; 0 if they meet.
#[inline]
pub(crate) fn square<S: Scalar, const D: usize>(a: &Rect<S, D>, b: &Rect<S, D>) -> Square {
    let gap = |axis: usize| {
        let (before, behind) = (steps(a.min[axis]) - steps(b.max[axis]), steps(b.min[axis]) - steps(a.max[axis]));
        before.max(behind).max(0).unsigned_abs()
    };
    (0..D).map(|axis| gap(axis).pow(2)).sum()
}

/// The square of a distance that is on the lattice.
pub(crate) fn square_of<S: Scalar>(distance: S) -> Square {
    steps(distance).unsigned_abs().pow(2)
}

/// The largest error of a square that was computed in `f32`, with or without a root on the way.
pub(crate) fn rounding(square: Square) -> Square {
    square >> 20
}

/// The distance on the lattice, about the wanted one, that is farthest from all distances with these squares: so that
/// who is within it does not depend on rounding.
pub(crate) fn clear_distance<S: Scalar>(wanted: S, squares: &mut [Square]) -> S {
    squares.sort_unstable();
    let wanted = wanted.to_f64();
    let count = (wanted * CLEAR_SHARE * LATTICE).ceil().max(1.0) as u16;
    let candidates = (0..=count).map(|number| S::from_f64(wanted + f64::from(number) / LATTICE));
    let clearance = |distance: S| {
        let square = square_of(distance);
        let behind = squares.partition_point(|&other| other < square);
        let next = squares.get(behind).map_or(u64::MAX, |&other| other - square);
        let before = behind.checked_sub(1).map_or(u64::MAX, |place| square - squares[place]);
        next.min(before) as f64 / square.max(1) as f64
    };
    let clearest = candidates.max_by(|&a, &b| clearance(a).total_cmp(&clearance(b)));
    clearest.unwrap_or(S::from_f64(wanted))
}

/// How much longer than wanted a clear distance may be.
pub(crate) const CLEAR_SHARE: f64 = 0.03;

/// A straight way from one point to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<S = f32, const D: usize = 2> {
    pub(crate) from: Point<S, D>,
    pub(crate) to: Point<S, D>,
}

impl<S: Scalar, const D: usize> Segment<S, D> {
    /// From one end to the other: exact on the lattice.
    #[inline]
    pub(crate) fn way(&self) -> Point<S, D> {
        from_fn(|axis| self.to[axis] - self.from[axis])
    }

    /// The box around a part of the segment.
    pub(crate) fn bounds(&self, from: f64, to: f64) -> Rect<S, D> {
        let at = |t: f64| -> Point<S, D> {
            from_fn(|axis| S::from_f64(self.from[axis].to_f64() + t * self.way()[axis].to_f64()))
        };
        let (a, b) = (at(from), at(to));
        Rect { min: from_fn(|axis| lesser(a[axis], b[axis])), max: from_fn(|axis| greater(a[axis], b[axis])) }
    }

    /// Where the segment, prolonged without end, enters a box that is so much larger on each side: 1 is its end.
    pub(crate) fn enters(&self, rect: &Rect<S, D>, larger: f64) -> Option<f64> {
        let (mut from, mut to) = (0.0_f64, f64::INFINITY);
        for axis in 0..D {
            let (origin, way) = (self.from[axis].to_f64(), self.way()[axis].to_f64());
            let (low, high) = (rect.min[axis].to_f64() - larger, rect.max[axis].to_f64() + larger);
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

    /// The same up to its end, in the scalar, as users write it.
    #[inline]
    pub(crate) fn entry(&self, rect: &Rect<S, D>) -> Option<S> {
        let (mut from, mut to) = (S::from_f64(0.0), S::from_f64(1.0));
        for (axis, way) in self.way().into_iter().enumerate() {
            let [a, b] = [rect.min, rect.max].map(|corner| (corner[axis] - self.from[axis]) / way);
            (from, to) = (greater(from, lesser(a, b)), lesser(to, greater(a, b)));
        }
        (from <= to).then_some(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_of_the_gaps() {
        let rect = Rect { min: [1.0_f32, 1.0], max: [2.0, 3.0] };
        assert_eq!(square(&Rect::at([0.0, 2.0]), &rect), square_of(1.0_f32));
        assert_eq!(square(&rect, &Rect::at([5.0, 7.0])), square_of(5.0_f32));
        assert_eq!(square(&Rect::at([2.0, 3.0]), &rect), 0);
    }

    #[test]
    fn a_clear_distance_keeps_away() {
        let mut squares = [square_of(10.0_f32), square_of(10.1_f32), square_of(10.25_f32)];
        let clear = clear_distance(10.0_f32, &mut squares);
        assert!((10.12..10.24).contains(&clear), "{clear}");
    }

    #[test]
    fn segments_enter_where_they_should() {
        let segment = Segment { from: [0.0_f32, 0.0], to: [4.0, 2.0] };
        let rect = Rect { min: [2.0, 0.0], max: [3.0, 8.0] };
        assert_eq!(segment.enters(&rect, 0.0), Some(0.5));
        assert_eq!(segment.entry(&rect), Some(0.5));
        assert_eq!(segment.enters(&Rect { min: [2.0, 1.5], ..rect }, 0.0), Some(0.75));
        assert_eq!(segment.enters(&Rect { min: [2.0, 1.75], ..rect }, 0.0), None);
        assert_eq!(segment.enters(&Rect { min: [2.0, 1.75], ..rect }, 0.5), Some(0.625));
        assert_eq!(segment.entry(&Rect { min: [8.0, 1.0], max: [9.0, 9.0] }), None);
    }
}
