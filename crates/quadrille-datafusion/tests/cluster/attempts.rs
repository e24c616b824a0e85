//! A stage that runs twice counts once: what Ballista's scheduler does wrong after a loss (see `scheduler.rs`), done to executors.

use std::collections::HashMap;
use std::sync::Arc;

use ballista_core::JobId;
use ballista_core::execution_plans::{ShuffleReaderExec, ShuffleWriterExec};
use ballista_core::serde::scheduler::{
    ExecutorMetadata, ExecutorOperatingSystemSpecification, ExecutorSpecification, PartitionId, PartitionLocation,
    PartitionStats,
};
use ballista_executor::execution_engine::ExecutionEngine;
use datafusion::common::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::{ExecutionPlan, Partitioning};
use datafusion::prelude::SessionContext;
use quadrille_datafusion::BoxJoinEngine;
use tempfile::TempDir;

/// The rows of each partition.
const ROWS: u64 = 10;

/// A folder that all executors share, so that nothing need be sent.
struct Job {
    folder: TempDir,
    context: SessionContext,
    source: Vec<PartitionLocation>,
}

/// A task of a stage.
struct Task {
    stage: usize,
    attempt: usize,
    number: usize,
    partitions: Vec<usize>,
}

impl Job {
    async fn new() -> Result<Self> {
        let mut job = Self { folder: TempDir::new()?, context: SessionContext::new(), source: Vec::new() };
        let rows = format!("SELECT value FROM generate_series(1, {ROWS})");
        for number in [0, 1] {
            let rows = job.context.sql(&rows).await?.create_physical_plan().await?;
            let task = Task { stage: 1, attempt: 0, number, partitions: vec![number] };
            let (written, _) = job.run(&BoxJoinEngine::new(), task, rows).await?;
            job.source.extend(written);
        }
        Ok(job)
    }

    /// Runs a task; returns its results, and how many rows they have.
    async fn run(
        &self,
        executor: &BoxJoinEngine,
        task: Task,
        input: Arc<dyn ExecutionPlan>,
    ) -> Result<(Vec<PartitionLocation>, u64)> {
        let Task { stage, attempt, number, partitions } = task;
        let job = JobId::new("job");
        let folder = self.folder.path().display().to_string();
        let plan = Arc::new(ShuffleWriterExec::try_new(job.clone(), stage, input, folder.clone())?);
        let config = self.context.copied_config();
        let begun = executor.create_query_stage_exec(job.clone(), stage, number, partitions, plan, &folder, &config)?;
        // As executors name it.
        let name = format!("TID job/{stage}.{attempt}/{number}.0");
        let context = TaskContext::new(
            Some(name),
            "session".to_owned(),
            config,
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            self.context.runtime_env(),
        );
        let results = begun.execute_query_stage(number, Arc::new(context)).await?;
        let rows = results.iter().map(|result| result.num_rows).sum();
        let located = results.into_iter().map(|result| PartitionLocation {
            map_partition_id: number,
            partition_id: PartitionId::new(&job, stage, usize::try_from(result.partition_id).expect("few")),
            executor_meta: ExecutorMetadata {
                id: "executor".to_owned(),
                host: "localhost".to_owned(),
                port: 1,
                grpc_port: 2,
                specification: ExecutorSpecification::default(),
                os_info: ExecutorOperatingSystemSpecification::default(),
            },
            partition_stats: PartitionStats::new(Some(result.num_rows), None, None),
            file_id: result.file_id,
            is_sort_shuffle: result.is_sort_shuffle,
        });
        Ok((located.collect(), rows))
    }

    /// Runs a task of the second stage, which reads what the first one has written.
    async fn second(
        &self,
        executor: &BoxJoinEngine,
        attempt: usize,
        number: usize,
        partition: usize,
    ) -> Result<PartitionLocation> {
        let input = self.reader(1, vec![vec![self.source[partition].clone()]]).await?;
        let task = Task { stage: 2, attempt, number, partitions: vec![partition] };
        let (mut written, _) = self.run(executor, task, input).await?;
        Ok(written.remove(0))
    }

    /// Reads both partitions of the second stage, and counts the rows.
    async fn count(&self, results: [Vec<PartitionLocation>; 2]) -> Result<u64> {
        let input = self.reader(2, results.to_vec()).await?;
        let task = Task { stage: 3, attempt: 0, number: 0, partitions: vec![0, 1] };
        let (_, rows) = self.run(&BoxJoinEngine::new(), task, input).await?;
        Ok(rows)
    }

    async fn reader(&self, stage: usize, results: Vec<Vec<PartitionLocation>>) -> Result<Arc<dyn ExecutionPlan>> {
        let rows = self.context.sql("SELECT value FROM generate_series(1, 1)").await?.create_physical_plan().await?;
        let partitions = Partitioning::UnknownPartitioning(results.len());
        Ok(Arc::new(ShuffleReaderExec::try_new(stage, results, rows.schema(), partitions)?))
    }
}

/// One executor finishes a task of the first attempt, another one all of the second. They have these numbers.
async fn twice(job: &Job, former: usize, numbers: [usize; 2]) -> Result<[Vec<PartitionLocation>; 2]> {
    let (one, other) = (BoxJoinEngine::new(), BoxJoinEngine::new());
    let mut results = [vec![job.second(&one, 0, former, 0).await?], Vec::new()];
    for (partition, number) in numbers.into_iter().enumerate() {
        results[partition].push(job.second(&other, 1, number, partition).await?);
    }
    Ok(results)
}

#[tokio::test]
async fn a_task_that_ran_twice_counts_once() -> Result<()> {
    let job = Job::new().await?;
    let results = twice(&job, 0, [0, 1]).await?;
    // Nothing was overwritten.
    assert_ne!(results[0][0].file_id, results[0][1].file_id);
    assert_eq!(job.count(results).await?, 2 * ROWS);
    Ok(())
}

#[tokio::test]
async fn results_that_cannot_be_told_apart_are_refused() -> Result<()> {
    let job = Job::new().await?;
    // By its numbers, the second attempt goes on after the first one. But then its results would not be of the same partition.
    let results = twice(&job, 0, [1, 2]).await?;
    let error = job.count(results).await.expect_err("they are refused");
    assert!(error.to_string().contains("run the query again"), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_result_that_replaces_a_lost_one_is_read_beside_the_others() -> Result<()> {
    let job = Job::new().await?;
    let (one, other) = (BoxJoinEngine::new(), BoxJoinEngine::new());
    let kept = job.second(&one, 0, 0, 0).await?;
    let replaced = job.second(&other, 1, 2, 1).await?;
    assert_eq!(job.count([vec![kept], vec![replaced]]).await?, 2 * ROWS);
    Ok(())
}

#[tokio::test]
async fn an_executor_does_not_repeat_what_the_client_may_have() -> Result<()> {
    let job = Job::new().await?;
    let executor = BoxJoinEngine::new();
    job.second(&executor, 0, 0, 0).await?;
    let error = job.second(&executor, 1, 0, 0).await.expect_err("it is refused");
    assert!(error.to_string().contains("run the query again"), "{error}");
    Ok(())
}
