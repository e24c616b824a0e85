//! Region queries on several threads: the parallel iterator that `into_par_iter` returns.
//!
//! One thread walks the trees and lists the buckets that the region meets. Then all threads test and yield. Keeps Q3 of
//! `docs/invariants.md` across threads.

use alloc::vec::Vec;
use core::fmt;

use rayon::iter::plumbing::{Folder, UnindexedConsumer};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::iterator::Query;
use super::matching::Condition;
use super::question::Question;
use super::relation::{Predicate, name_of};
use super::rest::{Met, each_chain};
use super::scanner::Scanner;
use crate::geometry::{Rect, Region, Scalar};
use crate::index::ObjectRef;
use crate::key::Place;
use crate::space::Space;
use crate::threads::{drive, parts_of};

/// The parallel form of [`Query`], for one large region. `into_par_iter` of rayon's `IntoParallelIterator` returns it.
///
/// It yields the same objects; collected, they are in the same order. It pays off if there is work to do for each of
/// many objects, or if the region is slow to test. One thread first lists the buckets that the region meets, in 12
/// bytes for each 64 objects. Then all threads share the tests and the objects.
///
/// Many small queries need no parallel iterator: an index is `Sync`, so share out the *queries*.
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
pub struct ParQuery<'a, T, P, S = f32, const D: usize = 2, R = Rect<S, D>, C = ()>(Query<'a, T, P, S, D, R, C>);

/// All remaining buckets, including the rest of the current chain.
pub(crate) fn list_rest<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
    question: &Question<P, R, S, D>,
    scanner: &Scanner,
    space: &Space<S, D>,
) -> Vec<Met> {
    let (mut list, arena) = (Vec::new(), space.trees.arena());
    each_chain(
        question,
        *scanner,
        space,
        |_| true,
        |probe, met| {
            let buckets = arena.chain_meeting(Some(met.bucket), probe.asked.window());
            list.extend(buckets.map(|bucket| Met { bucket, ..met }));
        },
    );
    list
}

impl<'a, T, P, S, const D: usize, R, C> ParallelIterator for ParQuery<'a, T, P, S, D, R, C>
where
    T: Sync,
    P: Predicate + Send + Sync,
    S: Scalar,
    R: Region<S, D> + Send + Sync,
    C: Condition<T, S, D> + Send + Sync,
{
    type Item = ObjectRef<'a, T, S, D>;

    fn drive_unindexed<U: UnindexedConsumer<Self::Item>>(self, consumer: U) -> U::Result {
        let Query { index, question, mut scanner, condition, .. } = self.0;
        let consume = |bucket: Place, hits: u64, folder: U::Folder| {
            folder.consume_iter(index.objects_in(bucket, hits).filter(|object| condition.holds(*object)))
        };
        let (begun, level) = (scanner.begin_anew(&index.space), scanner.level);
        let list = list_rest(&question, &scanner, &index.space);
        drive(
            parts_of(0..list.len()),
            consumer,
            || (),
            |(), part, mut folder| {
                if part.start == 0 {
                    folder = consume(begun.0, begun.1, folder);
                }
                for &met in &list[part] {
                    if folder.full() {
                        break;
                    }
                    let hits = met.hits(&question.in_image(met.image), &index.space, level);
                    folder = consume(Place::new(met.bucket, 0), hits, folder);
                }
                folder
            },
        )
    }
}

impl<'a, T, P, S, const D: usize, R, C> IntoParallelIterator for Query<'a, T, P, S, D, R, C>
where
    T: Sync,
    S: Scalar,
    ParQuery<'a, T, P, S, D, R, C>: ParallelIterator<Item = ObjectRef<'a, T, S, D>>,
{
    type Item = ObjectRef<'a, T, S, D>;
    type Iter = ParQuery<'a, T, P, S, D, R, C>;

    fn into_par_iter(self) -> Self::Iter {
        ParQuery(self)
    }
}

impl<T, P: Clone, S: Scalar, const D: usize, R: Clone, C: Clone> Clone for ParQuery<'_, T, P, S, D, R, C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T, P, S: Scalar, const D: usize, R: fmt::Debug, C> fmt::Debug for ParQuery<'_, T, P, S, D, R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParQuery").field("predicate", &format_args!("{}", name_of::<P>())).finish_non_exhaustive()
    }
}
