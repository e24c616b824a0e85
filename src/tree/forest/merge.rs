//! Merging: sparse blocks with their other halves, sparse nodes into their parents.
//!
//! Keeps the lower limit of T8 of `docs/invariants.md`.

use super::super::arena::{OWN_LIST, Slot};
use super::Forest;
use crate::geometry::Scalar;
use crate::key::{BucketId, NodeId};

/// The content of one half of a block.
enum Half {
    Vacant,
    /// The half is exactly the block of one chain.
    Chain(BucketId),
    /// More than one chain, or child nodes, or a part of a larger chain's block.
    Other,
}

impl<S: Scalar, const D: usize> Forest<S, D> {
    /// Whether a block with `len` entries may merge with the other half of the next larger block. Only a half that is
    /// at most half as full as a merged block may be starts a merge, so the other half is rarely examined.
    #[inline(always)]
    pub(super) fn is_sparse(&self, node: NodeId, cell: u8, span: u8, len: u32) -> bool {
        let merge_at = self.arena.node(node).rules.merge_at();
        len <= merge_at / 2 && span < 6 && self.other_half_has_room(node, cell, span, merge_at - len)
    }

    /// Whether the other half of the next larger block is a chain of at most `room` entries, or begins with a vacant
    /// cell.
    #[inline]
    fn other_half_has_room(&self, node: NodeId, cell: u8, span: u8, room: u32) -> bool {
        match self.arena.node(node).slot(cell ^ 1 << span) {
            Slot::Vacant => true,
            Slot::Bucket(other) => self.arena.head(other).block.span == span && self.arena.total(other) <= room,
            Slot::Child(_) => false,
        }
    }

    /// Merges the block around a cell with the other half of the next larger block, and so on, while both halves
    /// together hold few enough entries.
    pub(super) fn merge_blocks(&mut self, node: NodeId, cell: u8) {
        let of = self.arena.node(node);
        let merge_at = of.rules.merge_at();
        let (mut cell, mut span) = match of.slot(cell) {
            Slot::Vacant => of.vacant_block(cell),
            Slot::Bucket(first) if merge_at / 2 < self.arena.total(first) => return,
            Slot::Bucket(first) => (self.arena.head(first).cell, self.arena.head(first).block.span),
            Slot::Child(_) => return,
        };
        while span < 6 {
            let lower = cell & !(1 << span);
            let halves = [self.half(node, lower, span), self.half(node, lower | 1 << span, span)];
            match halves {
                [Half::Chain(one), Half::Vacant] | [Half::Vacant, Half::Chain(one)] => {
                    if merge_at < self.arena.total(one) {
                        return;
                    }
                    self.widen(one, lower, span + 1);
                }
                [Half::Chain(one), Half::Chain(other)] => {
                    let totals = [one, other].map(|first| self.arena.total(first));
                    if merge_at < totals[0] + totals[1] {
                        return;
                    }
                    let (from, into) = if totals[0] < totals[1] { (one, other) } else { (other, one) };
                    let into = self.append(from, into);
                    self.widen(into, lower, span + 1);
                }
                _ => return,
            }
            (cell, span) = (lower, span + 1);
        }
    }

    fn widen(&mut self, first: BucketId, cell: u8, span: u8) {
        let head = *self.arena.head(first);
        self.arena.vacate(head.node, head.cell, head.block.span);
        self.assign(first, head.node, cell, span);
    }

    fn half(&self, node: NodeId, cell: u8, span: u8) -> Half {
        let of = self.arena.node(node);
        match of.slot(cell) {
            Slot::Bucket(first) if self.arena.head(first).block.span == span => Half::Chain(first),
            Slot::Vacant if of.is_vacant(cell, span) => Half::Vacant,
            _ => Half::Other,
        }
    }

    #[inline]
    pub(super) fn may_merge_into_parent(&self, node: NodeId) -> bool {
        let of = self.arena.node(node);
        // The first comparison usually decides.
        let may_be_sparse = of.len <= of.rules.split_above && of.parent.is_some();
        may_be_sparse && of.len <= of.rules.merge_at()
    }

    /// Moves the entries of a node back to its cell in the parent. Returns the parent and the cell.
    #[cold]
    pub(super) fn merge_into_parent(&mut self, node: NodeId) -> (NodeId, u8) {
        let of = self.arena.node(node);
        debug_assert!(!of.has_child_in(u64::MAX), "children of so sparse a node have been merged into it before");
        let (parent, cell) = (of.parent.expect("the root is never merged"), of.cell);
        let mut all = self.arena.first_at(node, OWN_LIST);
        let mut cells = of.occupied();
        while let Some((_, Slot::Bucket(first))) = self.arena.node(node).next_slot(&mut cells) {
            all = Some(all.map_or(first, |into| self.append(first, into)));
        }
        self.arena.node_mut(parent).vacate(cell, 0);
        if let Some(first) = all {
            self.assign(first, parent, cell, 0);
        }
        self.arena.free_node(node);
        (parent, cell)
    }
}
