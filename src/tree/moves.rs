//! Moving entries: in place, a whole layer at a time, and to other blocks.
//!
//! Keeps T4 to T7 and S1 of `docs/invariants.md`.

use alloc::vec::Vec;

use super::bucket::{Bucket, positions};
use super::chains::Chains;
use super::{Entry, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Interior, axis_bits, fits_below};
use crate::key::{BucketId, Handle, NodeId, Place};

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// Changes the shape of the entry at a place, if it may stay there; says whether it may.
    #[inline(always)]
    pub(crate) fn move_in_place(&mut self, place: Place, shape: &Rect<S, D>, address: &Address<D>) -> bool {
        let bucket = place.bucket();
        let head = self.arena().head(bucket);
        if !head.keeps(address.anchor, address.extent) {
            return false;
        }
        if B::EXTENDED && head.reach < address.extent {
            self.grow_reach(bucket, address.extent);
        }
        self.arena_mut().bucket_mut(bucket).set_shape(place.position(), shape);
        true
    }

    /// Asks for a new shape of every entry of a layer's tree, and changes those that may stay where they are; returns
    /// their number. The others are added to `leaving`, with their new shapes, which may not be finite.
    pub(crate) fn update(
        &mut self,
        layer: u8,
        mut shape_of: impl FnMut(Handle, Rect<S, D>) -> Rect<S, D>,
        leaving: &mut Vec<(Handle, Rect<S, D>)>,
    ) -> usize {
        let mut in_place = 0;
        let mut buckets = self.buckets_of(layer);
        while let Some(bucket) = buckets.next(self) {
            let used = self.arena().head(bucket).used;
            let interior = self.interior(bucket);
            // Looked up once for all entries, and again only after the unusual.
            let mut entries = self.arena_mut().bucket_mut(bucket);
            for position in positions(used) {
                let handle = entries.handle(position);
                let shape = shape_of(handle, entries.shape(position));
                let stays = if B::EXTENDED { interior.has(&shape) } else { interior.has_point(shape.min()) };
                if !stays {
                    if !self.keep(bucket, &shape) {
                        leaving.push((handle, shape));
                        entries = self.arena_mut().bucket_mut(bucket);
                        continue;
                    }
                    entries = self.arena_mut().bucket_mut(bucket);
                }
                entries.set_shape(position, &shape);
                in_place += 1;
            }
        }
        in_place
    }

    /// Shapes that entries of a bucket may take without leaving it, and without any change but to themselves.
    fn interior(&self, bucket: BucketId) -> Interior<S, D> {
        if self.arena().is_thin(bucket) {
            return Interior::none();
        }
        let head = self.arena().head(bucket);
        // Short ones may have to sink.
        let extent = if head.extent_min_log2 == 0 { head.reach.min(1 << head.extent_max_log2) } else { 0 };
        self.grid().interior(&head.block.units(), extent)
    }

    /// Whether an entry of a bucket may stay there with another shape. Raises the reach if that needs it.
    #[inline(never)]
    fn keep(&mut self, bucket: BucketId, shape: &Rect<S, D>) -> bool {
        let aspect = self.arena().aspect_of(bucket);
        let address = self.grid().address_in(aspect, shape);
        let head = self.arena().head(bucket);
        let keeps = || {
            if aspect.is_square() {
                head.keeps(address.anchor, address.extent)
            } else {
                self.arena().keeps(bucket, &address)
            }
        };
        if shape.finite().is_err() || !keeps() || !self.is_as_far(aspect, &address, shape) {
            return false;
        }
        if B::EXTENDED && head.reach < address.extent {
            self.grow_reach(bucket, address.extent);
        }
        true
    }

    /// Changes the shape of the entry at a place, which may stay there.
    pub(super) fn set_shape(&mut self, place: Place, shape: &Rect<S, D>, address: &Address<D>) {
        let bucket = place.bucket();
        if self.arena().head(bucket).reach < address.extent {
            self.grow_reach(bucket, address.extent);
        }
        self.arena_mut().bucket_mut(bucket).set_shape(place.position(), shape);
    }

    /// Stores the entry at a place elsewhere, by way of the lowest node around its former and its new address; returns
    /// its place.
    #[inline(never)]
    pub(crate) fn move_elsewhere(&mut self, place: Place, entry: &Entry<S, D>) -> Place {
        if let Some(place) = self.move_slender(place, entry) { place } else { self.move_within::<false>(place, entry) }
    }

    /// The same within its tree, in the units of which the address is. `THIN` says whether that is one of thin or far objects.
    #[inline(always)]
    pub(super) fn move_within<const THIN: bool>(&mut self, place: Place, entry: &Entry<S, D>) -> Place {
        let mut top = self.arena().node_of(place);
        while let Some(parent) = self.parent_to_hold(top, &entry.address) {
            top = parent;
        }
        self.prefetch_way(Some(top), || entry.address);
        let left = self.leave::<THIN>(place);
        self.discount(left.node, Some(top));
        self.raise_reach(top, Chains::<B, S, D>::reach_of(entry.address.extent));
        let place = self.insert_below(top, entry);
        self.tidy(left);
        place
    }

    /// The parent of a node, if an object with that address does not belong in the node's subtree.
    #[inline]
    fn parent_to_hold(&self, node: NodeId, address: &Address<D>) -> Option<NodeId> {
        let of = self.arena().node(node);
        let shift_of_parent = of.shift + axis_bits::<D>() as u8;
        let holds = of.block().holds(address.anchor) && fits_below(address.extent, shift_of_parent);
        of.parent.filter(|_| !holds)
    }
}
