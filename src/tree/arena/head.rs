//! The head of a bucket: the block it serves, the positions in use, the reach of its entries; and its links in a chain.

use super::node::block_bits;
use crate::grid::Block;
use crate::key::{BucketId, NodeId};

/// The cell number of a node's own list.
pub(crate) const OWN_LIST: u8 = 64;

const _: () = assert!(OWN_LIST as usize == crate::grid::CELLS, "the own list's number follows the cells'");

/// The logarithm of a length that no extent has.
pub(super) const NEVER_LOG2: u8 = 31;

/// A summary of a bucket, to be read instead of its entries.
///
/// The buckets of a block form a *chain*, nearly always of one bucket. The directory names the first. All others are
/// full.
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
    /// Entries here have extents of at least `2^extent_min_log2 - 1`. Outside the main grid this is [`NEVER_LOG2`], so
    /// that every move is checked in the units of the tree's own grid.
    pub(crate) extent_min_log2: u8,
    /// Entries here have extents below `2^extent_max_log2 - 1`. An object that moves out of this range must be stored
    /// elsewhere.
    pub(crate) extent_max_log2: u8,
    /// Whether another bucket follows in the chain.
    pub(crate) more: bool,
}

// Two heads fit into a cache line.
const _: () = assert!(size_of::<Head<2>>() == 32);

/// The neighbours of a bucket in its chain. Separate from the heads, since chains of several buckets are rare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) next: Option<BucketId>,
    pub(crate) before: Option<BucketId>,
    /// The number of buckets after this one.
    pub(crate) rest: u32,
}

impl Link {
    /// The link of a bucket that is in no chain.
    pub(crate) const ALONE: Self = Self { next: None, before: None, rest: 0 };
}

impl<const D: usize> Head<D> {
    /// Whether the bucket is in a tree over the main grid.
    #[inline(always)]
    pub(crate) fn is_over_main(&self) -> bool {
        self.extent_min_log2 != NEVER_LOG2
    }

    /// Whether an entry that moves to this address, in units of the main grid, may stay in this bucket.
    #[inline]
    pub(crate) fn keeps(&self, anchor: [u32; D], extent: u32) -> bool {
        let past = extent.wrapping_add(1);
        self.block.holds(anchor) && 1 << self.extent_min_log2 <= past && past < 1 << self.extent_max_log2
    }

    /// The greatest extent that entries here may have.
    pub(crate) fn extent_max(&self) -> u32 {
        (1 << self.extent_max_log2) - 2
    }

    /// The cells of the block, as bits. All cells for an own list.
    #[inline(always)]
    pub(crate) fn cells(&self) -> u64 {
        if self.is_own_list() { u64::MAX } else { block_bits(self.cell, self.block.span) }
    }

    #[inline]
    pub(crate) fn is_own_list(&self) -> bool {
        self.cell == OWN_LIST
    }
}
