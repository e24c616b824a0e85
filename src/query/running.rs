//! The position of a running query in the layer at hand, and the way to the next bucket with hits.
//!
//! It is plain data that borrows nothing. It does not know which layers follow, nor how a query is paused. An ordinary
//! query runs unmetered; a resumed one counts its visits. Keeps invariants Q3 and Q4 of `docs/invariants.md`.

use super::meter::{Meter, Unmetered};
use super::question::Question;
use super::relation::Predicate;
use crate::geometry::{Level, Region, Scalar, Simd, Vectorized, dispatch, level};
use crate::grid::Grid;
use crate::key::{BucketId, Kind, Place};
use crate::space::Space;
use crate::tree::{Arena, Bucket, Visit, Walk, with_trees};

/// The position of a query in a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub(crate) layer: u8,
    pub(crate) kind: Kind,
    pub(crate) walk: Walk,
    /// The rest of the chain at hand.
    pub(crate) chain: Option<BucketId>,
    /// Whether all entries of the chain match untested.
    pub(crate) covered: bool,
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
    /// The query is at a bucket with hits.
    Hits,
    /// The budget is spent.
    Spent,
    /// Nothing is left in the layer.
    End,
}

/// The search for the matches in a bucket.
pub(crate) struct Matches<'a, P, R, B, S, const D: usize> {
    pub(crate) question: &'a Question<P, R, S, D>,
    pub(crate) arena: &'a Arena<B, D>,
    pub(crate) bucket: BucketId,
    pub(crate) covered: bool,
}

impl<P: Predicate, R: Region<S, D>, B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Vectorized
    for Matches<'_, P, R, B, S, D>
{
    type Output = u64;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> u64 {
        self.question.matches(self.arena, self.bucket, self.covered, simd)
    }
}

impl Running {
    /// A position in no layer.
    pub(crate) fn nowhere() -> Self {
        Self::over((0, Kind::Points), Walk::over(None), Place::NONE)
    }

    /// A position in a layer, with a walk over the part of it that is to come.
    pub(crate) fn over((layer, kind): (u8, Kind), walk: Walk, excluded: Place) -> Self {
        Self { layer, kind, walk, chain: None, covered: false, bucket: Place::NONE, hits: 0, excluded, level: level() }
    }

    /// Moves on to the root of a layer.
    #[inline]
    pub(crate) fn begin<S: Scalar, const D: usize>(&mut self, space: &Space<S, D>, (layer, kind): (u8, Kind)) {
        (self.layer, self.kind) = (layer, kind);
        self.walk = Walk::over(space.forest.root(kind, layer));
    }

    pub(crate) fn leave(&mut self) {
        (self.walk, self.chain, self.hits) = (Walk::over(None), None, 0);
    }

    /// Whether nothing is left in the layer.
    pub(crate) fn is_over(&self) -> bool {
        self.walk.is_over() && self.chain.is_none() && self.hits == 0
    }

    pub(crate) fn exclude(&mut self, object: Option<Place>) {
        self.excluded = object.unwrap_or(Place::NONE);
        self.hits &= !self.excluded.bit_in(self.bucket);
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

    /// The place of the next hit in the bucket at hand, which must have one.
    #[inline]
    pub(crate) fn next_hit(&mut self) -> Place {
        let place = self.bucket.at(self.hits.trailing_zeros() as u8);
        self.hits &= self.hits.wrapping_sub(1);
        place
    }

    /// The first place of the bucket at hand, and all of its hits that are left.
    #[inline]
    pub(crate) fn take_hits(&mut self) -> (Place, u64) {
        (self.bucket, core::mem::take(&mut self.hits))
    }

    /// Advances to the next bucket with hits in the layer at hand.
    ///
    /// `matches` finds the hits of a bucket. Before each step `pauses` decides whether to stop there.
    #[inline(always)]
    pub(crate) fn advance<
        P: Predicate,
        R: Region<S, D>,
        B: Bucket<D, Scalar = S>,
        M: Meter,
        S: Scalar,
        const D: usize,
    >(
        &mut self,
        question: &Question<P, R, S, D>,
        grid: &Grid<S, D>,
        arena: &Arena<B, D>,
        meter: &mut M,
        matches: impl Fn(BucketId, bool) -> u64,
        pauses: impl Fn(&M, &Walk) -> bool,
    ) -> Advance {
        let probe = question.over::<M>(grid);
        // In local variables, and so in registers. They are written back after the user's region, which may panic, has
        // answered.
        let (mut walk, mut chain, mut covered) = (self.walk, self.chain, self.covered);
        let outcome = loop {
            if pauses(meter, &walk) {
                break Advance::Spent;
            }
            let bucket = match chain {
                Some(bucket) => bucket,
                None => match walk.next(arena, &probe) {
                    Some(Visit::Chain { first, covered: of_chain }) => {
                        covered = of_chain;
                        first
                    }
                    Some(Visit::Node(_)) => {
                        meter.visit();
                        continue;
                    }
                    None => break Advance::End,
                },
            };
            meter.visit();
            let hits = matches(bucket, covered) & !self.excluded.bit_in(Place::new(B::KIND, bucket, 0));
            chain = arena.next_in_chain(bucket);
            if hits != 0 {
                (self.bucket, self.hits) = (Place::new(B::KIND, bucket, 0), hits);
                arena.prefetch_handles(bucket, hits);
                break Advance::Hits;
            }
        };
        (self.walk, self.chain, self.covered) = (walk, chain, covered);
        outcome
    }
}

/// An unmetered advance, with the vectors of the processor.
struct Unpaused<'a, P, R, B, S, const D: usize> {
    running: &'a mut Running,
    question: &'a Question<P, R, S, D>,
    grid: &'a Grid<S, D>,
    arena: &'a Arena<B, D>,
}

impl<P: Predicate, R: Region<S, D>, B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Vectorized
    for Unpaused<'_, P, R, B, S, D>
{
    type Output = bool;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> bool {
        let Self { running, question, grid, arena } = self;
        let outcome = running.advance(
            question,
            grid,
            arena,
            &mut Unmetered,
            #[inline(always)]
            |bucket, covered| question.matches(arena, bucket, covered, simd),
            |_, _| false,
        );
        outcome == Advance::Hits
    }
}

impl Running {
    /// Advances, unmetered, to the next bucket with hits in the layer at hand; `false` at the layer's end.
    #[inline]
    pub(super) fn advance_unpaused<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> bool {
        with_trees!(space.forest, self.kind, |trees| {
            let (grid, arena) = (trees.grid(), trees.arena());
            dispatch(self.level, Unpaused { running: self, question, grid, arena })
        })
    }
}

#[cfg(test)]
mod tests;
