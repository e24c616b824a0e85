//! Removal: taking entries out, and merging and lowering reaches on the way up.
//!
//! Keeps T7 of `docs/invariants.md`, and with `reach` and `merge` T6 and T8.

use super::Trees;
use super::arena::{Head, OWN_LIST};
use super::bucket::Bucket;
use super::chains::Chains;
use crate::geometry::Scalar;
use crate::key::{NodeId, Place};

/// The part of the tree that an entry has left.
pub(super) struct Left {
    pub(super) node: NodeId,
    /// The first cell of its block, or the own list's.
    cell: u8,
    extent: u32,
    /// Whether its block may be merged with a neighbour now.
    is_poor: bool,
    /// Whether it may have determined the reach of its block or own list.
    was_longest: bool,
}

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// Removes the entry at a place.
    pub(crate) fn remove(&mut self, place: Place) {
        let left = self.leave(place);
        self.discount(left.node, None);
        self.tidy(&left);
    }

    /// Takes the entry at a place out of its chain.
    #[inline(always)]
    pub(super) fn leave(&mut self, place: Place) -> Left {
        let Head { node, cell, reach, .. } = *self.arena().head(place.bucket());
        let extent = if B::EXTENDED { self.chains.address(place.bucket(), place.position()).extent } else { 0 };
        let first = self.chains.take(place.bucket(), place.position());
        let merge_at = self.arena().node(node).rules.merge_at();
        let is_poor = cell != OWN_LIST && first.is_none_or(|first| self.is_poor(merge_at, first));
        Left { node, cell, extent, is_poor, was_longest: reach <= Chains::<B, S, D>::reach_of(extent) }
    }

    /// Counts one entry less in a node and in those above it, up to `end`, which is excluded.
    #[inline]
    pub(super) fn discount(&mut self, node: NodeId, end: Option<NodeId>) {
        let mut next = Some(node);
        while let Some(node) = next.filter(|_| next != end) {
            let of = self.arena_mut().node_mut(node);
            of.len -= 1;
            next = of.parent;
        }
    }

    /// Tidies up after an entry has left: merges poor blocks and nodes, and makes the reaches exact that the entry may
    /// have determined.
    #[inline(always)]
    pub(super) fn tidy(&mut self, left: &Left) {
        let Left { mut node, cell, extent, is_poor, was_longest } = *left;
        if B::EXTENDED && was_longest {
            self.lower_reach(node, cell);
        }
        if is_poor {
            self.merge_blocks(node, cell);
        }
        while self.may_merge_into_parent(node) {
            let cell;
            (node, cell) = self.merge_into_parent(node);
            self.merge_blocks(node, cell);
        }
        if B::EXTENDED {
            self.lower_reach_above(node, Chains::<B, S, D>::reach_of(extent));
        }
    }
}
