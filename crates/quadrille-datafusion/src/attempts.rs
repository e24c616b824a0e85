//! Stages that run twice, and what their first results become.
//!
//! When an executor is lost, Ballista's scheduler gives up the running stages that read its results, and runs all of their tasks
//! again, counted from 0, as the stage's next attempt. But what the first attempt had finished on other executors stays
//! among the inputs of the next stage, so its rows count twice (Ballista 55: `StaticExecutionGraph::rollback_running_stage`
//! forgets it, and `StageOutput::add_partition` only adds).
//!
//! So a task writes its attempt into the number of its file, which comes back to whoever reads it. A reader leaves out the
//! attempts that were given up, and refuses what it cannot tell apart. First attempts have Ballista's own numbers: without
//! a loss nothing is different.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::execution_plans::{RuntimeStatsExec, ShuffleReaderExec, ShuffleWriterExec};
use ballista_core::serde::protobuf::{RuntimeStatsReport, ShuffleWritePartition, TaskColumnStats, WindowStateReport};
use ballista_core::serde::scheduler::PartitionLocation;
use ballista_executor::execution_engine::{ExecutionEngine, QueryStageExecutor};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, exec_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::prelude::SessionConfig;

/// The number of a file: its lower half is the number of the task, its upper half the attempt.
const TASK_BITS: u32 = 32;

/// Of so many stages it is known whether they have finished tasks here.
const STAGES: usize = 1 << 14;

/// The attempt and the task that a result is of.
fn origin(location: &PartitionLocation) -> (u64, u64) {
    let number = location.file_id.unwrap_or(location.map_partition_id as u64);
    (number >> TASK_BITS, number & ((1 << TASK_BITS) - 1))
}

/// A reader without the results of attempts that were given up. `None` if it has none of them.
pub(crate) fn without_former_attempts(reader: &ShuffleReaderExec) -> Result<Option<ShuffleReaderExec>> {
    let first = first_valid_attempt(reader.partition.iter().flatten());
    let mut valid = reader.clone();
    for locations in &mut valid.partition {
        locations.retain(|location| origin(location).0 >= first);
        if !are_distinct(locations) {
            let stage = reader.stage_id;
            return exec_err!(
                "stage {stage} ran again after the loss of an executor, and its results cannot be told from its former \
                 ones: run the query again"
            );
        }
    }
    Ok((first > 0).then_some(valid))
}

/// The attempt with which the stage began anew for the last time.
///
/// A stage that only replaces lost results goes on counting its tasks; one that begins anew counts from 0.
fn first_valid_attempt<'a>(locations: impl Iterator<Item = &'a PartitionLocation>) -> u64 {
    // The least and the greatest task of each attempt.
    let mut attempts = BTreeMap::new();
    for (attempt, task) in locations.map(origin) {
        let (least, greatest) = attempts.entry(attempt).or_insert((task, task));
        (*least, *greatest) = (task.min(*least), task.max(*greatest));
    }
    let next = attempts.iter().skip(1);
    let mut began_anew = attempts.values().zip(next).filter(|((_, greatest), (_, (least, _)))| greatest >= least);
    began_anew.next_back().map_or(0, |(_, (attempt, _))| *attempt)
}

/// Whether each partition is of one attempt, and of different tasks.
fn are_distinct(locations: &[PartitionLocation]) -> bool {
    let mut partitions = HashMap::new();
    locations.iter().all(|location| {
        let (attempt, task) = origin(location);
        let (first, tasks) =
            partitions.entry(location.partition_id.partition_id).or_insert_with(|| (attempt, HashSet::new()));
        *first == attempt && tasks.insert(task)
    })
}

