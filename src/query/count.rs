//! Counting matches by the counters of nodes and buckets, where that can be told without a look at them.

use core::cell::Cell;

use super::question::Question;
use super::relation::Predicate;
use super::running::{Matches, Running};
use crate::geometry::{Region, Scalar, dispatch};
use crate::grid::UnitRange;
use crate::key::{BucketId, NodeId, Place};
use crate::space::Space;
use crate::tree::{Arena, Bucket, Probe, with_trees};

/// Names the walk that counts, to keep it apart from others.
struct Counted;

/// A question whose matches are counted: the entries below a child of which all match are not visited.
struct Counting<'a, Q, B, const D: usize> {
    asked: Q,
    arena: &'a Arena<B, D>,
    /// Where the object is that is left out.
    excluded: Place,
    counted: Cell<usize>,
}

impl<Q, B: Bucket<D>, const D: usize> Counting<'_, Q, B, D> {
    /// Whether the object that is left out is somewhere below a node.
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
    /// How many matches are still to come in the layer at hand.
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
        let mut count = {
            let chain = self.chain.take();
            self.count_chain(question, arena, chain, self.covered)
        };
        while let Some((first, covered)) = self.walk.next_chain(arena, &probe) {
            count += self.count_chain(question, arena, Some(first), covered);
        }
        count + probe.counted.get()
    }

    /// How many match in a chain, from one of its buckets on.
    #[inline]
    fn count_chain<P: Predicate, R: Region<S, D>, B: Bucket<D, Scalar = S>, S: Scalar, const D: usize>(
        &self,
        question: &Question<P, R, S, D>,
        arena: &Arena<B, D>,
        from: Option<BucketId>,
        covered: bool,
    ) -> usize {
        let mut count = 0;
        let mut next = from;
        while let Some(bucket) = next {
            if (covered || !P::TESTED) && self.excluded == Place::NONE {
                return count + arena.total(bucket) as usize;
            }
            let left_out = self.excluded.bit_in(Place::new(B::KIND, bucket, 0));
            let matches = dispatch(self.level, Matches { question, arena, bucket, covered });
            count += (matches & !left_out).count_ones() as usize;
            next = arena.next_in_chain(bucket);
        }
        count
    }
}
