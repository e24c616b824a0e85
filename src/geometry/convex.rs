//! Half-spaces, and what several of them have in common: a camera's frustum.

use super::scalar::{larger_magnitude, power_to_one};
use super::{Rect, Scalar};

/// All points behind a plane (in 2D a line), those on it included: `normal · point <= offset`. The normal points out of
/// it and may be of any length.
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
    /// A plane `a x + b y + c z + d = 0` with the inside at `>= 0`, as graphics libraries have it, is
    /// `new([-a, -b, -c], d)`. Without a direction, that is with a normal of zeros, it is everywhere or nowhere.
    #[must_use]
    pub fn new(normal: impl Into<[S; D]>, offset: S) -> Self {
        let normal = normal.into();
        let magnitude = normal.iter().map(|part| part.to_f64()).fold(0.0, larger_magnitude);
        // Three products with parts below a quarter sum up to less than the largest number.
        Self { normal, offset, scale: power_to_one(magnitude) / 8.0 }
    }

    /// Makes the half-space behind a point, which lies on its plane.
    ///
    /// The offset is rounded to the coordinate type, so the plane passes the point by as much.
    #[must_use]
    pub fn behind(point: impl Into<[S; D]>, normal: impl Into<[S; D]>) -> Self {
        let (point, normal) = (point.into(), normal.into());
        let dot = (0..D).map(|axis| point[axis].to_f64() * normal[axis].to_f64()).sum();
        Self::new(normal, S::from_f64(dot))
    }

    /// What points out of it.
    #[must_use]
    pub fn normal(&self) -> [S; D] {
        self.normal
    }

    /// The dot product of the normal with the points of the plane.
    #[must_use]
    pub fn offset(&self) -> S {
        self.offset
    }

    /// Whether the corner of the box that lies deepest behind the plane is not in front of it.
    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        let (deepest, offset) = self.dot(rect, false);
        // With a NaN, of infinite boxes, one cannot tell.
        deepest <= offset || deepest.is_nan()
    }

    /// Whether the corner of the box that lies furthest in front of the plane is behind it.
    fn contains(&self, rect: &Rect<S, D>) -> bool {
        let (foremost, offset) = self.dot(rect, true);
        foremost <= offset
    }

    /// The dot product of the normal with a corner of the box, the foremost or the deepest, and the offset, both times
    /// the scale. Monotone in the box: products with a number that stays, and sums.
    #[inline]
    fn dot(&self, rect: &Rect<S, D>, foremost: bool) -> (f64, f64) {
        let mut dot = 0.0;
        for axis in 0..D {
            let part = self.normal[axis].to_f64() * self.scale;
            // A box may be infinite, and zero times infinity is nothing.
            if part != 0.0 {
                let corner = if (0.0 < part) == foremost { rect.max() } else { rect.min() };
                dot += part * corner[axis].to_f64();
            }
        }
        (dot, self.offset.to_f64() * self.scale)
    }

    fn has_nan(&self) -> bool {
        // A sum with a NaN is one, and so is the difference of infinities.
        let zeros = self.normal.iter().map(|part| part.to_f64() * 0.0).sum::<f64>();
        !(zeros == 0.0 && self.offset <= S::INFINITY)
    }
}

/// What several half-spaces and a box have in common: a camera's frustum, or any other convex shape that has no corners
/// at hand.
///
/// **What meets it.** A box meets it if they share a point with each half-space, after the box has been cut to the
/// [`bounds`](Self::bounds). That is the usual test of frustum culling. It is exact for points, and for all boxes in
/// 2D if the half-spaces are those of the shape's edges and the bounds are tight. In 3D a box near an edge of the shape,
/// but outside, may pass for one that meets it (a false alarm, never a miss): cut off by no single plane of the shape,
/// though by some plane. What *contains* says is exact in all dimensions: `contained_in` yields no false alarms.
///
/// The half-spaces are borrowed, so that a query allocates nothing, however many there are. Products and sums are
/// computed in `f64`, of coordinates as they are.
///
/// ```
/// use quadrille::{Convex, HalfSpace, Quadtree, Rect};
///
/// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
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
    /// Makes the shape that is common to half-spaces: all there is if there are none, nowhere if one has a NaN.
    ///
    /// Its bounds are infinite until they are [told](Self::within).
    #[must_use]
    pub fn new(half_spaces: &'a [HalfSpace<S, D>]) -> Self {
        let has_nan = half_spaces.iter().any(HalfSpace::has_nan);
        Self { half_spaces, bounds: if has_nan { Rect::nowhere() } else { Rect::everything() } }
    }

    /// The part of the shape that lies within a box, which becomes its bounds; nowhere if that box has a NaN.
    ///
    /// Queries look at the bounds first, by the grid alone. Without them they ask the half-spaces about each square from
    /// the root down. For `containing` the box must be the smallest one around the shape: [`Rect::around`] its corners.
    #[must_use]
    pub fn within(self, bounds: Rect<S, D>) -> Self {
        Self { bounds: self.bounds.intersection(&bounds).unwrap_or_else(Rect::nowhere), ..self }
    }

    /// The half-spaces.
    #[must_use]
    pub fn half_spaces(&self) -> &'a [HalfSpace<S, D>] {
        self.half_spaces
    }

    /// The bounds that it was told; infinite if none, with NaN if it is nowhere.
    #[must_use]
    pub fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    /// Whether the box shares a point with the shape, as far as the planes can tell.
    #[must_use]
    pub fn intersects(&self, rect: &Rect<S, D>) -> bool {
        let part = self.bounds.intersection(rect);
        part.is_some_and(|part| self.half_spaces.iter().all(|half_space| half_space.intersects(&part)))
    }

    /// Whether all of the box lies inside the shape.
    #[must_use]
    pub fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.bounds.contains(rect) && self.half_spaces.iter().all(|half_space| half_space.contains(rect))
    }
}
