//! The same seeded work on quadrille and on other spatial indexes, in one process, every answer checked.
//!
//! Modules in reading order: the data and the names of workloads, the referees, the contenders, then how they are
//! measured and reported.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded for people, and coordinates are on a lattice")]
#![expect(clippy::cast_sign_loss, reason = "negative coordinates saturate at the first cell, as they should")]

mod data;
mod exact;
mod places;
mod workload;
mod check;
mod scene;
mod nearby;
mod rays;
mod couples;
mod index;
mod question;
mod contender;
mod contenders;
mod measure;
mod memory;
mod plan;
mod task;
mod cliffs;
mod order;
mod competitor;
mod run;
mod report;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use contender::Roster;
use data::{Form, Scalar, Space};
use order::Order;
use places::Distribution;
use plan::{Plan, Table};
use run::Run;
use scene::Scene;
use task::Task;
use workload::Workload;

/// Measures quadrille and other spatial indexes side by side.
#[derive(Debug, Parser)]
#[command(name = "quadrille-peers", about)]
struct Arguments {
    /// How many objects; may be given several times [default: 100000 and 1000000]
    #[arg(long = "n", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    numbers: Vec<u32>,
    /// Scalar and dimension; may be given several times [default: all, but only the main workloads beside 2d]
    #[arg(long = "space", value_enum)]
    spaces: Vec<Space>,
    /// Where objects are; may be given several times [default: uniform, and in 2d clustered]
    #[arg(long = "distribution", value_enum)]
    distributions: Vec<Distribution>,
    /// A workload to measure; may be given several times [default: all usual ones]
    #[arg(long = "workload", value_name = "NAME")]
    workloads: Vec<Workload>,
    /// Points or rectangles; may be given several times [default: both]
    #[arg(long = "shape", value_enum)]
    forms: Vec<Form>,
    /// Only these contenders, and quadrille; may be given several times
    #[arg(long = "contender", value_name = "NAME")]
    contenders: Vec<String>,
    /// How often each contender does each workload [default: 5, with --quick 3]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// 100000 objects and fewer rounds: minutes instead of most of an hour
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    special: Special,
    /// Writes all figures to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Lists workloads and contenders, and measures nothing
    #[arg(long)]
    list: bool,
}

/// Other tasks than the usual ones.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct Special {
    /// Data and questions that are hard for one index or another, instead of the usual ones
    #[arg(long, conflicts_with_all = ["spaces", "distributions", "workloads", "forms"])]
    cliffs: bool,
    /// How times and bytes grow from 1000 to 4000000 objects
    #[arg(long, conflicts_with_all = ["spaces", "distributions", "workloads", "forms"])]
    growth: bool,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Arguments(String),
    #[error("no contender is called {0:?}; --list names them")]
    NoSuchContender(String),
    #[error("cannot write {path:?}: {source}")]
    Json { path: PathBuf, source: io::Error },
    #[error("cannot print: {0}")]
    Print(#[from] io::Error),
}

fn or_default<T: Clone>(given: &[T], default: &[T]) -> Vec<T> {
    if given.is_empty() { default.to_vec() } else { given.to_vec() }
}

/// The order on the command line, with the defaults filled in.
fn order(arguments: &Arguments) -> Order {
    let rounds = arguments.rounds.map_or(if arguments.quick { 3 } else { 5 }, usize::from);
    let budget = if arguments.quick { 0.08 } else { 0.4 };
    let plan = Plan { workloads: Vec::new(), rounds, queries: 10_000, budget };
    let given: Vec<usize> = arguments.numbers.iter().map(|&n| n as usize).collect();
    let contenders = arguments.contenders.clone();
    if arguments.special.cliffs {
        return order::cliffs(plan, &or_default(&given, &[100_000]), &contenders);
    }
    if arguments.special.growth {
        return order::growth(plan, &given, &contenders);
    }
    let numbers: &[usize] = if arguments.quick { &[100_000] } else { &[100_000, 1_000_000] };
    let tasks = Order::tasks(
        &or_default(&arguments.spaces, &Space::ALL),
        &or_default(&given, numbers),
        &arguments.distributions,
        &or_default(&arguments.forms, &[Form::Point, Form::Rect]),
        &arguments.workloads,
    );
    Order { plan, tasks, contenders, unusual: false }
}

/// The names of all contenders of a space and a form.
fn names(space: Space, form: Form) -> Vec<&'static str> {
    match space {
        Space::Plane => contenders::plane().names(form),
        Space::Solid => contenders::solid().names(form),
        Space::Double => contenders::double().names(form),
    }
}

