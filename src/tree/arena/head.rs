//! The head of a bucket: the block it serves, the positions in use, the reach of its entries.

use super::node::block_bits;
use crate::grid::Block;
use crate::key::NodeId;

/// The cell number of a node's own list.
pub(crate) const OWN_LIST: u8 = 64;

const _: () = assert!(OWN_LIST as usize == crate::grid::CELLS, "the own list's number follows the cells'");

/// A summary of a bucket, to be read instead of its entries.
///
/// The buckets of a block form a *chain*, nearly always of one bucket. The directory names the first. Several are a crowd.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<const D: usize> {
    /// The positions that hold an entry, as bits.
    pub(crate) used: u64,
    /// The block that the bucket serves; the whole node for an own list.
    pub(crate) block: Block<D>,
    pub(crate) node: NodeId,
    /// An upper bound on the extents of the entries here, in units. In the first bucket it bounds the whole chain.
    pub(crate) reach: u32,
    /// The first cell of the block in its node, or [`OWN_LIST`].
    pub(crate) cell: u8,
    /// Entries here have extents below `2^extent_max_log2 - 1`. An object that moves out of this range must be stored
    /// elsewhere.
    pub(crate) extent_max_log2: u8,
    /// Whether its chain has others.
    pub(crate) more: bool,
    /// Whether only an own list has a least extent, and the bucket is in no crowd: nearly always. Elsewhere moves are checked
    /// by the node, and by the box in a crowd.
    pub(crate) is_plain: bool,
}

// Two heads fit into a cache line.
const _: () = assert!(size_of::<Head<2>>() == 32);

impl<const D: usize> Head<D> {
    /// The cells of the block, as bits. All cells for an own list.
    #[inline(always)]
    pub(crate) fn cells(&self) -> u64 {
        if self.is_own_list() { u64::MAX } else { block_bits(self.cell, self.block.span) }
    }

    /// The number after the last cell of the block.
    #[inline]
    pub(crate) fn end(&self) -> u8 {
        self.cell + (1 << self.block.span)
    }

    #[inline]
    pub(crate) fn is_own_list(&self) -> bool {
        self.cell == OWN_LIST
    }
}
