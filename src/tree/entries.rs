//! All buckets and entries of a layer's tree, listed.

use alloc::vec;
use alloc::vec::Vec;

use super::Trees;
use super::arena::Arena;
use super::bucket::{positions, with_kind};
use super::forest::Taken;
use super::probe::Everything;
use super::walk::Walk;
use crate::geometry::{Rect, Scalar};
use crate::key::{BucketId, Handle, Place};

impl<S: Scalar, const D: usize> Arena<S, D> {
    /// The places of the entries of a chain.
    pub(crate) fn places_in_chain(&self, first: BucketId) -> impl Iterator<Item = Place> + '_ {
        self.chain(Some(first)).flat_map(|bucket| self.places_in(bucket))
    }

    /// The places of the entries of a bucket.
    pub(crate) fn places_in(&self, bucket: BucketId) -> impl Iterator<Item = Place> + use<S, D> {
        positions(self.head(bucket).used).map(move |position| Place::new(bucket, position))
    }
}

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// The places of the entries of a layer's tree, depth-first.
    pub(crate) fn places(&self, layer: u8) -> impl Iterator<Item = Place> + '_ {
        self.buckets_in_order(layer).flat_map(|bucket| self.arena().places_in(bucket))
    }

    /// The buckets of a layer's tree, depth-first.
    fn buckets_in_order(&self, layer: u8) -> impl Iterator<Item = BucketId> + '_ {
        let (mut walk, arena) = (Walk::from_root(self.root(layer)), self.arena());
        let chains = core::iter::from_fn(move || walk.next_chain(arena, &Everything));
        chains.flat_map(|(first, _)| arena.chain(Some(first)))
    }

    /// The buckets of a layer in the order of memory, or depth-first if there are more buckets than objects of the layer.
    pub(crate) fn buckets_of(&self, layer: u8) -> Vec<BucketId> {
        if self.is_among_many(layer) {
            return self.buckets_in_order(layer).collect();
        }
        let (buckets, kind) = (self.arena().buckets(), self.living_rules(layer).kind);
        let all = (0..buckets.len(kind)).filter_map(|position| buckets.nth(kind, position));
        all.filter(|&bucket| self.is_of_layer(bucket, layer)).collect()
    }

    /// Whether there are more buckets of its kind than objects of a layer. In the order of memory, skipping a bucket of
    /// another layer costs about as much as visiting an object.
    pub(super) fn is_among_many(&self, layer: u8) -> bool {
        self.len(layer) < self.arena().buckets().len(self.living_rules(layer).kind)
    }

    /// Whether a bucket is in use by a layer.
    pub(super) fn is_of_layer(&self, bucket: BucketId, layer: u8) -> bool {
        let head = self.arena().head(bucket);
        head.used != 0 && self.arena().node(head.node).layer == layer
    }

    /// All buckets in use, of all layers.
    pub(crate) fn all_buckets(&self) -> Vec<BucketId> {
        let numbers = 0..self.arena().buckets_len() as u32;
        numbers.map(BucketId::numbered).filter(|&bucket| self.arena().head(bucket).used != 0).collect()
    }

    /// Places by rising bucket, each once.
    pub(crate) fn by_bucket(&self, places: impl ExactSizeIterator<Item = Place>) -> Taken {
        let buckets = self.arena().buckets_len();
        // Sorting a place costs more than clearing and reading some bits.
        if places.len() < buckets / 16 {
            let mut sorted: Vec<_> = places.collect();
            sorted.sort_unstable();
            let of_bucket = |places: &[Place]| {
                let bits = places.iter().fold(0, |bits, place| bits | 1 << place.position());
                (places[0].bucket(), bits)
            };
            return sorted.chunk_by(|a, b| a.bucket() == b.bucket()).map(of_bucket).collect();
        }
        let mut bits = vec![0_u64; buckets];
        places.for_each(|place| bits[place.bucket().index()] |= 1 << place.position());
        (0..).map(BucketId::numbered).zip(bits).filter(|&(_, bits)| bits != 0).collect()
    }

    /// The same; `None` if a place comes twice.
    pub(crate) fn by_bucket_once(&self, places: impl ExactSizeIterator<Item = Place>) -> Option<Taken> {
        let len = places.len();
        let taken = self.by_bucket(places);
        let all: u32 = taken.iter().map(|(_, bits)| bits.count_ones()).sum();
        (all as usize == len).then_some(taken)
    }

    /// The entries of a layer's tree, depth-first.
    pub(crate) fn entries(&self, layer: u8) -> Vec<(Rect<S, D>, Handle)> {
        let mut entries = Vec::with_capacity(self.len(layer));
        for bucket in self.buckets_in_order(layer) {
            let positions = positions(self.arena().head(bucket).used);
            with_kind!(self.arena().bucket(bucket), |stored| {
                entries.extend(positions.map(|position| (stored.shape(position), stored.handle(position))));
            });
        }
        entries
    }
}
