//! Queries for pairs: objects that share a point, or are within a distance of each other.
//!
//! Pairs within an index are its join with itself, each pair once. `sources` are the groups that look for partners,
//! `pairing` is the position of such a query, `course` its way over a layer, and `bucket_pair` compares two groups, by
//! their `quantized` bounds first. A `group` is a bucket, or a part of a `crowd`: of a long chain, `arranged` so that
//! what is near to each other comes together; `crowds` keeps those that a query has met. `self_join`, `pairs_of` and
//! `join` are the methods; `parallel` runs them on several threads.
//!
//! It takes nothing from region queries. Keeps invariants Q11 to Q13 of `docs/invariants.md`.

mod arranged;
mod at_hand;
mod bucket_pair;
mod course;
mod crowd;
mod crowds;
mod group;
mod join;
mod pairing;
mod pairs_of;
#[cfg(feature = "rayon")]
mod parallel;
mod quantized;
mod self_join;
mod sources;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use crate::geometry::{Proximity, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet, Place};
use crate::space::Space;
use crowds::Crowds;
use group::Group;
use pairing::Pairing;
use sources::{Source, Sources, Task};

#[cfg(feature = "rayon")]
pub use parallel::{ParJoin, ParPairs};

/// An iterator over pairs of objects that share a point, of two indexes; or of one, as [`Pairs`].
///
/// [`SpatialIndex::join`] returns it. It yields tuples of two [`ObjectRef`]s, the first of one index and the second of
/// the other. [`within`](Self::within) makes it yield pairs within a distance instead.
///
/// It yields each pair once, and the order is the same whenever the same operations led to the indexes. It does nothing
/// before the first call of `next`, compares two buckets of objects at a time, and costs nothing more when it is
/// dropped early. A clone continues from the same position.
///
/// It allocates nothing, except where more than some 500 objects are in one cell that cannot be divided: outside the
/// world, in a world far too large, or too long for the cells. Once its first 64 objects have been compared, it copies
/// and sorts such a crowd, and keeps the copy, of some 30 bytes for each object of the crowd in 2D with
/// `f32`. A clone shares it.
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
    index: &'a SpatialIndex<T, S, D>,
    other: &'b SpatialIndex<U, S, D>,
    /// Whether both are one index, whose objects are not paired with themselves.
    are_one: bool,
    /// The objects of which each pair has one, if it is restricted to some.
    some: Option<Vec<Source>>,
    pairing: Pairing<S, D>,
    crowds: Crowds<S, D>,
    /// The handles of the two groups at hand, of the first objects and of the second ones; empty for parts of crowds.
    handles: (&'a [Handle], &'b [Handle]),
    /// Their first places, if they are buckets.
    buckets: [Place; 2],
}

/// An iterator over pairs of objects of one index. No object is paired with itself.
///
/// [`pairs`](SpatialIndex::pairs), [`pairs_between`](SpatialIndex::pairs_between) and
/// [`pairs_of`](SpatialIndex::pairs_of) return it. It yields tuples of two [`ObjectRef`]s. See [`Join`] for its
/// filters.
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

/// The part of a join that does not depend on values.
fn task<'a, 'l, S, T, U, const D: usize>(
    (index, other): (&'a SpatialIndex<T, S, D>, &'a SpatialIndex<U, S, D>),
    are_one: bool,
    some: Option<&'l [Source]>,
) -> Task<'a, 'l, S, D> {
    Task { spaces: [&index.space, &other.space], are_one, sources: some.map_or(Sources::All, Sources::Some) }
}

impl<'a, T, S: Scalar, const D: usize> Pairs<'a, T, S, D> {
    fn within_index(index: &'a SpatialIndex<T, S, D>, some: Option<Vec<Source>>) -> Self {
        Self::new(index, index, true, some)
    }
}

impl<'a, 'b, T, U, S: Scalar, const D: usize> Join<'a, 'b, T, U, S, D> {
    fn new(
        index: &'a SpatialIndex<T, S, D>,
        other: &'b SpatialIndex<U, S, D>,
        are_one: bool,
        some: Option<Vec<Source>>,
    ) -> Self {
        let task = task((index, other), are_one, some.as_deref());
        let pairing = Pairing::new([LayerSet::ALL; 2], Some(Proximity::Touching), &task);
        Self {
            index,
            other,
            are_one,
            some,
            pairing,
            crowds: Crowds::none(),
            handles: (&[], &[]),
            buckets: [Place::NONE; 2],
        }
    }

