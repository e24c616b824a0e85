//! Moving entries: in place, a whole layer at a time, and to other blocks.
//!
//! Keeps T4 to T7 and S1 of `docs/invariants.md`.

use alloc::vec::Vec;

use super::bucket::{OfKind, with_kind};
use super::{Entry, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Interior, axis_bits, fits_below};
use crate::key::{BucketId, Handle, Kind, NodeId, Place};

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Changes the shape of the entry at a place if it is of this kind and may stay there. Returns whether it did.
    #[inline(always)]
    pub(crate) fn move_in_place(&mut self, kind: Kind, place: Place, shape: &Rect<S, D>, address: &Address<D>) -> bool {
        let bucket = place.bucket();
        let head = self.arena().head(bucket);
        let is_longer = head.reach < address.extent;
        if !head.keeps(address.anchor, address.extent) {
            return false;
        }
        match (kind, self.arena_mut().bucket_mut(bucket)) {
            (Kind::Points, OfKind::Points(stored)) => stored.set_shape(place.position(), shape),
            (Kind::Rects, OfKind::Rects(stored)) => stored.set_shape(place.position(), shape),
            _ => return false,
        }
        if is_longer {
            self.grow_reach(bucket, address.extent);
        }
        true
    }

    /// Asks for a new shape for every entry of a layer's trees. Changes those that may stay where they are, and returns
    /// their number. Adds the others to `leaving` with their new shapes, which may be non-finite.
    pub(crate) fn update(
        &mut self,
        layer: u8,
        mut shape_of: impl FnMut(Handle, Rect<S, D>) -> Rect<S, D>,
        leaving: &mut Vec<(Handle, Rect<S, D>)>,
    ) -> usize {
        let mut in_place = 0;
        for bucket in self.buckets_of(layer) {
            let mut left = self.arena().head(bucket).used;
            let interior = self.interior(bucket);
            in_place += left.count_ones() as usize;
            while let Some((position, shape)) = with_kind!(self.arena_mut().bucket_mut(bucket), |stored| {
                stored.update(&mut left, &interior, &mut shape_of)
            }) {
                let place = Place::new(bucket, position);
                if !self.set_shape_if_kept(place, &shape) {
                    in_place -= 1;
                    leaving.push((self.arena().handle(place), shape));
                }
            }
        }
        in_place
    }

    /// Shapes that entries of a bucket may take without leaving it and without raising a reach.
    fn interior(&self, bucket: BucketId) -> Interior<S, D> {
        let head = self.arena().head(bucket);
        if !head.is_over_main() {
            return Interior::none();
        }
        // With a lower limit, short entries may have to sink.
        let extent = if head.extent_min_log2 == 0 { head.reach.min(head.extent_max()) } else { 0 };
        self.grid().interior(&head.block.units(), extent)
    }

    /// Changes the shape of the entry at a place in any tree, if the shape is finite and the entry may stay there.
    /// Returns whether it did.
    #[inline(never)]
    fn set_shape_if_kept(&mut self, place: Place, shape: &Rect<S, D>) -> bool {
        let bucket = place.bucket();
        let address = self.grid_of(bucket).address(shape);
        let stays = shape.check_finite().is_ok()
            && self.arena().keeps(bucket, &address)
            && self.may_be_over(self.arena().grid_id(bucket), shape);
        if stays {
            if self.arena().head(bucket).reach < address.extent {
                self.grow_reach(bucket, address.extent);
            }
            self.arena_mut().set_shape(place, shape);
        }
        stays
    }

    /// Stores the entry at a place elsewhere, given its new address over the main grid. Returns its new place.
    #[inline(never)]
    pub(crate) fn move_elsewhere(&mut self, place: Place, entry: &Entry<S, D>) -> Place {
        if self.stays_in_main(place, entry) { self.move_within(place, entry) } else { self.move_chosen(place, entry) }
    }

    /// As `move_elsewhere`, for an entry that is in a tree other than the main one, or may belong in one.
    #[cold]
    #[inline(never)]
    fn move_chosen(&mut self, place: Place, &Entry { shape, handle, .. }: &Entry<S, D>) -> Place {
        if self.set_shape_if_kept(place, &shape) {
            return place;
        }
        let (layer, from) = (self.arena().layer_of(place), self.arena().grid_id(place.bucket()));
        let to = self.choose(layer, &shape, self.len(layer));
        if to == from {
            let address = self.grid_of(place.bucket()).address(&shape);
            return self
                .move_within(place, &Entry::new(self.arena().buckets().kind(place.bucket()), shape, handle, address));
        }
        // It leaves its old node last, so that no new node gets the old one's number.
        let moved = self.insert_over(layer, to, shape, handle);
        self.remove(place);
        moved
    }

    /// Stores the entry at a place elsewhere in its tree, from the lowest node around its old and its new address.
    /// Returns its new place.
    #[inline(always)]
    fn move_within(&mut self, place: Place, entry: &Entry<S, D>) -> Place {
        let mut top = self.arena().node_of(place);
        while let Some(parent) = self.parent_to_hold(top, &entry.address) {
            top = parent;
        }
        self.prefetch_way(Some(top), || entry.address);
        let vacated = self.take_out(place);
        self.count_out(vacated.node, Some(top));
        self.raise_reach(top, entry.reach);
        let place = self.insert_below(top, entry);
        self.repair(vacated);
        place
    }

    /// The parent of a node, if an object with this address does not belong in the node's subtree.
    #[inline]
    fn parent_to_hold(&self, node: NodeId, address: &Address<D>) -> Option<NodeId> {
        let of = self.arena().node(node);
        let shift_of_parent = of.shift + axis_bits::<D>() as u8;
        let holds = of.block().holds(address.anchor) && fits_below(address.extent, shift_of_parent);
        of.parent.filter(|_| !holds)
    }
}
