//! `Join`: the iterator that queries for pairs return, and its filters. It looks up the objects of the pairs that a
//! search has found.

use alloc::sync::Arc;
use core::fmt;
use core::iter::{self, FusedIterator};
#[cfg(feature = "rayon")]
use core::ops::Range;

use super::search::PairSearch;
use super::sides::Sides;
use super::sources::{Source, Sources};
use crate::geometry::{Proximity, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet, Place};
use crate::periodic::Periodic;

/// An iterator over pairs of objects that share a point, of two indexes; or of one, as [`Pairs`].
///
/// [`SpatialIndex::join`] and [`SpatialIndex::join_of`] return it. It yields tuples of two [`ObjectRef`]s, the first of one
/// index and the second of the other. [`within`](Self::within) makes it yield pairs within a distance instead.
///
/// It yields each pair once, and the order is the same whenever the same operations led to the indexes. It does nothing
/// before the first call of `next`, compares two buckets of objects at a time, and costs nothing more when it is
/// dropped early. A clone continues from the same position.
///
/// It allocates nothing; in a periodic world once.
///
/// With the feature `rayon` it is an `IntoParallelIterator`.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// # index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
/// let mut sky: Quadtree<u32> = Quadtree::new(index.world())?;
/// let planes = sky.add_point_layer()?;
/// sky.insert(planes, [5.0, 4.0], 7)?;
/// assert_eq!(index.join(&sky).count(), 0);
/// for (below, plane) in index.join(&sky).within(2.0) {
///     assert_eq!((*below.value(), *plane.value()), ("wall", 7));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct Join<'a, 'b, T, U, S = f32, const D: usize = 2> {
    pub(super) index: &'a SpatialIndex<T, S, D>,
    pub(super) other: &'b SpatialIndex<U, S, D>,
    pub(super) search: PairSearch<'a, 'b, S, D>,
    /// The handles in the current two groups, of the first objects and of the second ones.
    handles: (&'a [Handle], &'b [Handle]),
    /// The first places of the two groups.
    buckets: [Place; 2],
}

/// An iterator over pairs of objects of one index. No object is paired with itself.
///
/// [`pairs`](SpatialIndex::pairs) and [`pairs_of`](SpatialIndex::pairs_of) return it. It yields tuples of two
/// [`ObjectRef`]s. See [`Join`] for its filters.
///
/// ```
/// # use quadrille::{Pairs, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let close: Pairs<u16> = index.pairs().within(1.0);
/// assert_eq!(close.count(), 99);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Pairs<'a, T, S = f32, const D: usize = 2> = Join<'a, 'a, T, T, S, D>;

impl<'a, 'b, T, U, S: Scalar, const D: usize> Join<'a, 'b, T, U, S, D> {
    /// The pairs between two indexes, which may be one whose objects are paired with each other. Some objects of the
    /// first may be given: then only pairs with at least one of them.
    pub(super) fn new(
        index: &'a SpatialIndex<T, S, D>,
        other: &'b SpatialIndex<U, S, D>,
        are_one: bool,
        some: Option<Arc<[Source]>>,
    ) -> Self {
        let sides = Sides::new(&index.space, &other.space, are_one);
        let search = PairSearch::new(sides, Proximity::Touching, Sources::new(are_one, some));
        Self { index, other, search, handles: (&[], &[]), buckets: [Place::NONE; 2] }
    }

