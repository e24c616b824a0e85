//! The same seeded work on quadrille and on other spatial indexes, in one process, every answer checked.
//!
//! Modules in reading order: the data and the names of workloads, the referees, the contenders, then how they are
//! measured and what is reported.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded for people, and coordinates are on a lattice")]
#![expect(clippy::cast_sign_loss, reason = "negative coordinates saturate at the first cell, as they should")]

mod data;
mod exact;
mod workload;
mod check;
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

use contender::{Contender, Roster};
use data::{Distribution, Form, Scene, Shape};
use plan::{Plan, Table};
use run::Run;
use workload::Workload;

/// Measures quadrille and other spatial indexes side by side.
#[derive(Debug, Parser)]
#[command(name = "quadrille-peers", about)]
struct Arguments {
    /// How many objects; may be given several times [default: 100000 and 1000000]
    #[arg(long = "n", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    numbers: Vec<u32>,
    /// Where objects are; may be given several times [default: uniform and clustered]
    #[arg(long = "distribution", value_enum)]
    distributions: Vec<Distribution>,
    /// What to measure; may be given several times [default: everything]
    #[arg(long = "workload", value_name = "NAME")]
    workloads: Vec<Workload>,
    /// What objects are; may be given several times [default: both]
    #[arg(long = "shape", value_enum)]
    forms: Vec<Form>,
    /// Only these contenders, and quadrille; may be given several times
    #[arg(long = "contender", value_name = "NAME")]
    contenders: Vec<String>,
    /// How often each contender does each workload [default: 5, with --quick 3]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// 100000 objects and fewer rounds: minutes instead of an hour
    #[arg(long)]
    quick: bool,
    /// Writes all figures to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Lists workloads and contenders, and measures nothing
    #[arg(long)]
    list: bool,
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

/// What is asked for on the command line, with the defaults filled in.
struct Order {
    plan: Plan,
    numbers: Vec<usize>,
    distributions: Vec<Distribution>,
    forms: Vec<Form>,
    contenders: Vec<String>,
}

fn or_default<T: Clone>(given: &[T], default: &[T]) -> Vec<T> {
    if given.is_empty() { default.to_vec() } else { given.to_vec() }
}

impl Order {
    fn new(arguments: &Arguments) -> Self {
        let numbers: &[u32] = if arguments.quick { &[100_000] } else { &[100_000, 1_000_000] };
        let rounds = arguments.rounds.map_or(if arguments.quick { 3 } else { 5 }, usize::from);
        let budget = if arguments.quick { 0.15 } else { 0.6 };
        Self {
            plan: Plan { workloads: or_default(&arguments.workloads, &Workload::ALL), rounds, queries: 10_000, budget },
            numbers: or_default(&arguments.numbers, numbers).into_iter().map(|n| n as usize).collect(),
            distributions: or_default(&arguments.distributions, &[Distribution::Uniform, Distribution::Clustered]),
            forms: or_default(&arguments.forms, &[Form::Point, Form::Rect]),
            contenders: arguments.contenders.clone(),
        }
    }

    fn check(&self) -> Result<(), Failure> {
        let roster = contenders::roster();
        let known = |name: &String| [Form::Point, Form::Rect].iter().any(|&form| roster.names(form).contains(&&**name));
        match self.contenders.iter().find(|name| !known(name)) {
            Some(name) => Err(Failure::NoSuchContender(name.clone())),
            None => Ok(()),
        }
    }

    /// How many tables there will be.
    fn len(&self) -> usize {
        let tables = |form: &Form| self.plan.workloads.iter().filter(|workload| workload.suits(*form)).count();
        self.numbers.len() * self.distributions.len() * self.forms.iter().map(tables).sum::<usize>()
    }

    fn chosen<P: Shape>(&self, contenders: Vec<Contender<P>>) -> Vec<Contender<P>> {
        let chosen = |contender: &Contender<P>| {
            self.contenders.is_empty()
                || contender.name == "quadrille"
                || self.contenders.iter().any(|name| name == contender.name)
        };
        contenders.into_iter().filter(chosen).collect()
    }

    fn scene(&self, form: Form, distribution: Distribution, n: usize, progress: &ProgressBar) -> Vec<Table> {
        let Roster { points, rects } = contenders::roster();
        match form {
            Form::Point => Run::all(&self.plan, &Scene::new(distribution, n), self.chosen(points), progress),
            Form::Rect => Run::all(&self.plan, &Scene::new(distribution, n), self.chosen(rects), progress),
        }
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

/// What is wrong, without the usage that follows.
fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned()
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.list {
        return Ok(list(&mut io::stdout().lock())?);
    }
    let order = Order::new(arguments);
    order.check()?;
    // Opened first: an hour's figures must not be lost to a wrong path.
    let json = arguments.json.as_ref().map(create).transpose()?;
    measure::quiet_guarded_panics();
    let tables = measure_all(&order)?;
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
    let roster = contenders::roster();
    writeln!(out, "workloads: {}", Workload::ALL.map(|workload| workload.to_string()).join(", "))?;
    for form in [Form::Point, Form::Rect] {
        writeln!(out, "contenders for {}s: {}", form.name(), roster.names(form).join(", "))?;
    }
    Ok(())
}

fn measure_all(order: &Order) -> Result<Vec<Table>, Failure> {
    let progress = progress(order.len() as u64);
    let start = Instant::now();
    let mut tables = Vec::new();
    for &n in &order.numbers {
        for &distribution in &order.distributions {
            for &form in &order.forms {
                let start = Instant::now();
                let scene = order.scene(form, distribution, n, &progress);
                progress.suspend(|| print(&scene, start.elapsed()))?;
                tables.extend(scene);
            }
        }
    }
    progress.finish_and_clear();
    let mut out = io::stdout().lock();
    writeln!(out, "{}", report::summary(&tables))?;
    writeln!(out, "All in {}.", seconds(start.elapsed()))?;
    Ok(tables)
}

fn print(tables: &[Table], took: Duration) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for table in tables {
        writeln!(out, "{}", report::workload(table))?;
    }
    if let Some(Table { form, distribution, n, .. }) = tables.first() {
        writeln!(out, "{n} {} {}s took {}.\n", distribution.name(), form.name(), seconds(took))?;
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
