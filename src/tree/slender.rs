//! The trees of thin and of far objects: a layer has one more tree for each aspect of its objects. Nearly always there
//! are none.
//!
//! Objects that lie outside the grid wholly, and no others, are in the tree of the larger grid that is meant for them.
//! Among the other aspects one is chosen when an object is stored in another block; until then it may no longer fit the
//! object's shape, which costs time but changes no result.
//!
//! Keeps its part of L1 of `docs/invariants.md`.

use alloc::vec::Vec;

use super::bucket::Bucket;
use super::slender_tree::SlenderTree;
use super::{Entry, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Aspect};
use crate::key::{BucketId, Handle, NodeId, Place};

/// The entries of a layer's trees of thin and far objects.
pub(super) type Slender<S, const D: usize> = Vec<(Aspect, Vec<(Rect<S, D>, Handle)>)>;

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// The root of a layer's tree of an aspect, if there is one.
    #[inline]
    pub(crate) fn root_in(&self, layer: u8, aspect: Aspect) -> Option<NodeId> {
        if aspect.is_square() { self.root(layer) } else { self.slender_root(layer, aspect) }
    }

    #[cold]
    fn slender_root(&self, layer: u8, aspect: Aspect) -> Option<NodeId> {
        self.slender.iter().find(|tree| (tree.layer, tree.aspect) == (layer, aspect)).map(|tree| tree.root)
    }

    /// Whether any layer has trees of thin or far objects.
    #[inline]
    pub(crate) fn has_slender(&self) -> bool {
        !self.slender.is_empty()
    }

    /// The aspect of a layer's tree that follows the one of `aspect`. Trees that have become empty are left out.
    #[inline]
    pub(crate) fn next_aspect(&self, layer: u8, aspect: Aspect) -> Option<Aspect> {
        if self.has_slender() { self.next_slender(layer, aspect) } else { None }
    }

    #[cold]
    fn next_slender(&self, layer: u8, after: Aspect) -> Option<Aspect> {
        let follows = |tree: &&SlenderTree| tree.layer == layer && after < tree.aspect;
        let is_used = |tree: &&SlenderTree| self.arena().node(tree.root).len != 0;
        self.slender.iter().find(|tree| follows(tree) && is_used(tree)).map(|tree| tree.aspect)
    }

    /// The aspects of a layer's trees of thin or far objects, empty ones too.
    pub(crate) fn slender_aspects(&self, layer: u8) -> impl Iterator<Item = Aspect> + '_ {
        self.slender.iter().filter(move |tree| tree.layer == layer).map(|tree| tree.aspect)
    }

    /// The aspects of a layer's trees.
    pub(crate) fn aspects(&self, layer: u8) -> impl Iterator<Item = Aspect> + '_ {
        core::iter::successors(Some(Aspect::SQUARE), move |&aspect| self.next_aspect(layer, aspect))
    }

    /// The root of a layer's tree of an aspect, which is made if there is none.
    fn slender_root_or_new(&mut self, layer: u8, aspect: Aspect) -> NodeId {
        // A layer with objects has a tree of the grid's aspect, though it may be empty.
        let square = self.root_or_new(layer);
        let at = self.slender.partition_point(|tree| (tree.layer, tree.aspect) < (layer, aspect));
        if let Some(tree) = self.slender.get(at).filter(|tree| (tree.layer, tree.aspect) == (layer, aspect)) {
            return tree.root;
        }
        let rules = self.arena().node(square).rules;
        let root = self.arena_mut().new_root(layer, super::Rules { aspect, ..rules });
        self.slender.insert(at, SlenderTree { layer, aspect, root });
        root
    }

    /// The root where a build begins: that of a tree of an aspect, which is made if there is none.
    pub(super) fn root_or_new_in(&mut self, layer: u8, aspect: Aspect) -> NodeId {
        if aspect.is_square() { self.root_or_new(layer) } else { self.slender_root_or_new(layer, aspect) }
    }

    /// Takes the roots of a layer's trees of thin or far objects.
    pub(super) fn take_slender_roots(&mut self, layer: u8) -> impl Iterator<Item = NodeId> + use<B, S, D> {
        let (gone, left) = core::mem::take(&mut self.slender).into_iter().partition(|tree| tree.layer == layer);
        self.slender = left;
        Vec::into_iter(gone).map(|tree: SlenderTree| tree.root)
    }

    /// The number of objects in a layer's trees of thin or far objects.
    #[cold]
    pub(super) fn len_of_slender(&self, layer: u8) -> usize {
        let of_layer = self.slender.iter().filter(|tree| tree.layer == layer);
        of_layer.map(|tree| self.arena().node(tree.root).len as usize).sum()
    }

    /// The entries of a layer's trees of thin or far objects.
    pub(super) fn slender_entries(&self, layer: u8) -> Slender<S, D> {
        self.aspects(layer).skip(1).map(|aspect| (aspect, self.entries_in(layer, aspect))).collect()
    }

    /// The aspect for an object in a layer, among so many objects.
    pub(super) fn aspect_for(&self, layer: u8, shape: &Rect<S, D>, objects: usize) -> Aspect {
        let units = self.grid().range(shape);
        let far = self.grid().far_aspect(&Address::of(&units), shape);
        if !B::EXTENDED || far.is_far() {
            return far;
        }
        let per_block = self.by_layer[usize::from(layer)].map_or(1, |tree| tree.rules.split_above);
        Aspect::of(&units, objects, per_block)
    }

    /// Whether an object with that address lies outside the grid wholly.
    #[inline]
    pub(super) fn is_far(&self, address: &Address<D>, shape: &Rect<S, D>) -> bool {
        self.grid().far_aspect(address, shape).is_far()
    }

    /// Whether an object with that address, in the units of an aspect, may be in a tree of that aspect, by how far it is.
    #[inline]
    pub(super) fn is_as_far(&self, aspect: Aspect, address: &Address<D>, shape: &Rect<S, D>) -> bool {
        if aspect.is_square() {
            return !self.is_far(address, shape);
        }
        let far = self.grid().far_aspect(&self.grid().address(shape), shape);
        if aspect.is_far() { far == aspect } else { !far.is_far() }
    }

    /// Whether an object of that extent is longer than objects of a layer lie apart.
    #[inline]
    pub(crate) fn is_long(&self, layer: u8, extent: u32) -> bool {
        Aspect::least_long::<D>(self.len(layer)) <= extent + 1
    }

    /// Stores an object in a layer, if it is thin and long, or far; returns its place.
    pub(crate) fn insert_slender(&mut self, layer: u8, entry: &Entry<S, D>) -> Option<Place> {
        let &Entry { shape, handle, address } = entry;
        let far = self.grid().far_aspect(&address, &shape);
        let aspect = if far.is_far() {
            far
        } else if B::EXTENDED && self.is_long(layer, address.extent) {
            self.aspect_for(layer, &shape, self.len(layer))
        } else {
            return None;
        };
        Some(self.insert_in(layer, aspect, shape, handle))
    }

    /// Stores an object in a layer's tree of an aspect; returns its place.
    fn insert_in(&mut self, layer: u8, aspect: Aspect, shape: Rect<S, D>, handle: Handle) -> Place {
        let entry = Entry { shape, handle, address: self.grid().address_in(aspect, &shape) };
        let root = self.root_or_new_in(layer, aspect);
        self.count_in(root, &entry);
        self.insert_below(root, &entry)
    }

    /// Stores the entry at a place elsewhere, if it is thin or far now or is stored as such; returns its place.
    #[inline]
    pub(super) fn move_slender(&mut self, place: Place, entry: &Entry<S, D>) -> Option<Place> {
        let aspect = self.aspect_of(place.bucket());
        let layer = || self.arena().layer_of(place);
        let is_thin =
            || B::EXTENDED && Aspect::may_be_thin(&entry.shape) && self.is_long(layer(), entry.address.extent);
        let is_ordinary = aspect.is_square() && entry.address.is_inside() && !is_thin();
        if is_ordinary { None } else { Some(self.move_to_aspect(place, entry, aspect)) }
    }

    #[cold]
    #[inline(never)]
    fn move_to_aspect(&mut self, place: Place, entry: &Entry<S, D>, from: Aspect) -> Place {
        let &Entry { shape, handle, .. } = entry;
        let bucket = place.bucket();
        let address = self.grid().address_in(from, &shape);
        if self.arena().keeps(bucket, &address) && self.is_as_far(from, &address, &shape) {
            self.set_shape(place, &shape, &address);
            return place;
        }
        let layer = self.arena().layer_of(place);
        let to = self.aspect_for(layer, &shape, self.len(layer));
        if to == from {
            let entry = Entry { shape, handle, address };
            return if to.is_square() {
                self.move_within::<false>(place, &entry)
            } else {
                self.move_within::<true>(place, &entry)
            };
        }
        // It leaves its old node last, so that a new one has another number.
        let moved = if to.is_square() {
            self.insert(layer, &Entry { shape, handle, address: self.grid().address(&shape) })
        } else {
            self.insert_in(layer, to, shape, handle)
        };
        self.remove(place);
        moved
    }

    /// The aspect of the tree that a bucket is in.
    #[inline]
    pub(crate) fn aspect_of(&self, bucket: BucketId) -> Aspect {
        self.arena().aspect_of(bucket)
    }
}
