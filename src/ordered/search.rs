//! A search through the trees for the objects that come first by some ranking: branch and bound.
//!
//! A search looks for the `want` objects that come first after some position in the order. It goes to the most
//! promising cell first, so that it soon knows `want` objects. From then on it skips every cell and bucket that cannot
//! hold an object before the last of them.
//!
//! This file does not know how objects and cells are ranked; a [`Ranking`] does. Keeps invariants Q8 and Q9 of
//! `docs/invariants.md`.

use alloc::vec::Vec;

use super::buffer::{Found, Position};
use super::images::Elsewhere;
use super::ranking::{CellOrder, Criterion, Ranking};
use crate::geometry::{LANES, Level, Rank, Rect, Scalar, SimdBase, with_vectors};
use crate::grid::Grid;
use crate::key::{BucketId, Excluded, Handle, LayerSet, NodeId, Place};
use crate::space::Space;
use crate::tree::{Arena, BUCKET_SLOTS, Bucket, Head, Knot, Slot, block_bits, positions, with_kind};

/// The objects that a search looks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Objects up to here are not results.
    pub(super) floor: Position,
    /// Objects after this rank are not results.
    pub(super) limit: Rank,
    /// The number of objects wanted.
    pub(super) want: usize,
    pub(super) ties: Ties,
    /// Whether one object is wanted and the floor is below all. Then only the first candidates of a bucket count.
    pub(super) is_first_alone: bool,
}

/// Selects the object that a search for one object finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ties {
    /// Of the objects with the least rank, the one with the lowest handle.
    ByHandle,
    /// Any object with the least rank.
    Any,
    /// Any object at all.
    AnyRank,
}

/// A search that is under way.
pub(super) struct Search<'s, R: Ranking<S, D>, S: Scalar, const D: usize> {
    /// The grid of all trees.
    grid: &'s Grid<S, D>,
    ranking: R,
    level: Level,
    /// The limit becomes lower during the search. It is `NEVER` once no further object is needed.
    goal: Goal,
    excluded: &'s Excluded<Place>,
    /// Objects exactly at the limit are results only if their handles are below this one.
    limit_handle: Option<Handle>,
    /// How often the limit has become lower. Comparing this number is faster than comparing limits.
    lowered: u32,
    /// The first object so far, if one is wanted.
    pub(super) first: Option<Found>,
    /// The first objects so far and some more, in no order, if several are wanted.
    found: &'s mut Vec<Found>,
    /// The images of a periodic world, and the number of the current one. An object below this rank has none lower.
    images: Option<(&'s Elsewhere<'s, R::Criterion, S, D>, usize)>,
    edge: Rank,
}

impl<'s, R: Ranking<S, D>, S: Scalar, const D: usize> Search<'s, R, S, D> {
    #[inline]
    pub(super) fn new(
        grid: &'s Grid<S, D>,
        mut ranking: R,
        level: Level,
        goal: Goal,
        excluded: &'s Excluded<Place>,
        found: &'s mut Vec<Found>,
    ) -> Self {
        ranking.set_floor(goal.floor.0);
        ranking.set_limit(grid, goal.limit);
        Self {
            grid,
            ranking,
            level,
            goal,
            excluded,
            limit_handle: None,
            lowered: 0,
            first: None,
            found,
            images: None,
            edge: Rank::NEVER,
        }
    }

    /// Goes over all trees of some layers, at home and then in the images that may still have a result.
    pub(super) fn in_images(
        &mut self,
        space: &'s Space<S, D>,
        layers: LayerSet,
        images: &'s Elsewhere<'s, R::Criterion, S, D>,
    ) {
        (self.images, self.edge) = (Some((images, images.home)), images.edge);
        self.all_trees(space, layers);
        let mut others = images.others(self.goal.limit);
        while !self.is_over()
            && let Some((bound, image)) = others.pop()
            && bound <= self.goal.limit
        {
            (self.images, self.edge) = (Some((images, image)), Rank::ZERO);
            self.change(images.criterion(image));
            self.all_trees(space, layers);
        }
    }

