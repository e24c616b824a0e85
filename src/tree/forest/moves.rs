//! Moving an entry: in place, and to another block of its tree.
//!
//! Keeps T4 to T7 of `docs/invariants.md`.

use super::super::bucket::OfKind;
use super::Forest;
use super::chains::Entry;
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, axis_bits, fits_below};
use crate::key::{Kind, NodeId, Place};

impl<S: Scalar, const D: usize> Forest<S, D> {
    /// Gives the entry at a place, which may stay there, a shape of this extent. Returns whether it is of this kind, and did.
    #[inline(always)]
    pub(crate) fn move_in_place(&mut self, kind: Kind, place: Place, shape: &Rect<S, D>, extent: u32) -> bool {
        let bucket = place.bucket();
        let is_longer = self.arena.head(bucket).reach < extent;
        match (kind, self.arena.bucket_mut(bucket)) {
            (Kind::Points, OfKind::Points(stored)) => stored.set_shape(place.position(), shape),
            (Kind::Rects, OfKind::Rects(stored)) => stored.set_shape(place.position(), shape),
            _ => return false,
        }
        if is_longer {
            self.grow_reach(bucket, extent);
        }
        true
    }

    /// Stores the entry at a place elsewhere, from the lowest node around its old and its new address. Returns its new
    /// place.
    #[inline(never)]
    pub(crate) fn move_within(&mut self, place: Place, entry: &Entry<S, D>) -> Place {
        let top = self.top_of_move(place, &entry.address);
        let node = if self.arena.outgrow_cache() { self.arena.lowest(top, &entry.address) } else { top };
        let vacated = self.take_out(place);
        self.count_out(vacated.node, Some(top), 1);
        let mut counted = node;
        while counted != top {
            counted = self.count_in(counted, entry).parent.expect("the node is below the top");
        }
        let is_own = !self.arena.node(top).sinks(entry.address.extent);
        self.raise_reach(top, is_own, entry.reach);
        let place = self.insert_below(node, entry);
        self.repair(vacated);
        place
    }

    /// Begins to fetch the memory that a move of the entry at a place to a finite shape is likely to need.
    #[inline]
    pub(crate) fn prefetch_move(&self, kind: Kind, place: Place, shape: &Rect<S, D>) {
        let address = self.grid.address_of_move(kind, shape);
        self.arena.lowest(self.top_of_move(place, &address), &address);
    }

    /// The lowest node around the entry at a place and an address.
    #[inline(always)]
    fn top_of_move(&self, place: Place, address: &Address<D>) -> NodeId {
        let mut top = self.arena.node_of(place);
        while let Some(parent) = self.parent_to_hold(top, address) {
            top = parent;
        }
        top
    }

    /// The parent of a node, if an object with this address does not belong in the node's subtree.
    #[inline]
    fn parent_to_hold(&self, node: NodeId, address: &Address<D>) -> Option<NodeId> {
        let of = self.arena.node(node);
        let shift_of_parent = of.shift + axis_bits::<D>() as u8;
        let holds = of.block().holds(address.anchor) && fits_below(address.extent, shift_of_parent);
        of.parent.filter(|_| !holds)
    }
}
