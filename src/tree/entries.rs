//! All entries of a tree: listing them, and freeing them together with their nodes and buckets.
//!
//! Keeps T9 of `docs/invariants.md`.

use alloc::vec::Vec;

use super::Trees;
use super::arena::Slot;
use super::bucket::{Bucket, positions};
use super::walk::{Everything, Walk};
use crate::geometry::{Rect, Scalar};
use crate::grid::Aspect;
use crate::key::{Handle, NodeId, Place};

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// The places of the entries of a layer's trees, depth-first.
    pub(crate) fn places(&self, layer: u8) -> impl Iterator<Item = Place> + '_ {
        self.aspects(layer).flat_map(move |aspect| self.places_in(layer, aspect))
    }

    /// The places of the entries of a layer's tree of an aspect, depth-first.
    fn places_in(&self, layer: u8, aspect: Aspect) -> impl Iterator<Item = Place> + '_ {
        let mut walk = Walk::from_root(self.root_in(layer, aspect));
        let arena = self.arena();
        let chains = core::iter::from_fn(move || walk.next_chain(arena, &Everything));
        chains.flat_map(|(first, _)| arena.chain(Some(first))).flat_map(|bucket| {
            positions(arena.head(bucket).used).map(move |position| Place::new(B::KIND, bucket, position))
        })
    }

    /// The entries of a layer's trees, depth-first.
    pub(crate) fn entries(&self, layer: u8) -> impl Iterator<Item = (Rect<S, D>, Handle)> + '_ {
        self.places(layer).map(|place| self.entry(place))
    }

    /// The entries of a layer's tree of an aspect, depth-first.
    pub(crate) fn entries_in(&self, layer: u8, aspect: Aspect) -> Vec<(Rect<S, D>, Handle)> {
        let root = self.root_in(layer, aspect);
        let mut entries = Vec::with_capacity(root.map_or(0, |root| self.arena().node(root).len as usize));
        entries.extend(self.places_in(layer, aspect).map(|place| self.entry(place)));
        entries
    }

    fn entry(&self, place: Place) -> (Rect<S, D>, Handle) {
        (self.arena().shape(place), self.arena().handle(place))
    }

    /// Frees all nodes and buckets of a layer's trees. The rules stay.
    pub(crate) fn clear(&mut self, layer: u8) {
        if let Some(root) = self.root(layer) {
            self.free_subtree(root);
        }
        for root in self.take_slender_roots(layer) {
            self.free_subtree(root);
        }
        if let Some(Some(tree)) = self.by_layer.get_mut(usize::from(layer)) {
            tree.root = None;
        }
    }

    fn free_subtree(&mut self, node: NodeId) {
        let mut cells = self.arena().node(node).occupied();
        while let Some((_, slot)) = self.arena().node(node).next_slot(&mut cells) {
            match slot {
                Slot::Child(child) => self.free_subtree(child),
                Slot::Bucket(first) => self.chains.free(Some(first)),
                Slot::Vacant => {}
            }
        }
        self.chains.free(self.arena().node(node).own());
        self.arena_mut().free_node(node);
    }
}
