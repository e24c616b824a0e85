//! Where a pass that puts buckets in order stands: see `defragment`.

use crate::grid::Block;
use crate::key::BucketId;

/// Where a pass over the trees of one kind stands.
#[derive(Clone, Debug)]
pub(super) struct Pass<const D: usize> {
    pub(super) layer: u8,
    pub(super) reached: Reached<D>,
    /// The next bucket of a chain of which some have been visited; none between two chains.
    pub(super) bucket: Option<BucketId>,
    /// The lowest number that has not been given out.
    pub(super) next: u32,
}

/// How far a pass has come in one tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reached<const D: usize> {
    Nothing,
    /// The chain of a block of cells. (A block may be all of a node, whose own list is still to come.)
    Chain(Block<D>),
    /// All of a node with that block.
    Node(Block<D>),
}

impl<const D: usize> Default for Pass<D> {
    fn default() -> Self {
        Self { layer: 0, reached: Reached::Nothing, bucket: None, next: 0 }
    }
}
