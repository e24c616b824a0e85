//! The box with edges along the axes, and the predicates on it.
//!
//! Keeps G1 of `docs/invariants.md`.

use core::array;

use super::Scalar;
use super::scalar::{larger, middle, shifted, smaller};

/// A box with edges along the axes: a rectangle in 2D, a cuboid in 3D. The box is closed: its edges belong to it.
///
/// Invariant: on each axis `min <= max`, or one of the two is NaN. A box with a NaN is [empty](Self::is_empty): it meets
/// nothing.
///
/// ```
/// use quadrille::Rect;
///
/// let a = Rect::new([0.0_f32, 0.0], [2.0, 1.0]);
/// let b = Rect::new([4.0, 3.0], [2.0, 1.0]); // corners in any order
/// assert_eq!(b.min(), [2.0, 1.0]);
/// assert!(a.intersects(&b)); // they share one corner
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect<S = f32, const D: usize = 2> {
    min: [S; D],
    max: [S; D],
}

/// The corners of a box are not in order, or one is NaN.
///
/// ```
/// # use quadrille::Rect;
/// let error = Rect::<f32>::try_new([0.0, 3.0], [1.0, 2.0]).unwrap_err();
/// assert_eq!(error.to_string(), "the minimum 3 on axis 1 is not at or below the maximum 2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the minimum {min} on axis {axis} is not at or below the maximum {max}")]
pub struct RectError {
    /// The axis, counted from 0.
    pub axis: usize,
    /// The minimum as given.
    pub min: f64,
    /// The maximum as given.
    pub max: f64,
}

impl<S: Scalar, const D: usize> Rect<S, D> {
    /// Makes the box between two opposite corners, given in any order.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let rect: Rect = Rect::new([4.0, 0.0], [1.0, 2.0]);
    /// assert_eq!((rect.min(), rect.max()), ([1.0, 0.0], [4.0, 2.0]));
    /// ```
    #[must_use]
    pub fn new(corner: impl Into<[S; D]>, opposite: impl Into<[S; D]>) -> Self {
        let (a, b) = (corner.into(), opposite.into());
        Self {
            min: array::from_fn(|axis| smaller(a[axis], b[axis])),
            max: array::from_fn(|axis| larger(b[axis], a[axis])),
        }
    }

    /// Makes the box from its minimum and maximum corner.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let refused = Rect::<f32>::try_new([4.0, 0.0], [1.0, 2.0]).unwrap_err();
    /// assert_eq!(refused.axis, 0);
    /// ```
    ///
    /// # Errors
    /// [`RectError`] names the first axis on which `min <= max` does not hold, because of the order or of a NaN.
    pub fn try_new(min: impl Into<[S; D]>, max: impl Into<[S; D]>) -> Result<Self, RectError> {
        let (min, max) = (min.into(), max.into());
        for axis in 0..D {
            if !matches!(min[axis].partial_cmp(&max[axis]), Some(order) if order.is_le()) {
                return Err(RectError { axis, min: min[axis].to_f64(), max: max[axis].to_f64() });
            }
        }
        Ok(Self { min, max })
    }

    /// Makes the box that reaches `half` to both sides of `center` on each axis.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let view: Rect = Rect::from_center_half([10.0, 10.0], [8.0, 4.0]);
    /// assert_eq!(view, Rect::new([2.0, 6.0], [18.0, 14.0]));
    /// ```
    #[must_use]
    pub fn from_center_half(center: impl Into<[S; D]>, half: impl Into<[S; D]>) -> Self {
        let (center, half) = (center.into(), half.into());
        Self::new(
            array::from_fn::<S, D, _>(|axis| center[axis] - half[axis]),
            array::from_fn::<S, D, _>(|axis| center[axis] + half[axis]),
        )
    }

    /// Makes the box of no extent at a point.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let point: Rect = Rect::from_point([1.0, 2.0]);
    /// assert_eq!((point.min(), point.max()), ([1.0, 2.0], [1.0, 2.0]));
    /// ```
    #[must_use]
    pub fn from_point(point: impl Into<[S; D]>) -> Self {
        let point = point.into();
        Self { min: point, max: point }
    }

