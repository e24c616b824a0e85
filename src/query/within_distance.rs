//! `within_distance`: the objects near enough to a point.

use super::intersecting::Intersecting;
use super::iterator::Query;
use crate::geometry::{Ball, Scalar};
use crate::index::SpatialIndex;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
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
