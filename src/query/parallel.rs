//! Region queries on several threads.
//!
//! One thread walks the trees and lists the buckets that the region meets. Then all threads test and yield. Keeps Q3 of
//! `docs/invariants.md` across threads.

use alloc::vec::Vec;

use rayon::iter::plumbing::{Folder, UnindexedConsumer};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::iterator::Query;
use super::matching::Condition;
use super::question::Question;
use super::relation::Predicate;
use super::rest::{Met, each_chain};
use super::scanner::Scanner;
use crate::geometry::{Region, Scalar};
use crate::index::ObjectRef;
use crate::key::Place;
use crate::space::Space;
use crate::threads::{Par, drive, parts_of};

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

impl<'a, T, P, S, const D: usize, R, C> ParallelIterator for Par<Query<'a, T, P, S, D, R, C>>
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
    Par<Self>: ParallelIterator<Item = ObjectRef<'a, T, S, D>>,
{
    type Item = ObjectRef<'a, T, S, D>;
    type Iter = Par<Self>;

    fn into_par_iter(self) -> Self::Iter {
        Par(self)
    }
}
