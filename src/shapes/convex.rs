//! Half-spaces, and their intersection: a camera's frustum.
//!
//! Keeps Q7 of `docs/invariants.md`.

use super::scale::power_to_one;
use crate::geometry::impl_region;
use crate::{Rect, Region, Scalar};

/// All points on or behind a plane (a line in 2D): `normal · point <= offset`. The normal points out of the half-space
/// and may have any length.
///
/// ```
/// # use quadrille::{Convex, HalfSpace, Rect};
/// let below: HalfSpace = HalfSpace::new([0.0, 1.0], 10.0); // y <= 10
/// let left: HalfSpace = HalfSpace::behind([5.0, 0.0], [2.0, 0.0]); // x <= 5
/// let corner = [below, left];
/// assert!(Convex::new(&corner).contains(&Rect::from_point([5.0, 10.0])));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace<S = f32, const D: usize = 2> {
    normal: [S; D],
    offset: S,
    /// The normal is multiplied by this, so that its products with coordinates do not overflow.
    scale: f64,
}

impl<S: Scalar, const D: usize> HalfSpace<S, D> {
    /// Makes the half-space of all points whose dot product with the normal is at most `offset`.
    ///
    /// Graphics libraries describe a plane by `a x + b y + c z + d = 0`, with the inside at `>= 0`. That plane is
    /// `new([-a, -b, -c], d)`. If all parts of the normal are zero, the half-space is all of space or empty.
    ///
    /// ```
    /// # use quadrille::HalfSpace;
    /// let below: HalfSpace = HalfSpace::new([0.0, 1.0], 10.0); // y <= 10
    /// assert_eq!((below.normal(), below.offset()), ([0.0, 1.0], 10.0));
    /// ```
    #[must_use]
    pub fn new(normal: impl Into<[S; D]>, offset: S) -> Self {
        let normal = normal.into();
        let magnitude = normal.iter().map(|part| part.to_f64().abs()).fold(0.0, f64::max);
        // Each part of the normal is then below 1/4, so the sum of three products does not overflow.
        Self { normal, offset, scale: power_to_one(magnitude) / 8.0 }
    }

    /// Makes the half-space whose plane passes through a point.
    ///
    /// The offset is rounded to the coordinate type, so the plane may miss the point by that much.
    ///
    /// ```
    /// # use quadrille::HalfSpace;
    /// let left: HalfSpace = HalfSpace::behind([5.0, 7.0], [2.0, 0.0]); // x <= 5
    /// assert_eq!(left, HalfSpace::new([2.0, 0.0], 10.0));
    /// ```
    #[must_use]
    pub fn behind(point: impl Into<[S; D]>, normal: impl Into<[S; D]>) -> Self {
        let (point, normal) = (point.into(), normal.into());
        let dot = (0..D).map(|axis| point[axis].to_f64() * normal[axis].to_f64()).sum();
        Self::new(normal, S::from_f64(dot))
    }

    /// The normal, which points out of the half-space.
    ///
    /// ```
    /// # use quadrille::HalfSpace;
    /// assert_eq!(HalfSpace::new([0.0_f32, 2.0], 10.0).normal(), [0.0, 2.0]); // as given
    /// ```
    #[must_use]
    pub fn normal(&self) -> [S; D] {
        self.normal
    }

    /// The dot product of the normal with the points of the plane.
    ///
    /// ```
    /// # use quadrille::HalfSpace;
    /// assert_eq!(HalfSpace::new([0.0_f32, 2.0], 10.0).offset(), 10.0);
    /// ```
    #[must_use]
    pub fn offset(&self) -> S {
        self.offset
    }

    /// Whether the deepest corner of the box lies on or behind the plane.
    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        let (deepest, offset) = self.dot(rect, false);
        // The product is NaN for some infinite boxes. Then the plane does not exclude the box.
        deepest <= offset || deepest.is_nan()
    }

    /// Whether the foremost corner of the box lies on or behind the plane.
    fn contains(&self, rect: &Rect<S, D>) -> bool {
        let (foremost, offset) = self.dot(rect, true);
        foremost <= offset
    }

    /// The dot product of the normal with the foremost or the deepest corner of the box, and the offset; both are
    /// multiplied by the scale. Monotone in the box, since it only multiplies by constants and adds.
    #[inline]
    fn dot(&self, rect: &Rect<S, D>, foremost: bool) -> (f64, f64) {
        let mut dot = 0.0;
        for axis in 0..D {
            let part = self.normal[axis].to_f64() * self.scale;
            // A box may be infinite, and zero times infinity is NaN.
            if part != 0.0 {
                let corner = if (0.0 < part) == foremost { rect.max() } else { rect.min() };
                dot += part * corner[axis].to_f64();
            }
        }
        (dot, self.offset.to_f64() * self.scale)
    }

    fn has_nan(&self) -> bool {
        // A part that is NaN or infinite makes the sum NaN.
        let zeros = self.normal.iter().map(|part| part.to_f64() * 0.0).sum::<f64>();
        !(zeros == 0.0 && self.offset <= S::INFINITY)
    }
}

