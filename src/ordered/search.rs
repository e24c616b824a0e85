//! One search through the trees for the objects that come first, by whatever ranking: branch and bound.
//!
//! A search looks for the `want` objects that come first after some place in the order. It goes down to the most
//! promising cell first, so that soon it knows of as many objects; whatever cannot hold one that comes before the last of
//! those is left out from then on. How objects and cells are ranked is the business of a [`Ranking`].

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::geometry::{Level, Rank, Rect, Scalar, Simd, Vectorized, dispatch};
use crate::grid::{Block, CELLS, Grid};
use crate::key::{BucketId, Handle, NodeId, Place};
use crate::tree::{Arena, Bucket, Head, Node, Slot, block_bits};

/// Which of the objects come first, and where they may be.
///
/// One rule holds all together: an object of a rank from the floor to the limit is not left out, neither by `cells`
/// nor by `may_hold` nor by `candidates`.
pub(super) trait Ranking<S: Scalar, const D: usize>: Copy {
    /// What a floor and a limit of ranks mean for places and shapes.
    type Within: Copy;

    /// Whether `cells` is worth being asked again when the limit has become lower, even if no children are left.
    const CELLS_ARE_CHEAP: bool;

    /// How many objects a search keeps, for so many wanted, before it drops the last ones and lowers the limit: the
    /// fewer, the sooner it is done; the more, the less often it has to look which are the last.
    fn kept(want: usize) -> usize;

    fn within(&self, grid: &Grid<S, D>, floor: Rank, limit: Rank) -> Self::Within;

    /// The rank of an object; none if it is no answer at all.
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank>;

    /// The cell of a node that comes first. Of the others, those that share the smallest block with it do.
    fn first_cell(&self, node: &Node<D>) -> u8;

    /// The cells of a node in which objects within the limit may be stored, as bits.
    fn cells(&self, within: &Self::Within, node: &Node<D>) -> u64;

    /// Whether objects within the limit may be stored in a block or own list.
    fn may_hold(&self, within: &Self::Within, head: &Head<D>) -> bool;

    /// The entries of a bucket that may be within the limit, as bits. May have those of vacant slots too.
    fn candidates<B: Bucket<D, Scalar = S>, V: Simd>(&self, simd: V, within: &Self::Within, bucket: &B) -> u64;

    /// As `candidates`, without those that surely come after another one, the entry at the bit `left_out` apart.
    fn first_candidates<B: Bucket<D, Scalar = S>, V: Simd>(
        &self,
        simd: V,
        within: &Self::Within,
        bucket: &B,
        left_out: u64,
    ) -> u64;

    /// A limit beyond which one need not look at first for so many objects after `floor`, given a block there with so
    /// many objects. A guess; none, if there is nothing to guess by.
    fn guess(&self, grid: &Grid<S, D>, floor: Rank, want: usize, block: &Block<D>, objects: u32) -> Option<Rank>;
}

/// An object that has been found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) rank: Rank,
    pub(super) handle: Handle,
    pub(super) place: Place,
}

impl Found {
    /// What it is ordered by.
    #[inline]
    pub(super) fn order(&self) -> (Rank, Option<Handle>) {
        (self.rank, Some(self.handle))
    }

    #[inline]
    fn is_after(&self, (rank, handle): (Rank, Option<Handle>)) -> bool {
        rank < self.rank || (rank == self.rank && handle < Some(self.handle))
    }
}

impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.rank < other.rank || (self.rank == other.rank && self.handle < other.handle)
    }
}

/// Looking through a bucket for candidates.
struct Candidates<'a, R: Ranking<S, D>, B, S: Scalar, const D: usize> {
    ranking: &'a R,
    within: &'a R::Within,
    bucket: &'a B,
    /// Whether only the first one counts, the entry at this bit apart.
    first_but: Option<u64>,
}

impl<R: Ranking<S, D>, B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Vectorized for Candidates<'_, R, B, S, D> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> u64 {
        match self.first_but {
            Some(left_out) => self.ranking.first_candidates(simd, self.within, self.bucket, left_out),
            None => self.ranking.candidates(simd, self.within, self.bucket),
        }
    }
}

/// A search under way.
pub(super) struct Search<'s, R: Ranking<S, D>, S: Scalar, const D: usize> {
    grid: &'s Grid<S, D>,
    ranking: &'s R,
    level: Level,
    /// What comes here or before is none of this search's business.
    floor: (Rank, Option<Handle>),
    /// Beyond, objects are of no interest (any more).
    limit: Rank,
    /// Nor are those right at the limit with handles from this one on.
    limit_handle: Option<Handle>,
    within: R::Within,
    excluded: Place,
    /// How many objects are wanted.
    want: usize,
    /// The first object so far, if no more than one is wanted.
    pub(super) first: Option<Found>,
    /// The first objects so far, if more are wanted; and some more, in no order.
    found: &'s mut Vec<Found>,
}

impl<'s, R: Ranking<S, D>, S: Scalar, const D: usize> Search<'s, R, S, D> {
    pub(super) fn new(
        grid: &'s Grid<S, D>,
        ranking: &'s R,
        level: Level,
        floor: (Rank, Option<Handle>),
        limit: Rank,
        want: usize,
        found: &'s mut Vec<Found>,
    ) -> Self {
        let within = ranking.within(grid, floor.0, limit);
        Self {
            grid,
            ranking,
            level,
            floor,
            limit,
            limit_handle: None,
            within,
            excluded: Place::NONE,
            want,
            first: None,
            found,
        }
    }

    /// Leaves out the object at a place, if it is one.
    pub(super) fn leaving_out(self, excluded: Place) -> Self {
        Self { excluded, ..self }
    }

