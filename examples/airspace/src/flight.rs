//! How an aircraft flies: along the great circle, at one speed.

use crate::data::Position;

/// Four hundred statute miles an hour.
pub const MILES_A_MINUTE: f64 = 400.0 / 60.0;

/// The mean radius of the Earth.
const EARTH_RADIUS_MILES: f64 = 3958.8;

/// The shortest arc between two places on the globe.
///
/// Kept as a start and a direction, both unit vectors at right angles, so that a place on it costs one sine, one
/// cosine and the way back to degrees.
#[derive(Clone, Copy, Debug)]
pub struct GreatCircle {
    start: [f64; 3],
    direction: [f64; 3],
    angle: f64,
}

impl GreatCircle {
    /// The arc from one place to another; between opposite places one of many.
    #[must_use]
    pub fn between(from: Position, to: Position) -> Self {
        let (start, end) = (unit_vector(from), unit_vector(to));
        let along = dot(start, end);
        let across: [f64; 3] = std::array::from_fn(|axis| end[axis] - along * start[axis]);
        let length = dot(across, across).sqrt();
        // Without a direction of its own, any will do: the arc is a point, or every way round is as short.
        let direction = if length < 1e-12 { perpendicular(start) } else { across.map(|part| part / length) };
        Self { start, direction, angle: length.atan2(along) }
    }

    /// The place after this fraction of the arc.
    #[must_use]
    pub fn at(&self, fraction: f64) -> Position {
        let [x, y, z] = self.unit_vector_at(fraction);
        [y.atan2(x).to_degrees(), z.atan2((x * x + y * y).sqrt()).to_degrees()]
    }

    /// The same place as a unit vector: the x axis ends at longitude 0 on the equator, the z axis at the north pole.
    #[must_use]
    pub fn unit_vector_at(&self, fraction: f64) -> [f64; 3] {
        let (sine, cosine) = (self.angle * fraction).sin_cos();
        std::array::from_fn(|axis| cosine * self.start[axis] + sine * self.direction[axis])
    }

    /// How long the arc is.
    #[must_use]
    pub fn miles(&self) -> f64 {
        self.angle * EARTH_RADIUS_MILES
    }
}

/// One flight: its arc, and how far it has come.
#[derive(Clone, Copy, Debug)]
pub struct Leg {
    arc: GreatCircle,
    minutes: f64,
    minutes_flown: f64,
}

impl Leg {
    /// A flight about to start that covers the arc in the time its recorded miles take.
    #[must_use]
    pub fn new(arc: GreatCircle, miles: f64) -> Self {
        Self { arc, minutes: miles / MILES_A_MINUTE, minutes_flown: 0.0 }
    }

    /// The same flight this many minutes after its start.
    #[must_use]
    pub fn after(self, minutes_flown: f64) -> Self {
        Self { minutes_flown, ..self }
    }

    /// Whether it is in the air: it lands in the minute that would reach the arc's end.
    #[must_use]
    pub fn is_airborne(&self) -> bool {
        self.minutes_flown < self.minutes
    }

    /// Flies on for a minute.
    pub fn advance(&mut self) {
        self.advance_by(1.0);
    }

    /// Flies on for so many minutes.
    pub fn advance_by(&mut self, minutes: f64) {
        self.minutes_flown += minutes;
    }

    /// Where it is.
    #[must_use]
    pub fn position(&self) -> Position {
        self.arc.at(self.minutes_flown / self.minutes)
    }

    /// Where it is, as a unit vector.
    #[must_use]
    pub fn unit_vector(&self) -> [f64; 3] {
        self.arc.unit_vector_at(self.minutes_flown / self.minutes)
    }

    /// Where it was this many minutes ago, or started if that is later.
    #[must_use]
    pub fn position_before(&self, minutes: f64) -> Position {
        self.arc.at((self.minutes_flown - minutes).max(0.0) / self.minutes)
    }
}

/// A place as a longitude from -180 to 180 and a latitude from -90 to 90.
#[must_use]
pub fn normalised([longitude, latitude]: Position) -> Position {
    let longitude = if longitude.abs() <= 180.0 { longitude } else { (longitude + 180.0).rem_euclid(360.0) - 180.0 };
    [longitude, latitude.clamp(-90.0, 90.0)]
}

