//! Where a query stands: plain data that borrows nothing.

use crate::geometry::{Region, Scalar};
use crate::grid::Grid;
use crate::index::SpatialIndex;
use crate::key::{BucketId, Kind, LayerSet, NodeId, Place};
use crate::layer::with_trees;
use crate::tree::{Bucket, Trees, Walk};

use super::Predicate;
use super::probe::{Counting, Question};

/// Where a query stands.
#[derive(Clone, Copy)]
pub(super) struct State<P, R, S, const D: usize> {
    question: Question<P, R, S, D>,
    /// Layers whose trees are still to be walked.
    layers: LayerSet,
    /// The layer of the walk; without meaning before the first and after the last.
    layer: u8,
    kind: Kind,
    walk: Walk,
    /// The rest of the chain at hand.
    chain: BucketId,
    /// Whether all of the chain matches untested.
    covered: bool,
    /// The first place in the bucket at hand.
    bucket: Place,
    /// The bucket's matches that are still to be yielded.
    hits: u64,
    /// Where the object is that is left out; nowhere if there is none.
    excluded: Place,
}

impl<P, R, S, const D: usize> State<P, R, S, D> {
    pub(super) fn region(&self) -> &R {
        self.question.region()
    }

    /// The layers whose trees have not been begun.
    pub(super) fn layers_to_come(&self) -> LayerSet {
        self.layers
    }
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> State<P, R, S, D> {
    pub(super) fn new(grid: &Grid<S, D>, region: R) -> Self {
        let question = Question::new(grid, region);
        Self {
            layers: if question.is_nowhere() { LayerSet::NONE } else { LayerSet::ALL },
            question,
            layer: 0,
            kind: Kind::Points,
            walk: Walk::over(NodeId::NONE),
            chain: BucketId::NONE,
            covered: false,
            bucket: Place::NONE,
            hits: 0,
            excluded: Place::NONE,
        }
    }

    pub(super) fn restrict(&mut self, layers: LayerSet) {
        self.layers = self.layers & layers;
        if !layers.has(self.layer) {
            self.walk = Walk::over(NodeId::NONE);
            self.chain = BucketId::NONE;
            self.hits = 0;
        }
    }

    pub(super) fn exclude(&mut self, object: Option<Place>) {
        self.excluded = object.unwrap_or(Place::NONE);
        self.hits &= !self.excluded.bit_in(self.bucket);
    }

    #[inline]
    pub(super) fn next<T>(&mut self, index: &SpatialIndex<T, S, D>) -> Option<Place> {
        if self.hits == 0 && !self.advance(index) {
            return None;
        }
        let place = self.place(self.hits);
        self.hits &= self.hits - 1;
        Some(place)
    }

    pub(super) fn fold<T, A>(&mut self, index: &SpatialIndex<T, S, D>, init: A, mut f: impl FnMut(A, Place) -> A) -> A {
        let mut folded = init;
        loop {
            let mut hits = core::mem::take(&mut self.hits);
            while hits != 0 {
                folded = f(folded, self.place(hits));
                hits &= hits - 1;
            }
            if !self.advance(index) {
                return folded;
            }
        }
    }

    /// How many matches are still to come, by counters where that can be told without a look at them.
    pub(super) fn count<T>(&mut self, index: &SpatialIndex<T, S, D>) -> usize {
        let mut count = core::mem::take(&mut self.hits).count_ones() as usize;
        loop {
            count += with_trees!(index.forest, self.kind, |trees| self.count_in(&index.grid, trees));
            if !self.begin_layer(index) {
                return count;
            }
        }
    }

    /// How many matches are still to come in the layer at hand.
    fn count_in<B: Bucket<S, D>>(&mut self, grid: &Grid<S, D>, trees: &Trees<B, S, D>) -> usize {
        let probe = Counting::new(self.question.over(grid), trees, self.excluded);
        let mut count = self.count_chain(trees, self.chain, self.covered);
        while let Some((first, covered)) = self.walk.next_chain(trees, &probe) {
            count += self.count_chain(trees, first, covered);
        }
        self.chain = BucketId::NONE;
        count + probe.counted()
    }

    /// How many match in a chain, from one of its buckets on.
    #[inline]
    fn count_chain<B: Bucket<S, D>>(&self, trees: &Trees<B, S, D>, from: BucketId, covered: bool) -> usize {
        let mut count = 0;
        let mut bucket = from;
        while !bucket.is_none() {
            if (covered || !P::TESTED) && self.excluded == Place::NONE {
                return count + trees.total(bucket) as usize;
            }
            let left_out = self.excluded.bit_in(Place::new(B::KIND, bucket, 0));
            count += (self.question.matches(trees, bucket, covered) & !left_out).count_ones() as usize;
            bucket = trees.next_in_chain(bucket);
        }
        count
    }

    /// The place of the lowest hit.
    #[inline]
    fn place(&self, hits: u64) -> Place {
        self.bucket.at(hits.trailing_zeros() as u8)
    }

    /// Goes on to the next bucket with hits; `false` when there is none.
    fn advance<T>(&mut self, index: &SpatialIndex<T, S, D>) -> bool {
        loop {
            let found = with_trees!(index.forest, self.kind, |trees| self.advance_in(&index.grid, trees));
            if found {
                return true;
            }
            if !self.begin_layer(index) {
                return false;
            }
        }
    }

    /// Goes on to the root of the next layer; `false` when there is none.
    #[inline]
    fn begin_layer<T>(&mut self, index: &SpatialIndex<T, S, D>) -> bool {
        let Some((layer, kind)) = index.next_layer(&mut self.layers) else { return false };
        (self.layer, self.kind) = (layer, kind);
        self.walk = Walk::over(with_trees!(index.forest, kind, |trees| trees.root(layer)));
        true
    }

    /// Goes on to the next bucket with hits in the layer at hand.
    #[inline]
    fn advance_in<B: Bucket<S, D>>(&mut self, grid: &Grid<S, D>, trees: &Trees<B, S, D>) -> bool {
        // Kept apart from `self`, and so in registers.
        let (mut walk, mut chain, mut covered) = (self.walk, self.chain, self.covered);
        let found = loop {
            if chain.is_none() {
                let Some(next) = walk.next_chain(trees, &self.question.over(grid)) else { break false };
                (chain, covered) = next;
            }
            let bucket = chain;
            self.bucket = Place::new(B::KIND, bucket, 0);
            chain = trees.next_in_chain(bucket);
            self.hits = self.question.matches(trees, bucket, covered) & !self.excluded.bit_in(self.bucket);
            if self.hits != 0 {
                break true;
            }
        };
        (self.walk, self.chain, self.covered) = (walk, chain, covered);
        found
    }
}

#[cfg(test)]
mod tests;
