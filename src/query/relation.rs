//! The relations between an object and a region: public as names, with their answers behind a private trait.

use core::fmt;

use super::question::{Shape, Square};
use crate::geometry::{Hits, Lanes, Rect, Region, Scalar, Simd};

/// A relation between an object and a region that can be decided axis by axis: [`Near`](crate::Near),
/// [`Intersecting`](crate::Intersecting), [`ContainedIn`](crate::ContainedIn) and [`Containing`](crate::Containing).
/// Sealed.
pub trait Predicate: Relation + Copy + fmt::Debug {}

/// The answers of a predicate: three for one axis, and three for regions that are not boxes.
pub trait Relation {
    /// Whether objects are tested one by one. If not, all match that are stored where the walk comes.
    const TESTED: bool = true;

    /// Whether the relation is one to the region's bounds, whatever the region's shape.
    const BY_BOUNDS: bool = false;

    /// Whether the relation to a ball is to be near enough to its center.
    const BY_DISTANCE: bool = false;

    /// Whether the relation holds on one axis, between the region and each of several objects.
    fn holds<V: Simd, S: Scalar>(region: [Lanes<V, S>; 2], objects: [Lanes<V, S>; 2]) -> Hits<V, S>;

    /// The units in which the anchors of matching objects lie, given the first and last unit of the region, and the
    /// largest extent of the objects. Empty if the first is after the last.
    fn anchors(region: [u32; 2], reach: u32) -> [u32; 2];

    /// The units in which the anchors of objects lie that surely match, if their extents are at most `reach`. Empty if
    /// the first is after the last.
    fn covered(region: [u32; 2], reach: u32) -> [u32; 2];

    /// Whether objects may match whose anchors lie in a square, and that themselves lie in that square stretched by
    /// their reach. Asked where the region is not a box.
    fn may_match<S: Scalar, const D: usize>(shape: &Shape<'_, impl Region<S, D>, S, D>, square: &Square<S, D>) -> bool;

    /// Whether all these objects surely match.
    fn covers<S: Scalar, const D: usize>(shape: &Shape<'_, impl Region<S, D>, S, D>, square: &Square<S, D>) -> bool;

    /// Whether an object matches a region that is not a box, given that it matches the region's bounds.
    fn holds_for_shape<S: Scalar, const D: usize>(
        shape: &Shape<'_, impl Region<S, D>, S, D>,
        object: &Rect<S, D>,
    ) -> bool;
}

/// The name of a predicate, for `Debug`.
pub(crate) fn name_of<P>() -> &'static str {
    core::any::type_name::<P>().rsplit("::").next().unwrap_or_default()
}
