//! The trees of all layers of one kind: arena, chains over it, trees over both.
//!
//! Each tree has its own grid. A layer has a main tree, over the main grid, and rarely any other.
//!
//! ```text
//!   node  64 cells in Morton order:  [ a a a a b b . . n . . . … ]    own list: c
//!                                      └──┬──┘ └┬┘     │                        │
//!                          bucket a, shared by  b     child node      bucket of entries too
//!                          a block of 4 cells                         large for the cells
//! ```
//!
//! Every entry lies in one bucket of one node, at a [`Place`]. The trees return the place of an entry that they store.
//! If they move other entries, they list the new places in order; for a handle listed twice the last place counts. The
//! caller takes the list and updates its own records. The trees never see the objects' values.
//!
//! | file | owns |
//! |---|---|
//! | `rules` | when blocks are split and merged |
//! | `bucket/` | the storage of entries: points, rectangles |
//! | `arena/` | nodes, heads, links, pages of buckets; which are free |
//! | `chains` | single entries in and out of a chain of buckets; chains as wholes |
//! | `insert`, `moves`, `remove`, `merge`, `reach`, `build`, `entries`, `defragment` | trees: one verb each |
//! | `choice` | which tree of its layer an object belongs to |
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
mod choice;
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
mod walk;

use alloc::vec::{self, Vec};
use core::mem;

use crate::geometry::Scalar;
use crate::grid::{Grid, GridId};
use crate::key::{BucketId, Handle, NodeId, Place};
use chains::{Chains, Moves};
use pass::Pass;

pub(crate) use arena::{Arena, Head, Link, Node, OWN_LIST, Slot, block_bits};
pub(crate) use bucket::{BUCKET_SLOTS, Bucket, PointBucket, RectBucket, positions};
pub(crate) use chains::Entry;
pub(crate) use forest::{Forest, TreeId, with_trees};
pub(crate) use rules::Rules;
pub(crate) use walk::{Everything, Probe, Visit, Walk};
#[cfg(feature = "serde")]
pub(crate) use {bucket::SavedEntry, saved::SavedTrees};

/// One tree of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<S, const D: usize> {
    layer: u8,
    pub(crate) grid: Grid<S, D>,
    rules: Rules,
    /// Made for the first object; stays until the layer is cleared.
    pub(crate) root: Option<NodeId>,
}

/// The trees of all layers of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Trees<B, S, const D: usize> {
    /// The main grid.
    grid: Grid<S, D>,
    /// The main tree of each layer, by number; `None` where the number belongs to no layer of this kind.
    main: Vec<Option<Tree<S, D>>>,
    /// The other trees, by rising layer and grid. Nearly always there are none.
    further: Vec<Tree<S, D>>,
    chains: Chains<B, D>,
    pass: Pass<D>,
}

