//! The trees of both kinds of layers, and the one place that chooses between them.
//!
//! Keeps L2 of `docs/invariants.md` between the kinds.

use super::bucket::{BUCKET_SLOTS, Bucket, PointBucket, RectBucket};
use super::{Entry, Rules, Trees};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Grid, GridId};
use crate::key::{Handle, Kind, NodeId, Place};

/// All trees of an index.
#[derive(Clone, Debug)]
pub(crate) struct Forest<S, const D: usize> {
    pub(crate) points: Trees<PointBucket<S, D>, S, D>,
    pub(crate) rects: Trees<RectBucket<S, D>, S, D>,
}

/// Identifies one tree. Valid as long as the layer has a tree over this grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeId {
    pub(crate) kind: Kind,
    pub(crate) layer: u8,
    pub(crate) grid: GridId,
}

impl TreeId {
    /// The name of no tree. No tree follows it.
    pub(crate) const NONE: Self = Self { kind: Kind::Points, layer: 0, grid: GridId::LAST };

    /// The main tree of a layer.
    pub(crate) const fn main(kind: Kind, layer: u8) -> Self {
        Self { kind, layer, grid: GridId::MAIN }
    }
}

/// Evaluates an expression with `$trees` as the trees of a kind: `with_trees!(forest, kind, |trees| …)`, or
/// `with_trees!(mut forest, …)` to change them.
macro_rules! with_trees {
    (mut $forest:expr, $kind:expr, |$trees:ident| $body:expr) => {
        match $kind {
            $crate::key::Kind::Points => {
                let $trees = &mut $forest.points;
                $body
            }
            $crate::key::Kind::Rects => {
                let $trees = &mut $forest.rects;
                $body
            }
        }
    };
    ($forest:expr, $kind:expr, |$trees:ident| $body:expr) => {
        match $kind {
            $crate::key::Kind::Points => {
                let $trees = &$forest.points;
                $body
            }
            $crate::key::Kind::Rects => {
                let $trees = &$forest.rects;
                $body
            }
        }
    };
}
pub(crate) use with_trees;

impl<S: Scalar, const D: usize> Forest<S, D> {
    pub(crate) fn new(grid: Grid<S, D>) -> Self {
        Self { points: Trees::new(grid), rects: Trees::new(grid) }
    }

    #[inline]
    pub(crate) fn grid(&self) -> &Grid<S, D> {
        self.points.grid()
    }

    pub(crate) fn add_tree(&mut self, kind: Kind, layer: u8, rules: Rules) {
        with_trees!(mut self, kind, |trees| trees.add_tree(layer, rules));
    }

    pub(crate) fn drop_trees(&mut self, kind: Kind, layer: u8) {
        with_trees!(mut self, kind, |trees| trees.drop_trees(layer));
    }

    pub(crate) fn clear(&mut self, kind: Kind, layer: u8) {
        with_trees!(mut self, kind, |trees| trees.clear(layer));
    }

    pub(crate) fn has_room(&self, kind: Kind) -> bool {
        with_trees!(self, kind, |trees| trees.arena().has_room())
    }

    pub(crate) fn len(&self, kind: Kind, layer: u8) -> usize {
        with_trees!(self, kind, |trees| trees.len(layer))
    }

    #[inline]
    pub(crate) fn root(&self, tree: TreeId) -> Option<NodeId> {
        with_trees!(self, tree.kind, |trees| trees.tree(tree.layer, tree.grid)?.root)
    }

    /// The next tree of the same layer.
    #[inline(always)]
    pub(crate) fn next_of_layer(&self, tree: TreeId) -> Option<TreeId> {
        let grid = with_trees!(self, tree.kind, |trees| trees.next_grid(tree.layer, tree.grid))?;
        Some(TreeId { grid, ..tree })
    }

    /// The grid of a tree.
    #[inline]
    pub(crate) fn grid_of(&self, tree: TreeId) -> &Grid<S, D> {
        with_trees!(self, tree.kind, |trees| trees.tree_grid(tree.layer, tree.grid))
    }

    #[inline]
    pub(crate) fn handle(&self, place: Place) -> Handle {
        with_trees!(self, place.kind(), |trees| trees.arena().handle(place))
    }

    /// The handles of the bucket of a place, by position.
    #[inline]
    pub(crate) fn handles(&self, place: Place) -> &[Handle; BUCKET_SLOTS] {
        with_trees!(self, place.kind(), |trees| trees.arena().bucket(place.bucket()).handles())
    }

    #[inline(always)]
    pub(crate) fn shape(&self, place: Place) -> Rect<S, D> {
        with_trees!(self, place.kind(), |trees| trees.arena().shape(place))
    }

    pub(crate) fn layer_of(&self, place: Place) -> u8 {
        with_trees!(self, place.kind(), |trees| trees.arena().layer_of(place))
    }

    /// The tree that holds the bucket of a place.
    #[inline]
    pub(crate) fn tree_of(&self, place: Place) -> TreeId {
        with_trees!(self, place.kind(), |trees| {
            let node = trees.arena().node(trees.arena().node_of(place));
            TreeId { kind: place.kind(), layer: node.layer, grid: node.rules.grid }
        })
    }

    /// The node that holds an entry, among those of its kind.
    pub(crate) fn node_of(&self, place: Place) -> NodeId {
        with_trees!(self, place.kind(), |trees| trees.arena().node_of(place))
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, kind: Kind, layer: u8, shape: Rect<S, D>, handle: Handle) -> Place {
        with_trees!(mut self, kind, |trees| trees.insert(layer, shape, handle))
    }

    pub(crate) fn remove(&mut self, place: Place) {
        with_trees!(mut self, place.kind(), |trees| trees.remove(place));
    }

    #[inline(always)]
    pub(crate) fn move_in_place(&mut self, place: Place, shape: &Rect<S, D>, address: &Address<D>) -> bool {
        with_trees!(mut self, place.kind(), |trees| trees.move_in_place(place, shape, address))
    }

    #[inline(always)]
    pub(crate) fn move_elsewhere(&mut self, place: Place, entry: &Entry<S, D>) -> Place {
        with_trees!(mut self, place.kind(), |trees| trees.move_elsewhere(place, entry))
    }

    /// Builds the same trees over a grid, which is of another world if it `is_new`. Lists the places of all entries.
    pub(crate) fn rebuilt(&self, grid: Grid<S, D>, is_new: bool) -> Self {
        Self { points: self.points.rebuilt(grid, is_new), rects: self.rects.rebuilt(grid, is_new) }
    }

    /// Continues the pass over all trees by one bucket. Returns `false` at its end, and begins the next pass.
    pub(crate) fn defragment(&mut self) -> bool {
        let has_visited = self.points.defragment() || self.rects.defragment();
        if !has_visited {
            self.points.begin_pass();
            self.rects.begin_pass();
        }
        has_visited
    }

    /// Releases memory that is not in use.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.points.shrink_to_fit();
        self.rects.shrink_to_fit();
    }
}
