//! The segment: the straight line from one point to another.

use super::scalar::{larger_magnitude, power_to_one};
use super::{Rect, Region, Scalar};

/// The straight line between two points, its ends included: a line of sight, a path. May be a single point.
///
/// A box meets it if their bounds meet and the box has corners on both sides of the line, or one on it: in 3D in each of
/// the three projections along an axis. Sides are computed in `f64`: for coordinates of `f32` that is exact unless they
/// are of very different magnitude, and else what rounding of the last bit makes of it. Nothing overflows. A segment
/// whose ends are not finite is nowhere.
///
/// It contains boxes without breadth only: points on it, and boxes along it.
///
/// ```
/// use quadrille::{Quadtree, Rect, Segment};
///
/// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let walls = index.add_rect_layer()?;
/// index.insert(walls, Rect::new([40.0, 45.0], [50.0, 90.0]), "wall")?;
/// assert!(index.intersecting(Segment::new([10.0, 10.0], [90.0, 90.0])).exists()); // no line of sight
/// assert!(!index.intersecting(Segment::new([10.0, 10.0], [90.0, 79.0])).exists()); // just past the corner
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment<S = f32, const D: usize = 2> {
    from: [S; D],
    to: [S; D],
    bounds: Rect<S, D>,
    /// Coordinates are multiplied by this before differences are taken.
    scale: f64,
}

impl<S: Scalar, const D: usize> Segment<S, D> {
    /// Makes the segment between two points.
    #[must_use]
    pub fn new(from: impl Into<[S; D]>, to: impl Into<[S; D]>) -> Self {
        let (from, to) = (from.into(), to.into());
        let mut ends = from.into_iter().chain(to);
        let is_somewhere = ends.clone().all(S::is_finite);
        let magnitude = ends.by_ref().map(S::to_f64).fold(0.0, larger_magnitude);
        let bounds = if is_somewhere { Rect::new(from, to) } else { Rect::nowhere() };
        Self { from, to, bounds, scale: power_to_one(magnitude) }
    }

    /// Where it begins.
    #[must_use]
    pub fn from(&self) -> [S; D] {
        self.from
    }

    /// Where it ends.
    #[must_use]
    pub fn to(&self) -> [S; D] {
        self.to
    }

    /// On how far to the left of the line the box begins and ends, in each projection onto two axes: whether all these
    /// ranges pass a test.
    #[inline]
    fn sides(&self, rect: &Rect<S, D>, passes: impl Fn([f64; 2]) -> bool) -> bool {
        let scaled = |at: S| at.to_f64() * self.scale;
        let along = |axis: usize| scaled(self.to[axis]) - scaled(self.from[axis]);
        let ends = |axis: usize| [rect.min()[axis], rect.max()[axis]].map(|at| scaled(at) - scaled(self.from[axis]));
        (1..D).all(|second| {
            (0..second).all(|first| {
                let direction = [along(first), along(second)];
                passes(side_of_line(direction, [ends(first), ends(second)]))
            })
        })
    }
}

/// The range, over a box, of how far to the left of a line through the origin its points lie, times the length of
/// `direction`. Each step is monotone, so a part of the box has a part of the range.
#[inline]
pub(super) fn side_of_line(direction: [f64; 2], [x, y]: [[f64; 2]; 2]) -> [f64; 2] {
    let times = |factor: f64, [low, high]: [f64; 2]| {
        let ends = [factor * low, factor * high];
        if factor < 0.0 { [ends[1], ends[0]] } else { ends }
    };
    let (upward, rightward) = (times(direction[0], y), times(direction[1], x));
    [upward[0] - rightward[1], upward[1] - rightward[0]]
}

impl<S: Scalar, const D: usize> Region<S, D> for Segment<S, D> {
    fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    #[inline]
    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        let part = self.bounds.intersection(rect);
        part.is_some_and(|part| self.sides(&part, |[low, high]| low <= 0.0 && 0.0 <= high))
    }

    #[inline]
    fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.bounds.contains(rect) && self.sides(rect, |[low, high]| 0.0 <= low && high <= 0.0)
    }
}
