//! A day of recorded air traffic over the United States, in one spatial index.
//!
//! One index in degrees holds four layers: the boxes of states and counties, whose outlines decide, airports as points that stay, aircraft
//! as points that move once a minute. The day is replayed minute by minute; each minute the program asks what every
//! aircraft is over and near to, which airport is nearest to those in trouble, which aircraft encounter each other, who
//! has been handed over from sector to sector, and what three views show; and goes on a little with a survey of all
//! there is. It prints what every operation cost and draws one moment.
//!
//! ```text
//! cargo run --release -p quadrille-airspace -- --at 08:30 --verify
//! cargo run --release -p quadrille-airspace -- --traffic 100
//! ```

mod closest;
mod figures;
mod fleet;
mod picture;
mod questions;
mod replay;
mod report;
mod scan;
mod sectors;
mod sky;
mod snapshot;
mod survey;
mod trouble;
mod verify;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use quadrille_airspace::{clock, data, flight, outlines, schedule};
use quadrille_gallery::files::{self, svg_file};
use quadrille_gallery::{Progress, grouped, raster};

use crate::clock::{MINUTES_A_DAY, Minute};
use crate::data::Tables;
use crate::replay::Replay;
use crate::schedule::Schedule;
use crate::snapshot::Snapshot;
use crate::verify::{Difference, Verifier};

/// Replays a day of recorded air traffic over the United States in one spatial index, prints what every operation
/// cost, and draws one moment of it.
#[derive(Debug, Parser)]
#[command(name = "airspace")]
struct Options {
    /// The folder with regions.csv, outlines.bin, airports.csv and flights.csv
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data/us-air"))]
    data: PathBuf,
    /// How often each recorded flight departs; copies differ a little in time and place. With 1 the day takes a few
    /// seconds, with 10 half a minute, with 100 (two hundred thousand aircraft at once) some six minutes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    traffic: u32,
    /// The moment to draw
    #[arg(long, value_name = "HH:MM", default_value = "13:45")]
    at: Minute,
    /// The picture, an SVG; a PNG of the same name is written beside it
    #[arg(long, value_name = "FILE", default_value = "target/airspace.svg", value_parser = svg_file)]
    out: PathBuf,
    /// Compare every answer with a linear scan; exit with 1 at the first difference
    #[arg(long)]
    verify: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("airspace: {error:#}");
            ExitCode::from(exit_code(&error))
        }
    }
}

/// 1 for a wrong answer, 2 for every other failure.
fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Difference>() { 1 } else { 2 }
}

fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let tables = Tables::load(&options.data)?;
    let png = options.out.with_extension("png");
    // Fail now rather than after the replay.
    files::ensure_writable(&options.out)?;
    files::ensure_writable(&png)?;

    let schedule = Schedule::new(&tables, options.traffic);
    let mut replay = Replay::new(&tables, &schedule)?;
    let mut verifier = options.verify.then(|| Verifier::new(&tables));
    let mut snapshot = None;
    let mut progress = Progress::new(usize::from(MINUTES_A_DAY));
    for minute in Minute::all() {
        let answers = replay.play(minute)?;
        if let Some(verifier) = &mut verifier {
            verifier.verify(&replay, minute, answers)?;
        }
        if minute == options.at {
            snapshot = Some(Snapshot::take(&replay, minute));
        }
        progress.step(|| format!("{minute}  {} aircraft in the air", grouped(&replay.fleet.len())));
    }
    progress.finish();

    report::print(out, &replay, &tables).context("cannot write to standard output")?;
    if let Some(verifier) = verifier {
        let (compared, objects) = (grouped(&verifier.compared), grouped(&verifier.objects));
        writeln!(out, "\nVerified: {compared} answers with {objects} objects, all as a linear scan gives them.")
            .context("cannot write to standard output")?;
    }
    if let Some(snapshot) = snapshot {
        let svg = picture::draw(&snapshot, &tables);
        files::write(&options.out, svg.as_bytes())?;
        files::write(&png, &raster::png(&[raster::paint(&svg)?], 0)?)?;
        writeln!(out, "\nThe sky at {}: {} and {}", options.at, options.out.display(), png.display())
            .context("cannot write to standard output")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
