//! A million objects of which all move, pairs and 1000 windows a tick: how many ticks a second by one index, one worker, and
//! several processes, for each way to feed them.
//!
//! ```sh
//! cargo run --release --example throughput -- --processes 2
//! ```

mod death;
#[allow(dead_code, reason = "another example shows more of it")]
#[path = "../borders/moving.rs"]
mod moving;
mod plain;
mod program;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use comfy_table::Table;
use quadrille_timely::Cluster;

use moving::{CROWDED, Moving, UNIFORM};
use program::{Measured, Mover};

/// Measures worlds of which all objects move.
#[derive(Clone, Debug, Parser)]
struct Options {
    /// How many objects.
    #[arg(long, default_value_t = 1_000_000)]
    objects: u64,
    /// How many ticks are measured, after three to warm up.
    #[arg(long, default_value_t = 40)]
    ticks: u64,
    /// How often each case is measured, in turn; medians are printed.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How many processes there are besides the cases with one.
    #[arg(long, default_value_t = 2)]
    processes: usize,
    /// How many workers each process has.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Only these ways to feed.
    #[arg(long, value_enum)]
    feed: Vec<Way>,
    /// Only worlds of this kind.
    #[arg(long)]
    crowded: Option<bool>,
    /// How many ticks may be under way at the same time.
    #[arg(long, default_value_t = 2)]
    in_flight: u64,
    /// Keeps the world in this directory.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// How many ticks there are between two snapshots.
    #[arg(long, default_value_t = 20)]
    every: u64,
    /// Kills a process of a kept local world, and prints how long it takes to the next new tick.
    #[arg(long, requires = "keep")]
    kill: bool,
    /// One case, by its number: run by the program itself.
    #[arg(long, hide = true)]
    case: Option<usize>,
}

/// Who moves the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Way {
    /// Nobody but a plain index.
    Plain,
    /// Each worker those in its cells.
    Local,
    /// Each worker those that began in its cells.
    Readers,
    /// Worker 0 all.
    Single,
    /// Each worker those with ids of its share, through a directory.
    Directory,
}

/// A case of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    crowded: bool,
    way: Way,
    processes: usize,
}

impl Case {
    fn moving(self) -> &'static Moving {
        if self.crowded { &CROWDED } else { &UNIFORM }
    }
}

