//! `join`: which objects of two indexes meet each other.

use core::fmt;
use core::iter::FusedIterator;

use super::askers::{Askers, Sides, Task};
use super::pairing::Pairing;
use crate::geometry::{Proximity, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet};

/// Pairs of objects of two indexes that meet each other, or come near each other.
///
/// Made by [`join`](SpatialIndex::join). Yields each pair once, in the same order whenever the same operations led to
/// the indexes. Does nothing before the first call of `next`, allocates nothing, and costs nothing more when it is dropped
/// early. Cloning it keeps a place to come back to.
///
/// With the feature `rayon` it is an `IntoParallelIterator`.
#[must_use = "a query does nothing until it is iterated"]
pub struct Join<'a, 'b, T, U, S = f32, const D: usize = 2> {
    pub(super) index: &'a SpatialIndex<T, S, D>,
    pub(super) other: &'b SpatialIndex<U, S, D>,
    pub(super) pairing: Pairing<S, D>,
    /// The handles of the two buckets at hand.
    handles: (&'a [Handle], &'b [Handle]),
}

/// What is paired between two indexes.
pub(super) fn task<'a, T, U, S: Scalar, const D: usize>(
    index: &'a SpatialIndex<T, S, D>,
    other: &'a SpatialIndex<U, S, D>,
) -> Task<'a, 'static, S, D> {
    Task { sides: Sides::between(index, other), askers: Askers::All }
}

impl<T, U, S: Scalar, const D: usize> Join<'_, '_, T, U, S, D> {
    /// Restricts the objects of the one index to a set of layers, and those of the other index to a set of its layers,
    /// within those that they were restricted to before.
    ///
    /// The trees of other layers are not visited. Called after the first `next` it holds for what is still to come.
    pub fn between(mut self, layers: impl Into<LayerSet>, others: impl Into<LayerSet>) -> Self {
        self.pairing.restrict([layers.into(), others.into()], &task(self.index, self.other));
        self
    }

    /// Pairs what is at most so far apart, instead of what shares a point: as [`Pairs::within`](crate::Pairs::within).
    ///
    /// Called after the first `next` it begins anew.
    pub fn within(mut self, distance: S) -> Self {
        let task = task(self.index, self.other);
        self.pairing = Pairing::new(self.pairing.between(), Proximity::within(distance), &task);
        self
    }

    /// Whether there is (still) any pair: stops at the first.
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.next().is_some()
    }

    /// Goes on to the next two buckets with pairs.
    fn advance(&mut self) -> bool {
        let found = self.pairing.advance(&task(self.index, self.other));
        if found {
            let [first, second] = self.pairing.tile.buckets();
            self.handles = (self.index.forest.handles(first), self.other.forest.handles(second));
        }
        found
    }
}

impl<'a, 'b, T, U, S: Scalar, const D: usize> Iterator for Join<'a, 'b, T, U, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.pairing.tile.is_empty() && !self.advance() {
            return None;
        }
        let [first, second] = self.pairing.tile.next_pair();
        let [handle, other] =
            [(self.handles.0, first), (self.handles.1, second)].map(|(of, place)| of[usize::from(place.position())]);
        Some((ObjectRef::new(self.index, first, handle), ObjectRef::new(self.other, second, other)))
    }

    /// How many pairs are (still) to come. Looks up no handles.
    fn count(mut self) -> usize {
        self.pairing.count(&task(self.index, self.other))
    }
}

impl<T, U, S: Scalar, const D: usize> FusedIterator for Join<'_, '_, T, U, S, D> {}

impl<T, U, S: Scalar, const D: usize> Clone for Join<'_, '_, T, U, S, D> {
    fn clone(&self) -> Self {
        Self { index: self.index, other: self.other, pairing: self.pairing, handles: self.handles }
    }
}

impl<T, U, S: Scalar, const D: usize> fmt::Debug for Join<'_, '_, T, U, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join").field("between", &self.pairing.between()).finish_non_exhaustive()
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Every pair of an object of this index and one of another that share at least one point, once.
    ///
    /// As [`pairs_between`](Self::pairs_between), between two indexes: what counts is said at [`pairs`](Self::pairs). The
    /// two may have different worlds; coordinates are compared as they are. An index can be joined with itself: then each
    /// object meets itself, and each pair comes both ways round.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut zones = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let parks = zones.add_rect_layer()?;
    /// zones.insert(parks, Rect::new([10.0, 10.0], [50.0, 50.0]), "park")?;
    /// let mut fleet = Quadtree::new(Rect::new([0.0, 0.0], [9000.0, 9000.0]))?;
    /// let (cars, bikes) = (fleet.add_point_layer()?, fleet.add_point_layer()?);
    /// fleet.insert(cars, [20.0, 30.0], 7)?;
    /// fleet.insert(cars, [60.0, 30.0], 8)?;
    /// fleet.insert(bikes, [50.0, 50.0], 9)?; // just on the corner
    /// let inside: Vec<_> = zones.join(&fleet).map(|(zone, bike)| (*zone.value(), *bike.value())).collect();
    /// assert_eq!(inside.len(), 2);
    /// assert_eq!(zones.join(&fleet).between(parks, cars).count(), 1);
    /// assert_eq!(zones.join(&fleet).within(10.0).count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "spatial_join")]
    pub fn join<'a, 'b, U>(&'a self, other: &'b SpatialIndex<U, S, D>) -> Join<'a, 'b, T, U, S, D> {
        let pairing = Pairing::new([LayerSet::ALL; 2], Some(Proximity::Touching), &task(self, other));
        Join { index: self, other, pairing, handles: (&[], &[]) }
    }
}
