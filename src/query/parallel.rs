//! Region queries on several threads: the parallel iterator that `into_par_iter` returns.
//!
//! One thread walks and lists the buckets that the region meets; then all of them test and yield. It knows nothing of
//! what is done with an object. Keeps Q3 of `docs/invariants.md` across threads.

use alloc::vec::Vec;
use core::fmt;

use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Query;
use super::question::Question;
use super::relation::{Predicate, name_of};
use super::running::{Advance, Running};
use super::visitor::Visitor;
use crate::geometry::{Level, Rect, Region, Scalar, Simd, Vectorized, dispatch};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{BucketId, Kind, LayerSet, Place};
use crate::space::Space;
use crate::tree::{Arena, Bucket, positions, with_trees};

/// The parallel form of [`Query`], for one large region. `into_par_iter`, of rayon's `IntoParallelIterator`, returns it.
///
/// It yields the same objects; collected, they are in the same order. It pays where there is work to be done for each of
/// many objects, or where the region is slow to test. One thread lists the buckets that the region meets first, in 12
/// bytes for each 64 objects; to test and to yield is shared out.
///
/// Many small queries need nothing of this kind: an index is `Sync`, so share the *questions* out.
///
/// ```
/// use quadrille::{Quadtree, Rect};
/// use rayon::prelude::*;
///
/// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// index.insert_batch(units, (0..100_u8).map(|x| ([f32::from(x), 50.0], f32::from(x))))?;
///
/// // One large question.
/// let view = Rect::new([0.0, 0.0], [100.0, 100.0]);
/// let sum: f32 = index.intersecting(view).into_par_iter().map(|unit| unit.value().sqrt()).sum();
/// assert_eq!(sum.round(), 661.0);
///
/// // Many small ones; the answers come in the order of the questions.
/// let counts: Vec<usize> = (0..10_u8)
///     .into_par_iter()
///     .map(|x| index.within_distance([f32::from(x) * 10.0, 50.0], 2.0).count())
///     .collect();
/// assert_eq!(counts, [3, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct ParQuery<'a, T, P, S = f32, const D: usize = 2, R = Rect<S, D>>(Query<'a, T, P, S, D, R>);

/// A bucket that the region meets, by its first place, and the entries that may match: all, or those left.
#[derive(Clone, Copy, Debug)]
struct Met {
    bucket: Place,
    covered: bool,
}

/// Lists the buckets that a walk comes to.
struct Listing<'l, B, const D: usize> {
    arena: &'l Arena<B, D>,
    list: &'l mut Vec<Met>,
}

impl<B: Bucket<D>, const D: usize> Listing<'_, B, D> {
    fn chain(&mut self, first: BucketId, covered: bool) {
        let met = |bucket| Met { bucket: Place::new(B::KIND, bucket, 0), covered };
        self.list.extend(self.arena.chain(Some(first)).map(met));
    }
}

impl<B: Bucket<D>, const D: usize> Visitor for Listing<'_, B, D> {
    fn matches(&self, _: BucketId, _: bool) -> u64 {
        unreachable!("no bucket is visited")
    }

    fn takes(&mut self, first: BucketId, covered: bool) -> bool {
        self.chain(first, covered);
        true
    }
}

/// All buckets that are still to come, the rest of the chain at hand included.
fn list_rest<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
    question: &Question<P, R, S, D>,
    mut layers: LayerSet,
    mut running: Running,
    space: &Space<S, D>,
) -> Vec<Met> {
    let mut list = Vec::new();
    loop {
        with_trees!(space.forest, running.tree.kind, |trees| {
            let mut listing = Listing { arena: trees.arena(), list: &mut list };
            if let Some(rest) = running.chain.take() {
                listing.chain(rest, running.covered);
            }
            let probe = question.over(trees.tree_grid(running.tree.layer, running.tree.grid));
            let end = running.advance(trees.arena(), &probe, &mut listing);
            debug_assert_eq!(end, Advance::End, "nothing is found on the way");
        });
        if !running.begin_next(space, &mut layers) {
            return list;
        }
    }
}

