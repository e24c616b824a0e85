//! `within_distance`: what is near enough to a point.

use super::{Intersecting, Query};
use crate::geometry::{Ball, Scalar};
use crate::index::SpatialIndex;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Every object within a distance of a point, in no order: what the [`Ball`] around the point meets.
    ///
    /// The distance to an object is that to its nearest point, 0 from inside it. What is just that far is found. A
    /// negative distance, or a NaN, finds nothing; an infinite one finds everything; 0 finds what contains the point.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([13.0, 14.0], [90.0, 90.0]), "wall")?; // its corner is 5 away
    /// index.insert(units, [14.0, 14.0], "unit")?; // more than 5 away
    /// let found = index.within_distance([10.0, 10.0], 5.0);
    /// assert_eq!(found.map(|object| *object.value()).collect::<Vec<_>>(), ["wall"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "radius")]
    #[doc(alias = "circle")]
    pub fn within_distance(
        &self,
        point: impl Into<[S; D]>,
        distance: S,
    ) -> Query<'_, T, Intersecting, S, D, Ball<S, D>> {
        self.intersecting(Ball::new(point, distance))
    }
}
