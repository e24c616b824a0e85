//! The one loop that advances a scanner: walk the tree, collect a batch of buckets, test them, keep those with hits.
//!
//! The buckets of a batch are prefetched, so that the processor waits once for all of them.
//!
//! Keeps invariants Q3 to Q6 of `docs/invariants.md`.

use super::batch::BUCKETS;
use super::question::{Asked, Question, QuestionProbe};
use super::relation::Predicate;
use super::scanner::Scanner;
use crate::geometry::{Region, Scalar, Simd, with_vectors};
use crate::key::{BucketId, Place};
use crate::space::Space;
use crate::tree::{Arena, Visit, Walk};

impl Scanner {
    /// The next bucket with hits: its first place, and its hits. The caller may make it the current one.
    #[inline(always)]
    pub(super) fn next_bucket<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> Option<(Place, u64)> {
        loop {
            let next = self.batch.pop();
            if next.is_some() || self.is_over(question) || !self.fill::<false, _, _, _, _>(question, space) {
                return next;
            }
        }
    }

    /// Takes the hits that are left in the current bucket, or else all of the next one: for a caller who takes all.
    #[inline(always)]
    pub(crate) fn take_bucket<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> Option<(Place, u64)> {
        if self.hits == 0 { self.next_bucket(question, space) } else { Some(self.take_hits()) }
    }

    /// Advances to a batch with hits; `false` if nothing is left or no more visits are allowed.
    // Out of line, so that a loop over hits stays short.
    #[inline(never)]
    pub(crate) fn fill<const LIMITED: bool, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> bool {
        with_vectors!(self.level, |simd| self.advance::<LIMITED, _, _, _, _, D>(question, space, simd))
    }

    /// Advances, from layer to layer, to a batch with hits; `false` if nothing is left or no more visits are allowed.
    ///
    /// The user's region may panic, so the position in a tree changes only after the region has answered.
    #[inline(always)]
    fn advance<const LIMITED: bool, P: Predicate, R: Region<S, D>, V: Simd, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
        simd: V,
    ) -> bool {
        let arena = space.trees.arena();
        while !LIMITED || self.visits_left != 0 {
            // A new walk stays in registers.
            let mut begun = None;
            if self.is_passed() {
                let Some(walk) = self.begin_next(question, space) else { return false };
                if walk.is_over() {
                    continue;
                }
                if !R::IS_BOX {
                    // The region may panic.
                    self.walk = walk;
                }
                begun = Some(walk);
            }
            let probe = question.over(self.image, space.grid());
            let walk = begun.map_or(self.walk, |walk| walk.narrowed(arena, &probe));
            let collected = self.collect::<LIMITED, _, _, _, D>(arena, &probe, walk);
            self.test(arena, &probe.asked, collected.len, simd);
            (self.walk, self.chain, self.covered) = (collected.walk, collected.chain, collected.covered);
            if LIMITED {
                self.visits_left -= collected.nodes + collected.len;
            }
            if !self.batch.is_empty() {
                return true;
            }
        }
        false
    }

    /// Walks the current tree until the batch is full.
    #[inline(always)]
    fn collect<const LIMITED: bool, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        probe: &QuestionProbe<'_, P, R, S, D>,
        mut walk: Walk,
    ) -> Collected {
        let (mut chain, mut covered) = (self.chain, self.covered);
        let (batch, visits_max) = (&mut self.batch, self.visits_left);
        let room = batch.begin::<LIMITED>();
        let (mut nodes, mut len) = (0, 0);
        let goes_on =
            |walk: &Walk, nodes: usize, len: usize| room.is_left(len, walk) && (!LIMITED || nodes + len < visits_max);
        let next_of = |bucket| probe.asked.next_in_crowd(arena, bucket);
        let mut is_open = true;
        if let Some(rest) = chain {
            chain = batch.add_chain(arena, rest, covered, next_of, &mut len, |len| goes_on(&walk, nodes, len));
            is_open = goes_on(&walk, nodes, len);
        }
        if is_open {
            walk.go(
                arena,
                probe,
                |_| true,
                #[inline(always)]
                |walk, visit| {
                    match visit {
                        Visit::Node(_) => nodes += 1,
                        Visit::Chain { first, covered: is_covered } => {
                            covered = is_covered;
                            chain = batch
                                .add_chain(arena, first, covered, next_of, &mut len, |len| goes_on(walk, nodes, len));
                        }
                    }
                    goes_on(walk, nodes, len)
                },
            );
        }
        Collected { walk, chain, covered, nodes, len }
    }

    /// Tests the collected buckets and keeps those with hits.
    #[inline(always)]
    fn test<P: Predicate, R: Region<S, D>, V: Simd, S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        asked: &Asked<'_, P, R, S, D>,
        len: usize,
        simd: V,
    ) {
        let batch = &mut self.batch;
        let mut kept = 0;
        for position in 0..len.min(BUCKETS) {
            let (bucket, covered) = (batch.buckets[position], batch.hits[position] != 0);
            let hits = asked.matches(arena, bucket.bucket(), covered, simd);
            (batch.buckets[kept % BUCKETS], batch.hits[kept % BUCKETS]) = (bucket, hits);
            kept += usize::from(hits != 0);
        }
        batch.len = kept as u8;
        if !asked.question.excluded.is_empty() {
            batch.exclude(&asked.question.excluded);
        }
    }
}

/// How far a walk has come when the batch is full.
struct Collected {
    /// The rest of the walk, as in the scanner.
    walk: Walk,
    chain: Option<BucketId>,
    covered: bool,
    /// The number of nodes.
    nodes: usize,
    /// The number of buckets.
    len: usize,
}
