//! The polygon in 2D that need not be convex: rings of corners, of which some are holes.
//!
//! Every answer comes down to comparisons of coordinates and to exact signs (see `edge`). So the answers are true to
//! geometry, and cannot contradict each other, whichever edges are looked at.
//!
//! Keeps Q7 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::fmt;

use super::edge::Edge;
use super::rings::Rings;
use super::runs::FEW;
use super::scale::power_to_one;
use crate::geometry::{as_it_is, impl_region};
use crate::{Rect, Region, Scalar};

/// Scaled coordinates below this count as 0: then no product of two of them loses digits at the lower end of numbers.
const LEAST: f64 = f64::from_bits((1023 - 400) << 52);

/// How many edges tell how long most are.
const SAMPLE: usize = 16;

/// A polygon in 2D, with holes or without, convex or not: a district, a lake with islands, the area that a guard sees.
///
/// It is made of rings of corners. A point is inside if the way out from it crosses the rings an odd number of times:
/// so a ring inside another one is a hole, a ring in the hole is an island, and rings beside each other are parts of
/// one polygon. Corners come clockwise or counterclockwise; the last may repeat the first. All edges belong to the
/// polygon, also around holes. It is empty if it has no corners, or if one is not finite.
///
/// Answers are exact for coordinates of `f32`, and for `f64` unless their magnitudes differ by a factor of 2^400: then
/// the small ones may count as 0. A box lies inside if the polygon has all of it and no edge passes through its interior.
/// Edges may touch it. Only rings that cross each other, or that share an edge, have edges with the polygon on both
/// sides; a box across such an edge does not lie inside.
///
/// A polygon may have any number of corners and rings. From two dozen corners on, it knows where its edges are, and an
/// answer costs what is near: some ten steps to find the place, and the edges there. So a border of 50 000 corners costs
/// little more than a simple outline. Only where a border is so rough that it fills its surroundings, or where it crosses
/// itself in many places, are many edges near: at worst an answer looks at all, at one or two nanoseconds each. A query looks
/// at them once for all objects of a bucket, where they are longer than that: 100 000 points in a ring of as many random
/// corners take a second, and 19 times as long one by one. To build a polygon takes time in proportion to its corners (times a logarithm if it has many rings), so keep it. A query copies
/// its region, so pass a reference.
///
/// ```
/// use quadrille::{Polygon, Quadtree, Rect};
///
/// let mut index = Quadtree::<&str>::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let ships = index.add_point_layer()?;
/// for (at, name) in [([20.0, 20.0], "afloat"), ([50.0, 50.0], "ashore"), ([95.0, 20.0], "away")] {
///     index.insert(ships, at, name)?;
/// }
/// let lake = Polygon::new([[10.0, 10.0], [90.0, 10.0], [90.0, 90.0], [10.0, 90.0]])
///     .with_ring([[40.0, 40.0], [60.0, 40.0], [50.0, 60.0]]); // an island
/// let found: Vec<_> = index.intersecting(&lake).map(|ship| *ship.value()).collect();
/// assert_eq!(found, ["afloat"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Polygon<S = f32> {
    edges: Vec<[[S; 2]; 2]>,
    /// The scaled edges. If the polygon is known to be convex, it lies to the left of each of them.
    rings: Rings,
    /// Whether this is known: few edges are all looked at, and this makes it faster.
    is_convex: bool,
    /// NaN if there are no edges, or if a corner is not finite.
    bounds: Rect<S, 2>,
    /// Coordinates are multiplied by this, so that products of them do not overflow.
    scale: f64,
}

impl<S: Scalar> Polygon<S> {
    /// Makes the polygon within a ring of corners.
    ///
    /// Any type of points will do. With the feature `geo-types`, a polygon of that crate is `Polygon::from(&polygon)`.
    /// If a corner is NaN or infinite, the polygon meets nothing: of corners from elsewhere, ask `bounds().is_empty()`.
    ///
    /// ```
    /// # use quadrille::{Polygon, Rect};
    /// let arrow: Polygon = Polygon::new([[0.0, 0.0], [10.0, 5.0], [0.0, 10.0], [3.0, 5.0]]); // not convex
    /// assert!(!arrow.intersects(&Rect::from_point([1.0, 5.0])));
    /// ```
    #[must_use]
    pub fn new(corners: impl IntoIterator<Item = impl Into<[S; 2]>>) -> Self {
        Self::empty().with_ring(corners)
    }

    /// A polygon that meets nothing.
    pub(super) fn empty() -> Self {
        Self { edges: Vec::new(), rings: Rings::default(), is_convex: false, bounds: Rect::nowhere(), scale: 1.0 }
    }

