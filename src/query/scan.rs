//! A running query without its index: the question, the position in the layer at hand, and the layers to come.
//!
//! It goes on from layer to layer, with the vectors of the processor. Keeps invariant Q3 of `docs/invariants.md`.

use super::question::Question;
use super::relation::Predicate;
use super::running::{Advance, Running};
use super::visitor::Visitor;
use crate::geometry::{Region, Scalar, Simd, Vectorized, dispatch};
use crate::key::{BucketId, LayerSet};
use crate::space::Space;
use crate::tree::{Arena, Bucket, with_trees};

/// A question and the position of the query that asks it.
#[derive(Clone, Copy)]
pub(crate) struct Scan<P, R, S, const D: usize> {
    pub(super) question: Question<P, R, S, D>,
    /// The requested layers whose trees have not been begun.
    pub(super) layers: LayerSet,
    pub(super) running: Running,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Scan<P, R, S, D> {
    /// A scan of all layers.
    #[inline(always)]
    pub(super) fn new(question: Question<P, R, S, D>) -> Self {
        let layers = if question.is_nowhere() { LayerSet::NONE } else { LayerSet::ALL };
        Self { question, layers, running: Running::nowhere() }
    }

    /// Turns to the next bucket with hits; `false` if there is none in the layer at hand nor in those to come.
    #[inline(always)]
    pub(super) fn advance(&mut self, space: &Space<S, D>) -> bool {
        while !self.running.next_bucket() {
            if self.is_over() || !self.fill(space) {
                return false;
            }
        }
        true
    }

    /// Whether nothing is left in the layer at hand nor in those to come.
    #[inline]
    fn is_over(&self) -> bool {
        self.layers.is_empty() && self.running.is_over()
    }

    /// Fills the batch, which is over; `false` if no bucket with hits is left.
    // Out of line, so that a loop over hits stays short. Its two arguments leave the loop most registers.
    #[inline(never)]
    fn fill(&mut self, space: &Space<S, D>) -> bool {
        dispatch(self.running.level, Fill { scan: self, space })
    }
}

/// Filling the batch. It is two words, which come in registers.
struct Fill<'a, P, R, S, const D: usize> {
    scan: &'a mut Scan<P, R, S, D>,
    space: &'a Space<S, D>,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Vectorized for Fill<'_, P, R, S, D> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> bool {
        let Self { scan: Scan { question, layers, running }, space } = self;
        loop {
            if running.is_passed() && !running.begin_next(space, layers) {
                return false;
            }
            let outcome = with_trees!(space.forest, running.tree.kind, |trees| {
                let arena = trees.arena();
                let probe = question.over(trees.tree_grid(running.tree.layer, running.tree.grid));
                running.advance(arena, &probe, &mut Unpaused { question, arena, simd })
            });
            if outcome == Advance::Hits {
                return true;
            }
        }
    }
}

/// The visitor of a query that yields matches and does not pause.
struct Unpaused<'a, P, R, B, V, S, const D: usize> {
    question: &'a Question<P, R, S, D>,
    arena: &'a Arena<B, D>,
    simd: V,
}

impl<P: Predicate, R: Region<S, D>, B: Bucket<D, Scalar = S>, V: Simd, S: Scalar, const D: usize> Visitor
    for Unpaused<'_, P, R, B, V, S, D>
{
    #[inline(always)]
    fn matches(&self, bucket: BucketId, covered: bool) -> u64 {
        self.question.matches(self.arena, bucket, covered, self.simd)
    }
}
