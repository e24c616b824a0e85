//! The state of a defragmentation pass, which `defragment` advances.

use crate::grid::{Block, GridId};
use crate::key::BucketId;

/// The state of a pass over all trees.
#[derive(Clone, Debug)]
pub(super) struct Pass<const D: usize> {
    pub(super) layer: u8,
    pub(super) grid: GridId,
    pub(super) reached: Reached<D>,
    /// The next bucket of a partly visited chain. `None` between two chains.
    pub(super) bucket: Option<BucketId>,
    /// For each kind, how many buckets the pass has put in their places: the first ones in memory.
    pub(super) placed: [u32; 2],
}

/// The progress of a pass in one tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reached<const D: usize> {
    Nothing,
    /// The chain of a block of cells. The block may be a whole node, with the own list still to come.
    Chain(Block<D>),
    /// A whole node, given as its block.
    Node(Block<D>),
}

impl<const D: usize> Default for Pass<D> {
    fn default() -> Self {
        Self { layer: 0, grid: GridId::MAIN, reached: Reached::Nothing, bucket: None, placed: [0; 2] }
    }
}
