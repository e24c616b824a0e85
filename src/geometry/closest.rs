//! The closest points of boxes and segments, and the distances to them.
//!
//! Keeps its part of Q8 of `docs/invariants.md`.

use super::scalar::{larger, smaller};
use super::{Rect, Scalar, Segment, distance};

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
        let mut point = point.into();
        for (axis, at) in point.iter_mut().enumerate() {
            *at = within(*at, [self.min()[axis], self.max()[axis]]);
        }
        point
    }

    /// The distance from a point to the closest point of the box: 0 if it lies inside. It is computed in `f64` and
    /// rounded. A NaN counts as no distance on its axis.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let door: Rect = Rect::new([0.0, 0.0], [2.0, 1.0]);
    /// assert_eq!(door.distance([5.0, 5.0]), 5.0);
    /// ```
    #[must_use]
    pub fn distance(&self, point: impl Into<[S; D]>) -> S {
        S::from_f64(self.distance_exactly(point.into()))
    }

    pub(crate) fn distance_exactly(&self, point: [S; D]) -> f64 {
        distance(&Rect::from_point(point.map(S::to_f64)), self).distance()
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
        self.closest(point.into().map(S::to_f64)).map(S::from_f64)
    }

    /// The distance from a point to the closest point of the segment, computed in `f64` and rounded; NaN if the segment is
    /// empty or the point is not finite.
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
        S::from_f64(self.distance_exactly(point.into()))
    }

    /// The distance, no less than that of the bounds, to the last bit.
    pub(crate) fn distance_exactly(&self, point: [S; D]) -> f64 {
        let point = point.map(S::to_f64);
        let closest = self.closest(point);
        if closest[0].is_nan() {
            return f64::NAN;
        }
        distance(&Rect::from_point(point), &Rect::from_point(closest)).distance()
    }

    fn closest(&self, point: [f64; D]) -> [f64; D] {
        let [from, to] = [self.from(), self.to()].map(|end| end.map(S::to_f64));
        let greatest = from.iter().chain(&to).chain(&point).fold(0.0, |most: f64, at| most.max(at.abs()));
        let is_finite = from.iter().chain(&to).chain(&point).all(|at| at.is_finite());
        if !is_finite {
            return [f64::NAN; D];
        }
        // No product of scaled coordinates overflows, and none that counts vanishes.
        let scale = 1.0 / greatest.max(f64::MIN_POSITIVE);
        let (mut along, mut length) = (0.0, 0.0);
        for axis in 0..D {
            let [from, to, point] = [from, to, point].map(|at| at[axis] * scale);
            along += (to - from) * (point - from);
            length += (to - from) * (to - from);
        }
        let share = if 0.0 < length { within(along / length, [0.0, 1.0]) } else { 0.0 };
        let mut closest = from;
        for (axis, at) in closest.iter_mut().enumerate() {
            let [from, to] = [from[axis], to[axis]];
            // Rounding must not leave the bounds.
            *at = within(from * (1.0 - share) + to * share, [smaller(from, to), larger(from, to)]);
        }
        closest
    }
}

/// The number nearest to one within limits. A NaN stays, and a limit that is NaN is none.
#[inline]
fn within<S: Scalar>(at: S, [min, max]: [S; 2]) -> S {
    if at < min {
        min
    } else if max < at {
        max
    } else {
        at
    }
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
