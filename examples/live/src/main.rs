//! Serves a live map of a recorded day of air traffic on the loopback address.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use quadrille_airspace::clock::Minute;
use quadrille_airspace::data::{OUTLINES, Tables};
use quadrille_airspace::schedule::Schedule;
use quadrille_live::fleet::Fleet;
use quadrille_live::hub::{Command, Hub, Limits};
use quadrille_live::server;
use quadrille_live::sky::Sky;
use tokio::sync::{mpsc, oneshot};

/// Serves a live map of a recorded day of air traffic over the United States, on the loopback address: open the address that it
/// prints in a browser. One index holds everything; ten times a second all aircraft move, and every browser is sent what
/// enters, moves in and leaves its view.
///
/// It starts within a second with the recorded day, and within a few with a hundred times its traffic.
#[derive(Debug, Parser)]
#[command(name = "live")]
struct Options {
    /// The port; with 0, any that is free
    #[arg(long, value_name = "PORT", default_value_t = 4747)]
    port: u16,
    /// How often each recorded flight departs; copies differ a little in time and place. With 1 some 2 300 aircraft are in
    /// the air at once by day, with 43 some 100 000, with 100 some 230 000
    #[arg(long, value_name = "N", default_value_t = 43, value_parser = clap::value_parser!(u32).range(1..=200))]
    traffic: u32,
    /// The time of day to begin with; after midnight the day begins anew
    #[arg(long, value_name = "HH:MM", default_value = "13:00")]
    at: Minute,
    /// How many minutes of the day pass in a second, from 0.01 to 60
    #[arg(long, value_name = "MINUTES", default_value_t = 1.0, value_parser = speed)]
    speed: f64,
    /// How many views there may be at once
    #[arg(long, value_name = "N", default_value_t = 64)]
    views: usize,
    /// Of how many objects of a layer in a view each is shown; of more, only how many are where
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    listed: usize,
    /// Answer the questions of tests at /inspect: linear scans, a pause, times
    #[arg(long)]
    inspect: bool,
    /// The folder with regions.csv, outlines.bin, airports.csv and flights.csv
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../airspace/data/us-air"))]
    data: PathBuf,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.01..=60.0).contains(&speed) { Ok(speed) } else { Err("it is not between 0.01 and 60".to_owned()) }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("live: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    // First, so that a taken port is told at once.
    let (listener, address) = runtime.block_on(server::listen(options.port))?;
    let (commands, obeyed) = mpsc::channel(64);
    let (ready, started) = oneshot::channel();
    let writer = {
        let (folder, traffic, start) = (options.data.clone(), options.traffic, options.at);
        let minutes_a_tick = options.speed * quadrille_live::hub::TICK.as_secs_f64();
        let limits = Limits { views: options.views, listed: options.listed };
        std::thread::spawn(move || write(&folder, traffic, start, minutes_a_tick, limits, ready, obeyed))
    };
    let begun = Instant::now();
    if let Ok(airborne) = started.blocking_recv() {
        println!("{airborne} aircraft in the air at {}, after {:.1} s", options.at, begun.elapsed().as_secs_f64());
        println!("http://{address}");
        let outlines = std::fs::read(options.data.join(OUTLINES))?;
        let serving = server::serve(listener, commands, outlines, options.inspect);
        // The writer ends only if it fails; then nothing is served any more.
        let stopped = async {
            while !writer.is_finished() {
                tokio::time::sleep(quadrille_live::hub::TICK).await;
            }
        };
        runtime.block_on(async {
            tokio::select! { served = serving => served, () = stopped => Ok(()) }
        })?;
    }
    writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))?
}

/// Owns the index, in a thread of its own.
fn write(
    folder: &Path,
    traffic: u32,
    start: Minute,
    minutes_a_tick: f64,
    limits: Limits,
    ready: oneshot::Sender<usize>,
    commands: mpsc::Receiver<Command>,
) -> anyhow::Result<()> {
    let tables = Tables::load(folder)?;
    let schedule = Schedule::new(&tables, traffic);
    let mut sky = Sky::new(&tables, &schedule)?;
    let fleet = Fleet::new(&mut sky, start, minutes_a_tick)?;
    // Nobody may be waiting any more.
    let _ = ready.send(fleet.len());
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().context("cannot start a clock")?;
    runtime.block_on(Hub::new(sky, fleet, limits).run(commands))
}
