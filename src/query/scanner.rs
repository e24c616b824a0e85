//! The position of a region query. `advance` has the loop that moves it.
//!
//! `next`, `fold`, `count`, paused queries and parallel ones all use it. Its state is plain data and borrows nothing.
//!
//! Keeps invariants Q3 to Q6 of `docs/invariants.md`.

use super::batch::Batch;
use super::question::Question;
use super::relation::Predicate;
use crate::geometry::{Level, Region, Scalar, level};
use crate::key::{BucketId, LayerSet, NO_LAYER, Place};
use crate::space::Space;
use crate::tree::Walk;

/// The position of a region query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner {
    /// The requested layers not yet begun.
    pub(crate) layers: LayerSet,
    /// The layer whose tree the walk goes through.
    pub(crate) layer: u8,
    /// The image of the region that the walk looks for.
    pub(crate) image: u16,
    pub(crate) walk: Walk,
    /// The rest of the chain that the walk has reached.
    pub(crate) chain: Option<BucketId>,
    /// Whether all entries of the chain match without a test.
    pub(super) covered: bool,
    pub(crate) batch: Batch,
    /// The first place in the current bucket.
    pub(crate) bucket: Place,
    /// The matches in the current bucket still to be yielded, as bits.
    pub(crate) hits: u64,
    /// The number of nodes and buckets that may still be visited. At 0 the scanner stops.
    pub(crate) visits_left: usize,
    pub(crate) level: Level,
}

impl Scanner {
    /// A scanner before the trees of some layers.
    #[inline(always)]
    pub(crate) fn before(layers: LayerSet) -> Self {
        Self {
            layers,
            layer: NO_LAYER,
            image: 0,
            walk: Walk::NOWHERE,
            chain: None,
            covered: false,
            batch: Batch::EMPTY,
            bucket: Place::NONE,
            hits: 0,
            visits_left: usize::MAX,
            level: level(),
        }
    }

    /// Goes to the root of the tree in the next image, or of that of the next layer. Returns the walk
    /// from there, which the caller keeps; `None` if there is no tree left.
    #[inline(always)]
    pub(super) fn begin_next<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &mut self,
        question: &Question<P, R, S, D>,
        space: &Space<S, D>,
    ) -> Option<Walk> {
        if self.has_more_images(question) {
            self.image += 1;
            return Some(Walk::from_root(space.trees.root(self.layer)));
        }
        self.layer = space.next_layer(&mut self.layers)?;
        self.image = 0;
        Some(Walk::from_root(space.trees.root(self.layer)))
    }

    /// Whether the question is to be asked in further images of the tree.
    #[inline(always)]
    fn has_more_images<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &self,
        question: &Question<P, R, S, D>,
    ) -> bool {
        R::WRAPS && self.layer != NO_LAYER && usize::from(self.image) + 1 < question.images()
    }

    /// Begins again with the layer that the scanner is in.
    #[inline]
    pub(super) fn begin_again(&mut self) {
        if self.layer != NO_LAYER {
            *self = Self::before(self.layers | LayerSet::of_number(self.layer));
        }
    }

    /// Drops all layers but some.
    pub(super) fn restrict(&mut self, layers: LayerSet) {
        self.layers = self.layers & layers;
        if self.layer != NO_LAYER && !layers.has(self.layer) {
            self.layer = NO_LAYER;
            (self.walk, self.chain, self.hits) = (Walk::NOWHERE, None, 0);
            self.batch.clear();
        }
    }

    /// Whether the walk through the tree is over. Buckets that it has passed may still be in the batch.
    #[inline(always)]
    pub(super) fn is_passed(&self) -> bool {
        self.walk.is_over() && self.chain.is_none()
    }

    /// Whether nothing is left in the layer.
    pub(crate) fn is_layer_over<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &self,
        question: &Question<P, R, S, D>,
    ) -> bool {
        self.is_passed() && !self.has_more_images(question) && self.hits == 0 && self.batch.is_empty()
    }

    /// Whether nothing is left after the batch.
    #[inline(always)]
    pub(crate) fn is_over<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
        &self,
        question: &Question<P, R, S, D>,
    ) -> bool {
        self.layers.is_empty() && self.is_passed() && !self.has_more_images(question)
    }

    /// The position of the next hit in the current bucket, which must have one.
    #[inline(always)]
    pub(crate) fn next_hit(&mut self) -> u8 {
        let position = self.hits.trailing_zeros() as u8;
        self.hits &= self.hits.wrapping_sub(1);
        position
    }

    /// The first place in the current bucket, and all of its remaining hits.
    #[inline(always)]
    pub(super) fn take_hits(&mut self) -> (Place, u64) {
        (self.bucket, core::mem::take(&mut self.hits))
    }

    /// Undoes the look-ahead, and takes the rest of the current bucket.
    pub(crate) fn begin_anew<S: Scalar, const D: usize>(&mut self, space: &Space<S, D>) -> (Place, u64) {
        self.rewind(space);
        self.take_hits()
    }

    /// Undoes the look-ahead: nothing after the current bucket counts as begun.
    pub(crate) fn rewind<S: Scalar, const D: usize>(&mut self, space: &Space<S, D>) {
        if !self.batch.is_empty() {
            let bucket = self.bucket.bucket();
            let arena = space.trees.arena();
            self.walk = Walk::after_chain(arena, space.trees.root(self.layer), bucket);
            self.chain = arena.next_in_chain(bucket);
            // It may belong to a later chain.
            self.covered = false;
            self.batch.clear();
        }
    }
}

#[cfg(test)]
mod tests;
