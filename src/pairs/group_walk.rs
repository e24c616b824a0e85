//! The walk over the groups of a tree: chain by chain, and bucket by bucket or part by part in a chain.
//!
//! It does not know which groups are compared. Keeps its part of invariant Q13 of `docs/invariants.md`.

use super::group::Group;
use super::sorted::SortedChains;
use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, GridId, UNIT_MAX, UnitRange};
use crate::key::{BucketId, Place};
use crate::space::Space;
use crate::tree::{Arena, Probe, TreeId, Walk};

/// A chain with so many buckets behind its first one is sorted.
const LONG: u32 = if cfg!(test) { 2 } else { 8 };

/// A region where groups are looked for, and its units.
#[derive(Clone, Copy)]
pub(super) struct Window<S, const D: usize> {
    region: Rect<S, D>,
    units: UnitRange<D>,
}

impl<S: Scalar, const D: usize> Window<S, D> {
    pub(super) fn everywhere() -> Self {
        Self {
            region: Rect::ordered([S::NEG_INFINITY; D], [S::INFINITY; D]),
            units: UnitRange { min: [0; D], max: [UNIT_MAX; D] },
        }
    }

    pub(super) fn new(region: Rect<S, D>, grid: &Grid<S, D>) -> Self {
        Self { region, units: grid.range(&region) }
    }

    #[inline]
    pub(super) fn region(&self) -> &Rect<S, D> {
        &self.region
    }

    /// The same over the grid of another tree.
    fn over(&self, grid: &Grid<S, D>) -> Self {
        if grid.is_main() { *self } else { Self::new(self.region, grid) }
    }
}

/// It selects the units in which the anchors of objects may lie that meet the region.
impl<S: Scalar, const D: usize> Probe<D> for Window<S, D> {
    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        UnitRange { min: self.units.min.map(|first| first.saturating_sub(reach)), max: self.units.max }
    }

    #[inline]
    fn covered(&self, _: u32) -> UnitRange<D> {
        // Every bucket is compared, so none is covered.
        UnitRange::nowhere()
    }
}

/// A tree of a layer of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SideTree {
    pub(super) side: usize,
    pub(super) layer: u8,
    grid: GridId,
}

impl SideTree {
    pub(super) const NONE: Self = Self { side: 0, layer: 0, grid: GridId::MAIN };

    /// The first tree of a layer.
    pub(super) fn first(side: usize, layer: u8) -> Self {
        Self { side, layer, grid: GridId::MAIN }
    }

    /// The tree that a bucket of a side is in.
    pub(super) fn of_bucket<S: Scalar, const D: usize>(space: &Space<S, D>, side: usize, bucket: Place) -> Self {
        let TreeId { layer, grid } = space.trees.tree_of(bucket);
        Self { side, layer, grid }
    }

    /// The next tree of the same layer.
    pub(super) fn next<S: Scalar, const D: usize>(self, space: &Space<S, D>) -> Option<Self> {
        let TreeId { grid, .. } = space.trees.next_of_layer(self.id())?;
        Some(Self { grid, ..self })
    }

    fn id(self) -> TreeId {
        let Self { layer, grid, .. } = self;
        TreeId { layer, grid }
    }
}

/// The part of the chain at hand that is still to come.
#[derive(Clone, Copy)]
enum Rest {
    None,
    /// Bucket by bucket, from this one on.
    Buckets(BucketId),
    /// Part by part, once the chain is sorted from this bucket on.
    Unsorted(BucketId),
    /// Part by part, from this one on.
    Parts {
        chain: Place,
        next: u32,
    },
}

/// The position of a walk over the groups of a tree.
#[derive(Clone, Copy)]
pub(super) struct GroupWalk {
    pub(super) tree: SideTree,
    walk: Walk,
    rest: Rest,
    /// Whether long chains are sorted, but for their first buckets.
    sorts: bool,
}

impl GroupWalk {
    /// A walk that is over.
    pub(super) const OVER: Self = Self { tree: SideTree::NONE, walk: Walk::NOWHERE, rest: Rest::None, sorts: false };

    pub(super) fn new<S: Scalar, const D: usize>(space: &Space<S, D>, tree: SideTree, sorts: bool) -> Self {
        let walk = Walk::from_root(space.trees.root(tree.id()));
        Self { tree, walk, rest: Rest::None, sorts }
    }

