//! Regions, the shapes that queries search: of the library, and of users. Owns the rules that
//! a shape must keep; knows no query.
//!
//! Keeps Q7 of `docs/invariants.md`.

use super::{Ball, Images, Rect, Scalar, Segment};

/// A shape that queries can search: a [`Rect`], [`Ball`], [`Segment`], [`Corridor`](crate::Corridor),
/// [`Polygon`](crate::Polygon), [`Convex`](crate::Convex), over the globe a [`Cap`](crate::Cap), a union by
/// [`AnyOf`](crate::AnyOf), or one of your own.
///
/// A query needs three answers from a shape: its bounds, whether it meets a box, and whether it contains a box. The
/// query asks about objects and about squares of the tree alike. It skips squares that do not meet the shape, and takes
/// all objects in squares inside the shape without testing them.
///
/// A shape of your own implements this trait and, in two lines, [`IntoRegion`]:
///
/// ```
/// use quadrille::{IntoRegion, Quadtree, Rect, Region};
///
/// /// All points to the right of `x` and above the diagonal.
/// #[derive(Clone, Debug)]
/// struct Wedge {
///     x: f32,
/// }
///
/// impl Region<f32, 2> for Wedge {
///     fn bounds(&self) -> Rect {
///         Rect::new([self.x, self.x], [f32::INFINITY, f32::INFINITY])
///     }
///     fn intersects(&self, rect: &Rect) -> bool {
///         let ([left, _], [right, top]) = (rect.min(), rect.max());
///         self.x <= right && left.max(self.x) <= top // its upper left corner
///     }
///     fn contains(&self, rect: &Rect) -> bool {
///         let ([left, bottom], [right, _]) = (rect.min(), rect.max());
///         self.x <= left && right <= bottom // its lower right corner
///     }
/// }
///
/// impl IntoRegion<f32, 2> for Wedge {
///     type Region = Self;
///     fn into_region(self) -> Self {
///         self
///     }
/// }
///
/// let mut index = Quadtree::<&str>::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// index.insert(units, [60.0, 70.0], "above")?;
/// index.insert(units, [70.0, 60.0], "below")?;
/// let found: Vec<_> = index.intersecting(Wedge { x: 50.0 }).map(|unit| *unit.value()).collect();
/// assert_eq!(found, ["above"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Rules for implementors
///
/// 1. **The bounds hold the shape.** All of it lies within [`bounds`](Self::bounds). Queries ask only about boxes, or
///    parts of boxes, within the bounds; these are finite if the bounds are.
/// 2. **Meeting is monotone.** If a box meets the shape, so does every box around it.
/// 3. **Containment is monotone.** If the shape contains a box, it contains every box inside that one.
/// 4. **Containment implies meeting.** If the shape contains a box, it meets that box.
///
/// With these rules a query yields exactly the objects for which the relation holds, however the tree is split. The
/// rules hold to the last bit: the answers about two boxes must not contradict each other, even if the boxes differ by
/// the least possible amount. *Monotone* arithmetic ensures this. From the corners of the box compute a number that can
/// only fall as the box grows, such as a distance to it, and compare it with a bound. Each step must be monotone: a
/// subtraction, a sum, a product of numbers that are not negative. To test a shape, compare its answers about boxes
/// with those about their parts; `tests/all/regions.rs` in the source does so.
///
/// A shape that breaks these rules, or that changes its answers, makes queries yield wrong results. It causes no panic,
/// no endless loop, and no object that is yielded twice.
pub trait Region<S, const D: usize> {
    /// A box around the shape, which may be infinite. If it has a NaN, the shape is empty and matches nothing.
    ///
    /// Called once, when the query is made. Tighter bounds make queries faster. For
    /// [`containing`](crate::SpatialIndex::containing), which uses nothing but the bounds, they must be the smallest
    /// box around the shape.
    fn bounds(&self) -> Rect<S, D>;

    /// Whether the box, which is closed, shares a point with the shape.
    fn intersects(&self, rect: &Rect<S, D>) -> bool;

    /// Whether all of the box lies inside the shape. To answer `false` too often for large boxes costs only time, since
    /// each object in them is tested.
    fn contains(&self, rect: &Rect<S, D>) -> bool;

