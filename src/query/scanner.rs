//! The position of a region query, and the one loop that advances it: walk the tree, collect a batch of buckets, test
//! them, keep those with hits.
//!
//! `next`, `fold`, `count`, paused queries and parallel ones all use it. Its state is plain data and borrows nothing. The
//! buckets of a batch are prefetched, so that the processor waits once for all of them.
//!
//! Keeps invariants Q3 to Q6 of `docs/invariants.md`.

use super::batch::{BUCKETS, Batch};
use super::question::{Asked, Question, QuestionProbe};
use super::relation::Predicate;
use crate::geometry::{Level, Region, Scalar, Simd, level, with_vectors};
use crate::key::{BucketId, Excluded, LayerSet, NodeId, Place};
use crate::space::Space;
use crate::tree::{Arena, TreeId, Visit, Walk};

/// The position of a region query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner {
    /// The requested layers not yet begun.
    pub(crate) layers: LayerSet,
    pub(crate) tree: TreeId,
    /// Whether the layer has more trees.
    has_more: bool,
    /// The image of the region that the walk looks for.
    pub(crate) image: u16,
    pub(crate) walk: Walk,
    /// The rest of the chain that the walk has reached.
    pub(crate) chain: Option<BucketId>,
    /// Whether all entries of the chain match without a test.
    pub(super) covered: bool,
    batch: Batch,
    /// The first place in the current bucket.
    pub(crate) bucket: Place,
    /// The matches in the current bucket still to be yielded, as bits.
    pub(crate) hits: u64,
    /// The number of nodes and buckets that may still be visited. At 0 the scanner stops.
    pub(crate) visits_left: usize,
    pub(crate) level: Level,
}

impl Scanner {
    /// A scanner before the first tree of some layers.
    #[inline(always)]
    pub(crate) fn before(layers: LayerSet) -> Self {
        Self {
            layers,
            tree: TreeId::NONE,
            has_more: false,
            image: 0,
            walk: Walk::NOWHERE,
            chain: None,
            covered: false,
            batch: Batch::EMPTY,
            bucket: Place::NONE,
            hits: 0,
            visits_left: usize::MAX,
            level: level(),
        }
    }

    /// Goes to a tree, with a walk over the rest of it.
    #[inline(always)]
    pub(crate) fn enter<S: Scalar, const D: usize>(&mut self, space: &Space<S, D>, tree: TreeId, walk: Walk) {
        (self.tree, self.walk) = (tree, walk);
        self.has_more = space.trees.next_of_layer(tree).is_some();
    }

    /// Goes to the root of the tree in the next image, or of the next tree, in this layer or the next one. Returns the walk
    /// from there; `None` if there is no tree left.
    #[inline(always)]
    pub(super) fn begin_next<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> Option<Walk> {
        if self.has_more_images(question) {
            self.image += 1;
            self.walk = Walk::from_root(space.trees.root(self.tree));
            return Some(self.walk);
        }
        let of_layer = if self.has_more { space.trees.next_of_layer(self.tree) } else { None };
        let next = of_layer.or_else(|| space.next_layer_tree(&mut self.layers))?;
        let walk = Walk::from_root(space.trees.root(next));
        self.enter(space, next, walk);
        self.image = 0;
        Some(walk)
    }

