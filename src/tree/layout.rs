//! Whole trees: freeing them, and listing their entries.

use super::{Bucket, Everything, Slot, Trees, Walk, positions};
use crate::geometry::Scalar;
use crate::key::{BucketId, NodeId, Place};

impl<S: Scalar, const D: usize, B: Bucket<S, D>> Trees<B, S, D> {
    /// Frees all nodes and buckets of a layer's tree; its rules stay.
    pub(crate) fn clear(&mut self, layer: u8) {
        let root = self.root(layer);
        if !root.is_none() {
            self.free_subtree(root);
        }
        if let Some(Some(tree)) = self.by_layer.get_mut(usize::from(layer)) {
            tree.root = NodeId::NONE;
        }
    }

    fn free_subtree(&mut self, node: NodeId) {
        let mut cells = self.node(node).occupied();
        while let Some((_, slot)) = self.node(node).next_slot(&mut cells) {
            match slot {
                Slot::Child(child) => self.free_subtree(child),
                Slot::Bucket(first) => self.free_chain(first),
                Slot::Vacant => {}
            }
        }
        self.free_chain(self.node(node).own());
        self.free_node(node);
    }

    fn free_chain(&mut self, first: BucketId) {
        let mut bucket = first;
        while !bucket.is_none() {
            let next = self.next_in_chain(bucket);
            for position in positions(self.head(bucket).used) {
                self.bucket_mut(bucket).vacate(position);
            }
            self.free_bucket(bucket);
            bucket = next;
        }
    }

    /// The entries of a layer's tree, depth-first.
    pub(crate) fn places(&self, layer: u8) -> impl Iterator<Item = Place> + '_ {
        let mut walk = Walk::over(self.root(layer));
        let chains = core::iter::from_fn(move || walk.next_chain(self, &Everything));
        chains.flat_map(|(first, _)| self.chain(first)).flat_map(|bucket| {
            positions(self.head(bucket).used).map(move |position| Place::new(B::KIND, bucket, position))
        })
    }
}
