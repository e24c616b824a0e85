//! The memory that a join takes at most, measured. Apart from the other tests, which would be measured too.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SessionConfig, SessionContext};
use peak_alloc::PeakAlloc;
use quadrille_datafusion::BoxJoinRule;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const BOXES: u32 = 300_000;

/// Batches and the like.
const BESIDES: usize = 4 << 20;

/// Boxes of a thousandth of the square.
fn boxes(rows: std::ops::Range<u32>) -> Result<RecordBatch> {
    let ids = Int64Array::from_iter_values(rows.clone().map(i64::from));
    let column = |factor: f64, plus: f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values(rows.clone().map(|row| (f64::from(row) * factor).fract() + plus)))
    };
    let [x, y] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];
    let columns = [("x0", column(x, 0.0)), ("y0", column(y, 0.0)), ("x1", column(x, 0.001)), ("y1", column(y, 0.001))];
    Ok(RecordBatch::try_from_iter(std::iter::once(("id", Arc::new(ids) as ArrayRef)).chain(columns))?)
}

/// A session in which boxes are on the left side and are indexed.
fn session() -> Result<SessionContext> {
    let mut config = SessionConfig::new().with_target_partitions(1);
    config.options_mut().optimizer.join_reordering = false;
    let context = SessionContext::new_with_config(config);
    BoxJoinRule::new().with_left_rows(usize::MAX).register(&context);
    for (name, rows) in [("b", BOXES), ("p", 1000)] {
        let batches = (0..rows).step_by(8192).map(|from| boxes(from..rows.min(from + 8192)));
        let batches = batches.collect::<Result<Vec<_>>>()?;
        context.register_table(name, Arc::new(MemTable::try_new(batches[0].schema(), vec![batches])?))?;
    }
    Ok(context)
}

fn metric(plan: &Arc<dyn ExecutionPlan>, name: &str) -> Option<usize> {
    if plan.name() == "BoxJoinExec" {
        return plan.metrics()?.sum_by_name(name).map(|value| value.as_usize());
    }
    plan.children().into_iter().find_map(|child| metric(child, name))
}

#[tokio::test]
async fn is_at_most_half_as_much_again_as_rows_and_index() -> Result<()> {
    let context = session()?;
    let query = "SELECT count(b.id) FROM b JOIN p ON p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1";
    let plan = context.sql(query).await?.create_physical_plan().await?;
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    collect(Arc::clone(&plan), context.task_ctx()).await?;
    let peak = MEMORY.peak_usage() - before;
    assert_eq!(metric(&plan, "build_rows"), Some(BOXES as usize));
    let held = metric(&plan, "build_mem_used").expect("it is measured");
    println!("peak {peak}, rows and index {held}");
    assert!(peak < held + held / 2 + BESIDES, "{peak} for {held}");
    Ok(())
}
