//! Chains of buckets: adding and taking single entries, and operations on whole chains.
//!
//! All buckets of a chain but the first are full. A gap in the first stays open for the next entry. A gap elsewhere is
//! filled with an entry of the first. Nearly all chains have one bucket, so entries come and go without moving others.
//!
//! Computes addresses from shapes over a given grid, and lists the entries that it moves. Independent of trees.
//!
//! Keeps T3 of `docs/invariants.md`, and its part of T6 and S1.

use super::super::arena::{Arena, Head};
use super::super::bucket::{BUCKET_SLOTS, positions, with_kind};
use super::Forest;
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Grid};
use crate::key::{BucketId, Handle, Kind, NodeId, Place};

/// An entry as the trees store it: a shape with its handle and its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<S, const D: usize> {
    pub(crate) shape: Rect<S, D>,
    pub(crate) handle: Handle,
    pub(crate) address: Address<D>,
    /// The reach that covers its extent.
    pub(crate) reach: u32,
}

impl<S, const D: usize> Entry<S, D> {
    #[inline(always)]
    pub(crate) fn new(kind: Kind, shape: Rect<S, D>, handle: Handle, address: Address<D>) -> Self {
        Self { shape, handle, address, reach: reach_of(kind, address.extent) }
    }
}

/// The reach that covers an extent: none for points, and one more than the extent for boxes. Rounding lets a box's extent
/// grow by one unit while the box only translates, and such moves should leave all reaches unchanged.
#[inline(always)]
pub(super) fn reach_of(kind: Kind, extent: u32) -> u32 {
    match kind {
        Kind::Points => 0,
        // A shape that leaves the grid has any extent. Such an entry is looked up again.
        Kind::Rects => extent.wrapping_add(1),
    }
}

impl<S: Scalar, const D: usize> Forest<S, D> {
    /// The reach that a box needs in a tree over this grid, if that is at least `least`. Most shapes fail the cheaper
    /// test first.
    #[inline]
    pub(super) fn reach_from(grid: &Grid<S, D>, least: u32, shape: &Rect<S, D>) -> Option<u32> {
        if grid.extent_at_most(shape.size()).saturating_add(1) < least {
            return None;
        }
        Some(reach_of(Kind::Rects, grid.address(shape).extent)).filter(|&reach| least <= reach)
    }

    /// Opens a chain without entries. The caller adds one.
    pub(super) fn open(&mut self, head: Head<D>) -> BucketId {
        let first = self.arena.new_bucket(head);
        self.arena.enter_in_directory(first);
        first
    }

    /// The first bucket of a chain, put before a full one if need be: it has room.
    pub(super) fn room_in(&mut self, first: BucketId) -> BucketId {
        if self.arena.head(first).used == u64::MAX { self.lengthen(first) } else { first }
    }

    /// Adds an entry to a bucket that has room, at its first vacant position. Returns its place.
    #[inline(always)]
    pub(super) fn put(&mut self, bucket: BucketId, entry: &Entry<S, D>) -> Place {
        let head = self.arena.head_mut(bucket);
        let position = head.used.trailing_ones() as u8;
        head.used |= 1 << position;
        head.reach = head.reach.max(entry.reach);
        self.write(bucket, position, &entry.shape, entry.handle)
    }

    /// Stores at most 64 entries, which need this reach, in an empty bucket. Does not list their places.
    #[inline]
    pub(super) fn fill(&mut self, bucket: BucketId, entries: impl Iterator<Item = (Rect<S, D>, Handle)>, reach: u32) {
        let mut used = 0;
        // Looked up once for all entries.
        with_kind!(self.arena.bucket_mut(bucket), |stored| {
            for (position, (shape, handle)) in (0..BUCKET_SLOTS as u8).zip(entries) {
                stored.set(position, &shape, handle);
                used = used << 1 | 1;
            }
        });
        let head = self.arena.head_mut(bucket);
        (head.used, head.reach) = (used, head.reach.max(reach));
    }

    /// Puts an empty bucket before a full chain.
    #[cold]
    pub(super) fn lengthen(&mut self, first: BucketId) -> BucketId {
        let bucket = self.arena.new_bucket(Head { used: 0, ..*self.arena.head(first) });
        self.arena.link_before(bucket, first);
        bucket
    }

