//! The nodes and chains of all trees, changed one tree at a time: entries in and out, blocks split and merged, counts and
//! reaches kept. One verb a file, over the chains.
//!
//! All trees are over one grid. Knows no list of trees, and not which object belongs to which.

mod build;
mod chains;
mod insert;
mod merge;
mod moves;
mod reach;
mod remove;
mod remove_all;

use alloc::vec::Vec;

use super::arena::Arena;
use crate::geometry::Scalar;
use crate::grid::Grid;
use crate::key::{BucketId, Handle, Place};

pub(crate) use chains::Entry;

/// A list of entries that the trees moved, with their new places.
pub(crate) type Moves = Vec<(Handle, Place)>;

/// Positions in buckets, as bits. For removals by rising bucket.
pub(crate) type Taken = Vec<(BucketId, u64)>;

/// The nodes and chains of all trees.
#[derive(Clone, Debug)]
pub(crate) struct Forest<S, const D: usize> {
    pub(super) grid: Grid<S, D>,
    pub(super) arena: Arena<S, D>,
    /// The entries that moved since the caller last took the list.
    pub(super) moved: Moves,
}

impl<S: Scalar, const D: usize> Forest<S, D> {
    pub(super) fn new(grid: Grid<S, D>) -> Self {
        Self { grid, arena: Arena::default(), moved: Vec::new() }
    }
}
