//! The state of a defragmentation pass, which `defragment` advances.

use crate::grid::Block;
use crate::key::BucketId;

/// The state of a pass over all trees.
#[derive(Clone, Debug, Default)]
pub(super) struct Pass<const D: usize> {
    pub(super) layer: u8,
    /// The place that the pass has reached in the layer's tree.
    pub(super) reached: Option<Reached<D>>,
    /// The next bucket of a partly visited chain. `None` between two chains.
    pub(super) bucket: Option<BucketId>,
    /// For each kind, how many buckets the pass has put in their places: the first ones in memory.
    pub(super) placed: [u32; 2],
}

/// A block, or a whole node with its own list. A block of all cells is no whole node as long as the own list is still to
/// come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached<const D: usize> {
    pub(super) origin: [u32; D],
    pub(super) volume_log2: u8,
    pub(super) is_node: bool,
}

impl<const D: usize> Reached<D> {
    pub(super) fn new(block: &Block<D>, is_node: bool) -> Self {
        Self { origin: block.origin, volume_log2: block.volume_log2(), is_node }
    }

    /// Whether a node with this block, which is around the place, has anything left after it.
    pub(super) fn is_inside(&self, of: &Block<D>) -> bool {
        self.volume_log2 < of.volume_log2() || self.volume_log2 == of.volume_log2() && !self.is_node
    }
}
