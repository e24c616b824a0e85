//! Counting matches: by the counters of nodes and buckets where all entries match, and by tests elsewhere.
//!
//! Keeps invariant Q6 of `docs/invariants.md`.

use core::cell::Cell;

use super::question::Question;
use super::relation::Predicate;
use super::running::{Matches, Running};
use crate::geometry::{Level, Region, Scalar, dispatch};
use crate::grid::UnitRange;
use crate::key::{BucketId, NodeId, Place};
use crate::space::Space;
use crate::tree::{Arena, Bucket, Probe, with_trees};

/// A name that keeps the walk that counts apart from others.
struct Counted;

/// A question whose matches are counted. A child whose entries all match is counted as a whole, not visited.
struct Counting<'a, Q, B, const D: usize> {
    asked: Q,
    arena: &'a Arena<B, D>,
    /// The place of the excluded object.
    excluded: Place,
    counted: Cell<usize>,
}

impl<Q, B: Bucket<D>, const D: usize> Counting<'_, Q, B, D> {
    /// Whether the excluded object is stored below a node.
    fn leaves_out_of(&self, node: NodeId) -> bool {
        let excluded = self.excluded;
        excluded != Place::NONE && excluded.kind() == B::KIND && self.arena.is_below(excluded.bucket(), node)
    }
}

impl<Q: Probe<D>, B: Bucket<D>, const D: usize> Probe<D> for Counting<'_, Q, B, D> {
    const CLASSIFIES: bool = Q::CLASSIFIES;

    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        self.asked.anchors(reach)
    }

    #[inline]
    fn covered(&self, reach: u32) -> UnitRange<D> {
        self.asked.covered(reach)
    }

    #[inline]
    fn classify(&self, units: &UnitRange<D>, reach: u32, may_cover: bool) -> Option<bool> {
        self.asked.classify(units, reach, may_cover)
    }

    #[inline]
    fn takes(&self, child: NodeId) -> bool {
        let len = self.arena.node(child).len as usize - usize::from(self.leaves_out_of(child));
        self.counted.set(self.counted.get() + len);
        true
    }
}

impl Running {
    /// The number of matches that are still to come in the layer at hand.
    pub(super) fn count<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> usize {
        let hits = self.take_hits().1.count_ones() as usize;
        hits + with_trees!(space.forest, self.kind, |trees| {
            let asked = question.over::<Counted>(trees.grid());
            self.count_in(question, asked, trees.arena())
        })
    }

    #[inline]
    fn count_in<P: Predicate, R: Region<S, D>, B: Bucket<D, Scalar = S>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        asked: impl Probe<D>,
        arena: &Arena<B, D>,
    ) -> usize {
        let probe = Counting { asked, arena, excluded: self.excluded, counted: Cell::new(0) };
        // In local variables, and so in registers.
        let (mut walk, counter) = (self.walk, Counter { question, arena, excluded: self.excluded, level: self.level });
        let mut count = self.chain.take().map_or(0, |chain| counter.count_chain(chain, self.covered));
        while let Some((first, covered)) = walk.next_chain(arena, &probe) {
            count += counter.count_chain(first, covered);
        }
        self.walk = walk;
        count + probe.counted.get()
    }
}

/// The counter of matches, chain by chain.
struct Counter<'a, P, R, B, S, const D: usize> {
    question: &'a Question<P, R, S, D>,
    arena: &'a Arena<B, D>,
    excluded: Place,
    level: Level,
}

impl<P: Predicate, R: Region<S, D>, B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Counter<'_, P, R, B, S, D> {
    /// The number of matches in a chain, from one of its buckets on.
    #[inline]
    fn count_chain(&self, from: BucketId, covered: bool) -> usize {
        let Self { question, arena, excluded, level } = *self;
        if (covered || !P::TESTED) && excluded == Place::NONE {
            return arena.total(from) as usize;
        }
        let mut count = 0;
        let mut next = Some(from);
        while let Some(bucket) = next {
            let left_out = excluded.bit_in(Place::new(B::KIND, bucket, 0));
            let matches = dispatch(level, Matches { question, arena, bucket, covered });
            count += (matches & !left_out).count_ones() as usize;
            next = arena.next_in_chain(bucket);
        }
        count
    }
}
