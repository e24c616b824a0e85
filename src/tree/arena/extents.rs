//! Which extents a bucket may hold, in the units of its tree, and which moves it keeps.
//!
//! Keeps its part of T4 and T5 of `docs/invariants.md`.

use super::{Arena, Node, OWN_LIST};
use crate::geometry::Scalar;
use crate::grid::{Address, axis_bits};
use crate::key::{BucketId, Kind, NodeId};

impl<S: Scalar, const D: usize> Arena<S, D> {
    /// An upper bound on the extents of all entries in the subtree of a node, in units.
    #[inline]
    pub(crate) fn reach_of(&self, node: &Node<D>) -> u32 {
        node.reach.max(node.own.map_or(0, |own| self.head(own).reach))
    }

    /// Whether an entry that moves to this address, in the units of its tree, may stay in its bucket. Nearly always the
    /// head alone decides.
    #[inline(always)]
    pub(in crate::tree) fn keeps(&self, kind: Kind, bucket: BucketId, address: &Address<D>) -> bool {
        let head = self.head(bucket);
        let past = address.extent.wrapping_add(1);
        let fits = if head.is_plain {
            // Points fit into any cell.
            let max_log2 = head.extent_max_log2;
            kind == Kind::Points
                || past < 1 << max_log2 && (!head.is_own_list() || 1 << (max_log2 - axis_bits::<D>() as u8) <= past)
        } else {
            let [min_log2, max_log2] = self.extents_log2(head.node, head.cell);
            (1 << min_log2..1 << max_log2).contains(&past)
        };
        fits && head.block.holds(address.anchor)
    }

    /// Entries in a cell or own list of a node have extents from `2^min_log2 - 1` to less than `2^max_log2 - 1`. Returns
    /// the two exponents. No extent is too long for the root's own list.
    pub(crate) fn extents_log2(&self, node: NodeId, cell: u8) -> [u8; 2] {
        let of = self.node(node);
        let deeper = axis_bits::<D>() as u8;
        if cell == OWN_LIST {
            return [of.shift + 1, of.shift + 1 + deeper];
        }
        let at_least = if of.rules.by_size() && of.may_have_children() { of.shift + 1 - deeper } else { 0 };
        [at_least, of.shift + 1]
    }
}