    /// Makes the smallest box around points; `None` if there are none. Points with a NaN are ignored.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let around = Rect::from_points([[3.0_f32, 1.0], [0.0, 2.0], [1.0, 7.0]]);
    /// assert_eq!(around, Some(Rect::new([0.0, 1.0], [3.0, 7.0])));
    /// ```
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = impl Into<[S; D]>>) -> Option<Self> {
        Self::from_rects(points.into_iter().map(|point| Self::from_point(point)))
    }

    /// Makes the smallest box around boxes; `None` if there are none. Boxes with a NaN, which are empty, are ignored.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let selected: [Rect; 2] = [Rect::new([0.0, 0.0], [1.0, 2.0]), Rect::new([4.0, 1.0], [5.0, 1.5])];
    /// assert_eq!(Rect::from_rects(selected), Some(Rect::new([0.0, 0.0], [5.0, 2.0])));
    /// ```
    #[must_use]
    pub fn from_rects(rects: impl IntoIterator<Item = Self>) -> Option<Self> {
        rects.into_iter().filter(|rect| !rect.is_empty()).reduce(|a, b| a.hull(&b))
    }

    /// Makes the box that reaches to infinity on every side.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// assert!(Rect::everything().contains(&Rect::new([-1e30_f32, 0.0], [1e30, 0.0])));
    /// ```
    #[must_use]
    pub fn everything() -> Self {
        Self { min: [S::NEG_INFINITY; D], max: [S::INFINITY; D] }
    }

    /// Makes a box from corners that are known to be in order.
    pub(crate) const fn ordered(min: [S; D], max: [S; D]) -> Self {
        Self { min, max }
    }

    /// The smallest box around this one: the box itself.
    pub(crate) fn bounds(&self) -> Self {
        *self
    }

    /// The minimum corner.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// assert_eq!(Rect::new([4.0_f32, 0.0], [1.0, 2.0]).min(), [1.0, 0.0]);
    /// ```
    #[must_use]
    #[inline]
    pub fn min(&self) -> [S; D] {
        self.min
    }

    /// The maximum corner.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// assert_eq!(Rect::new([4.0_f32, 0.0], [1.0, 2.0]).max(), [4.0, 2.0]);
    /// ```
    #[must_use]
    #[inline]
    pub fn max(&self) -> [S; D] {
        self.max
    }

    /// The center, rounded. Of a box that is infinite on both sides it is NaN.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// assert_eq!(Rect::new([1.0_f32, 0.0], [4.0, 2.0]).center(), [2.5, 1.0]);
    /// ```
    #[must_use]
    pub fn center(&self) -> [S; D] {
        array::from_fn(|axis| middle(self.min[axis], self.max[axis]))
    }

    /// The length on each axis, rounded: infinite where it overflows, NaN where both ends are the same infinity.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// assert_eq!(Rect::new([1.0_f32, 0.0], [4.0, 2.0]).size(), [3.0, 2.0]);
    /// ```
    #[must_use]
    pub fn size(&self) -> [S; D] {
        array::from_fn(|axis| self.max[axis] - self.min[axis])
    }

    /// The length of the longest side, rounded. A NaN counts as no length.
    #[inline]
    pub(crate) fn longest(&self) -> S {
        self.size().into_iter().fold(S::from(0), larger)
    }

    /// The box, as long as its longest side on each axis on which it has no extent.
    pub(crate) fn thickened(&self) -> Self {
        let half = self.longest() * S::HALF;
        let by = self.size().map(|side| if side == S::from(0) { half } else { S::from(0) });
        Self {
            min: array::from_fn(|axis| self.min[axis] - by[axis]),
            max: array::from_fn(|axis| self.max[axis] + by[axis]),
        }
    }

    /// Whether the box is empty: a coordinate is NaN, so it meets nothing. A box without extent is not empty.
    ///
    /// Of a region, such as a [`Polygon`](crate::Polygon) with a corner that is NaN, ask its bounds: if it is empty, they
    /// are empty.
    ///
    /// ```
    /// # use quadrille::{Polygon, Rect};
    /// let view: Rect = Rect::new([0.0, 0.0], [4.0, 2.0]);
    /// assert!(!view.expanded(-1.0).is_empty() && view.expanded(-1.5).is_empty()); // nothing is left
    /// assert!(Polygon::new([[0.0_f32, 0.0], [9.0, 0.0], [0.0, f32::NAN]]).bounds().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        // The corners are in order, so only a NaN keeps `min <= max` from holding.
        !(0..D).all(|axis| self.min[axis] <= self.max[axis])
    }

    /// Whether the two boxes share at least one point.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let [left, right] = [0.0_f32, 10.0].map(|x| Rect::new([x, 0.0], [x + 10.0, 10.0]));
    /// assert!(left.intersects(&right)); // touching counts
    /// ```
    #[must_use]
    #[inline]
    pub fn intersects(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// Whether `other` lies wholly inside this box; an equal box does.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let rect: Rect = Rect::new([0.0, 0.0], [10.0, 10.0]);
    /// assert!(rect.contains(&rect) && !rect.contains(&rect.translated([1.0, 0.0])));
    /// ```
    #[must_use]
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.min[axis] && other.max[axis] <= self.max[axis])
    }

    /// Whether the point lies inside this box or on its edge.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let rect: Rect = Rect::new([0.0, 0.0], [10.0, 10.0]);
    /// assert!(rect.contains_point([10.0, 10.0]) && !rect.contains_point([10.0, 10.5]));
    /// ```
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[S; D]>) -> bool {
        self.contains(&Self::from_point(point))
    }

    /// The intersection of the two boxes; `None` if they share no point.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let [left, right] = [0.0_f32, 10.0].map(|x| Rect::new([x, 0.0], [x + 10.0, 10.0]));
    /// assert_eq!(left.intersection(&right), Some(Rect::new([10.0, 0.0], [10.0, 10.0]))); // an edge
    /// assert_eq!(left.intersection(&right.translated([1.0, 0.0])), None);
    /// ```
    #[must_use]
    #[inline]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        self.intersects(other).then(|| Self {
            min: array::from_fn(|axis| larger(self.min[axis], other.min[axis])),
            max: array::from_fn(|axis| smaller(self.max[axis], other.max[axis])),
        })
    }

    /// The smallest box around both boxes. A box with a NaN, which is empty, counts for nothing: the union is the other
    /// box then. Of two empty boxes it is empty.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let a: Rect = Rect::new([0.0, 0.0], [1.0, 1.0]);
    /// assert_eq!(a.union(&Rect::from_point([4.0, -2.0])), Rect::new([0.0, -2.0], [4.0, 1.0]));
    /// assert_eq!(a.union(&Rect::from_point([f32::NAN, 5.0])), a);
    /// ```
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (false, false) => self.hull(other),
            (true, false) => *other,
            (_, true) => *self,
        }
    }

    /// The box with every side moved outward by `by`, or inward if `by` is negative. Each coordinate is rounded, and
    /// may overflow to infinity.
    ///
    /// A box that is moved inward by more than half its length on an axis becomes [empty](Self::is_empty): it meets
    /// nothing, and no index takes it as an object. A NaN in the box or in `by` does the same.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let a: Rect = Rect::new([0.0, 0.0], [4.0, 2.0]);
    /// assert_eq!(a.expanded(1.0), Rect::new([-1.0, -1.0], [5.0, 3.0]));
    /// assert_eq!(a.expanded(-1.0), Rect::new([1.0, 1.0], [3.0, 1.0]));
    /// assert!(a.expanded(-1.5).is_empty()); // nothing is left
    /// ```
    #[must_use]
    pub fn expanded(&self, by: S) -> Self {
        let expanded = Self { min: self.min.map(|min| min - by), max: self.max.map(|max| max + by) };
        if expanded.is_empty() { Self::nowhere() } else { expanded }
    }

    /// The box moved by an offset.
    ///
    /// Each corner is rounded on its own, so the size may change by a rounding. Coordinates that overflow become
    /// infinite; a NaN in the offset makes the box empty.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// let a: Rect = Rect::new([0.0, 0.0], [4.0, 2.0]);
    /// assert_eq!(a.translated([1.0, -1.0]), Rect::new([1.0, -1.0], [5.0, 1.0]));
    /// ```
    #[must_use]
    pub fn translated(&self, offset: impl Into<[S; D]>) -> Self {
        let offset = offset.into();
        Self {
            min: array::from_fn(|axis| self.min[axis] + offset[axis]),
            max: array::from_fn(|axis| self.max[axis] + offset[axis]),
        }
    }

    /// As [`translated`](Self::translated), but rounded once, [as it moves](shifted). It is monotone.
    pub(crate) fn shifted(&self, by: [f64; D]) -> Self {
        let shift = |corner: [S; D]| array::from_fn(|axis| shifted(corner[axis], by[axis]));
        Self { min: shift(self.min), max: shift(self.max) }
    }

    /// Whether the two boxes share more than an edge: on each axis, each begins before the other ends.
    ///
    /// This is the stricter relation for programs in which touching is no hit. Queries count touching; see
    /// [`intersects`](Self::intersects). A point overlaps a box if it lies strictly inside; two points never overlap, and
    /// no box without extent on an axis overlaps one that begins or ends there.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let tiles = index.add_rect_layer()?;
    /// index.insert(tiles, Rect::new([0.0, 0.0], [10.0, 10.0]), "left")?;
    /// index.insert(tiles, Rect::new([10.0, 0.0], [20.0, 10.0]), "right")?;
    /// assert_eq!(index.pairs().count(), 1); // they share an edge
    /// assert_eq!(index.pairs().filter(|(a, b)| a.shape().overlaps(&b.shape())).count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] < other.max[axis] && other.min[axis] < self.max[axis])
    }

    /// The smallest box around two boxes without a NaN.
    #[inline]
    pub(crate) fn hull(&self, other: &Self) -> Self {
        Self {
            min: array::from_fn(|axis| smaller(self.min[axis], other.min[axis])),
            max: array::from_fn(|axis| larger(self.max[axis], other.max[axis])),
        }
    }

    /// An empty box: NaN on every axis.
    /// The box that meets nothing: all coordinates are NaN.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// assert!(Rect::<f32, 2>::nowhere().is_empty());
    /// ```
    #[must_use]
    pub fn nowhere() -> Self {
        Self::from_point([S::NAN; D])
    }

    /// The same box in `f64`, which holds its corners exactly.
    pub(crate) fn to_f64(self) -> Rect<f64, D> {
        Rect { min: self.min.map(S::to_f64), max: self.max.map(S::to_f64) }
    }
}

