//! The command line.

use std::path::PathBuf;

use clap::Parser;
use quadrille_airspace::clock::MINUTES_A_DAY;
use quadrille_gallery::files::svg_file;

/// Where the recorded day is.
pub(crate) const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/airspace/data/us-air");

/// Plays a day of recorded air traffic over several processes, each of which owns a part of the sky; prints encounters,
/// hand-overs between states and the busiest counties; draws who owned what; and plays the day once more in one process, to
/// see that all answers are the same.
#[derive(Clone, Debug, Parser)]
#[command(name = "sky")]
pub(crate) struct Options {
    /// How many processes share the sky
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count)]
    pub(crate) workers: usize,
    /// How many threads each process has, each with a part of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    pub(crate) threads: usize,
    /// How often each recorded flight departs; copies differ a little in time and place. With 100, two hundred thousand
    /// aircraft are in the air at once
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) traffic: u32,
    /// Play only this many minutes, around noon
    #[arg(long, value_name = "N", default_value_t = MINUTES_A_DAY,
        value_parser = clap::value_parser!(u16).range(2..=i64::from(MINUTES_A_DAY)))]
    pub(crate) minutes: u16,
    /// Kill a process at noon, and show how the others go on
    #[arg(long)]
    pub(crate) kill: bool,
    /// Keep a snapshot every so many minutes, and a log in between, so that a death costs no more than that; 50 with --kill,
    /// otherwise nothing is kept
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// The picture, an SVG; with the feature `png` a PNG of the same name is written beside it
    #[arg(long, value_name = "FILE", default_value = "sky.svg", value_parser = svg_file)]
    pub(crate) out: PathBuf,
    /// An empty folder for what is kept and answered; otherwise one that is removed at the end
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Do not play the day once more in one process
    #[arg(long)]
    pub(crate) no_check: bool,
    /// The folder with regions.csv, outlines.bin, airports.csv and flights.csv
    #[arg(long, value_name = "DIR", default_value = DATA)]
    pub(crate) data: PathBuf,
    /// For processes that this program starts: where they write.
    #[arg(long, hide = true)]
    pub(crate) part_of: Option<PathBuf>,
}

impl Options {
    /// The minutes between two snapshots, if anything is kept.
    pub(crate) fn every(&self) -> Option<u64> {
        self.every.or(self.kill.then_some(50))
    }

    /// The same day in one process that lives.
    pub(crate) fn sole_holder(&self) -> Self {
        Self { workers: 1, threads: 1, kill: false, every: None, ..self.clone() }
    }
}

/// A number from 1 to 64.
fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=64) => Ok(count),
        _ => Err("a number from 1 to 64 is wanted".into()),
    }
}
