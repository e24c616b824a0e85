//! Batches of the output, of the size that the session asks for.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::arrow::compute::BatchCoalescer;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;

/// Rows on their way out.
pub(crate) enum Output {
    /// Put together to batches of one size.
    Coalesced(Box<BatchCoalescer>),
    /// Without columns there is nothing to put together.
    Counted(VecDeque<RecordBatch>),
}

impl Output {
    pub(crate) fn new(schema: &SchemaRef, batch_size: usize) -> Self {
        if schema.fields().is_empty() {
            return Self::Counted(VecDeque::new());
        }
        let coalescer = BatchCoalescer::new(Arc::clone(schema), batch_size);
        Self::Coalesced(Box::new(coalescer.with_biggest_coalesce_batch_size(Some(batch_size / 2))))
    }

    /// Adds rows.
    pub(crate) fn push(&mut self, rows: RecordBatch) -> Result<()> {
        match self {
            Self::Coalesced(coalescer) => coalescer.push_batch(rows)?,
            Self::Counted(batches) => batches.push_back(rows),
        }
        Ok(())
    }

    /// No more rows will come.
    pub(crate) fn finish(&mut self) -> Result<()> {
        if let Self::Coalesced(coalescer) = self {
            coalescer.finish_buffered_batch()?;
        }
        Ok(())
    }

    /// Whether a batch is complete.
    pub(crate) fn has_batch(&self) -> bool {
        match self {
            Self::Coalesced(coalescer) => coalescer.has_completed_batch(),
            Self::Counted(batches) => !batches.is_empty(),
        }
    }

    /// The next batch that is complete.
    pub(crate) fn next(&mut self) -> Option<RecordBatch> {
        match self {
            Self::Coalesced(coalescer) => coalescer.next_completed_batch(),
            Self::Counted(batches) => batches.pop_front(),
        }
    }
}
