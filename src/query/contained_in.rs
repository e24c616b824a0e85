//! `contained_in`: the objects that lie wholly inside a region.

use super::iterator::Query;
use super::relation::{Predicate, Relation};
use crate::geometry::{Hits, IntoRegion, Lanes, Scalar, Simd, SimdBase};
use crate::index::SpatialIndex;

/// The relation of [`contained_in`](SpatialIndex::contained_in): the object lies wholly inside the region.
///
/// ```
/// # use quadrille::{ContainedIn, Cursor, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// // The name of the query's type, to write down what a struct keeps.
/// let waiting: Cursor<ContainedIn> = index.contained_in(Rect::new([0.0, 0.0], [9.0, 9.0])).pause();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ContainedIn;

impl Predicate for ContainedIn {}

impl Relation for ContainedIn {
    type Wrapped = Self;
    const WHOLLY: bool = true;

    #[inline(always)]
    fn holds<V: Simd, S: Scalar>([from, to]: [Lanes<V, S>; 2], [min, max]: [Lanes<V, S>; 2]) -> Hits<V, S> {
        from.simd_le(min) & max.simd_le(to)
    }

    #[inline]
    fn anchors(region: [u32; 2], _: u32) -> [u32; 2] {
        // The anchor is a point of the object, so it must lie inside too.
        region
    }

    #[inline]
    fn covered([first, last]: [u32; 2], reach: u32) -> [u32; 2] {
        // Strictly between the region's end units, together with everything within reach (G4).
        [first + 1, last.saturating_sub(1 + reach)]
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns every object that lies wholly inside the region.
    ///
    /// An object that touches the region's edge from inside counts, and so does one that equals the region. The other
    /// edge rules are in `docs/guarantees.md`.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let walls = index.add_rect_layer()?;
    /// let wall = Rect::new([10.0, 10.0], [20.0, 12.0]);
    /// index.insert(walls, wall, ())?;
    /// assert!(index.contained_in(wall).exists()); // an equal region contains it
    /// assert!(!index.contained_in(Rect::new([0.0, 0.0], [15.0, 15.0])).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("include", "within"))]
    pub fn contained_in<I: IntoRegion<S, D, Via>, Via>(&self, region: I) -> Query<'_, T, ContainedIn, S, D, I::Region> {
        Query::new(self, region.into_region())
    }
}
