//! Joins whose sides are shuffled by cells.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::{FairSpillPool, GreedyMemoryPool, MemoryPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use proptest::prelude::*;
use quadrille_datafusion::{BoxJoinRule, ByCells};
use tokio::runtime::Builder;

use crate::cases::{Case, INNER, case_of};
use crate::tables::{Table, answer, has_box_join, plain, rows_of, ruled};

const POINTS: &str = "SELECT p.id, b.id FROM p JOIN b ON p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1";
const BOXES: &str = "SELECT p.id, b.id FROM p JOIN b
    ON p.x0 <= b.x1 AND p.x1 >= b.x0 AND p.y0 <= b.y1 AND p.y1 >= b.y0";

/// Settings with which the engine shuffles tables of any size.
fn shuffled(mut config: SessionConfig) -> SessionConfig {
    config.options_mut().optimizer.hash_join_single_partition_threshold = 0;
    config.options_mut().optimizer.hash_join_single_partition_threshold_rows = 0;
    config
}

fn config(partitions: usize) -> SessionConfig {
    shuffled(SessionConfig::new().with_target_partitions(partitions))
}

/// A table of boxes of side 1.5.
fn table(name: &'static str, corners: impl Iterator<Item = [f64; 2]>) -> Table {
    let row = |[x, y]: [f64; 2]| ([x, x + 1.5, y, y + 1.5, 0.0, 0.0].map(Some), 0);
    Table { name, coordinates: DataType::Float64, rows: corners.map(row).collect(), partitions: 2 }
}

/// A table with boxes along a diagonal, each of which overlaps the next one.
fn diagonal(name: &'static str, rows: i32) -> Table {
    table(name, (0..rows).map(|n| [f64::from(n); 2]))
}

fn text(plan: &Arc<dyn ExecutionPlan>) -> String {
    displayable(plan.as_ref()).indent(false).to_string()
}

/// The plan of a query by cells.
async fn plan_of(context: &SessionContext, query: &str, cells: ByCells) -> Result<Arc<dyn ExecutionPlan>> {
    by_cells(context, query, cells).await?.create_physical_plan().await
}

async fn by_cells(context: &SessionContext, query: &str, cells: ByCells) -> Result<DataFrame> {
    cells.rewrite(context.sql(query).await?).await
}

/// The settings for a case by cells.
#[derive(Clone, Debug)]
struct How {
    cells: ByCells,
    at_once: usize,
    by_hashing: bool,
    /// So many copies of the first row of each table.
    crowd: usize,
}

fn how() -> impl Strategy<Value = How> {
    let crowd = prop_oneof![2 => Just(0_usize), 1 => 0..40_usize];
    (0..12_usize, 1..4_usize, any::<bool>(), crowd).prop_map(|(rows, at_once, by_hashing, crowd)| How {
        cells: ByCells::new().with_rows(rows),
        at_once,
        by_hashing,
        crowd,
    })
}

/// The answers of the engine alone and of the engine by cells.
async fn both(mut case: Case, how: How) -> Result<[Vec<String>; 2]> {
    for table in &mut case.tables {
        let first = table.rows.first().copied();
        table.rows.extend(first.into_iter().cycle().take(how.crowd));
    }
    let mut config = shuffled(case.config());
    config.options_mut().optimizer.prefer_hash_join = how.by_hashing;
    let alone = plain(config.clone(), &case.tables)?;
    let rule = BoxJoinRule::new().with_left_rows(case.left_rows).with_partitions_at_once(how.at_once);
    let ruled = ruled(config, &case.tables, rule)?;
    let plan = plan_of(&ruled, &case.query, how.cells).await?;
    let text = text(&plan);
    assert!(has_box_join(&plan), "{text}");
    assert!(!text.contains("HashJoinExec") && !text.contains("SortMergeJoinExec"), "{text}");
    let is_by_cells = text.contains("__quadrille_cell");
    assert_eq!(text.contains("BoxJoinExec: mode=Partitioned"), is_by_cells && case.partitions > 1, "{text}");
    let found = rows_of(&collect(plan, ruled.task_ctx()).await?)?;
    Ok([answer(&alone, &case.query).await?, found])
}

