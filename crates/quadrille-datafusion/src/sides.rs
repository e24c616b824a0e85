//! Reading the two sides until it is known which one is the smaller: that one is indexed.
//!
//! Left is read first, for the engine has put there what it expects to be smaller. Where that is wrong, reading takes
//! turns: so many rows of the left, so many of the right, then twice as many. The first side that ends is the smaller one.
//! Rows that were read of the other side are probed first.

use std::sync::Arc;

use datafusion::arrow::array::Array;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::{JoinSide, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::lock::Mutex;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};

/// Batches to probe with.
pub(crate) type Probe = BoxStream<'static, Result<RecordBatch>>;

/// The inputs of a join.
pub(crate) struct Sides {
    left: Side,
    /// `None` if the right side is not to be indexed; then every task reads its own partition.
    right: Option<Side>,
    /// Up to so many rows the left side is indexed without a look at the right side.
    left_rows: usize,
}

/// The side to be indexed, and what is left of the other.
pub(crate) struct Chosen {
    pub(crate) side: JoinSide,
    pub(crate) batches: Vec<RecordBatch>,
    /// The memory of the batches.
    pub(crate) reservation: MemoryReservation,
    /// The rows that each partition of the output probes with; empty if every task reads its own partition.
    pub(crate) probes: Vec<Probe>,
}

impl Sides {
    pub(crate) fn new(
        left: SendableRecordBatchStream,
        right: Option<Vec<SendableRecordBatchStream>>,
        left_rows: usize,
        reservation: &MemoryReservation,
    ) -> Self {
        let left = Side::new(vec![left], reservation.new_empty());
        let right = right.map(|streams| Side::new(streams, reservation.new_empty()));
        Self { left, right, left_rows }
    }

    /// Reads until one side has ended.
    pub(crate) async fn choose(mut self) -> Result<Chosen> {
        let Some(mut right) = self.right else {
            self.left.read(usize::MAX).await?;
            return Ok(self.left.chosen(JoinSide::Left, Vec::new()));
        };
        let mut rows = self.left_rows;
        loop {
            if self.left.read(rows).await? {
                return Ok(self.left.chosen(JoinSide::Left, right.into_probes()));
            }
            if right.read(rows).await? {
                let partitions = right.parts.len();
                return Ok(right.chosen(JoinSide::Right, self.left.into_shared_probes(partitions)));
            }
            rows = rows.max(1).saturating_mul(2);
        }
    }
}

/// One input, some of it read.
struct Side {
    parts: Vec<Part>,
    rows: usize,
    reservation: MemoryReservation,
}

/// One partition of an input.
struct Part {
    read: Vec<RecordBatch>,
    /// `None` when it has ended.
    rest: Option<SendableRecordBatchStream>,
}

impl Side {
    fn new(streams: Vec<SendableRecordBatchStream>, reservation: MemoryReservation) -> Self {
        let parts = streams.into_iter().map(|rest| Part { read: Vec::new(), rest: Some(rest) }).collect();
        Self { parts, rows: 0, reservation }
    }

    /// Reads until there are more than `rows` rows, and says whether the side has ended.
    async fn read(&mut self, rows: usize) -> Result<bool> {
        for part in &mut self.parts {
            while let Some(rest) = &mut part.rest {
                if self.rows > rows {
                    return Ok(false);
                }
                match rest.try_next().await? {
                    Some(batch) => {
                        self.reservation.try_grow(bytes_of(&batch))?;
                        self.rows += batch.num_rows();
                        part.read.push(batch);
                    }
                    None => part.rest = None,
                }
            }
        }
        Ok(true)
    }

    fn chosen(self, side: JoinSide, probes: Vec<Probe>) -> Chosen {
        let batches = self.parts.into_iter().flat_map(|part| part.read).collect();
        Chosen { side, batches, reservation: self.reservation, probes }
    }

    /// The rows that were read and then the rest, partition by partition.
    fn into_probes(self) -> Vec<Probe> {
        let reservation = Arc::new(self.reservation);
        self.parts.into_iter().map(|part| part.into_probe(Arc::clone(&reservation))).collect()
    }

    /// The whole side for several tasks, each of which takes a batch when it has none.
    fn into_shared_probes(self, tasks: usize) -> Vec<Probe> {
        let whole = Arc::new(Mutex::new(stream::iter(self.into_probes()).flatten().boxed().fuse()));
        let take = |whole: Arc<Mutex<stream::Fuse<Probe>>>| async move {
            let next = whole.lock().await.next().await;
            next.map(|batch| (batch, whole))
        };
        (0..tasks).map(|_| stream::unfold(Arc::clone(&whole), take).boxed()).collect()
    }
}

impl Part {
    /// The memory is held until all that was read has been taken.
    fn into_probe(self, reservation: Arc<MemoryReservation>) -> Probe {
        let read = self.read.into_iter().map(move |batch| {
            let _held = &reservation;
            Ok(batch)
        });
        stream::iter(read).chain(stream::iter(self.rest).flatten()).boxed()
    }
}

/// The bytes that the rows of a batch take. Buffers that it shares with other batches count for its rows only.
pub(crate) fn bytes_of(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|column| bytes_of_column(column.as_ref())).sum()
}

/// The bytes that the values of a column take.
pub(crate) fn bytes_of_column(column: &dyn Array) -> usize {
    column.to_data().get_slice_memory_size().unwrap_or_else(|_| column.get_array_memory_size())
}
