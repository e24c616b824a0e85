//! A million objects of which all move, pairs and 1000 windows a tick: how many ticks a second by one index, one worker, and
//! several processes, for each way to feed them.
//!
//! ```sh
//! cargo run --release --example throughput -- --processes 2
//! ```

mod death;
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

use moving::Moving;
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
    /// One case, run by the program itself.
    #[arg(long, hide = true)]
    case: Option<String>,
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

fn main() {
    let options = Options::parse();
    if let Some(text) = &options.case {
        return run_case(&options, Case::from_text(text), &PathBuf::new());
    }
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
    let mut all: BTreeMap<Case, Vec<Vec<Measured>>> = BTreeMap::new();
    for round in 0..options.rounds {
        for &case in &cases {
            let dir = std::env::temp_dir().join(format!("quadrille-throughput-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&dir);
            std::fs::create_dir_all(&dir).expect("a directory for the figures");
            let before = loopback();
            let began = Instant::now();
            run_case(&options, case, &dir);
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
fn run_case(options: &Options, case: Case, dir: &Path) {
    let world = Moving { objects: options.objects, crowded: case.crowded };
    if case.way == Way::Plain {
        return plain::run(&world, options.ticks).write(dir);
    }
    // A started process finds the directory in its environment.
    let dir = std::env::var_os(DIR).map_or_else(|| dir.to_owned(), PathBuf::from);
    let plan = program::world(&world, case.way, case.processes * options.threads)
        .in_flight(options.in_flight)
        .expect("one tick or more");
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
    let noting = options.kill;
    let (arguments, ticks, place) = (case.arguments(options), options.ticks, dir.clone());
    let command = move |_| {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(&arguments).env(DIR, &place);
        command
    };
    let run =
        cluster.command(command).run(move |worker| Mover::new(world, case.way, worker, ticks, dir.clone(), noting));
    if let Err(error) = run {
        panic!("{case:?}: {error}");
    }
}

const DIR: &str = "QUADRILLE_THROUGHPUT_DIR";

impl Case {
    fn arguments(self, options: &Options) -> Vec<String> {
        let numbers = [("--objects", options.objects), ("--ticks", options.ticks), ("--in-flight", options.in_flight)];
        let mut arguments: Vec<String> =
            numbers.iter().flat_map(|(name, number)| [(*name).to_string(), number.to_string()]).collect();
        arguments.extend(["--threads".into(), options.threads.to_string()]);
        if options.kill {
            arguments.push("--kill".into());
        }
        if let Some(keep) = &options.keep {
            arguments.extend(["--keep".into(), keep.display().to_string()]);
            arguments.extend(["--every".into(), options.every.to_string()]);
        }
        let way = self.way.to_possible_value().expect("all ways have names");
        arguments.extend(["--case".into(), format!("{} {} {}", self.crowded, way.get_name(), self.processes)]);
        arguments
    }

    fn from_text(text: &str) -> Self {
        let words: Vec<&str> = text.split(' ').collect();
        let way = Way::from_str(words[1], false).expect("a way of this program");
        Self { crowded: words[0] == "true", way, processes: words[2].parse().expect("a number") }
    }
}

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
    let heads = [
        "world",
        "feed",
        "processes",
        "ticks/s",
        "of one",
        "CPU ms a tick, fuller",
        "of one",
        "CPU ms a tick, all",
        "bytes a tick",
        "MiB a process",
        "answers",
    ];
    table.set_header(heads);
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
            if case.crowded { "crowded" } else { "uniform" }.to_string(),
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
