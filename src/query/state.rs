//! Where a query stands: plain data that borrows nothing.

use crate::geometry::{Level, Region, Scalar, Simd, Vectorized, dispatch, level};
use crate::grid::Grid;
use crate::index::SpatialIndex;
use crate::key::{BucketId, Kind, LayerSet, NodeId, Place};
use crate::layer::with_trees;
use crate::tree::{Bucket, Trees, Walk};

use super::Predicate;
use super::course::Course;
use super::probe::{Counting, Question};

/// Where a query stands.
#[derive(Clone, Copy)]
pub(super) struct State<P, R, S, const D: usize> {
    question: Question<P, R, S, D>,
    /// Layers that are asked for, walked or not.
    asked: LayerSet,
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
    level: Level,
}

/// Going on to the next bucket with hits in one tree.
struct Advance<'a, P, R, B, S, const D: usize> {
    state: &'a mut State<P, R, S, D>,
    grid: &'a Grid<S, D>,
    trees: &'a Trees<B, S, D>,
}

impl<P: Predicate, R: Region<S, D>, B: Bucket<S, D>, S: Scalar, const D: usize> Vectorized
    for Advance<'_, P, R, B, S, D>
{
    type Output = bool;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> bool {
        self.state.advance_in(self.grid, self.trees, simd)
    }
}

/// Looking for the matches in a bucket.
pub(super) struct Matches<'a, P, R, B, S, const D: usize> {
    pub(super) question: &'a Question<P, R, S, D>,
    pub(super) trees: &'a Trees<B, S, D>,
    pub(super) bucket: BucketId,
    pub(super) covered: bool,
}

impl<P: Predicate, R: Region<S, D>, B: Bucket<S, D>, S: Scalar, const D: usize> Vectorized
    for Matches<'_, P, R, B, S, D>
{
    type Output = u64;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> u64 {
        self.question.matches(self.trees, self.bucket, self.covered, simd)
    }
}

impl<P, R, S, const D: usize> State<P, R, S, D> {
    pub(super) fn region(&self) -> &R {
        self.question.region()
    }

    /// All layers that are asked for.
    pub(super) fn layers_asked(&self) -> LayerSet {
        self.asked
    }

    /// The layers whose trees have not been begun.
    pub(super) fn layers_to_come(&self) -> LayerSet {
        self.layers
    }
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> State<P, R, S, D> {
    /// What is asked, the layers to come, and where the query stands in the layer at hand, if it does in one.
    pub(super) fn into_course(self) -> (Question<P, R, S, D>, LayerSet, Option<Course<D>>) {
        let Self { question, layers, layer, kind, walk, chain, bucket, hits, excluded, .. } = self;
        (question, layers, Course::of_query((layer, kind), walk, chain, bucket, hits, excluded))
    }

    /// Where the object is that is left out.
    pub(super) fn excluded(&self) -> Option<Place> {
        Some(self.excluded).filter(|&place| place != Place::NONE)
    }

    pub(super) fn new(grid: &Grid<S, D>, region: R) -> Self {
        let question = Question::new(grid, region);
        Self {
            layers: if question.is_nowhere() { LayerSet::NONE } else { LayerSet::ALL },
            question,
            asked: LayerSet::ALL,
            layer: 0,
            kind: Kind::Points,
            walk: Walk::over(NodeId::NONE),
            chain: BucketId::NONE,
            covered: false,
            bucket: Place::NONE,
            hits: 0,
            excluded: Place::NONE,
            level: level(),
        }
    }

    pub(super) fn restrict(&mut self, layers: LayerSet) {
        self.asked = self.asked & layers;
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

    /// Whether there are hits in the bucket at hand.
    #[inline]
    pub(super) fn has_hits(&self) -> bool {
        self.hits != 0
    }

    /// The place of the next hit in the bucket at hand, which has one.
    #[inline]
    pub(super) fn next_hit(&mut self) -> Place {
        let place = self.bucket.at(self.hits.trailing_zeros() as u8);
        self.hits &= self.hits.wrapping_sub(1);
        place
    }

    /// The first place of the bucket at hand, and all of its hits that are still to come.
    #[inline]
    pub(super) fn take_hits(&mut self) -> (Place, u64) {
        (self.bucket, core::mem::take(&mut self.hits))
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
    #[inline]
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
            let matches = dispatch(self.level, Matches { question: &self.question, trees, bucket, covered });
            count += (matches & !left_out).count_ones() as usize;
            bucket = trees.next_in_chain(bucket);
        }
        count
    }

    /// Goes on to the next bucket with hits, and says its first place; none when there is none.
    pub(super) fn advance<T>(&mut self, index: &SpatialIndex<T, S, D>) -> Option<Place> {
        loop {
            let found = with_trees!(index.forest, self.kind, |trees| {
                dispatch(self.level, Advance { state: self, grid: &index.grid, trees })
            });
            if found {
                return Some(self.bucket);
            }
            if !self.begin_layer(index) {
                return None;
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
    #[inline(always)]
    fn advance_in<B: Bucket<S, D>, V: Simd>(&mut self, grid: &Grid<S, D>, trees: &Trees<B, S, D>, simd: V) -> bool {
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
            self.hits = self.question.matches(trees, bucket, covered, simd) & !self.excluded.bit_in(self.bucket);
            if self.hits != 0 {
                trees.prefetch_handles(bucket, self.hits);
                break true;
            }
        };
        (self.walk, self.chain, self.covered) = (walk, chain, covered);
        found
    }
}

#[cfg(test)]
mod tests;
