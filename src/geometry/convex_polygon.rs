//! The convex polygon in 2D, given by its corners.
//!
//! Keeps Q7 of `docs/invariants.md`.

use super::scalar::{larger_magnitude, power_to_one};
use super::{Rect, Scalar};

/// A convex polygon in 2D, given by its corners in order, clockwise or counterclockwise: the area that a lamp lights
/// up, or that a camera sees from above. Its edges belong to it. Two corners make a segment, one corner makes a point.
/// A polygon is empty if it has no corners, or if one is not finite.
///
/// A box meets the polygon if their bounds meet and no edge has the whole box on its outer side. In 2D this holds
/// exactly when the two share a point. Sides are computed in `f64`, which is exact for coordinates of `f32` unless
/// their magnitudes differ very much. The corners are borrowed, so a query allocates nothing.
///
/// Corners that are out of order, or that do not form a convex polygon, are not detected. The shape is then the part of
/// its bounds that lies on the inner side of the lines along all edges.
///
/// ```
/// use quadrille::{ConvexPolygon, Quadtree, Rect};
///
/// let mut index = Quadtree::<&str>::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let walls = index.add_rect_layer()?;
/// index.insert(walls, Rect::new([0.0, 30.0], [15.0, 40.0]), "at the edge")?;
/// index.insert(walls, Rect::new([0.0, 36.0], [14.0, 40.0]), "in the corner of its bounds")?;
/// let light = [[20.0, 50.0], [10.0, 20.0], [60.0, 20.0]];
/// let lit = index.intersecting(ConvexPolygon::new(&light));
/// assert_eq!(lit.map(|wall| *wall.value()).collect::<Vec<_>>(), ["at the edge"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexPolygon<'a, S = f32> {
    corners: &'a [[S; 2]],
    bounds: Rect<S, 2>,
    /// Coordinates are multiplied by this before they are subtracted, so that differences do not overflow.
    scale: f64,
    /// Whether the corners are given clockwise (the second axis pointing up).
    clockwise: bool,
}

impl<'a, S: Scalar> ConvexPolygon<'a, S> {
    /// Makes the polygon around corners in order.
    ///
    /// ```
    /// # use quadrille::{ConvexPolygon, Rect};
    /// let corners = [[0.0_f32, 0.0], [10.0, 0.0], [0.0, 10.0]];
    /// assert!(ConvexPolygon::new(&corners).intersects(&Rect::from_point([5.0, 5.0]))); // on its edge
    /// ```
    #[must_use]
    pub fn new(corners: &'a [[S; 2]]) -> Self {
        let is_somewhere = corners.iter().flatten().all(|at| at.is_finite());
        let around = if is_somewhere { Rect::from_points(corners.iter().copied()) } else { None };
        let magnitude = corners.iter().flatten().map(|at| at.to_f64()).fold(0.0, larger_magnitude);
        let mut polygon = Self {
            corners,
            bounds: around.unwrap_or_else(Rect::nowhere),
            scale: power_to_one(magnitude),
            clockwise: false,
        };
        polygon.clockwise = polygon.area_twice() < 0.0;
        polygon
    }

    /// The corners.
    ///
    /// ```
    /// # use quadrille::ConvexPolygon;
    /// let corners = [[0.0_f32, 0.0], [10.0, 0.0], [0.0, 10.0]];
    /// assert_eq!(ConvexPolygon::new(&corners).corners(), &corners);
    /// ```
    #[must_use]
    pub fn corners(&self) -> &'a [[S; 2]] {
        self.corners
    }

    /// The smallest box around the polygon; all NaN if the polygon is empty.
    ///
    /// ```
    /// # use quadrille::{ConvexPolygon, Rect};
    /// let corners = [[0.0_f32, 0.0], [10.0, 0.0], [0.0, 5.0]];
    /// assert_eq!(ConvexPolygon::new(&corners).bounds(), Rect::new([0.0, 0.0], [10.0, 5.0]));
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Rect<S, 2> {
        self.bounds
    }

    /// Whether the box shares a point with the polygon.
    ///
    /// ```
    /// # use quadrille::{ConvexPolygon, Rect};
    /// let triangle = ConvexPolygon::new(&[[0.0_f32, 0.0], [10.0, 0.0], [0.0, 10.0]]);
    /// assert!(!triangle.intersects(&Rect::new([6.0, 6.0], [9.0, 9.0]))); // meets its bounds only
    /// ```
    #[must_use]
    pub fn intersects(&self, rect: &Rect<S, 2>) -> bool {
        let part = self.bounds.intersection(rect);
        part.is_some_and(|part| self.sides(&part, |[_, high]| 0.0 <= high))
    }

    /// Whether all of the box lies inside the polygon.
    ///
    /// ```
    /// # use quadrille::{ConvexPolygon, Rect};
    /// let triangle = ConvexPolygon::new(&[[0.0_f32, 0.0], [10.0, 0.0], [0.0, 10.0]]);
    /// assert!(triangle.contains(&Rect::new([0.0, 0.0], [5.0, 5.0])));
    /// ```
    #[must_use]
    pub fn contains(&self, rect: &Rect<S, 2>) -> bool {
        self.bounds.contains(rect) && self.sides(rect, |[low, _]| 0.0 <= low)
    }

    /// Twice the area, scaled; negative if the corners come clockwise.
    fn area_twice(&self) -> f64 {
        let Some(&origin) = self.corners.first() else { return 0.0 };
        self.edges()
            .map(|(from, to)| {
                let [[x0, y0], [x1, y1]] = [from, to].map(|corner| self.offset(origin, corner));
                x0 * y1 - x1 * y0
            })
            .sum()
    }

    /// The edges, each from corner to corner.
    fn edges(&self) -> impl Iterator<Item = ([S; 2], [S; 2])> {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().copied().zip(next.copied())
    }

    /// The vector from one point to another, scaled.
    fn offset(&self, from: [S; 2], to: [S; 2]) -> [f64; 2] {
        let scaled = |at: S| at.to_f64() * self.scale;
        [scaled(to[0]) - scaled(from[0]), scaled(to[1]) - scaled(from[1])]
    }

    /// Whether a test passes for every edge. The test is given the range of (scaled, signed) distances by which the
    /// points of a box lie on the inner side of the edge.
    fn sides(&self, rect: &Rect<S, 2>, passes: impl Fn([f64; 2]) -> bool) -> bool {
        self.edges().all(|(from, to)| {
            let [min, max] = [rect.min(), rect.max()].map(|corner| self.offset(from, corner));
            let [low, high] = side_of_line(self.offset(from, to), [[min[0], max[0]], [min[1], max[1]]]);
            passes(if self.clockwise { [-high, -low] } else { [low, high] })
        })
    }
}

/// The range of signed distances by which the points of a box lie to the left of a line through the origin, times the
/// length of `direction`. Each step is monotone, so the range of a part of the box lies within that of the box.
#[inline]
fn side_of_line(direction: [f64; 2], [x, y]: [[f64; 2]; 2]) -> [f64; 2] {
    let times = |factor: f64, [low, high]: [f64; 2]| {
        let ends = [factor * low, factor * high];
        if factor < 0.0 { [ends[1], ends[0]] } else { ends }
    };
    let (upward, rightward) = (times(direction[0], y), times(direction[1], x));
    [upward[0] - rightward[1], upward[1] - rightward[0]]
}
