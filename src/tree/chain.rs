//! Single entries in and out of a chain of buckets, and chains as wholes.
//!
//! All buckets of a chain but the first are full. A gap in the first is left for the next entry, so a bucket without
//! followers, as nearly all are, gains and loses entries without moving another; a gap elsewhere is filled from the
//! first.

use super::{Bucket, Entry, Head, Link, Moves, Trees, positions};
use crate::geometry::{Rect, Scalar};
use crate::grid::{Address, Grid};
use crate::key::{BucketId, Handle, NodeId, Place};

impl<S: Scalar, const D: usize, B: Bucket<S, D>> Trees<B, S, D> {
    /// The reach that covers an extent. One more than it, since rounding lets an extent grow by one unit while the
    /// object only translates: such moves leave all reaches alone.
    pub(super) fn reach_of(extent: u32) -> u32 {
        if B::EXTENDED { extent + 1 } else { 0 }
    }

    /// Opens a chain without entries; the caller adds one.
    pub(super) fn open(&mut self, head: Head<D>) -> BucketId {
        let first = self.new_bucket(head, Link::before(BucketId::NONE, 0));
        self.enter_in_directory(first);
        first
    }

    /// Adds an entry to a chain; says where. Its bucket is the chain's first then.
    #[inline(always)]
    pub(super) fn push(&mut self, first: BucketId, entry: &Entry<S, D>) -> Place {
        let bucket = if self.head(first).used == u64::MAX { self.lengthen(first) } else { first };
        let head = self.head_mut(bucket);
        let position = head.used.trailing_ones() as u8;
        head.used |= 1 << position;
        head.reach = head.reach.max(Self::reach_of(entry.address.extent));
        self.write(bucket, position, &entry.shape, entry.handle)
    }

    /// Puts a bucket without entries before a chain that is full.
    #[cold]
    fn lengthen(&mut self, first: BucketId) -> BucketId {
        let link = Link::before(first, self.rest_of_chain(first) + 1);
        let bucket = self.new_bucket(Head { used: 0, more: true, ..*self.head(first) }, link);
        self.links[first.index()].before = bucket;
        self.enter_in_directory(bucket);
        bucket
    }

    /// Takes an entry out of its chain; frees the bucket, and the block, that it was the last of. Says which bucket is
    /// the chain's first now.
    #[inline(always)]
    pub(super) fn take(&mut self, bucket: BucketId, position: u8, moved: &mut Moves) -> Option<BucketId> {
        // A bucket that is not full is the first of its chain.
        if self.head(bucket).used == u64::MAX {
            return self.take_from_full(bucket, position, moved);
        }
        self.take_from_first(bucket, 1 << position)
    }

    #[cold]
    fn take_from_full(&mut self, bucket: BucketId, position: u8, moved: &mut Moves) -> Option<BucketId> {
        let first = self.first_of(bucket);
        let gap = if first == bucket { position } else { self.fill_gap(first, bucket, position, moved) };
        self.take_from_first(first, 1 << gap)
    }

    /// Takes entries out of a chain's first bucket; says which is the first now.
    #[inline]
    fn take_from_first(&mut self, first: BucketId, taken: u64) -> Option<BucketId> {
        let slots = self.bucket_mut(first);
        positions(taken).for_each(|position| slots.vacate(position));
        let head = self.head_mut(first);
        head.used &= !taken;
        if head.used == 0 { self.drop_first(first) } else { Some(first) }
    }

    /// Overwrites an entry with one of the chain's first bucket; says where that one was.
    fn fill_gap(&mut self, first: BucketId, bucket: BucketId, position: u8, moved: &mut Moves) -> u8 {
        let Head { used, reach, .. } = *self.head(first);
        let from = used.ilog2() as u8;
        let (shape, handle) = self.read(first, from);
        moved.push((handle, self.write(bucket, position, &shape, handle)));
        // The first bucket's reach covers the chain, so also what has just changed buckets.
        self.head_mut(bucket).reach = reach;
        from
    }

    #[inline]
    fn write(&mut self, bucket: BucketId, position: u8, shape: &Rect<S, D>, handle: Handle) -> Place {
        let slots = self.bucket_mut(bucket);
        slots.set_shape(position, shape);
        slots.set_handle(position, handle);
        Place::new(B::KIND, bucket, position)
    }

    /// Frees the emptied first bucket of a chain; says which is the first now.
    #[cold]
    fn drop_first(&mut self, first: BucketId) -> Option<BucketId> {
        let Head { node, cell, block, reach, .. } = *self.head(first);
        let next = self.next_in_chain(first);
        if next.is_none() {
            self.vacate(node, cell, block.span);
        } else {
            // The first bucket's reach covers the chain.
            self.head_mut(next).reach = reach;
            self.links[next.index()].before = BucketId::NONE;
            self.enter_in_directory(next);
        }
        self.free_bucket(first);
        Some(next).filter(|next| !next.is_none())
    }

