//! The Mercator projection, true to shape, so that a circle on the screen is a ball in the index; and distances over the
//! globe between places of the map.

use quadrille::{GreatCircle, Metric, ObjectRef, Rect};
use quadrille_airspace::data::Position;

/// A place on the map: the longitude in degrees, and the latitude drawn out so that shapes stay true.
pub type Place = [f32; 2];

/// The index holds degrees of the map as `f32`: about two meters apart at the edge of the world.
pub type Index = quadrille::Quadtree<u32, f32>;

/// A latitude beyond which nothing is drawn; there the map is as high as it is wide.
const LATITUDE_MAX: f64 = 85.0;
/// More than the rounding of a latitude that is computed from the map.
const SLACK_DEGREES: f64 = 1e-9;

/// All of the map.
#[must_use]
pub fn world() -> Rect {
    Rect::new([-180.0, -180.0], [180.0, 180.0])
}

/// Where a longitude and latitude are on the map.
#[must_use]
pub fn project([longitude, latitude]: Position) -> Place {
    let latitude = latitude.clamp(-LATITUDE_MAX, LATITUDE_MAX).to_radians();
    [single(longitude), single(latitude.tan().asinh().to_degrees())]
}

/// Where a unit vector is on the map: the way of `project` without a latitude.
#[must_use]
pub fn project_vector([x, y, z]: [f64; 3]) -> Place {
    let up = z.clamp(-0.9962, 0.9962);
    [single(y.atan2(x).to_degrees()), single((0.5 * ((1.0 + up) / (1.0 - up)).ln()).to_degrees())]
}

/// The longitude and latitude of a place on the map.
#[must_use]
pub fn unproject([x, y]: Place) -> Position {
    [f64::from(x), latitude(y)]
}

fn latitude(y: f32) -> f64 {
    f64::from(y).to_radians().sinh().atan().to_degrees()
}

/// Distances over the globe in meters from a place of the map to boxes of the map.
#[derive(Clone, Copy, Debug)]
pub struct OverGlobe(GreatCircle);

impl OverGlobe {
    /// Measures from a place.
    #[must_use]
    pub fn from(place: Place) -> Self {
        Self(GreatCircle::new(unproject(place)))
    }

    /// The distance of another place, in meters.
    #[must_use]
    pub fn to(&self, place: Place) -> f64 {
        self.0.distance_to(&Rect::from_point(unproject(place)))
    }
}

impl<T> Metric<T> for OverGlobe {
    fn bound(&self, rect: &Rect) -> f64 {
        let ([west, south], [east, north]) = (rect.min(), rect.max());
        let around = Rect::new(
            [f64::from(west), latitude(south) - SLACK_DEGREES],
            [f64::from(east), latitude(north) + SLACK_DEGREES],
        );
        Metric::<T, f64>::bound(&self.0, &around)
    }

    fn distance(&self, object: &ObjectRef<'_, T>) -> f64 {
        self.to(object.shape().min())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "it is about to be a coordinate")]
fn single(number: f64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_airspace::flight::GreatCircle as Arc;

    #[test]
    fn places_come_back() {
        for place in [[-73.78, 40.64], [145.7, -15.1], [0.0, 0.0], [-180.0, 84.0]] {
            let [x, y] = unproject(project(place));
            assert!((x - place[0]).abs() < 2e-5 && (y - place[1]).abs() < 2e-5, "{place:?} became {x} {y}");
        }
    }

    #[test]
    fn vectors_and_degrees_lead_to_one_place() {
        let arc = Arc::between([-157.9, 21.3], [145.6, 15.1]);
        for part in 0..=20 {
            let fraction = f64::from(part) / 20.0;
            let (one, other) = (project(arc.at(fraction)), project_vector(arc.unit_vector_at(fraction)));
            assert!((one[0] - other[0]).abs() < 1e-4 && (one[1] - other[1]).abs() < 1e-4, "{one:?} is not {other:?}");
        }
    }

    #[test]
    fn distances_are_those_over_the_globe() {
        let meters = OverGlobe::from(project([-73.7789, 40.6397])).to(project([-118.4081, 33.9425]));
        assert!((meters - 3_974_000.0).abs() < 10_000.0, "{meters}");
    }

    #[test]
    fn a_bound_is_a_bound() {
        let metric = OverGlobe::from(project([-87.9, 41.98]));
        for step in 0..1000_u16 {
            let at = project([-170.0 + f64::from(step) * 0.34, -80.0 + f64::from(step) * 0.16]);
            assert!(Metric::<u32>::bound(&metric, &Rect::from_point(at)) <= metric.to(at));
        }
    }
}
