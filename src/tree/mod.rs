//! The trees of all layers: arena, forest over it, trees over both.
//!
//! Each layer has one tree. All are over one grid.
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
//! | `rules` | the kind of shapes, and when blocks are split and merged |
//! | `bucket/` | the storage of entries, points or boxes |
//! | `arena/` | nodes, heads, crowds, buckets; which are free |
//! | `median` | where boxes that no cell divides are divided |
//! | `forest/` | chains of buckets; the changes of a tree: one verb a file |
//! | `changes` | single objects and whole layers into their trees |
//! | `update` | new shapes for whole layers: who stays in its bucket, on one thread or several |
//! | `entries`, `defragment` | all entries of a layer; buckets in the order of the walk |
//! | `bounds` | the smallest box around the objects of a layer |
//! | `pass` | the state of a defragmentation pass |
//! | `walk`, `probe` | the one walk of region queries; a query as the walk sees it |
//! | `lookahead` | which memory is fetched ahead |
//! | `saved`, `arena/saved` | the data form of all this, with the feature `serde` |
//!
//! Keeps invariants T1 to T9 of `docs/invariants.md`.

mod arena;
mod bounds;
mod bucket;
mod changes;
mod defragment;
mod entries;
mod forest;
mod lookahead;
mod median;
mod pass;
#[cfg(test)]
pub(crate) mod tests;
mod probe;
mod rules;
#[cfg(feature = "serde")]
mod saved;
mod update;
mod walk;

use alloc::vec::Vec;

use crate::geometry::Scalar;
use crate::grid::Grid;
use crate::key::NodeId;
use forest::{Forest, Moves};
use pass::Pass;

pub(crate) use arena::{Arena, Head, Knot, Node, OWN_LIST, Seat, Slot, block_bits};
pub(crate) use bucket::{
    BUCKET_SLOTS, Bucket, BucketRef, OfKind, RectBucket, positions, rows_of, rows_with, with_kind,
};
pub(crate) use forest::{Entry, Taken};
pub(crate) use probe::{Everything, Probe};
pub(crate) use rules::Rules;
pub(crate) use update::Leaving;
pub(crate) use walk::{Visit, Walk};
#[cfg(feature = "serde")]
pub(crate) use {bucket::SavedEntry, saved::SavedTrees};

/// The tree of a layer.
#[derive(Clone, Copy, Debug)]
struct Tree {
    rules: Rules,
    /// Made for the first object; stays until the layer is cleared.
    root: Option<NodeId>,
}

/// The trees of all layers.
#[derive(Clone, Debug)]
pub(crate) struct Trees<S, const D: usize> {
    /// By layer; `None` for one that does not live.
    list: Vec<Option<Tree>>,
    pub(crate) forest: Forest<S, D>,
    pass: Pass<D>,
}

/// The list of trees.
impl<S: Scalar, const D: usize> Trees<S, D> {
    pub(crate) fn new(grid: Grid<S, D>) -> Self {
        Self { list: Vec::with_capacity(1), forest: Forest::new(grid), pass: Pass::default() }
    }

    /// Adds the tree of a layer.
    pub(crate) fn add_tree(&mut self, layer: u8, rules: Rules) {
        self.list.resize(self.list.len().max(usize::from(layer) + 1), None);
        self.list[usize::from(layer)] = Some(Tree { rules, root: None });
    }

    /// Removes the tree of a layer, which must have no nodes.
    pub(crate) fn drop_tree(&mut self, layer: u8) {
        let tree = self.list[usize::from(layer)].take();
        debug_assert!(tree.is_some_and(|tree| tree.root.is_none()), "the layer was cleared before");
    }

    #[inline(always)]
    fn tree(&self, layer: u8) -> Option<&Tree> {
        self.list.get(usize::from(layer))?.as_ref()
    }

    /// The root of a layer's tree. `None` before the first object, or if there is no such layer.
    #[inline]
    pub(crate) fn root(&self, layer: u8) -> Option<NodeId> {
        self.tree(layer)?.root
    }

    #[inline]
    pub(crate) fn rules(&self, layer: u8) -> Option<Rules> {
        self.tree(layer).map(|tree| tree.rules)
    }

    /// As `rules`, for a living layer.
    #[inline]
    fn living_rules(&self, layer: u8) -> Rules {
        self.rules(layer).expect("the index names living layers only")
    }

    /// The root of a living layer's tree, made if there is none.
    #[inline]
    fn root_or_new(&mut self, layer: u8) -> NodeId {
        self.root(layer).unwrap_or_else(|| self.new_root(layer))
    }

    #[cold]
    fn new_root(&mut self, layer: u8) -> NodeId {
        let rules = self.living_rules(layer);
        let root = self.forest.arena.new_root(layer, rules);
        self.list[usize::from(layer)] = Some(Tree { rules, root: Some(root) });
        root
    }

    /// The greatest reach of all trees.
    #[inline]
    pub(crate) fn reach(&self) -> u32 {
        let roots = self.list.iter().flatten().filter_map(|tree| tree.root);
        roots.map(|root| self.arena().reach_of(self.arena().node(root))).max().unwrap_or(0)
    }

    /// The number of objects in a layer.
    #[inline]
    pub(crate) fn len(&self, layer: u8) -> usize {
        self.root(layer).map_or(0, |root| self.arena().node(root).len as usize)
    }

    /// The grid of all trees.
    #[inline]
    pub(crate) fn grid(&self) -> &Grid<S, D> {
        &self.forest.grid
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
        self.list.capacity() * size_of::<Option<Tree>>() + self.arena().bytes()
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
