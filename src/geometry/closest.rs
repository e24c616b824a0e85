//! The closest points of boxes and segments, and the distances to them.
//!
//! Keeps its part of Q8 of `docs/invariants.md`.

use core::array;

use super::scalar::{larger, larger_magnitude, power_to_one, rounded_up, smaller};
use super::{Rank, Rect, Scalar, Segment, distance};

impl<S: Scalar, const D: usize> Rect<S, D> {
    /// The point of the box that is closest to a point: the point itself if it lies inside. A NaN stays on its axis.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let door: Rect = Rect::new([0.0, 0.0], [2.0, 1.0]);
    /// assert_eq!(door.closest_point([5.0, 0.5]), [2.0, 0.5]);
    /// ```
    #[must_use]
    pub fn closest_point(&self, point: impl Into<[S; D]>) -> [S; D] {
        let point = point.into();
        array::from_fn(|axis| within(point[axis], [self.min()[axis], self.max()[axis]]))
    }

    /// The distance from a point to the closest point of the box: 0 if it lies inside. It is rounded up: the least
    /// radius of a [`Ball`](crate::Ball) there that meets the box. A NaN counts as no distance on its axis.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let door: Rect = Rect::new([0.0, 0.0], [2.0, 1.0]);
    /// assert_eq!(door.distance([5.0, 5.0]), 5.0);
    /// ```
    #[must_use]
    pub fn distance(&self, point: impl Into<[S; D]>) -> S {
        self.distance_up(point.into())
    }

    pub(crate) fn distance_up<N: Scalar>(&self, point: [S; D]) -> N {
        distance(&Rect::from_point(point.map(S::to_f64)), self).distance_up()
    }
}

impl<S: Scalar> Rect<S, 2> {
    /// The four edges, one after the other: of least y, of greatest x, of greatest y, of least x.
    ///
    /// ```
    /// # use quadrille::{Rect, Segment};
    /// let door: Rect = Rect::new([0.0, 0.0], [2.0, 1.0]);
    /// let sight = Segment::new([1.0, -1.0], [1.0, 3.0]);
    /// let crossed = door.edges().map(|edge| sight.intersects(&edge.bounds()));
    /// assert_eq!(crossed, [true, false, true, false]);
    /// ```
    #[must_use]
    pub fn edges(&self) -> [Segment<S>; 4] {
        let ([left, low], [right, high]) = (self.min(), self.max());
        let corners = [[left, low], [right, low], [right, high], [left, high]];
        [0, 1, 2, 3].map(|corner| Segment::new(corners[corner], corners[(corner + 1) % 4]))
    }
}

impl<S: Scalar, const D: usize> Segment<S, D> {
    /// The point of the segment that is closest to a point, computed in `f64` and rounded. It lies in the
    /// [bounds](Self::bounds). All NaN if the segment is empty or the point is not finite.
    ///
    /// ```
    /// # use quadrille::Segment;
    /// let road: Segment = Segment::new([0.0, 0.0], [4.0, 4.0]);
    /// assert_eq!(road.closest_point([0.0, 4.0]), [2.0, 2.0]);
    /// assert_eq!(road.closest_point([9.0, 5.0]), [4.0, 4.0]);
    /// ```
    #[must_use]
    pub fn closest_point(&self, point: impl Into<[S; D]>) -> [S; D] {
        let Some(Closest { way, share, halves, .. }) = self.closest(point.into().map(S::to_f64)) else {
            return [S::NAN; D];
        };
        array::from_fn(|axis| {
            let [from, to] = [self.from(), self.to()].map(|end| end[axis].to_f64());
            let along = |part: f64| way[axis] * part * if halves { 2.0 } else { 1.0 };
            let at = if share < 0.5 { from + along(share) } else { to - along(1.0 - share) };
            // Rounding must not leave the bounds.
            S::from_f64(within(at, [smaller(from, to), larger(from, to)]))
        })
    }

    /// The distance from a point to the closest point of the segment, computed in `f64` and rounded up; NaN if the segment
    /// is empty or the point is not finite.
    ///
    /// The [nearest](crate::Metric#segments) of many segments are found by it.
    ///
    /// ```
    /// # use quadrille::Segment;
    /// let road: Segment = Segment::new([0.0, 0.0], [4.0, 0.0]);
    /// assert_eq!(road.distance([7.0, 4.0]), 5.0);
    /// ```
    #[must_use]
    pub fn distance(&self, point: impl Into<[S; D]>) -> S {
        let exactly = self.distance_exactly(point.into());
        rounded_up(exactly, |limit| exactly <= limit)
    }

    /// The distance, no less than that of the bounds, to the last bit.
    pub(crate) fn distance_exactly(&self, point: [S; D]) -> f64 {
        let Some(Closest { way, ends, share, halves }) = self.closest(point.map(S::to_f64)) else { return f64::NAN };
        // From the nearer end, so that little is lost.
        let (end, part) = if share < 0.5 { (ends[0], -share) } else { (ends[1], 1.0 - share) };
        let gap = |axis: usize| end[axis] + way[axis] * part;
        let rank = Rank::of_square(|scale| (0..D).fold(0.0, |sum, axis| sum + gap(axis) * scale * (gap(axis) * scale)));
        larger(rank.distance() * if halves { 2.0 } else { 1.0 }, self.bounds().distance_up(point))
    }

