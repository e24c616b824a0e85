//! A limit on how many partitions run at once, since each of them holds an index.
//!
//! A partition that waits reads nothing. The engine's shuffle keeps its rows, on disk if memory is short.

use std::sync::Arc;

use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{self, StreamExt};
use tokio::sync::Semaphore;

/// A permit for each partition that may run.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimit(Arc<Semaphore>);

impl ConcurrencyLimit {
    pub(crate) fn new(partitions: usize) -> Self {
        Self(Arc::new(Semaphore::new(partitions.clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// The same output, which begins when there is a permit, and holds it until it is dropped.
    pub(crate) fn limited(&self, output: SendableRecordBatchStream) -> SendableRecordBatchStream {
        let permits = Arc::clone(&self.0);
        let schema = output.schema();
        let begun = async move {
            let permit = permits.acquire_owned().await.expect("the semaphore is never closed");
            output.map(move |batch| {
                let _held = &permit;
                batch
            })
        };
        Box::pin(RecordBatchStreamAdapter::new(schema, stream::once(begun).flatten()))
    }
}
