//! The cap: all places of the globe within a distance of one. `great_circle` measures the distances.
//!
//! Keeps Q7 of `docs/invariants.md`: of points it is asked exactly, of boxes with more slack than all rounding.

use core::f64::consts::FRAC_PI_2;

use super::great_circle::{GreatCircle, ROUGH, SLACK};
use crate::geometry::as_it_is;
use crate::{Rect, Region, Scalar};

/// How many degrees the latitudes and the longitudes of the bounds go beyond the cap. Both exceed all rounding.
const MARGIN: f64 = 1e-9;
const MARGIN_OF_TURN: f64 = 1e-5;

/// All places within a distance of one, in meters along great circles: a region over the globe, in an index of longitudes
/// and latitudes. [`GreatCircle::within`] makes it.
///
/// As with [`GreatCircle`], the antimeridian is no border, a pole has all longitudes, and longitudes that differ by 360 are the
/// same. So its bounds have all longitudes, and no box contains it. It needs no [`Periodic`](crate::Periodic), in which it is
/// many times slower and, in `f32`, less exact. It is a region as all others are, for watches, cursors and [`AnyOf`](crate::AnyOf) too.
///
/// A point belongs to it exactly if [`distance_to`](GreatCircle::distance_to) says so. A box may count as meeting it that
/// just misses it, and as not inside where it just fits, on the earth by some micrometers, and beside the opposite point by two
/// meters.
///
/// It is empty if the distance is negative or NaN, if the place is not finite, or if the sphere has no positive, finite
/// diameter.
///
/// ```
/// use quadrille::{GreatCircle, Quadtree, Rect};
///
/// let mut map: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
/// let ships = map.add_point_layer()?;
/// map.insert(ships, [179.9, -17.0], "west of the antimeridian")?;
/// map.insert(ships, [-179.9, -17.0], "east of it")?;
/// let near = GreatCircle::new([-179.95, -17.0]).within(50_000.0);
/// assert_eq!(map.intersecting(near).count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cap {
    pub(super) center: GreatCircle,
    pub(super) distance: f64,
    /// Up to the first a place is surely within the distance, and beyond the second surely not: squares of half the chord.
    surely: f64,
    perhaps: f64,
    /// The first and last latitude in degrees. Infinite beyond a pole that belongs to the cap, NaN if the cap is empty.
    latitudes: [f64; 2],
    /// No place differs by more degrees in longitude.
    turn: f64,
}

/// Here, since `great_circle` knows no regions.
impl GreatCircle {
    /// All places within a distance: a region for queries.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Quadtree, Rect};
    /// # let mut map: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
    /// # let planes = map.add_point_layer()?;
    /// map.insert(planes, [30.0, 89.5], "on this side of the pole")?;
    /// map.insert(planes, [-150.0, 89.5], "beyond it")?;
    /// let near = GreatCircle::new([30.0, 89.8]).within(100_000.0);
    /// assert_eq!(map.intersecting(near).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn within(self, distance: f64) -> Cap {
        let [_, latitude] = self.place();
        let half = (distance / self.diameter()).min(FRAC_PI_2);
        if self.degrees().is_none() || distance.is_nan() || distance < 0.0 {
            let latitudes = [f64::NAN; 2];
            return Cap { center: self, distance, surely: -1.0, perhaps: -1.0, latitudes, turn: -1.0 };
        }
        let limit = half.sin() * half.sin();
        let (surely, perhaps) = if self.diameter() * FRAC_PI_2 <= distance {
            (f64::INFINITY, f64::INFINITY)
        } else if limit < 1e-290 {
            (-1.0, 1e-280) // squares as small as these have few digits
        } else {
            (limit * SLACK, limit / SLACK)
        };
        let [angle, north] = [2.0 * half, latitude].map(f64::to_degrees);
        let [first, last] = [north - angle - MARGIN, north + angle + MARGIN];
        let latitudes =
            [if first <= -90.0 { f64::NEG_INFINITY } else { first }, if 90.0 <= last { f64::INFINITY } else { last }];
        let turn = if latitudes.iter().all(|end| end.is_finite()) {
            ((2.0 * half).sin() / latitude.cos()).min(1.0).asin().to_degrees() + MARGIN_OF_TURN
        } else {
            180.0
        };
        Cap { center: self, distance, surely, perhaps, latitudes, turn }
    }
}