    /// Goes over all trees of some layers.
    #[inline(always)]
    pub(super) fn all_trees(&mut self, space: &Space<S, D>, mut layers: LayerSet) {
        while !self.is_over()
            && let Some(layer) = space.next_layer(&mut layers)
        {
            if let Some(root) = space.trees.root(layer) {
                self.node(space.trees.arena(), root);
            }
        }
    }

    /// Continues by a criterion elsewhere.
    #[cold]
    #[inline(never)]
    fn change(&mut self, criterion: R::Criterion) {
        self.ranking = R::new(self.grid, &criterion);
        self.ranking.set_floor(self.goal.floor.0);
        self.ranking.set_limit(self.grid, self.goal.limit);
    }

    /// Searches a node and everything below it.
    pub(super) fn node(&mut self, arena: &Arena<S, D>, node: NodeId) {
        let node = arena.node(node);
        let mut cells = node.occupied() & self.ranking.cells(node);
        let order = self.ranking.cell_order(self.grid, self.level, self.goal.limit, node, &mut cells);
        let mut lowered = self.lowered;
        // The next cell is fetched while the current one is searched.
        let next = |cells| if cells == 0 { 0 } else { 1 << order.next_cell(cells) };
        arena.prefetch_parts(node, node.own, || next(cells));
        while cells != 0 {
            let cell = order.next_cell(cells);
            match node.slot(cell) {
                Slot::Child(child) => {
                    cells &= !(1 << cell);
                    arena.prefetch_parts(node, None, || next(cells));
                    self.node(arena, child);
                }
                Slot::Bucket(bucket) => {
                    let head = arena.head(bucket);
                    cells &= !block_bits(head.cell, head.block.span);
                    arena.prefetch_parts(node, None, || next(cells));
                    self.chain(arena, bucket, head, &order);
                }
                Slot::Vacant => unreachable!("only occupied cells are looked at"),
            }
            if self.lowered != lowered {
                if self.is_over() {
                    return;
                }
                if R::CELLS_ARE_CHEAP || node.has_child_in(cells) {
                    lowered = self.lowered;
                    cells &= match &order {
                        CellOrder::ByBounds(bounds) => bounds.within(self.goal.limit),
                        CellOrder::Around(_) => self.ranking.cells(node),
                    };
                }
            }
        }
        if let Some(own) = node.own {
            self.chain(arena, own, arena.head(own), &order);
        }
    }

    #[inline(always)]
    fn chain(&mut self, arena: &Arena<S, D>, first: BucketId, head: &Head<D>, order: &CellOrder<D>) {
        let may_hold = match order {
            CellOrder::ByBounds(bounds) => bounds.may_hold(head, self.goal.limit),
            CellOrder::Around(_) => self.ranking.may_hold(head),
        };
        if !may_hold {
            return;
        }
        match arena.crowd_of(first) {
            None => self.bucket(arena, first),
            Some(top) => self.knot(arena, top),
        }
    }

    /// Searches a knot of a crowd, the most promising box first: of those as near, the one with the lowest handle. If one
    /// object is wanted and none is known, begins where it is likely to be.
    #[cold]
    #[inline(never)]
    fn knot(&mut self, arena: &Arena<S, D>, number: u32) {
        if self.goal.is_first_alone && self.first.is_none() {
            self.bucket(arena, arena.closest(number, &Rect::from_point(self.ranking.criterion().start())));
        }
        let (knot, mut order) = (arena.knots.get(number), [S::INFINITY; BUCKET_SLOTS]);
        let mut left = self.near(knot, &mut order);
        let key = |at: u8| (order[usize::from(at)], knot.members()[usize::from(at)].least, at);
        while let Some((_, least, at)) = positions(left).map(key).reduce(|a, b| if b < a { b } else { a })
            && !self.is_over()
        {
            let may_hold = |at: u8, least| {
                let bound = self.ranking.criterion().bound(&knot.around(at));
                bound.is_some_and(|bound| bound <= self.goal.limit && !self.is_late(bound, least))
            };
            if !may_hold(at, least) {
                left = positions(left).filter(|&at| may_hold(at, key(at).1)).fold(0, |left, at| left | 1 << at);
                continue;
            }
            left &= !(1 << at);
            let (number, lowered) = (knot.members()[usize::from(at)].number, self.lowered);
            if knot.is_upper {
                self.knot(arena, number);
            } else {
                self.bucket(arena, BucketId::numbered(number));
            }
            if self.lowered != lowered {
                left &= self.near(knot, &mut [S::INFINITY; BUCKET_SLOTS]);
            }
        }
    }

