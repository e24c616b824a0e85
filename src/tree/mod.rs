//! The trees of all layers of one kind: arena, chains over it, trees over both.
//!
//! ```text
//!   node  64 cells in Morton order:  [ a a a a b b . . n . . . … ]    own list: c
//!                                      └──┬──┘ └┬┘     │                        │
//!                          bucket a, shared by  b     child node      bucket of entries too
//!                          a block of 4 cells                         large for the cells
//! ```
//!
//! Every entry lies in one bucket of one node, at a [`Place`]. The trees return the place of the entry that they store.
//! They list the places of other entries that they move, in order; if a handle comes twice, its last place counts. The
//! caller takes the list. The trees learn neither what an object is worth nor what becomes of the list.
//!
//! | file | owns |
//! |---|---|
//! | `rules` | when blocks are split and merged |
//! | `bucket/` | the storage of entries: points, rectangles |
//! | `arena/` | nodes, heads, links, pages of buckets; which are free |
//! | `chains` | single entries in and out of a chain of buckets; chains as wholes |
//! | `insert`, `moves`, `remove`, `merge`, `reach`, `build`, `entries`, `defragment` | trees: one verb each |
//! | `slender`, `slender_tree` | trees of thin and far objects, and their roots |
//! | `pass` | the state of a defragmentation pass |
//! | `walk` | the one walk of region queries |
//! | `buckets_of` | all buckets of a layer, one after the other |
//! | `lookahead` | which memory is fetched ahead |
//! | `forest` | the trees of both kinds, and the choice between them |
//! | `saved`, `arena/saved`, `bucket/saved` | the data form of all this, with the feature `serde` |
//!
//! Keeps invariants T1 to T10 of `docs/invariants.md`.

mod arena;
mod bucket;
mod buckets_of;
mod build;
mod chains;
mod defragment;
mod entries;
mod forest;
mod insert;
mod merge;
mod moves;
mod pass;
#[cfg(test)]
mod planted;
mod lookahead;
mod reach;
mod remove;
mod rules;
#[cfg(feature = "serde")]
mod saved;
mod slender;
mod slender_tree;
mod walk;

use alloc::vec::{self, Vec};
use core::mem;

use crate::geometry::Scalar;
use crate::grid::Grid;
use crate::key::{Handle, NodeId, Place};
use chains::{Chains, Moves};
use pass::Pass;
use slender_tree::SlenderTree;

pub(crate) use arena::{Arena, Head, Link, Node, OWN_LIST, Slot, block_bits};
pub(crate) use bucket::{BUCKET_SLOTS, Bucket, PointBucket, RectBucket, positions};
pub(crate) use chains::Entry;
pub(crate) use forest::{Forest, with_trees};
pub(crate) use rules::Rules;
pub(crate) use walk::{Everything, Probe, Visit, Walk};
#[cfg(feature = "serde")]
pub(crate) use {bucket::SavedEntry, saved::SavedTrees};

/// One layer's tree.
#[derive(Clone, Copy, Debug)]
struct Tree {
    /// Made for the first object; stays until the layer is cleared.
    root: Option<NodeId>,
    rules: Rules,
}

/// The trees of all layers of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Trees<B, S, const D: usize> {
    /// By layer number; `None` where the number belongs to no layer of this kind.
    by_layer: Vec<Option<Tree>>,
    /// By layer number and aspect: the trees of thin and far objects.
    slender: Vec<SlenderTree>,
    chains: Chains<B, S, D>,
    pass: Pass<D>,
}

impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    pub(crate) fn new(grid: Grid<S, D>) -> Self {
        Self { by_layer: Vec::new(), slender: Vec::new(), chains: Chains::new(grid), pass: Pass::default() }
    }

    pub(crate) fn add_tree(&mut self, layer: u8, rules: Rules) {
        let number = usize::from(layer);
        if self.by_layer.len() <= number {
            self.by_layer.resize(number + 1, None);
        }
        self.by_layer[number] = Some(Tree { root: None, rules });
    }

    /// Removes a tree, which must have no nodes.
    pub(crate) fn drop_tree(&mut self, layer: u8) {
        debug_assert!(self.root(layer).is_none(), "the tree was cleared before");
        self.by_layer[usize::from(layer)] = None;
    }

    /// The root of a layer's tree of the grid's aspect; none before the first object, or where there is no such tree.
    #[inline]
    pub(crate) fn root(&self, layer: u8) -> Option<NodeId> {
        self.by_layer.get(usize::from(layer)).and_then(Option::as_ref).and_then(|tree| tree.root)
    }

    /// The root of a layer's tree, which is made if there is none.
    #[inline]
    fn root_or_new(&mut self, layer: u8) -> NodeId {
        self.root(layer).unwrap_or_else(|| self.new_root(layer))
    }

    #[cold]
    fn new_root(&mut self, layer: u8) -> NodeId {
        let tree = self.by_layer[usize::from(layer)].as_mut().expect("the index names living layers only");
        *tree.root.insert(self.chains.arena_mut().new_root(layer, tree.rules))
    }

    /// The number of objects in a layer.
    #[inline]
    pub(crate) fn len(&self, layer: u8) -> usize {
        let square = self.root(layer).map_or(0, |root| self.arena().node(root).len as usize);
        if self.has_slender() { square + self.len_of_slender(layer) } else { square }
    }

    /// Nodes and buckets, to be read.
    #[inline]
    pub(crate) fn arena(&self) -> &Arena<B, D> {
        self.chains.arena()
    }

    #[inline]
    fn arena_mut(&mut self) -> &mut Arena<B, D> {
        self.chains.arena_mut()
    }

    #[inline]
    pub(crate) fn grid(&self) -> &Grid<S, D> {
        self.chains.grid()
    }

    /// Whether the list of entries that moved is not empty.
    #[inline]
    pub(crate) fn has_moved(&self) -> bool {
        !self.chains.moved().is_empty()
    }

    /// Takes the list of entries that moved, with their new places.
    pub(crate) fn take_moved(&mut self) -> vec::Drain<'_, (Handle, Place)> {
        self.chains.moved_mut().drain(..)
    }

    /// As `take_moved`, but takes the memory of the list too.
    pub(crate) fn take_all_moved(&mut self) -> Moves {
        mem::take(self.chains.moved_mut())
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.by_layer.capacity() * size_of::<Option<Tree>>()
            + self.slender.capacity() * size_of::<SlenderTree>()
            + self.arena().bytes()
    }

    /// Releases memory that is not in use.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.arena_mut().shrink_to_fit();
    }
}