    /// Searches what lies at a node and below.
    pub(super) fn node<B: Bucket<D, Scalar = S>>(&mut self, arena: &Arena<B, D>, node: NodeId) {
        let node = arena.node(node);
        let first = self.ranking.first_cell(node);
        let mut limit = self.limit;
        let mut cells = node.occupied() & self.ranking.cells(&self.within, node);
        // What comes next is fetched while what comes now is searched.
        let next = |cells| if cells == 0 { 0 } else { 1 << next_cell(cells, first) };
        arena.prefetch_cells(node, || next(cells));
        arena.prefetch_own(node);
        while cells != 0 {
            let cell = next_cell(cells, first);
            match node.slot(cell) {
                Slot::Child(child) => {
                    cells &= !(1 << cell);
                    arena.prefetch_cells(node, || next(cells));
                    self.node(arena, child);
                }
                Slot::Bucket(bucket) => {
                    let head = arena.head(bucket);
                    cells &= !block_bits(head.cell, head.block.span);
                    arena.prefetch_cells(node, || next(cells));
                    self.chain(arena, bucket, head);
                }
                Slot::Vacant => unreachable!("only occupied cells are looked at"),
            }
            if self.limit != limit && (R::CELLS_ARE_CHEAP || node.has_child_in(cells)) {
                limit = self.limit;
                cells &= self.ranking.cells(&self.within, node);
            }
        }
        if B::EXTENDED
            && let Some(own) = node.own()
        {
            self.chain(arena, own, arena.head(own));
        }
    }

    #[inline]
    fn chain<B: Bucket<D, Scalar = S>>(&mut self, arena: &Arena<B, D>, first: BucketId, head: &Head<D>) {
        if !self.ranking.may_hold(&self.within, head) {
            return;
        }
        let mut next = Some(first);
        while let Some(bucket) = next {
            self.bucket(arena, bucket);
            next = arena.next_in_chain(bucket);
        }
    }

    fn bucket<B: Bucket<D, Scalar = S>>(&mut self, arena: &Arena<B, D>, bucket: BucketId) {
        let first = Place::new(B::KIND, bucket, 0);
        let left_out = self.excluded.bit_in(first);
        let used = arena.head(bucket).used & !left_out;
        let entries = arena.bucket(bucket);
        let first_but = (self.want == 1).then_some(left_out);
        let looking = Candidates { ranking: self.ranking, within: &self.within, bucket: entries, first_but };
        let candidates = dispatch(self.level, looking);
        let limit = self.limit;
        let mut candidates = candidates & used;
        while candidates != 0 {
            let position = candidates.trailing_zeros() as u8;
            candidates &= candidates - 1;
            // Handles lie apart from the shapes: they are looked at for what may be an answer only.
            if let Some(rank) = self.ranking.rank(&entries.shape(position))
                && self.floor.0 <= rank
                && rank <= self.limit
            {
                self.add(Found { rank, handle: entries.handle(position), place: first.at(position) });
            }
        }
        if self.limit != limit {
            self.within = self.ranking.within(self.grid, self.floor.0, self.limit);
        }
    }

    #[inline]
    fn add(&mut self, found: Found) {
        let is_beyond = found.rank == self.limit && self.limit_handle.is_some_and(|limit| limit <= found.handle);
        if is_beyond || !found.is_after(self.floor) {
            return;
        }
        if self.want == 1 {
            (self.limit, self.limit_handle) = (found.rank, Some(found.handle));
            self.first = Some(found);
            return;
        }
        self.found.push(found);
        if self.found.len() == R::kept(self.want) {
            self.drop_last();
        }
    }

    /// Keeps as many as are wanted.
    #[cold]
    fn drop_last(&mut self) {
        self.found.select_nth_unstable(self.want - 1);
        self.found.truncate(self.want);
        // Of equal rank some may have gone: none that comes after one that went is taken any more.
        let last = self.found[self.want - 1];
        (self.limit, self.limit_handle) = (last.rank, Some(last.handle));
    }
}

/// The block or node in which an object at the first cells would be stored, and how many objects are there.
pub(super) fn first_block<R: Ranking<S, D>, B: Bucket<D, Scalar = S>, S: Scalar, const D: usize>(
    arena: &Arena<B, D>,
    root: NodeId,
    ranking: &R,
) -> (Block<D>, u32) {
    let mut node = arena.node(root);
    loop {
        match node.slot(ranking.first_cell(node)) {
            Slot::Child(child) => node = arena.node(child),
            Slot::Bucket(first) => return (arena.head(first).block, arena.total(first)),
            Slot::Vacant => return (node.block(), node.len),
        }
    }
}

/// The cells in whose number a bit is clear.
const CLEAR: [u64; 6] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0F0F_0F0F_0F0F_0F0F,
    0x00FF_00FF_00FF_00FF,
    0x0000_FFFF_0000_FFFF,
    0x0000_0000_FFFF_FFFF,
];

/// The cell that comes first: the one that shares the smallest block with the cell `first`; of several, the one that
/// lies in it as `first` would.
#[inline]
fn next_cell(cells: u64, first: u8) -> u8 {
    if cells >> first & 1 != 0 {
        return first;
    }
    const { assert!(CELLS == 1 << CLEAR.len()) };
    let mut left = cells;
    for (bit, clear) in CLEAR.iter().enumerate().rev() {
        let alike = left & if first >> bit & 1 == 0 { *clear } else { !clear };
        left = if alike == 0 { left } else { alike };
    }
    left.trailing_zeros() as u8
}

#[cfg(test)]
mod tests;