    /// Adds a ring: a hole if it lies inside, another part if it lies outside. A ring without corners changes nothing. One
    /// with a corner that is NaN or infinite makes the polygon empty, for good.
    ///
    /// ```
    /// # use quadrille::{Polygon, Rect};
    /// let square = |half: f32| [[-half, -half], [half, -half], [half, half], [-half, half]];
    /// let frame = Polygon::new(square(5.0)).with_ring(square(4.0));
    /// assert!(!frame.intersects(&Rect::from_point([0.0, 0.0])) && frame.intersects(&Rect::from_point([4.5, 0.0])));
    /// ```
    #[must_use]
    pub fn with_ring(mut self, corners: impl IntoIterator<Item = impl Into<[S; 2]>>) -> Self {
        let (start, was_refused) = (self.edges.len(), self.bounds.is_empty() && !self.edges.is_empty());
        // Pushed one by one, since the size hint of an iterator may be wrong.
        corners.into_iter().map(Into::into).for_each(|corner| self.edges.push([corner; 2]));
        let ring = &mut self.edges[start..];
        for corner in 0..ring.len() {
            ring[corner][1] = ring[(corner + 1) % ring.len()][0];
        }
        if ring.is_empty() {
            return self;
        }
        let is_taken = !was_refused && ring.iter().flatten().flatten().all(|at| at.is_finite());
        let Some(around) = Rect::from_points(ring.iter().map(|&[from, _]| from)).filter(|_| is_taken) else {
            self.bounds = Rect::nowhere();
            return self;
        };
        self.bounds = self.bounds.union(&around);
        self.set_scale();
        let edge = |&[from, to]: &[[S; 2]; 2]| Edge { from: scaled(from, self.scale), to: scaled(to, self.scale) };
        let mut ring: Vec<Edge> = self.edges[start..].iter().map(edge).collect();
        self.is_convex = start == 0 && ring.len() <= FEW && is_convex(&mut ring);
        if start == 0 && FEW < ring.len() {
            self.edges.shrink_to_fit();
        }
        self.rings.add(ring);
        self
    }

    /// Scales the coordinates by the bounds: the more these grow, the smaller the scale. There are few scales, since all
    /// rings are built anew when it changes.
    fn set_scale(&mut self) {
        let ends = [self.bounds.min(), self.bounds.max()];
        let scale = power_to_one(ends.iter().flatten().map(|at| at.to_f64().abs()).fold(0.0, f64::max));
        let scale = one_of_few(scale);
        if scale < self.scale {
            // Both are powers of two: this gives the very numbers that the new scale does.
            let by = scale / self.scale;
            self.rings.map(|point| scaled(point, by));
        }
        self.scale = scale;
    }

    /// The edges of all rings, each from corner to corner, in the order in which the corners were given.
    ///
    /// ```
    /// # use quadrille::Polygon;
    /// let triangle: Polygon = Polygon::new([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]]);
    /// assert_eq!(triangle.edges().last(), Some([[0.0, 10.0], [0.0, 0.0]])); // it closes the ring
    /// ```
    pub fn edges(&self) -> impl Iterator<Item = [[S; 2]; 2]> + '_ {
        self.edges.iter().copied()
    }

    /// The smallest box around the polygon; all NaN if the polygon is empty.
    ///
    /// ```
    /// # use quadrille::{Polygon, Rect};
    /// let triangle: Polygon = Polygon::new([[0.0, 0.0], [10.0, 0.0], [0.0, 5.0]]);
    /// assert_eq!(triangle.bounds(), Rect::new([0.0, 0.0], [10.0, 5.0]));
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Rect<S, 2> {
        self.bounds
    }

    /// Whether the box shares a point with the polygon.
    ///
    /// ```
    /// # use quadrille::{Polygon, Rect};
    /// let triangle: Polygon = Polygon::new([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]]);
    /// assert!(triangle.intersects(&Rect::from_point([5.0, 5.0]))); // on its edge
    /// ```
    #[must_use]
    pub fn intersects(&self, rect: &Rect<S, 2>) -> bool {
        let Some(part) = self.bounds.intersection(rect) else { return false };
        let part = self.scaled_box(&part);
        if self.is_convex {
            // The bounds meet, and no edge has the whole box to its right.
            return !self.rings.have(|_| true, |edge| edge.side(edge.leftmost(&part)) < 0.0);
        }
        self.rings.enclose_unless(0, &part, |edge| edge.meets(&part)) != Some(false)
    }

    /// Whether the point lies inside the polygon or on an edge.
    ///
    /// ```
    /// # use quadrille::Polygon;
    /// let triangle: Polygon = Polygon::new([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]]);
    /// assert!(triangle.contains_point([5.0, 5.0]) && !triangle.contains_point([5.0, 5.5]));
    /// ```
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[S; 2]>) -> bool {
        self.intersects(&Rect::from_point(point))
    }

    /// Whether all of the box lies inside the polygon.
    ///
    /// ```
    /// # use quadrille::{Polygon, Rect};
    /// let triangle: Polygon = Polygon::new([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]]);
    /// assert!(triangle.contains(&Rect::new([0.0, 0.0], [5.0, 5.0])));
    /// ```
    #[must_use]
    pub fn contains(&self, rect: &Rect<S, 2>) -> bool {
        if !self.bounds.contains(rect) {
            return false;
        }
        let part = self.scaled_box(rect);
        if self.is_convex {
            return !self.rings.have(|_| true, |edge| edge.side(edge.rightmost(&part)) < 0.0);
        }
        // Where an edge passes through the box, one side of the edge is outside.
        let enters = |edge: &Edge| edge.enters(&part);
        match [0, 1].map(|axis| part.min()[axis] < part.max()[axis]) {
            [true, true] => self.rings.enclose_unless(0, &part, enters) == Some(true),
            [false, false] => self.intersects(rect),
            [along_first, _] => {
                let is_whole = !self.rings.have(|bounds| bounds.intersects(&part), enters);
                is_whole && self.contains_line(usize::from(!along_first), &part)
            }
        }
    }

    /// Whether a line along an axis lies inside. No edge crosses it.
    #[expect(clippy::float_cmp, reason = "corners on the line have its very coordinate")]
    fn contains_line(&self, axis: usize, line: &Rect<f64, 2>) -> bool {
        // The corners on the line cut it into pieces. Each piece must lie inside or on an edge.
        let ([first, last], beside) = ([line.min()[axis], line.max()[axis]], 1 - axis);
        let is_cut = |at: [f64; 2]| at[beside] == line.min()[beside] && first < at[axis] && at[axis] < last;
        let goes_on = |at: [f64; 2]| {
            self.rings.have(|bounds| bounds.contains_point(at), |edge| edge.runs_along_after(axis, at))
                || self.rings.enclose_unless(axis, &Rect::from_point(at), |_| false) == Some(true)
        };
        let ends = |edge: &Edge| is_cut(edge.from) && !goes_on(edge.from);
        goes_on(line.min()) && !self.rings.have(|bounds| bounds.intersects(line), ends)
    }

    /// A polygon with the same answers about boxes inside of one. `None` where it would not be faster: unless most edges are
    /// longer than that box, a smaller box meets far fewer of them.
    fn cut_to(&self, around: impl FnOnce() -> Rect<S, 2>) -> Option<Self> {
        let around = self.bounds.intersection(&(!self.is_convex).then(around)?)?;
        let is_long = |&&[from, to]: &&[[S; 2]; 2]| longest(&around) <= longest(&Rect::new(from, to));
        let some = self.edges.iter().step_by((self.edges.len() / SAMPLE).max(1));
        let are_long = SAMPLE / 2 <= some.filter(is_long).count();
        are_long.then(|| Self { edges: Vec::new(), rings: self.rings.near(&self.scaled_box(&around)), ..*self })
    }

    /// A box in scaled coordinates.
    fn scaled_box(&self, rect: &Rect<S, 2>) -> Rect<f64, 2> {
        Rect::new(scaled(rect.min(), self.scale), scaled(rect.max(), self.scale))
    }
}

