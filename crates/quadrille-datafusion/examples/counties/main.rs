//! Which county is an aircraft over? Positions along recorded flights, minute by minute, joined with the boxes of counties.
//!
//! Writes ten million positions as Parquet, or as many as its argument says, and joins them by the nested loop (a sample),
//! by a hash join on cells of one degree, and by the box join: in one partition, so on one core, and in two.

mod positions;
mod queries;
mod recorded;
#[path = "../shared/mod.rs"]
mod shared;

use std::path::{Path, PathBuf};

use datafusion::common::Result;

use crate::queries::{Counts, Way};
use crate::recorded::Counties;
use crate::shared::cost::{self, Cost};
use crate::shared::file;

const ROWS: usize = 10_000_000;

/// A nested loop is slow; it joins this many positions.
const SAMPLE: usize = 100_000;

#[tokio::main]
async fn main() -> Result<()> {
    let rows = match std::env::args().nth(1) {
        Some(rows) => rows.parse().expect("the argument is a number of rows"),
        None => ROWS,
    };
    let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/airspace/data/us-air"));
    let counties = recorded::counties(&data).await?;
    let tables = std::env::temp_dir();
    let table = &counties.table;
    file::write(&tables.join("quadrille-counties.parquet"), table.schema(), 0, std::iter::once(Ok(table.clone())))?;
    let whole = positions_in(&tables, &data, rows).await?;
    let sample = positions_in(&tables, &data, SAMPLE).await?;
    println!("{rows} positions in {}, {} counties", whole.display(), table.num_rows());

    let (one, counts) = measured(Way::Box, 1, &counties, &whole, rows).await?;
    let (_, in_two) = measured(Way::Box, 2, &counties, &whole, rows).await?;
    let (cells, in_cells) = measured(Way::Cells, 1, &counties, &whole, rows).await?;
    let (box_sample, of_sample) = measured(Way::Box, 1, &counties, &sample, SAMPLE).await?;
    let (loop_sample, in_loop) = measured(Way::NestedLoop, 1, &counties, &sample, SAMPLE).await?;
    assert!(counts == in_two && counts == in_cells && of_sample == in_loop, "the ways disagree");

    let ratio = |slow: &Cost, fast: &Cost| slow.processor.as_secs_f64() / fast.processor.as_secs_f64();
    println!("against the cells:       {:.1} times as fast", ratio(&cells, &one));
    println!("against the nested loop: {:.1} times as fast, on the sample", ratio(&loop_sample, &box_sample));
    print_states(&counts);
    Ok(())
}

/// A file of so many positions.
async fn positions_in(folder: &Path, data: &Path, rows: usize) -> Result<PathBuf> {
    let file = folder.join(format!("quadrille-positions-{rows}.parquet"));
    if !file.exists() {
        positions::write(&recorded::flights(data).await?, rows, &file)?;
    }
    Ok(file)
}

/// The time of a way, and its counts.
async fn measured(
    way: Way,
    partitions: usize,
    counties: &Counties,
    file: &Path,
    rows: usize,
) -> Result<(Cost, Counts)> {
    let session = queries::session(way, partitions, counties, file).await?;
    let (batches, cost) = cost::least(&session, &way.query()).await?;
    let counts = queries::counts(&batches);
    cost.print(way.name(), rows);
    println!("{:<12} {} pairs, {partitions} partitions", "", counts.values().sum::<i64>());
    Ok((cost, counts))
}

fn print_states(counties: &Counts) {
    let mut states = std::collections::BTreeMap::<&str, i64>::new();
    for (fips, count) in counties {
        *states.entry(&fips[..2]).or_default() += count;
    }
    println!("pairs by state:");
    let cells: Vec<_> = states.iter().map(|(state, count)| format!("{state} {count:>8}")).collect();
    cells.chunks(8).for_each(|line| println!("  {}", line.join("   ")));
}
