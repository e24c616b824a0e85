//! The corridor: all points within a distance of a polyline. `runs` says which pieces of the line are near.
//!
//! A piece of a corridor is a ball around each end and what is straight between them. A box meets the straight part if no
//! plane of a few fixed directions separates the two. Each of these directions gives a number that is linear in the
//! coordinates of the box, so rounding is monotone, and the numbers need no root: distances are compared by squares, multiplied by
//! that of the length.
//!
//! Keeps Q7 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::array;

use super::runs::Runs;
use super::scale::power_to_one;
use crate::geometry::{as_it_is, impl_region};
use crate::{Ball, Rect, Region, Scalar};

/// A piece shorter than the distance by this factor is as good as its ends, and its square may vanish beside that of the
/// distance.
const SHORT: f64 = f64::from_bits((1023 - 100) << 52);

/// All points within a distance of a polyline: what lies along a route, a river, a cable.
///
/// The line may cross itself. Both ends are round. The corridor is closed: points at exactly that distance belong to it. A
/// corridor of one point is a [`Ball`](crate::Ball), and one of distance 0 is the line itself. It is empty without points,
/// if a point is not finite, or if the distance is negative or NaN.
///
/// Distances are computed in `f64`, and compared by their squares.
/// Nothing overflows; differences that are smaller than the distance or a piece by a factor of 2^400 may count as 0. In 3D a
/// box, unlike a point, may count as meeting the corridor if it just misses it with a corner, as with
/// [`Convex`](crate::Convex). A box lies inside if it lies in *one* of the parts of the corridor: in the ball around one of
/// the points, or in the straight part between two of them. So a box that only several parts cover together does not.
///
/// As a [`Polygon`](crate::Polygon) does, a corridor knows where its pieces are: an answer costs some ten steps and the
/// pieces nearby, also along a route of 50 000 points. A query copies its region, so pass a reference.
///
/// ```
/// use quadrille::{Corridor, Quadtree, Rect};
///
/// let mut index = Quadtree::<&str>::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let stations = index.add_point_layer()?;
/// for (at, name) in [([30.0, 12.0], "on the way"), ([52.0, 40.0], "a detour of 2"), ([80.0, 10.0], "elsewhere")] {
///     index.insert(stations, at, name)?;
/// }
/// let route = Corridor::new([[10.0, 10.0], [50.0, 10.0], [50.0, 90.0]], 2.0);
/// assert_eq!(index.intersecting(&route).count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Corridor<S = f32, const D: usize = 2> {
    points: Vec<[S; D]>,
    distance: S,
    bounds: Rect<S, D>,
    /// Coordinates are multiplied by this, so that differences of them do not overflow.
    scale: f64,
    /// The scaled distance.
    reach: f64,
    /// The scaled bounds of the pieces.
    runs: Runs<Rect<f64, D>>,
}

impl<S: Scalar, const D: usize> Corridor<S, D> {
    /// Makes the corridor around the line from the first point to the last. Any type of points will do.
    ///
    /// ```
    /// # use quadrille::{Corridor, Rect};
    /// let road: Corridor = Corridor::new([[0.0, 0.0], [30.0, 40.0]], 5.0);
    /// assert!(road.intersects(&Rect::from_point([11.0, 23.0]))); // exactly 5 beside it
    /// ```
    #[must_use]
    pub fn new(points: impl IntoIterator<Item = impl Into<[S; D]>>, distance: S) -> Self {
        // Pushed one by one, since the size hint of an iterator may be wrong.
        let mut line: Vec<[S; D]> = Vec::new();
        points.into_iter().for_each(|point| line.push(point.into()));
        let balls = || line.iter().map(|&point| Ball::new(point, distance).bounds());
        let around = Rect::from_rects(balls()).filter(|_| balls().all(|bounds| !bounds.is_empty()));
        let bounds = around.unwrap_or_else(Rect::nowhere);
        let numbers = line.iter().flatten().chain([&distance]).map(|number| number.to_f64());
        let finite = numbers.filter(|number| number.is_finite());
        let scale = power_to_one(finite.fold(0.0, |most, number| number.abs().max(most)));
        let reach = distance.to_f64() * scale;
        let pieces = around.map_or(0, |_| line.len().saturating_sub(1).max(1));
        let mut corridor = Self { points: line, distance, bounds, scale, reach, runs: Runs::none(0) };
        let each = (0..pieces).map(|number| corridor.piece(number).bounds());
        corridor.runs = Runs::new(pieces, each, Rect::union);
        corridor
    }

