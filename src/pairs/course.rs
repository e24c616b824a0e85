//! The way over a layer, group by group: the walk, and the rest of the chain that it has come to.
//!
//! It does not know which groups are compared. Keeps its part of invariant Q13 of `docs/invariants.md`.

use super::crowds::{Crowds, is_crowded};
use super::group::Group;
use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, UnitRange};
use crate::key::{BucketId, Kind, Place};
use crate::space::Space;
use crate::tree::{Arena, Bucket, Everything, Probe, TreeId, Walk, with_trees};

/// The surroundings of a source: a box that meets every object in proximity, and its units.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<S, const D: usize> {
    pub(super) region: Rect<S, D>,
    pub(super) units: UnitRange<D>,
}

impl<S: Scalar, const D: usize> Surroundings<S, D> {
    pub(super) fn nowhere() -> Self {
        Self { region: Rect::nowhere(), units: UnitRange::nowhere() }
    }

    /// The same over the grid of another tree than a main one.
    fn over(&self, grid: &Grid<S, D>) -> Self {
        if grid.is_main() { *self } else { Self { region: self.region, units: grid.range(&self.region) } }
    }
}

/// The probe of a source: it selects the units in which the anchors of objects may lie that meet its bounds.
impl<S: Scalar, const D: usize> Probe<D> for Surroundings<S, D> {
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

/// The rest of the chain at hand.
#[derive(Clone, Copy)]
enum Rest {
    None,
    /// Bucket by bucket, from this one on.
    Buckets(BucketId),
    /// As a crowd that is not yet known, from this bucket on.
    Unsorted(BucketId),
    /// As a crowd, from this part on.
    Crowd {
        crowd: u32,
        next: u32,
    },
}

/// A tree of a layer of the space with that index, and the part of its groups that is to come.
#[derive(Clone, Copy)]
pub(super) struct Course {
    pub(super) side: usize,
    pub(super) tree: TreeId,
    /// Whether the layer has more trees.
    has_more: bool,
    walk: Walk,
    rest: Rest,
    /// Whether long chains that the walk comes to are sorted.
    sorts: bool,
}

impl Course {
    pub(super) const NOWHERE: Self =
        Self { side: 0, tree: TreeId::NONE, has_more: false, walk: Walk::NOWHERE, rest: Rest::None, sorts: false };

    /// The whole of a tree; those that come after it in its layer follow.
    pub(super) fn over<S: Scalar, const D: usize>(space: &Space<S, D>, side: usize, tree: TreeId, sorts: bool) -> Self {
        let walk = Walk::from_root(space.forest.root(tree));
        let has_more = space.forest.next_of_layer(tree).is_some();
        Self { side, tree, has_more, walk, rest: Rest::None, sorts }
    }

    /// The groups of a target layer. If it is the source's `own`, these are the groups that follow the source in its tree,
    /// and the trees after that.
    pub(super) fn of_targets<S: Scalar, const D: usize>(
        space: &Space<S, D>,
        (side, layer, kind): (usize, u8, Kind),
        own: Option<(TreeId, Group)>,
        sorts: bool,
        crowds: &Crowds<S, D>,
    ) -> Self {
        match own {
            Some((tree, source)) => Self::over(space, side, tree, sorts).after(space, source, crowds),
            None => Self::over(space, side, TreeId::main(kind, layer), sorts),
        }
    }

    /// The whole of the next tree of the layer.
    pub(super) fn next_tree<S: Scalar, const D: usize>(&self, space: &Space<S, D>) -> Option<Self> {
        let next = if self.has_more { space.forest.next_of_layer(self.tree) } else { None };
        next.map(|tree| Self::over(space, self.side, tree, self.sorts))
    }

    /// Skips everything that is to come.
    pub(super) fn end(&mut self) {
        (self.walk, self.rest, self.has_more) = (Walk::NOWHERE, Rest::None, false);
    }

    /// The course over the groups that follow one in its layer. After a bucket those of its chain come unsorted.
    pub(super) fn after<S: Scalar, const D: usize>(
        mut self,
        space: &Space<S, D>,
        group: Group,
        crowds: &Crowds<S, D>,
    ) -> Self {
        let (root, bucket) = (space.forest.root(self.tree), crowds.bucket_of(group).bucket());
        with_trees!(space.forest, self.tree.kind, |trees| {
            self.walk = Walk::after_chain(trees.arena(), root, bucket);
            self.rest = match group {
                Group::Bucket(_) => rest_from(trees.arena().next_in_chain(bucket)),
                Group::Part { crowd, number } => Rest::Crowd { crowd, next: number + 1 },
            };
        });
        self
    }

