//! One partition of a running join: probes the index batch by batch, and filters the candidates.
//!
//! It is an asynchronous loop, which yields at every batch of the output and wherever an input has nothing yet. Dropped
//! there, it leaves nothing behind.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use datafusion::arrow::array::{BooleanArray, BooleanBufferBuilder, UInt32Array};
use datafusion::arrow::compute::filter;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::cast::as_uint32_array;
use datafusion::common::{DataFusionError, JoinSide, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_plan::metrics::RecordOutput;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::build::{Building, Built};
use crate::corners::Operands;
use crate::gather::Gather;
use crate::metrics::Metrics;
use crate::output::Output;
use crate::rows::{Pairs, Single, single, singles, yields_pairs};
use crate::search::{Candidates, Search, boxes_at_once};
use crate::spec::JoinSpec;

/// The sides that a task begins with.
pub(crate) struct Start {
    pub(crate) spec: Arc<JoinSpec>,
    pub(crate) partition: usize,
    pub(crate) building: Building,
    /// The rows that it probes with, if not with what the build side hands out.
    pub(crate) own_probe: Option<SendableRecordBatchStream>,
    pub(crate) batch_size: usize,
    /// For rows that wait to be searched.
    pub(crate) reservation: MemoryReservation,
    pub(crate) metrics: Metrics,
}

impl Start {
    /// The output of the task. Nothing happens before it is polled.
    pub(crate) fn run(self) -> SendableRecordBatchStream {
        let schema = Arc::clone(&self.spec.schema);
        let batches = stream::once(self.begin()).map_ok(Task::batches).try_flatten();
        Box::pin(RecordBatchStreamAdapter::new(schema, batches))
    }

    /// Waits for the build side.
    async fn begin(self) -> Result<Task> {
        let Self { spec, partition, building, own_probe, batch_size, reservation, metrics } = self;
        let built = building.await.map_err(DataFusionError::Shared)?;
        let own_probe = own_probe.map(StreamExt::boxed);
        let probe = own_probe.or_else(|| built.take_probe(partition)).unwrap_or_else(|| stream::empty().boxed());
        let stage = if needs_probe(&spec, &built) { Stage::Waiting } else { Stage::Finished };
        let output = Output::new(&spec.schema, batch_size);
        let probe = Gather::new(probe, boxes_at_once(built.batch.num_rows()), reservation);
        Ok(Task { spec, built, probe, batch_size, metrics, output, stage })
    }
}

/// Whether the join yields anything for rows of the probe side. It need not read them if the build side is empty and
/// they yield nothing without a pair.
fn needs_probe(spec: &JoinSpec, built: &Built) -> bool {
    let alone = single(spec.join_type, built.side.negate());
    built.batch.num_rows() > 0 || matches!(alone, Single::Unmatched | Single::Marked)
}

/// A running task.
struct Task {
    spec: Arc<JoinSpec>,
    built: Arc<Built>,
    probe: Gather,
    batch_size: usize,
    metrics: Metrics,
    output: Output,
    stage: Stage,
}

/// The next step of a task.
enum Stage {
    /// Read a batch of the probe side.
    Waiting,
    /// Look for candidates of a batch.
    Probing(Probing),
    /// Tell that this task has finished probing.
    Finished,
    /// Yield rows of the build side by themselves, from this one on.
    BuildRows(usize),
    /// Nothing more.
    Over,
}

/// A batch of the probe side.
struct Probing {
    batch: RecordBatch,
    search: Box<dyn Search>,
    /// The rows that are in a pair, if the join must know.
    matched: Option<BooleanBufferBuilder>,
}

impl Task {
    fn batches(self) -> impl futures::Stream<Item = Result<RecordBatch>> + Send {
        stream::try_unfold(self, |mut task| async move { Ok(task.next().await?.map(|batch| (batch, task))) })
    }

    /// The next batch of the output.
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next() {
                return Ok(Some(batch.record_output(&self.metrics.baseline)));
            }
            self.stage = match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Waiting => match self.probe.next().await? {
                    Some(batch) => self.search(batch)?,
                    None => Stage::Finished,
                },
                Stage::Probing(probing) => {
                    let stage = self.probe(probing)?;
                    if !self.output.has_batch() {
                        give_way().await;
                    }
                    stage
                }
                Stage::Finished => self.finish()?,
                Stage::BuildRows(from) => self.build_rows(from)?,
                Stage::Over => return Ok(None),
            };
        }
    }

    /// Begins with a batch of the probe side.
    fn search(&mut self, batch: RecordBatch) -> Result<Stage> {
        let _timer = self.metrics.baseline.elapsed_compute().timer();
        self.metrics.probe_rows.add(batch.num_rows());
        let side = self.built.side.negate();
        let operands = Operands::of(self.spec.boxes.of_side(side), &batch);
        let search = Arc::clone(&self.built.index).search(&operands.corners(&self.built.scales)?);
        let matched = (single(self.spec.join_type, side) != Single::No).then(|| {
            let mut matched = BooleanBufferBuilder::new(batch.num_rows());
            matched.append_n(batch.num_rows(), false);
            matched
        });
        Ok(Stage::Probing(Probing { batch, search, matched }))
    }

    /// Finds and filters as many candidates as a batch has rows.
    fn probe(&mut self, mut probing: Probing) -> Result<Stage> {
        let elapsed = self.metrics.baseline.elapsed_compute().clone();
        let _timer = elapsed.timer();
        let mut candidates = Candidates::default();
        let has_more = {
            let _timer = self.metrics.search_time.timer();
            probing.search.find(self.batch_size, &mut candidates)?
        };
        if candidates.len() > 0 {
            self.filter(candidates, &mut probing)?;
        }
        if has_more {
            return Ok(Stage::Probing(probing));
        }
        if let Some(mut matched) = probing.matched {
            let matched = BooleanArray::new(matched.finish(), None);
            self.push_singles(self.built.side.negate(), &probing.batch, &matched)?;
        }
        Ok(Stage::Waiting)
    }

    /// Keeps the candidates for which the filter holds: notes and yields them.
    fn filter(&mut self, candidates: Candidates, probing: &mut Probing) -> Result<()> {
        self.metrics.candidates.add(candidates.len());
        let (build, probe) = (UInt32Array::from(candidates.build), UInt32Array::from(candidates.probe));
        let holds = self.pairs(&probing.batch, &build, &probe).holds(&self.spec.filter)?;
        self.metrics.matches.add(holds.true_count());
        if let Some(matched) = &self.built.matched {
            holds.values().set_indices().for_each(|pair| matched.mark(build.value(pair)));
        }
        if let Some(matched) = &mut probing.matched {
            holds.values().set_indices().for_each(|pair| matched.set_bit(probe.value(pair) as usize, true));
        }
        if yields_pairs(self.spec.join_type) && holds.has_true() {
            let (build, probe) = (filter(&build, &holds)?, filter(&probe, &holds)?);
            let pairs = self.pairs(&probing.batch, as_uint32_array(&build)?, as_uint32_array(&probe)?);
            let rows = pairs.rows(&self.spec.schema, &self.spec.columns)?;
            self.output.push(rows)?;
        }
        Ok(())
    }

    /// Pairs of rows of the build side and of a batch of the probe side.
    fn pairs<'a>(
        &'a self,
        probe: &'a RecordBatch,
        build_rows: &'a UInt32Array,
        probe_rows: &'a UInt32Array,
    ) -> Pairs<'a> {
        let build = &self.built.batch;
        if self.built.side == JoinSide::Left {
            Pairs { left: build, right: probe, left_rows: build_rows, right_rows: probe_rows }
        } else {
            Pairs { left: probe, right: build, left_rows: probe_rows, right_rows: build_rows }
        }
    }

    fn push_singles(&mut self, side: JoinSide, batch: &RecordBatch, matched: &BooleanArray) -> Result<()> {
        let spec = &self.spec;
        let rows = singles(single(spec.join_type, side), side, batch, matched, &spec.schema, &spec.columns)?;
        rows.map_or(Ok(()), |rows| self.output.push(rows))
    }

    /// The last task that finishes probing yields the rows of the build side by themselves.
    fn finish(&mut self) -> Result<Stage> {
        if self.built.finish() && self.built.matched.is_some() {
            return Ok(Stage::BuildRows(0));
        }
        self.output.finish()?;
        Ok(Stage::Over)
    }

    /// Yields rows of the build side by themselves, as many as a batch has.
    fn build_rows(&mut self, from: usize) -> Result<Stage> {
        let elapsed = self.metrics.baseline.elapsed_compute().clone();
        let _timer = elapsed.timer();
        let built = Arc::clone(&self.built);
        let until = built.batch.num_rows().min(from.saturating_add(self.batch_size));
        if let Some(matched) = built.matched.as_ref().filter(|_| from < until) {
            self.push_singles(built.side, &built.batch.slice(from, until - from), &matched.of(from..until))?;
            return Ok(Stage::BuildRows(until));
        }
        self.output.finish()?;
        Ok(Stage::Over)
    }
}

/// Lets others have a turn. A search may go on for long and match nothing.
async fn give_way() {
    let mut had_turn = false;
    poll_fn(|context| {
        if std::mem::replace(&mut had_turn, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