/// The longest side.
fn longest<S: Scalar>(rect: &Rect<S, 2>) -> f64 {
    rect.size().into_iter().fold(0.0, |longest, side| side.to_f64().max(longest))
}

/// The least of eight powers of two that is not below another one. Numbers that the other one scales to at most 4 stay below
/// 2^257, so their products do not overflow.
fn one_of_few(power: f64) -> f64 {
    let exponent = power.to_bits() >> 52 | 0xFF;
    f64::from_bits(exponent.min(2046) << 52)
}

/// A point in scaled coordinates. Monotone on each axis.
fn scaled<S: Scalar>(point: [S; 2], scale: f64) -> [f64; 2] {
    point.map(|at| {
        let scaled = at.to_f64() * scale;
        if scaled.abs() < LEAST { 0.0 } else { scaled }
    })
}

/// Whether a ring is convex. If so, it goes around counterclockwise afterwards.
fn is_convex(ring: &mut [Edge]) -> bool {
    turns_left_once(ring) || {
        ring.reverse();
        for edge in &mut *ring {
            *edge = edge.reversed();
        }
        turns_left_once(ring)
    }
}

/// Whether the edges of a ring turn to the left only, and once around: then it is convex.
fn turns_left_once(ring: &[Edge]) -> bool {
    let edges = ring.iter().filter(|edge| !edge.is_point());
    let next = edges.clone().cycle().skip(1);
    let mut rounds = 0;
    let turns_left = edges.zip(next).all(|(edge, next)| {
        let (turn, goes_up, goes_on_up) = (edge.side(next.to), edge.goes_up(), next.goes_up());
        rounds += u32::from(!goes_up && goes_on_up);
        // An edge may go on straight, but not back.
        0.0 < turn || turn == 0.0 && goes_up == goes_on_up
    });
    turns_left && rounds == 1
}

impl_region! {
    [S: Scalar] Polygon<S>, 2, fn near(&self, around: impl FnOnce() -> Rect<S, 2>) -> Option<impl Region<S, 2>> {
        self.cut_to(around)
    };
}

as_it_is! {
    /// By reference, so that a query copies no edges.
    [S: Scalar] &Polygon<S>, 2;
}

/// The same edges within the same bounds. All else follows from these.
impl<S: PartialEq> PartialEq for Polygon<S> {
    fn eq(&self, other: &Self) -> bool {
        self.edges == other.edges && self.bounds == other.bounds
    }
}

impl<S: fmt::Debug> fmt::Debug for Polygon<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Polygon").field("edges", &self.edges).field("bounds", &self.bounds).finish_non_exhaustive()
    }
}
