//! Distances over a sphere, from a place to boxes of longitudes and latitudes. Knows no objects.
//!
//! The nearest point of such a box lies on the meridian of the box that differs least in longitude. Along a meridian
//! the cosine of the angle from a place is a cosine of the latitude, so one latitude of the box is the nearest.

use core::array;
use core::f64::consts::{FRAC_PI_2, PI};

use crate::{Rect, Scalar};

/// The mean radius of the earth in meters, as the International Union of Geodesy and Geophysics defines it.
const EARTH: f64 = 6_371_008.8;

/// A bound uses a box that is wider by this many degrees on each side (more where longitudes are beyond some turns), and
/// lowers the result by this factor. Both exceed all rounding.
const SLACK_DEGREES: f64 = 1e-12;
pub(super) const SLACK: f64 = 1.0 - 1e-13;

/// [`GreatCircle::roughly`] is off by less than this, of a haversine and in all.
pub(super) const ROUGH: [f64; 2] = [1e-10, 1e-15];

/// Distances over the globe from a place, in meters along great circles: a [`Metric`](crate::Metric) for
/// [`nearest_by`](crate::SpatialIndex::nearest_by). Needs the feature `std`.
///
/// Coordinates are longitude and latitude in degrees, in this order. A degree of longitude gets shorter towards the
/// poles, the antimeridian is no border, and all longitudes meet at a pole. `nearest` ignores all this. Longitudes
/// that differ by 360 are the same; latitudes end at ±90. The distance of a box is that of its nearest point; a box that
/// crosses the antimeridian is written beyond 180, as from 170 to 190, and then the world should reach that far too.
///
/// The earth counts as a sphere of radius 6 371 008.8 m, so distances differ by up to 0.56 % from distances over
/// the ellipsoid. For exact ones, write a metric whose `bound` is 0.994 times this one.
///
/// ```
/// use quadrille::{GreatCircle, Rect};
///
/// let fiji = GreatCircle::new([179.0, -17.0]);
/// let east = fiji.distance_to(&Rect::from_point([-179.0, -17.0])); // two degrees away, not 358
/// assert!((212e3..213e3).contains(&east));
/// let island = Rect::new([178.5, -18.0], [180.5, -16.0]);
/// assert_eq!(fiji.distance_to(&island), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GreatCircle {
    longitude: f64,
    /// In radians.
    latitude: f64,
    /// Of the latitude.
    cosine: f64,
    diameter: f64,
}

impl GreatCircle {
    /// Measures from a place: its longitude and latitude in degrees. One of `f32` goes in as `place.map(f64::from)`.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Rect};
    /// let pole = GreatCircle::new([123.0, 90.0]); // of any longitude
    /// assert_eq!(pole.distance_to(&Rect::new([-180.0, 90.0], [180.0, 90.0])), 0.0);
    /// ```
    #[must_use]
    pub fn new(place: impl Into<[f64; 2]>) -> Self {
        let [longitude, latitude] = place.into();
        Self::of_parts([longitude, latitude.clamp(-90.0, 90.0).to_radians()], 2.0 * EARTH)
    }

    /// Measures on a sphere of this radius, in the unit of the radius.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Rect};
    /// let moon = GreatCircle::new([0.0, 0.0]).with_radius(1737.4); // in kilometers
    /// let quarter = moon.distance_to(&Rect::from_point([90.0, 0.0]));
    /// assert!((2729.0..2730.0).contains(&quarter));
    /// ```
    #[must_use]
    pub fn with_radius(self, radius: f64) -> Self {
        Self { diameter: 2.0 * radius, ..self }
    }

    /// The distance of the nearest point of a box of longitudes and latitudes; NaN if a coordinate is.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Rect};
    /// let degree = GreatCircle::new([0.0, 0.0]).distance_to(&Rect::from_point([0.0, 1.0]));
    /// assert!((111e3..112e3).contains(&degree)); // meters
    /// ```
    #[must_use]
    pub fn distance_to<S: Scalar>(&self, rect: &Rect<S, 2>) -> f64 {
        let [longitudes, latitudes] = self.sides(rect, false);
        self.length(self.nearest(self.least_turn(longitudes), latitudes))
    }

    /// A lower bound of the distances of all boxes inside this one, rounding included: as if the nearest latitude were that of
    /// the shortest parallel too. It is close for small boxes. Sines are series here.
    pub(super) fn bound<S: Scalar>(&self, rect: &Rect<S, 2>) -> f64 {
        let [longitudes, latitudes] = self.sides(rect, true);
        let [south, north] = latitudes.map(|end| end.clamp(-90.0, 90.0).to_radians());
        let gap = (south - self.latitude).max(self.latitude - north).max(0.0);
        let [up, along] = [gap, self.least_turn(longitudes).to_radians()].map(|angle| sine(angle * 0.5));
        let shortest = (sine(FRAC_PI_2 - north.max(-south)) - ROUGH[1]).max(0.0);
        self.length((up * up + self.cosine * shortest * along * along) * (1.0 - ROUGH[0])) * SLACK
    }