    /// The same course, for another probe: it asks about everything after the chain at hand anew.
    pub(super) fn again<S: Scalar, const D: usize>(mut self, space: &Space<S, D>, chain: Place) -> Self {
        let root = space.forest.root(self.tree);
        with_trees!(space.forest, self.tree.kind, |trees| {
            self.walk = Walk::after_chain(trees.arena(), root, chain.bucket());
        });
        self
    }

    /// How many blocks a source would meet, if all were as large as the next one; none if there is no more.
    pub(super) fn met_like_next<S: Scalar, const D: usize>(
        mut self,
        space: &Space<S, D>,
        around: &Surroundings<S, D>,
        crowds: &mut Crowds<S, D>,
    ) -> f64 {
        let Some(Group::Bucket(first)) = self.next_around(space, around, crowds) else { return 0.0 };
        let head = with_trees!(space.forest, self.tree.kind, |trees| trees.arena().head(first.bucket()));
        let (block, anchors) = (head.block.units(), around.over(space.forest.grid_of(self.tree)).anchors(head.reach));
        let side = |axis: usize| f64::from(block.max[axis] - block.min[axis]) + 1.0;
        let met = |axis: usize| f64::from(anchors.max[axis] - anchors.min[axis]) / side(axis) + 1.0;
        (0..D).map(met).product()
    }

    /// Whether the next group is a bucket of the chain at hand, which comes whatever the probe.
    #[inline]
    pub(super) fn is_in_chain(&self) -> bool {
        matches!(self.rest, Rest::Buckets(_))
    }

    /// The next group that a source may have partners in.
    // One copy for both callers, so that the walk is inlined there.
    #[inline(never)]
    pub(super) fn next_around<S: Scalar, const D: usize>(
        &mut self,
        space: &Space<S, D>,
        around: &Surroundings<S, D>,
        crowds: &mut Crowds<S, D>,
    ) -> Option<Group> {
        let shifted;
        let around = if self.tree.grid.is_main() {
            around
        } else {
            shifted = around.over(space.forest.grid_of(self.tree));
            &shifted
        };
        with_trees!(space.forest, self.tree.kind, |trees| self.next(
            trees.arena(),
            around,
            Some(&around.region),
            crowds
        ))
    }

    /// The next group.
    pub(super) fn next_of_all<S: Scalar, const D: usize>(
        &mut self,
        space: &Space<S, D>,
        crowds: &mut Crowds<S, D>,
    ) -> Option<Group> {
        with_trees!(space.forest, self.tree.kind, |trees| self.next(trees.arena(), &Everything, None, crowds))
    }

    #[inline]
    fn next<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<B, D>,
        probe: &impl Probe<D>,
        region: Option<&Rect<S, D>>,
        crowds: &mut Crowds<S, D>,
    ) -> Option<Group> {
        let bucket = match self.rest {
            Rest::None => self.walk.next_chain(arena, probe)?.0,
            Rest::Buckets(bucket) => bucket,
            Rest::Unsorted(_) | Rest::Crowd { .. } => {
                if let Some(part) = self.next_part(arena, region, crowds) {
                    return Some(part);
                }
                self.walk.next_chain(arena, probe)?.0
            }
        };
        self.rest = match arena.next_in_chain(bucket) {
            None => Rest::None,
            Some(next) if self.sorts && matches!(self.rest, Rest::None) && is_crowded(arena, bucket) => {
                Rest::Unsorted(next)
            }
            Some(next) => Rest::Buckets(next),
        };
        Some(Group::Bucket(Place::new(B::KIND, bucket, 0)))
    }

    /// The next part of the crowd at hand that may have partners.
    #[inline(never)]
    fn next_part<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<B, D>,
        region: Option<&Rect<S, D>>,
        crowds: &mut Crowds<S, D>,
    ) -> Option<Group> {
        let (crowd, next) = match self.rest {
            Rest::Crowd { crowd, next } => (crowd, next),
            Rest::Unsorted(bucket) => (crowds.number_of(self.side, arena, bucket), 0),
            Rest::None | Rest::Buckets(_) => return None,
        };
        let parts = crowds.get(crowd);
        let found = match region {
            Some(region) => parts.next_meeting(next, region),
            None => (next < parts.len()).then_some(next),
        };
        self.rest = found.map_or(Rest::None, |number| Rest::Crowd { crowd, next: number + 1 });
        found.map(|number| Group::Part { crowd, number })
    }
}

fn rest_from(bucket: Option<BucketId>) -> Rest {
    bucket.map_or(Rest::None, Rest::Buckets)
}