    /// Whether the question is to be asked in further images of the tree.
    #[inline(always)]
    fn has_more_images<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &self,
        question: &Question<P, R, S, D>,
    ) -> bool {
        R::WRAPS && self.tree != TreeId::NONE && usize::from(self.image) + 1 < question.images()
    }

    /// Begins again with the layer that the scanner is in.
    #[inline]
    pub(super) fn begin_again(&mut self) {
        if self.tree != TreeId::NONE {
            *self = Self::before(self.layers | LayerSet::of_number(self.tree.layer));
        }
    }

    /// Drops all layers but some.
    pub(super) fn restrict(&mut self, layers: LayerSet) {
        self.layers = self.layers & layers;
        if !layers.has(self.tree.layer) {
            (self.tree, self.has_more) = (TreeId::NONE, false);
            (self.walk, self.chain, self.hits) = (Walk::NOWHERE, None, 0);
            self.batch.clear();
        }
    }

    /// Drops the hits in the current bucket that are excluded by now.
    pub(super) fn exclude(&mut self, excluded: &Excluded<Place>) {
        self.hits &= !excluded.bits_in(self.bucket);
    }

    /// Starts with full batches, because the caller will take all hits.
    #[inline]
    pub(super) fn use_full_batches(&mut self) {
        self.batch.start_full();
    }

    /// Takes one bucket at a time, because the caller will stop at the first hit.
    pub(crate) fn use_no_batches(&mut self) {
        self.batch.stay_single();
    }

    /// Whether the walk through the tree is over. Buckets that it has passed may still be in the batch.
    #[inline(always)]
    fn is_passed(&self) -> bool {
        self.walk.is_over() && self.chain.is_none()
    }

    /// Whether nothing is left in the layer.
    pub(crate) fn is_layer_over<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &self,
        question: &Question<P, R, S, D>,
    ) -> bool {
        let is_more = self.has_more || self.has_more_images(question);
        self.is_passed() && !is_more && self.hits == 0 && self.batch.is_empty()
    }

    /// Whether nothing is left after the batch.
    #[inline(always)]
    pub(crate) fn is_over<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &self,
        question: &Question<P, R, S, D>,
    ) -> bool {
        self.layers.is_empty() && self.is_passed() && !self.has_more && !self.has_more_images(question)
    }

    /// The position of the next hit in the current bucket, which must have one.
    #[inline(always)]
    pub(crate) fn next_hit(&mut self) -> u8 {
        let position = self.hits.trailing_zeros() as u8;
        self.hits &= self.hits.wrapping_sub(1);
        position
    }

    /// The first place in the current bucket, and all of its remaining hits.
    #[inline(always)]
    pub(super) fn take_hits(&mut self) -> (Place, u64) {
        (self.bucket, core::mem::take(&mut self.hits))
    }

    /// Goes to the next bucket of the batch; `false` if there is none.
    #[inline(always)]
    pub(crate) fn next_in_batch(&mut self) -> bool {
        let next = self.batch.pop();
        if let Some(next) = next {
            (self.bucket, self.hits) = next;
        }
        next.is_some()
    }

    /// Goes to the next bucket with hits; `false` if there is none.
    #[inline(always)]
    pub(super) fn next_bucket<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> bool {
        while !self.next_in_batch() {
            if self.is_over(question) || !self.fill::<false, _, _, _, _>(question, space) {
                return false;
            }
        }
        true
    }

    /// Undoes the look-ahead: nothing after the current bucket counts as begun.
    pub(crate) fn rewind<S: Scalar, const D: usize>(&mut self, space: &Space<S, D>) {
        if !self.batch.is_empty() {
            let bucket = self.bucket.bucket();
            let arena = space.trees.arena();
            self.walk = Walk::after_chain(arena, space.trees.root(self.tree), bucket);
            self.chain = arena.next_in_chain(bucket);
            // It may belong to a later chain.
            self.covered = false;
            self.batch.clear();
        }
    }

    /// Advances to a batch with hits; `false` if nothing is left or no more visits are allowed.
    // Out of line, so that a loop over hits stays short.
    #[inline(never)]
    pub(crate) fn fill<const LIMITED: bool, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> bool {
        with_vectors!(self.level, |simd| self.advance::<false, LIMITED, _, _, _, _, D>(question, space, simd, &mut 0))
    }

    /// The number of remaining matches.
    #[inline(never)]
    pub(super) fn count<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> usize {
        let mut counted = self.hits.count_ones() as usize;
        while self.next_in_batch() {
            counted += self.hits.count_ones() as usize;
        }
        self.hits = 0;
        self.use_full_batches();
        if question.excluded.is_several() || question.images() != 1 {
            return counted + self.count_each(question, space);
        }
        let count = &mut counted;
        with_vectors!(self.level, |simd| self.advance::<true, false, _, _, _, _, D>(question, space, simd, count));
        counted
    }

    /// The number of remaining matches after the batch, without counters.
    #[cold]
    #[inline(never)]
    fn count_each<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> usize {
        let mut counted = 0;
        while self.next_bucket(question, space) {
            counted += self.take_hits().1.count_ones() as usize;
        }
        counted
    }

    /// Advances, from tree to tree, to a batch with hits; `false` if nothing is left or no more visits are allowed.
    ///
    /// With `COUNTS` it goes on to the end, and adds the number of hits to `count`.
    ///
    /// The user's region may panic, so the position in a tree changes only after the region has answered.
    #[inline(always)]
    fn advance<
        const COUNTS: bool,
        const LIMITED: bool,
        P: Predicate,
        R: Region<S, D>,
        V: Simd,
        S: Scalar,
        const D: usize,
    >(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
        simd: V,
        count: &mut usize,
    ) -> bool {
        let arena = space.trees.arena();
        while !LIMITED || self.visits_left != 0 {
            // A new walk stays in registers.
            let begun = if self.is_passed() {
                let Some(begun) = self.begin_next(question, space) else { return false };
                if begun.is_over() {
                    continue;
                }
                Some(begun)
            } else {
                None
            };
            let probe = question.over(self.image, space.trees.tree_grid(self.tree));
            let walk = begun.map_or(self.walk, |walk| walk.narrowed(arena, &probe));
            let collected = self.collect::<COUNTS, LIMITED, _, _, _, D>(arena, &probe, walk);
            if COUNTS {
                *count += collected.counted + self.count_hits(arena, &probe.asked, collected.len, simd);
            } else {
                self.test(arena, &probe.asked, collected.len, simd);
            }
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
    fn collect<const COUNTS: bool, const LIMITED: bool, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        probe: &QuestionProbe<'_, P, R, S, D>,
        mut walk: Walk,
    ) -> Collected {
        let (mut chain, mut covered) = (self.chain, self.covered);
        let excluded = probe.asked.question.excluded.least();
        let (batch, visits_max) = (&mut self.batch, self.visits_left);
        let room = batch.begin::<LIMITED>();
        let (mut nodes, mut len, mut in_nodes, mut in_chains) = (0, 0, 0, 0);
        let goes_on =
            |walk: &Walk, nodes: usize, len: usize| room.is_left(len, walk) && (!LIMITED || nodes + len < visits_max);
        let mut is_open = true;
        if let Some(rest) = chain {
            chain = batch.add_chain(arena, rest, covered, &mut len, |len| goes_on(&walk, nodes, len));
            is_open = goes_on(&walk, nodes, len);
        }
        if is_open {
            walk.go(
                arena,
                probe,
                #[inline(always)]
                |child| {
                    if COUNTS {
                        in_nodes += arena.node(child).len as usize - usize::from(has_below(arena, child, excluded));
                    }
                    !COUNTS
                },
                #[inline(always)]
                |walk, visit| {
                    match visit {
                        Visit::Node(_) => nodes += 1,
                        Visit::Chain { first, covered: is_covered } => {
                            if COUNTS && (is_covered || !P::TESTED) && excluded == Place::NONE {
                                in_chains += arena.total(first) as usize;
                                return true;
                            }
                            covered = is_covered;
                            chain = batch.add_chain(arena, first, covered, &mut len, |len| goes_on(walk, nodes, len));
                        }
                    }
                    goes_on(walk, nodes, len)
                },
            );
        }
        Collected { walk, chain, covered, nodes, len, counted: in_nodes + in_chains }
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

    /// The number of hits in the collected buckets.
    #[inline(always)]
    fn count_hits<P: Predicate, R: Region<S, D>, V: Simd, S: Scalar, const D: usize>(
        &self,
        arena: &Arena<S, D>,
        asked: &Asked<'_, P, R, S, D>,
        len: usize,
        simd: V,
    ) -> usize {
        let mut counted = 0;
        for position in 0..len.min(BUCKETS) {
            let (bucket, covered) = (self.batch.buckets[position], self.batch.hits[position] != 0);
            let hits = asked.matches(arena, bucket.bucket(), covered, simd);
            counted += (hits & !asked.question.excluded.bits_in(bucket)).count_ones() as usize;
        }
        counted
    }
}

/// What a walk has come to until the batch was full.
struct Collected {
    /// The rest of the walk, as in the scanner.
    walk: Walk,
    chain: Option<BucketId>,
    covered: bool,
    /// The number of nodes.
    nodes: usize,
    /// The number of buckets.
    len: usize,
    /// The number of objects that need no test.
    counted: usize,
}

/// Whether the entry at a place, if there is one, is stored in or below a node.
#[inline]
fn has_below<S: Scalar, const D: usize>(arena: &Arena<S, D>, node: NodeId, place: Place) -> bool {
    place != Place::NONE && arena.is_below(place.bucket(), node)
}

#[cfg(test)]
mod tests;
