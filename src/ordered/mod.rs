//! Ordered queries: `nearest`, `raycast` and `cast`, one search with three orders; and `nearest_by`.
//!
//! `search` finds the objects that come first by some ranking; `ranked` chains searches into a sequence; `ranking` says
//! what a ranking is, and `by_distance` and `by_time` are the two. `spot` is the place of a target in units of the
//! grid, `cell_distances` bounds how far cells are from there. An order is a ranking with the item that it makes of an
//! object, and [`Ordered`] is the iterator for all orders.
//!
//! `nearest_by` is by metrics of users, which are slower to ask than trees are to search. So it has a search of its own,
//! `best_first`, which asks as little as it can; `pending` is all that it has come to.
//!
//! It takes nothing from region queries. Keeps invariants Q8 to Q10 of `docs/invariants.md`.

mod asked;
mod best_first;
mod by_distance;
mod by_time;
mod cast;
mod cell_distances;
mod nearest;
mod nearest_by;
mod pending;
mod ranked;
mod ranking;
mod raycast;
mod search;
mod spot;
mod ties;

use core::fmt;
use core::iter::FusedIterator;

use crate::geometry::{Rank, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet};
use ranked::Ranked;
use ranking::Ranking;
use ties::{Found, Ties};

pub use cast::{AlongMotion, Cast, CastHit};
pub use nearest::{ByDistance, Nearest, Neighbor};
pub use nearest_by::{Metric, NearestBy, NeighborBy};
pub use ranked::SearchBuffer;
pub use raycast::{AlongRay, RayHit, Raycast};

mod sealed {
    pub trait Sealed {}
}

/// The order of an [`Ordered`] query: [`ByDistance`], [`AlongRay`] or [`AlongMotion`]. Sealed.
///
/// You need it only to write code that is generic over the order of a query.
///
/// ```
/// # use quadrille::{Order, Ordered};
/// fn any_at_all<K: Order<f32, 2>>(_: &Ordered<'_, '_, &str, K>) {}
/// ```
pub trait Order<S: Scalar, const D: usize>: Clone + fmt::Debug + sealed::Sealed {
    /// The item that the query yields: [`Neighbor`], [`RayHit`] or [`CastHit`].
    type Item<'a, T: 'a>;
}

/// The ranking of an order, and the item that it makes of an object.
trait Yields<S: Scalar, const D: usize>: Order<S, D> {
    type Ranking: Ranking<S, D>;

    fn ranking(&self) -> &Self::Ranking;

    fn item<'a, T>(&self, object: ObjectRef<'a, T, S, D>, rank: Rank) -> Self::Item<'a, T>;
}

/// An iterator over objects in some order, first ones first. [`Nearest`], [`Raycast`] and [`Cast`] are its three forms.
///
/// - [`SpatialIndex::nearest`] returns [`Nearest`]: [`Neighbor`]s by ascending distance from a target.
/// - [`SpatialIndex::raycast`] returns [`Raycast`]: [`RayHit`]s in the order in which a ray enters the objects.
/// - [`SpatialIndex::cast`] returns [`Cast`]: [`CastHit`]s in the order in which a moving rectangle touches the
///   objects.
///
/// It is lazy: it finds an object when `next` is called. It finds the first one without allocating, but with `beyond`.
/// It finds the following ones several at a time, and keeps them in a buffer, which can be [lent](Self::reusing). A
/// clone continues from the same position with a buffer of its own.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut nearest = index.nearest([7.2, 50.0]).in_layers(units).within(2.0);
/// assert_eq!(nearest.next().map(|found| *found.object.value()), Some(7));
/// assert_eq!(nearest.count(), 3); // 6, 8 and 9
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct Ordered<'a, 'b, T, K, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    order: K,
    ranked: Ranked<'b>,
}

impl<'a, T, K, S: Scalar, const D: usize> Ordered<'a, 'static, T, K, S, D> {
    fn new(index: &'a SpatialIndex<T, S, D>, order: K, layers: LayerSet) -> Self {
        Self { index, order, ranked: Ranked::new(layers) }
    }
}

