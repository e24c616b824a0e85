//! `intersecting`: the objects that share a point with a region, such as `within_distance` of a point.

use super::iterator::Query;
use super::relation::{Predicate, Relation};
use crate::geometry::{Ball, IntoRegion, Scalar};
use crate::index::SpatialIndex;

/// The relation of [`intersecting`](SpatialIndex::intersecting): object and region share a point.
///
/// ```
/// # use quadrille::{Cursor, Intersecting, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// // The name of the query's type, to write down what a struct keeps.
/// let waiting: Cursor<Intersecting> = index.intersecting(Rect::new([0.0, 0.0], [9.0, 9.0])).pause();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Intersecting;

impl Predicate for Intersecting {}

impl Relation for Intersecting {
    type Wrapped = Self;
    const BY_DISTANCE: bool = true;

    #[inline]
    fn covered([first, last]: [u32; 2], _: u32) -> [u32; 2] {
        // Strictly between the region's end units, every anchor lies inside the region (G4).
        [first + 1, last.saturating_sub(1)]
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns every object that shares at least one point with the region.
    ///
    /// Touching counts, at an edge or in a corner. A region with a NaN yields nothing. The other edge rules are in
    /// `docs/guarantees.md`. An array alone is a point, so two corners are one argument: [`Rect::new`](crate::Rect::new).
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let walls = index.add_rect_layer()?;
    /// let wall = index.insert(walls, Rect::new([10.0, 10.0], [20.0, 12.0]), ())?;
    /// let touching = Rect::new([20.0, 12.0], [30.0, 30.0]);
    /// assert_eq!(index.intersecting(touching).next().unwrap().handle(), wall);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("intersect", "overlap", "search"))]
    pub fn intersecting<I: IntoRegion<S, D, Via>, Via>(
        &self,
        region: I,
    ) -> Query<'_, T, Intersecting, S, D, I::Region> {
        Query::new(self, region.into_region())
    }

    /// Returns every object within a distance of a point, in no specified order. It is
    /// [`intersecting`](Self::intersecting) with a [`Ball`] around the point. For objects by ascending distance, see
    /// [`nearest`](Self::nearest).
    ///
    /// The distance to an object is the distance to its closest point, and 0 inside it. An object exactly that far away
    /// counts. A negative distance or a NaN yields nothing. The other edge rules are in `docs/guarantees.md`.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([13.0, 14.0], [90.0, 90.0]), "wall")?; // its corner is 5 away
    /// index.insert(units, [14.0, 14.0], "unit")?; // more than 5 away
    /// let found = index.within_distance([10.0, 10.0], 5.0);
    /// assert_eq!(found.map(|object| *object.value()).collect::<Vec<_>>(), ["wall"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("radius", "circle"))]
    pub fn within_distance(
        &self,
        point: impl Into<[S; D]>,
        distance: S,
    ) -> Query<'_, T, Intersecting, S, D, Ball<S, D>> {
        self.intersecting(Ball::new(point, distance))
    }
}
