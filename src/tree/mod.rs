//! The trees of all layers: arena, forest over it, trees over both.
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
//! caller takes the list and updates its own records; after a build it goes through the buckets. The trees never see the
//! objects' values.
//!
//! | file | owns |
//! |---|---|
//! | `rules` | the name of a tree; the kind of shapes, when blocks are split and merged, and over which grid |
//! | `bucket/` | the storage of entries, points or boxes |
//! | `arena/` | nodes, heads, links, buckets; which are free |
//! | `forest/` | chains of buckets; the changes of a tree, given its grid: one verb a file |
//! | `changes` | single objects and whole layers into the trees that they belong to |
//! | `update` | new shapes for whole layers: who stays in its bucket, on one thread or several |
//! | `entries`, `defragment` | all entries of a layer; buckets in the order of the walk |
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
mod changes;
mod choice;
mod defragment;
mod entries;
mod forest;
mod lookahead;
mod pass;
#[cfg(test)]
mod planted;
mod probe;
mod rules;
#[cfg(feature = "serde")]
mod saved;
mod update;
mod walk;

use alloc::vec::Vec;

use crate::geometry::Scalar;
use crate::grid::Grid;
use crate::key::{BucketId, NodeId, Place};
use forest::{Forest, Moves};
use pass::Pass;

pub(crate) use arena::{Arena, Head, Link, Node, OWN_LIST, Slot, block_bits};
pub(crate) use bounds::StickingOut;
pub(crate) use bucket::{
    BUCKET_SLOTS, Bucket, BucketRef, OfKind, RectBucket, positions, rows_of, rows_with, with_kind,
};
pub(crate) use forest::{Entry, Taken};
pub(crate) use probe::{Everything, Probe};
pub(crate) use rules::{Rules, TreeId};
pub(crate) use update::Leaving;
pub(crate) use walk::{Visit, Walk};
#[cfg(feature = "serde")]
pub(crate) use {bucket::SavedEntry, saved::SavedTrees};

/// One tree of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<S, const D: usize> {
    id: TreeId,
    pub(crate) grid: Grid<S, D>,
    rules: Rules,
    /// Made for the first object; stays until the layer is cleared.
    pub(crate) root: Option<NodeId>,
}

/// The trees of all layers.
#[derive(Clone, Debug)]
pub(crate) struct Trees<S, const D: usize> {
    /// The main grid.
    grid: Grid<S, D>,
    /// The trees by rising grid and layer: first the main tree of each layer. Nearly always there are no others.
    list: Vec<Tree<S, D>>,
    /// How many of them are main trees.
    mains: usize,
    forest: Forest<S, D>,
    pass: Pass<D>,
}

/// The list of trees.
impl<S: Scalar, const D: usize> Trees<S, D> {
    pub(crate) fn new(grid: Grid<S, D>) -> Self {
        Self {
            grid,
            list: Vec::with_capacity(1),
            mains: 0,
            forest: Forest { arena: Arena::new(), moved: Vec::new() },
            pass: Pass::default(),
        }
    }

    /// Adds the tree of a layer over the grid of its rules, unless it is there. Returns its position in the list.
    pub(crate) fn add_tree(&mut self, layer: u8, rules: Rules) -> usize {
        let id = TreeId { layer, grid: rules.grid };
        self.search(id).unwrap_or_else(|at| {
            self.mains += usize::from(id.grid.is_main());
            self.list.insert(at, Tree { id, grid: self.grid.variant(id.grid), rules, root: None });
            at
        })
    }

    /// Removes the trees of a layer, which must have no nodes.
    pub(crate) fn drop_trees(&mut self, layer: u8) {
        debug_assert!(self.all_trees(layer).all(|tree| tree.root.is_none()), "the layer was cleared before");
        self.list.retain(|tree| tree.id.layer != layer);
        self.mains = self.list.partition_point(|tree| tree.grid.is_main());
    }

    /// The position of a tree in the list, or where it would be.
    #[cold]
    #[inline(never)]
    fn search(&self, id: TreeId) -> Result<usize, usize> {
        self.list.binary_search_by_key(&(id.grid, id.layer), |tree| (tree.id.grid, tree.id.layer))
    }

    #[inline(always)]
    fn tree(&self, id: TreeId) -> Option<&Tree<S, D>> {
        match self.list.get(usize::from(id.layer)) {
            // The main tree of a layer is at its number, if all layers before it live.
            Some(likely) if likely.id == id => Some(likely),
            _ => self.other_tree(id),
        }
    }

    #[cold]
    #[inline(never)]
    fn other_tree(&self, id: TreeId) -> Option<&Tree<S, D>> {
        self.list.get(self.search(id).ok()?)
    }