    #[inline]
    pub(super) fn read(&self, bucket: BucketId, position: u8) -> (Rect<S, D>, Handle) {
        let slots = self.bucket(bucket);
        (slots.shape(position), slots.handle(position))
    }

    /// Gives a chain, which its former node has let go of, to a block of a node.
    pub(super) fn rehome(&mut self, first: BucketId, node: NodeId, cell: u8, span: u8) {
        let home = self.new_head(node, cell, span);
        let mut bucket = first;
        while !bucket.is_none() {
            let Head { used, more, reach, .. } = *self.head(bucket);
            *self.head_mut(bucket) = Head { used, reach, more, ..home };
            bucket = self.next_in_chain(bucket);
        }
        self.enter_in_directory(first);
    }

    /// Moves all entries of one chain into another; says which bucket is that one's first now.
    pub(super) fn pour(&mut self, from: BucketId, mut into: BucketId, moved: &mut Moves) -> BucketId {
        let Head { node, cell, reach, .. } = *self.head(from);
        while let Some(from) = self.first_at(node, cell) {
            let used = self.head(from).used;
            into = self.copy(from, used, into, moved);
            self.take_from_first(from, used);
        }
        self.set_reach(into, reach.max(self.head(into).reach));
        into
    }

    /// Copies entries of a bucket into a chain, whose reach the caller sees to; says which bucket is that chain's first
    /// now.
    fn copy(&mut self, from: BucketId, copied: u64, mut into: BucketId, moved: &mut Moves) -> BucketId {
        let mut used = self.head(into).used;
        for position in positions(copied) {
            if used == u64::MAX {
                self.head_mut(into).used = used;
                into = self.lengthen(into);
                used = 0;
            }
            let gap = used.trailing_ones() as u8;
            used |= 1 << gap;
            let (shape, handle) = self.read(from, position);
            moved.push((handle, self.write(into, gap, &shape, handle)));
        }
        self.head_mut(into).used = used;
        into
    }

    /// Moves the entries that `picks` chooses, by their positions and addresses, into a new chain with that head; makes
    /// both reaches exact.
    ///
    /// Gives the first bucket of what is left, and of what was picked.
    pub(super) fn partition(
        &mut self,
        grid: &Grid<S, D>,
        first: BucketId,
        picked: Head<D>,
        picks: impl Fn(u8, &Address<D>) -> bool,
        moved: &mut Moves,
    ) -> [Option<BucketId>; 2] {
        let Head { node, cell, reach: reach_max, .. } = *self.head(first);
        let mut into = None;
        let (mut reach_left, mut reach_picked) = (0, 0);
        let mut bucket = first;
        while !bucket.is_none() {
            let next = self.next_in_chain(bucket);
            let mut taken = 0;
            for position in positions(self.head(bucket).used) {
                let address = grid.address(&self.bucket(bucket).shape(position));
                let reach = Self::reach_of(address.extent);
                if picks(position, &address) {
                    reach_picked = reach.max(reach_picked);
                    taken |= 1 << position;
                } else {
                    reach_left = reach.max(reach_left);
                }
            }
            if taken != 0 {
                let first = into.unwrap_or_else(|| self.open(picked));
                into = Some(self.copy(bucket, taken, first, moved));
                self.take_all(bucket, taken, moved);
            }
            bucket = next;
        }
        let left = self.first_at(node, cell);
        for (chain, reach) in [(left, reach_left), (into, reach_picked)] {
            if let Some(first) = chain {
                // An extent that wobbled up by one is covered already; the node above knows of no larger reach.
                self.set_reach(first, reach.min(reach_max));
            }
        }
        [left, into]
    }

    /// Takes entries out of a bucket of a chain. What fills gaps comes from the first bucket.
    fn take_all(&mut self, bucket: BucketId, taken: u64, moved: &mut Moves) {
        if self.first_of(bucket) == bucket {
            self.take_from_first(bucket, taken);
            return;
        }
        for position in positions(taken) {
            self.take(bucket, position, moved);
        }
    }

    /// Gives all buckets of a chain the same reach.
    pub(super) fn set_reach(&mut self, first: BucketId, reach: u32) {
        let mut bucket = first;
        while !bucket.is_none() {
            self.head_mut(bucket).reach = reach;
            bucket = self.next_in_chain(bucket);
        }
    }
}
