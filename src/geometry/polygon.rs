//! The polygon in 2D that need not be convex: rings of corners, of which some are holes.
//!
//! Every answer comes down to comparisons of coordinates and to signs of the orientation of three points, and `robust`
//! computes these exactly. So the answers are those of geometry, and cannot contradict each other.
//!
//! Keeps Q7 of `docs/invariants.md`.

use alloc::vec::Vec;

use robust::{Coord, orient2d};

use super::scalar::{larger_magnitude, power_to_one};
use super::{Rect, Scalar};

/// Scaled coordinates below this count as 0: then no product of two of them loses digits at the lower end of numbers.
const LEAST: f64 = f64::from_bits((1023 - 400) << 52);

/// A polygon in 2D, with holes or without, convex or not: a district, a lake with islands, the area that a guard sees.
///
/// It is made of rings of corners. A point is inside if the way out from it crosses the rings an odd number of times:
/// so a ring inside another one is a hole, a ring in the hole is an island, and rings beside each other are parts of
/// one polygon. Corners come clockwise or counterclockwise; the last may repeat the first. All edges belong to the
/// polygon, those of holes too. It is empty if it has no corners, or if one is not finite.
///
/// Answers are exact for coordinates of `f32`, and for `f64` unless their magnitudes differ by a factor of 2^400: then
/// the small ones count as 0. A box lies inside if the polygon has all of it and no edge passes through its interior.
/// Edges may touch it. Only rings that cross each other, or that share an edge, have edges with the polygon on both
/// sides; a box across such an edge does not lie inside.
///
/// An answer takes time in proportion to the number of edges. If a polygon has thousands and its query is large, put
/// the parts into an index of their own, or simplify it. A query copies its region, so pass a reference. Convex polygons,
/// such as the view of a turned camera, are faster than others.
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
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon<S = f32> {
    edges: Vec<[[S; 2]; 2]>,
    /// The scaled edges. A convex polygon lies to the left of each of them.
    scaled: Vec<Edge>,
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
        Self { edges: Vec::new(), scaled: Vec::new(), is_convex: false, bounds: Rect::nowhere(), scale: 1.0 }
    }

    /// Adds a ring: a hole if it lies inside, another part if it lies outside. A ring without corners changes nothing.
    ///
    /// ```
    /// # use quadrille::{Polygon, Rect};
    /// let square = |half: f32| [[-half, -half], [half, -half], [half, half], [-half, half]];
    /// let frame = Polygon::new(square(5.0)).with_ring(square(4.0));
    /// assert!(!frame.intersects(&Rect::from_point([0.0, 0.0])) && frame.intersects(&Rect::from_point([4.5, 0.0])));
    /// ```
    #[must_use]
    pub fn with_ring(mut self, corners: impl IntoIterator<Item = impl Into<[S; 2]>>) -> Self {
        // Pushed one by one, since the size hint of an iterator may be wrong.
        let mut ring: Vec<[S; 2]> = Vec::new();
        corners.into_iter().for_each(|corner| ring.push(corner.into()));
        let corners = ring;
        let was_refused = self.bounds.has_nan() && !self.edges.is_empty();
        let is_finite = corners.iter().flatten().all(|at| at.is_finite());
        if let Some(around) = Rect::from_points(corners.iter().copied()).filter(|_| is_finite && !was_refused) {
            self.bounds = self.bounds.union(&around);
            let ends = [self.bounds.min(), self.bounds.max()];
            let scale = power_to_one(ends.iter().flatten().map(|at| at.to_f64()).fold(0.0, larger_magnitude));
            // The more the bounds grow, the smaller the scale.
            if scale < self.scale {
                self.scaled.clear();
            }
            self.scale = scale;
        } else if !corners.is_empty() {
            self.bounds = Rect::nowhere();
        }
        let next = corners.iter().cycle().skip(1);
        self.edges.extend(corners.iter().zip(next).map(|(&from, &to)| [from, to]));
        let is_first = self.edges.len() == corners.len();
        for &[from, to] in &self.edges[self.scaled.len()..] {
            self.scaled.push(Edge { from: scaled(from, self.scale), to: scaled(to, self.scale) });
        }
        self.is_convex = is_first && is_finite && turns_left_once(&self.scaled);
        if is_first && is_finite && !self.is_convex {
            let reversed: Vec<_> = self.scaled.iter().rev().map(|edge| edge.reversed()).collect();
            if turns_left_once(&reversed) {
                (self.scaled, self.is_convex) = (reversed, true);
            }
        }
        self
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
            return self.scaled.iter().all(|edge| 0.0 <= edge.side(edge.leftmost(&part)));
        }
        let mut is_inside = false;
        for edge in &self.scaled {
            if edge.meets(&part) {
                return true;
            }
            is_inside ^= edge.is_right_of(part.min());
        }
        is_inside
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
            return self.scaled.iter().all(|edge| 0.0 <= edge.side(edge.rightmost(&part)));
        }
        let edges = || self.scaled.iter().copied();
        // Where an edge passes through the box, one side of the edge is outside.
        let is_whole = || !edges().any(|edge| edge.enters(&part));
        let (min, max) = (part.min(), part.max());
        match [min[0] < max[0], min[1] < max[1]] {
            [true, true] => is_whole() && is_inside_after(edges(), min),
            [true, false] => is_whole() && contains_line(edges, min, max[0]),
            [false, true] => is_whole() && contains_line(|| edges().map(Edge::transposed), transposed(min), max[1]),
            [false, false] => self.intersects(rect),
        }
    }

    /// A box in scaled coordinates.
    fn scaled_box(&self, rect: &Rect<S, 2>) -> Rect<f64, 2> {
        Rect::ordered(scaled(rect.min(), self.scale), scaled(rect.max(), self.scale))
    }
}

