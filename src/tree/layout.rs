//! Whole trees: freeing them, and packing nodes and buckets depth-first into memory of exactly their size.

use alloc::vec::Vec;

use super::{Bucket, Everything, Head, Link, Slot, Tree, Trees, Walk, positions};
use crate::geometry::Scalar;
use crate::key::{BucketId, Handle, NodeId, Place};

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
        while let Some((_, slot)) = self.next_slot(node, &mut cells) {
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

impl<S: Scalar, const D: usize, B: Bucket<S, D> + Clone> Trees<B, S, D> {
    /// The same trees without free nodes and buckets, depth-first in memory of exactly their size.
    pub(crate) fn packed(&self) -> Self {
        let mut packed = Self {
            by_layer: self.by_layer.clone(),
            nodes: Vec::with_capacity(self.nodes_used()),
            heads: Vec::with_capacity(self.buckets_used()),
            links: Vec::with_capacity(self.buckets_used()),
            buckets: Vec::with_capacity(self.buckets_used()),
            ..Self::new()
        };
        for layer in 0..self.by_layer.len() {
            let root = self.root(layer as u8);
            if let (Some(tree), false) = (self.by_layer[layer], root.is_none()) {
                let root = packed.pack_subtree(self, root, NodeId::NONE);
                packed.by_layer[layer] = Some(Tree { root, ..tree });
            }
        }
        packed
    }

    /// Copies a subtree to the end of this arena.
    fn pack_subtree(&mut self, from: &Self, node: NodeId, parent: NodeId) -> NodeId {
        let of = from.node(node);
        let copy = NodeId::next(self.nodes.len());
        self.nodes.push(of.clone());
        self.node_mut(copy).parent = parent;
        let mut cells = of.occupied();
        while let Some((cell, slot)) = from.next_slot(node, &mut cells) {
            match slot {
                Slot::Child(child) => {
                    let child = self.pack_subtree(from, child, copy);
                    self.node_mut(copy).set_child(cell, child);
                }
                Slot::Bucket(first) => self.pack_chain(from, first, copy),
                Slot::Vacant => {}
            }
        }
        if !of.own().is_none() {
            self.pack_chain(from, of.own(), copy);
        }
        copy
    }

    /// Copies a chain to the end of this arena and enters it in the directory.
    fn pack_chain(&mut self, from: &Self, first: BucketId, node: NodeId) {
        let copy = BucketId::next(self.heads.len());
        for bucket in from.chain(first) {
            self.heads.push(Head { node, ..*from.head(bucket) });
            self.links.push(Link { next: BucketId::next(self.links.len() + 1), rest: from.rest_of_chain(bucket) });
            self.buckets.push(from.bucket(bucket).clone());
        }
        self.enter_in_directory(copy);
    }

    /// All entries with their places, for the relinking after `packed`.
    pub(crate) fn all_places(&self) -> impl Iterator<Item = (Handle, Place)> + '_ {
        let layers = (0..self.by_layer.len()).map(|layer| layer as u8);
        layers.flat_map(|layer| self.places(layer)).map(|place| (self.handle(place), place))
    }
}
