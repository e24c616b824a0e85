//! `nearest`: objects by ascending distance.

use super::buffer::Found;
use super::sequence::{Sequence, guess_at_start};
use crate::geometry::{IntoRegion, Rank, Rect, RectRegion, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::LayerSet;
use crate::space::Space;

/// An object and its distance. [`Nearest`] yields it.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let found = index.nearest([7.0, 53.0]).next().expect("there are objects");
/// assert_eq!((*found.object.value(), found.distance_squared.sqrt()), (7, 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Neighbor<'a, T, S = f32, const D: usize = 2> {
    /// The object.
    pub object: ObjectRef<'a, T, S, D>,
    /// The square of the distance between the closest points. It is 0 if the object touches the target.
    ///
    /// It is rounded to `S`: very large distances have an infinite square, very small ones have 0. The order of results
    /// and [`distance`](Self::distance) are right in these cases too.
    pub distance_squared: S,
    pub(super) rank: Rank,
}

impl<T, S: Scalar, const D: usize> Neighbor<'_, T, S, D> {
    /// The distance between the closest points, rounded up: the least limit that includes the object.
    ///
    /// Limits are compared exactly, so [`within`](Nearest::within) this distance, or in a [`Ball`](crate::Ball) of it, the
    /// object is found again; within the next smaller number it is not.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// index.insert(units, [13.0, 14.0], "scout")?;
    /// let found = index.nearest([10.0, 10.0]).next().expect("there is one");
    /// assert_eq!(found.distance(), 5.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn distance(&self) -> S {
        self.rank.distance_up()
    }
}

/// An iterator over objects by ascending distance from a target.
///
/// [`nearest`](SpatialIndex::nearest) returns it, and so does [`ObjectRef::nearest`]. It yields [`Neighbor`]s.
///
/// It is lazy: it finds an object when `next` is called. It finds the first object without allocating, except with
/// [`beyond`](Self::beyond) or [`after`](Self::after). It finds the following ones several at a time, and keeps them in a buffer, which can be
/// [lent](Self::reusing). A clone continues from the same position with a buffer of its own.
///
/// ```
/// # use quadrille::{Nearest, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let nearest: Nearest<u16> = index.nearest([7.2, 50.0]);
/// assert_eq!(nearest.take(2).map(|found| *found.object.value()).collect::<Vec<_>>(), [7, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct Nearest<'a, 'b, T, S = f32, const D: usize = 2> {
    pub(super) index: &'a SpatialIndex<T, S, D>,
    pub(super) search: Sequence<'a, 'b, Rect<S, D>, S, D>,
}

/// An estimate of the distance around a box within which a number of objects lie; `None` if there is no good one.
pub(crate) fn radius_of<S: Scalar, const D: usize>(
    space: &Space<S, D>,
    layers: LayerSet,
    target: Rect<S, D>,
    want: usize,
) -> Option<f64> {
    guess_at_start(space, layers, &target, Rank::ZERO, want).map(Rank::radius)
}

impl<'a, T, S: Scalar, const D: usize> Nearest<'a, '_, T, S, D> {
    #[inline]
    pub(super) fn item(&self, Found { rank, handle, place }: Found) -> Neighbor<'a, T, S, D> {
        let object = ObjectRef::new(self.index, place, handle);
        Neighbor { object, distance_squared: S::from_f64(rank.square()), rank }
    }
}

impl<T, S: Scalar, const D: usize> Nearest<'_, '_, T, S, D> {
    /// Ends after the objects that are at most `distance` away. An object exactly that far away counts.
    ///
    /// If called again, the least distance holds. With a negative distance or a NaN, the query yields nothing.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert_eq!(index.nearest([0.0, 50.0]).within(3.0).count(), 4); // 3 away is within
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(mut self, distance: S) -> Self {
        let limit = distance.to_f64();
        self.search.end_at((0.0 <= limit).then(|| Rank::of_distance(limit)));
        self
    }

