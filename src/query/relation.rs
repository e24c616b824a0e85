//! The relations between an object and a region: public by name, with their answers behind a private trait.
//!
//! Keeps its part of invariant Q7 of `docs/invariants.md`: answers about squares and about objects agree.

use core::fmt;

use crate::geometry::{Hits, ImageOf, Lanes, Rect, Region, Scalar, Simd, SimdBase};

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

/// The answers of a predicate: three for one axis, and three for regions that are not boxes. Unless it says otherwise, they are
/// those of [`Intersecting`](crate::Intersecting).
pub trait Relation {
    /// The relation in a periodic world, which is tested.
    type Wrapped: Predicate;

    /// Whether objects are tested one by one. If not, every object stored where the walk comes matches.
    const TESTED: bool = true;

    /// Whether squares and units may match wholly.
    const COVERS: bool = true;

    /// Whether an object stands in the relation to a ball if it is near enough to the center.
    const BY_DISTANCE: bool = false;

    /// Whether the relation holds on one axis, between the region and each of several objects.
    #[inline(always)]
    fn holds<V: Simd, S: Scalar>([from, to]: [Lanes<V, S>; 2], [min, max]: [Lanes<V, S>; 2]) -> Hits<V, S> {
        min.simd_le(to) & from.simd_le(max)
    }

    /// The units that may hold the anchors of matching objects, given the first and last unit of the region and an
    /// upper bound of the objects' extents. Empty if the first is after the last.
    #[inline]
    fn anchors([first, last]: [u32; 2], reach: u32) -> [u32; 2] {
        [first.saturating_sub(reach), last]
    }

    /// The units in which every anchor belongs to a match, if the objects' extents are at most `reach`. Empty if the
    /// first is after the last.
    fn covered(region: [u32; 2], reach: u32) -> [u32; 2];

    /// Whether objects of a square may match. Their anchors lie in the square, and their shapes in the square stretched
    /// by their reach. Called only for regions that are not boxes.
    #[inline]
    fn may_match<S: Scalar, const D: usize>(
        region: &ImageOf<'_, impl Region<S, D>, S, D>,
        square: &Square<S, D>,
    ) -> bool {
        region.meets(&square.objects)
    }

    /// Whether all objects of a square surely match.
    #[inline]
    fn covers<S: Scalar, const D: usize>(region: &ImageOf<'_, impl Region<S, D>, S, D>, square: &Square<S, D>) -> bool {
        // An anchor inside the region is a shared point.
        region.contains(&square.anchors)
    }

    /// Whether an object that matches a region's bounds also matches the region, which is not a box.
    #[inline]
    fn holds_for_shape<S: Scalar, const D: usize>(
        region: &ImageOf<'_, impl Region<S, D>, S, D>,
        object: &Rect<S, D>,
    ) -> bool {
        region.meets(object)
    }
}

/// The bounds of the objects stored in one place.
#[derive(Debug)]
pub struct Square<S, const D: usize> {
    /// Contains their anchors.
    pub(super) anchors: Rect<S, D>,
    /// Contains their shapes.
    pub(super) objects: Rect<S, D>,
}

/// The name of a predicate, for `Debug`.
pub(crate) fn name_of<P>() -> &'static str {
    core::any::type_name::<P>().rsplit("::").next().unwrap_or_default()
}
