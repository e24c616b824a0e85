//! Box joins in the executors of Ballista: plans arrive with nested loop joins, or joins by cells, and the executor replaces
//! them.
//!
//! So scheduler, client and wire format stay as they are. Each task brings a plan of its own; those of one stage share the
//! build sides of their joins.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use ballista_core::JobId;
use ballista_core::execution_plans::ShuffleReaderExec;
use ballista_executor::execution_engine::{DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinSide, Result, not_impl_err};
use datafusion::physical_plan::{ExecutionPlan, displayable};
use datafusion::prelude::SessionConfig;

use crate::attempts::{Attempt, Finished, inputs, without_former_attempts};
use crate::exec::BoxJoinExec;
use crate::rows::{Single, single};
use crate::rule::BoxJoinRule;
use crate::stage::StageBuild;

/// How long an index waits for the next task of its stage.
const IDLE: Duration = Duration::from_secs(10);

/// An execution engine for Ballista's executors that joins boxes by an index.
///
/// Pass it to an executor as `override_execution_engine` in its `ExecutorProcessConfig`. Nothing else is needed: the
/// scheduler and the client know nothing of it.
///
/// The left side of a join is indexed, the side that every task has whole. It is read and indexed once a stage and process,
/// and shared by the tasks of the stage; ten seconds after the last of them its memory is given back. It is charged to the
/// task that began it.
///
/// Of a join [by cells](crate::ByCells) each task indexes its own partition.
///
/// Joins that yield rows of the left side by themselves, such as full joins, are refused: every task would yield them. As
/// long as the other table is the larger one, the planner swaps the sides of left joins, `EXISTS` and the like, so that
/// they are right joins when they arrive.
///
/// All executors of a cluster should have it. When one of them is lost, Ballista's scheduler may run a stage anew and have both
/// its former and its new results read. These executors leave out the former ones, in any query, or fail it where they
/// cannot tell.
pub struct BoxJoinEngine {
    inner: Arc<dyn ExecutionEngine>,
    rule: BoxJoinRule,
    stages: Arc<Stages>,
    finished: Arc<Finished>,
}

impl BoxJoinEngine {
    /// Makes an engine over Ballista's default one.
    #[must_use]
    pub fn new() -> Self {
        Self::over(Arc::new(DefaultExecutionEngine::new()))
    }

    /// Makes an engine that hands its plans on to another one.
    #[must_use]
    pub fn over(engine: Arc<dyn ExecutionEngine>) -> Self {
        let stages = Arc::default();
        Stages::watch(&stages);
        Self { inner: engine, rule: BoxJoinRule::new(), stages, finished: Arc::default() }
    }

    /// Replaces the joins on boxes of a task's plan, and leaves out results that were given up.
    fn replaced(&self, job: &JobId, stage: usize, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let mut joins = 0;
        let replace = |node: Arc<dyn ExecutionPlan>| {
            if let Some(reader) = node.downcast_ref::<ShuffleReaderExec>() {
                return Ok(match without_former_attempts(reader)? {
                    Some(reader) => Transformed::yes(Arc::new(reader) as Arc<dyn ExecutionPlan>),
                    None => Transformed::no(node),
                });
            }
            let Some(join) = BoxJoinExec::of(&node, self.rule.settings) else {
                return Ok(Transformed::no(node));
            };
            // Each task has its own partition of both sides.
            if join.is_by_partition() {
                return Ok(Transformed::yes(Arc::new(join) as Arc<dyn ExecutionPlan>));
            }
            let join_type = join.spec().join_type;
            if single(join_type, JoinSide::Left) != Single::No {
                return not_impl_err!("a {join_type} join of boxes in Ballista: write it with the sides swapped");
            }
            let left = node.children()[0];
            let inputs = inputs(left)?;
            let left = displayable(left.as_ref()).indent(true).to_string();
            let key = Key { job: job.clone(), stage, join: joins, left, inputs };
            joins += 1;
            Ok(Transformed::yes(Arc::new(join.in_stage(self.stages.of(key))) as Arc<dyn ExecutionPlan>))
        };
        plan.transform_up(replace).data()
    }
}

impl Default for BoxJoinEngine {
    fn default() -> Self {
        Self::new()
    }
}

impl ExecutionEngine for BoxJoinEngine {
    fn create_query_stage_exec(
        &self,
        job_id: JobId,
        stage_id: usize,
        task_id: usize,
        global_output_partition_ids: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_dir: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        let plan = self.replaced(&job_id, stage_id, plan)?;
        let partitions = global_output_partition_ids;
        if Attempt::may_begin_anew(&plan)? {
            return Ok(Arc::new(Attempt {
                engine: Arc::clone(&self.inner),
                job: job_id,
                stage: stage_id,
                partitions,
                plan,
                folder: work_dir.to_owned(),
                config: config.clone(),
                finished: Arc::clone(&self.finished),
                begun: OnceLock::new(),
            }));
        }
        self.inner.create_query_stage_exec(job_id, stage_id, task_id, partitions, plan, work_dir, config)
    }
}

/// A join of a stage.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    job: JobId,
    stage: usize,
    /// The place of the join in the plan.
    join: usize,
    /// The plan of the left side. A stage may be planned anew.
    left: String,
    /// The results that the left side reads. Where they were lost and made again, they may be other rows.
    inputs: u64,
}

/// The build sides that tasks share.
#[derive(Debug, Default)]
struct Stages(Mutex<HashMap<Key, Kept>>);

#[derive(Debug, Default)]
struct Kept {
    build: Arc<StageBuild>,
    idle_since: Option<Instant>,
}

impl Stages {
    fn of(&self, key: Key) -> Arc<StageBuild> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.entry(key).or_default();
        kept.idle_since = None;
        Arc::clone(&kept.build)
    }

    /// Lets go of build sides that no task has held for a while.
    fn sweep(&self, idle: Duration) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, kept| {
            if Arc::strong_count(&kept.build) > 1 {
                kept.idle_since = None;
                return true;
            }
            kept.idle_since.get_or_insert_with(Instant::now).elapsed() < idle
        });
    }

    /// Sweeps from time to time, as long as there is an engine.
    fn watch(stages: &Arc<Self>) {
        let stages: Weak<Self> = Arc::downgrade(stages);
        let sweep = move || {
            while let Some(stages) = stages.upgrade() {
                stages.sweep(IDLE);
                drop(stages);
                thread::sleep(IDLE / 10);
            }
        };
        // Without a thread, memory is kept until the process ends.
        let _ = thread::Builder::new().name("box-join-stages".to_owned()).spawn(sweep);
    }
}
