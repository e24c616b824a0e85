//! The build side: all rows of the smaller side in one batch, with an index over their boxes.
//!
//! It is built once for a plan and shared by the tasks of all partitions. Its memory is charged to the engine's pool
//! before it is taken; beyond the limit the query fails with the pool's error.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{ArrayRef, new_empty_array};
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::{DataFusionError, JoinSide, Result};
use datafusion::execution::memory_pool::MemoryReservation;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

use crate::bits::Bits;
use crate::coordinate::Scale;
use crate::corners::Operands;
use crate::index;
use crate::metrics::BuildMetrics;
use crate::rows::{Single, single};
use crate::search::{self, BoxIndex};
use crate::sides::{Chosen, Probe, Sides, bytes_of_column};
use crate::spec::JoinSpec;

/// The build side of a join.
pub(crate) struct Built {
    /// Which one it is.
    pub(crate) side: JoinSide,
    pub(crate) batch: RecordBatch,
    pub(crate) index: Arc<dyn BoxIndex>,
    pub(crate) scales: Vec<Scale>,
    /// The rows that are in a pair, if the join must know.
    pub(crate) matched: Option<Bits>,
    probes: Mutex<Vec<Option<Probe>>>,
    /// The tasks that have not finished probing.
    probing: AtomicUsize,
    _reservation: MemoryReservation,
}

impl Built {
    /// Reads the sides and builds the index over the smaller one.
    async fn new(spec: Arc<JoinSpec>, sides: Sides, tasks: usize, metrics: BuildMetrics) -> Result<Self> {
        let Chosen { side, batches, reservation, probes } = sides.choose().await?;
        let _timer = metrics.time.timer();
        let batch = concatenated(spec.schema_of(side), batches, &reservation)?;
        let rows = checked(batch.num_rows())?;
        let axes = spec.boxes.axes();

        let held = reservation.size();
        reservation.try_grow(index::bytes_while_building(axes, rows))?;
        let operands = Operands::of(spec.boxes.of_side(side), &batch);
        let scales = operands.scales()?;
        let index = search::build(&operands, &scales)?;
        reservation.resize(held + index::bytes(axes, rows));

        let must_know = single(spec.join_type, side) != Single::No;
        if must_know {
            reservation.try_grow(Bits::bytes(rows))?;
        }
        metrics.rows.add(rows);
        metrics.mem_used.add(reservation.size());
        metrics.right_indexed.add(usize::from(side == JoinSide::Right));
        Ok(Self {
            side,
            batch,
            index,
            scales,
            matched: must_know.then(|| Bits::new(rows)),
            probes: Mutex::new(probes.into_iter().map(Some).collect()),
            probing: AtomicUsize::new(tasks),
            _reservation: reservation,
        })
    }

    /// The rows that a task probes with, if it does not read a partition of its own.
    pub(crate) fn take_probe(&self, partition: usize) -> Option<Probe> {
        let mut probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
        probes.get_mut(partition).and_then(Option::take)
    }

    /// Tells that a task has finished probing; `true` for the last one.
    pub(crate) fn finish(&self) -> bool {
        self.probing.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// Rows have numbers of 32 bits.
fn checked(rows: usize) -> Result<usize> {
    if u32::try_from(rows).is_ok() {
        return Ok(rows);
    }
    let message = format!("a box join indexes at most {} rows, not {rows}", u32::MAX);
    Err(DataFusionError::ResourcesExhausted(message))
}

/// All batches in one. Column by column, so that at most one column is held twice.
fn concatenated(schema: &SchemaRef, batches: Vec<RecordBatch>, reservation: &MemoryReservation) -> Result<RecordBatch> {
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let mut parts: Vec<Vec<ArrayRef>> = vec![Vec::with_capacity(batches.len()); schema.fields().len()];
    for batch in batches {
        for (position, column) in batch.columns().iter().enumerate() {
            parts[position].push(Arc::clone(column));
        }
    }
    let mut columns = Vec::with_capacity(parts.len());
    for (parts, field) in parts.into_iter().zip(schema.fields()) {
        let parts: Vec<_> = parts.iter().map(AsRef::as_ref).collect();
        let bytes = parts.iter().map(|part| bytes_of_column(*part)).sum();
        reservation.try_grow(bytes)?;
        columns.push(match parts.as_slice() {
            [] => new_empty_array(field.data_type()),
            parts => concat(parts)?,
        });
        reservation.shrink(bytes);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

/// A build side that several tasks wait for. Whoever is polled first builds.
pub(crate) type Building = Shared<BoxFuture<'static, Result<Arc<Built>, Arc<DataFusionError>>>>;

/// Begins a build side for so many tasks.
pub(crate) fn begin(spec: &Arc<JoinSpec>, sides: Sides, tasks: usize, metrics: &BuildMetrics) -> Building {
    let built = Built::new(Arc::clone(spec), sides, tasks, metrics.clone());
    built.map(|built| built.map(Arc::new).map_err(Arc::new)).boxed().shared()
}

/// Hands out the build side to the tasks of a plan, and lets go of it when each has got it, so that the memory is free
/// as soon as the last task has ended.
#[derive(Debug, Default)]
pub(crate) struct Handout(Mutex<Option<(Building, usize)>>);

impl Handout {
    /// The build side for one of `tasks` tasks. The first of them brings the inputs.
    pub(crate) fn take(
        &self,
        spec: &Arc<JoinSpec>,
        tasks: usize,
        metrics: &BuildMetrics,
        sides: impl FnOnce() -> Result<Sides>,
    ) -> Result<Building> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (building, left) =
            if let Some(begun) = slot.take() { begun } else { (begin(spec, sides()?, tasks, metrics), tasks) };
        if left > 1 {
            *slot = Some((building.clone(), left - 1));
        }
        Ok(building)
    }
}