fn check(order: &Order) -> Result<(), Failure> {
    let of_space = |space| [Form::Point, Form::Rect].into_iter().flat_map(move |form| names(space, form));
    let known = |name: &String| Space::ALL.into_iter().flat_map(of_space).any(|known| known == name);
    match order.contenders.iter().find(|name| !known(name)) {
        Some(name) => Err(Failure::NoSuchContender(name.clone())),
        None => Ok(()),
    }
}

fn measure(order: &Order, task: &Task, progress: &ProgressBar) -> Vec<Table> {
    match task.space {
        Space::Plane => measure_in(order, task, contenders::plane(), progress),
        Space::Solid => measure_in(order, task, contenders::solid(), progress),
        Space::Double => measure_in(order, task, contenders::double(), progress),
    }
}

fn measure_in<S: Scalar, const D: usize>(
    order: &Order,
    task: &Task,
    roster: Roster<S, D>,
    progress: &ProgressBar,
) -> Vec<Table> {
    let plan = Plan { workloads: task.workloads.clone(), ..order.plan };
    let (distribution, n) = (task.distribution, task.n);
    match task.form {
        Form::Point => Run::all(&plan, &Scene::new(distribution, n), order.chosen(task, roster.points), progress),
        Form::Rect => Run::all(&plan, &Scene::new(distribution, n), order.chosen(task, roster.rects), progress),
    }
}

fn main() -> ExitCode {
    let result = match Arguments::try_parse() {
        // Help is no error, and prints itself.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => Err(Failure::Arguments(one_line(&error))),
        Ok(arguments) => run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(2)
        }
    }
}

/// The message of an error, without the usage that follows.
fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned()
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.list {
        return Ok(list(&mut io::stdout().lock())?);
    }
    let order = order(arguments);
    check(&order)?;
    // Opened first: an hour's figures must not be lost to a wrong path.
    let json = arguments.json.as_ref().map(create).transpose()?;
    measure::quiet_guarded_panics();
    let tables = measure_all(&order, arguments.special.cliffs)?;
    if let Some((path, file)) = json {
        write_json(file, &tables).map_err(|source| Failure::Json { path, source })?;
    }
    Ok(())
}

fn create(path: &PathBuf) -> Result<(PathBuf, File), Failure> {
    let file = File::create(path).map_err(|source| Failure::Json { path: path.clone(), source })?;
    Ok((path.clone(), file))
}

fn write_json(file: File, tables: &[Table]) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    serde_json::to_writer_pretty(&mut file, &report::rows(tables))?;
    writeln!(file)?;
    file.flush()
}

fn list(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "workloads: {}", Workload::ALL.map(|workload| workload.to_string()).join(", "))?;
    for space in Space::ALL {
        for form in [Form::Point, Form::Rect] {
            writeln!(out, "contenders for {}s, {}: {}", form.name(), space.name(), names(space, form).join(", "))?;
        }
    }
    Ok(())
}

fn measure_all(order: &Order, cliffs: bool) -> Result<Vec<Table>, Failure> {
    let progress = progress(order.len() as u64);
    let start = Instant::now();
    let mut tables = Vec::new();
    for task in &order.tasks {
        let start = Instant::now();
        let scene = measure(order, task, &progress);
        progress.suspend(|| print(&scene, start.elapsed()))?;
        tables.extend(scene);
    }
    progress.finish_and_clear();
    let mut out = io::stdout().lock();
    writeln!(out, "{}", if cliffs { report::cliffs(&tables) } else { report::summary(&tables) })?;
    writeln!(out, "All in {}.", seconds(start.elapsed()))?;
    Ok(tables)
}

fn print(tables: &[Table], took: Duration) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for table in tables {
        writeln!(out, "{}", report::workload(table))?;
    }
    if let Some(Table { space, form, distribution, n, .. }) = tables.first() {
        let (form, space) = (form.name(), space.name());
        writeln!(out, "{n} {} {form}s in {space} took {}.\n", distribution.name(), seconds(took))?;
    }
    out.flush()
}

fn seconds(time: Duration) -> String {
    format!("{:.0} s", time.as_secs_f64())
}

/// A bar on a terminal, nothing elsewhere. It is drawn between measurements only, by the thread that measures.
fn progress(steps: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}");
    ProgressBar::new(steps).with_style(style.expect("the template is valid"))
}

#[cfg(test)]
mod tests;
