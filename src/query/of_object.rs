//! Queries that start at an object: its shape is the region, and the object itself is excluded.

use super::{ContainedIn, Containing, Intersecting, Near, Predicate, Query};
use crate::geometry::Scalar;
use crate::index::ObjectRef;

impl<'a, T, S: Scalar, const D: usize> ObjectRef<'a, T, S, D> {
    /// Returns every other object that shares at least one point with this one: the objects that it collides with.
    ///
    /// It is [`SpatialIndex::intersecting`](crate::SpatialIndex::intersecting) with this object's shape and without
    /// this object. It covers all layers unless it is restricted.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
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

    /// Returns every other object that lies wholly inside this one. An object of equal shape counts.
    ///
    /// It is [`SpatialIndex::contained_in`](crate::SpatialIndex::contained_in) with this object's shape and without
    /// this object.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
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

    /// Returns every other object that wholly contains this one. An object of equal shape counts.
    ///
    /// It is [`SpatialIndex::containing`](crate::SpatialIndex::containing) with this object's shape and without this
    /// object.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
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

    /// Returns every other object stored where this one reaches: a superset of [`intersecting`](Self::intersecting),
    /// without a test per object.
    ///
    /// It is [`SpatialIndex::near`](crate::SpatialIndex::near) with this object's shape and without this object.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let unit = index.insert(units, [1.0, 1.0], "unit")?;
    /// index.insert(units, [99.0, 99.0], "far, but in the same bucket")?;
    /// assert_eq!(index.object(unit).unwrap().near().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn near(&self) -> Query<'a, T, Near, S, D> {
        self.ask()
    }

    /// A query for this object's shape that excludes this object.
    fn ask<P: Predicate>(&self) -> Query<'a, T, P, S, D> {
        let (index, place) = self.origin();
        let mut query = Query::new(index, self.shape());
        query.question.excluded.add([place]);
        query
    }
}