/// The intersection of half-spaces and a box: a camera's frustum, or any other convex shape whose corners are
/// unknown.
///
/// A box *meets* the shape if it shares a point with each half-space, after it has been cut to the
/// [`bounds`](Self::bounds). This is the usual test of frustum culling. It is exact for points. In 2D it is exact for
/// all boxes if the half-spaces belong to the shape's edges and the bounds are tight. In 3D a box outside the shape,
/// but close to one of its edges, may pass: no plane of the shape separates the two, though some other plane does. Such
/// a false positive is possible, a miss is not.
///
/// *Containment* is exact in all dimensions, so `contained_in` yields no false positives.
///
/// The half-spaces are borrowed, so a query allocates nothing, however many there are. Products and sums are computed
/// in `f64`.
///
/// ```
/// use quadrille::{Convex, HalfSpace, Quadtree, Rect};
///
/// let mut index = Quadtree::<&str>::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// index.insert(units, [30.0, 10.0], "seen")?;
/// index.insert(units, [30.0, 40.0], "beside")?;
/// // A cone of vision from the origin along the first axis, 50 long.
/// let cone = [HalfSpace::new([-1.0, 2.0], 0.0), HalfSpace::new([-1.0, -2.0], 0.0), HalfSpace::new([1.0, 0.0], 50.0)];
/// let view = Convex::new(&cone).within(Rect::new([0.0, -25.0], [50.0, 25.0]));
/// assert_eq!(index.intersecting(view).map(|unit| *unit.value()).collect::<Vec<_>>(), ["seen"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convex<'a, S = f32, const D: usize = 2> {
    half_spaces: &'a [HalfSpace<S, D>],
    bounds: Rect<S, D>,
}

impl<'a, S: Scalar, const D: usize> Convex<'a, S, D> {
    /// Makes the intersection of half-spaces: all of space if there are none, empty if one has a NaN.
    ///
    /// Its bounds are infinite until [`within`](Self::within) sets them.
    ///
    /// ```
    /// # use quadrille::{Convex, HalfSpace, Rect};
    /// let right = [HalfSpace::new([-1.0_f32, 0.0], -10.0)]; // 10 <= x
    /// assert!(Convex::new(&right).contains(&Rect::new([10.0, 0.0], [20.0, 5.0])));
    /// ```
    #[must_use]
    pub fn new(half_spaces: &'a [HalfSpace<S, D>]) -> Self {
        let has_nan = half_spaces.iter().any(HalfSpace::has_nan);
        Self { half_spaces, bounds: if has_nan { Rect::nowhere() } else { Rect::everything() } }
    }

    /// Cuts the shape to a box, which becomes its bounds. The shape becomes empty if the box has a NaN.
    ///
    /// Queries test the bounds first, by grid cells alone. Without bounds they test the half-spaces against each square
    /// from the root down. For `containing` the box must be the smallest one around the shape: [`Rect::from_points`] its
    /// corners.
    ///
    /// ```
    /// # use quadrille::{Convex, HalfSpace, Rect};
    /// let right = [HalfSpace::new([-1.0_f32, 0.0], -10.0)]; // 10 <= x
    /// let strip = Convex::new(&right).within(Rect::new([0.0, 0.0], [50.0, 1.0]));
    /// assert!(!strip.intersects(&Rect::from_point([60.0, 0.5])));
    /// ```
    #[must_use]
    pub fn within(self, bounds: Rect<S, D>) -> Self {
        Self { bounds: self.bounds.intersection(&bounds).unwrap_or_else(Rect::nowhere), ..self }
    }

    /// The half-spaces.
    ///
    /// ```
    /// # use quadrille::{Convex, HalfSpace};
    /// let right = [HalfSpace::new([-1.0_f32, 0.0], -10.0)];
    /// assert_eq!(Convex::new(&right).half_spaces(), &right);
    /// ```
    #[must_use]
    pub fn half_spaces(&self) -> &'a [HalfSpace<S, D>] {
        self.half_spaces
    }

    /// The bounds that [`within`](Self::within) has set; infinite if there are none, NaN if the shape is empty.
    ///
    /// ```
    /// # use quadrille::{Convex, HalfSpace, Rect};
    /// let right = [HalfSpace::new([-1.0_f32, 0.0], -10.0)];
    /// assert_eq!(Convex::new(&right).bounds(), Rect::everything()); // it is not computed
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    /// Whether the box shares a point with the shape, as far as the planes can tell: in 3D there are false positives.
    ///
    /// ```
    /// # use quadrille::{Convex, HalfSpace, Rect};
    /// let right = [HalfSpace::new([-1.0_f32, 0.0], -10.0)]; // 10 <= x
    /// assert!(Convex::new(&right).intersects(&Rect::new([0.0, 0.0], [10.0, 1.0]))); // touches the plane
    /// ```
    #[must_use]
    pub fn intersects(&self, rect: &Rect<S, D>) -> bool {
        let part = self.bounds.intersection(rect);
        part.is_some_and(|part| self.half_spaces.iter().all(|half_space| half_space.intersects(&part)))
    }

    /// Whether all of the box lies inside the shape.
    ///
    /// ```
    /// # use quadrille::{Convex, HalfSpace, Rect};
    /// let right = [HalfSpace::new([-1.0_f32, 0.0], -10.0)]; // 10 <= x
    /// assert!(!Convex::new(&right).contains(&Rect::new([9.0, 0.0], [20.0, 1.0])));
    /// ```
    #[must_use]
    pub fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.bounds.contains(rect) && self.half_spaces.iter().all(|half_space| half_space.contains(rect))
    }
}

impl_region! { [S: Scalar, const D: usize] Convex<'_, S, D>, D; }