/// The matches in a bucket, with the vectors of the processor.
struct MatchesIn<'q, P, R, S, const D: usize> {
    question: &'q Question<P, R, S, D>,
    space: &'q Space<S, D>,
    met: Met,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Vectorized for MatchesIn<'_, P, R, S, D> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> u64 {
        let Met { bucket, covered } = self.met;
        match bucket.kind() {
            Kind::Points => self.question.matches(self.space.forest.points.arena(), bucket.bucket(), covered, simd),
            Kind::Rects => self.question.matches(self.space.forest.rects.arena(), bucket.bucket(), covered, simd),
        }
    }
}

/// A part of the list.
struct Share<'q, 'a, T, P, R, S, const D: usize> {
    index: &'a SpatialIndex<T, S, D>,
    question: &'q Question<P, R, S, D>,
    /// The bucket at hand, and its matches that are left.
    begun: (Place, u64),
    list: &'q [Met],
    excluded: Place,
    level: Level,
}

impl<'a, T, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Share<'_, 'a, T, P, R, S, D> {
    fn matches_in(&self, met: Met) -> u64 {
        let asked = MatchesIn { question: self.question, space: &self.index.space, met };
        dispatch(self.level, asked) & !self.excluded.bit_in(met.bucket)
    }

    fn consume<F: Folder<ObjectRef<'a, T, S, D>>>(&self, bucket: Place, hits: u64, folder: F) -> F {
        if hits == 0 {
            return folder;
        }
        let handles = self.index.space.forest.handles(bucket);
        let object = |position: u8| ObjectRef::new(self.index, bucket.at(position), handles[usize::from(position)]);
        folder.consume_iter(positions(hits).map(object))
    }
}

impl<'a, T, P, R, S, const D: usize> UnindexedProducer for Share<'_, 'a, T, P, R, S, D>
where
    T: Sync,
    P: Predicate + Sync,
    R: Region<S, D> + Sync,
    S: Scalar,
{
    type Item = ObjectRef<'a, T, S, D>;

    fn split(mut self) -> (Self, Option<Self>) {
        let (list, rest) = self.list.split_at(self.list.len() / 2);
        if list.is_empty() {
            return (self, None);
        }
        self.list = list;
        let second = Self { begun: (Place::NONE, 0), list: rest, ..self };
        (self, Some(second))
    }

    fn fold_with<F: Folder<Self::Item>>(self, mut folder: F) -> F {
        let (bucket, hits) = self.begun;
        folder = self.consume(bucket, hits, folder);
        for &met in self.list {
            if folder.full() {
                break;
            }
            folder = self.consume(met.bucket, self.matches_in(met), folder);
        }
        folder
    }
}

impl<'a, T, P, S, const D: usize, R> ParallelIterator for ParQuery<'a, T, P, S, D, R>
where
    T: Sync,
    P: Predicate + Send + Sync,
    S: Scalar,
    R: Region<S, D> + Send + Sync,
{
    type Item = ObjectRef<'a, T, S, D>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let index = self.0.index();
        let (question, layers, mut running) = self.0.into_parts();
        running.rewind(&index.space);
        let (begun, excluded, level) = (running.take_hits(), running.excluded, running.level);
        let list = list_rest(&question, layers, running, &index.space);
        bridge_unindexed(Share { index, question: &question, begun, list: &list, excluded, level }, consumer)
    }
}

impl<'a, T, P, S, const D: usize, R> IntoParallelIterator for Query<'a, T, P, S, D, R>
where
    T: Sync,
    P: Predicate + Send + Sync,
    S: Scalar,
    R: Region<S, D> + Send + Sync,
{
    type Item = ObjectRef<'a, T, S, D>;
    type Iter = ParQuery<'a, T, P, S, D, R>;

    fn into_par_iter(self) -> Self::Iter {
        ParQuery(self)
    }
}

impl<T, P: Clone, S: Scalar, const D: usize, R: Clone> Clone for ParQuery<'_, T, P, S, D, R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T, P, S: Scalar, const D: usize, R: fmt::Debug> fmt::Debug for ParQuery<'_, T, P, S, D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParQuery").field("predicate", &format_args!("{}", name_of::<P>())).finish_non_exhaustive()
    }
}
