//! `near`: the objects stored where a region reaches, without a test per object.

use super::intersecting::Intersecting;
use super::iterator::Query;
use super::relation::{Predicate, Relation};
use crate::geometry::{IntoRegion, Rect, Scalar};
use crate::index::SpatialIndex;

/// The relation of [`near`](SpatialIndex::near): the object is stored where the region reaches.
///
/// ```
/// # use quadrille::{Cursor, Near, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// // The name of the query's type, to write down what a struct keeps.
/// let waiting: Cursor<Near> = index.near(Rect::new([0.0, 0.0], [9.0, 9.0])).pause();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Near;

impl Predicate for Near {}

impl Relation for Near {
    type Wrapped = Intersecting;
    const TESTED: bool = false;

    #[inline]
    fn covered(region: [u32; 2], _: u32) -> [u32; 2] {
        // The region meets every block in these units. No object is tested.
        region
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns every object stored where the region reaches: a superset of [`intersecting`](Self::intersecting),
    /// without a test per object. Use it if you have a narrow phase of your own.
    ///
    /// It yields either all objects of a block of cells, or of a node's own list, or none of them. It yields the objects of a
    /// block if the block's range of units, stretched to the high side by its reach, meets the range of units of the
    /// region's bounds. For a [`Ball`](crate::Ball), these bounds may be larger by a rounding. A region that is not a
    /// box must also meet the block's [`bounds_with_reach`](crate::Cell::bounds_with_reach). So the results depend on
    /// how the tree is currently split; [`cells`](Self::cells) shows that.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// index.insert(units, [1.0, 1.0], "far, but in the same bucket")?;
    /// assert_eq!(index.near([99.0, 99.0]).count(), 1);
    /// assert_eq!(index.intersecting([99.0, 99.0]).count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("candidates", "broad_phase"))]
    pub fn near<I: IntoRegion<S, D, Via>, Via>(&self, region: I) -> Query<'_, T, Near, S, D, I::Region> {
        Query::new(self, region.into_region())
    }

    /// Returns every object, in no specified order.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let sum: u32 = index.iter().in_layers(units).map(|object| u32::from(*object.value())).sum();
    /// assert_eq!(sum, 4950);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> Query<'_, T, Near, S, D> {
        Query::new(self, Rect::everything())
    }
}

impl<'a, T, S: Scalar, const D: usize> IntoIterator for &'a SpatialIndex<T, S, D> {
    type Item = crate::index::ObjectRef<'a, T, S, D>;
    type IntoIter = Query<'a, T, Near, S, D>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
