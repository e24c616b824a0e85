//! The trees of all layers: arena, chains over it, trees over both.
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
//! | `rules` | the kind of shapes, when blocks are split and merged, and over which grid |
//! | `bucket/` | the storage of entries, points or boxes |
//! | `arena/` | nodes, heads, links, buckets; which are free |
//! | `chains` | single entries in and out of a chain of buckets; chains as wholes |
//! | `insert`, `moves`, `remove`, `merge`, `reach`, `build`, `entries`, `defragment` | trees: one verb each |
//! | `bounds` | the smallest box around the objects of a layer |
//! | `choice` | which tree of its layer an object belongs to |
//! | `pass` | the state of a defragmentation pass |
//! | `walk`, `probe` | the one walk of region queries; a query as the walk sees it |
//! | `lookahead` | which memory is fetched ahead |
//! | `saved`, `arena/saved` | the data form of all this, with the feature `serde` |
//!
//! Keeps invariants T1 to T10 of `docs/invariants.md`.

mod arena;
mod bounds;
mod bucket;
mod build;
mod chains;
mod choice;
mod defragment;
mod entries;
mod insert;
mod lookahead;
mod merge;
mod moves;
mod pass;
#[cfg(test)]
mod planted;
mod probe;
mod reach;
mod remove;
mod rules;
#[cfg(feature = "serde")]
mod saved;
mod walk;

use alloc::vec::Vec;

use crate::geometry::Scalar;
use crate::grid::{Grid, GridId};
use crate::key::{BucketId, Kind, NodeId, Place};
use chains::{Chains, Moves};
use pass::Pass;

pub(crate) use arena::{Arena, Head, Link, Node, OWN_LIST, Slot, block_bits};
pub(crate) use bucket::{BUCKET_SLOTS, Bucket, BucketRef, OfKind, RectBucket, positions, with_kind};
pub(crate) use chains::Entry;
pub(crate) use probe::{Everything, Probe};
pub(crate) use rules::Rules;
pub(crate) use walk::{Visit, Walk};
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

/// Identifies one tree. Valid as long as the layer has a tree over this grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeId {
    pub(crate) layer: u8,
    pub(crate) grid: GridId,
}

impl TreeId {
    /// The name of no tree. No tree follows it.
    pub(crate) const NONE: Self = Self { layer: 0, grid: GridId::LAST };

    /// The main tree of a layer.
    pub(crate) const fn main(layer: u8) -> Self {
        Self { layer, grid: GridId::MAIN }
    }
}

/// The trees of all layers.
#[derive(Clone, Debug)]
pub(crate) struct Trees<S, const D: usize> {
    /// The main grid.
    grid: Grid<S, D>,
    /// The main tree of each layer, by number; `None` where the number belongs to no layer.
    main: Vec<Option<Tree<S, D>>>,
    /// The other trees, by rising layer and grid. Nearly always there are none.
    further: Vec<Tree<S, D>>,
    chains: Chains<S, D>,
    pass: Pass<D>,
}

/// The list of trees.
impl<S: Scalar, const D: usize> Trees<S, D> {
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

    #[inline]
    fn tree(&self, TreeId { layer, grid }: TreeId) -> Option<&Tree<S, D>> {
        if grid.is_main() { self.main_tree(layer) } else { self.further_tree(layer, grid) }
    }

    #[cold]
    fn further_tree(&self, layer: u8, grid: GridId) -> Option<&Tree<S, D>> {
        self.further.iter().find(|tree| (tree.layer, tree.grid.id()) == (layer, grid))
    }

    /// The next tree of the same layer. Skips empty trees.
    #[inline(always)]
    pub(crate) fn next_of_layer(&self, tree: TreeId) -> Option<TreeId> {
        if self.further.is_empty() { None } else { self.next_further(tree) }
    }

    #[cold]
    fn next_further(&self, TreeId { layer, grid }: TreeId) -> Option<TreeId> {
        let follows = |tree: &&Tree<S, D>| tree.layer == layer && grid < tree.grid.id() && self.len_of(tree) != 0;
        self.further.iter().find(follows).map(|next| TreeId { layer, grid: next.grid.id() })
    }

    /// The tree that holds the bucket of a place.
    pub(crate) fn tree_of(&self, place: Place) -> TreeId {
        let node = self.arena().node(self.arena().node_of(place));
        TreeId { layer: node.layer, grid: node.rules.grid }
    }

    /// The root of a tree. `None` before the first object, or if there is no such tree.
    #[inline]
    pub(crate) fn root(&self, tree: TreeId) -> Option<NodeId> {
        self.tree(tree)?.root
    }

    /// The rules of a layer's trees.
    #[inline]
    pub(crate) fn rules(&self, layer: u8) -> Option<Rules> {
        self.main_tree(layer).map(|main| main.rules)
    }

    /// The kind of a living layer's shapes.
    #[inline]
    fn kind(&self, layer: u8) -> Kind {
        self.rules(layer).expect("the index names living layers only").kind
    }

    /// The root of a layer's main tree. Makes it if there is none.
    #[inline]
    fn root_or_new(&mut self, layer: u8) -> NodeId {
        self.root(TreeId::main(layer)).unwrap_or_else(|| self.root_over(layer, GridId::MAIN))
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

    /// The grid of a tree, or the main grid if there is no such tree.
    #[inline]
    pub(crate) fn tree_grid(&self, tree: TreeId) -> &Grid<S, D> {
        if tree.grid.is_main() { &self.grid } else { self.further_grid(tree) }
    }

    /// The grid of the tree that holds a bucket. The bucket must be in use.
    #[inline(always)]
    pub(crate) fn grid_of(&self, bucket: BucketId) -> &Grid<S, D> {
        let head = self.arena().head(bucket);
        if head.is_over_main() {
            return &self.grid;
        }
        let node = self.arena().node(head.node);
        self.further_grid(TreeId { layer: node.layer, grid: node.rules.grid })
    }

    #[cold]
    fn further_grid(&self, tree: TreeId) -> &Grid<S, D> {
        self.tree(tree).map_or(&self.grid, |tree| &tree.grid)
    }
}

/// Parts that all trees share.
impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Read access to nodes and buckets.
    #[inline]
    pub(crate) fn arena(&self) -> &Arena<S, D> {
        &self.chains.arena
    }

    #[inline]
    fn arena_mut(&mut self) -> &mut Arena<S, D> {
        &mut self.chains.arena
    }

    /// The entries that moved since the list was last emptied, with their new places.
    #[inline]
    pub(crate) fn moved(&mut self) -> &mut Moves {
        &mut self.chains.moved
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.main.capacity() * size_of::<Option<Tree<S, D>>>()
            + self.further.capacity() * size_of::<Tree<S, D>>()
            + self.arena().bytes()
    }

    /// Bytes of one bucket of a layer.
    pub(crate) fn bucket_bytes(&self, layer: u8) -> usize {
        bucket::bucket_bytes::<S, D>(self.kind(layer))
    }

    /// Releases memory that is not in use.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.arena_mut().shrink_to_fit();
    }
}