    /// A walk over the groups that follow one. After a bucket those of its chain come unsorted.
    pub(super) fn after<S: Scalar, const D: usize>(self, space: &Space<S, D>, group: Group) -> Self {
        let rest = match group {
            Group::Bucket(first) => {
                let next = space.trees.arena().next_in_chain(first.bucket());
                next.map_or(Rest::None, Rest::Buckets)
            }
            Group::Part { chain, number } => Rest::Parts { chain, next: number + 1 },
        };
        Self { rest, ..self.for_another_window(space, group) }
    }

    /// The same walk with another window, having come to a group: what follows the group's chain is looked up anew.
    pub(super) fn for_another_window<S: Scalar, const D: usize>(self, space: &Space<S, D>, at: Group) -> Self {
        let root = space.trees.root(self.tree.id());
        let walk = Walk::after_chain(space.trees.arena(), root, at.bucket().bucket());
        Self { walk, ..self }
    }

    /// How many blocks a window would meet if all were as large as the next one; none if there is no more.
    pub(super) fn blocks_met<S: Scalar, const D: usize>(
        mut self,
        space: &Space<S, D>,
        window: &Window<S, D>,
        chains: &mut SortedChains<S, D>,
    ) -> f64 {
        let Some(Group::Bucket(first)) = self.next(space, window, chains) else { return 0.0 };
        let head = space.trees.arena().head(first.bucket());
        let (block, anchors) =
            (head.block.units(), window.over(space.trees.tree_grid(self.tree.id())).anchors(head.reach));
        let side = |axis: usize| f64::from(block.max[axis] - block.min[axis]) + 1.0;
        let met = |axis: usize| f64::from(anchors.max[axis] - anchors.min[axis]) / side(axis) + 1.0;
        (0..D).map(met).product()
    }

    /// Whether the next group is a bucket of the chain at hand, which comes whatever the window.
    #[inline]
    pub(super) fn is_in_chain(&self) -> bool {
        matches!(self.rest, Rest::Buckets(_))
    }

    /// The next group that may have entries in a window.
    // One copy for all callers, so that the walk is inlined there.
    #[inline(never)]
    pub(super) fn next<S: Scalar, const D: usize>(
        &mut self,
        space: &Space<S, D>,
        window: &Window<S, D>,
        chains: &mut SortedChains<S, D>,
    ) -> Option<Group> {
        let grid = self.tree.grid;
        let shifted;
        let window = if grid.is_main() {
            window
        } else {
            shifted = window.over(space.trees.tree_grid(self.tree.id()));
            &shifted
        };
        self.next_in(space.trees.arena(), window, chains)
    }

    #[inline]
    fn next_in<S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        window: &Window<S, D>,
        chains: &mut SortedChains<S, D>,
    ) -> Option<Group> {
        if matches!(self.rest, Rest::Unsorted(_) | Rest::Parts { .. })
            && let Some(part) = self.next_part(arena, &window.region, chains)
        {
            return Some(part);
        }
        let (bucket, is_first) = match self.rest {
            Rest::Buckets(bucket) => (bucket, false),
            _ => (self.walk.next_chain(arena, window)?.0, true),
        };
        self.rest = match arena.next_in_chain(bucket) {
            None => Rest::None,
            Some(next) if is_first && self.sorts && LONG <= arena.rest_of_chain(bucket) => Rest::Unsorted(next),
            Some(next) => Rest::Buckets(next),
        };
        Some(Group::Bucket(Place::new(bucket, 0)))
    }

    /// The next part of the sorted chain at hand that meets a region.
    #[inline(never)]
    fn next_part<S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        region: &Rect<S, D>,
        chains: &mut SortedChains<S, D>,
    ) -> Option<Group> {
        let side = self.tree.side;
        let (chain, found) = match self.rest {
            Rest::Parts { chain, next } => (chain, chains.get(side, chain).next_meeting(next, region)),
            Rest::Unsorted(bucket) => (Place::new(bucket, 0), chains.sort(side, arena, bucket).next_meeting(0, region)),
            Rest::None | Rest::Buckets(_) => return None,
        };
        self.rest = found.map_or(Rest::None, |number| Rest::Parts { chain, next: number + 1 });
        found.map(|number| Group::Part { chain, number })
    }
}