    /// The exact shape, if queries know it. Then they compare several objects with it at once, and ask neither
    /// `intersects` nor `contains`, or seldom.
    ///
    /// A shape behind a pointer, and one that holds another, passes the answer on.
    ///
    /// ```
    /// # use quadrille::{Ball, KnownShape, Rect, Region};
    /// struct Boxed(Box<dyn Shape>);
    /// # trait Shape { fn known(&self) -> KnownShape<'_>; fn meets(&self, rect: &Rect) -> bool; fn holds(&self, rect: &Rect) -> bool; fn around(&self) -> Rect; }
    /// # impl Shape for Ball { fn known(&self) -> KnownShape<'_> { self.shape() } fn meets(&self, rect: &Rect) -> bool { self.intersects(rect) } fn holds(&self, rect: &Rect) -> bool { self.contains(rect) } fn around(&self) -> Rect { self.bounds() } }
    /// impl Region<f32, 2> for Boxed {
    ///     fn shape(&self) -> KnownShape<'_> {
    ///         self.0.known()
    ///     }
    ///     // bounds, intersects and contains likewise
    /// #   fn bounds(&self) -> Rect { self.0.around() }
    /// #   fn intersects(&self, rect: &Rect) -> bool { self.0.meets(rect) }
    /// #   fn contains(&self, rect: &Rect) -> bool { self.0.holds(rect) }
    /// }
    /// let boxed = Boxed(Box::new(Ball::new([0.0, 0.0], 1.0)));
    /// assert!(matches!(boxed.shape(), KnownShape::Ball(_)));
    /// ```
    #[inline]
    fn shape(&self) -> KnownShape<'_, S, D> {
        if Self::IS_BOX { KnownShape::Box } else { KnownShape::Other }
    }

    /// As `shape` says of all regions of the type, so that queries for boxes are compiled without what other shapes need.
    #[doc(hidden)]
    const IS_BOX: bool = false;

    /// A shape that answers as this one about boxes inside of a box, if one is there that is faster. A query asks for it before
    /// it asks about several objects that lie close together, and `around` computes the box around them.
    ///
    /// A [`Polygon`](crate::Polygon) leaves out the edges that are away. A reference passes the answer on.
    ///
    /// ```
    /// # use quadrille::{Polygon, Rect, Region};
    /// let corner = |turn: f32| [50.0 + 40.0 * turn.cos(), 50.0 + 40.0 * turn.sin()];
    /// let star = Polygon::new((0..99_u16).map(|number| corner(f32::from(number) * 2.5)));
    /// let part = star.near(|| Rect::new([88.0, 48.0], [92.0, 52.0])).expect("the edges are longer than the box");
    /// let inside = Rect::from_point([89.0, 50.0]);
    /// assert_eq!(part.intersects(&inside), star.intersects(&inside));
    /// ```
    fn near(&self, _: impl FnOnce() -> Rect<S, D>) -> Option<impl Region<S, D>>
    where
        Self: Sized,
    {
        None::<&Self>
    }

    /// Whether the region stands for its images in a periodic world too: it is a [`Wrapped`](crate::Wrapped) one.
    #[doc(hidden)]
    const WRAPS: bool = false;

    #[doc(hidden)]
    #[inline]
    fn images(&self) -> Option<&Images<D>> {
        None
    }
}

/// The shapes that queries know: what a [`Region`] is exactly, as its [`shape`](Region::shape) says.
///
/// ```
/// # use quadrille::{KnownShape, Polygon, Rect, Region, Segment};
/// assert_eq!(Rect::new([0.0, 0.0], [1.0, 1.0]).shape(), KnownShape::Box);
/// let way = Segment::new([0.0, 0.0], [1.0, 1.0]);
/// assert_eq!(way.shape(), KnownShape::Segment(&way));
/// assert_eq!(Polygon::new([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]).shape(), KnownShape::Other);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum KnownShape<'a, S = f32, const D: usize = 2> {
    /// All of its bounds.
    Box,
    /// A ball.
    Ball(&'a Ball<S, D>),
    /// A segment.
    Segment(&'a Segment<S, D>),
    /// Another shape.
    Other,
}

impl<'a, S, const D: usize> KnownShape<'a, S, D> {
    #[inline(always)]
    pub(crate) fn ball(self) -> Option<&'a Ball<S, D>> {
        if let Self::Ball(ball) = self { Some(ball) } else { None }
    }
}

/// Implements both traits for the library's own shapes, by their methods of the same names.
macro_rules! impl_region {
    ($([$($generics:tt)*] $shape:ty, $dimensions:tt $(, $special:item)*;)+) => {$(
        impl<$($generics)*> Region<S, $dimensions> for $shape {
            $($special)*

            #[inline]
            fn bounds(&self) -> Rect<S, $dimensions> {
                <$shape>::bounds(self)
            }
            #[inline]
            fn intersects(&self, rect: &Rect<S, $dimensions>) -> bool {
                <$shape>::intersects(self, rect)
            }
            #[inline]
            fn contains(&self, rect: &Rect<S, $dimensions>) -> bool {
                <$shape>::contains(self, rect)
            }
        }

        $crate::geometry::as_it_is! { [$($generics)*] $shape, $dimensions; }
    )+};
}
pub(crate) use impl_region;