    /// The place in degrees. `None` if distances are no numbers, or if all are zero or infinite.
    pub(super) fn degrees(&self) -> Option<[f64; 2]> {
        let place = [modulo(self.longitude + 180.0) - 180.0, self.latitude.to_degrees()];
        let is_sphere = 0.0 < self.diameter && self.diameter < f64::INFINITY;
        (is_sphere && place.iter().all(|at| at.is_finite())).then_some(place)
    }

    /// The longitude in degrees and the latitude in radians.
    pub(super) fn place(&self) -> [f64; 2] {
        [self.longitude, self.latitude]
    }

    pub(super) fn diameter(&self) -> f64 {
        self.diameter
    }

    pub(super) fn of_parts([longitude, latitude]: [f64; 2], diameter: f64) -> Self {
        let latitude = latitude.clamp(-FRAC_PI_2, FRAC_PI_2);
        Self { longitude, latitude, cosine: latitude.cos(), diameter }
    }

    /// The longitudes and latitudes of a box, or of one that is wider by more than all rounding.
    pub(super) fn sides<S: Scalar>(&self, rect: &Rect<S, 2>, wider: bool) -> [[f64; 2]; 2] {
        let slack = |end: f64| if wider { SLACK_DEGREES + (end.abs() + self.longitude.abs()) * 1e-15 } else { 0.0 };
        array::from_fn(|axis| {
            let [first, last] = [rect.min()[axis], rect.max()[axis]].map(S::to_f64);
            [first - slack(first), last + slack(last)]
        })
    }

    /// The distance, of the square of half the chord.
    pub(super) fn length(&self, haversine: f64) -> f64 {
        self.diameter * haversine.clamp(0.0, 1.0).sqrt().asin()
    }

    /// The square of half the chord to the nearest point of an interval of latitudes on the meridians that differ by a turn.
    pub(super) fn nearest(&self, turn: f64, [south, north]: [f64; 2]) -> f64 {
        if turn.is_nan() || south.is_nan() || north.is_nan() {
            return f64::NAN;
        }
        let turn = turn.to_radians();
        let [south, north] = [south, north].map(|end| end.clamp(-90.0, 90.0).to_radians());
        let at = |latitude: f64| self.haversine(turn, latitude);
        if north <= south {
            return at(south);
        }
        let nearest = if turn == 0.0 { self.latitude } else { self.turned(turn) };
        if nearest < south || north < nearest {
            return at(south).min(at(north));
        }
        if turn == 0.0 { 0.0 } else { at(nearest) }
    }

    /// The square of half the chord to the farthest point of them.
    pub(super) fn farthest(&self, turn: f64, [south, north]: [f64; 2]) -> f64 {
        let turn = turn.to_radians();
        let [south, north] = [south, north].map(|end| end.clamp(-90.0, 90.0).to_radians());
        let at = |latitude: f64| self.haversine(turn, latitude);
        // Opposite of the nearest, if that is beyond a pole.
        let nearest = self.turned(turn);
        let farthest = if nearest < 0.0 { nearest + PI } else { nearest - PI };
        let ends = at(south).max(at(north));
        if south <= farthest && farthest <= north { ends.max(at(farthest)) } else { ends }
    }

    /// The latitude, on the great circle of meridians that differ by a turn, that is nearest.
    fn turned(&self, turn: f64) -> f64 {
        self.latitude.sin().atan2(self.cosine * turn.cos())
    }

    fn haversine(&self, turn: f64, latitude: f64) -> f64 {
        let [up, along] = [latitude - self.latitude, turn].map(|angle| (angle * 0.5).sin());
        up * up + self.cosine * latitude.cos() * along * along
    }

    /// The difference in longitude from a place, in degrees from 0 to 180. Unlike `least_turn` NaN some turns away.
    pub(super) fn turn(&self, longitude: f64) -> f64 {
        let turn = (longitude - self.longitude).abs();
        if turn <= 180.0 {
            turn
        } else if turn <= 360.0 {
            360.0 - turn
        } else {
            f64::NAN
        }
    }

    /// `nearest` of a place but for [`ROUGH`], in a fifth of the time: sines are series.
    pub(super) fn roughly(&self, turn: f64, latitude: f64) -> f64 {
        let latitude = latitude.clamp(-90.0, 90.0).to_radians();
        let [up, along] = [latitude - self.latitude, turn.to_radians()].map(|angle| sine(angle * 0.5));
        up * up + self.cosine * sine(FRAC_PI_2 - latitude.abs()) * along * along
    }

    /// The least difference in longitude from an interval of longitudes, in degrees from 0 to 180.
    pub(super) fn least_turn(&self, [west, east]: [f64; 2]) -> f64 {
        if west.is_nan() || east.is_nan() {
            return f64::NAN;
        }
        let width = east - west;
        if width.is_nan() || 360.0 <= width || modulo(self.longitude - west) <= width {
            return 0.0;
        }
        // A NaN stays.
        let [to_west, to_east] = [west - self.longitude, self.longitude - east].map(modulo);
        if to_east < to_west { to_east } else { to_west }
    }

