//! Objects and whole layers into their trees, and out. The tree is found here, and changed by `forest`.
//!
//! Keeps S1 and its part of L2 of `docs/invariants.md`.

use alloc::vec::Vec;

use super::arena::Summary;
use super::forest::Taken;
use super::{Entry, Tree, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Grid};
use crate::key::{BucketId, Handle, Kind, Place};

/// Single objects.
impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Begins to fetch the bucket where an object with this address is likely to be stored.
    #[inline]
    pub(crate) fn prefetch_way(&self, layer: u8, address: &Address<D>) {
        if self.arena().outgrow_cache()
            && let Some(root) = self.root(layer)
        {
            self.arena().lowest(root, address);
        }
    }

    /// Stores an object, given its units, in the tree of its layer. Returns its place.
    #[inline(always)]
    pub(crate) fn insert(&mut self, layer: u8, entry: &Entry<S, D>) -> Place {
        let root = self.root_or_new(layer);
        self.forest.insert(root, entry)
    }

    /// Changes the shape of the entry at a place if it is of this kind and may stay there. Returns whether it did.
    #[inline(always)]
    pub(crate) fn move_in_place(&mut self, kind: Kind, place: Place, shape: &Rect<S, D>, address: &Address<D>) -> bool {
        if self.arena().head(place.bucket()).is_plain {
            return self.arena().keeps(kind, place.bucket(), address)
                && self.forest.move_in_place(kind, place, shape, address.extent);
        }
        self.move_in_crowd(kind, place, *shape, *address)
    }

    /// As `move_in_place`, for a bucket of a crowd, or of a layer that is divided by size alone.
    #[cold]
    #[inline(never)]
    fn move_in_crowd(&mut self, kind: Kind, place: Place, shape: Rect<S, D>, address: Address<D>) -> bool {
        let (bucket, arena) = (place.bucket(), self.arena());
        // The lowest slot stays.
        let [from, to] = [arena.shape(place), shape].map(|around| Summary { around, ..Summary::NONE });
        let is_same = !arena.head(bucket).more || arena.summary_in(bucket).stays(&from, &to);
        // It would come back to its bucket.
        let comes_back = |top| arena.box_of(bucket).contains(&shape) || arena.closest(top, &shape) == bucket;
        let does_stay = arena.keeps(kind, bucket, &address)
            && (is_same || arena.crowd_of(bucket).is_some_and(comes_back))
            && self.forest.move_in_place(kind, place, &shape, address.extent);
        if does_stay && !is_same {
            self.forest.arena.exchange(bucket, &from, &to);
        }
        does_stay
    }

    /// Whether an entry of a bucket may stay there with a finite shape, which has this address.
    #[inline(always)]
    pub(crate) fn may_stay(&self, kind: Kind, bucket: BucketId, shape: &Rect<S, D>, address: &Address<D>) -> bool {
        let is_inside = !self.arena().head(bucket).more || self.arena().box_of(bucket).contains(shape);
        is_inside && self.arena().keeps(kind, bucket, address)
    }
}

/// Whole layers.
impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Builds the same trees over another grid. Lists no places.
    pub(crate) fn rebuilt(&self, grid: Grid<S, D>) -> Self {
        let mut rebuilt = Self::new(grid);
        for (layer, tree) in (0..).zip(&self.list) {
            if let Some(Tree { rules, .. }) = *tree {
                rebuilt.add_tree(layer, rules);
                rebuilt.build(layer, &self.entries(layer));
            }
        }
        rebuilt
    }

    /// Rebuilds a layer's tree from its entries and new ones. Lists no places.
    pub(crate) fn build_with(&mut self, layer: u8, mut new: Vec<(Rect<S, D>, Handle)>) {
        let mut entries = self.entries(layer);
        if entries.is_empty() {
            entries = new;
        } else {
            entries.append(&mut new);
        }
        self.clear(layer);
        self.build(layer, &entries);
    }

    /// Rebuilds a layer's tree, with new shapes for the entries at some positions of buckets. Lists no places.
    pub(crate) fn build_moved(&mut self, layer: u8, taken: &Taken, moved: Vec<(Rect<S, D>, Handle)>) {
        self.forest.blank(taken);
        self.build_with(layer, moved);
    }

    /// Frees all nodes and buckets of a layer's tree. The rules stay.
    pub(crate) fn clear(&mut self, layer: u8) {
        let tree = self.list[usize::from(layer)].as_mut().expect("the index names living layers only");
        if let Some(root) = tree.root.take() {
            self.forest.clear(root);
        }
    }

    /// Whether there is room for a layer's tree, built anew from its entries and new ones: counted.
    #[cold]
    pub(crate) fn has_room_with(&self, layer: u8, new: &[(Rect<S, D>, Handle)]) -> bool {
        let mut entries = self.entries(layer);
        entries.extend_from_slice(new);
        self.has_room_to_build(layer, &entries)
    }

    /// Whether there is room for a layer's tree, built anew from these entries: counted.
    #[cold]
    pub(super) fn has_room_to_build(&self, layer: u8, entries: &[(Rect<S, D>, Handle)]) -> bool {
        let kind = self.living_rules(layer).kind;
        self.count(layer, entries) <= self.arena().buckets().room(kind) + self.buckets_of(layer).len()
    }

    /// How many buckets a layer's tree takes, built anew from these entries.
    pub(crate) fn count(&self, layer: u8, entries: &[(Rect<S, D>, Handle)]) -> usize {
        self.forest.count(self.living_rules(layer), entries)
    }

    /// Stores entries in a layer's tree, which must be empty. Lists no places.
    pub(super) fn build(&mut self, layer: u8, entries: &[(Rect<S, D>, Handle)]) {
        let root = self.root_or_new(layer);
        self.forest.build(root, entries);
    }
}
