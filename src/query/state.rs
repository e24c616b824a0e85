//! Where a query stands: plain data that borrows nothing.

use core::marker::PhantomData;

use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, UnitRange};
use crate::index::SpatialIndex;
use crate::key::{BucketId, Handle, Kind, LayerSet, NodeId, Place};
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
    fn on_axis(&self, axis: usize) -> [u32; 2] {
        [self.units.min[axis], self.units.max[axis]]
    }
}

impl<P: Predicate, const D: usize> Probe<D> for RegionProbe<P, D> {
    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        let mut anchors = self.units;
        for axis in 0..D {
            [anchors.min[axis], anchors.max[axis]] = P::anchors(self.on_axis(axis), reach);
        }
        anchors
    }

    #[inline]
    fn covers(&self, units: &UnitRange<D>, reach: u32) -> bool {
        (0..D).all(|axis| P::covers(self.on_axis(axis), [units.min[axis], units.max[axis]], reach))
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
    /// The bucket at hand, and its matches that are still to be yielded.
    bucket: BucketId,
    hits: u64,
    /// An object to leave out; the handle that names none if there is none.
    excluded: Handle,
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
            bucket: BucketId::NONE,
            hits: 0,
            excluded: Handle::default(),
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

    pub(super) fn exclude(&mut self, object: Handle) {
        self.excluded = object;
    }

    #[inline]
    pub(super) fn next<T>(&mut self, index: &SpatialIndex<T, S, D>) -> Option<Place> {
        loop {
            while self.hits != 0 {
                let place = self.place(self.hits);
                self.hits &= self.hits - 1;
                if !self.excludes(index, place) {
                    return Some(place);
                }
            }
            if !self.advance(index) {
                return None;
            }
        }
    }

    pub(super) fn fold<T, A>(&mut self, index: &SpatialIndex<T, S, D>, init: A, mut f: impl FnMut(A, Place) -> A) -> A {
        let mut folded = init;
        loop {
            let mut hits = core::mem::take(&mut self.hits);
            while hits != 0 {
                let place = self.place(hits);
                hits &= hits - 1;
                if !self.excludes(index, place) {
                    folded = f(folded, place);
                }
            }
            if !self.advance(index) {
                return folded;
            }
        }
    }

    pub(super) fn count<T>(&mut self, index: &SpatialIndex<T, S, D>) -> usize {
        if self.excluded != Handle::default() {
            return self.fold(index, 0, |count, _| count + 1);
        }
        let mut count = 0;
        loop {
            count += core::mem::take(&mut self.hits).count_ones() as usize;
            if !self.advance(index) {
                return count;
            }
        }
    }

    /// The place of the lowest hit.
    #[inline]
    fn place(&self, hits: u64) -> Place {
        Place::new(self.kind, self.bucket, hits.trailing_zeros() as u8)
    }

    #[inline]
    fn excludes<T>(&self, index: &SpatialIndex<T, S, D>, place: Place) -> bool {
        self.excluded != Handle::default() && index.forest.handle(place) == self.excluded
    }

    /// Goes on to the next bucket with hits; `false` when there is none.
    fn advance<T>(&mut self, index: &SpatialIndex<T, S, D>) -> bool {
        loop {
            let found = with_trees!(index.forest, self.kind, |trees| self.advance_in(trees));
            if found {
                return true;
            }
            let Some((layer, kind)) = index.next_layer(&mut self.layers) else { return false };
            (self.layer, self.kind) = (layer, kind);
            self.walk = Walk::over(with_trees!(index.forest, kind, |trees| trees.root(layer)));
        }
    }

    /// Goes on to the next bucket with hits in the layer at hand.
    #[inline]
    fn advance_in<B: Bucket<S, D>>(&mut self, trees: &Trees<B, S, D>) -> bool {
        loop {
            while !self.chain.is_none() {
                self.bucket = self.chain;
                self.chain = trees.next_in_chain(self.bucket);
                self.hits = if self.covered || !P::TESTED {
                    trees.head(self.bucket).used
                } else {
                    let (from, to) = (self.region.min(), self.region.max());
                    trees.bucket(self.bucket).matching(|axis, min, max| P::holds([from[axis], to[axis]], [min, max]))
                };
                if self.hits != 0 {
                    return true;
                }
            }
            let Some((first, covered)) = self.walk.next_chain(trees, &self.probe) else { return false };
            (self.chain, self.covered) = (first, covered);
        }
    }
}

#[cfg(test)]
mod tests;
