//! The head of a bucket, which says where its entries are stored and how many there are, and its link to a chain.

use crate::grid::Block;
use crate::key::{BucketId, NodeId};

/// The cell number that stands for a node's own list.
pub(crate) const OWN_LIST: u8 = 64;

const _: () = assert!(OWN_LIST as usize == crate::grid::CELLS, "the own list's number follows the cells'");

/// What is known of a bucket without touching its entries.
///
/// A full bucket may be followed by others in a *chain*. All but the first of a chain are full; the directory names
/// the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<const D: usize> {
    /// The positions that hold an entry, as bits.
    pub(crate) used: u64,
    /// The block that the bucket serves; the whole node for an own list.
    pub(crate) block: Block<D>,
    pub(crate) node: NodeId,
    /// At least the largest extent of an entry here, in units. The first bucket's is the largest of its chain.
    pub(crate) reach: u32,
    /// The first cell of the block in its node, or [`OWN_LIST`].
    pub(crate) cell: u8,
    /// Extents may lie from `2^log2 - 1` …
    pub(crate) extent_min_log2: u8,
    /// … to `2^log2` here. An object beyond that has to be stored elsewhere when it moves.
    pub(crate) extent_max_log2: u8,
    /// Whether another bucket follows in the chain.
    pub(crate) more: bool,
}

// Two heads to a line of the cache.
const _: () = assert!(size_of::<Head<2>>() == 32);

/// The neighbours of a bucket in its chain: apart from the heads, as chains are rare.
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
    /// Whether an entry with that address may stay where it is when it has moved.
    #[inline]
    pub(crate) fn keeps(&self, anchor: [u32; D], extent: u32) -> bool {
        self.block.holds(anchor) && 1 << self.extent_min_log2 <= extent + 1 && extent <= 1 << self.extent_max_log2
    }

    pub(crate) fn is_own_list(&self) -> bool {
        self.cell == OWN_LIST
    }
}
