//! The relations between an object and a region: public by name, with their answers behind a private trait.
//!
//! Keeps invariant Q7 of `docs/invariants.md`, as far as the answers about squares and objects must agree.

use core::fmt;

use crate::geometry::{Hits, Lanes, Rect, Region, Scalar, Simd};

/// A relation between an object and a region: [`Near`](crate::Near), [`Intersecting`](crate::Intersecting),
/// [`ContainedIn`](crate::ContainedIn) or [`Containing`](crate::Containing). The type of a [`Query`](crate::Query)
/// names it. Sealed.
///
/// ```
/// # use quadrille::{Predicate, Query};
/// // Code for all region queries.
/// fn names<P: Predicate>(query: Query<'_, &'static str, P>) -> Vec<&'static str> {
///     query.map(|object| *object.value()).collect()
/// }
/// ```
pub trait Predicate: Relation + Copy + fmt::Debug {}

/// The answers of a predicate: three for one axis, and three for regions that are not boxes.
pub trait Relation {
    /// Whether objects are tested one by one. If not, all objects match that are stored in a place where the walk
    /// comes.
    const TESTED: bool = true;

    /// Whether an object stands in the relation to a ball if it is near enough to the center.
    const BY_DISTANCE: bool = false;

    /// Whether the relation holds on one axis, between the region and each of several objects.
    fn holds<V: Simd, S: Scalar>(region: [Lanes<V, S>; 2], objects: [Lanes<V, S>; 2]) -> Hits<V, S>;

    /// The units in which the anchors of matching objects may lie, given the first and last unit of the region and an
    /// upper bound of the objects' extents. Empty if the first is after the last.
    fn anchors(region: [u32; 2], reach: u32) -> [u32; 2];

    /// The units in which every anchor is that of a match, if the extents of the objects are at most `reach`. Empty if
    /// the first is after the last.
    fn covered(region: [u32; 2], reach: u32) -> [u32; 2];

    /// Whether objects of a square may match: their anchors lie in the square, and they in the square stretched by
    /// their reach. Called only for regions that are not boxes.
    fn may_match<S: Scalar, const D: usize>(shape: &Shape<'_, impl Region<S, D>, S, D>, square: &Square<S, D>) -> bool;

    /// Whether all objects of a square are sure to match.
    fn covers<S: Scalar, const D: usize>(shape: &Shape<'_, impl Region<S, D>, S, D>, square: &Square<S, D>) -> bool;

    /// Whether an object that matches the bounds of a region, which is not a box, matches the region.
    fn holds_for_shape<S: Scalar, const D: usize>(
        shape: &Shape<'_, impl Region<S, D>, S, D>,
        object: &Rect<S, D>,
    ) -> bool;
}

/// A region that is not a box, with its bounds. It is asked about what lies within them only: so, if they are finite,
/// about finite boxes.
#[derive(Debug)]
pub struct Shape<'a, R, S, const D: usize> {
    pub(super) region: &'a R,
    pub(super) bounds: &'a Rect<S, D>,
}

impl<R: Region<S, D>, S: Scalar, const D: usize> Shape<'_, R, S, D> {
    #[inline]
    pub(super) fn meets(&self, rect: &Rect<S, D>) -> bool {
        self.bounds.intersection(rect).is_some_and(|part| self.region.intersects(&part))
    }

    #[inline]
    pub(super) fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.bounds.contains(rect) && self.region.contains(rect)
    }
}

/// The bounds of the objects that are stored in one place.
#[derive(Debug)]
pub struct Square<S, const D: usize> {
    /// Their anchors lie in here.
    pub(super) anchors: Rect<S, D>,
    /// They themselves lie in here.
    pub(super) objects: Rect<S, D>,
}

/// The name of a predicate, for `Debug`.
pub(crate) fn name_of<P>() -> &'static str {
    core::any::type_name::<P>().rsplit("::").next().unwrap_or_default()
}
