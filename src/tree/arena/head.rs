//! The head of a bucket: which block it serves, which slots hold entries, how far they reach; and its links to a chain.
//! Knows no entries.

use super::node::block_bits;
use crate::grid::Block;
use crate::key::{BucketId, NodeId};

/// The cell number that stands for a node's own list.
pub(crate) const OWN_LIST: u8 = 64;

const _: () = assert!(OWN_LIST as usize == crate::grid::CELLS, "the own list's number follows the cells'");

/// No extent is that long.
pub(super) const NEVER_LOG2: u8 = 31;

/// All that is known of a bucket without reading its entries.
///
/// The buckets of a block form a *chain*, nearly always of one bucket. The directory names the first; all others are
/// full.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<const D: usize> {
    /// The positions that hold an entry, as bits.
    pub(crate) used: u64,
    /// The block that the bucket serves; the whole node for an own list.
    pub(crate) block: Block<D>,
    pub(crate) node: NodeId,
    /// An upper bound of the extents of the entries here, in units. That of the first bucket bounds its whole chain.
    pub(crate) reach: u32,
    /// The first cell of the block in its node, or [`OWN_LIST`].
    pub(crate) cell: u8,
    /// Entries here have extents from `2^extent_min_log2 - 1` … In a tree that is not over the main grid this is
    /// [`NEVER_LOG2`]: whether they may stay when they move is found by the units of its grid.
    pub(crate) extent_min_log2: u8,
    /// … to `2^extent_max_log2`. An object outside that has to be stored elsewhere when it moves.
    pub(crate) extent_max_log2: u8,
    /// Whether another bucket follows in the chain.
    pub(crate) more: bool,
}

// Two heads fit into a cache line.
const _: () = assert!(size_of::<Head<2>>() == 32);

/// The neighbours of a bucket in its chain. Kept apart from the heads, since chains of several buckets are rare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) next: Option<BucketId>,
    pub(crate) before: Option<BucketId>,
    /// How many buckets are behind this one.
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

    /// Whether an entry that moves to that address, in units of the main grid, may stay in this bucket.
    #[inline]
    pub(crate) fn keeps(&self, anchor: [u32; D], extent: u32) -> bool {
        self.block.holds(anchor)
            && 1 << self.extent_min_log2 <= extent.wrapping_add(1)
            && extent <= 1 << self.extent_max_log2
    }

    /// The cells of the block, as bits; all, of an own list.
    #[inline(always)]
    pub(crate) fn cells(&self) -> u64 {
        if self.is_own_list() { u64::MAX } else { block_bits(self.cell, self.block.span) }
    }

    #[inline]
    pub(crate) fn is_own_list(&self) -> bool {
        self.cell == OWN_LIST
    }
}
