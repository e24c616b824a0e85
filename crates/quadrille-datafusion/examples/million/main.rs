//! A million small boxes, and ten million points among them; a point lies in one box on average. Both are uniformly random,
//! so no point is near the one before: the worst case for an index.
//!
//! Writes both as Parquet, once, and joins them in one partition and in two.

#[path = "../shared/mod.rs"]
mod shared;

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::pretty::print_batches;
use datafusion::common::Result;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use quadrille_datafusion::BoxJoinRule;

use crate::shared::{cost, file};

const BOXES: usize = 1_000_000;
const POINTS: usize = 10_000_000;
const ROWS_A_BATCH: usize = 100_000;

/// The sides of boxes are up to this long in a world of side one.
const SIDE: f64 = 0.002;

const QUERY: &str = "SELECT count(*) AS pairs, sum(b.id) AS sum_of_boxes, sum(p.id) AS sum_of_points
    FROM points AS p JOIN boxes AS b ON p.x BETWEEN b.x0 AND b.x1 AND p.y BETWEEN b.y0 AND b.y1";

#[tokio::main]
async fn main() -> Result<()> {
    let folder = std::env::temp_dir();
    let (boxes, points) = (folder.join("quadrille-boxes.parquet"), folder.join("quadrille-points.parquet"));
    written(&boxes, BOXES, a_box)?;
    written(&points, POINTS, a_point)?;
    for partitions in [1, 2] {
        let config = SessionConfig::new().with_target_partitions(partitions);
        let context = SessionContext::new_with_config(config);
        BoxJoinRule::new().register(&context);
        for (name, file) in [("boxes", &boxes), ("points", &points)] {
            let path = file.to_str().expect("the path is text");
            context.register_parquet(name, path, ParquetReadOptions::default()).await?;
        }
        let (answer, cost) = cost::least(&context, QUERY).await?;
        cost.print(&format!("{partitions} partition"), POINTS);
        print_batches(&answer)?;
    }
    Ok(())
}

/// Writes a table, unless it is there already.
fn written<const N: usize>(path: &Path, rows: usize, row: fn(u64) -> [(&'static str, f64); N]) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let batch = |from: usize| {
        let rows: Vec<_> = (from..rows.min(from + ROWS_A_BATCH)).collect();
        let ids = Int64Array::from_iter_values(rows.iter().map(|id| *id as i64));
        let column = |at: usize| Float64Array::from_iter_values(rows.iter().map(|id| row(*id as u64)[at].1));
        let columns = (0..N).map(|at| (row(0)[at].0, Arc::new(column(at)) as ArrayRef));
        let columns = std::iter::once(("id", Arc::new(ids) as ArrayRef)).chain(columns);
        Ok(RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, false)))?)
    };
    file::write(path, batch(0)?.schema(), rows, (0..rows).step_by(ROWS_A_BATCH).map(batch))
}

fn a_box(id: u64) -> [(&'static str, f64); 4] {
    let [x, y] = [random(id, 0), random(id, 1)];
    [("x0", x), ("y0", y), ("x1", x + SIDE * random(id, 2)), ("y1", y + SIDE * random(id, 3))]
}

fn a_point(id: u64) -> [(&'static str, f64); 2] {
    [("x", random(id, 4)), ("y", random(id, 5))]
}

/// A number from 0 to 1, always the same for a row and a column.
fn random(row: u64, column: u64) -> f64 {
    let mut bits = (row * 8 + column).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2 {
        bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    ((bits ^ (bits >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}
