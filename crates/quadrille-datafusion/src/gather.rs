//! Gathering batches of the probe side: a large index is searched for many rows at once, which find neighbors in its caches.

use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::stream::{Fuse, StreamExt, TryStreamExt};

use crate::sides::{Probe, bytes_of};

/// Batches to probe with, put together.
pub(crate) struct Gather {
    batches: Fuse<Probe>,
    /// So many rows are enough.
    rows: usize,
    reservation: MemoryReservation,
}

impl Gather {
    pub(crate) fn new(batches: Probe, rows: usize, reservation: MemoryReservation) -> Self {
        Self { batches: batches.fuse(), rows, reservation }
    }

    /// The next rows: enough of them, or as many as there is memory for; at least a batch. Their memory is held until the
    /// next call.
    pub(crate) async fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.reservation.free();
        let Some(first) = self.batches.try_next().await? else {
            return Ok(None);
        };
        let mut rows = first.num_rows();
        let mut gathered = vec![first];
        while rows < self.rows && self.has_room_for(&gathered) {
            let Some(batch) = self.batches.try_next().await? else {
                break;
            };
            rows += batch.num_rows();
            gathered.push(batch);
        }
        if gathered.len() == 1 {
            return Ok(gathered.pop());
        }
        let all = concat_batches(&gathered[0].schema(), &gathered)?;
        self.reservation.resize(bytes_of(&all));
        Ok(Some(all))
    }

    /// Charges the last of the batches, which will be copied, and a further one like it.
    fn has_room_for(&self, gathered: &[RecordBatch]) -> bool {
        let bytes = gathered.last().map_or(0, bytes_of);
        self.reservation.try_grow(bytes.saturating_mul(if gathered.len() == 1 { 4 } else { 2 })).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, Int64Array};
    use datafusion::arrow::record_batch::RecordBatch;
    use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool};
    use futures::stream::{self, StreamExt};
    use proptest::prelude::*;

    use super::Gather;

    fn batch(values: &[i64]) -> RecordBatch {
        let column = Arc::new(Int64Array::from(values.to_vec())) as ArrayRef;
        RecordBatch::try_from_iter([("value", column)]).expect("the column is right")
    }

    /// The numbers of rows that come at once.
    fn gathered(sizes: &[usize], rows: usize, bytes: usize) -> Vec<usize> {
        let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(bytes));
        let reservation = MemoryConsumer::new("test").register(&pool);
        let values: Vec<i64> = (0..).take(sizes.iter().sum()).collect();
        let mut from = 0;
        let batches: Vec<_> = sizes
            .iter()
            .map(|size| {
                from += size;
                Ok(batch(&values[from - size..from]))
            })
            .collect();
        let mut gather = Gather::new(stream::iter(batches).boxed(), rows, reservation);
        let mut all = Vec::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("there is a thread");
        while let Some(batch) = runtime.block_on(gather.next()).expect("no batch fails") {
            all.push(batch);
        }
        assert_eq!(pool.reserved(), 0);
        let sizes = all.iter().map(RecordBatch::num_rows).collect();
        if let Some(first) = all.first() {
            let all = datafusion::arrow::compute::concat_batches(&first.schema(), &all).expect("they are alike");
            assert_eq!(all, batch(&values));
        }
        sizes
    }

    #[test]
    fn enough_rows_come_at_once() {
        assert_eq!(gathered(&[10, 10, 10, 10, 5], 20, 1 << 20), [20, 20, 5]);
        assert_eq!(gathered(&[10, 10, 10], 1, 1 << 20), [10, 10, 10]);
        assert_eq!(gathered(&[10, 0, 15, 10], 25, 1 << 20), [25, 10]);
    }

    #[test]
    fn without_memory_batches_come_as_they_are() {
        assert_eq!(gathered(&[10, 10, 10], 30, 0), [10, 10, 10]);
        // A batch is 80 bytes, twice: the fourth one has no room.
        assert_eq!(gathered(&[10; 4], 40, 480), [30, 10]);
    }

    proptest! {
        #[test]
        fn no_row_is_lost(sizes in proptest::collection::vec(0..20_usize, 0..12), rows in 0..60_usize, bytes in 0..4000_usize) {
            let sum = gathered(&sizes, rows, bytes).iter().sum::<usize>();
            prop_assert_eq!(sum, sizes.iter().sum::<usize>());
        }
    }
}
