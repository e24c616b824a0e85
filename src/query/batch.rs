//! A batch of buckets that a running query has come to and not yet yielded from, with their hits. Plain data; it knows
//! neither the walk nor the question.
//!
//! The buckets of a batch are fetched together, so that the processor waits once for all of them.

use crate::key::Place;

/// The most buckets of a batch.
const BUCKETS: usize = 16;

/// The logarithm of that number.
const LARGEST: u8 = BUCKETS.ilog2() as u8;

/// Buckets with their hits, in the order of the walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// The matches of each bucket, as bits. Before the bucket is tested, 1 if all of its entries match untested, else
    /// 0.
    hits: [u64; BUCKETS],
    /// The first place of each bucket.
    buckets: [Place; BUCKETS],
    next: u8,
    len: u8,
    /// The logarithm of the size of the next batch. It is small at first, so that the first hit comes soon.
    size_log2: u8,
}

impl Batch {
    /// An empty batch. All of its bits are clear, which is written fastest.
    pub(super) const EMPTY: Self =
        Self { hits: [0; BUCKETS], buckets: [Place::BLANK; BUCKETS], next: 0, len: 0, size_log2: 0 };

    /// Tells that all hits will be asked for, so that batches need not begin small.
    #[inline]
    pub(super) fn hurry(&mut self) {
        self.size_log2 = LARGEST;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.next == self.len
    }

    pub(super) fn clear(&mut self) {
        (self.next, self.len) = (0, 0);
    }

    /// Begins a batch; returns how many buckets it may have. If batches grow, the next one may have more.
    #[inline(always)]
    pub(super) fn begin(&mut self, grows: bool) -> usize {
        (self.next, self.len) = (0, 0);
        let size = 1 << self.size_log2;
        if grows {
            self.size_log2 = (self.size_log2 + 3).min(LARGEST);
        }
        size
    }

    /// Puts an untested bucket at a position, which must be below the size of the batch.
    #[inline(always)]
    pub(super) fn put(&mut self, position: usize, bucket: Place, covered: bool) {
        self.buckets[position % BUCKETS] = bucket;
        self.hits[position % BUCKETS] = u64::from(covered);
    }

    /// Tests the first `len` buckets, and keeps those with hits; says whether there are any.
    #[inline(always)]
    pub(super) fn test(&mut self, len: usize, mut hits_of: impl FnMut(Place, bool) -> u64) -> bool {
        let mut kept = 0;
        for position in 0..len.min(BUCKETS) {
            let bucket = self.buckets[position];
            let hits = hits_of(bucket, self.hits[position] != 0);
            (self.buckets[kept % BUCKETS], self.hits[kept % BUCKETS]) = (bucket, hits);
            kept += usize::from(hits != 0);
        }
        self.len = kept as u8;
        kept != 0
    }

    /// Takes the next bucket out; returns its first place and its hits.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<(Place, u64)> {
        if self.next == self.len {
            return None;
        }
        let position = usize::from(self.next) % BUCKETS;
        self.next += 1;
        Some((self.buckets[position], self.hits[position]))
    }

    /// Takes all buckets out; returns the number of their hits.
    pub(super) fn take_count(&mut self) -> usize {
        let hits = &self.hits[usize::from(self.next)..usize::from(self.len)];
        let count = hits.iter().map(|hits| hits.count_ones() as usize).sum();
        self.clear();
        count
    }
}
