//! A batch of buckets. A scanner collects them together, so that the processor waits once for all of them, then tests
//! them, then yields from them.

use crate::geometry::Scalar;
use crate::key::{BucketId, Excluded, Place};
use crate::tree::{Arena, Walk};

/// The maximum number of buckets in a batch, and its logarithm.
pub(super) const BUCKETS: usize = 16;
const LARGEST: u8 = BUCKETS.ilog2() as u8;

/// The maximum for a first batch that ends with the last bucket of a node.
const FEW: usize = 4;

/// Buckets that the walk has passed and the query has not begun, in the order of the walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// The matches in each bucket, as bits. Before the test: 1 if all entries match without a test, else 0.
    pub(super) hits: [u64; BUCKETS],
    /// The first place in each bucket.
    pub(super) buckets: [Place; BUCKETS],
    next: u8,
    pub(super) len: u8,
    /// The logarithm of the size of the next batch: small at first, for an early first hit.
    size_log2: u8,
    /// Whether each batch holds a single bucket.
    is_single: bool,
}

/// The maximum number of buckets in a batch.
#[derive(Clone, Copy)]
pub(super) struct Room {
    size: usize,
    /// The same for the last buckets of a node: then a small region needs only one batch.
    size_at_end: usize,
}

impl Room {
    #[inline(always)]
    pub(super) fn is_left(self, len: usize, walk: &Walk) -> bool {
        len < self.size || len < self.size_at_end && walk.cells_left() < FEW as u32
    }
}

impl Batch {
    /// An empty batch. All of its bits are clear, since that is fastest to write.
    pub(super) const EMPTY: Self =
        Self { hits: [0; BUCKETS], buckets: [Place::BLANK; BUCKETS], next: 0, len: 0, size_log2: 0, is_single: false };

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.next == self.len
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.next, self.len) = (0, 0);
    }

    /// Removes the next bucket; returns its first place and its hits.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(Place, u64)> {
        if self.is_empty() {
            return None;
        }
        let position = usize::from(self.next) % BUCKETS;
        self.next += 1;
        Some((self.buckets[position], self.hits[position]))
    }

    /// Starts with full batches, because the caller will take all hits.
    #[inline]
    pub(super) fn start_full(&mut self) {
        self.size_log2 = LARGEST;
    }

    /// Takes one bucket at a time, because the caller will stop at the first hit.
    pub(crate) fn stay_single(&mut self) {
        self.is_single = true;
    }

    /// Drops the hits that are excluded. Buckets may be left without any.
    #[cold]
    #[inline(never)]
    pub(super) fn exclude(&mut self, excluded: &Excluded<Place>) {
        for position in 0..usize::from(self.len) {
            let bucket = self.buckets[position];
            let bits = if excluded.is_several() { excluded.bits_in(bucket) } else { excluded.least().bit_in(bucket) };
            self.hits[position] &= !bits;
        }
    }

    /// Begins a batch.
    #[inline(always)]
    pub(super) fn begin<const LIMITED: bool>(&mut self) -> Room {
        let size = 1 << self.size_log2;
        self.clear();
        if LIMITED && self.is_single {
            return Room { size, size_at_end: size };
        }
        self.size_log2 = (self.size_log2 + 3).min(LARGEST);
        Room { size, size_at_end: FEW }
    }

    /// Adds buckets of a chain: the first one, and more while it `goes_on`. Returns the rest of the chain.
    #[inline(always)]
    pub(super) fn add_chain<S: Scalar, const D: usize>(
        &mut self,
        arena: &Arena<S, D>,
        first: BucketId,
        covered: bool,
        next_of: impl Fn(BucketId) -> Option<BucketId>,
        len: &mut usize,
        goes_on: impl Fn(usize) -> bool,
    ) -> Option<BucketId> {
        let mut bucket = first;
        loop {
            self.buckets[*len % BUCKETS] = Place::new(bucket, 0);
            self.hits[*len % BUCKETS] = u64::from(covered);
            *len += 1;
            // Before the hints, after which the compiler reads the head anew.
            let next = if arena.head(bucket).more { next_of(bucket) } else { None };
            arena.prefetch_entries(bucket, !covered);
            match next {
                Some(next) if goes_on(*len) => bucket = next,
                _ => return next,
            }
        }
    }
}