impl<S: Scalar> Region<S, 2> for Cap {
    fn bounds(&self) -> Rect<S, 2> {
        let [south, north] = self.latitudes;
        if south.is_nan() {
            return Rect::nowhere();
        }
        // Rounded outward; the infinite ones stay.
        let [south, north] = [S::from_f64(south).next_down(), S::from_f64(north).next_up()];
        Rect::new([S::NEG_INFINITY, south], [S::INFINITY, north])
    }

    fn intersects(&self, rect: &Rect<S, 2>) -> bool {
        let is_point = rect.min() == rect.max();
        if is_point {
            let [longitude, latitude] = rect.min().map(S::to_f64);
            let turn = self.center.turn(longitude);
            if self.turn < turn {
                return false;
            }
            let haversine = self.center.roughly(turn, latitude);
            if haversine < self.surely * (1.0 - ROUGH[0]) - ROUGH[1] {
                return true;
            }
            if self.perhaps * (1.0 + ROUGH[0]) + ROUGH[1] < haversine {
                return false;
            }
        }
        let [longitudes, latitudes] = self.center.sides(rect, !is_point);
        let turn = self.center.least_turn(longitudes);
        // A NaN of the box is found later.
        if self.turn < turn {
            return false;
        }
        let haversine = self.center.nearest(turn, latitudes);
        if !is_point {
            return haversine * SLACK <= self.perhaps;
        }
        haversine <= self.surely || haversine <= self.perhaps && self.center.length(haversine) <= self.distance
    }

    fn contains(&self, rect: &Rect<S, 2>) -> bool {
        if rect.min() == rect.max() {
            return self.intersects(rect);
        }
        let [longitudes, latitudes] = self.center.sides(rect, true);
        let turn = self.center.greatest_turn(longitudes);
        turn <= self.turn && self.center.farthest(turn, latitudes) <= self.surely * SLACK
    }
}

as_it_is! { [S: Scalar] Cap, 2; }

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules of regions, between boxes at all scales and points in them, at the edge of the cap and anywhere.
    #[test]
    fn boxes_agree_with_their_points() {
        let mut dice = 46_u64;
        let mut number = |least: f64, most: f64| {
            dice = dice.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            least + (most - least) * f64::from((dice >> 33) as u32) / f64::from(u32::MAX >> 1)
        };
        let mut seen = [0; 4];
        for round in 0..400_000 {
            let circle = GreatCircle::new([number(-400.0, 400.0), number(-90.0, 90.0)]);
            let scale = 10_f64.powi(-(round % 14));
            let point = if round % 3 == 0 {
                [number(-180.0, 180.0), number(-90.0, 90.0)]
            } else {
                [circle.place()[0] + number(-9.0, 9.0) * scale, number(-90.0, 90.0)]
            };
            let point_rect = Rect::from_point(point);
            let exactly = circle.distance_to(&point_rect);
            let distance = match round % 4 {
                0 => exactly,
                1 => exactly * (1.0 + number(-1.0, 1.0) * scale),
                2 => exactly + number(0.0, 2e5) * scale,
                _ => number(0.0, 2e7),
            };
            let cap = circle.within(distance);
            let rect = Rect::new(
                point.map(|end| end - scale * number(0.0, 1.0)),
                point.map(|end| end + scale * number(0.0, 1.0)),
            );
            let meets = cap.intersects(&point_rect);
            assert_eq!(meets, exactly <= distance, "{point:?} in {cap:?}");
            assert_eq!(meets, cap.contains(&point_rect));
            assert!(!meets || cap.intersects(&rect), "{point:?} of {rect:?} in {cap:?}");
            assert!(!cap.contains(&rect) || meets, "{point:?} of {rect:?} in {cap:?}");
            assert!(!meets || Region::<f64, 2>::bounds(&cap).contains(&point_rect), "{point:?} beyond {cap:?}");
            let rounded = Rect::from_point(point.map(|end| end as f32));
            let bounds = Region::<f32, 2>::bounds(&cap);
            assert!(!cap.intersects(&rounded) || bounds.contains(&rounded), "{rounded:?} beyond {cap:?}");
            seen[usize::from(meets) + 2 * usize::from(cap.contains(&rect))] += 1;
        }
        assert!(seen[2] == 0 && 20_000 < seen[0] && 20_000 < seen[1] && 5_000 < seen[3], "{seen:?}");
    }
}
