//! The walk over the groups of a tree: chain by chain, and bucket by bucket in a chain.
//!
//! It does not know which groups are compared. Keeps its part of invariant Q13 of `docs/invariants.md`.

use super::sides::{Group, Sides};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, UnitRange};
use crate::key::{BucketId, Place};
use crate::space::Space;
use crate::tree::{Node, Probe, Walk};

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
    /// The layer of the tree.
    pub(super) layer: u8,
    walk: Walk,
    /// The bucket that the walk has come to, whose chain goes on.
    at: Option<BucketId>,
}

impl GroupWalk {
    /// A walk that is over.
    pub(super) const OVER: Self = Self { side: 0, layer: 0, walk: Walk::NOWHERE, at: None };

    pub(super) fn new<S: Scalar, const D: usize>(space: &Space<S, D>, side: usize, layer: u8) -> Self {
        Self { side, layer, walk: Walk::from_root(space.trees.root(layer)), at: None }
    }

    /// The same walk, for the groups that follow one, and so for another window: it searches again for the chains that follow.
    pub(super) fn after<S: Scalar, const D: usize>(self, space: &Space<S, D>, group: Group) -> Self {
        let (root, bucket) = (space.trees.root(self.layer), group.bucket.bucket());
        Self { walk: Walk::after_chain(space.trees.arena(), root, bucket), at: Some(bucket), ..self }
    }

    /// How many blocks a window would meet if all were as large as the next one. None if no block follows.
    pub(super) fn blocks_met<S: Scalar, const D: usize>(
        mut self,
        sides: &Sides<'_, '_, S, D>,
        window: &Window<S, D>,
    ) -> f64 {
        let Some(Group { bucket: first, .. }) = self.next(sides, window) else { return 0.0 };
        let space = sides.space(self.side);
        let head = space.trees.arena().head(first.bucket());
        let (block, anchors) = (head.block.units(), window.anchors(head.reach));
        let side = |axis: usize| f64::from(block.max[axis] - block.min[axis]) + 1.0;
        let met = |axis: usize| f64::from(anchors.max[axis] - anchors.min[axis]) / side(axis) + 1.0;
        (0..D).map(met).product()
    }

    /// The next group that may have entries in a window.
    // Not inlined, so that all callers share one copy, with the walk inlined in it.
    #[inline(never)]
    pub(super) fn next<S: Scalar, const D: usize>(
        &mut self,
        sides: &Sides<'_, '_, S, D>,
        window: &Window<S, D>,
    ) -> Option<Group> {
        let (arena, at) = (sides.space(self.side).trees.arena(), self.at);
        self.at = at.and_then(|bucket| arena.next_meeting(bucket, &window.region));
        while self.at.is_none() {
            let first = self.walk.next_chain(arena, window)?.0;
            self.at = arena.first_meeting(first, &window.region);
        }
        self.at.map(|bucket| Group { side: self.side, bucket: Place::new(bucket, 0) })
    }
}
