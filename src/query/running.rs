//! The position of a running query in the tree at hand, and the way to the next bucket with hits.
//!
//! It is plain data that borrows nothing. It does not know how a query is paused: a [`Visitor`] does what is to be done
//! at each visit. Keeps invariants Q3 and Q4 of `docs/invariants.md`.

use super::batch::Batch;
use super::visitor::Visitor;
use crate::geometry::{Level, Scalar, level};
use crate::key::{BucketId, LayerSet, Place};
use crate::space::Space;
use crate::tree::{Arena, Bucket, Probe, TreeId, Visit, Walk, with_trees};

/// The position of a query in a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub(crate) tree: TreeId,
    /// Whether the layer has more trees.
    has_more: bool,
    pub(crate) walk: Walk,
    /// The rest of the chain to which the walk has come.
    pub(crate) chain: Option<BucketId>,
    /// Whether all entries of the chain match untested.
    pub(super) covered: bool,
    /// The buckets that the walk has passed and that have not been begun.
    pub(super) batch: Batch,
    /// The first place in the bucket at hand.
    bucket: Place,
    /// The bucket's matches that are still to be yielded, as bits.
    hits: u64,
    /// The place of the excluded object; nowhere if there is none.
    pub(crate) excluded: Place,
    pub(crate) level: Level,
}

/// The outcome of advancing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    /// The query has found buckets with hits.
    Hits,
    /// The budget is spent.
    Spent,
    /// Nothing is left in the tree.
    End,
}

impl Running {
    /// A position in no tree.
    #[inline(always)]
    pub(crate) fn nowhere() -> Self {
        Self::over(TreeId::NONE, Walk::NOWHERE, Place::NONE)
    }

    /// A position in a tree, with a walk over the part of it that is to come.
    #[inline(always)]
    pub(crate) fn over(tree: TreeId, walk: Walk, excluded: Place) -> Self {
        Self {
            tree,
            has_more: false,
            walk,
            chain: None,
            covered: false,
            batch: Batch::EMPTY,
            bucket: Place::NONE,
            hits: 0,
            excluded,
            level: level(),
        }
    }

    /// Moves on to the root of the next tree, of the layer at hand or of the next of `layers`; `false` if there is none.
    #[inline(always)]
    pub(crate) fn begin_next<S: Scalar, const D: usize>(&mut self, space: &Space<S, D>, layers: &mut LayerSet) -> bool {
        let Some(next) = space.next_tree(self.tree, layers) else { return false };
        (self.tree, self.walk) = (next, Walk::from_root(space.forest.root(next)));
        self.has_more = space.forest.next_of_layer(next).is_some();
        true
    }

    pub(crate) fn leave(&mut self) {
        (self.tree, self.has_more) = (TreeId::NONE, false);
        (self.walk, self.chain, self.hits) = (Walk::NOWHERE, None, 0);
        self.batch.clear();
    }

    /// Whether the walk through the tree is over. Buckets that it has passed may still be in the batch.
    #[inline(always)]
    pub(super) fn is_passed(&self) -> bool {
        self.walk.is_over() && self.chain.is_none()
    }

