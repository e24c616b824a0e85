//! The rest of a query, chain by chain: for those that do not take it hit by hit.

use super::iterator::Query;
use super::matching::Condition;
use super::question::{Asked, Question, QuestionProbe};
use super::relation::Predicate;
use super::scanner::Scanner;
use crate::geometry::{Level, Rect, Region, Scalar, with_vectors};
use crate::grid::Block;
use crate::key::{BucketId, NodeId, Place};
use crate::space::Space;
use crate::tree::{Probe, Visit, Walk};

/// A bucket that a query meets, or a chain of them from there on.
#[derive(Clone, Copy)]
pub(crate) struct Met {
    pub(crate) bucket: BucketId,
    /// Whether it is the first of its chain.
    pub(crate) is_first: bool,
    /// Whether all its entries match without a test.
    pub(crate) covered: bool,
    /// In which image.
    #[cfg_attr(not(feature = "rayon"), expect(dead_code, reason = "one thread knows the image that it is in"))]
    pub(crate) image: u16,
}

impl Met {
    /// The entries of the bucket that match.
    #[inline(never)]
    pub(crate) fn hits<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        self,
        asked: &Asked<'_, P, R, S, D>,
        space: &Space<S, D>,
        level: Level,
    ) -> u64 {
        let arena = space.trees.arena();
        let hits = with_vectors!(level, |simd| asked.matches(arena, self.bucket, self.covered, simd));
        hits & !asked.question.excluded.bits_in(Place::new(self.bucket, 0))
    }
}

impl<T, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize, C: Condition<T, S, D>> Query<'_, T, P, S, D, R, C> {
    /// A box around all that is left; infinite where that may stick out of the world.
    pub(crate) fn surroundings(&self) -> Rect<S, D> {
        if !P::TESTED || R::WRAPS {
            return Rect::everything();
        }
        let (grid, reach) = (self.index.space.grid(), self.index.space.trees.reach());
        grid.bounds(&self.question.over(0, grid).anchors(reach).stretched(reach))
    }

    /// Tells of all that is left: of nodes and chains that match as a whole by their counters, if `add` takes them, and of the
    /// others bucket by bucket.
    pub(crate) fn each_count(&self, add: impl Fn(&Block<D>, u32, u32) -> bool, each: impl Fn(Place, u64)) {
        let (space, question, mut scanner) = (&self.index.space, &self.question, self.scanner);
        let ((bucket, hits), arena) = (scanner.begin_anew(space), space.trees.arena());
        each(bucket, self.kept(bucket, hits));
        // An object that is left out, or matches in several images, is in the counters all the same.
        let by_counters = C::IS_NONE && !question.excluded.is_several() && question.images() == 1;
        let excluded = question.excluded.least();
        // For the counting of bits.
        with_vectors!(scanner.level, |_simd| each_chain(
            question,
            scanner,
            space,
            #[inline(always)]
            |child| {
                let has_excluded = || excluded != Place::NONE && arena.is_below(excluded.bucket(), child);
                let node = arena.node(child);
                !by_counters || has_excluded() || !add(&node.block(), arena.reach_of(node), node.len)
            },
            #[inline(always)]
            |probe, met| {
                let (head, is_whole) = (arena.head(met.bucket), met.is_first && (met.covered || !P::TESTED));
                let by_counters = by_counters && is_whole && excluded == Place::NONE;
                if !by_counters || !add(&head.block, head.reach, arena.total(met.bucket)) {
                    for bucket in arena.chain_meeting(Some(met.bucket), probe.asked.window()) {
                        let hits = Met { bucket, ..met }.hits(&probe.asked, space, scanner.level);
                        each(Place::new(bucket, 0), self.kept(Place::new(bucket, 0), hits));
                    }
                }
            },
        ));
    }
}

/// Goes through all chains that are left, including the rest of the current one. Enters a child whose objects all match only
/// if `enters` returns `true`.
#[inline(always)]
pub(super) fn each_chain<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
    question: &Question<P, R, S, D>,
    mut scanner: Scanner,
    space: &Space<S, D>,
    mut enters: impl FnMut(NodeId) -> bool,
    mut each: impl FnMut(&QuestionProbe<'_, P, R, S, D>, Met),
) {
    let arena = space.trees.arena();
    loop {
        let begun = if scanner.is_passed() { scanner.begin_next(question, space) } else { None };
        if scanner.is_passed() && begun.is_none() {
            return;
        }
        let (probe, image) = (question.over(scanner.image, space.grid()), scanner.image);
        if let Some(bucket) = scanner.chain.take() {
            each(&probe, Met { bucket, is_first: false, covered: scanner.covered, image });
        }
        let mut walk = begun.map_or(scanner.walk, |walk| walk.narrowed(arena, &probe));
        scanner.walk = Walk::NOWHERE;
        walk.go(
            arena,
            &probe,
            &mut enters,
            #[inline(always)]
            |_, visit| {
                if let Visit::Chain { first, covered } = visit {
                    each(&probe, Met { bucket: first, is_first: true, covered, image });
                }
                true
            },
        );
    }
}
