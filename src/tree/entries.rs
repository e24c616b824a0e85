//! All entries of a tree: listing them, and freeing them together with their nodes and buckets.
//!
//! Keeps T9 of `docs/invariants.md`.

use alloc::vec::Vec;

use super::Trees;
use super::arena::Slot;
use super::bucket::{Bucket, positions};
use super::walk::{Everything, Walk};
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, NodeId, Place};

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// The places of the entries of a layer's tree, depth-first.
    pub(crate) fn places(&self, layer: u8) -> impl Iterator<Item = Place> + '_ {
        let mut walk = Walk::over(self.root(layer));
        let arena = self.arena();
        let chains = core::iter::from_fn(move || walk.next_chain(arena, &Everything));
        chains.flat_map(|(first, _)| arena.chain(Some(first))).flat_map(|bucket| {
            positions(arena.head(bucket).used).map(move |position| Place::new(B::KIND, bucket, position))
        })
    }

    /// The entries of a layer's tree, depth-first.
    pub(crate) fn entries(&self, layer: u8) -> Vec<(Rect<S, D>, Handle)> {
        let mut entries = Vec::with_capacity(self.len(layer));
        entries.extend(self.places(layer).map(|place| (self.arena().shape(place), self.arena().handle(place))));
        entries
    }

    /// Frees all nodes and buckets of a layer's tree. The tree's rules stay.
    pub(crate) fn clear(&mut self, layer: u8) {
        if let Some(root) = self.root(layer) {
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