fn main() {
    let options = Options::parse();
    let ways = if options.feed.is_empty() { Way::value_variants().to_vec() } else { options.feed.clone() };
    let mut cases = Vec::new();
    for crowded in [false, true].into_iter().filter(|kind| options.crowded.is_none_or(|only| only == *kind)) {
        for &way in &ways {
            cases.push(Case { crowded, way, processes: 1 });
            if way != Way::Plain {
                cases.push(Case { crowded, way, processes: options.processes });
            }
        }
    }
    if let Some(number) = options.case {
        return run_case(&options, number, cases[number], &PathBuf::new());
    }
    let mut all: BTreeMap<Case, Vec<Vec<Measured>>> = BTreeMap::new();
    for round in 0..options.rounds {
        for (number, &case) in cases.iter().enumerate() {
            let dir = std::env::temp_dir().join(format!("quadrille-throughput-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&dir);
            std::fs::create_dir_all(&dir).expect("a directory for the figures");
            let before = loopback();
            let began = Instant::now();
            run_case(&options, number, case, &dir);
            if options.kill {
                death::print(&dir);
            }
            let bytes = (loopback() - before) as f64 / (options.ticks + program::WARM) as f64;
            let mut measured = Measured::read(&dir);
            for worker in &mut measured {
                worker.bytes = bytes;
            }
            eprintln!("round {round}, {case:?}: {:.1} s", began.elapsed().as_secs_f64());
            // A killed process began anew, and its clock did not.
            if measured.len() == case.processes * options.threads || case.way == Way::Plain {
                all.entry(case).or_default().push(measured);
            }
            std::fs::remove_dir_all(&dir).expect("the directory is ours");
        }
    }
    print(&all);
}

/// Runs a case: in this process, or by starting it for several.
fn run_case(options: &Options, number: usize, case: Case, dir: &Path) {
    if case.way == Way::Plain {
        return plain::run(case.moving(), options).write(dir);
    }
    // A started process finds the directory in its environment.
    let dir = std::env::var_os(DIR).map_or_else(|| dir.to_owned(), PathBuf::from);
    let plan = program::world(options, case).in_flight(options.in_flight).expect("one tick or more");
    let mut cluster = Cluster::new(plan, case.processes).threads(options.threads);
    if let Some(keep) = &options.keep {
        let place = keep.join(format!("{case:?}").replace(|c: char| !c.is_alphanumeric(), "-"));
        if options.case.is_none() {
            // Of an earlier round: it would go on from there.
            let _ = std::fs::remove_dir_all(&place);
        }
        cluster = cluster.keep(place, options.every);
    }
    if options.kill && case.way == Way::Local && options.case.is_none() {
        cluster = cluster.tell(death::of_one(dir.clone()));
    }
    let place = dir.clone();
    let command = move |_| {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(std::env::args_os().skip(1)).arg(format!("--case={number}")).env(DIR, &place);
        command
    };
    let options = options.clone();
    let mover = move |worker| Mover::new(options.clone(), case, worker, dir.clone());
    if let Err(error) = cluster.command(command).run(mover) {
        panic!("{case:?}: {error}");
    }
}

const DIR: &str = "QUADRILLE_THROUGHPUT_DIR";

/// Bytes received over the loopback device so far.
fn loopback() -> u64 {
    let text = std::fs::read_to_string("/proc/net/dev").unwrap_or_default();
    let line = text.lines().find_map(|line| line.trim().strip_prefix("lo:"));
    line.and_then(|line| line.split_whitespace().next()).and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn print(all: &BTreeMap<Case, Vec<Vec<Measured>>>) {
    let mut table = Table::new();
    let heads = "world|feed|processes|ticks/s|of one|CPU ms a tick, fuller|of one|CPU ms a tick, all|bytes a tick|MiB a process|answers";
    table.set_header(heads.split('|'));
    for (case, rounds) in all {
        let speed = |rounds: &[Vec<Measured>]| median(rounds.iter().map(|round| round[0].ticks_a_second));
        let fuller = |rounds: &[Vec<Measured>]| {
            median(rounds.iter().map(|round| round.iter().map(|of| of.cpu_ms).fold(0.0, f64::max)))
        };
        // Each worker of a process has seen all of it.
        let of_all = |round: &Vec<Measured>| {
            round.iter().map(|of| of.process_ms).sum::<f64>() * case.processes as f64 / round.len() as f64
        };
        let one = &all[&Case { processes: 1, ..*case }];
        let last = rounds.last().expect("a round");
        let answers: std::collections::BTreeSet<u64> =
            rounds.iter().map(|round| round.iter().fold(0, |sum: u64, of| sum.wrapping_add(of.checksum))).collect();
        table.add_row([
            case.moving().name.to_string(),
            format!("{:?}", case.way),
            case.processes.to_string(),
            format!("{:.1}", speed(rounds)),
            format!("{:.2}", speed(rounds) / speed(one)),
            format!("{:.1}", fuller(rounds)),
            format!("{:.2}", fuller(rounds) / fuller(one)),
            format!("{:.1}", median(rounds.iter().map(of_all))),
            format!("{:.0}", median(rounds.iter().map(|round| round[0].bytes))),
            format!("{:.0}", last.iter().map(|of| of.mebibytes).fold(0.0, f64::max)),
            // All cases of a world must agree.
            answers.iter().map(|sum| format!("{sum:016x}")).collect::<Vec<_>>().join(" "),
        ]);
    }
    println!("{table}");
}
