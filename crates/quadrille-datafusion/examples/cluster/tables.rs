//! Tables for the demo and the tests: boxes, and points scattered among them, as Parquet.

use std::path::Path;

use datafusion::common::Result;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};

/// Row groups of the points: partitions of a query are made of them.
const ROW_GROUPS: usize = 16;

/// How many rows, and how long the sides of boxes are in a world of side one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Rows of the table `points`.
    pub(crate) points: usize,
    /// Rows of the table `boxes`.
    pub(crate) boxes: usize,
    /// The side of a box.
    pub(crate) side: f64,
}

/// Pairs, counted and summed.
pub(crate) const PAIRS: &str = "SELECT count(*), sum(p.id), sum(b.id) FROM points AS p
    JOIN boxes AS b ON p.x BETWEEN b.x0 AND b.x1 AND p.y BETWEEN b.y0 AND b.y1";

/// Writes both tables to a folder.
pub(crate) async fn write(folder: &Path, size: Size) -> Result<()> {
    let Size { points, boxes, side } = size;
    let mut config = SessionConfig::new();
    config.options_mut().execution.parquet.max_row_group_size = points.div_ceil(ROW_GROUPS).max(1);
    let context = SessionContext::new_with_config(config);
    // Multiples of an irrational number, without their whole part, are spread evenly.
    let place = "value AS id, value * 0.7548776662466927 % 1.0 AS x, value * 0.5698402909980532 % 1.0 AS y";
    let tables = [
        ("points", format!("SELECT {place} FROM generate_series(1, {points})")),
        (
            "boxes",
            format!(
                "SELECT id, x AS x0, y AS y0, x + {side} AS x1, y + {side} AS y1
                 FROM (SELECT {place} FROM generate_series(1, {boxes}))"
            ),
        ),
    ];
    for (name, rows) in tables {
        let file = folder.join(format!("{name}.parquet"));
        context.sql(&format!("COPY ({rows}) TO '{}' STORED AS PARQUET", file.display())).await?.collect().await?;
    }
    Ok(())
}

/// Makes the tables known to a session.
pub(crate) async fn register(context: &SessionContext, folder: &Path) -> Result<()> {
    for name in ["points", "boxes"] {
        let file = folder.join(format!("{name}.parquet")).display().to_string();
        context.register_parquet(name, file, ParquetReadOptions::default()).await?;
    }
    Ok(())
}

/// The answer to a query as text.
pub(crate) async fn answer(context: &SessionContext, query: &str) -> Result<Vec<String>> {
    let batches = context.sql(query).await?.collect().await?;
    let table = datafusion::arrow::util::pretty::pretty_format_batches(&batches)?.to_string();
    let mut lines: Vec<_> = table.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    Ok(lines)
}