fn unit_vector([longitude, latitude]: Position) -> [f64; 3] {
    let (sine_lon, cosine_lon) = longitude.to_radians().sin_cos();
    let (sine_lat, cosine_lat) = latitude.to_radians().sin_cos();
    [cosine_lat * cosine_lon, cosine_lat * sine_lon, sine_lat]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn perpendicular([x, y, z]: [f64; 3]) -> [f64; 3] {
    // Turned within the plane of two axes, of which the larger part is one.
    let (turned, length) = if y.abs() < x.abs() { ([-z, 0.0, x], x.hypot(z)) } else { ([0.0, z, -y], y.hypot(z)) };
    turned.map(|part| part / length)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exactly these numbers are meant")]
mod tests {
    use super::*;

    fn assert_near(a: Position, b: Position) {
        assert!((a[0] - b[0]).abs() < 1e-6 && (a[1] - b[1]).abs() < 1e-6, "{a:?} is not {b:?}");
    }

    #[test]
    fn an_arc_begins_and_ends_where_it_should() {
        for (from, to) in
            [([-73.78, 40.64], [-118.41, 33.94]), ([-157.9, 21.3], [145.6, 15.1]), ([3.0, 4.0], [3.0, 4.0])]
        {
            let arc = GreatCircle::between(from, to);
            assert_near(arc.at(0.0), from);
            assert_near(arc.at(1.0), to);
        }
    }

    #[test]
    fn midpoints_are_on_the_great_circle() {
        assert_near(GreatCircle::between([0.0, 0.0], [90.0, 0.0]).at(0.5), [45.0, 0.0]);
        assert_near(GreatCircle::between([-90.0, 45.0], [90.0, 45.0]).at(0.25), [-90.0, 67.5]);
        // Along the fiftieth parallel the way is shorter to the north of it: tan(m) = tan(50°) / cos(30°).
        let north = (50_f64.to_radians().tan() / 30_f64.to_radians().cos()).atan().to_degrees();
        assert_near(GreatCircle::between([-30.0, 50.0], [30.0, 50.0]).at(0.5), [0.0, north]);
    }

    #[test]
    fn the_antimeridian_is_crossed_the_short_way() {
        let arc = GreatCircle::between([179.0, 10.0], [-178.0, 10.0]);
        assert!(arc.at(0.3)[0] > 179.0);
        assert!(arc.at(0.4)[0] < -179.0);
        assert_eq!(normalised([180.5, 0.0]), [-179.5, 0.0]);
        assert_eq!(normalised([-180.0, 91.0]), [-180.0, 90.0]);
    }

    #[test]
    fn opposite_places_and_poles_have_arcs() {
        for (from, to) in [([0.0, 0.0], [180.0, 0.0]), ([0.0, 90.0], [0.0, -90.0]), ([90.0, 0.0], [-90.0, 0.0])] {
            let middle = GreatCircle::between(from, to).at(0.5);
            assert!(
                (GreatCircle::between(from, middle).miles() - EARTH_RADIUS_MILES * std::f64::consts::FRAC_PI_2).abs()
                    < 1e-3
            );
        }
    }

    #[test]
    fn a_known_distance() {
        // New York to Los Angeles, as the tables of great-circle distances have it.
        let miles = GreatCircle::between([-73.778_89, 40.639_72], [-118.408_07, 33.942_54]).miles();
        assert!((miles - 2470.0).abs() < 6.0, "{miles}");
    }

    #[test]
    fn a_flight_lands_when_its_miles_are_flown() {
        let mut leg = Leg::new(GreatCircle::between([0.0, 0.0], [1.0, 0.0]), 3.5 * MILES_A_MINUTE);
        let mut minutes = 0;
        while leg.is_airborne() {
            assert_near(leg.position(), [f64::from(minutes) / 3.5, 0.0]);
            minutes += 1;
            leg.advance();
        }
        assert_eq!(minutes, 4);
        assert_near(leg.after(2.0).position_before(1.0), [1.0 / 3.5, 0.0]);
        assert_near(leg.after(2.0).position_before(5.0), [0.0, 0.0]);
    }
}
