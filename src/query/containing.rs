//! `containing`: the objects that wholly contain a region.

use super::iterator::Query;
use super::relation::{Predicate, Relation};
use crate::geometry::{Hits, IntoRegion, Lanes, Region, Scalar, Simd, SimdBase};
use crate::index::SpatialIndex;

/// The relation of [`containing`](SpatialIndex::containing): the object wholly contains the region.
///
/// ```
/// # use quadrille::{Containing, Cursor, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// // The name of the query's type, to write down what a struct keeps.
/// let waiting: Cursor<Containing> = index.containing(Rect::new([0.0, 0.0], [9.0, 9.0])).pause();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Containing;

impl Predicate for Containing {}

// Asked with the bounds of regions, which are boxes, so shapes are never compared.
impl Relation for Containing {
    type Wrapped = Self;
    const COVERS: bool = false;

    #[inline(always)]
    fn holds<V: Simd, S: Scalar>([from, to]: [Lanes<V, S>; 2], [min, max]: [Lanes<V, S>; 2]) -> Hits<V, S> {
        min.simd_le(from) & to.simd_le(max)
    }

    #[inline]
    fn anchors([first, last]: [u32; 2], reach: u32) -> [u32; 2] {
        // The object must begin at or before the region, and reach its end.
        [last.saturating_sub(reach), first]
    }

    #[inline]
    fn covered(_: [u32; 2], _: u32) -> [u32; 2] {
        [1, 0]
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns every object that wholly contains the region, which may be a point. Only the region's bounds matter: a
    /// box contains a region exactly if it contains its bounds.
    ///
    /// A point on an object's edge counts, and so does a region that equals the object. No object contains a region
    /// with an infinite side. The other edge rules are in `docs/guarantees.md`.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let zones = index.add_rect_layer()?;
    /// index.insert(zones, Rect::new([10.0, 10.0], [20.0, 20.0]), "zone")?;
    /// let zone = index.containing([20.0, 15.0]).next(); // on the edge
    /// assert_eq!(zone.map(|zone| *zone.value()), Some("zone"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("included_by", "covers", "stab"))]
    pub fn containing<Via>(&self, region: impl IntoRegion<S, D, Via>) -> Query<'_, T, Containing, S, D> {
        Query::new(self, region.into_region().bounds())
    }
}