/// Distinguishes the results of other stages that a plan reads.
pub(crate) fn inputs(plan: &Arc<dyn ExecutionPlan>) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    plan.apply(|node| {
        if let Some(reader) = node.downcast_ref::<ShuffleReaderExec>() {
            for location in reader.partition.iter().flatten() {
                let partition = &location.partition_id;
                (partition.stage_id, partition.partition_id, location.file_id).hash(&mut hasher);
                location.executor_meta.id.hash(&mut hasher);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(hasher.finish())
}

/// The stages that have finished tasks in this process, and in which attempt.
#[derive(Debug, Default)]
pub(crate) struct Finished(Mutex<HashMap<(JobId, usize), u32>>);

impl Finished {
    fn attempt(&self, job: &JobId, stage: usize) -> Option<u32> {
        let stages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stages.get(&(job.clone(), stage)).copied()
    }

    fn note(&self, job: &JobId, stage: usize, attempt: u32) {
        let mut stages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The oldest are not known. Whoever is forgotten is no worse off than without this.
        if stages.len() >= STAGES {
            stages.clear();
        }
        stages.insert((job.clone(), stage), attempt);
    }
}

/// A task that learns when it is executed which attempt it belongs to.
pub(crate) struct Attempt {
    pub(crate) engine: Arc<dyn ExecutionEngine>,
    pub(crate) job: JobId,
    pub(crate) stage: usize,
    pub(crate) partitions: Vec<usize>,
    pub(crate) plan: Arc<dyn ExecutionPlan>,
    pub(crate) folder: String,
    pub(crate) config: SessionConfig,
    pub(crate) finished: Arc<Finished>,
    pub(crate) begun: OnceLock<Arc<dyn QueryStageExecutor>>,
}

impl Attempt {
    /// Whether a stage may begin anew: it reads results of others, and Ballista does not look for its files by the numbers of
    /// tasks.
    pub(crate) fn may_begin_anew(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
        let (mut reads, mut looked_for) = (false, false);
        plan.apply(|node| {
            reads |= node.is::<ShuffleReaderExec>();
            looked_for |= node.is::<RuntimeStatsExec>();
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(reads && !looked_for)
    }

    /// Which attempt a task belongs to, by the name that executors give it: `TID job/stage.attempt/task.failures`.
    fn number(&self, context: &TaskContext) -> u32 {
        let number = || {
            let name = context.task_id()?;
            let rest = name.strip_prefix(&format!("TID {}/{}.", self.job, self.stage))?;
            rest.split('/').next()?.parse().ok()
        };
        number().unwrap_or(0)
    }

    /// Whether the client may read the results. No engine does then, which would leave out former attempts.
    fn is_maybe_last(&self) -> bool {
        if !self.plan.is::<ShuffleWriterExec>() {
            return false;
        }
        let top = self.plan.children()[0];
        let is_partial = top.downcast_ref::<AggregateExec>().is_some_and(|it| *it.mode() == AggregateMode::Partial);
        let is_run = top.downcast_ref::<SortExec>().is_some_and(SortExec::preserve_partitioning);
        !is_partial && !is_run
    }
}

#[async_trait]
impl QueryStageExecutor for Attempt {
    async fn execute_query_stage(&self, task: usize, context: Arc<TaskContext>) -> Result<Vec<ShuffleWritePartition>> {
        let (job, stage, attempt) = (&self.job, self.stage, self.number(&context));
        if self.is_maybe_last() && self.finished.attempt(job, stage).is_some_and(|former| former < attempt) {
            return exec_err!(
                "stage {stage} begins anew after the loss of an executor, and the client may have its former results: run the \
                 query again"
            );
        }
        let number = u64::from(attempt) << TASK_BITS | task as u64;
        let number = usize::try_from(number).unwrap_or(task);
        let begun = self.engine.create_query_stage_exec(
            job.clone(),
            stage,
            number,
            self.partitions.clone(),
            Arc::clone(&self.plan),
            &self.folder,
            &self.config,
        )?;
        let begun = self.begun.get_or_init(|| begun);
        let results = begun.execute_query_stage(task, context).await?;
        self.finished.note(job, stage, attempt);
        Ok(results)
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        self.begun.get().map(|begun| begun.collect_plan_metrics()).unwrap_or_default()
    }

    fn collect_runtime_stats_reports(&self) -> Vec<RuntimeStatsReport> {
        self.begun.get().map(|begun| begun.collect_runtime_stats_reports()).unwrap_or_default()
    }

    fn collect_window_state_reports(&self) -> Result<Vec<WindowStateReport>> {
        self.begun.get().map_or_else(|| Ok(Vec::new()), |begun| begun.collect_window_state_reports())
    }

    fn collect_column_stats(&self) -> Vec<TaskColumnStats> {
        self.begun.get().map(|begun| begun.collect_column_stats()).unwrap_or_default()
    }
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut f = f.debug_struct("Attempt");
        f.field("job", &self.job).field("stage", &self.stage).field("begun", &self.begun).finish_non_exhaustive()
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.begun.get() {
            Some(begun) => begun.fmt(f),
            None => write!(f, "a task of stage {} that has not begun", self.stage),
        }
    }
}
