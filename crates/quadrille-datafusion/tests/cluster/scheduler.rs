//! The fault of Ballista's scheduler that the executors make up for. When it is mended there, these tests fail, and
//! `attempts.rs` is not needed any more.

use std::sync::Arc;

use ballista::prelude::SessionConfigExt;
use ballista_core::JobId;
use ballista_core::error::Result;
use ballista_core::serde::protobuf::failed_task::FailedReason;
use ballista_core::serde::protobuf::task_status::Status;
use ballista_core::serde::protobuf::{
    FailedTask, FetchPartitionError, ShuffleWritePartition, SuccessfulTask, TaskStatus,
};
use ballista_core::serde::scheduler::{ExecutorMetadata, ExecutorOperatingSystemSpecification, ExecutorSpecification};
use ballista_scheduler::planner::DefaultDistributedPlanner;
use ballista_scheduler::state::execution_graph::{ExecutionGraph, StaticExecutionGraph, create_task_info};
use ballista_scheduler::state::execution_stage::ExecutionStage;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::tables::PAIRS;

const JOB: &str = "job";

/// The stages of the query: boxes, pairs, and the answer.
const BOXES: usize = 1;
const PAIRS_OF: usize = 2;
const ANSWER: usize = 3;

/// A query over two partitions of boxes and four of points.
async fn query() -> Result<StaticExecutionGraph> {
    let config = SessionConfig::new_with_ballista().with_target_partitions(4).with_round_robin_repartition(false);
    let context = SessionContext::new_with_config(config);
    for (name, columns, partitions) in [("points", "1 AS id, 0.5 AS x, 0.5 AS y", 4), ("boxes", BOX, 2)] {
        let table = context.sql(&format!("SELECT {columns}")).await?.cache().await?;
        let rows = table.clone().collect().await?;
        let table = MemTable::try_new(Arc::new(table.schema().as_arrow().clone()), vec![rows; partitions])?;
        context.register_table(name, Arc::new(table))?;
    }
    let plan = context.sql(PAIRS).await?.create_physical_plan().await?;
    let config = Arc::new(context.copied_config());
    let mut planner = DefaultDistributedPlanner::new();
    StaticExecutionGraph::new("scheduler", &JobId::new(JOB), "", "session", plan, 0, config, &mut planner, None)
}

const BOX: &str = "1 AS id, 0.0 AS x0, 0.0 AS y0, 1.0 AS x1, 1.0 AS y1";

fn executor(name: &str) -> ExecutorMetadata {
    ExecutorMetadata {
        id: name.to_owned(),
        host: "localhost".to_owned(),
        port: 1,
        grpc_port: 2,
        specification: ExecutorSpecification::default(),
        os_info: ExecutorOperatingSystemSpecification::default(),
    }
}

/// A task that an executor was given.
struct Task {
    stage: usize,
    attempt: usize,
    number: usize,
    partition: usize,
}

/// Gives an executor the next task, of one partition.
fn next(query: &mut StaticExecutionGraph, executor: &ExecutorMetadata) -> Option<Task> {
    let stage = query.fetch_running_stage(&[])?;
    let partitions = stage.pending.next_slice(1);
    let number = stage.task_infos.len();
    let mut task = create_task_info(executor.id.clone(), number);
    task.global_input_partition_ids.clone_from(&partitions);
    task.vcores_consumed = 1;
    stage.task_infos.push(task);
    Some(Task { stage: stage.stage_id, attempt: stage.stage_attempt_num, number, partition: partitions[0] })
}

fn tell(query: &mut StaticExecutionGraph, executor: &ExecutorMetadata, task: &Task, status: Status) -> Result<()> {
    let narrow = |number| u32::try_from(number).expect("few tasks");
    let status = TaskStatus {
        task_id: narrow(task.number),
        job_id: JOB.to_owned(),
        stage_id: narrow(task.stage),
        stage_attempt_num: narrow(task.attempt),
        status: Some(status),
        ..TaskStatus::default()
    };
    query.update_task_status(executor, vec![status], 4, 4)?;
    Ok(())
}