/// Makes regions arguments of queries, as they are.
macro_rules! as_it_is {
    ($($(#[$about:meta])* [$($generics:tt)*] $region:ty, $dimensions:tt;)+) => {$(
        $(#[$about])*
        impl<$($generics)*> $crate::geometry::IntoRegion<S, $dimensions> for $region {
            type Region = Self;

            #[inline]
            fn into_region(self) -> Self {
                self
            }
        }
    )+};
}
pub(crate) use as_it_is;

impl_region! {
    [S: Scalar, const D: usize] Rect<S, D>, D, const IS_BOX: bool = true;;
    [S: Scalar, const D: usize] Ball<S, D>, D, #[inline] fn shape(&self) -> KnownShape<'_, S, D> { KnownShape::Ball(self) };
    [S: Scalar, const D: usize] Segment<S, D>, D, #[inline] fn shape(&self) -> KnownShape<'_, S, D> { KnownShape::Segment(self) };
}

/// A reference to a shape, for shapes that are too large to copy or that serve many queries.
impl<S, const D: usize, R: Region<S, D>> Region<S, D> for &R {
    const IS_BOX: bool = R::IS_BOX;

    fn bounds(&self) -> Rect<S, D> {
        (**self).bounds()
    }
    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        (**self).intersects(rect)
    }
    fn contains(&self, rect: &Rect<S, D>) -> bool {
        (**self).contains(rect)
    }
    #[inline]
    fn shape(&self) -> KnownShape<'_, S, D> {
        (**self).shape()
    }
    fn near(&self, around: impl FnOnce() -> Rect<S, D>) -> Option<impl Region<S, D>> {
        (**self).near(around)
    }
}

/// The argument of queries: a [`Region`], or a point as anything that converts into `[S; D]`.
///
/// A point is a region without extent. For a region of your own, implement this trait for the region itself or for a
/// reference to it, with `type Region = Self`; for a box of your own, with `type Region = Rect<S, D>`.
///
/// [`nearest`](crate::SpatialIndex::nearest) and [`cast`](crate::SpatialIndex::cast) take points and boxes only: what
/// converts into a [`RectRegion`].
///
/// With the feature `geo-types`, polygons, multi-polygons, lines, line strings and boxes of that crate are regions, by
/// value and by reference. `Via` tells the compiler that these are not points, though a later version of that crate could
/// make them some; for all other types it is `()`.
///
/// ```compile_fail,E0277
/// # use quadrille::{Ball, Quadtree, Rect};
/// let index = Quadtree::<()>::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
/// index.nearest(Ball::new([10.0, 10.0], 5.0));
/// ```
///
/// ```
/// # use quadrille::{IntoRegion, Quadtree, Rect};
/// // A function of your own that takes whatever queries take.
/// fn population(index: &Quadtree<&str>, region: impl IntoRegion<f32, 2>) -> usize {
///     index.intersecting(region).count()
/// }
/// # let index = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
/// assert_eq!(population(&index, [0.5, 0.5]), 0); // a point
/// assert_eq!(population(&index, Rect::new([0.0, 0.0], [0.5, 0.5])), 0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a region of this index",
    label = "a region is a `Rect<{S}, {D}>`, a point that converts into `[{S}; {D}]`, or another shape",
    note = "`Ball`, `Segment`, `Corridor`, `Convex` and `AnyOf` are regions, and in 2D `Polygon`, with the coordinates of the index, and `Cap`",
    note = "shapes of `geo-types` are regions with quadrille's feature `geo-types`",
    note = "a type of your own is one if it implements `Region<{S}, {D}>` and `IntoRegion<{S}, {D}>`",
    note = "this index has `{S}` coordinates: write `1.0`, not `1`, and convert numbers of other types"
)]
pub trait IntoRegion<S, const D: usize, Via = ()> {
    /// The region that it converts into.
    type Region: Region<S, D>;

    /// The region.
    fn into_region(self) -> Self::Region;
}

/// The region of a point or a rectangle, as [`nearest`](crate::SpatialIndex::nearest) and
/// [`cast`](crate::SpatialIndex::cast) need one: a [`Rect`].
///
/// ```
/// # use quadrille::{IntoRegion, Quadtree, Rect, RectRegion};
/// // A function of your own that takes whatever `nearest` takes.
/// fn closest(index: &Quadtree<u16>, target: impl IntoRegion<f32, 2, Region: RectRegion<f32, 2>>) -> Option<u16> {
///     index.nearest(target).next().map(|near| *near.object.value())
/// }
/// # let index = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
/// assert_eq!(closest(&index, [0.5, 0.5]), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a point nor a rectangle",
    label = "a point or a rectangle is expected",
    note = "`nearest` and `cast` measure from a point or a `Rect`; `intersecting` takes a region of any shape"
)]
pub trait RectRegion<S, const D: usize>: Region<S, D> + Into<Rect<S, D>> {}

impl<S: Scalar, const D: usize> RectRegion<S, D> for Rect<S, D> {}

#[diagnostic::do_not_recommend]
impl<S: Scalar, const D: usize, P: Into<[S; D]>> IntoRegion<S, D> for P {
    type Region = Rect<S, D>;

    fn into_region(self) -> Rect<S, D> {
        Rect::from_point(self)
    }
}
