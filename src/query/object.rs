//! Queries that start at an object: about its own shape, itself left out.

use super::{ContainedIn, Containing, Intersecting, Near, Predicate, Query};
use crate::geometry::Scalar;
use crate::index::ObjectRef;

impl<'a, T, S: Scalar, const D: usize> ObjectRef<'a, T, S, D> {
    /// Every other object that shares at least one point with this one. Touching counts.
    ///
    /// As [`SpatialIndex::intersecting`](crate::SpatialIndex::intersecting) its shape, itself left out: whom it
    /// collides with. Looks at all layers unless told otherwise.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([10.0, 10.0], [20.0, 12.0]), "wall")?;
    /// let unit = index.insert(units, [10.0, 11.0], "unit")?;
    /// let unit = index.object(unit).unwrap();
    /// assert_eq!(unit.intersecting().map(|other| *other.value()).collect::<Vec<_>>(), ["wall"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn intersecting(&self) -> Query<'a, T, Intersecting, S, D> {
        self.ask()
    }

    /// Every other object that lies wholly inside this one; one of equal shape does.
    ///
    /// As [`SpatialIndex::contained_in`](crate::SpatialIndex::contained_in) its shape, itself left out.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (zones, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// let zone = index.insert(zones, Rect::new([10.0, 10.0], [20.0, 20.0]), "zone")?;
    /// index.insert(units, [20.0, 15.0], "unit")?;
    /// let zone = index.object(zone).unwrap();
    /// assert_eq!(zone.contained_in().in_layers(units).count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contained_in(&self) -> Query<'a, T, ContainedIn, S, D> {
        self.ask()
    }

    /// Every other object that wholly contains this one; one of equal shape does.
    ///
    /// As [`SpatialIndex::containing`](crate::SpatialIndex::containing) its shape, itself left out.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (zones, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(zones, Rect::new([10.0, 10.0], [20.0, 20.0]), "zone")?;
    /// let unit = index.insert(units, [20.0, 15.0], "unit")?;
    /// let zone = index.object(unit).unwrap().containing().next().unwrap();
    /// assert_eq!(*zone.value(), "zone");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn containing(&self) -> Query<'a, T, Containing, S, D> {
        self.ask()
    }

    /// Every other object stored where this one reaches: a superset of [`intersecting`](Self::intersecting), with no
    /// test per object.
    ///
    /// As [`SpatialIndex::near`](crate::SpatialIndex::near) its shape, itself left out.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let unit = index.insert(units, [1.0, 1.0], "unit")?;
    /// index.insert(units, [99.0, 99.0], "far, but in the same bucket")?;
    /// assert_eq!(index.object(unit).unwrap().near().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn near(&self) -> Query<'a, T, Near, S, D> {
        self.ask()
    }

    /// About its own shape, itself left out.
    fn ask<P: Predicate>(&self) -> Query<'a, T, P, S, D> {
        let (index, place) = self.origin();
        let mut query = Query::new(index, self.shape());
        query.running.exclude(Some(place));
        query
    }
}