    /// The points of the line.
    ///
    /// ```
    /// # use quadrille::Corridor;
    /// assert_eq!(Corridor::new([[0.0_f32, 0.0], [3.0, 4.0]], 1.0).points(), [[0.0, 0.0], [3.0, 4.0]]);
    /// ```
    #[must_use]
    pub fn points(&self) -> &[[S; D]] {
        &self.points
    }

    /// The distance within which points belong to the corridor: half its breadth.
    ///
    /// ```
    /// # use quadrille::Corridor;
    /// assert_eq!(Corridor::new([[0.0_f32, 0.0], [3.0, 4.0]], 1.0).distance(), 1.0);
    /// ```
    #[must_use]
    pub fn distance(&self) -> S {
        self.distance
    }

    /// The smallest box around the corridor with coordinates of this type; all NaN if the corridor is empty.
    ///
    /// ```
    /// # use quadrille::{Corridor, Rect};
    /// let road: Corridor = Corridor::new([[0.0, 0.0], [30.0, 40.0]], 5.0);
    /// assert_eq!(road.bounds(), Rect::new([-5.0, -5.0], [35.0, 45.0]));
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    /// Whether the box shares a point with the corridor.
    ///
    /// ```
    /// # use quadrille::{Corridor, Rect};
    /// let road: Corridor = Corridor::new([[0.0, 0.0], [30.0, 40.0]], 5.0);
    /// assert!(road.intersects(&Rect::new([20.0, 0.0], [22.0, 22.0]))); // with a corner
    /// assert!(!road.intersects(&Rect::new([20.0, 0.0], [40.0, 18.0])));
    /// ```
    #[must_use]
    pub fn intersects(&self, rect: &Rect<S, D>) -> bool {
        let Some(part) = self.bounds.intersection(rect) else { return false };
        let part = self.scaled_box(&part);
        self.has_piece(|bounds| bounds.intersects(&part), |piece| piece.meets(&part))
    }

    /// Whether the point lies inside the corridor.
    ///
    /// ```
    /// # use quadrille::Corridor;
    /// let road: Corridor = Corridor::new([[0.0, 0.0], [30.0, 40.0]], 5.0);
    /// assert!(road.contains_point([11.0, 23.0]) && !road.contains_point([10.5, 23.0]));
    /// ```
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[S; D]>) -> bool {
        self.intersects(&Rect::from_point(point))
    }

    /// Whether all of the box lies inside the corridor, in one of its parts.
    ///
    /// ```
    /// # use quadrille::{Corridor, Rect};
    /// let road: Corridor = Corridor::new([[0.0, 0.0], [10.0, 0.0], [20.0, 0.0]], 5.0);
    /// assert!(road.contains(&Rect::new([1.0, -5.0], [9.0, 5.0])));
    /// assert!(!road.contains(&Rect::new([1.0, -5.0], [19.0, 5.0]))); // no single part has all of it
    /// ```
    #[must_use]
    pub fn contains(&self, rect: &Rect<S, D>) -> bool {
        let part = self.scaled_box(rect);
        self.bounds.contains(rect) && self.has_piece(|bounds| bounds.contains(&part), |piece| piece.has(&part))
    }

    /// Whether there is such a piece among those in runs whose box may hold one.
    fn has_piece(&self, may_hold: impl Fn(&Rect<f64, D>) -> bool, is_such: impl Fn(&Piece<D>) -> bool) -> bool {
        self.runs.search(may_hold, |mut numbers| numbers.any(|number| is_such(&self.piece(number))))
    }

    /// A piece of the line; of a single point, one without length.
    fn piece(&self, number: usize) -> Piece<D> {
        let next = (number + 1).min(self.points.len() - 1);
        Piece { ends: [number, next].map(|number| self.scaled(self.points[number])), reach: self.reach }
    }

    fn scaled(&self, point: [S; D]) -> [f64; D] {
        point.map(|at| at.to_f64() * self.scale)
    }

    fn scaled_box(&self, rect: &Rect<S, D>) -> Rect<f64, D> {
        Rect::new(self.scaled(rect.min()), self.scaled(rect.max()))
    }
}

/// A piece of the line and the distance, scaled.
struct Piece<const D: usize> {
    ends: [[f64; D]; 2],
    reach: f64,
}

