//! A day of recorded air traffic over the United States, in one spatial index.
//!
//! One index in degrees holds four layers: states and counties as rectangles, airports as points that stay, aircraft
//! as points that move once a minute. The day is replayed minute by minute; each minute the program asks what every
//! aircraft is over and near to, which airport is nearest to those in trouble, which aircraft encounter each other, who
//! has been handed over from sector to sector, and what three views show; and goes on a little with a survey of all
//! there is. It prints what every operation cost and draws one moment.
//!
//! ```text
//! cargo run --release -p quadrille-airspace -- --at 08:30 --verify
//! cargo run --release -p quadrille-airspace -- --traffic 100
//! ```

mod clock;
mod closest;
mod data;
mod figures;
mod fleet;
mod flight;
mod picture;
mod questions;
mod replay;
mod report;
mod scan;
mod schedule;
mod sectors;
mod sky;
mod snapshot;
mod survey;
mod trouble;
mod verify;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use crate::clock::{MINUTES_A_DAY, Minute};
use crate::data::Tables;
use crate::replay::Replay;
use crate::report::grouped;
use crate::schedule::Schedule;
use crate::snapshot::Snapshot;
use crate::verify::{Difference, Verifier};

/// Replays a day of recorded air traffic over the United States in one spatial index, prints what every operation
/// cost, and draws one moment of it.
#[derive(Debug, Parser)]
#[command(name = "airspace")]
struct Options {
    /// The folder with regions.csv, airports.csv and flights.csv
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data/us-air"))]
    data: PathBuf,
    /// How often each recorded flight departs; copies differ a little in time and place
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

fn svg_file(text: &str) -> Result<PathBuf, &'static str> {
    let file = PathBuf::from(text);
    match file.extension() {
        Some(extension) if extension == "svg" => Ok(file),
        _ => Err("the name must end in .svg"),
    }
}

fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let tables = Tables::load(&options.data)?;
    let png = options.out.with_extension("png");
    // Fail now rather than after the replay.
    ensure_writable(&options.out)?;
    ensure_writable(&png)?;

    let schedule = Schedule::new(&tables, options.traffic);
    let mut replay = Replay::new(&tables, &schedule)?;
    let mut verifier = options.verify.then(|| Verifier::new(&tables));
    let mut snapshot = None;
    let progress = progress_bar();
    for minute in Minute::all() {
        let answers = replay.play(minute)?;
        if let Some(verifier) = &mut verifier {
            verifier.verify(&replay, minute, answers)?;
        }
        if minute == options.at {
            snapshot = Some(Snapshot::take(&replay, minute));
        }
        progress.set_message(format!("{minute}  {} aircraft in the air", grouped(&replay.fleet.len())));
        progress.inc(1);
    }
    progress.finish_and_clear();

    report::print(out, &replay, &tables).context("cannot write to standard output")?;
    if let Some(verifier) = verifier {
        let (compared, objects) = (grouped(&verifier.compared), grouped(&verifier.objects));
        writeln!(out, "\nVerified: {compared} answers with {objects} objects, all as a linear scan gives them.")
            .context("cannot write to standard output")?;
    }
    if let Some(snapshot) = snapshot {
        let svg = picture::draw(&snapshot, &tables);
        fs::write(&options.out, &svg).with_context(|| cannot_write(&options.out))?;
        fs::write(&png, picture::raster(&svg)?).with_context(|| cannot_write(&png))?;
        writeln!(out, "\nThe sky at {}: {} and {}", options.at, options.out.display(), png.display())
            .context("cannot write to standard output")?;
    }
    Ok(())
}

fn ensure_writable(file: &Path) -> anyhow::Result<()> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let opened = fs::create_dir_all(folder).and_then(|()| fs::OpenOptions::new().append(true).create(true).open(file));
    opened.map(drop).with_context(|| cannot_write(file))
}

fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", file.display())
}

/// On standard error, and only if that is a terminal.
fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}  ({eta} left)");
    ProgressBar::new(u64::from(MINUTES_A_DAY)).with_style(style.expect("the template is well formed"))
}

#[cfg(test)]
mod tests;
