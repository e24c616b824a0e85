//! A set of rows that many tasks mark at the same time.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::array::BooleanArray;
use datafusion::arrow::buffer::BooleanBuffer;

/// One bit for each row.
#[derive(Debug)]
pub(crate) struct Bits(Vec<AtomicU64>);

impl Bits {
    /// The bytes that so many rows take.
    pub(crate) fn bytes(rows: usize) -> usize {
        rows.div_ceil(64) * 8
    }

    /// No row is marked.
    pub(crate) fn new(rows: usize) -> Self {
        Self(std::iter::repeat_with(AtomicU64::default).take(rows.div_ceil(64)).collect())
    }

    /// Marks a row.
    pub(crate) fn mark(&self, row: u32) {
        self.0[row as usize / 64].fetch_or(1 << (row % 64), Ordering::Relaxed);
    }

    /// The marks of some rows. They are complete when those who mark have finished.
    pub(crate) fn of(&self, rows: Range<usize>) -> BooleanArray {
        let is_marked = |at: usize| {
            let row = rows.start + at;
            (self.0[row / 64].load(Ordering::Relaxed) >> (row % 64)) & 1 == 1
        };
        BooleanArray::new(BooleanBuffer::collect_bool(rows.len(), is_marked), None)
    }
}
