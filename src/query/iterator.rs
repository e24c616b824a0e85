//! The iterator of region queries: a question, a position, and the index that they belong to.
//!
//! Keeps its part of Q3 of `docs/invariants.md`.

use core::cell::Cell;
use core::fmt;
use core::iter::FusedIterator;

use super::matching::Condition;
use super::question::Question;
use super::relation::{Predicate, name_of};
use super::scanner::Scanner;
use crate::geometry::{Rect, Region, Scalar, Wrapped};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, IntoHandles, LayerSet, Place};
use crate::periodic::Periodic;
use crate::tree::{BUCKET_SLOTS, positions};

/// An iterator over the objects that stand in the relation `P` to a region `R`.
///
/// [`near`](SpatialIndex::near), [`intersecting`](SpatialIndex::intersecting),
/// [`contained_in`](SpatialIndex::contained_in), [`containing`](SpatialIndex::containing),
/// [`within_distance`](SpatialIndex::within_distance) and [`iter`](SpatialIndex::iter) return it, and so do the queries
/// of an [`ObjectRef`].
///
/// It yields each object once, as an [`ObjectRef`], with layers by ascending number. The same operations on an index
/// lead to the same order. The query does nothing before the first call of `next`, allocates nothing but for several
/// [excluded](Self::excluding) objects, and costs nothing more once it is dropped. A clone continues from the same position.
///
/// With the feature `rayon` it is an `IntoParallelIterator`.
///
/// ```
/// # use quadrille::{Intersecting, Quadtree, Query, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let query: Query<u16, Intersecting> = index.intersecting(Rect::new([0.0, 0.0], [9.0, 99.0]));
/// assert_eq!(query.clone().count(), 10); // by counters, where it can
/// assert_eq!(query.excluding(handles[3]).map(|object| u32::from(*object.value())).sum::<u32>(), 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct Query<'a, T, P, S = f32, const D: usize = 2, R = Rect<S, D>, C = ()> {
    pub(crate) index: &'a SpatialIndex<T, S, D>,
    pub(crate) question: Question<P, R, S, D>,
    pub(crate) scanner: Scanner,
    /// The handles in the current bucket.
    pub(super) handles: Option<&'a [Handle; BUCKET_SLOTS]>,
    pub(crate) condition: C,
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> Query<'a, T, P, S, D, R> {
    #[inline(always)]
    pub(crate) fn new(index: &'a SpatialIndex<T, S, D>, region: R) -> Self {
        let question = Question::new(index.space.grid(), region);
        let layers = if question.is_nowhere() { LayerSet::NONE } else { LayerSet::ALL };
        Self { index, question, scanner: Scanner::before(layers), handles: None, condition: () }
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C: Condition<T, S, D>>
    Query<'a, T, P, S, D, R, C>
{
    /// Restricts the query to a set of layers. Several calls keep only the layers in all sets.
    ///
    /// It does not visit the trees of other layers. After the first `next`, the restriction applies to the remaining
    /// results.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// index.insert(units, [5.0, 2.0], "unit")?;
    /// assert_eq!(index.intersecting([5.0, 2.0]).count(), 2);
    /// assert_eq!(index.intersecting([5.0, 2.0]).in_layers(!walls).count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(mut self, layers: impl Into<LayerSet>) -> Self {
        let layers = layers.into();
        self.scanner.restrict(layers);
        self
    }

    /// Excludes an object, or several: `.excluding([a, b])`. Several calls exclude the objects of all of them. After the
    /// first `next`, it applies to the remaining results.
    ///
    /// More than one take 4 bytes each.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert_eq!(index.within_distance([7.0, 50.0], 1.0).excluding(handles[7]).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn excluding(mut self, objects: impl IntoHandles) -> Self {
        let space = &self.index.space;
        self.question.excluded.add(objects.into_handles().filter_map(|object| space.place(object)));
        // Buckets that were read ahead are tested again.
        self.scanner.rewind(space);
        self.scanner.hits &= !self.question.excluded.bits_in(self.scanner.bucket);
        self
    }

    /// Asks in a world that wraps around: an object matches if one of its images does. Each object comes once, where it is
    /// stored. See [`Periodic`] for the objects that count, the limits and the cost.
    ///
    /// [`near`](SpatialIndex::near) tests its objects then, as [`intersecting`](SpatialIndex::intersecting) does. After the
    /// first `next`, the query begins again with the layer that it is in.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect, Segment};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert_batch(units, [([5.0, 5.0], 1), ([95.0, 95.0], 2)])?;
    /// let corner = Rect::new([-10.0, -10.0], [10.0, 10.0]);
    /// assert_eq!(index.intersecting(corner).count(), 1);
    /// assert_eq!(index.intersecting(corner).periodic(&torus).count(), 2);
    /// let diagonal = Segment::new([90.0, 90.0], [110.0, 110.0]);
    /// assert_eq!(index.intersecting(diagonal).periodic(&torus).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)]
    pub fn periodic(self, torus: &Periodic<S, D>) -> Query<'a, T, P::Wrapped, S, D, Wrapped<R, D>, C> {
        let Self { index, question, mut scanner, condition, .. } = self;
        scanner.begin_again();
        Query { index, question: question.wrapped(&torus.over(&index.space)), scanner, handles: None, condition }
    }

    /// Keeps the objects for which a function says `true`; if called again, all functions must. In contrast to
    /// [`filter`](Iterator::filter), the result is a query: it can be [grouped](Self::clusters), [paused](Self::pause), narrowed
    /// further, and shared by threads.
    ///
    /// The function is asked once about each object that the query comes to, before that is yielded or counted, at the same cost as
    /// in `filter`; so [`count`](Iterator::count) visits all objects. A [`Cursor`](crate::Cursor) keeps the function, and cannot be
    /// saved.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let even = index.iter().matching(|unit| unit.value() % 2 == 0);
    /// assert_eq!(even.clone().count(), 50);
    /// let first = even.clusters(10.0)?.find(|cluster| cluster.cell == [0, 5]).expect("there is one");
    /// assert_eq!((first.count, first.mean), (5, [4.0, 50.0])); // of 0, 2, 4, 6, 8
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn matching<F: Fn(ObjectRef<'_, T, S, D>) -> bool>(self, condition: F) -> Query<'a, T, P, S, D, R, (C, F)> {
        let Self { index, question, scanner, handles, condition: before } = self;
        Query { index, question, scanner, handles, condition: (before, condition) }
    }

    /// Which entries of a bucket, given by its first place, meet the conditions.
    #[inline]
    pub(crate) fn kept(&self, bucket: Place, hits: u64) -> u64 {
        if C::IS_NONE || hits == 0 {
            return hits;
        }
        let objects = positions(hits).zip(self.index.objects_in(bucket, hits));
        objects.fold(0, |kept, (at, object)| kept | u64::from(self.condition.holds(object)) << at)
    }

    /// Whether at least one object is left. Stops at the first one.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert!(index.intersecting([7.0, 50.0]).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "any")]
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.next().is_some()
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C: Condition<T, S, D>> Iterator
    for Query<'a, T, P, S, D, R, C>
{
    type Item = ObjectRef<'a, T, S, D>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while self.scanner.hits == 0 {
                let next = self.scanner.next_bucket(&self.question, &self.index.space)?;
                (self.scanner.bucket, self.scanner.hits) = next;
                self.handles = Some(self.index.space.trees.arena().handles(self.scanner.bucket));
            }
            let position = self.scanner.next_hit();
            let handle = self.handles?[usize::from(position) % BUCKET_SLOTS];
            let object = ObjectRef::new(self.index, self.scanner.bucket.at(position), handle);
            if self.condition.holds(object) {
                return Some(object);
            }
        }
    }

    fn fold<A, F: FnMut(A, Self::Item) -> A>(mut self, init: A, mut f: F) -> A {
        let (index, mut folded) = (self.index, init);
        self.scanner.batch.start_full();
        while let Some((bucket, hits)) = self.scanner.take_bucket(&self.question, &index.space) {
            for object in index.objects_in(bucket, hits).filter(|object| self.condition.holds(*object)) {
                folded = f(folded, object);
            }
        }
        folded
    }

    /// The number of remaining objects.
    ///
    /// It tests objects only at the edge of the region. It does not visit nodes and buckets inside, but adds their
    /// counters, unless the query has a [condition](Self::matching).
    fn count(self) -> usize {
        let counted = Cell::new(0);
        let add = |more| counted.set(counted.get() + more as usize);
        self.each_count(
            #[inline(always)]
            |_, _, len| {
                add(len);
                true
            },
            #[inline(always)]
            |_, hits| add(hits.count_ones()),
        );
        counted.get()
    }
}

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> FusedIterator for Query<'_, T, P, S, D, R> {}

impl<T, P: Clone, S: Scalar, const D: usize, R: Clone, C: Clone> Clone for Query<'_, T, P, S, D, R, C> {
    fn clone(&self) -> Self {
        Self { question: self.question.clone(), condition: self.condition.clone(), ..*self }
    }
}

impl<T, P, S: Scalar, const D: usize, R: fmt::Debug, C> fmt::Debug for Query<'_, T, P, S, D, R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("predicate", &format_args!("{}", name_of::<P>()))
            .field("region", &self.question.region)
            .field("layers_to_come", &self.scanner.layers)
            .finish_non_exhaustive()
    }
}