    /// Which members of a knot may be near, as bits. Writes about in which order they come.
    fn near(&self, knot: &Knot<S, D>, order: &mut [S; BUCKET_SLOTS]) -> u64 {
        let (ranking, level) = (&self.ranking, self.level);
        let near = with_vectors!(level, |simd| {
            let mut near = 0;
            for (row, order) in (0..knot.rows()).zip(order.chunks_mut(LANES)) {
                let (of_row, numbers) = ranking.near(simd, &knot.row(simd, row));
                near |= of_row << (row * LANES);
                order.copy_from_slice(&numbers.to_array());
            }
            near
        });
        if !self.goal.limit.is_zero() {
            return near;
        }
        // Handles decide, and are compared sooner than bounds are computed.
        let may_hold = |at: &u8| !self.is_late(Rank::ZERO, knot.members()[usize::from(*at)].least);
        positions(near).filter(may_hold).fold(0, |near, at| near | 1 << at)
    }

    /// Whether an object in a slot is exactly at the limit, where lower slots alone count.
    #[inline]
    fn is_late(&self, rank: Rank, slot: u32) -> bool {
        rank == self.goal.limit && self.limit_handle.is_some_and(|limit| limit.slot_number() <= slot)
    }

    #[inline(always)]
    fn bucket(&mut self, arena: &Arena<S, D>, bucket: BucketId) {
        let first = Place::new(bucket, 0);
        let left_out = self.excluded.bits_in(first);
        let used = arena.head(bucket).used & !left_out;
        with_kind!(arena.bucket(bucket), |entries| self.entries(entries, first, used, left_out));
    }

    /// Searches the entries of a bucket, but for some.
    #[inline(always)]
    fn entries<const ENDS: usize>(&mut self, entries: &Bucket<S, D, ENDS>, first: Place, used: u64, left_out: u64) {
        let first_but = self.goal.is_first_alone.then_some(left_out);
        let (ranking, level) = (&self.ranking, self.level);
        let candidates = with_vectors!(level, |simd| ranking.candidates(simd, entries, first_but));
        let lowered = self.lowered;
        let mut candidates = candidates & used;
        if self.goal.limit.is_zero() {
            candidates = self.of_lower_handles(entries, candidates);
        }
        let takes_several = self.goal.ties == Ties::ByHandle && self.goal.want != 1;
        while candidates != 0 {
            let position = candidates.trailing_zeros() as u8;
            candidates &= candidates - 1;
            // Handles lie apart from the shapes, so they are read only for possible results.
            let Some(rank) = self.ranking.rank(&entries.shape(position)) else { continue };
            if takes_several && rank.is_well_between(self.goal.floor.0, self.goal.limit) && rank < self.edge {
                self.keep(Found { rank, handle: entries.handle(position), place: first.at(position) });
            } else if self.goal.floor.0 <= rank && rank <= self.goal.limit {
                if rank < self.edge || self.is_least(rank, entries.shape(position)) {
                    self.add(Found { rank, handle: entries.handle(position), place: first.at(position) });
                    if candidates != 0 && self.goal.is_first_alone && self.goal.limit.is_zero() {
                        candidates = self.of_lower_handles(entries, candidates);
                    }
                } else if self.goal.is_first_alone {
                    // The candidates were the nearest alone, and one of them counts elsewhere.
                    candidates = 0;
                    self.each_entry(entries, first, used);
                }
            }
        }
        if self.lowered != lowered {
            self.ranking.set_limit(self.grid, self.goal.limit);
        }
    }