impl<'a, 'b, T, K, S: Scalar, const D: usize> Ordered<'a, 'b, T, K, S, D> {
    /// Restricts the query to a set of layers. Of several calls, only layers in all sets remain.
    ///
    /// It does not visit the trees of other layers. After the first `next`, the restriction holds for the objects still
    /// to come.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// index.insert(units, [50.0, 50.0], "scout")?;
    /// let nearest = index.nearest([0.0, 0.0]).in_layers(units).next().expect("there is one");
    /// assert_eq!(*nearest.object.value(), "scout");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(mut self, layers: impl Into<LayerSet>) -> Self {
        self.ranked.restrict(layers.into());
        self
    }

    /// Excludes one object; of several calls, the last one holds. After the first `next`, it holds for the objects
    /// still to come.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let other = index.nearest([7.0, 50.0]).excluding(handles[7]).next().expect("there are others");
    /// assert_eq!(*other.object.value(), 6); // as far as 8, with the lower handle
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn excluding(mut self, object: Handle) -> Self {
        self.ranked.exclude(self.index.space.place(object));
        self
    }

    /// Uses the memory of a [`SearchBuffer`] instead of its own, so that a loop of queries allocates once.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect, SearchBuffer};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut buffer = SearchBuffer::new();
    /// for x in [10.0, 20.0, 30.0] {
    ///     assert_eq!(index.nearest([x, 50.0]).reusing(&mut buffer).take(5).count(), 5); // allocates once
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reusing<'c>(self, buffer: &'c mut SearchBuffer) -> Ordered<'a, 'c, T, K, S, D>
    where
        'b: 'c,
    {
        Ordered { index: self.index, order: self.order, ranked: self.ranked.reusing(buffer) }
    }
}

#[expect(private_bounds, reason = "the orders are sealed")]
impl<'a, T, K: Yields<S, D>, S: Scalar, const D: usize> Ordered<'a, '_, T, K, S, D> {
    /// Returns one of the objects that come first, without breaking ties by handle.
    ///
    /// `next` yields the first object, and where several tie, the one with the lowest handle. So the answer is the same
    /// however the index came to be, but all that tie have to be looked at: where ten thousand objects overlap, all
    /// those at distance 0, or hit at `t = 0`. This method stops at the first one of these that it finds. Further away,
    /// a tie costs it less than `next`, but not nothing. Which of several objects it returns is not specified.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let zones = index.add_rect_layer()?;
    /// for value in 0..50 {
    ///     index.insert(zones, Rect::new([10.0, 10.0], [90.0, 90.0]), value)?;
    /// }
    /// let inside = [50.0, 50.0];
    /// assert_eq!(index.nearest(inside).next().map(|zone| *zone.object.value()), Some(0));
    /// assert_eq!(index.nearest(inside).any_first().map(|zone| zone.distance_squared), Some(0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn any_first(mut self) -> Option<K::Item<'a, T>> {
        let found = self.ranked.one(&self.index.space, self.order.ranking(), Ties::Any)?;
        Some(self.item(found))
    }

    /// Whether at least one object is still to come. Stops at the first one that it finds, in whatever order.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert!(!index.nearest([50.0, 90.0]).within(39.0).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.ranked.one(&self.index.space, self.order.ranking(), Ties::AnyRank).is_some()
    }

    #[inline]
    fn item(&self, found: Found) -> K::Item<'a, T> {
        self.order.item(ObjectRef::new(self.index, found.place, found.handle), found.rank)
    }
}

impl<'a, T, K: Yields<S, D>, S: Scalar, const D: usize> Iterator for Ordered<'a, '_, T, K, S, D> {
    type Item = K::Item<'a, T>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let found = self.ranked.next(&self.index.space, self.order.ranking())?;
        Some(self.item(found))
    }
}

impl<T, K: Yields<S, D>, S: Scalar, const D: usize> FusedIterator for Ordered<'_, '_, T, K, S, D> {}

impl<T, K: Clone, S: Scalar, const D: usize> Clone for Ordered<'_, '_, T, K, S, D> {
    fn clone(&self) -> Self {
        Self { index: self.index, order: self.order.clone(), ranked: self.ranked.clone() }
    }
}

impl<T, K: fmt::Debug, S: Scalar, const D: usize> fmt::Debug for Ordered<'_, '_, T, K, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ordered")
            .field("order", &self.order)
            .field("layers", &self.ranked.layers())
            .finish_non_exhaustive()
    }
}
