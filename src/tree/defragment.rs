//! Defragmentation: puts buckets into walk order, depth-first in memory, one bucket at a time.
//!
//! A pass visits all trees in walk order. It exchanges each bucket that it meets with the next one of its kind in memory,
//! used or free. In the end the free ones of each kind come last. The pass records the block that it has reached and finds it
//! again from the root at each step, so the trees may change between steps.
//!
//! Keeps M1, M2 and S1 of `docs/invariants.md`.

use super::Trees;
use super::arena::{Head, OWN_LIST, Slot};
use super::pass::{Pass, Reached};
use crate::geometry::Scalar;
use crate::grid::Block;
use crate::key::BucketId;

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Continues the pass over all trees by one bucket. Returns `false` at its end, and begins the next pass.
    pub(crate) fn defragment(&mut self) -> bool {
        loop {
            if let Some(first) = self.next_to_defragment() {
                self.visit(first);
                return true;
            }
            let layer = self.pass.layer.saturating_add(1);
            if self.list.len() <= usize::from(layer) {
                self.pass = Pass::default();
                return false;
            }
            self.pass = Pass { layer, placed: self.pass.placed, ..Pass::default() };
        }
    }

    /// The first bucket of the next chain in the current tree.
    fn next_to_defragment(&mut self) -> Option<BucketId> {
        let root = self.root(self.pass.layer)?;
        loop {
            let arena = self.arena();
            let mut node = arena.node(root);
            let mut cells = node.occupied();
            if let Some(reached) = self.pass.reached {
                if !reached.is_inside(&node.block()) {
                    return None;
                }
                while let Slot::Child(child) = node.slot(node.cell_of(reached.origin))
                    && reached.is_inside(&arena.node(child).block())
                {
                    node = arena.node(child);
                }
                let cell = node.cell_of(reached.origin);
                // If the block lay below a cell that no longer has a child, the whole cell is still to come.
                let is_cell_to_come = reached.volume_log2 < Block::new(node.origin, node.shift, cell, 0).volume_log2();
                cells = node.occupied() & (((1 << cell) - 1) | (u64::from(is_cell_to_come) << cell));
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
            if let Some(own) = node.own {
                return Some(own);
            }
            self.pass.reached = Some(Reached::new(&node.block(), true));
        }
    }

    /// Gives the next number to the next bucket of a chain, unless its current number is lower.
    fn visit(&mut self, first: BucketId) {
        let Head { node, cell, block, .. } = *self.arena().head(first);
        // Continues at the bucket reached in the chain, if it is still there.
        let is_in_chain = |&bucket: &BucketId| {
            let head = self.arena().head(bucket);
            head.used != 0 && head.node == node && head.cell == cell
        };
        let bucket = self.pass.bucket.filter(is_in_chain).unwrap_or(first);
        let kind = self.arena().buckets().kind(bucket);
        let count = &mut self.pass.placed[kind as usize];
        let mut placed = bucket;
        if let Some(next) = self.forest.arena.buckets().nth(kind, *count as usize).filter(|&next| next <= bucket) {
            *count += 1;
            placed = next;
            if next < bucket {
                self.forest.exchange(bucket, next);
            }
        }
        self.pass.bucket = self.arena().next_in_chain(placed);
        if self.pass.bucket.is_none() {
            self.pass.reached = Some(Reached::new(&block, cell == OWN_LIST));
        }
    }
}
