//! Chains of buckets: adding and taking single entries, and operations on whole chains.
//!
//! Nearly all chains have one bucket, so entries come and go without moving others. A full bucket that cannot be divided by
//! cells becomes a crowd, whose buckets are divided at medians.
//!
//! Computes addresses from shapes over the grid, and lists the entries that it moves. Independent of trees.
//!
//! Keeps T3 of `docs/invariants.md`, and its part of T6 and S1.

use alloc::vec::Vec;
use core::array;

use super::super::arena::{Arena, Head, POOR, Summary, growth};
use super::super::bucket::{BUCKET_SLOTS, positions, with_kind};
use super::super::median::{arranged, half_of};
use super::Forest;
use crate::geometry::{Rect, Scalar};
use crate::grid::Address;
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
    pub(super) fn reach_from(&self, least: u32, shape: &Rect<S, D>) -> Option<u32> {
        if self.grid.extent_at_most(shape.size()).saturating_add(1) < least {
            return None;
        }
        Some(reach_of(Kind::Rects, self.grid.address(shape).extent)).filter(|&reach| least <= reach)
    }

    /// Opens a chain without entries. The caller adds one.
    pub(super) fn open(&mut self, head: Head<D>) -> BucketId {
        let first = self.arena.new_bucket(head);
        self.arena.enter_in_directory(first);
        first
    }

    /// A bucket of a chain with room for an entry. A crowd counts it already, and its boxes hold it.
    #[inline]
    pub(super) fn room_in(&mut self, first: BucketId, entry: &Entry<S, D>) -> BucketId {
        let head = self.arena.head(first);
        if head.more || head.used == u64::MAX { self.room_in_crowd(first, entry) } else { first }
    }

    #[cold]
    #[inline(never)]
    fn room_in_crowd(&mut self, first: BucketId, entry: &Entry<S, D>) -> BucketId {
        let head = self.arena.head_mut(first);
        // The first bucket's reach covers the chain.
        head.reach = head.reach.max(entry.reach);
        if !head.more {
            self.arena.new_crowd(&[first]);
        }
        let top = self.arena.crowd_of(first).expect("it is a crowd now");
        let closest = self.arena.closest(top, &entry.shape);
        let is_full = self.arena.head(closest).used == u64::MAX;
        let bucket = if is_full { self.divide(closest, entry) } else { closest };
        self.arena.count_in_crowd(bucket, 1, 0);
        self.arena.exchange(bucket, &Summary::NONE, &Summary::new(&entry.shape, entry.handle));
        bucket
    }

    /// Moves half of a full bucket of a crowd to a new one. Returns the one of both that grows less for an entry.
    fn divide(&mut self, full: BucketId, entry: &Entry<S, D>) -> BucketId {
        let (around, head) = (self.arena.box_of(full), *self.arena.head(full));
        let new = self.arena.new_bucket(Head { used: 0, ..head });
        if around.min() == around.max() {
            // Entries in one place are not divided. Others are stored in the last bucket of several as close.
            self.arena.join(new, full, &Summary::new(&entry.shape, entry.handle));
            return new;
        }
        let boxes: [_; BUCKET_SLOTS] = array::from_fn(|at| self.arena.shape(Place::new(full, at as u8)));
        let upper = half_of(&boxes);
        self.carry(full, upper, new);
        self.arena.head_mut(full).used &= !upper;
        self.arena.tighten(full);
        let of = self.arena.summary_of(new);
        self.arena.join(new, full, &of);
        let growths = [full, new].map(|bucket| growth(&self.arena.box_of(bucket), &entry.shape));
        if growths[1] < growths[0] { new } else { full }
    }

    /// Adds an entry to a bucket that has room, at its first vacant position. Returns its place.
    #[inline(always)]
    pub(super) fn put(&mut self, bucket: BucketId, entry: &Entry<S, D>) -> Place {
        let head = self.arena.head_mut(bucket);
        let position = head.used.trailing_ones() as u8;
        head.used |= 1 << position;
        head.reach = head.reach.max(entry.reach);
        with_kind!(self.arena.bucket_mut(bucket), |stored| stored.set(position, &entry.shape, entry.handle));
        Place::new(bucket, position)
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

    /// Marks positions of a bucket as vacant.
    #[inline(always)]
    pub(super) fn vacate(&mut self, bucket: BucketId, taken: u64) {
        with_kind!(self.arena.bucket_mut(bucket), |stored| positions(taken)
            .for_each(|position| stored.vacate(position)));
    }

    /// Takes the vacated position of an entry of a crowd, which had this shape, out of use. Returns how many are left there.
    #[cold]
    pub(super) fn release_crowded(&mut self, place: Place, shape: &Rect<S, D>) -> u32 {
        let (bucket, handle) = (place.bucket(), self.arena.handle(place));
        let head = self.arena.head_mut(bucket);
        head.used &= !(1 << place.position());
        let is_poor = head.used.count_ones() as usize <= POOR;
        let left = self.arena.count_in_crowd(bucket, 0, 1);
        if is_poor {
            self.tidy(bucket);
        } else {
            self.arena.exchange(bucket, &Summary::new(shape, handle), &Summary::NONE);
        }
        left
    }

    /// Frees a bucket without entries, and vacates the block with the last one. In a crowd, makes boxes exact, and lets the
    /// entries of a poor bucket join another one.
    pub(super) fn tidy(&mut self, bucket: BucketId) {
        let Head { node, cell, block, used, more, reach, .. } = *self.arena.head(bucket);
        if !more {
            if used == 0 {
                self.arena.vacate(node, cell, block.span);
                self.arena.free_bucket(bucket);
            }
            return;
        }
        if used != 0 {
            self.arena.tighten(bucket);
            let len = |number| self.arena.head(BucketId::numbered(number)).used.count_ones() as usize;
            let into = self.arena.partner(self.arena.seat(bucket), len);
            let Some(into) = into.map(BucketId::numbered) else { return };
            self.carry(bucket, used, into);
            let head = self.arena.head_mut(into);
            head.reach = head.reach.max(reach);
            self.arena.tighten(into);
        }
        self.arena.leave(bucket);
        self.arena.free_bucket(bucket);
    }

    /// Assigns a chain to a block of a node. The former block must have been vacated.
    pub(super) fn assign(&mut self, first: BucketId, node: NodeId, cell: u8, span: u8) {
        let home = self.arena.new_head(node, cell, span);
        let mut next = Some(first);
        while let Some(bucket) = next {
            let Head { used, more, reach, .. } = *self.arena.head(bucket);
            *self.arena.head_mut(bucket) = Head { used, reach, more, is_plain: home.is_plain && !more, ..home };
            next = self.arena.next_in_chain(bucket);
        }
        self.arena.enter_in_directory(first);
    }

    /// Moves all entries of one chain into another. Returns the first bucket of the latter.
    pub(super) fn append(&mut self, from: BucketId, into: BucketId) -> BucketId {
        let (Head { node, cell, block, used, reach, more, .. }, head) =
            (*self.arena.head(from), *self.arena.head(into));
        let reach = reach.max(head.reach);
        let total = self.arena.total(from) + self.arena.total(into);
        if !more && !head.more && total <= BUCKET_SLOTS as u32 {
            self.carry(from, used, into);
            self.arena.vacate(node, cell, block.span);
            self.arena.free_bucket(from);
            self.arena.head_mut(into).reach = reach;
            return into;
        }
        let mut entries = self.dissolve(from);
        entries.append(&mut self.dissolve(into));
        self.rebuild(head, entries, reach)
    }

    /// Carries entries of a bucket over to another one, which has room, and leaves their positions vacant. The caller must set
    /// its reach, and take the positions out of use.
    fn carry(&mut self, from: BucketId, mut carried: u64, into: BucketId) {
        let mut used = self.arena.head(into).used;
        // Looked up once for all entries.
        with_kind!(self.arena.buckets_mut().two_mut(from, into), |[source, target]| {
            while carried != 0 {
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

    /// The entries of a chain, whose buckets are freed, and its block vacated.
    fn dissolve(&mut self, first: BucketId) -> Vec<(Rect<S, D>, Handle)> {
        let Head { node, cell, block, .. } = *self.arena.head(first);
        let places = self.arena.places_in_chain(first);
        let entries = places.map(|place| (self.arena.shape(place), self.arena.handle(place))).collect();
        self.free(Some(first));
        self.arena.vacate(node, cell, block.span);
        entries
    }

    /// Stores entries in a new chain, as [`Self::chain_of`], and lists their places.
    fn rebuild(&mut self, head: Head<D>, entries: Vec<(Rect<S, D>, Handle)>, reach: u32) -> BucketId {
        let first = self.chain_of(head, entries, reach);
        let (arena, moved) = (&self.arena, &mut self.moved);
        moved.extend(arena.places_in_chain(first).map(|place| (arena.handle(place), place)));
        first
    }

    /// Stores entries, which need this reach, in a new chain. Does not list their places. Returns its first bucket.
    pub(super) fn chain_of(&mut self, head: Head<D>, entries: Vec<(Rect<S, D>, Handle)>, reach: u32) -> BucketId {
        let (entries, mut buckets) = (arranged(entries), Vec::new());
        let head = Head { used: 0, more: false, ..head };
        for of_bucket in entries.chunks(BUCKET_SLOTS) {
            let bucket = self.arena.new_bucket(head);
            self.fill(bucket, of_bucket.iter().map(|&(_, handle, shape)| (shape, handle)), reach);
            buckets.push(bucket);
        }
        if 1 < buckets.len() {
            self.arena.new_crowd(&buckets);
        }
        self.arena.enter_in_directory(buckets[0]);
        buckets[0]
    }

    /// Moves the entries that `picks` chooses into a new chain with the head `picked`, and makes both reaches exact.
    /// `picks` gets a bucket, and returns bits.
    ///
    /// Returns the first buckets of the old and the new chain; `None` for an empty chain.
    #[inline(never)]
    pub(super) fn partition(
        &mut self,
        first: BucketId,
        picked: Head<D>,
        picks: impl Fn(&Arena<S, D>, BucketId) -> u64,
    ) -> [Option<BucketId>; 2] {
        let head = *self.arena.head(first);
        let parts = if head.more {
            self.partition_crowd(first, picked, &picks)
        } else {
            let taken = picks(&self.arena, first);
            let into = (taken != 0).then(|| self.open(picked));
            if let Some(into) = into {
                self.carry(first, taken, into);
                self.arena.head_mut(first).used &= !taken;
                self.tidy(first);
            }
            [self.arena.first_at(head.node, head.cell), into]
        };
        for first in parts.into_iter().flatten() {
            // The old reach already covers extents that have grown by one since, and the nodes above account for no
            // larger one. Of points it is 0.
            let buckets = self.arena.chain(Some(first)).take(if head.reach == 0 { 0 } else { usize::MAX });
            let exact = buckets.fold(0, |exact, bucket| self.exact_reach(bucket, exact, head.reach));
            let mut next = Some(first);
            while let Some(bucket) = next {
                self.arena.head_mut(bucket).reach = exact;
                next = self.arena.next_in_chain(bucket);
            }
        }
        parts
    }

    #[cold]
    fn partition_crowd(
        &mut self,
        first: BucketId,
        picked: Head<D>,
        picks: &impl Fn(&Arena<S, D>, BucketId) -> u64,
    ) -> [Option<BucketId>; 2] {
        let (head, mut parts) = (*self.arena.head(first), [Vec::new(), Vec::new()]);
        for bucket in self.arena.chain(Some(first)) {
            let taken = picks(&self.arena, bucket);
            for place in self.arena.places_in(bucket) {
                let entry = (self.arena.shape(place), self.arena.handle(place));
                parts[(taken >> place.position() & 1) as usize].push(entry);
            }
        }
        self.dissolve(first);
        let mut build = |head, entries: Vec<_>| (!entries.is_empty()).then(|| self.rebuild(head, entries, 0));
        let [rest, taken] = parts;
        [build(Head { reach: 0, ..head }, rest), build(picked, taken)]
    }

    /// Frees all buckets of a chain. Does not change the directory.
    pub(super) fn free(&mut self, first: Option<BucketId>) {
        let mut next = first;
        let crowd = first.and_then(|first| self.arena.crowd_of(first));
        while let Some(bucket) = next {
            next = self.arena.next_in_chain(bucket);
            self.vacate(bucket, self.arena.head(bucket).used);
            self.arena.free_bucket(bucket);
        }
        if let Some(top) = crowd {
            self.arena.end_crowd(top);
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
