//! Memory, batches, partitions, and the choice of the side that is indexed.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{ExecutionPlan, collect, execute_stream, execute_stream_partitioned};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use quadrille_datafusion::BoxJoinRule;

use crate::tables::{Table, answer, plan_of, ruled};

const INNER: &str = "SELECT * FROM p JOIN b ON p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1";
const FULL: &str = "SELECT * FROM p FULL JOIN b ON p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1";

/// Boxes in a diagonal, each of which overlaps the next one.
fn table(name: &'static str, rows: i32, partitions: usize) -> Table {
    let row = |n: i32| ([0.0, 1.5, 0.0, 1.5, 0.0, 1.5].map(|end| Some(f64::from(n) + end)), n);
    Table { name, coordinates: DataType::Float64, rows: (0..rows).map(row).collect(), partitions }
}

/// The engine as it is told, whatever the statistics say: left is left.
fn config() -> SessionConfig {
    let mut config = SessionConfig::new().with_target_partitions(4).with_batch_size(100);
    config.options_mut().optimizer.join_reordering = false;
    config
}

/// The sum of a metric over the partitions of the box join in a plan.
fn metric(plan: &Arc<dyn ExecutionPlan>, name: &str) -> Option<usize> {
    if plan.name() == "BoxJoinExec" {
        return plan.metrics()?.sum_by_name(name).map(|value| value.as_usize());
    }
    plan.children().into_iter().find_map(|child| metric(child, name))
}

fn limited(bytes: usize, tables: &[Table]) -> Result<(SessionContext, Arc<dyn MemoryPool>)> {
    let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(bytes));
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::clone(&pool)).build_arc()?;
    let source = ruled(config(), tables, BoxJoinRule::new())?;
    let state = datafusion::execution::SessionStateBuilder::new_from_existing(source.state());
    Ok((SessionContext::new_with_state(state.with_runtime_env(runtime).build()), pool))
}

#[tokio::test]
async fn one_index_serves_all_partitions() -> Result<()> {
    let context = ruled(config(), &[table("p", 500, 1), table("b", 3000, 3)], BoxJoinRule::new())?;
    let plan = plan_of(&context, INNER).await?;
    let rows: usize = collect(Arc::clone(&plan), context.task_ctx()).await?.iter().map(RecordBatch::num_rows).sum();
    assert_eq!(rows, 500 + 499);
    assert_eq!(metric(&plan, "build_rows"), Some(500));
    assert_eq!(metric(&plan, "probe_rows"), Some(3000));
    assert_eq!(metric(&plan, "right_indexed"), Some(0));
    assert_eq!(metric(&plan, "matches"), Some(rows));
    Ok(())
}

#[tokio::test]
async fn the_smaller_side_is_indexed_wherever_it_stands() -> Result<()> {
    for query in [INNER, FULL] {
        let tables = [table("p", 3000, 2), table("b", 500, 3)];
        let context = ruled(config(), &tables, BoxJoinRule::new().with_left_rows(64))?;
        let plan = plan_of(&context, query).await?;
        collect(Arc::clone(&plan), context.task_ctx()).await?;
        assert_eq!(metric(&plan, "right_indexed"), Some(1), "{query}");
        assert_eq!(metric(&plan, "build_rows"), Some(500));
        assert_eq!(metric(&plan, "probe_rows"), Some(3000));
    }
    Ok(())
}

#[tokio::test]
async fn batches_have_the_size_of_the_session() -> Result<()> {
    let context = ruled(config(), &[table("p", 3000, 1), table("b", 3000, 1)], BoxJoinRule::new())?;
    let batches = context.sql(FULL).await?.collect().await?;
    assert!(batches.iter().all(|batch| batch.num_rows() <= 100));
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 3000 + 2999);
    Ok(())
}

#[tokio::test]
async fn a_plan_can_be_executed_again() -> Result<()> {
    let context = ruled(config(), &[table("p", 50, 1), table("b", 60, 3)], BoxJoinRule::new())?;
    let plan = plan_of(&context, FULL).await?;
    for _ in 0..2 {
        let batches = collect(Arc::clone(&plan), context.task_ctx()).await?;
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 50 + 49 + 10);
    }
    Ok(())
}

#[tokio::test]
async fn partitions_may_run_one_after_the_other() -> Result<()> {
    let context = ruled(config(), &[table("p", 50, 1), table("b", 60, 3)], BoxJoinRule::new())?;
    let plan = plan_of(&context, FULL).await?;
    let mut rows = 0;
    for stream in execute_stream_partitioned(plan, context.task_ctx())? {
        rows += stream
            .map(|batch| batch.map(|batch| batch.num_rows()).unwrap_or_default())
            .fold(0, async |a, b| a + b)
            .await;
    }
    assert_eq!(rows, 50 + 49 + 10);
    Ok(())
}

#[tokio::test]
async fn beyond_the_limit_of_memory_is_an_error() -> Result<()> {
    let tables = [table("p", 20_000, 1), table("b", 20_000, 1)];
    let (context, pool) = limited(1 << 19, &tables)?;
    let error = context.sql(INNER).await?.collect().await.expect_err("the limit is too low");
    assert!(matches!(error.find_root(), DataFusionError::ResourcesExhausted(_)), "{error}");
    assert_eq!(pool.reserved(), 0);
    let (context, pool) = limited(1 << 24, &tables)?;
    assert_eq!(answer(&context, INNER).await?.len(), 20_000 + 19_999);
    assert_eq!(pool.reserved(), 0);
    Ok(())
}

#[tokio::test]
async fn a_dropped_query_leaves_no_memory_behind() -> Result<()> {
    let (context, pool) = limited(1 << 24, &[table("p", 20_000, 1), table("b", 20_000, 3)])?;
    let plan = plan_of(&context, INNER).await?;
    let mut stream = execute_stream(Arc::clone(&plan), context.task_ctx())?;
    stream.next().await.expect("there are rows")?;
    assert!(pool.reserved() > 20_000 * 50, "{}", pool.reserved());
    drop(stream);
    // Tasks of other partitions end at their next step.
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(pool.reserved(), 0);
    drop(plan);
    Ok(())
}

#[tokio::test]
async fn a_search_without_matches_gives_way() -> Result<()> {
    let mut tables = [table("p", 1000, 1), table("b", 1000, 1)];
    for row in tables.iter_mut().flat_map(|table| &mut table.rows) {
        row.0 = [Some(0.0); 6];
    }
    let (context, pool) = limited(1 << 24, &tables)?;
    let plan = plan_of(&context, &format!("{INNER} AND p.w + b.w < 0")).await?;
    let mut stream = execute_stream(Arc::clone(&plan), context.task_ctx())?;
    for _ in 0..20 {
        assert!(futures::poll!(stream.next()).is_pending());
        tokio::task::yield_now().await;
    }
    assert!(metric(&plan, "candidates") < Some(1_000_000));
    drop(stream);
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(pool.reserved(), 0);
    Ok(())
}

#[tokio::test]
async fn a_limit_stops_early() -> Result<()> {
    let context = ruled(config(), &[table("p", 5000, 1), table("b", 5000, 1)], BoxJoinRule::new())?;
    assert_eq!(answer(&context, &format!("{INNER} LIMIT 7")).await?.len(), 7);
    Ok(())
}
