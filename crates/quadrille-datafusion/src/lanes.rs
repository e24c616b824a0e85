//! Partitions that wait for each other, so that only some of them hold an index at the same time.
//!
//! Before it has its turn, a partition reads nothing. The engine's shuffle keeps rows for it, on disk where memory is short.

use std::sync::Arc;

use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::lock::Mutex;
use futures::stream::{self, StreamExt};

/// As many lanes as partitions may run at once.
#[derive(Debug)]
pub(crate) struct Lanes(Vec<Arc<Mutex<()>>>);

impl Lanes {
    pub(crate) fn new(count: usize) -> Self {
        Self(std::iter::repeat_with(Arc::default).take(count.max(1)).collect())
    }

    /// The same output, which begins when the partitions before it in its lane have ended.
    pub(crate) fn enter(&self, partition: usize, output: SendableRecordBatchStream) -> SendableRecordBatchStream {
        let lane = Arc::clone(&self.0[partition % self.0.len()]);
        let schema = output.schema();
        let turn = async move {
            let held = lane.lock_owned().await;
            output.map(move |batch| {
                let _held = &held;
                batch
            })
        };
        Box::pin(RecordBatchStreamAdapter::new(schema, stream::once(turn).flatten()))
    }
}