    /// Whether nothing is left in the layer.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.is_passed() && self.hits == 0 && self.batch.is_empty() && !self.has_more
    }

    pub(crate) fn exclude(&mut self, object: Option<Place>) {
        self.excluded = object.unwrap_or(Place::NONE);
        self.hits &= !self.excluded.bit_in(self.bucket);
    }

    /// Tells that all hits will be asked for.
    #[inline]
    pub(super) fn hurry(&mut self) {
        self.batch.hurry();
    }

    /// The first place of the bucket at hand.
    #[inline]
    pub(crate) fn bucket(&self) -> Place {
        self.bucket
    }

    /// Whether the bucket at hand has hits left.
    #[inline]
    pub(crate) fn has_hits(&self) -> bool {
        self.hits != 0
    }

    /// Turns to the next bucket of the batch; `false` if there is none.
    #[inline(always)]
    pub(crate) fn next_bucket(&mut self) -> bool {
        let next = self.batch.pop();
        if let Some(next) = next {
            (self.bucket, self.hits) = next;
        }
        next.is_some()
    }

    /// The place of the next hit in the bucket at hand, which must have one.
    #[inline(always)]
    pub(crate) fn next_hit(&mut self) -> Place {
        let position = self.next_position();
        self.bucket.at(position)
    }

    /// The position of the next hit in the bucket at hand, which must have one.
    #[inline(always)]
    pub(super) fn next_position(&mut self) -> u8 {
        let position = self.hits.trailing_zeros() as u8;
        self.hits &= self.hits.wrapping_sub(1);
        position
    }

    /// The first place of the bucket at hand, and all of its hits that are left.
    #[inline(always)]
    pub(crate) fn take_hits(&mut self) -> (Place, u64) {
        (self.bucket, core::mem::take(&mut self.hits))
    }

    /// Goes back to where only the bucket at hand has been begun.
    pub(crate) fn rewind<S: Scalar, const D: usize>(&mut self, space: &Space<S, D>) {
        if !self.batch.is_empty() {
            let bucket = self.bucket.bucket();
            let root = space.forest.root(self.tree);
            with_trees!(space.forest, self.tree.kind, |trees| {
                let arena = trees.arena();
                self.walk = Walk::after_chain(arena, root, bucket);
                self.chain = arena.next_in_chain(bucket);
            });
            // It was of a later chain, perhaps.
            self.covered = false;
            self.batch.clear();
        }
    }

    /// Advances to the next buckets with hits in the tree at hand, which then are in the batch.
    ///
    /// The position changes at the end, after the user's region, which may panic, has answered.
    #[inline(always)]
    pub(crate) fn advance<B: Bucket<D>, const D: usize>(
        &mut self,
        arena: &Arena<B, D>,
        probe: &impl Probe<D>,
        visitor: &mut impl Visitor,
    ) -> Advance {
        loop {
            if visitor.pauses(&self.walk) {
                return Advance::Spent;
            }
            if self.is_passed() {
                return Advance::End;
            }
            let (mut walk, mut chain, mut covered) = (self.walk, self.chain, self.covered);
            let mut taken = Taken::new(&mut self.batch, arena, visitor);
            let goes_on = chain.is_none_or(|rest| {
                chain = taken.take_chain(&walk, rest, covered);
                taken.goes_on(&walk)
            });
            if goes_on {
                walk.go(
                    arena,
                    probe,
                    #[inline(always)]
                    |walk, visit| {
                        match visit {
                            Visit::Node(_) => taken.visitor.visit(),
                            Visit::Chain { first, covered: is_covered } => {
                                covered = is_covered;
                                if !taken.visitor.takes(first, covered) {
                                    chain = taken.take_chain(walk, first, covered);
                                }
                            }
                        }
                        taken.goes_on(walk)
                    },
                );
            }
            let (len, excluded) = (taken.len, self.excluded);
            let has_hits = self.batch.test(
                len,
                #[inline(always)]
                |bucket, covered| visitor.matches(bucket.bucket(), covered) & !excluded.bit_in(bucket),
            );
            (self.walk, self.chain, self.covered) = (walk, chain, covered);
            if has_hits {
                return Advance::Hits;
            }
        }
    }
}

/// The most buckets of a first batch that takes the last ones of a node.
const FEW: usize = 4;

/// The buckets of a batch, taken one by one before they are tested.
struct Taken<'t, V, B, const D: usize> {
    batch: &'t mut Batch,
    room: usize,
    len: usize,
    arena: &'t Arena<B, D>,
    visitor: &'t mut V,
}

impl<'t, V: Visitor, B: Bucket<D>, const D: usize> Taken<'t, V, B, D> {
    #[inline(always)]
    fn new(batch: &'t mut Batch, arena: &'t Arena<B, D>, visitor: &'t mut V) -> Self {
        let room = batch.begin(visitor.looks_ahead());
        Self { batch, room, len: 0, arena, visitor }
    }

    /// Whether there is room for more buckets and the query does not pause. For the last ones of a node there is, even in
    /// a first batch, so that a small region needs one batch.
    #[inline(always)]
    fn goes_on(&self, walk: &Walk) -> bool {
        let are_last = || self.len < FEW && self.visitor.looks_ahead() && walk.cells_left() < FEW as u32;
        (self.len < self.room || are_last()) && !self.visitor.pauses(walk)
    }

    /// Takes buckets of a chain, at least the first one. Returns the first of those that are left.
    #[inline(always)]
    fn take_chain(&mut self, walk: &Walk, first: BucketId, covered: bool) -> Option<BucketId> {
        let mut bucket = first;
        loop {
            self.visitor.visit();
            self.batch.put(self.len, Place::new(B::KIND, bucket, 0), covered);
            self.len += 1;
            self.arena.prefetch_entries(bucket, !covered);
            let next = self.arena.next_in_chain(bucket);
            match next {
                Some(next) if self.goes_on(walk) => bucket = next,
                _ => return next,
            }
        }
    }
}

#[cfg(test)]
mod tests;
