//! The tasks of a stage share one index in each process.

use std::sync::Arc;

use ballista_core::JobId;
use ballista_core::execution_plans::ShuffleWriterExec;
use ballista_executor::execution_engine::ExecutionEngine;
use datafusion::common::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use quadrille_datafusion::BoxJoinEngine;
use tempfile::TempDir;

use crate::tables::{Size, register, write};

const SIZE: Size = Size { points: 10_000, boxes: 300, side: 0.1 };

const PAIRS: &str = "SELECT p.id FROM points p JOIN boxes b
    ON p.x BETWEEN b.x0 AND b.x1 AND p.y BETWEEN b.y0 AND b.y1";

/// A session of an executor.
async fn session(folder: &TempDir) -> Result<SessionContext> {
    write(folder.path(), SIZE).await?;
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
    register(&context, folder.path()).await?;
    Ok(context)
}

async fn plan(context: &SessionContext) -> Result<Arc<dyn ExecutionPlan>> {
    context.sql(PAIRS).await?.create_physical_plan().await
}

/// Runs a task; returns how many rows it has indexed, and how many pairs it has found.
async fn run(
    engine: &BoxJoinEngine,
    context: &SessionContext,
    plan: Arc<dyn ExecutionPlan>,
    stage: usize,
    task: usize,
) -> Result<(usize, usize)> {
    let folder = TempDir::new()?;
    let work = folder.path().display().to_string();
    let writer = ShuffleWriterExec::try_new(JobId::new("job"), stage, plan, work.clone())?;
    let config = context.copied_config();
    let stage =
        engine.create_query_stage_exec(JobId::new("job"), stage, task, vec![0, 1], Arc::new(writer), &work, &config)?;
    stage.execute_query_stage(task, context.task_ctx()).await?;
    let metrics = stage.collect_plan_metrics();
    let sum = |name| {
        let values = metrics.iter().filter_map(|metrics| metrics.sum_by_name(name));
        values.map(|value| value.as_usize()).sum::<usize>()
    };
    Ok((sum("build_rows"), sum("matches")))
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_of_a_stage_share_an_index() -> Result<()> {
    let folder = TempDir::new()?;
    let (engine, context) = (BoxJoinEngine::new(), session(&folder).await?);
    let task = async |stage, task| run(&engine, &context, plan(&context).await?, stage, task).await;
    let (built, pairs) = task(1, 0).await?;
    assert_eq!(built, SIZE.boxes);
    assert!(pairs > SIZE.points);
    // The next one, after the first one or beside it, only searches.
    assert_eq!(task(1, 1).await?, (0, pairs));
    let (one, other) = tokio::join!(task(2, 0), task(2, 1));
    let ((one, _), (other, _)) = (one?, other?);
    assert_eq!(one + other, SIZE.boxes);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_could_not_be_built_is_built_by_the_next_task() -> Result<()> {
    let folder = TempDir::new()?;
    let (engine, context) = (BoxJoinEngine::new(), session(&folder).await?);
    let boxes = folder.path().join("boxes.parquet");
    let plan = plan(&context).await?;
    let hidden = folder.path().join("hidden");
    std::fs::rename(&boxes, &hidden)?;
    run(&engine, &context, Arc::clone(&plan), 1, 0).await.expect_err("there are no boxes");
    std::fs::rename(&hidden, &boxes)?;
    let (built, _) = run(&engine, &context, plan, 1, 1).await?;
    assert_eq!(built, SIZE.boxes);
    Ok(())
}
