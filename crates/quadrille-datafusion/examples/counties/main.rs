//! Which county is an aircraft over? Positions along recorded flights, minute by minute, joined with the boxes of counties.
//!
//! Writes ten million positions as Parquet, or as many as its argument says, and joins them by the nested loop (a sample),
//! by a hash join on cells of one degree, and by the box join. All in one partition, so times are those of one core.

mod positions;
mod queries;
mod recorded;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use datafusion::common::Result;

use crate::queries::{Counts, Way};

const ROWS: usize = 10_000_000;

/// A nested loop is slow; it joins this many positions.
const SAMPLE: usize = 100_000;

/// The least time of a few runs counts.
const RUNS: usize = 3;

#[tokio::main]
async fn main() -> Result<()> {
    let rows = match std::env::args().nth(1) {
        Some(rows) => rows.parse().expect("the argument is a number of rows"),
        None => ROWS,
    };
    let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/airspace/data/us-air"));
    let file = std::env::temp_dir().join(format!("quadrille-positions-{rows}.parquet"));
    if !file.exists() {
        positions::write(&recorded::flights(&data).await?, rows, &file)?;
    }
    println!("{rows} positions in {}", file.display());

    let counties = recorded::counties(&data).await?;
    let mut answers = Vec::new();
    for way in [Way::Box, Way::Cells] {
        answers.push(measured(way, &counties, &file, rows).await?);
    }
    assert_eq!(answers[0].1, answers[1].1, "the ways disagree");
    let sample = file.with_extension("sample.parquet");
    queries::write_sample(&file, SAMPLE, &sample).await?;
    let (box_time, box_counts) = measured(Way::Box, &counties, &sample, SAMPLE).await?;
    let (loop_time, loop_counts) = measured(Way::NestedLoop, &counties, &sample, SAMPLE).await?;
    assert_eq!(box_counts, loop_counts, "the ways disagree");

    let ratio = |slow: Duration, fast: Duration| slow.as_secs_f64() / fast.as_secs_f64();
    println!("against the cells:       {:.1} times as fast", ratio(answers[1].0, answers[0].0));
    println!("against the nested loop: {:.1} times as fast, on the sample", ratio(loop_time, box_time));
    print_states(&answers[0].1);
    Ok(())
}

/// The least time of a way, and what it counts.
async fn measured(
    way: Way,
    counties: &recorded::Counties,
    file: &std::path::Path,
    rows: usize,
) -> Result<(Duration, Counts)> {
    let session = queries::session(way, counties, file).await?;
    let mut best: Option<(Duration, Counts)> = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        let counts = queries::count(way, &session).await?;
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(least, _)| time < *least) {
            best = Some((time, counts));
        }
    }
    let (time, counts) = best.expect("there is a run");
    let pairs: i64 = counts.values().sum();
    let nanos = time.as_secs_f64() * 1e9 / rows as f64;
    println!(
        "{:<12} {rows:>9} positions, {pairs:>9} pairs, {:>7.2} s, {nanos:>7.0} ns a position",
        way.name(),
        time.as_secs_f64()
    );
    Ok((time, counts))
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
