//! Counting matches: by the counters of nodes and buckets where all entries match, and by tests elsewhere.
//!
//! Keeps invariant Q6 of `docs/invariants.md`.

use core::cell::Cell;

use super::question::Question;
use super::relation::Predicate;
use super::running::Advance;
use super::scan::Scan;
use super::visitor::Visitor;
use crate::geometry::{Region, Scalar, Simd, Vectorized, dispatch};
use crate::grid::UnitRange;
use crate::key::{BucketId, NodeId, Place};
use crate::space::Space;
use crate::tree::{Arena, Bucket, Probe, with_trees};

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

/// A visitor that counts chains whose entries all match as wholes.
struct Counter<'a, P, R, B, V, S, const D: usize> {
    question: &'a Question<P, R, S, D>,
    arena: &'a Arena<B, D>,
    simd: V,
    has_excluded: bool,
    counted: usize,
}

impl<P: Predicate, R: Region<S, D>, B: Bucket<D, Scalar = S>, V: Simd, S: Scalar, const D: usize> Visitor
    for Counter<'_, P, R, B, V, S, D>
{
    #[inline(always)]
    fn matches(&self, bucket: BucketId, covered: bool) -> u64 {
        self.question.matches(self.arena, bucket, covered, self.simd)
    }

    #[inline(always)]
    fn takes(&mut self, first: BucketId, covered: bool) -> bool {
        let takes = (covered || !P::TESTED) && !self.has_excluded;
        if takes {
            self.counted += self.arena.total(first) as usize;
        }
        takes
    }
}

/// Counting from layer to layer, with the vectors of the processor.
struct CountsOfLayers<'a, P, R, S, const D: usize> {
    scan: &'a mut Scan<P, R, S, D>,
    space: &'a Space<S, D>,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Vectorized for CountsOfLayers<'_, P, R, S, D> {
    type Output = usize;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> usize {
        let Self { scan: Scan { question, layers, running }, space } = self;
        let mut count = 0;
        loop {
            count += with_trees!(space.forest, running.tree.kind, |trees| {
                let (arena, excluded) = (trees.arena(), running.excluded);
                let grid = trees.tree_grid(running.tree.layer, running.tree.grid);
                let probe = Counting { asked: question.over(grid), arena, excluded, counted: Cell::new(0) };
                let has_excluded = excluded != Place::NONE;
                let mut counter = Counter { question, arena, simd, has_excluded, counted: 0 };
                let mut tested = 0;
                while running.advance(arena, &probe, &mut counter) == Advance::Hits {
                    tested += running.batch.take_count();
                }
                tested + counter.counted + probe.counted.get()
            });
            if !running.begin_next(space, layers) {
                return count;
            }
        }
    }
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Scan<P, R, S, D> {
    /// The number of matches that are still to come, in the layer at hand and those to come.
    #[inline(never)]
    pub(super) fn count(&mut self, space: &Space<S, D>) -> usize {
        let running = &mut self.running;
        let found = running.take_hits().1.count_ones() as usize + running.batch.take_count();
        running.hurry();
        found + dispatch(running.level, CountsOfLayers { scan: self, space })
    }
}