impl<S: Scalar> Rect<S, 2> {
    /// The area, rounded: infinite where it overflows, NaN if one side is infinite and the other has no length.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// assert_eq!(Rect::new([0.0_f32, 0.0], [4.0, 2.0]).area(), 8.0);
    /// ```
    #[must_use]
    pub fn area(&self) -> S {
        let [width, height] = self.size();
        width * height
    }
}

impl<S: Scalar> Rect<S, 3> {
    /// The volume, rounded: infinite where it overflows, NaN if one side is infinite and another has no length.
    ///
    /// ```
    /// # use quadrille::Rect;
    /// assert_eq!(Rect::new([0.0_f32, 0.0, 0.0], [4.0, 2.0, 0.5]).volume(), 4.0);
    /// ```
    #[must_use]
    pub fn volume(&self) -> S {
        let [width, height, depth] = self.size();
        width * height * depth
    }
}

/// The box between two opposite corners, given in any order, as [`Rect::new`] makes it: a pair of arrays, or of the
/// vectors of a geometry library.
///
/// ```
/// # use quadrille::Rect;
/// let rect: Rect = ([2.0, 0.0], [0.0, 1.0]).into();
/// assert_eq!(rect, Rect::new([0.0, 0.0], [2.0, 1.0]));
/// ```
impl<S: Scalar, const D: usize, P: Into<[S; D]>> From<(P, P)> for Rect<S, D> {
    fn from((corner, opposite): (P, P)) -> Self {
        Self::new(corner, opposite)
    }
}
