//! The convex polygon of a plane, by its corners.

use super::scalar::{larger_magnitude, power_to_one};
use super::{Rect, Scalar};

/// A convex polygon in a plane, given by its corners in order, either way round: what a lamp lights up, what a camera
/// sees from above. Its edge belongs to it. Two corners make a segment, one a point, none is nowhere, and so is a polygon
/// with a corner that is not finite.
///
/// A box meets it if their bounds meet and no edge has the whole box on its outer side: in a plane that is exactly when
/// they share a point. Sides are computed in `f64`: for coordinates of `f32` that is exact unless they are of very different
/// magnitude. The corners are borrowed, so that a query allocates nothing.
///
/// Corners that are not in order, or not convex, are not noticed. Then it is something else: the part of its bounds that
/// lies to the inner side of all lines along its edges.
///
/// ```
/// use quadrille::{ConvexPolygon, Quadtree, Rect};
///
/// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
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
    /// Coordinates are multiplied by this before differences are taken.
    scale: f64,
    /// Whether the corners are given clockwise (the second axis pointing up).
    clockwise: bool,
}

impl<'a, S: Scalar> ConvexPolygon<'a, S> {
    /// Makes the polygon around corners in order.
    #[must_use]
    pub fn new(corners: &'a [[S; 2]]) -> Self {
        let is_somewhere = corners.iter().flatten().all(|at| at.is_finite());
        let around = if is_somewhere { Rect::around(corners.iter().copied()) } else { None };
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
    #[must_use]
    pub fn corners(&self) -> &'a [[S; 2]] {
        self.corners
    }

    /// The smallest box around the polygon; with NaN if it is nowhere.
    #[must_use]
    pub fn bounds(&self) -> Rect<S, 2> {
        self.bounds
    }

    /// Whether the box shares a point with the polygon.
    #[must_use]
    pub fn intersects(&self, rect: &Rect<S, 2>) -> bool {
        let part = self.bounds.intersection(rect);
        part.is_some_and(|part| self.sides(&part, |[_, high]| 0.0 <= high))
    }

    /// Whether all of the box lies inside the polygon.
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

    /// The edges, each with the corner where it begins and the one where it ends.
    fn edges(&self) -> impl Iterator<Item = ([S; 2], [S; 2])> {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().copied().zip(next.copied())
    }

    /// The way from one point to another, scaled.
    fn offset(&self, from: [S; 2], to: [S; 2]) -> [f64; 2] {
        let scaled = |at: S| at.to_f64() * self.scale;
        [scaled(to[0]) - scaled(from[0]), scaled(to[1]) - scaled(from[1])]
    }

    /// On how far to the inner side of an edge a box begins and ends: whether these ranges all pass a test.
    fn sides(&self, rect: &Rect<S, 2>, passes: impl Fn([f64; 2]) -> bool) -> bool {
        self.edges().all(|(from, to)| {
            let [min, max] = [rect.min(), rect.max()].map(|corner| self.offset(from, corner));
            let [low, high] = side_of_line(self.offset(from, to), [[min[0], max[0]], [min[1], max[1]]]);
            passes(if self.clockwise { [-high, -low] } else { [low, high] })
        })
    }
}

/// The range, over a box, of how far to the left of a line through the origin its points lie, times the length of
/// `direction`. Each step is monotone, so a part of the box has a part of the range.
#[inline]
fn side_of_line(direction: [f64; 2], [x, y]: [[f64; 2]; 2]) -> [f64; 2] {
    let times = |factor: f64, [low, high]: [f64; 2]| {
        let ends = [factor * low, factor * high];
        if factor < 0.0 { [ends[1], ends[0]] } else { ends }
    };
    let (upward, rightward) = (times(direction[0], y), times(direction[1], x));
    [upward[0] - rightward[1], upward[1] - rightward[0]]
}