    /// The trees of a layer by rising grid, empty ones too.
    #[inline]
    pub(crate) fn all_trees(&self, layer: u8) -> impl Iterator<Item = &Tree<S, D>> {
        let others = self.list[self.mains..].iter().filter(move |tree| tree.id.layer == layer);
        self.tree(TreeId::main(layer)).into_iter().chain(others)
    }

    /// The main tree of a layer, and its other trees that are not empty.
    pub(crate) fn trees(&self, layer: u8) -> impl Iterator<Item = &Tree<S, D>> {
        self.all_trees(layer).filter(|tree| tree.grid.is_main() || self.len_of(tree) != 0)
    }

    /// Whether there are trees over other grids than the main one.
    #[inline(always)]
    pub(crate) fn has_others(&self) -> bool {
        self.list.len() != self.mains
    }

    /// The next tree of the same layer. Skips empty trees.
    #[inline(always)]
    pub(crate) fn next_of_layer(&self, tree: TreeId) -> Option<TreeId> {
        if self.has_others() { self.next_over(tree) } else { None }
    }

    #[cold]
    fn next_over(&self, tree: TreeId) -> Option<TreeId> {
        self.trees(tree.layer).map(|next| next.id).find(|&next| tree < next)
    }

    /// The tree that holds the bucket of a place.
    pub(crate) fn tree_of(&self, place: Place) -> TreeId {
        self.arena().node(self.arena().node_of(place)).tree()
    }

    /// The root of a tree. `None` before the first object, or if there is no such tree.
    #[inline]
    pub(crate) fn root(&self, tree: TreeId) -> Option<NodeId> {
        self.tree(tree)?.root
    }

    /// The rules of a layer's main tree. The others differ in the grid alone.
    #[inline]
    pub(crate) fn rules(&self, layer: u8) -> Option<Rules> {
        self.tree(TreeId::main(layer)).map(|main| main.rules)
    }

    /// As `rules`, for a living layer.
    #[inline]
    fn living_rules(&self, layer: u8) -> Rules {
        self.rules(layer).expect("the index names living layers only")
    }

    /// The root of a tree. Makes both if there are none.
    #[inline]
    fn root_or_new(&mut self, tree: TreeId) -> NodeId {
        self.root(tree).unwrap_or_else(|| self.new_root(tree))
    }

    #[cold]
    fn new_root(&mut self, TreeId { layer, grid }: TreeId) -> NodeId {
        if !grid.is_main() {
            // A layer with objects has a main root.
            self.root_or_new(TreeId::main(layer));
        }
        let rules = Rules { grid, ..self.living_rules(layer) };
        let root = self.forest.arena.new_root(layer, rules);
        let at = self.add_tree(layer, rules);
        self.list[at].root = Some(root);
        root
    }

    /// The forest, and the grid of a tree to be changed in it.
    #[inline(always)]
    fn forest_over(&mut self, tree: TreeId) -> (&mut Forest<S, D>, &Grid<S, D>) {
        let other = if tree.grid.is_main() { None } else { self.search(tree).ok() };
        (&mut self.forest, other.map_or(&self.grid, |at| &self.list[at].grid))
    }

    /// The grid and the reach of each tree whose objects have extents.
    #[inline]
    pub(crate) fn reaches(&self) -> impl Iterator<Item = (&Grid<S, D>, u32)> {
        let with_reach =
            |tree: &'_ Tree<S, D>| tree.root.map_or(0, |root| self.arena().reach_of(self.arena().node(root)));
        self.list.iter().map(move |tree| (&tree.grid, with_reach(tree))).filter(|&(_, reach)| reach != 0)
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
        if tree.grid.is_main() { &self.grid } else { self.other_grid(tree) }
    }

    #[cold]
    fn other_grid(&self, tree: TreeId) -> &Grid<S, D> {
        self.tree(tree).map_or(&self.grid, |tree| &tree.grid)
    }

    /// The grid of the tree that holds a bucket. The bucket must be in use.
    #[inline(always)]
    pub(crate) fn grid_of(&self, bucket: BucketId) -> &Grid<S, D> {
        let head = self.arena().head(bucket);
        if head.is_plain { &self.grid } else { self.tree_grid(self.arena().node(head.node).tree()) }
    }
}

/// Parts that all trees share.
impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Read access to nodes and buckets.
    #[inline]
    pub(crate) fn arena(&self) -> &Arena<S, D> {
        &self.forest.arena
    }

    /// The entries that moved since the list was last emptied, with their new places.
    #[inline]
    pub(crate) fn moved(&mut self) -> &mut Moves {
        &mut self.forest.moved
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Tree<S, D>>() + self.arena().bytes()
    }

    /// Bytes of one bucket of a layer.
    pub(crate) fn bucket_bytes(&self, layer: u8) -> usize {
        bucket::bucket_bytes::<S, D>(self.living_rules(layer).kind)
    }

    /// Releases memory that is not in use.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.forest.arena.shrink_to_fit();
    }
}