    /// Begins with the objects that are at least `distance` away. An object exactly that far away counts. To go on after
    /// an answer, use [`after`](Self::after).
    ///
    /// If called again, the greatest distance holds. A negative distance changes nothing; with a NaN, the query yields
    /// nothing.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let next = index.nearest([0.0, 50.0]).beyond(3.0).next().expect("there are more");
    /// assert_eq!(*next.object.value(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn beyond(mut self, distance: S) -> Self {
        let floor = distance.to_f64();
        if floor.is_nan() {
            self.search.end_at(None);
        } else if 0.0 < floor {
            self.search.begin_after((Rank::of_distance(floor), None));
        }
        self
    }

    /// Ends after a number of objects and those that tie with the last of them, which are exactly as far away. SQL calls
    /// this `FETCH FIRST … ROWS WITH TIES`.
    ///
    /// Only objects still to come count, and of these only those that pass the other filters. If called again, the call
    /// that ends first holds. Distances are compared in `f64`, as the order is. With 0, the query yields nothing.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let found = index.nearest([7.0, 50.0]).take_with_ties(2); // 7 itself, then 6 and 8
    /// assert_eq!(found.map(|found| *found.object.value()).collect::<Vec<_>>(), [7, 6, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_with_ties(mut self, objects: usize) -> Self {
        self.search.end_after(objects);
        self
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns all objects by ascending distance from a point or a rectangle. The item is a [`Neighbor`].
    ///
    /// The distance of two shapes is the distance of their closest points, so it is 0 if they touch or overlap. Ties
    /// are yielded by ascending handle, so the answer does not depend on how the index came to be. The price is that
    /// the query compares all objects that tie; [`any_first`](Nearest::any_first) does not. A target with a NaN yields
    /// nothing. Distances are compared in `f64`, as [`Ball`](crate::Ball) describes, which is finer than
    /// `distance_squared` in `f32`. The other edge rules are in `docs/guarantees.md`.
    ///
    /// Filters are applied before any limit: `.in_layers(units).take(8)` yields the nearest eight of those layers.
    ///
    /// An object costs one way down the tree and a few buckets, whether the target lies among the objects or far away.
    /// It costs more where many objects are about as near: from the center of a ring, all of them. From outside the
    /// world, the query may have to compare all objects at its edge, since objects that lie outside in part are stored
    /// there. So choose a world that holds the targets too.
    ///
    /// The first object is found without allocating, except with `beyond` or `after`. The following ones are found several at a
    /// time and wait in a buffer: see [`SearchBuffer`](crate::SearchBuffer) for how to reuse it.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(units, [10.0, 10.0], "scout")?;
    /// index.insert(walls, Rect::new([16.0, 0.0], [18.0, 90.0]), "wall")?;
    /// let here = [14.0, 13.0];
    /// let by_distance: Vec<_> = index.nearest(here).map(|n| (*n.object.value(), n.distance_squared)).collect();
    /// assert_eq!(by_distance, [("wall", 4.0), ("scout", 25.0)]);
    /// assert_eq!(index.nearest(here).in_layers(units).within(5.0).count(), 1); // exactly that far away
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("knn", "k_nearest", "closest"))]
    pub fn nearest(&self, target: impl IntoRegion<S, D, Region: RectRegion<S, D>>) -> Nearest<'_, 'static, T, S, D> {
        Nearest { index: self, search: Sequence::new(&self.space, target.into_region().into()) }
    }
}

impl<'a, T, S: Scalar, const D: usize> ObjectRef<'a, T, S, D> {
    /// Returns the other objects by ascending distance from this one: [`SpatialIndex::nearest`] with this object's
    /// shape and without this object.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 1.0], "scout")?;
    /// index.insert(units, [1.0, 2.0], "medic")?;
    /// let scout = index.object(scout).expect("just inserted");
    /// assert_eq!(scout.nearest().next().map(|n| *n.object.value()), Some("medic"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(&self) -> Nearest<'a, 'static, T, S, D> {
        let (index, place) = self.origin();
        let mut nearest = index.nearest(self.shape());
        nearest.search.exclude([place]);
        nearest
    }
}
