//! The segment: the straight line from one point to another. `motion` computes what it meets, as for a ray.
//!
//! Keeps Q7 of `docs/invariants.md`.

use super::{Motion, Ray, Rect, Scalar};

/// The straight line between two points, both ends included: a line of sight, or a path. It may be a single point.
///
/// A segment meets a box if a [`Ray`] from one end to the other hits the box: both compute, in `f64`, when the moving
/// point is inside the box on each axis. For coordinates of `f32` this is exact unless their magnitudes differ very
/// much. Nothing overflows. A segment is empty if one of its ends is not finite.
///
/// A segment contains only points on it and, if it runs along an axis, boxes along it that have no breadth.
///
/// ```
/// use quadrille::{Quadtree, Rect, Segment};
///
/// let mut index = Quadtree::<&str>::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let walls = index.add_rect_layer()?;
/// index.insert(walls, Rect::new([40.0, 45.0], [50.0, 90.0]), "wall")?;
/// assert!(index.intersecting(Segment::new([10.0, 10.0], [90.0, 90.0])).exists()); // no line of sight
/// assert!(!index.intersecting(Segment::new([10.0, 10.0], [90.0, 79.0])).exists()); // just past the corner
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment<S = f32, const D: usize = 2> {
    /// Always with an end.
    ray: Ray<S, D>,
}

impl<S: Scalar, const D: usize> Segment<S, D> {
    /// Makes the segment between two points.
    ///
    /// ```
    /// # use quadrille::{Rect, Segment};
    /// let sight: Segment = Segment::new([0.0, 0.0], [4.0, 2.0]);
    /// assert!(sight.intersects(&Rect::from_point([2.0, 1.0])));
    /// ```
    #[must_use]
    pub fn new(from: impl Into<[S; D]>, to: impl Into<[S; D]>) -> Self {
        Self { ray: Ray::segment(from, to) }
    }

    /// The point where it begins.
    ///
    /// ```
    /// # use quadrille::Segment;
    /// assert_eq!(Segment::new([0.0_f32, 0.0], [4.0, 2.0]).from(), [0.0, 0.0]);
    /// ```
    #[must_use]
    pub fn from(&self) -> [S; D] {
        self.ray.origin()
    }

    /// The point where it ends.
    ///
    /// ```
    /// # use quadrille::Segment;
    /// assert_eq!(Segment::new([0.0_f32, 0.0], [4.0, 2.0]).to(), [4.0, 2.0]);
    /// ```
    #[must_use]
    pub fn to(&self) -> [S; D] {
        self.ray.end.unwrap_or(self.ray.origin())
    }

    /// The smallest box around the segment; all NaN if the segment is empty.
    ///
    /// ```
    /// # use quadrille::{Rect, Segment};
    /// assert_eq!(Segment::new([4.0_f32, 0.0], [0.0, 2.0]).bounds(), Rect::new([0.0, 0.0], [4.0, 2.0]));
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        self.ray.bounds
    }

    /// Whether the box shares a point with the segment.
    ///
    /// ```
    /// # use quadrille::{Rect, Segment};
    /// let sight: Segment = Segment::new([0.0, 0.0], [4.0, 4.0]);
    /// assert!(sight.intersects(&Rect::new([2.0, 0.0], [4.0, 2.0]))); // passes through a corner
    /// assert!(!sight.intersects(&Rect::new([3.0, 0.0], [4.0, 2.0])));
    /// ```
    #[must_use]
    #[inline]
    pub fn intersects(&self, rect: &Rect<S, D>) -> bool {
        // Cut to the bounds, the box is reached before the end, so the time need not be compared with 1.
        self.bounds().intersection(rect).is_some_and(|part| self.motion().time_of_impact(&part).is_some())
    }

    /// The motion of a point from one end to the other.
    #[inline]
    pub(crate) fn motion(&self) -> Motion<S, D> {
        self.ray.motion()
    }

    /// Whether all of the box lies on the segment.
    ///
    /// ```
    /// # use quadrille::{Rect, Segment};
    /// let sight: Segment = Segment::new([0.0, 0.0], [4.0, 0.0]);
    /// assert!(sight.contains(&Rect::new([1.0, 0.0], [2.0, 0.0]))); // a box without height
    /// ```
    #[must_use]
    #[inline]
    pub fn contains(&self, rect: &Rect<S, D>) -> bool {
        let (from, to) = (self.from(), self.to());
        let moving = (0..D).filter(|&axis| from[axis] != to[axis]);
        // A segment along an axis contains boxes along it; a slanted one contains only points.
        let is_slanted = moving.clone().count() > 1;
        let has_breadth = is_slanted && moving.clone().any(|axis| rect.min()[axis] != rect.max()[axis]);
        self.bounds().contains(rect) && !has_breadth && self.intersects(rect)
    }
}

/// The ray from the segment's first point to its last, both included.
impl<S: Scalar, const D: usize> From<Segment<S, D>> for Ray<S, D> {
    fn from(segment: Segment<S, D>) -> Self {
        segment.ray
    }
}
