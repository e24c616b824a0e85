//! The relations between an object and a region: public by name, with their answers behind a private trait.
//!
//! Keeps its part of invariant Q7 of `docs/invariants.md`: answers about units and about objects agree.

use core::fmt;

use crate::geometry::{Hits, Lanes, Scalar, Simd, SimdBase};

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

/// The answers of a predicate, for one axis. By default it answers as
/// [`Intersecting`](crate::Intersecting).
pub trait Relation {
    /// The relation in a periodic world, which is tested.
    type Wrapped: Predicate;

    /// Whether objects are tested one by one. If not, every object stored where the walk comes matches.
    const TESTED: bool = true;

    /// Whether squares and units may match wholly.
    const COVERS: bool = true;

    /// Whether all of an object must lie in a region. Else one shared point is enough.
    const WHOLLY: bool = false;

    /// Whether an object stands in the relation to a ball if it is near enough to the center.
    const BY_DISTANCE: bool = false;

    /// Whether the relation holds on one axis, between the region and each of these objects.
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
}

/// The name of a predicate, for `Debug`.
pub(crate) fn name_of<P>() -> &'static str {
    core::any::type_name::<P>().rsplit("::").next().unwrap_or_default()
}