    /// How far along the segment the closest point lies. `None` if the segment is empty or the point is not finite.
    fn closest(&self, point: [f64; D]) -> Option<Closest<D>> {
        let [from, to] = [self.from(), self.to()].map(|end| end.map(S::to_f64));
        if !from.iter().chain(&to).chain(&point).all(|at| at.is_finite()) {
            return None;
        }
        // Subtracted before anything is rounded; halves, where differences overflow.
        let between = |a: [f64; D], b: [f64; D], by: f64| array::from_fn(|axis| b[axis] * by - a[axis] * by);
        let differences = |by: f64| [between(from, to, by), between(from, point, by), between(to, point, by)];
        let whole: [[f64; D]; 3] = differences(1.0);
        let halves = !whole.as_flattened().iter().all(|at| at.is_finite());
        let [way, first, last] = if halves { differences(0.5) } else { whole };
        // Each by a power of two of its own, so that no product overflows, and none that counts vanishes.
        let power = |vector: [f64; D]| power_to_one(vector.into_iter().fold(0.0, larger_magnitude));
        let [of_way, of_first] = [way, first].map(power);
        let product = |one: [f64; D], other: [f64; D]| (0..D).fold(0.0, |sum, axis| sum + one[axis] * other[axis]);
        let unit = way.map(|at| at * of_way);
        let (along, length) = (product(first.map(|at| at * of_first), unit), product(unit, unit));
        let share = if 0.0 < length { within(along / length / of_first * of_way, [0.0, 1.0]) } else { 0.0 };
        Some(Closest { way, ends: [first, last], share, halves })
    }
}

/// The closest point of a segment.
struct Closest<const D: usize> {
    /// From the first end to the last.
    way: [f64; D],
    /// From each end to the point.
    ends: [[f64; D]; 2],
    /// The part of the way to the closest point, from 0 to 1.
    share: f64,
    /// Whether all lengths are halves.
    halves: bool,
}

/// The number nearest to one within limits. A NaN stays, and a limit that is NaN is none.
#[inline]
fn within<S: Scalar>(at: S, [min, max]: [S; 2]) -> S {
    smaller(larger(at, min), max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside the nearest of many points along the segment, at the ends of the scale too.
    #[test]
    fn segments_are_as_far_as_their_nearest_points() {
        for scale in [1e-300, 1.0, 3e305] {
            for number in 0..3000_u16 {
                let [from, to, point] = [1, 7, 31]
                    .map(|factor| [5_u16, 11, 17].map(|prime| f64::from(number % prime * factor % prime) * scale));
                let road = Segment::new(from, to);
                let share = |nth: u16| f64::from(nth) / 256.0;
                let on_road = (0..=256)
                    .map(share)
                    .map(|share| Rect::from_point([0, 1, 2].map(|axis| from[axis] * (1.0 - share) + to[axis] * share)));
                let nearest = on_road.map(|at| at.distance(point)).fold(f64::INFINITY, f64::min);
                let told = road.distance(point);
                assert!(told <= nearest + 1e-12 * scale && nearest <= told + 0.1 * scale, "{from:?} {to:?} {point:?}");
                assert!(road.bounds().distance(point) <= told);
                let closest = Rect::from_point(road.closest_point(point));
                assert!(road.bounds().contains(&closest));
                assert!((closest.distance(point) - told).abs() <= 1e-12 * scale);
            }
        }
    }

    /// Where a segment and the way to the point are of another scale, and far from the origin.
    #[test]
    fn nothing_is_lost_between_scales() {
        let short = Segment::new([0.0_f64, 0.0], [1.0, 1.0]);
        assert_eq!(Rect::from_point(short.closest_point([1e170, 1e170])), Rect::from_point([1.0, 1.0]));
        let shorter = Segment::new([0.0_f64, 0.0], [1e-170, 0.0]);
        assert_eq!((shorter.closest_point([1.0, 0.0]), shorter.distance([1.0, 0.0])), ([1e-170, 0.0], 1.0));
        for far in [1e6, 1e12, 4e15] {
            let [near, away] = [0.0, far].map(|by| Segment::new([2.0 + by, 2.0 + by], [11.0 + by, 4.0 + by]));
            let lost = near.distance([3.0, 2.0]) - away.distance([3.0 + far, 2.0 + far]);
            assert!(lost.abs() < 1e-9, "{lost}");
        }
        let whole = Segment::new([-1e308_f64, 0.0], [1.5e308, 0.0]);
        assert!(
            (whole.closest_point([1e308, 3.0])[0] / 1e308 - 1.0).abs() < 1e-15 && whole.distance([1e308, 3.0]) < 1e294
        );
    }

    #[test]
    fn what_is_not_finite_has_no_distance_from_a_segment() {
        let road = Segment::new([0.0_f32, 0.0], [4.0, 0.0]);
        assert!(road.distance([f32::NAN, 0.0]).is_nan() && road.distance([0.0, f32::INFINITY]).is_nan());
        assert!(Segment::new([0.0_f32, f32::NAN], [4.0, 0.0]).distance([0.0, 0.0]).is_nan());
        let point = Segment::new([3.0_f32, 4.0], [3.0, 4.0]);
        assert_eq!((point.distance([0.0, 0.0]), point.closest_point([0.0, 0.0])), (5.0, [3.0, 4.0]));
        let door = Rect::new([0.0_f64, 0.0], [2.0, 1.0]);
        assert_eq!((door.distance([f64::MAX, 0.5]), door.distance([1.0, -1e-300])), (f64::MAX, 1e-300));
    }
}
