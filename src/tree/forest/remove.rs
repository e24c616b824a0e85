//! Removal: taking entries out, and merging and lowering reaches on the way up.
//!
//! Keeps T7 and T9 of `docs/invariants.md`, and with `reach` and `merge` T6 and T8.

use super::super::arena::{Head, OWN_LIST, Slot};
use super::super::bucket::OfKind;
use super::Forest;
use crate::geometry::Scalar;
use crate::key::{NodeId, Place};

/// The part of the tree from which an entry was taken.
#[derive(Clone, Copy)]
pub(super) struct Vacated {
    pub(super) node: NodeId,
    /// The first cell of its block, or [`OWN_LIST`].
    pub(super) cell: u8,
    /// The reach that it needed, if it may have determined the reach of its block or own list; otherwise 0.
    pub(super) reach: u32,
    /// Whether its block may be merged with a neighbour now.
    pub(super) is_sparse: bool,
}

impl<S: Scalar, const D: usize> Forest<S, D> {
    /// Removes the entry at a place.
    #[inline(never)]
    pub(crate) fn remove(&mut self, place: Place) {
        let vacated = self.take_out(place);
        self.count_out(vacated.node, None, 1);
        self.repair(vacated);
    }

    /// Takes the entry at a place out of its chain.
    #[inline(always)]
    pub(super) fn take_out(&mut self, place: Place) -> Vacated {
        let (bucket, position) = (place.bucket(), place.position());
        let Head { node, cell, block, reach, used, more, .. } = *self.arena.head(bucket);
        let crowded = more.then(|| self.arena.shape(place));
        let taken = match self.arena.bucket_mut(bucket) {
            OfKind::Points(stored) => {
                stored.vacate(position);
                None
            }
            OfKind::Rects(stored) => Some(stored.take(position)),
        };
        let reach = taken.and_then(|shape| self.reach_from(reach, &shape));
        let rest = used & !(1 << position);
        // Nearly always the bucket is alone in its chain and keeps entries.
        let len = if let Some(shape) = crowded {
            self.release_crowded(place, &shape)
        } else {
            self.arena.head_mut(bucket).used = rest;
            if rest == 0 {
                self.tidy(bucket);
            }
            rest.count_ones()
        };
        let is_sparse = cell != OWN_LIST && self.is_sparse(node, cell, block.span, len);
        Vacated { node, cell, reach: reach.unwrap_or(0), is_sparse }
    }

    /// Takes a number of entries off the counts of a node and of those above it, up to but excluding `end`.
    #[inline]
    pub(super) fn count_out(&mut self, node: NodeId, end: Option<NodeId>, entries: u32) {
        let mut next = Some(node);
        while let Some(node) = next.filter(|_| next != end) {
            let of = self.arena.node_mut(node);
            of.len -= entries;
            next = of.parent;
        }
    }

    /// Repairs the tree after a removal: merges sparse blocks and nodes, and makes exact the reaches that the entry may
    /// have determined. There is rarely anything to do.
    #[inline(always)]
    pub(super) fn repair(&mut self, vacated: Vacated) {
        if self.needs_repair(&vacated) {
            self.repair_now(vacated);
        }
    }

    #[inline(always)]
    pub(super) fn needs_repair(&self, vacated: &Vacated) -> bool {
        vacated.is_sparse || vacated.reach != 0 || self.may_merge_into_parent(vacated.node)
    }

    #[inline(never)]
    fn repair_now(&mut self, vacated: Vacated) {
        let Vacated { mut node, mut cell, reach, is_sparse } = vacated;
        if reach != 0 {
            self.lower_reach(node, cell);
        }
        if is_sparse {
            self.merge_blocks(node, cell);
        }
        while self.may_merge_into_parent(node) {
            (node, cell) = self.merge_into_parent(node);
            self.merge_blocks(node, cell);
        }
        if reach != 0 {
            self.lower_reach_above(node, cell == OWN_LIST, reach);
        }
    }

    /// Frees the nodes and buckets of a subtree.
    pub(crate) fn clear(&mut self, node: NodeId) {
        let mut cells = self.arena.node(node).occupied();
        while let Some((_, slot)) = self.arena.node(node).next_slot(&mut cells) {
            match slot {
                Slot::Child(child) => self.clear(child),
                Slot::Bucket(first) => self.free(Some(first)),
                Slot::Vacant => {}
            }
        }
        self.free(self.arena.node(node).own);
        self.arena.free_node(node);
    }
}
