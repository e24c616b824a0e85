//! The time and the memory that a query takes, and the best of a few runs.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use datafusion::common::Result;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionContext;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The cheapest of so many runs counts.
const RUNS: usize = 3;

/// The cost of a query.
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    /// Of all threads.
    pub(crate) processor: Duration,
    /// Bytes that are allocated at once, beyond those from before.
    pub(crate) peak: usize,
    /// The metrics of the box join.
    pub(crate) join: Option<Join>,
}

/// Some metrics of a box join.
pub(crate) struct Join {
    pub(crate) build: Duration,
    pub(crate) search: Duration,
    /// Rows and index.
    pub(crate) build_bytes: usize,
    pub(crate) candidates: usize,
}

/// Rows that a query yields, and its least cost.
pub(crate) async fn least(
    context: &SessionContext,
    query: &str,
) -> Result<(Vec<datafusion::arrow::record_batch::RecordBatch>, Cost)> {
    let mut best: Option<(_, Cost)> = None;
    for _ in 0..RUNS {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let (wall, processor) = (Instant::now(), ProcessTime::now());
        let plan = context.sql(query).await?.create_physical_plan().await?;
        let rows = collect(plan.clone(), context.task_ctx()).await?;
        let cost = Cost {
            wall: wall.elapsed(),
            processor: processor.elapsed(),
            peak: MEMORY.peak_usage().saturating_sub(before),
            join: join_of(plan.as_ref()),
        };
        if best.as_ref().is_none_or(|(_, least)| cost.processor < least.processor) {
            best = Some((rows, cost));
        }
    }
    Ok(best.expect("there is a run"))
}

fn join_of(plan: &dyn ExecutionPlan) -> Option<Join> {
    if plan.name() != "BoxJoinExec" {
        return plan.children().into_iter().find_map(|child| join_of(child.as_ref()));
    }
    let metrics = plan.metrics()?;
    let sum = |name| metrics.sum_by_name(name).map_or(0, |value| value.as_usize());
    let time = |name| Duration::from_nanos(sum(name) as u64);
    Some(Join {
        build: time("build_time"),
        search: time("search_time"),
        build_bytes: sum("build_mem_used"),
        candidates: sum("candidates"),
    })
}

impl Cost {
    /// Prints it as one line, and a second one about the join.
    pub(crate) fn print(&self, name: &str, rows: usize) {
        let each = |time: Duration| time.as_secs_f64() * 1e9 / rows as f64;
        let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        println!(
            "{name:<12} {rows:>9} points: {:>7.2} s, {:>7.2} s of processor time, {:>6.0} ns a point, peak {:>6.1} MiB",
            self.wall.as_secs_f64(),
            self.processor.as_secs_f64(),
            each(self.processor),
            mib(self.peak)
        );
        if let Some(join) = &self.join {
            println!(
                "{:<12} build {:.3} s and {:.1} MiB, search {:.0} ns a point, {:.2} candidates a point",
                "",
                join.build.as_secs_f64(),
                mib(join.build_bytes),
                each(join.search),
                join.candidates as f64 / rows as f64
            );
        }
    }
}
