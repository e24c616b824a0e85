//! What a query may be asked about: boxes, points, and shapes of other kinds, users' own among them.

use super::{Ball, Convex, ConvexPolygon, Rect, Scalar, Segment};

/// A shape that queries can be asked about: [`Rect`], [`Ball`], [`Segment`], [`ConvexPolygon`],
/// [`Convex`], or one of your own.
///
/// Three answers about boxes are all that a query needs to know of a shape. It asks the same of the squares of the tree
/// as of objects: squares that do not meet the shape are left out, of squares inside the shape all is taken untested.
///
/// A shape of your own implements this trait, and in two lines [`IntoRegion`]:
///
/// ```
/// use quadrille::{IntoRegion, Quadtree, Rect, Region};
///
/// /// All that is at least `radius` to the right of `x`, and above the diagonal.
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
/// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// index.insert(units, [60.0, 70.0], "above")?;
/// index.insert(units, [70.0, 60.0], "below")?;
/// let found: Vec<_> = index.intersecting(Wedge { x: 50.0 }).map(|unit| *unit.value()).collect();
/// assert_eq!(found, ["above"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What an implementor must keep
///
/// 1. **Bounds hold.** All of the shape lies within [`bounds`](Self::bounds). The queries ask only about boxes, or parts
///    of boxes, within the bounds: finite ones, if the bounds are.
/// 2. **What meets a part meets the whole.** If a box meets the shape, so does every box around it.
/// 3. **What contains the whole contains the parts.** If the shape contains a box, it contains every box inside that.
/// 4. **What is contained, meets.**
///
/// With these, a query yields exactly the objects for which the relation holds, however the tree is divided. They are
/// meant to the last bit: about two boxes that differ by the least there is, the answers must not contradict each
/// other. Arithmetic that is *monotone* keeps that by itself: compute, from the box's corners, a number that can only
/// fall as the box grows (a distance to it), by steps each of which is monotone (subtraction, multiplication of
/// numbers that are not negative, sums), and compare it with a bound. To test such a shape, compare boxes with their
/// parts; `tests/regions.rs` in the source does so.
///
/// A shape that breaks these rules, or answers differently when asked again, gets wrong answers; never a panic, an
/// endless loop or an object twice.
pub trait Region<S, const D: usize> {
    /// Whether the shape is exactly its bounds. Then neither of the other two questions is asked.
    const IS_BOX: bool = false;

    /// A box around the shape, which may be infinite. With a NaN if the shape is nowhere: then nothing matches.
    ///
    /// Asked once, when the query is made. The tighter the better; for [`containing`](crate::SpatialIndex::containing),
    /// which asks about nothing else, the bounds must be the smallest box around the shape.
    fn bounds(&self) -> Rect<S, D>;

    /// Whether the box, a closed one, shares a point with the shape.
    fn intersects(&self, rect: &Rect<S, D>) -> bool;

    /// Whether all of the box lies inside the shape. Answering `false` too often for large boxes costs time only: each
    /// object in them is tested.
    fn contains(&self, rect: &Rect<S, D>) -> bool;

    /// The ball that the shape is exactly, if it is one: distances from its center are compared several at once, and then
    /// neither of the two questions is asked.
    fn as_ball(&self) -> Option<&Ball<S, D>> {
        None
    }
}

/// The library's own shapes: regions, and by themselves. Each answers the three questions by a method of the same name.
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

        impl<$($generics)*> IntoRegion<S, $dimensions> for $shape {
            type Region = Self;

            #[inline]
            fn into_region(self) -> Self {
                self
            }
        }
    )+};
}

impl_region! {
    [S: Scalar, const D: usize] Rect<S, D>, D, const IS_BOX: bool = true;;
    [S: Scalar, const D: usize] Ball<S, D>, D, fn as_ball(&self) -> Option<&Self> { Some(self) };
    [S: Scalar, const D: usize] Segment<S, D>, D;
    [S: Scalar, const D: usize] Convex<'_, S, D>, D;
    [S: Scalar] ConvexPolygon<'_, S>, 2;
}

/// A shape that is too large to be handed over, or kept for many questions.
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
    fn as_ball(&self) -> Option<&Ball<S, D>> {
        (**self).as_ball()
    }
}

/// The argument of queries: a [`Region`], or a point as whatever converts into `[S; D]`.
///
/// A point is the region of no extent. For a region of your own, implement it for the region itself, or for a
/// reference to it, with `type Region = Self`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a region of this index",
    label = "a region is a `Rect<{S}, {D}>`, a point that converts into `[{S}; {D}]`, or another shape",
    note = "`Ball`, `Segment` and `Convex` are regions, and in 2D `ConvexPolygon`, with the coordinates of the index",
    note = "a type of your own is one if it implements `Region<{S}, {D}>` and `IntoRegion<{S}, {D}>`"
)]
pub trait IntoRegion<S, const D: usize> {
    /// The shape that it becomes.
    type Region: Region<S, D>;

    /// The region.
    fn into_region(self) -> Self::Region;
}

#[diagnostic::do_not_recommend]
impl<S: Scalar, const D: usize, P: Into<[S; D]>> IntoRegion<S, D> for P {
    type Region = Rect<S, D>;

    fn into_region(self) -> Rect<S, D> {
        Rect::at(self)
    }
}

/// The target of [`nearest`](crate::SpatialIndex::nearest) and [`cast`](crate::SpatialIndex::cast): a [`Rect`], or a point as
/// whatever converts into `[S; D]`.
///
/// A point is the rectangle of no extent. Regions of other shapes are neither:
///
/// ```compile_fail,E0277
/// # use quadrille::{Ball, Quadtree, Rect};
/// let index = Quadtree::<()>::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
/// index.nearest(Ball::new([10.0, 10.0], 5.0));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a point nor a rectangle of this index",
    label = "expected a `Rect<{S}, {D}>` or a point that converts into `[{S}; {D}]`",
    note = "distances and motions are those of points and rectangles, not of regions of other shapes"
)]
pub trait IntoRect<S, const D: usize> {
    /// The rectangle.
    fn into_rect(self) -> Rect<S, D>;
}

#[diagnostic::do_not_recommend]
impl<S: Scalar, const D: usize, P: Into<[S; D]>> IntoRect<S, D> for P {
    fn into_rect(self) -> Rect<S, D> {
        Rect::at(self)
    }
}

impl<S: Scalar, const D: usize> IntoRect<S, D> for Rect<S, D> {
    fn into_rect(self) -> Self {
        self
    }
}
