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
mod table;
mod trouble;
mod verify;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use lexopt::{Arg, ValueExt};
use quadrille_airspace::{clock, data, flight, outlines, schedule};
use quadrille_gallery::files::{self, svg_file};
use quadrille_gallery::program::number;
use quadrille_gallery::{Progress, grouped};

use crate::clock::{MINUTES_A_DAY, Minute};
use crate::data::Tables;
use crate::replay::Replay;
use crate::schedule::Schedule;
use crate::snapshot::Snapshot;
use crate::verify::{Difference, Verifier};

const USAGE: &str = "\
Replays a day of recorded air traffic over the United States in one spatial index, prints what every
operation cost, and draws one moment of it.

Usage: airspace [OPTIONS]

Options:
      --data <DIR>     The folder with regions.csv, outlines.bin, airports.csv and flights.csv
                       [default: data/us-air of the package]
      --traffic <N>    How often each recorded flight departs, up to 1000; copies differ a little in
                       time and place. With 1 the day takes a few seconds, with 10 half a minute,
                       with 100 (two hundred thousand aircraft at once) some six minutes [default: 1]
      --at <HH:MM>     The moment to draw [default: 13:45]
      --out <FILE>     The picture, an SVG; with the feature `png` a PNG of the same name is written
                       beside it [default: target/airspace.svg]
      --verify         Compare every answer with a linear scan; exit with 1 at the first difference
  -h, --help           Print help
";

#[derive(Debug)]
struct Options {
    data: PathBuf,
    traffic: u32,
    at: Minute,
    out: PathBuf,
    verify: bool,
}

impl Options {
    /// Reads a command line; nothing if it asks for help.
    fn read(mut words: lexopt::Parser) -> Result<Option<Self>, lexopt::Error> {
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data/us-air").into();
        let at = Minute::wrapping(13 * 60 + 45);
        let mut options = Self { data, traffic: 1, at, out: "target/airspace.svg".into(), verify: false };
        while let Some(word) = words.next()? {
            match word {
                Arg::Long("data") => options.data = words.value()?.into(),
                Arg::Long("traffic") => options.traffic = words.value()?.parse_with(number(1..=1000))?,
                Arg::Long("at") => options.at = words.value()?.parse()?,
                Arg::Long("out") => options.out = words.value()?.parse_with(svg_file)?,
                Arg::Long("verify") => options.verify = true,
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                _ => return Err(word.unexpected()),
            }
        }
        Ok(Some(options))
    }
}

fn main() -> ExitCode {
    let done = match Options::read(lexopt::Parser::from_env()) {
        Ok(Some(options)) => run(&options, &mut std::io::stdout().lock()),
        Ok(None) => {
            print!("{USAGE}");
            Ok(())
        }
        Err(error) => Err(anyhow::anyhow!("{error}; see --help")),
    };
    match done {
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
    // Fail now rather than after the replay.
    files::ensure_picture_writable(&options.out)?;

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
        let written = files::write_picture(&options.out, picture::draw(&snapshot, &tables))?;
        let written: Vec<_> = written.iter().map(|file| file.display().to_string()).collect();
        writeln!(out, "\nThe sky at {}: {}", options.at, written.join(" and "))
            .context("cannot write to standard output")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
