//! The walk over the groups of a tree: chain by chain, and bucket by bucket or part by part in a chain.
//!
//! It does not know which groups are compared. Keeps its part of invariant Q13 of `docs/invariants.md`.

use super::sides::{Group, Sides};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, UnitRange};
use crate::key::Place;
use crate::space::Space;
use crate::tree::{Arena, Node, Probe, TreeId, Walk};

/// A chain with so many buckets behind its first one is sorted.
const LONG: u32 = if cfg!(test) { 2 } else { 8 };

/// A region where groups are looked for, and its units.
#[derive(Clone, Copy)]
pub(super) struct Window<S, const D: usize> {
    pub(super) region: Rect<S, D>,
    units: UnitRange<D>,
}

impl<S: Scalar, const D: usize> Window<S, D> {
    pub(super) fn everywhere() -> Self {
        Self { region: Rect::everything(), units: UnitRange::everywhere() }
    }

    pub(super) fn new(region: Rect<S, D>, grid: &Grid<S, D>) -> Self {
        Self { region, units: grid.range(&region) }
    }

    /// The same over the grid of a tree, if that is not the main grid.
    #[inline]
    fn over(&self, space: &Space<S, D>, tree: TreeId) -> Option<Self> {
        let is_other = !tree.grid.is_main() && tree != TreeId::NONE;
        is_other.then(|| Self::new(self.region, space.trees.tree_grid(tree)))
    }
}

/// Selects the units where objects that meet the region may have their anchors.
impl<S: Scalar, const D: usize> Probe<D> for Window<S, D> {
    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        self.units.reached(reach)
    }

    #[inline]
    fn cells_covered(&self, _: &Node<D>, _: u32) -> u64 {
        // Every bucket is compared, so none is covered.
        0
    }
}

/// The position of a walk over the groups of a tree.
#[derive(Clone, Copy)]
pub(super) struct GroupWalk {
    pub(super) side: usize,
    pub(super) tree: TreeId,
    walk: Walk,
    /// The next group of the current chain: a bucket, or the first part that may be next. The chain is sorted only when
    /// the walk goes on to a part.
    next_in_chain: Option<Group>,
    /// Whether long chains are sorted, except for their first buckets.
    sorts: bool,
}

impl GroupWalk {
    /// A walk that is over. No tree follows its own.
    pub(super) const OVER: Self =
        Self { side: 0, tree: TreeId::NONE, walk: Walk::NOWHERE, next_in_chain: None, sorts: false };

    pub(super) fn new<S: Scalar, const D: usize>(space: &Space<S, D>, side: usize, tree: TreeId, sorts: bool) -> Self {
        let walk = Walk::from_root(space.trees.root(tree));
        Self { side, tree, walk, next_in_chain: None, sorts }
    }

    /// A walk over the groups that follow one. If it is a bucket, the rest of its chain comes unsorted.
    pub(super) fn after<S: Scalar, const D: usize>(self, space: &Space<S, D>, group: Group) -> Self {
        let next_in_chain = if let Some(number) = group.part {
            Some(Group { part: Some(number + 1), ..group })
        } else {
            let first = group.bucket;
            let next = space.trees.arena().next_in_chain(first.bucket());
            next.map(|next| Group { bucket: Place::new(next, 0), ..group })
        };
        Self { next_in_chain, ..self.for_another_window(space, group) }
    }

    /// The same walk for another window, after it has come to a group. It searches again for the chains that follow.
    pub(super) fn for_another_window<S: Scalar, const D: usize>(self, space: &Space<S, D>, at: Group) -> Self {
        let root = space.trees.root(self.tree);
        let walk = Walk::after_chain(space.trees.arena(), root, at.bucket.bucket());
        Self { walk, ..self }
    }

    /// How many blocks a window would meet if all were as large as the next one. None if no block follows.
    pub(super) fn blocks_met<S: Scalar, const D: usize>(
        mut self,
        sides: &mut Sides<'_, '_, S, D>,
        window: &Window<S, D>,
    ) -> f64 {
        let Some(Group { bucket: first, part: None, .. }) = self.next(sides, window) else { return 0.0 };
        let space = sides.space(self.side);
        let head = space.trees.arena().head(first.bucket());
        let (block, anchors) =
            (head.block.units(), window.over(space, self.tree).unwrap_or(*window).anchors(head.reach));
        let side = |axis: usize| f64::from(block.max[axis] - block.min[axis]) + 1.0;
        let met = |axis: usize| f64::from(anchors.max[axis] - anchors.min[axis]) / side(axis) + 1.0;
        (0..D).map(met).product()
    }

    /// Whether the next group is a bucket of the current chain, which comes whatever the window.
    #[inline]
    pub(super) fn is_in_chain(&self) -> bool {
        self.next_in_chain.is_some_and(|next| next.part.is_none())
    }

    /// The next group that may have entries in a window.
    // Not inlined, so that all callers share one copy, with the walk inlined in it.
    #[inline(never)]
    pub(super) fn next<S: Scalar, const D: usize>(
        &mut self,
        sides: &mut Sides<'_, '_, S, D>,
        window: &Window<S, D>,
    ) -> Option<Group> {
        let space = sides.space(self.side);
        let over_grid = window.over(space, self.tree);
        let window = over_grid.as_ref().unwrap_or(window);
        self.next_in(space.trees.arena(), sides, window)
    }

    #[inline]
    fn next_in<S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        sides: &mut Sides<'_, '_, S, D>,
        window: &Window<S, D>,
    ) -> Option<Group> {
        let (bucket, is_first) = match self.next_in_chain {
            Some(Group { bucket, part: None, .. }) => (bucket.bucket(), false),
            from => {
                if let Some(part) = from.and_then(|from| self.next_part(arena, sides, from, &window.region)) {
                    return Some(part);
                }
                (self.walk.next_chain(arena, window)?.0, true)
            }
        };
        let group = |bucket| Group { side: self.side, bucket: Place::new(bucket, 0), part: None };
        self.next_in_chain = arena.next_in_chain(bucket).map(|next| {
            let is_sorted = is_first && self.sorts && LONG <= arena.rest_of_chain(bucket);
            Group { part: is_sorted.then_some(0), ..group(next) }
        });
        Some(group(bucket))
    }

    /// The next part from one on that meets a region.
    #[inline(never)]
    fn next_part<S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        sides: &mut Sides<'_, '_, S, D>,
        from: Group,
        region: &Rect<S, D>,
    ) -> Option<Group> {
        let number = sides.sorted(self.side, arena, from.bucket.bucket()).next_meeting(from.part?, region);
        let part = |number| Group { part: Some(number), ..from };
        self.next_in_chain = number.map(|number| part(number + 1));
        number.map(part)
    }
}
