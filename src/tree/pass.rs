//! The state of a defragmentation pass, which `defragment` advances.

use crate::grid::{Block, GridId};
use crate::key::BucketId;

/// The state of a pass over all trees.
#[derive(Clone, Debug)]
pub(super) struct Pass<const D: usize> {
    pub(super) layer: u8,
    pub(super) grid: GridId,
    /// The block that the pass has reached in the tree, and whether that is a whole node with its own list. A block of all
    /// cells is no whole node as long as the own list is still to come.
    pub(super) reached: Option<(Block<D>, bool)>,
    /// The next bucket of a partly visited chain. `None` between two chains.
    pub(super) bucket: Option<BucketId>,
    /// For each kind, how many buckets the pass has put in their places: the first ones in memory.
    pub(super) placed: [u32; 2],
}

impl<const D: usize> Default for Pass<D> {
    fn default() -> Self {
        Self { layer: 0, grid: GridId::MAIN, reached: None, bucket: None, placed: [0; 2] }
    }
}