proptest! {
    // Each case takes a dozen plans.
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn answers_are_those_of_the_nested_loop(case in case_of(&INNER), how in how()) {
        let runtime = Builder::new_current_thread().build().expect("a runtime needs nothing");
        let [expected, found] = runtime.block_on(both(case, how)).expect("no query fails");
        prop_assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn both_sides_are_partitioned_by_cells() -> Result<()> {
    let context = ruled(config(4), &[diagonal("p", 500), diagonal("b", 500)], BoxJoinRule::new())?;
    for query in [POINTS, BOXES] {
        let plan = plan_of(&context, query, ByCells::new()).await?;
        let text = text(&plan);
        assert_eq!(text.matches("BoxJoinExec: mode=Partitioned").count(), 1, "{text}");
        assert_eq!(text.matches("RepartitionExec: partitioning=Hash([__quadrille_cell_0_").count(), 2, "{text}");
        // Two more joins give rows their cells.
        assert_eq!(text.matches("BoxJoinExec").count(), 3, "{text}");
        let expected = answer(&context, query).await?;
        assert_eq!(rows_of(&collect(plan, context.task_ctx()).await?)?, expected);
    }
    Ok(())
}

/// A session with little memory.
fn limited(tables: &[Table], pool: Arc<dyn MemoryPool>) -> Result<SessionContext> {
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(pool).build_arc()?;
    let source = ruled(config(16), tables, BoxJoinRule::new().with_partitions_at_once(1))?;
    let state = SessionStateBuilder::new_from_existing(source.state());
    Ok(SessionContext::new_with_state(state.with_runtime_env(runtime).build()))
}

#[tokio::test]
async fn a_build_side_beyond_the_limit_of_memory_is_joined_part_by_part() -> Result<()> {
    let tables = [diagonal("p", 20_000), diagonal("b", 20_000)];
    let limit = 1 << 19;
    let pools: [Arc<dyn MemoryPool>; 2] = [Arc::new(GreedyMemoryPool::new(limit)), Arc::new(FairSpillPool::new(limit))];
    for pool in pools {
        let context = limited(&tables, Arc::clone(&pool))?;
        let all = "SELECT * FROM p JOIN b ON p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1";
        let error = context.sql(all).await?.collect().await.expect_err("the limit is too low");
        assert!(matches!(error.find_root(), DataFusionError::ResourcesExhausted(_)), "{error}");
        let pairs = by_cells(&context, all, ByCells::new()).await?.collect().await?;
        assert_eq!(pairs.iter().map(RecordBatch::num_rows).sum::<usize>(), 20_000 + 19_999);
        assert_eq!(pool.reserved(), 0);
    }
    Ok(())
}

/// A user's column may have any name.
#[tokio::test]
async fn names_of_columns_mean_nothing() -> Result<()> {
    let context = ruled(config(3), &[diagonal("p", 60), diagonal("b", 50)], BoxJoinRule::new())?;
    let query = "SELECT p.id, b.id FROM (SELECT *, w AS __quadrille_cell_0_0_0 FROM p) AS p
        JOIN (SELECT *, w AS __quadrille_cell_0_1_0 FROM b) AS b ON p.__quadrille_cell_0_0_0 = b.__quadrille_cell_0_1_0
        AND p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1";
    let plan = context.sql(query).await?.create_physical_plan().await?;
    assert!(text(&plan).contains("HashJoinExec") && !has_box_join(&plan), "{}", text(&plan));
    Ok(())
}

/// The most rows that a partition of the join by cells has indexed and searched.
fn fullest(plan: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    if !text(plan).starts_with("BoxJoinExec: mode=Partitioned") {
        return plan.children().into_iter().find_map(fullest);
    }
    let metrics = plan.metrics()?;
    let rows = |partition| {
        let metrics = metrics.iter().filter(|metric| metric.partition() == Some(partition));
        let counts = metrics.filter(|metric| ["build_rows", "probe_rows"].contains(&metric.value().name()));
        counts.map(|metric| metric.value().as_usize()).sum()
    };
    (0..8).map(rows).max()
}

#[tokio::test]
async fn a_cell_that_is_too_full_is_split() -> Result<()> {
    // Nine of ten rows in a ten-thousandth of the square.
    let crowd = (0..1800).map(|n| [500.0 + f64::from(n % 43) * 0.2, 500.0 + f64::from(n / 43) * 0.2]);
    let spread = (0..200).map(|n| [f64::from(n * 37 % 1000), f64::from(n * 5)]);
    let points = table("p", crowd.chain(spread));
    let boxes = diagonal("b", 1000);
    let context = ruled(config(8), &[points, boxes], BoxJoinRule::new())?;
    let plan = plan_of(&context, POINTS, ByCells::new().with_rows(40)).await?;
    let found = rows_of(&collect(Arc::clone(&plan), context.task_ctx()).await?)?;
    assert_eq!(found, answer(&context, POINTS).await?);
    let fullest = fullest(&plan).expect("the join is by cells");
    assert!(fullest < 3000 / 3, "{fullest}");
    Ok(())
}

#[tokio::test]
async fn a_join_of_joins_is_by_cells_twice() -> Result<()> {
    let tables = [diagonal("p", 60), diagonal("b", 50), diagonal("c", 40)];
    let context = ruled(config(3), &tables, BoxJoinRule::new())?;
    let query = "SELECT p.id, b.id, c.id FROM p
        JOIN b ON p.x0 <= b.x1 AND p.x1 >= b.x0 AND p.y0 <= b.y1 AND p.y1 >= b.y0
        JOIN c ON b.x0 <= c.x1 AND b.x1 >= c.x0 AND b.y0 <= c.y1 AND b.y1 >= c.y0";
    let plan = plan_of(&context, query, ByCells::new()).await?;
    assert_eq!(text(&plan).matches("BoxJoinExec: mode=Partitioned").count(), 2, "{}", text(&plan));
    assert_eq!(rows_of(&collect(plan, context.task_ctx()).await?)?, answer(&context, query).await?);
    Ok(())
}

#[tokio::test]
async fn other_joins_are_left_alone() -> Result<()> {
    let context = ruled(config(3), &[diagonal("p", 60), diagonal("b", 50)], BoxJoinRule::new())?;
    for query in [POINTS.replace("JOIN", "LEFT JOIN"), "SELECT * FROM p JOIN b ON p.id = b.id".to_owned()] {
        let error = by_cells(&context, &query, ByCells::new()).await.expect_err("there is nothing to do by cells");
        assert!(matches!(error, DataFusionError::Plan(_)), "{error}");
    }
    // All rows in one place need one cell.
    let places = ["p", "b"].map(|name| table(name, std::iter::repeat_n([1.0; 2], 30)));
    let context = ruled(config(3), &places, BoxJoinRule::new())?;
    let plan = plan_of(&context, POINTS, ByCells::new()).await?;
    assert!(!text(&plan).contains("mode=Partitioned"), "{}", text(&plan));
    assert_eq!(rows_of(&collect(plan, context.task_ctx()).await?)?.len(), 900);
    Ok(())
}

#[tokio::test]
async fn large_tables_are_sampled() -> Result<()> {
    let config = SessionConfig::new().with_target_partitions(4);
    let context = ruled(config, &[diagonal("p", 60_000), diagonal("b", 40_000)], BoxJoinRule::new())?;
    let plan = plan_of(&context, POINTS, ByCells::new()).await?;
    assert!(text(&plan).contains("mode=Partitioned"), "{}", text(&plan));
    assert_eq!(rows_of(&collect(plan, context.task_ctx()).await?)?.len(), 40_000 + 40_000);
    Ok(())
}

#[tokio::test]
async fn zeros_of_both_signs_are_in_one_cell() -> Result<()> {
    let mut tables = [diagonal("p", 40), diagonal("b", 40)];
    for table in &mut tables {
        for (row, at) in table.rows.iter_mut().zip(0..) {
            row.0 = [Some([-1.0, -0.0, 0.0, -5e-324][at % 4]); 6];
        }
    }
    let context = ruled(config(3), &tables, BoxJoinRule::new())?;
    for query in [POINTS, BOXES] {
        let found = by_cells(&context, query, ByCells::new().with_rows(1)).await?.collect().await?;
        assert_eq!(rows_of(&found)?, answer(&plain(config(3), &tables)?, query).await?);
    }
    Ok(())
}
