//! Moving entries: in place, a whole layer at a time, and to other blocks.
//!
//! Keeps T4 to T7 and S1 of `docs/invariants.md`.

use alloc::vec::Vec;

use super::arena::Head;
use super::bucket::{Bucket, positions};
use super::chains::Chains;
use super::{Entry, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, axis_bits, fits_below};
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

    /// Asks for a new shape of every entry of a layer's tree, in the order of memory, and changes those that may stay
    /// where they are; returns their number. The others are added to `leaving`, with their new shapes.
    pub(crate) fn update(
        &mut self,
        layer: u8,
        mut shape_of: impl FnMut(Handle, Rect<S, D>) -> Option<Rect<S, D>>,
        leaving: &mut Vec<(Handle, Rect<S, D>)>,
    ) -> usize {
        let grid = *self.grid();
        let mut in_place = 0;
        for number in 0..self.arena().buckets_len() {
            let bucket = BucketId::numbered(number as u32);
            let Head { used, node, .. } = *self.arena().head(bucket);
            if used == 0 || self.arena().node(node).layer != layer {
                continue;
            }
            // Looked up once for all entries, and again only after one has grown.
            let (mut head, mut entries) = self.chains.arena_mut().head_and_bucket_mut(bucket);
            for position in positions(used) {
                let handle = entries.handle(position);
                let Some(shape) = shape_of(handle, entries.shape(position)) else { continue };
                let Address { anchor, extent } = grid.address(&shape);
                if !head.keeps(anchor, extent) {
                    leaving.push((handle, shape));
                    continue;
                }
                if B::EXTENDED && head.reach < extent {
                    self.grow_reach(bucket, extent);
                    (head, entries) = self.chains.arena_mut().head_and_bucket_mut(bucket);
                }
                entries.set_shape(position, &shape);
                in_place += 1;
            }
        }
        in_place
    }

    /// Stores the entry at a place elsewhere, by way of the lowest node around its former and its new address; returns
    /// its place.
    pub(crate) fn move_elsewhere(&mut self, place: Place, entry: &Entry<S, D>) -> Place {
        let mut top = self.arena().node_of(place);
        while let Some(parent) = self.parent_to_hold(top, &entry.address) {
            top = parent;
        }
        self.prefetch_way(Some(top), || entry.address);
        let left = self.leave(place);
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
