//! The ray: a point that moves along a straight line, forever or up to an end. `motion` computes what it hits.

use core::array;

use super::motion::in_steps;
use super::{Motion, Rect, Scalar};

/// A ray from a point in a direction, or a segment from one point to another: see
/// [`SpatialIndex::raycast`](crate::SpatialIndex::raycast).
///
/// Its points are `origin + t * direction`, from `t = 0` to infinity, or to `t = 1` for a segment. The direction may
/// have any length; if its length is one, `t` is the distance. A ray whose direction is zero is a point. An infinite
/// component of a direction counts as the largest number. Each `t` is rounded: along a very long direction it may be 0,
/// along a very short one infinite, where the order of hits and their points are still right. A ray with a NaN meets
/// nothing, nor does one with an infinite origin, or a segment with an infinite end.
///
/// ```
/// use quadrille::Ray;
///
/// let ray = Ray::new([1.0_f32, 1.0], [2.0, 0.0]);
/// assert_eq!(ray.at(3.0), [7.0, 1.0]);
/// assert_eq!(Ray::segment([1.0_f32, 1.0], [7.0, 1.0]).at(0.5), [4.0, 1.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray<S = f32, const D: usize = 2> {
    origin: [S; D],
    /// The vector for `1 / steps` of the parameter.
    step: [f64; D],
    /// The number of steps in one unit of the parameter.
    pub(crate) steps: f64,
    /// The end of a segment.
    pub(super) end: Option<[S; D]>,
    /// The smallest box around a segment; everything for a ray without an end. It hits only boxes that meet this one.
    pub(super) bounds: Rect<S, D>,
}

impl<S: Scalar, const D: usize> Ray<S, D> {
    /// Makes the ray from a point in a direction.
    ///
    /// ```
    /// # use quadrille::Ray;
    /// let ray: Ray = Ray::new([1.0, 2.0], [0.0, 3.0]); // the direction may have any length
    /// assert_eq!(ray.at(2.0), [1.0, 8.0]);
    /// assert_eq!(Ray::new([1.0, 2.0], [f32::INFINITY, 0.0]).direction(), [f32::MAX, 0.0]);
    /// ```
    #[must_use]
    pub fn new(origin: impl Into<[S; D]>, direction: impl Into<[S; D]>) -> Self {
        let (step, steps) = in_steps(direction.into());
        Self { origin: origin.into(), step, steps, end: None, bounds: Rect::everything() }
    }

    /// Makes the segment from one point to another. Both ends belong to it.
    ///
    /// ```
    /// # use quadrille::Ray;
    /// let ray: Ray = Ray::segment([1.0, 2.0], [1.0, 8.0]);
    /// assert_eq!((ray.at(0.5), ray.until()), ([1.0, 5.0], 1.0));
    /// ```
    #[must_use]
    pub fn segment(from: impl Into<[S; D]>, to: impl Into<[S; D]>) -> Self {
        let (from, to) = (from.into(), to.into());
        let along = |axis: usize| to[axis].to_f64() - from[axis].to_f64();
        let is_whole = (0..D).all(|axis| along(axis).is_finite());
        let step = |axis: usize| match along(axis) {
            // The smallest number has no half.
            along if is_whole || along * 0.5 == 0.0 => along,
            along if along.is_finite() => along * 0.5,
            _ => to[axis].to_f64() * 0.5 - from[axis].to_f64() * 0.5,
        };
        let steps = if is_whole { 1.0 } else { 2.0 };
        let is_somewhere = from.iter().chain(&to).all(|at| at.is_finite());
        let bounds = if is_somewhere { Rect::new(from, to) } else { Rect::nowhere() };
        Self { origin: from, step: array::from_fn(step), steps, end: Some(to), bounds }
    }

    /// The point where the ray begins.
    ///
    /// ```
    /// # use quadrille::Ray;
    /// assert_eq!(Ray::new([1.0_f32, 2.0], [0.0, 3.0]).origin(), [1.0, 2.0]);
    /// ```
    #[must_use]
    pub fn origin(&self) -> [S; D] {
        self.origin
    }

    /// The vector from the point at `t = 0` to the point at `t = 1`, rounded.
    ///
    /// ```
    /// # use quadrille::Ray;
    /// assert_eq!(Ray::segment([1.0_f32, 2.0], [1.0, 8.0]).direction(), [0.0, 6.0]);
    /// ```
    #[must_use]
    pub fn direction(&self) -> [S; D] {
        self.step.map(|step| S::from_f64(step * self.steps))
    }

    /// The parameter of the ray's end: 1 for a segment, else infinity.
    ///
    /// ```
    /// # use quadrille::Ray;
    /// assert_eq!(Ray::new([1.0_f32, 2.0], [0.0, 3.0]).until(), f32::INFINITY);
    /// ```
    #[must_use]
    pub fn until(&self) -> S {
        S::from_f64(if self.end.is_some() { 1.0 } else { f64::INFINITY })
    }

    /// The point at a parameter, rounded.
    ///
    /// ```
    /// # use quadrille::Ray;
    /// let ray: Ray = Ray::new([0.0, 0.0], [3.0, 4.0]);
    /// assert_eq!(ray.at(10.0), [30.0, 40.0]); // 50 away: `t` counts directions, not lengths
    /// ```
    #[must_use]
    pub fn at(&self, t: S) -> [S; D] {
        self.motion().at_step(self.origin, t.to_f64() * self.steps)
    }

    pub(crate) fn motion(&self) -> Motion<S, D> {
        // The way between the ends of a segment is one step, or two if they are far apart.
        let is_far = self.end.is_some() && 1.0 < self.steps;
        Motion { from: Rect::from_point(self.origin), step: self.step, bounds: self.bounds, is_far }
    }
}