    /// Takes an entry out of its chain. Frees a bucket that becomes empty, and vacates the block with the last bucket.
    /// Returns the chain's first bucket, if one is left.
    #[inline(always)]
    pub(super) fn take(&mut self, bucket: BucketId, position: u8) -> Option<BucketId> {
        // A bucket that is not full is the first of its chain.
        if self.arena.head(bucket).used == u64::MAX {
            return self.take_from_full(bucket, position);
        }
        self.take_from_first(bucket, 1 << position)
    }

    /// Marks positions of a bucket as vacant.
    #[inline(always)]
    pub(super) fn vacate(&mut self, bucket: BucketId, taken: u64) {
        with_kind!(self.arena.bucket_mut(bucket), |stored| positions(taken)
            .for_each(|position| stored.vacate(position)));
    }

    #[cold]
    fn take_from_full(&mut self, bucket: BucketId, position: u8) -> Option<BucketId> {
        let first = self.arena.first_of(bucket);
        let gap = if first == bucket { position } else { self.fill_gap(first, bucket, position) };
        self.take_from_first(first, 1 << gap)
    }

    /// Takes entries out of a chain's first bucket. Returns the first bucket afterwards.
    #[inline]
    fn take_from_first(&mut self, first: BucketId, taken: u64) -> Option<BucketId> {
        self.vacate(first, taken);
        self.release(first, taken)
    }

    /// Marks vacant positions of a chain's first bucket as free. Returns the first bucket afterwards.
    #[inline]
    fn release(&mut self, first: BucketId, vacant: u64) -> Option<BucketId> {
        let head = self.arena.head_mut(first);
        head.used &= !vacant;
        if head.used == 0 { self.drop_first(first) } else { Some(first) }
    }

    /// Overwrites an entry with one of the chain's first bucket. Returns that one's former position.
    fn fill_gap(&mut self, first: BucketId, bucket: BucketId, position: u8) -> u8 {
        let Head { used, reach, .. } = *self.arena.head(first);
        let from = used.ilog2() as u8;
        self.copy_entry(first, from, bucket, position);
        // The first bucket's reach covers the chain, and so the entry copied here.
        self.arena.head_mut(bucket).reach = reach;
        from
    }

    #[inline(always)]
    fn write(&mut self, bucket: BucketId, position: u8, shape: &Rect<S, D>, handle: Handle) -> Place {
        with_kind!(self.arena.bucket_mut(bucket), |stored| stored.set(position, shape, handle));
        Place::new(bucket, position)
    }

    /// Copies an entry to another bucket, and lists its new place.
    #[inline(always)]
    fn copy_entry(&mut self, from: BucketId, position: u8, into: BucketId, gap: u8) {
        let from = Place::new(from, position);
        let (shape, handle) = (self.arena.shape(from), self.arena.handle(from));
        let place = self.write(into, gap, &shape, handle);
        self.moved.push((handle, place));
    }

    /// Frees the emptied first bucket of a chain. Returns the next one, which becomes the first.
    #[cold]
    fn drop_first(&mut self, first: BucketId) -> Option<BucketId> {
        let Head { node, cell, block, reach, .. } = *self.arena.head(first);
        let next = self.arena.next_in_chain(first);
        if let Some(next) = next {
            // The first bucket's reach covers the chain.
            self.arena.head_mut(next).reach = reach;
            self.arena.make_first(next);
        } else {
            self.arena.vacate(node, cell, block.span);
        }
        self.arena.free_bucket(first);
        next
    }

    /// Assigns a chain to a block of a node. The former block must have been vacated.
    pub(super) fn assign(&mut self, first: BucketId, node: NodeId, cell: u8, span: u8) {
        let home = self.arena.new_head(node, cell, span);
        let mut next = Some(first);
        while let Some(bucket) = next {
            let Head { used, more, reach, .. } = *self.arena.head(bucket);
            *self.arena.head_mut(bucket) = Head { used, reach, more, ..home };
            next = self.arena.next_in_chain(bucket);
        }
        self.arena.enter_in_directory(first);
    }

