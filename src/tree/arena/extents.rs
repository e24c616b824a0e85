//! Which extents a bucket may hold, in the units of its tree.
//!
//! Keeps its part of T5 of `docs/invariants.md`.

use super::{Arena, OWN_LIST};
use crate::geometry::Scalar;
use crate::grid::{Address, GridId, axis_bits};
use crate::key::{BucketId, NodeId};

impl<S: Scalar, const D: usize> Arena<S, D> {
    /// The grid of the tree that holds a bucket. The bucket must be in use.
    #[inline(always)]
    pub(crate) fn grid_id(&self, bucket: BucketId) -> GridId {
        let head = self.head(bucket);
        if head.is_over_main() { GridId::MAIN } else { self.node(head.node).rules.grid }
    }

    /// Whether an entry that moves to this address, in the units of its tree, may stay in its bucket. For trees over
    /// the main grid use the faster [`Head::keeps`](super::Head::keeps).
    pub(in crate::tree) fn keeps(&self, bucket: BucketId, address: &Address<D>) -> bool {
        let head = self.head(bucket);
        let [min_log2, max_log2] = self.extents_log2(head.node, head.cell);
        let fits = (1 << min_log2..1 << max_log2).contains(&(address.extent + 1));
        fits && head.block.holds(address.anchor)
    }

    /// Entries in a cell or own list of a node have extents from `2^min_log2 - 1` to less than `2^max_log2 - 1`. Returns
    /// the two exponents.
    pub(crate) fn extents_log2(&self, node: NodeId, cell: u8) -> [u8; 2] {
        let of = self.node(node);
        let deeper = axis_bits::<D>() as u8;
        if cell == OWN_LIST {
            // The root's own list has no upper limit.
            return [of.shift + 1, if of.parent.is_none() { 31 } else { of.shift + 1 + deeper }];
        }
        let at_least = if of.rules.by_size() && of.may_have_children() { of.shift + 1 - deeper } else { 0 };
        [at_least, of.shift + 1]
    }
}
