//! Where a query stands: plain data that borrows nothing.

use core::marker::PhantomData;

use crate::geometry::{Level, Rect, Scalar, Simd, SimdBase, Vectorized, dispatch, level};
use crate::grid::{Grid, UnitRange};
use crate::index::SpatialIndex;
use crate::key::{BucketId, Kind, LayerSet, NodeId, Place};
use crate::layer::with_trees;
use crate::tree::{Bucket, Probe, Trees, Walk};

use super::Predicate;

/// What a query asks of the walk: its predicate, axis by axis, about the units of its region.
#[derive(Clone, Copy)]
struct RegionProbe<P, const D: usize> {
    predicate: PhantomData<P>,
    units: UnitRange<D>,
}

impl<P: Predicate, const D: usize> RegionProbe<P, D> {
    #[inline]
    fn on_axes(&self, range: impl Fn([u32; 2]) -> [u32; 2]) -> UnitRange<D> {
        let mut units = self.units;
        for axis in 0..D {
            [units.min[axis], units.max[axis]] = range([units.min[axis], units.max[axis]]);
        }
        units
    }
}

impl<P: Predicate, const D: usize> Probe<D> for RegionProbe<P, D> {
    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        self.on_axes(|region| P::anchors(region, reach))
    }

    #[inline]
    fn covered(&self, reach: u32) -> UnitRange<D> {
        self.on_axes(|region| P::covered(region, reach))
    }
}

/// Where a query stands.
#[derive(Clone, Copy)]
pub(super) struct State<P, S, const D: usize> {
    probe: RegionProbe<P, D>,
    region: Rect<S, D>,
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
struct Advance<'a, P, B, S, const D: usize> {
    state: &'a mut State<P, S, D>,
    trees: &'a Trees<B, S, D>,
}

impl<P: Predicate, B: Bucket<S, D>, S: Scalar, const D: usize> Vectorized for Advance<'_, P, B, S, D> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> bool {
        self.state.advance_in(self.trees, simd)
    }
}

impl<P: Predicate, S: Scalar, const D: usize> State<P, S, D> {
    pub(super) fn new(grid: &Grid<S, D>, region: Rect<S, D>) -> Self {
        Self {
            probe: RegionProbe { predicate: PhantomData, units: grid.range(&region) },
            region,
            // A region with a NaN meets nothing.
            layers: if region.has_nan() { LayerSet::NONE } else { LayerSet::ALL },
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

    pub(super) fn region(&self) -> &Rect<S, D> {
        &self.region
    }

    /// The layers whose trees have not been begun.
    pub(super) fn layers_to_come(&self) -> LayerSet {
        self.layers
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

    pub(super) fn count<T>(&mut self, index: &SpatialIndex<T, S, D>) -> usize {
        let mut count = 0;
        loop {
            count += self.take_hits().1.count_ones() as usize;
            if self.advance(index).is_none() {
                return count;
            }
        }
    }

    /// Goes on to the next bucket with hits, and says its first place; none when there is none.
    pub(super) fn advance<T>(&mut self, index: &SpatialIndex<T, S, D>) -> Option<Place> {
        loop {
            let found =
                with_trees!(index.forest, self.kind, |trees| dispatch(self.level, Advance { state: self, trees }));
            if found {
                return Some(self.bucket);
            }
            let (layer, kind) = index.next_layer(&mut self.layers)?;
            (self.layer, self.kind) = (layer, kind);
            self.walk = Walk::over(with_trees!(index.forest, kind, |trees| trees.root(layer)));
        }
    }

    /// Goes on to the next bucket with hits in the layer at hand.
    #[inline(always)]
    fn advance_in<B: Bucket<S, D>, V: Simd>(&mut self, trees: &Trees<B, S, D>, simd: V) -> bool {
        // Kept apart from `self`, and so in registers.
        let (mut walk, mut chain, mut covered) = (self.walk, self.chain, self.covered);
        let found = loop {
            if chain.is_none() {
                let Some(next) = walk.next_chain(trees, &self.probe) else { break false };
                (chain, covered) = next;
            }
            let bucket = chain;
            self.bucket = Place::new(B::KIND, bucket, 0);
            chain = trees.next_in_chain(bucket);
            self.hits = self.matches(trees, bucket, covered, simd) & !self.excluded.bit_in(self.bucket);
            if self.hits != 0 {
                break true;
            }
        };
        (self.walk, self.chain, self.covered) = (walk, chain, covered);
        found
    }

    /// The entries of a bucket that match, as bits.
    #[inline(always)]
    fn matches<B: Bucket<S, D>, V: Simd>(
        &self,
        trees: &Trees<B, S, D>,
        bucket: BucketId,
        covered: bool,
        simd: V,
    ) -> u64 {
        if covered || !P::TESTED {
            return trees.head(bucket).used;
        }
        let (from, to) = (self.region.min(), self.region.max());
        trees.bucket(bucket).matching(
            simd,
            #[inline(always)]
            |axis, min, max| {
                let ends = [S::Lanes::splat(simd, from[axis]), S::Lanes::splat(simd, to[axis])];
                P::holds::<V, S>(ends, [min, max])
            },
        )
    }
}

#[cfg(test)]
mod tests;
