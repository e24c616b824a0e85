//! `join`: the pairs between two indexes.

use super::Join;
use crate::geometry::Scalar;
use crate::index::SpatialIndex;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns every pair of an object of this index and one of another that share at least one point, each pair once.
    ///
    /// Touching counts, as for [`pairs`](Self::pairs). The two indexes may have different worlds: coordinates are
    /// compared as they are. If you join an index with itself, each object is paired with itself too, and each pair is
    /// yielded in both orders.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut zones: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let parks = zones.add_rect_layer()?;
    /// zones.insert(parks, Rect::new([10.0, 10.0], [50.0, 50.0]), "park")?;
    /// let mut fleet: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [9000.0, 9000.0]))?;
    /// let (cars, bikes) = (fleet.add_point_layer()?, fleet.add_point_layer()?);
    /// fleet.insert(cars, [20.0, 30.0], 7)?;
    /// fleet.insert(cars, [60.0, 30.0], 8)?;
    /// fleet.insert(bikes, [50.0, 50.0], 9)?; // exactly on the corner
    /// let inside: Vec<_> = zones.join(&fleet).map(|(zone, bike)| (*zone.value(), *bike.value())).collect();
    /// assert_eq!(inside.len(), 2);
    /// assert_eq!(zones.join(&fleet).between(parks, cars).count(), 1);
    /// assert_eq!(zones.join(&fleet).within(10.0).count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "spatial_join")]
    pub fn join<'a, 'b, U>(&'a self, other: &'b SpatialIndex<U, S, D>) -> Join<'a, 'b, T, U, S, D> {
        Join::new(self, other, false, None)
    }
}
