//! `containing`: what wholly contains a region.

use super::{Predicate, Query, sealed};
use crate::geometry::{Hits, IntoRegion, Scalar, Simd, SimdBase};
use crate::index::SpatialIndex;

/// The relation of [`containing`](SpatialIndex::containing): the object wholly contains the region.
#[derive(Clone, Copy, Debug)]
pub struct Containing;

impl sealed::Sealed for Containing {}

impl Predicate for Containing {
    #[inline(always)]
    fn holds<V: Simd, S: Scalar>([from, to]: [S::Lanes<V>; 2], [min, max]: [S::Lanes<V>; 2]) -> Hits<V, S> {
        min.simd_le(from) & to.simd_le(max)
    }

    #[inline]
    fn anchors([first, last]: [u32; 2], reach: u32) -> [u32; 2] {
        // The object begins at or before the region, and reaches its end.
        [last.saturating_sub(reach), first]
    }

    #[inline]
    fn covered(_: [u32; 2], _: u32) -> [u32; 2] {
        [1, 0]
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Every object that wholly contains the region, which may be a point.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let zones = index.add_rect_layer()?;
    /// index.insert(zones, Rect::new([10.0, 10.0], [20.0, 20.0]), "zone")?;
    /// let zone = index.containing([20.0, 15.0]).next(); // on the edge
    /// assert_eq!(zone.map(|zone| *zone.value()), Some("zone"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "included_by")]
    #[doc(alias = "covers")]
    #[doc(alias = "stab")]
    pub fn containing(&self, region: impl IntoRegion<S, D>) -> Query<'_, T, Containing, S, D> {
        Query::new(self, region.into_region())
    }
}