/// A point in scaled coordinates. Monotone on each axis.
fn scaled<S: Scalar>(point: [S; 2], scale: f64) -> [f64; 2] {
    point.map(|at| {
        let scaled = at.to_f64() * scale;
        if scaled.abs() < LEAST { 0.0 } else { scaled }
    })
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

/// Whether a line from a point along the first axis lies inside the edges. None of them crosses it.
#[expect(clippy::float_cmp, reason = "corners on the line have its very coordinate")]
fn contains_line<E: Iterator<Item = Edge>>(edges: impl Fn() -> E, [first, height]: [f64; 2], last: f64) -> bool {
    // The corners on the line cut it into pieces. Each piece must lie inside or on an edge.
    let is_on_line = |at: &[f64; 2]| at[1] == height && first < at[0] && at[0] < last;
    let mut cuts = edges().map(|edge| edge.from).filter(is_on_line).chain([[first, height]]);
    cuts.all(|at| edges().any(|edge| edge.runs_along_after(at)) || is_inside_after(edges(), at))
}

/// Whether the place right beside a point is inside: further along the first axis by infinitely little, and further
/// along the second by infinitely less. No edge may pass there.
fn is_inside_after(edges: impl Iterator<Item = Edge>, point: [f64; 2]) -> bool {
    edges.fold(false, |is_odd, edge| is_odd ^ edge.is_right_of(point))
}

/// A point with the axes exchanged.
fn transposed([x, y]: [f64; 2]) -> [f64; 2] {
    [y, x]
}

/// An edge in scaled coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Edge {
    from: [f64; 2],
    to: [f64; 2],
}

impl Edge {
    fn transposed(self) -> Self {
        Self { from: transposed(self.from), to: transposed(self.to) }
    }

    fn reversed(self) -> Self {
        Self { from: self.to, to: self.from }
    }

    fn bounds(&self) -> Rect<f64, 2> {
        Rect::new(self.from, self.to)
    }

    /// Above 0 if the point lies to the left of the edge's line, below 0 if to the right, 0 if on the line.
    #[inline(always)]
    fn side(&self, point: [f64; 2]) -> f64 {
        let [from, to, point] = [self.from, self.to, point].map(|[x, y]| Coord { x, y });
        orient2d(from, to, point)
    }

    /// The corner of a box that lies furthest to the left of the edge's line.
    #[inline(always)]
    fn leftmost(&self, part: &Rect<f64, 2>) -> [f64; 2] {
        let [goes_right, goes_up] = [0, 1].map(|axis| self.from[axis] < self.to[axis]);
        let ([left, bottom], [right, top]) = (part.min(), part.max());
        [if goes_up { left } else { right }, if goes_right { top } else { bottom }]
    }

    /// The corner of a box that lies furthest to the right of the edge's line.
    fn rightmost(&self, part: &Rect<f64, 2>) -> [f64; 2] {
        self.reversed().leftmost(part)
    }

    /// Whether the edge leads up, or straight to the right: so of two opposite directions one does.
    fn goes_up(&self) -> bool {
        (self.from[1], self.from[0]) < (self.to[1], self.to[0])
    }

    #[expect(clippy::float_cmp, reason = "only a point has equal ends")]
    fn is_point(&self) -> bool {
        self.from == self.to
    }

    /// Whether the edge shares a point with a box.
    fn meets(&self, part: &Rect<f64, 2>) -> bool {
        self.bounds().intersects(part)
            && self.side(self.rightmost(part)) <= 0.0
            && 0.0 <= self.side(self.leftmost(part))
    }

    /// Whether the edge shares a point with the interior of a box, or crosses a box that is a line.
    fn enters(&self, part: &Rect<f64, 2>) -> bool {
        let crosses = || self.side(self.rightmost(part)) < 0.0 && 0.0 < self.side(self.leftmost(part));
        self.bounds().overlaps(part) && (self.is_point() || crosses())
    }

    /// Whether the edge runs along the first axis, through a point and to the right of it.
    #[expect(clippy::float_cmp, reason = "such an edge has the very coordinate")]
    fn runs_along_after(&self, [x, y]: [f64; 2]) -> bool {
        let (min, max) = (self.bounds().min(), self.bounds().max());
        min[1] == y && max[1] == y && min[0] <= x && x < max[0]
    }

    /// Whether the edge crosses the line along the first axis infinitely close above a point, to the right of it. An edge
    /// through the point itself does not.
    fn is_right_of(&self, point: [f64; 2]) -> bool {
        let [from_below, to_below] = [self.from, self.to].map(|end| end[1] <= point[1]);
        match (from_below, to_below) {
            (true, false) => 0.0 < self.side(point),
            (false, true) => self.side(point) < 0.0,
            _ => false,
        }
    }
}