    /// Looks at all entries of a bucket, near an edge where the nearest of them may count in another image.
    #[cold]
    #[inline(never)]
    fn each_entry<const ENDS: usize>(&mut self, entries: &Bucket<S, D, ENDS>, first: Place, used: u64) {
        for position in positions(used) {
            if let Some(rank) = self.ranking.rank(&entries.shape(position))
                && self.goal.floor.0 <= rank
                && rank <= self.goal.limit
                && (rank < self.edge || self.is_least(rank, entries.shape(position)))
            {
                self.add(Found { rank, handle: entries.handle(position), place: first.at(position) });
            }
        }
    }

    /// Whether an object has its least rank in the current image, and in none before.
    #[cold]
    #[inline(never)]
    fn is_least(&self, rank: Rank, shape: Rect<S, D>) -> bool {
        self.images.is_none_or(|(images, image)| images.image_of(rank, &shape) == Some(image))
    }

    /// The candidates that may be results once the limit is zero: their handles are below the limit's. If one object is
    /// wanted, at most one candidate is left, and few objects are ranked to find it.
    #[inline(never)]
    fn of_lower_handles<const ENDS: usize>(&self, entries: &Bucket<S, D, ENDS>, candidates: u64) -> u64 {
        let Some(mut limit) = self.limit_handle else { return candidates };
        let mut lower = 0;
        for position in positions(candidates) {
            let handle = entries.handle(position);
            if limit <= handle {
                continue;
            }
            if !self.goal.is_first_alone {
                lower |= 1 << position;
                continue;
            }
            if self.ranking.rank(&entries.shape(position)) == Some(Rank::ZERO) {
                (limit, lower) = (handle, 1 << position);
            }
        }
        lower
    }

    /// Whether no further object is needed.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.goal.limit.is_never()
    }

    #[inline]
    fn add(&mut self, found: Found) {
        if self.is_late(found.rank, found.handle.slot_number()) || !found.is_after(self.goal.floor) {
            return;
        }
        if self.goal.ties != Ties::ByHandle {
            return self.add_any(found);
        }
        if self.goal.want == 1 {
            self.lower(found.rank, Some(found.handle));
            self.first = Some(found);
            return;
        }
        self.keep(found);
    }

    /// Keeps an object among the first so far.
    #[inline]
    fn keep(&mut self, found: Found) {
        self.found.push(found);
        if self.found.len() == R::kept(self.goal.want) {
            self.drop_last();
        }
    }

    /// Keeps an object whatever its handle is, and searches on for objects of a lower rank only, if any may be left.
    #[inline(never)]
    fn add_any(&mut self, found: Found) {
        if self.is_over() {
            return;
        }
        self.first = Some(found);
        let is_last = self.goal.ties == Ties::AnyRank || found.rank == self.goal.floor.0;
        self.lower(if is_last { Rank::NEVER } else { found.rank.before() }, self.limit_handle);
    }

    #[inline]
    fn lower(&mut self, limit: Rank, handle: Option<Handle>) {
        (self.goal.limit, self.limit_handle) = (limit, handle);
        self.lowered += 1;
    }

    /// Keeps only as many objects as are wanted.
    #[cold]
    fn drop_last(&mut self) {
        self.found.select_nth_unstable_by(self.goal.want - 1, Found::compare);
        self.found.truncate(self.goal.want);
        // Some objects of this rank may be gone. From now on, later objects of this rank are refused.
        let last = self.found[self.goal.want - 1];
        self.lower(last.rank, Some(last.handle));
    }
}

#[cfg(test)]
mod tests;
