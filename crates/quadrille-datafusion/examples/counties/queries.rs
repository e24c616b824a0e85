//! The same question in three ways.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, Int32Array, StringArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use quadrille_datafusion::BoxJoinRule;

use crate::recorded::Counties;

/// How to join.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// As the engine does it by itself.
    NestedLoop,
    /// The recipe without an index: a hash join on cells of one degree.
    Cells,
    /// By this crate.
    Box,
}

impl Way {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NestedLoop => "nested loop",
            Self::Cells => "cells",
            Self::Box => "box join",
        }
    }

    /// The question.
    pub(crate) fn query(self) -> String {
        let inside = "p.lon BETWEEN c.min_lon AND c.max_lon AND p.lat BETWEEN c.min_lat AND c.max_lat";
        let (table, same_cell) = match self {
            // Degrees are shifted, for the cast rounds towards zero.
            Self::Cells => ("cells", "CAST(p.lon + 360 AS INT) = c.x AND CAST(p.lat + 90 AS INT) = c.y AND "),
            _ => ("counties", ""),
        };
        format!("SELECT c.fips, count(*) FROM positions AS p JOIN {table} AS c ON {same_cell}{inside} GROUP BY c.fips")
    }
}

/// Pairs by county.
pub(crate) type Counts = BTreeMap<String, i64>;

/// A session with the tables.
pub(crate) async fn session(
    way: Way,
    partitions: usize,
    counties: &Counties,
    positions: &Path,
) -> Result<SessionContext> {
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
    let path = positions.to_str().expect("the path is text");
    context.register_parquet("positions", path, ParquetReadOptions::default()).await?;
    context.register_batch("counties", counties.table.clone())?;
    context.register_batch("cells", cells(counties)?)?;
    if way == Way::Box {
        BoxJoinRule::new().register(&context);
    }
    Ok(context)
}

/// The rows of the answer.
pub(crate) fn counts(batches: &[RecordBatch]) -> Counts {
    let mut counts = Counts::new();
    for batch in batches {
        let (fips, numbers) = (batch.column(0).as_string::<i32>(), batch.column(1).as_primitive::<Int64Type>());
        let rows = fips.iter().zip(numbers.values());
        counts.extend(rows.map(|(fips, number)| (fips.expect("no county is null").to_owned(), *number)));
    }
    counts
}

/// Each county in each cell of one degree that its box touches.
fn cells(counties: &Counties) -> Result<RecordBatch> {
    let (mut places, mut names, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    for (fips, [west, south], [east, north]) in counties.boxes() {
        for x in (west + 360.0) as i32..=(east + 360.0) as i32 {
            for y in (south + 90.0) as i32..=(north + 90.0) as i32 {
                places.push((x, y));
                names.push(fips);
                edges.push([west, south, east, north]);
            }
        }
    }
    let edge = |at: usize| Arc::new(Float64Array::from_iter_values(edges.iter().map(|edges| edges[at]))) as ArrayRef;
    let xs = Int32Array::from_iter_values(places.iter().map(|(x, _)| *x));
    let ys = Int32Array::from_iter_values(places.iter().map(|(_, y)| *y));
    Ok(RecordBatch::try_from_iter([
        ("x", Arc::new(xs) as ArrayRef),
        ("y", Arc::new(ys) as ArrayRef),
        ("fips", Arc::new(StringArray::from(names)) as ArrayRef),
        ("min_lon", edge(0)),
        ("min_lat", edge(1)),
        ("max_lon", edge(2)),
        ("max_lat", edge(3)),
    ])?)
}