/// Lets an executor finish the next task. Returns its stage.
fn finish(query: &mut StaticExecutionGraph, executor: &ExecutorMetadata) -> Result<usize> {
    let task = next(query, executor).expect("there is work");
    let file = ShuffleWritePartition {
        partition_id: task.partition as u64,
        num_batches: 1,
        num_rows: 1,
        num_bytes: 1,
        file_id: Some(task.number as u64),
        is_sort_shuffle: false,
    };
    let done = SuccessfulTask { executor_id: executor.id.clone(), partitions: vec![file], ..SuccessfulTask::default() };
    tell(query, executor, &task, Status::Successful(done))?;
    Ok(task.stage)
}

/// Lets an executor finish all tasks before the answer, and returns how many results the answer is made of.
fn results(query: &mut StaticExecutionGraph, executor: &ExecutorMetadata) -> Result<usize> {
    loop {
        query.revive();
        if let Some(ExecutionStage::Running(answer)) = query.stages().get(&ANSWER) {
            return Ok(answer.inputs[&PAIRS_OF].partition_locations.values().map(Vec::len).sum());
        }
        finish(query, executor)?;
    }
}

/// Boxes by both executors, and one of four partitions of the pairs by the one that survives.
async fn begun(survivor: &ExecutorMetadata, lost: &ExecutorMetadata) -> Result<StaticExecutionGraph> {
    let mut query = query().await?;
    query.revive();
    assert_eq!(finish(&mut query, survivor)?, BOXES);
    assert_eq!(finish(&mut query, lost)?, BOXES);
    assert_eq!(finish(&mut query, survivor)?, PAIRS_OF);
    Ok(query)
}

#[tokio::test]
async fn without_a_loss_each_partition_counts_once() -> Result<()> {
    let (survivor, other) = (executor("survivor"), executor("other"));
    let mut query = begun(&survivor, &other).await?;
    assert_eq!(results(&mut query, &other)?, 4);
    Ok(())
}

#[tokio::test]
async fn a_partition_counts_twice_when_an_executor_is_lost() -> Result<()> {
    let (survivor, lost) = (executor("survivor"), executor("lost"));
    let mut query = begun(&survivor, &lost).await?;
    query.reset_stages_on_lost_executor(&lost.id)?;
    assert_eq!(results(&mut query, &survivor)?, 5);
    Ok(())
}

#[tokio::test]
async fn a_partition_counts_twice_when_boxes_cannot_be_fetched() -> Result<()> {
    let (survivor, lost) = (executor("survivor"), executor("lost"));
    let mut query = begun(&survivor, &lost).await?;
    let task = next(&mut query, &survivor).expect("there is work");
    let reason = FetchPartitionError { executor_id: lost.id.clone(), map_stage_id: 1, map_partition_id: 1 };
    let failed = FailedTask {
        error: "nobody answers".to_owned(),
        failed_reason: Some(FailedReason::FetchPartitionError(reason)),
        ..FailedTask::default()
    };
    tell(&mut query, &survivor, &task, Status::Failed(failed))?;
    assert_eq!(results(&mut query, &survivor)?, 5);
    Ok(())
}

#[tokio::test]
async fn nothing_counts_twice_when_no_boxes_are_lost() -> Result<()> {
    let (survivor, lost) = (executor("survivor"), executor("lost"));
    let mut query = query().await?;
    query.revive();
    // All boxes are on the executor that survives.
    finish(&mut query, &survivor)?;
    finish(&mut query, &survivor)?;
    assert_eq!(finish(&mut query, &survivor)?, PAIRS_OF);
    assert_eq!(finish(&mut query, &lost)?, PAIRS_OF);
    query.reset_stages_on_lost_executor(&lost.id)?;
    assert_eq!(results(&mut query, &survivor)?, 4);
    Ok(())
}