/// The list of trees.
impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    pub(crate) fn new(grid: Grid<S, D>) -> Self {
        Self { grid, main: Vec::new(), further: Vec::new(), chains: Chains::new(), pass: Pass::default() }
    }

    /// Adds the main tree of a layer.
    pub(crate) fn add_tree(&mut self, layer: u8, rules: Rules) {
        let number = usize::from(layer);
        if self.main.len() <= number {
            self.main.resize(number + 1, None);
        }
        self.main[number] = Some(Tree { layer, grid: self.grid, rules, root: None });
    }

    /// Removes the trees of a layer, which must have no nodes.
    pub(crate) fn drop_trees(&mut self, layer: u8) {
        debug_assert!(self.all_trees(layer).all(|tree| tree.root.is_none()), "the layer was cleared before");
        self.main[usize::from(layer)] = None;
        self.further.retain(|tree| tree.layer != layer);
    }

    /// The main tree of a layer.
    #[inline]
    fn main_tree(&self, layer: u8) -> Option<&Tree<S, D>> {
        self.main.get(usize::from(layer)).and_then(Option::as_ref)
    }

    /// The trees of a layer, empty ones too.
    #[inline]
    pub(crate) fn all_trees(&self, layer: u8) -> impl Iterator<Item = &Tree<S, D>> {
        self.main_tree(layer).into_iter().chain(self.further.iter().filter(move |tree| tree.layer == layer))
    }

    /// The main tree of a layer, and its further trees that are not empty.
    pub(crate) fn trees(&self, layer: u8) -> impl Iterator<Item = &Tree<S, D>> {
        self.all_trees(layer).filter(|tree| tree.grid.is_main() || self.len_of(tree) != 0)
    }

    /// The tree of a layer over a grid.
    #[inline]
    pub(crate) fn tree(&self, layer: u8, grid: GridId) -> Option<&Tree<S, D>> {
        if grid.is_main() { self.main_tree(layer) } else { self.further_tree(layer, grid) }
    }

    #[cold]
    fn further_tree(&self, layer: u8, grid: GridId) -> Option<&Tree<S, D>> {
        self.further.iter().find(|tree| (tree.layer, tree.grid.id()) == (layer, grid))
    }

    /// The grid of the next tree in a layer. Skips empty trees.
    #[inline(always)]
    pub(crate) fn next_grid(&self, layer: u8, after: GridId) -> Option<GridId> {
        if self.further.is_empty() { None } else { self.next_further(layer, after) }
    }

    #[cold]
    fn next_further(&self, layer: u8, after: GridId) -> Option<GridId> {
        let follows = |tree: &&Tree<S, D>| tree.layer == layer && after < tree.grid.id() && self.len_of(tree) != 0;
        self.further.iter().find(follows).map(|next| next.grid.id())
    }

    /// The root of a layer's main tree. `None` before the first object, or if there is no such tree.
    #[inline]
    pub(crate) fn root(&self, layer: u8) -> Option<NodeId> {
        self.main_tree(layer)?.root
    }

    /// The root of a layer's main tree. Makes it if there is none.
    #[inline]
    fn root_or_new(&mut self, layer: u8) -> NodeId {
        self.root(layer).unwrap_or_else(|| self.root_over(layer, GridId::MAIN))
    }

    /// The root of a layer's tree over a grid. Makes both if there are none.
    #[cold]
    fn root_over(&mut self, layer: u8, grid: GridId) -> NodeId {
        let arena = &mut self.chains.arena;
        let main = self.main[usize::from(layer)].as_mut().expect("the index names living layers only");
        let mut root_of = |tree: &mut Tree<S, D>| *tree.root.get_or_insert_with(|| arena.new_root(layer, tree.rules));
        // A layer with objects has a main root.
        let main_root = root_of(main);
        if grid.is_main() {
            return main_root;
        }
        let rules = Rules { grid, ..main.rules };
        let at = self.further.partition_point(|tree| (tree.layer, tree.grid.id()) < (layer, grid));
        if self.further.get(at).is_none_or(|tree| (tree.layer, tree.grid.id()) != (layer, grid)) {
            self.further.insert(at, Tree { layer, grid: self.grid.variant(grid), rules, root: None });
        }
        root_of(&mut self.further[at])
    }

    /// The number of objects in a tree.
    fn len_of(&self, tree: &Tree<S, D>) -> usize {
        tree.root.map_or(0, |root| self.arena().node(root).len as usize)
    }

    /// The number of objects in a layer.
    #[inline]
    pub(crate) fn len(&self, layer: u8) -> usize {
        self.all_trees(layer).map(|tree| self.len_of(tree)).sum()
    }

    /// The main grid.
    #[inline]
    pub(crate) fn grid(&self) -> &Grid<S, D> {
        &self.grid
    }

    /// The grid of a layer's tree, or the main grid if there is no such tree.
    #[inline]
    pub(crate) fn tree_grid(&self, layer: u8, grid: GridId) -> &Grid<S, D> {
        if grid.is_main() { &self.grid } else { self.further_grid(layer, grid) }
    }

    /// The grid of the tree that holds a bucket. The bucket must be in use.
    #[inline(always)]
    pub(crate) fn grid_of(&self, bucket: BucketId) -> &Grid<S, D> {
        let head = self.arena().head(bucket);
        if head.is_over_main() {
            return &self.grid;
        }
        let node = self.arena().node(head.node);
        self.further_grid(node.layer, node.rules.grid)
    }

    #[cold]
    fn further_grid(&self, layer: u8, grid: GridId) -> &Grid<S, D> {
        self.tree(layer, grid).map_or(&self.grid, |tree| &tree.grid)
    }
}

/// Parts that all trees share.
impl<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Trees<B, S, D> {
    /// Read access to nodes and buckets.
    #[inline]
    pub(crate) fn arena(&self) -> &Arena<B, D> {
        &self.chains.arena
    }

    #[inline]
    fn arena_mut(&mut self) -> &mut Arena<B, D> {
        &mut self.chains.arena
    }

    /// Whether the list of entries that moved is not empty.
    #[inline]
    pub(crate) fn has_moved(&self) -> bool {
        !self.chains.moved.is_empty()
    }

    /// Drains the list of entries that moved, with their new places.
    pub(crate) fn take_moved(&mut self) -> vec::Drain<'_, (Handle, Place)> {
        self.chains.moved.drain(..)
    }

    /// As `take_moved`, but returns the list itself, with its memory.
    pub(crate) fn take_all_moved(&mut self) -> Moves {
        mem::take(&mut self.chains.moved)
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.main.capacity() * size_of::<Option<Tree<S, D>>>()
            + self.further.capacity() * size_of::<Tree<S, D>>()
            + self.arena().bytes()
    }

    /// Releases memory that is not in use.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.arena_mut().shrink_to_fit();
    }
}