    /// Moves all entries of one chain into another. Returns the first bucket of the latter.
    pub(super) fn append(&mut self, from: BucketId, mut into: BucketId) -> BucketId {
        let Head { node, cell, reach, .. } = *self.arena.head(from);
        while let Some(from) = self.arena.first_at(node, cell) {
            let used = self.arena.head(from).used;
            into = self.carry(from, used, into);
            self.release(from, used);
        }
        self.set_reach(into, reach.max(self.arena.head(into).reach));
        into
    }

    /// Carries entries of a bucket over to a chain, and leaves their positions vacant. Returns the first bucket of that
    /// chain. The caller must set its reach, and take the positions out of use.
    fn carry(&mut self, from: BucketId, mut carried: u64, mut into: BucketId) -> BucketId {
        while carried != 0 {
            if self.arena.head(into).used == u64::MAX {
                into = self.lengthen(into);
            }
            let mut used = self.arena.head(into).used;
            // Looked up once for all entries.
            with_kind!(self.arena.buckets_mut().two_mut(from, into), |[source, target]| {
                while carried != 0 && used != u64::MAX {
                    let (position, gap) = (carried.trailing_zeros() as u8, used.trailing_ones() as u8);
                    carried &= carried - 1;
                    used |= 1 << gap;
                    let handle = source.handle(position);
                    target.set(gap, &source.take(position), handle);
                    self.moved.push((handle, Place::new(into, gap)));
                }
            });
            self.arena.head_mut(into).used = used;
        }
        into
    }

    /// Moves the entries that `picks` chooses into a new chain with the head `picked`, and makes both reaches exact.
    /// `picks` gets a bucket, and returns bits.
    ///
    /// Returns the first buckets of the old and the new chain; `None` for an empty chain.
    #[inline(never)]
    pub(super) fn partition(
        &mut self,
        grid: &Grid<S, D>,
        first: BucketId,
        picked: Head<D>,
        picks: impl Fn(&Arena<S, D>, BucketId) -> u64,
    ) -> [Option<BucketId>; 2] {
        let Head { node, cell, reach, .. } = *self.arena.head(first);
        let mut into = None;
        let mut next = Some(first);
        while let Some(bucket) = next {
            next = self.arena.next_in_chain(bucket);
            let taken = picks(&self.arena, bucket);
            if taken != 0 {
                let first = into.unwrap_or_else(|| self.open(picked));
                into = Some(self.carry(bucket, taken, first));
                self.take_all(bucket, taken);
            }
        }
        let parts = [self.arena.first_at(node, cell), into];
        for first in parts.into_iter().flatten() {
            // The old reach already covers extents that have grown by one since, and the nodes above account for no
            // larger one. Of points it is 0.
            let buckets = self.arena.chain(Some(first)).take(if reach == 0 { 0 } else { usize::MAX });
            let exact = buckets.fold(0, |exact, bucket| self.exact_reach(grid, bucket, exact, reach));
            self.set_reach(first, exact);
        }
        parts
    }

    /// Takes entries, whose positions are vacant already, out of a bucket of a chain. Fills gaps from the first bucket.
    pub(super) fn take_all(&mut self, bucket: BucketId, taken: u64) {
        if self.arena.first_of(bucket) == bucket {
            self.release(bucket, taken);
            return;
        }
        for position in positions(taken) {
            self.take(bucket, position);
        }
    }

    /// Gives all buckets of a chain the same reach.
    fn set_reach(&mut self, first: BucketId, reach: u32) {
        let mut next = Some(first);
        while let Some(bucket) = next {
            self.arena.head_mut(bucket).reach = reach;
            next = self.arena.next_in_chain(bucket);
        }
    }

    /// Frees all buckets of a chain. Does not change the directory.
    pub(super) fn free(&mut self, first: Option<BucketId>) {
        let mut next = first;
        while let Some(bucket) = next {
            next = self.arena.next_in_chain(bucket);
            self.vacate(bucket, self.arena.head(bucket).used);
            self.arena.free_bucket(bucket);
        }
    }

    /// Exchanges the numbers of two buckets of the same kind. The second may be free; both may belong to the same chain.
    pub(crate) fn exchange(&mut self, one: BucketId, other: BucketId) {
        self.arena.exchange_buckets(one, other);
        for bucket in [one, other] {
            let handles = self.arena.bucket(bucket).handles();
            for position in positions(self.arena.head(bucket).used) {
                self.moved.push((handles[usize::from(position)], Place::new(bucket, position)));
            }
        }
    }
}