    fn task(&self) -> Task<'_, '_, S, D> {
        task((self.index, self.other), self.are_one, self.some.as_deref())
    }

    /// Restricts both objects of each pair to a set of layers. Of several calls, only layers in all sets remain.
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

    /// Restricts the first object of each pair to one set of layers and the second to another, as
    /// [`pairs_between`](SpatialIndex::pairs_between) does. Of several calls, only layers in all sets remain.
    ///
    /// After the first `next`, the restriction holds for the pairs still to come.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// index.insert(units, [5.0, 2.0], "scout")?;
    /// index.insert(units, [5.0, 2.0], "medic")?;
    /// let hits = index.pairs().between(units, walls);
    /// assert!(hits.clone().all(|(unit, wall)| unit.layer() == units.id() && wall.layer() == walls.id()));
    /// assert_eq!(hits.count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(mut self, first: impl Into<LayerSet>, second: impl Into<LayerSet>) -> Self {
        let task = task((self.index, self.other), self.are_one, self.some.as_deref());
        self.pairing.restrict([first.into(), second.into()], &task);
        self.look_up_handles();
        self
    }

    /// Yields pairs of objects that are at most `distance` apart, instead of those that share a point. Of several
    /// calls, the last one holds.
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
        self.pairing = Pairing::new(self.pairing.between(), Proximity::within(distance), &self.task());
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

    /// Advances to the next two groups with pairs.
    fn advance(&mut self) -> bool {
        let task = task((self.index, self.other), self.are_one, self.some.as_deref());
        let found = self.pairing.advance(&task, &mut self.crowds);
        self.look_up_handles();
        found
    }

    /// The objects at two positions of the groups at hand, one of which at least is a part of a crowd.
    #[inline(never)]
    fn in_crowd(&self, [first, second]: [u8; 2]) -> (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>) {
        let groups = self.pairing.found.groups();
        let one = self.crowds.object(self.index, groups[0], first, self.handles.0);
        (one, self.crowds.object(self.other, groups[1], second, self.handles.1))
    }

    fn look_up_handles(&mut self) {
        if !self.pairing.found.is_empty() {
            let [first, second] = self.pairing.found.groups();
            self.handles = (handles(&self.index.space, first), handles(&self.other.space, second));
            self.buckets = [first, second].map(Group::first);
        }
    }
}

/// The handles of a bucket, by position; none of a part of a crowd.
#[inline]
fn handles<S: Scalar, const D: usize>(space: &Space<S, D>, group: Group) -> &[Handle] {
    match group {
        Group::Bucket(first) => space.forest.handles(first),
        Group::Part { .. } => &[],
    }
}

impl<'a, 'b, T, U, S: Scalar, const D: usize> Iterator for Join<'a, 'b, T, U, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.pairing.found.is_empty() && !self.advance() {
            return None;
        }
        let [first, second] = self.pairing.found.next_positions();
        let handles = (self.handles.0.get(usize::from(first)), self.handles.1.get(usize::from(second)));
        let ((Some(&one), Some(&other)), [one_at, other_at]) = (handles, self.buckets) else {
            return Some(self.in_crowd([first, second]));
        };
        let one = ObjectRef::new(self.index, one_at.at(first), one);
        Some((one, ObjectRef::new(self.other, other_at.at(second), other)))
    }

    /// The number of pairs still to come. Looks up no handles.
    fn count(mut self) -> usize {
        let task = task((self.index, self.other), self.are_one, self.some.as_deref());
        self.pairing.count(&task, &mut self.crowds)
    }
}

impl<T, U, S: Scalar, const D: usize> FusedIterator for Join<'_, '_, T, U, S, D> {}

impl<T, U, S: Scalar, const D: usize> Clone for Join<'_, '_, T, U, S, D> {
    fn clone(&self) -> Self {
        Self { some: self.some.clone(), crowds: self.crowds.clone(), ..*self }
    }
}

impl<T, U, S: Scalar, const D: usize> fmt::Debug for Join<'_, '_, T, U, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.are_one { "Pairs" } else { "Join" };
        f.debug_struct(name).field("between", &self.pairing.between()).finish_non_exhaustive()
    }
}
