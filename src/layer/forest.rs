//! The trees of both kinds of layers, and the one place that chooses between them.

use super::points::PointBucket;
use super::rects::RectBucket;
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Grid};
use crate::key::{Handle, Kind, Place};
use crate::tree::{BUCKET_SLOTS, Bucket, Budget, Entry, Moves, Progress, Rules, Trees};

/// All trees of an index.
#[derive(Clone, Debug)]
pub(crate) struct Forest<S, const D: usize> {
    pub(crate) points: Trees<PointBucket<S, D>, S, D>,
    pub(crate) rects: Trees<RectBucket<S, D>, S, D>,
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
    pub(crate) fn new() -> Self {
        Self { points: Trees::new(), rects: Trees::new() }
    }

    pub(crate) fn add_tree(&mut self, kind: Kind, layer: u8, rules: Rules) {
        with_trees!(mut self, kind, |trees| trees.add_tree(layer, rules));
    }

    pub(crate) fn drop_tree(&mut self, kind: Kind, layer: u8) {
        with_trees!(mut self, kind, |trees| trees.drop_tree(layer));
    }

    pub(crate) fn clear(&mut self, kind: Kind, layer: u8) {
        with_trees!(mut self, kind, |trees| trees.clear(layer));
    }

    pub(crate) fn has_room(&self, kind: Kind) -> bool {
        with_trees!(self, kind, |trees| trees.has_room())
    }

    pub(crate) fn len(&self, kind: Kind, layer: u8) -> usize {
        with_trees!(self, kind, |trees| trees.len(layer))
    }

    #[inline]
    pub(crate) fn handle(&self, place: Place) -> Handle {
        with_trees!(self, place.kind(), |trees| trees.handle(place))
    }

    /// The handles of the bucket of a place, by position.
    #[inline]
    pub(crate) fn handles(&self, place: Place) -> &[Handle; BUCKET_SLOTS] {
        with_trees!(self, place.kind(), |trees| trees.bucket(place.bucket()).handles())
    }

    #[inline]
    pub(crate) fn shape(&self, place: Place) -> Rect<S, D> {
        with_trees!(self, place.kind(), |trees| trees.shape(place))
    }

    pub(crate) fn layer_of(&self, place: Place) -> u8 {
        with_trees!(self, place.kind(), |trees| trees.layer_of(place))
    }

    /// The number of the node that holds an entry, among those of its kind.
    pub(crate) fn node_of(&self, place: Place) -> u32 {
        with_trees!(self, place.kind(), |trees| trees.head(place.bucket()).node.0)
    }

    #[inline(always)]
    pub(crate) fn insert(
        &mut self,
        grid: &Grid<S, D>,
        kind: Kind,
        layer: u8,
        entry: &Entry<S, D>,
        moved: &mut Moves,
    ) -> Place {
        with_trees!(mut self, kind, |trees| trees.insert(grid, layer, entry, moved))
    }

    pub(crate) fn remove(&mut self, grid: &Grid<S, D>, place: Place, moved: &mut Moves) {
        with_trees!(mut self, place.kind(), |trees| trees.remove(grid, place, moved));
    }

    #[inline(always)]
    pub(crate) fn move_in_place(&mut self, place: Place, shape: &Rect<S, D>, address: &Address<D>) -> bool {
        with_trees!(mut self, place.kind(), |trees| trees.move_in_place(place, shape, address))
    }

    pub(crate) fn refile(&mut self, grid: &Grid<S, D>, place: Place, entry: &Entry<S, D>, moved: &mut Moves) -> Place {
        with_trees!(mut self, place.kind(), |trees| trees.refile(grid, place, entry, moved))
    }

    /// The same trees, built anew over that grid; where all entries are then is added to `moved`.
    pub(crate) fn rebuilt(&self, grid: &Grid<S, D>, moved: &mut Moves) -> Self {
        Self { points: self.points.rebuilt(grid, moved), rects: self.rects.rebuilt(grid, moved) }
    }

    /// Goes on with a pass over all trees; after its end with the next one.
    pub(crate) fn relocate(&mut self, grid: &Grid<S, D>, budget: Budget, moved: &mut Moves) -> Progress {
        let mut progress = self.points.relocate(grid, budget, moved);
        if progress == Progress::Done {
            progress = self.rects.relocate(grid, budget, moved);
        }
        if progress == Progress::Done {
            self.points.begin_pass();
            self.rects.begin_pass();
        }
        progress
    }

    /// Gives back memory that is not in use.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.points.shrink_to_fit();
        self.rects.shrink_to_fit();
    }
}
