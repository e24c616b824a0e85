//! The nodes and chains of all trees, changed one tree at a time: entries in and out, blocks split and merged, counts and
//! reaches kept. One verb a file.
//!
//! Whatever needs addresses is told the grid of the tree. Knows no list of trees, and not which object belongs to which.

mod build;
mod insert;
mod merge;
mod moves;
mod reach;
mod remove;

use super::arena::Arena;
use super::chains::{Chains, Moves};
use crate::geometry::Scalar;
use crate::key::BucketId;

pub(super) use build::{Record, records};

/// The nodes and chains of all trees.
#[derive(Clone, Debug)]
pub(super) struct Forest<S, const D: usize> {
    chains: Chains<S, D>,
}

impl<S: Scalar, const D: usize> Forest<S, D> {
    pub(super) fn new(arena: Arena<S, D>, moved: Moves) -> Self {
        Self { chains: Chains { arena, moved } }
    }

    #[inline]
    pub(super) fn arena(&self) -> &Arena<S, D> {
        &self.chains.arena
    }

    #[inline]
    pub(super) fn arena_mut(&mut self) -> &mut Arena<S, D> {
        &mut self.chains.arena
    }

    /// The entries that moved since the list was last emptied, with their new places.
    #[inline]
    pub(super) fn moved(&mut self) -> &mut Moves {
        &mut self.chains.moved
    }

    /// Exchanges the numbers of two buckets of the same kind. One of them may be free; both may belong to the same chain.
    pub(super) fn exchange(&mut self, one: BucketId, other: BucketId) {
        self.chains.exchange(one, other);
    }
}
