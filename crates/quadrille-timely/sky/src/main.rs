//! A day of recorded air traffic over several processes, each of which owns a part of the sky.
//!
//! A tick is a minute. Each worker flies its share of the aircraft, wherever they are, and owns the index of its part of
//! the sky. Together they report who encounters whom, who enters and leaves each state and each county, and who is
//! nearest to the busiest airports. The first process starts the others, watches them, kills one if asked to, and holds all
//! answers against those of the same day in one process.
//!
//! ```text
//! cargo run --release --manifest-path crates/quadrille-timely/sky/Cargo.toml -- --workers 2 --traffic 100 --kill
//! ```

mod day;
mod fleet;
mod options;
mod picture;
mod play;
mod record;
mod report;
mod tally;
mod watch;
mod worker;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use clap::Parser;
use quadrille_gallery::files;

use crate::day::Day;
use crate::options::Options;
use crate::tally::Difference;
use crate::watch::{WatchError, Watched};

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sky: {error:#}");
            ExitCode::from(exit_code(&error))
        }
    }
}

/// 1 for a wrong answer, 2 for every other failure.
fn exit_code(error: &anyhow::Error) -> u8 {
    let is_difference = error.is::<Difference>() || matches!(error.downcast_ref(), Some(WatchError::Difference(_)));
    if is_difference { 1 } else { 2 }
}

fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(dir) = &options.part_of {
        let day = Day::load(&options.data, options.traffic, options.minutes)?;
        return play::work(day, options, dir);
    }
    // Fail now rather than after the day.
    files::ensure_picture_writable(&options.out)?;
    let scratch = tempfile::tempdir().context("cannot make a folder for the answers")?;
    let dir = match &options.dir {
        Some(dir) => empty(dir)?,
        None => scratch.path(),
    };
    let day = Arc::new(Day::load(&options.data, options.traffic, options.minutes)?);

    let seen = play::supervise(&day, options, &dir.join("together"))?;
    report::print(out, &day, options, &seen)?;
    if options.kill {
        report::print_death(out, &day, &seen)?;
    }
    let written = files::write_picture(&options.out, picture::draw(&day, &seen.tally)?)?;
    let written: Vec<_> = written.iter().map(|file| file.display().to_string()).collect();
    writeln!(out, "The picture: {}", written.join(" and "))?;
    if !options.no_check {
        check(&day, options, dir, &seen, out)?;
    }
    Ok(())
}

/// A folder with nothing in it.
fn empty(dir: &Path) -> anyhow::Result<&Path> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let mut files = fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    ensure!(files.next().is_none(), "{} is not empty, and a day begins in an empty folder", dir.display());
    Ok(dir)
}

/// Plays the same day in one process, and compares all answers.
fn check(day: &Arc<Day>, options: &Options, dir: &Path, seen: &Watched, out: &mut dyn Write) -> anyhow::Result<()> {
    let alone = options.sole_holder();
    let alone = play::supervise(day, &alone, &dir.join("alone"))?;
    report::print_costs(out, &alone)?;
    if let Some(difference) = alone.tally.difference(&seen.tally) {
        bail!(difference);
    }
    report::print_equal(out, &alone)?;
    Ok(())
}
