//! Buckets to where the walk expects them: depth-first in memory, one at a time.
//!
//! A pass goes over all trees in the order of the walk. Each bucket that it meets is exchanged with whatever has the
//! number that comes next, be it in use or free, so that in the end the free ones come last. A pass keeps the block that
//! it has reached and finds its place again from the root at each step, so it does not matter what has become of the
//! trees since the last one.

use super::Trees;
use super::arena::{Head, OWN_LIST, Slot};
use super::bucket::Bucket;
use crate::geometry::Scalar;
use crate::grid::Block;
use crate::key::BucketId;

/// Where a pass over the trees of one kind stands.
#[derive(Clone, Debug)]
pub(super) struct Pass<const D: usize> {
    layer: u8,
    reached: Reached<D>,
    /// The next bucket of a chain of which some have been visited; none between two chains.
    bucket: Option<BucketId>,
    /// The lowest number that has not been given out.
    next: u32,
}

/// How far a pass has come in one tree.
#[derive(Clone, Copy, Debug)]
enum Reached<const D: usize> {
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

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// Begins another pass.
    pub(crate) fn begin_pass(&mut self) {
        self.pass = Pass::default();
    }

    /// Visits the next bucket of the pass; `false` when all trees are done.
    pub(crate) fn defragment(&mut self) -> bool {
        while usize::from(self.pass.layer) < self.by_layer.len() {
            if let Some(first) = self.next_to_defragment() {
                self.visit(first);
                return true;
            }
            self.pass = Pass { layer: self.pass.layer + 1, next: self.pass.next, ..Pass::default() };
        }
        false
    }

    /// The chain that comes after what is reached in the tree at hand, by its first bucket.
    fn next_to_defragment(&mut self) -> Option<BucketId> {
        let root = self.root(self.pass.layer)?;
        loop {
            let (block, is_node) = match self.pass.reached {
                Reached::Nothing => (None, false),
                Reached::Chain(block) => (Some(block), false),
                Reached::Node(block) => (Some(block), true),
            };
            let arena = self.arena();
            // Whether the block lies in a node and does not end it.
            let is_inside = |block: &Block<D>, of: &Block<D>| {
                block.volume_log2() < of.volume_log2() || block.volume_log2() == of.volume_log2() && !is_node
            };
            let mut node = arena.node(root);
            let mut cells = node.occupied();
            if let Some(block) = block {
                if !is_inside(&block, &node.block()) {
                    return None;
                }
                while let Slot::Child(child) = node.slot(node.cell_of(block.origin))
                    && is_inside(&block, &arena.node(child).block())
                {
                    node = arena.node(child);
                }
                let cell = node.cell_of(block.origin);
                // If the block was in a cell that has no child any more, all of the cell is to come.
                let is_cell_to_come = block.volume_log2() < Block::new(node.origin, node.shift, cell, 0).volume_log2();
                cells = node.occupied() & ((1 << cell) - 1 | u64::from(is_cell_to_come) << cell);
            }
            loop {
                match node.next_slot(&mut cells) {
                    Some((_, Slot::Bucket(first))) => return Some(first),
                    Some((_, Slot::Child(child))) => {
                        node = arena.node(child);
                        cells = node.occupied();
                    }
                    Some((_, Slot::Vacant)) | None => break,
                }
            }
            if let Some(own) = node.own() {
                return Some(own);
            }
            self.pass.reached = Reached::Node(node.block());
        }
    }

    /// Gives the next bucket of a chain the next number, if it has a higher one.
    fn visit(&mut self, first: BucketId) {
        let Head { node, cell, block, .. } = *self.arena().head(first);
        // It goes on in the chain where it was, if that bucket is still there.
        let is_in_chain = |&bucket: &BucketId| {
            let head = self.arena().head(bucket);
            head.used != 0 && head.node == node && head.cell == cell
        };
        let bucket = self.pass.bucket.filter(is_in_chain).unwrap_or(first);
        let number = BucketId::numbered(self.pass.next);
        let mut placed = bucket;
        if number <= bucket {
            self.pass.next += 1;
            placed = number;
            if number < bucket {
                self.chains.exchange(bucket, number);
            }
        }
        self.pass.bucket = self.arena().next_in_chain(placed);
        if self.pass.bucket.is_none() {
            self.pass.reached = if cell == OWN_LIST { Reached::Node(block) } else { Reached::Chain(block) };
        }
    }
}