impl<const D: usize> Piece<D> {
    /// A box around all that is within the distance, at most a rounding larger than that.
    fn bounds(&self) -> Rect<f64, D> {
        let around = Rect::new(self.ends[0], self.ends[1]);
        let min = around.min().map(|at| (at - self.reach).next_down());
        Rect::new(min, around.max().map(|at| (at + self.reach).next_up()))
    }

    /// Whether a box meets what is within the distance.
    fn meets(&self, rect: &Rect<f64, D>) -> bool {
        let Some(part) = self.bounds().intersection(rect) else { return false };
        let at_end = |&end| Rect::from_point(end).distance_squared(&part) <= self.reach * self.reach;
        self.ends.iter().any(at_end) || self.is_straight_at(&part, nearest_outside)
    }

    /// Whether all of a box is within the distance of one of the ends, or of the line and between the ends.
    fn has(&self, rect: &Rect<f64, D>) -> bool {
        let farthest = |end: &[f64; D], axis: usize| (end[axis] - rect.min()[axis]).max(rect.max()[axis] - end[axis]);
        let at_end =
            |end| sum_of_squares(array::from_fn::<_, D, _>(|axis| farthest(end, axis))) <= self.reach * self.reach;
        self.bounds().contains(rect) && (self.ends.iter().any(at_end) || self.is_straight_at(rect, farthest_outside))
    }

    /// Whether a box within the bounds meets the straight part between the ends, or all of it lies there, depending on what
    /// counts of numbers outside an interval.
    ///
    /// The straight part is the rectangle (in 3D the cylinder) of all points whose projection to the line lies between the
    /// ends, and whose distance from it is at most `reach`. In 2D it is separated from a box by one of the axes, the
    /// direction of the line, or the one across. In 3D there are three directions across the line and an axis; and
    /// together they give the square of the distance from the line (Lagrange's identity).
    fn is_straight_at(&self, rect: &Rect<f64, D>, outside: impl Fn([f64; 2], [f64; 2]) -> f64) -> bool {
        let ([from, to], reach) = (self.ends, self.reach);
        let step: [f64; D] = array::from_fn(|axis| to[axis] - from[axis]);
        let longest = step.into_iter().fold(0.0, |longest, along| along.abs().max(longest));
        if longest <= reach * SHORT {
            return false;
        }
        // So that products neither overflow nor vanish.
        let zoom = power_to_one(longest);
        let (step, reach) = (step.map(|along| along * zoom), reach * zoom);
        let offset = |axis: usize| [rect.min(), rect.max()].map(|end| (end[axis] - from[axis]) * zoom);
        let length = sum_of_squares(step);
        let along = (0..D).map(|axis| times(step[axis], offset(axis))).fold([0.0; 2], sum);
        if 0.0 < outside(along, [0.0, length]) {
            return false;
        }
        let mut distance = 0.0;
        for axis in 0..D {
            let beyond = outside(offset(axis), times(step[axis], [0.0, 1.0]));
            let others: f64 = (0..D).filter(|&other| other != axis).map(|other| step[other] * step[other]).sum();
            if reach * reach * others < beyond * beyond * length {
                return false;
            }
            for other in 0..axis {
                let across = sum(times(step[axis], offset(other)), times(-step[other], offset(axis)));
                let beside = outside(across, [0.0; 2]);
                let both = sum_of_squares([step[axis], step[other]]);
                if reach * reach * both < beside * beside {
                    return false;
                }
                distance += beside * beside;
            }
        }
        distance <= reach * reach * length
    }
}

/// How far the least of some numbers is outside an interval.
fn nearest_outside([least, most]: [f64; 2], [from, to]: [f64; 2]) -> f64 {
    (from - most).max(least - to).max(0.0)
}

/// How far the greatest of some numbers is outside an interval.
fn farthest_outside([least, most]: [f64; 2], [from, to]: [f64; 2]) -> f64 {
    (from - least).max(most - to).max(0.0)
}

/// All numbers of an interval, multiplied by one.
fn times(by: f64, [least, most]: [f64; 2]) -> [f64; 2] {
    if by < 0.0 { [by * most, by * least] } else { [by * least, by * most] }
}

/// All sums of a number of one interval and one of another.
fn sum(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

/// The sum of the squares.
fn sum_of_squares<const N: usize>(sides: [f64; N]) -> f64 {
    sides.iter().map(|side| side * side).sum()
}

impl_region! { [S: Scalar, const D: usize] Corridor<S, D>, D; }

as_it_is! {
    /// By reference, so that a query copies no points.
    [S: Scalar, const D: usize] &Corridor<S, D>, D;
}