    /// The greatest difference in longitude from an interval of longitudes, in degrees from 0 to 180.
    pub(super) fn greatest_turn(&self, [west, east]: [f64; 2]) -> f64 {
        180.0 - Self { longitude: self.longitude + 180.0, ..*self }.least_turn([west, east])
    }
}

/// Degrees from 0 to 360.
fn modulo(degrees: f64) -> f64 {
    if (0.0..360.0).contains(&degrees) {
        degrees
    } else if -360.0 < degrees && degrees < 0.0 {
        degrees + 360.0
    } else {
        degrees.rem_euclid(360.0)
    }
}

/// The sine of an angle within a quarter turn, by the first terms of its series: off by less than 1e-11 of itself.
fn sine(angle: f64) -> f64 {
    const TERMS: [f64; 7] = [210.0, 156.0, 110.0, 72.0, 42.0, 20.0, 6.0];
    let square = angle * angle;
    angle * TERMS.iter().fold(1.0, |rest, divisor| 1.0 - square * (1.0 / divisor) * rest)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// The nearest of many points of a box, by another formula.
    fn by_sampling(from: [f64; 2], rect: &Rect<f64, 2>) -> f64 {
        let steps = 200;
        // Sine and cosine of each step on an axis.
        let steps_of = |axis: usize| -> Vec<(f64, f64)> {
            let part = |step: u32| f64::from(step) / f64::from(steps);
            let at = |part: f64| rect.min()[axis] * (1.0 - part) + rect.max()[axis] * part;
            (0..=steps).map(|step| at(part(step)).to_radians().sin_cos()).collect()
        };
        let vector = |x: (f64, f64), y: (f64, f64)| [x.1 * y.1, x.0 * y.1, y.0];
        let [longitude, latitude] = from.map(|degrees| degrees.to_radians().sin_cos());
        let (a, latitudes) = (vector(longitude, latitude), steps_of(1));
        let mut least = f64::INFINITY;
        for x in steps_of(0) {
            for &y in &latitudes {
                let b = vector(x, y);
                least = least.min((0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum());
            }
        }
        2.0 * (least.sqrt() * 0.5).min(1.0).asin()
    }

    #[test]
    fn boxes_are_as_far_as_their_nearest_points() {
        let places = [-180.0, -133.0, -90.0, -7.0, 0.0, 31.0, 100.0, 179.5];
        let latitudes = [-90.0, -60.0, -1.0, 0.0, 45.0, 89.0];
        for from in places.iter().flat_map(|&x| latitudes.map(|y| [x, y])) {
            let here = GreatCircle::new(from).with_radius(1.0);
            for (west, south) in [(-180.0, -90.0), (-40.0, 20.0), (150.0, 60.0), (0.0, -5.0), (-170.0, -80.0)] {
                for (width, height) in [(0.0, 0.0), (10.0, 5.0), (60.0, 30.0), (200.0, 10.0)] {
                    let rect = Rect::new([west, south], [west + width, south + height]);
                    let (exact, sampled) = (here.distance_to(&rect), by_sampling(from, &rect));
                    let spacing = (width + height) / 200.0 / 57.0;
                    assert!(exact <= sampled + 1e-7 && sampled <= exact + spacing + 1e-7, "{from:?} {rect:?}");
                    assert!(here.bound(&rect) <= exact);
                }
            }
        }
    }

    #[test]
    fn a_bound_holds_for_all_inside() {
        let mut dice = 7_u64;
        let mut number = |least: f64, most: f64| {
            dice = dice.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            least + (most - least) * f64::from((dice >> 33) as u32) / f64::from(u32::MAX >> 1)
        };
        for round in 0..200_000 {
            let from = [number(-200.0, 200.0), number(-90.0, 90.0)];
            let here = GreatCircle::new(from);
            // At all scales, and often right at the place or at the point opposite.
            let scale = 10_f64.powi(-(round % 14));
            let near = match round % 3 {
                0 => [number(-180.0, 180.0), number(-90.0, 90.0)],
                1 => from,
                _ => [from[0] + 180.0, -from[1]],
            };
            let point = near.map(|end| end + scale * number(-1.0, 1.0));
            let outer = Rect::new(
                point.map(|end| end - scale * number(0.0, 1.0)),
                point.map(|end| end + scale * number(0.0, 1.0)),
            );
            let (bound, distance) = (here.bound(&outer), here.distance_to(&Rect::from_point(point)));
            assert!(bound <= distance, "{bound} of {outer:?}, {distance} of {point:?} from {from:?}");
        }
    }

    #[test]
    fn boxes_without_ends_are_everywhere() {
        let here = GreatCircle::new([10.0, 50.0]);
        assert!(here.distance_to(&Rect::<f32>::everything()) <= 0.0);
        let north = Rect::new([f32::NEG_INFINITY, 60.0], [f32::INFINITY, f32::INFINITY]);
        assert!((1.11e6..1.12e6).contains(&here.distance_to(&north)));
        let east = Rect::new([20.0, f32::NEG_INFINITY], [f32::INFINITY, f32::INFINITY]);
        assert!(here.distance_to(&east) <= 0.0, "an infinite interval holds all longitudes");
        assert!(here.distance_to(&Rect::from_point([f32::NAN, 0.0])).is_nan());
    }
}