    /// Restricts both objects of each pair to a set of layers. Repeated calls keep only layers in all sets.
    ///
    /// It does not visit the trees of other layers. After the first `next`, the restriction holds for the pairs still
    /// to come.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// index.insert(units, [5.0, 2.0], "scout")?;
    /// index.insert(units, [5.0, 2.0], "medic")?;
    /// assert_eq!(index.pairs().count(), 3);
    /// assert_eq!(index.pairs().in_layers(units).count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(self, layers: impl Into<LayerSet>) -> Self {
        let layers = layers.into();
        self.between(layers, layers)
    }

    /// Restricts the first object of each pair to one set of layers and the second to another: static walls against
    /// moving bodies. Repeated calls keep only layers in all sets.
    ///
    /// A layer may be in both sets; each pair is still yielded once. If both objects are in both sets, it is not
    /// specified which one comes first. After the first `next`, the restriction holds for the pairs still to come.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, bodies) = (index.add_rect_layer()?, index.add_rect_layer()?);
    /// index.insert(walls, Rect::new([10.0, 0.0], [12.0, 90.0]), "wall")?;
    /// index.insert(walls, Rect::new([0.0, 10.0], [90.0, 12.0]), "crossing wall")?;
    /// index.insert(bodies, Rect::new([11.0, 40.0], [13.0, 42.0]), "ball")?;
    /// let (wall, body) = index.pairs().between(walls, bodies).next().unwrap();
    /// assert_eq!((*wall.value(), *body.value()), ("wall", "ball"));
    /// assert_eq!(index.pairs().between(walls, bodies).count(), 1); // crossing walls are no pair here
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(mut self, first: impl Into<LayerSet>, second: impl Into<LayerSet>) -> Self {
        self.search.restrict([first.into(), second.into()]);
        self.look_up_handles();
        self
    }

    /// Yields pairs of objects that are at most `distance` apart, instead of pairs that share a point. Of
    /// several calls, the last one holds.
    ///
    /// The distance of two objects is that of their closest points, compared as by [`Nearest`](crate::Nearest). Objects
    /// exactly that far apart are paired. With a negative distance or a NaN, it yields nothing; with an infinite one,
    /// all pairs. After the first `next`, it starts again from the first pair.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// for x in [10.0, 13.0, 17.0] {
    ///     index.insert(units, [x, 50.0], x)?;
    /// }
    /// assert_eq!(index.pairs().within(3.0).count(), 1);
    /// assert_eq!(index.pairs().within(4.0).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(mut self, distance: S) -> Self {
        self.search.restart(distance);
        self
    }

    /// Looks for pairs in a world that wraps around: two objects are a pair if one of them is close to an image of the other.
    /// Each pair comes once, in however many images the two are close; no object is paired with itself. See [`Periodic`] for
    /// the objects that count and the cost. After the first `next`, it starts again from the first pair.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert_eq!(index.pairs().within(1.0).count(), 99);
    /// assert_eq!(index.pairs().within(1.0).periodic(&torus).count(), 100); // a ring
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn periodic(mut self, torus: &Periodic<S, D>) -> Self {
        let [mut world, other] = [torus.over(&self.index.space), torus.over(&self.other.space)];
        world.hull = world.hull.hull(&other.hull);
        self.search.wrap(world);
        self
    }

    /// Whether at least one pair is still to come. Stops at the first one.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert!(!index.pairs().exists()); // no two share a point
    /// assert!(index.pairs().within(1.0).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.next().is_some()
    }

    /// The number of pairs still to come, in parts whose sum is `count`: for who may give up on the way.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut patience = 1000;
    /// let count: usize = index.pairs().within(9.0).counts().take_while(|_| { patience -= 1; patience > 0 }).sum();
    /// assert_eq!(count, 855);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn counts(mut self) -> impl Iterator<Item = usize> {
        self.search.is_count = true;
        iter::from_fn(move || self.search.count_next())
    }

    /// The pairs of some listed sources.
    #[cfg(feature = "rayon")]
    pub(super) fn part(&self, sources: Range<usize>) -> Self {
        Self { search: self.search.part(sources), ..*self }
    }

    /// Goes on to the next two groups with pairs.
    fn advance(&mut self) -> bool {
        let found = self.search.advance();
        self.look_up_handles();
        found
    }

    fn look_up_handles(&mut self) {
        if !self.search.found.is_empty() {
            let [first, second] = self.search.found.groups();
            let (of_first, of_second) = (self.index.space.trees.arena(), self.other.space.trees.arena());
            self.handles = (of_first.handles(first.bucket), of_second.handles(second.bucket));
            self.buckets = [first.bucket, second.bucket];
        }
    }
}

impl<'a, 'b, T, U, S: Scalar, const D: usize> Iterator for Join<'a, 'b, T, U, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.search.found.is_empty() && !self.advance() {
            return None;
        }
        let [first, second] = self.search.found.next_positions();
        let ([one_at, other_at], (ones, others)) = (self.buckets, self.handles);
        let (one, other) = (ones[usize::from(first)], others[usize::from(second)]);
        let one = ObjectRef::new(self.index, one_at.at(first), one);
        Some((one, ObjectRef::new(self.other, other_at.at(second), other)))
    }

    /// The number of pairs still to come. Looks up no handles, and compares nothing where two buckets are close as a whole.
    fn count(self) -> usize {
        self.counts().sum()
    }
}

impl<T, U, S: Scalar, const D: usize> FusedIterator for Join<'_, '_, T, U, S, D> {}

impl<T, U, S: Scalar, const D: usize> Clone for Join<'_, '_, T, U, S, D> {
    fn clone(&self) -> Self {
        Self { search: self.search.clone(), ..*self }
    }
}

impl<T, U, S: Scalar, const D: usize> fmt::Debug for Join<'_, '_, T, U, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = &self.search.sides;
        let name = if sides.are_one { "Pairs" } else { "Join" };
        f.debug_struct(name).field("between", &sides.layers).finish_non_exhaustive()
    }
}
