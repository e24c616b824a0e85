//! Whole programs on quadrille and on other indexes: each tick does all of the work, and every answer is compared.
//!
//! Modules in reading order: the data, how contenders are measured, the programs, then how they are reported.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded for people, and coordinates are on a lattice")]
#![expect(clippy::cast_sign_loss, reason = "coordinates are not negative")]
#![expect(clippy::needless_for_each, reason = "these iterators are faster inside")]
#![expect(clippy::needless_range_loop, reason = "an axis is an axis of several points")]
#![expect(clippy::similar_names, reason = "moves and moved, sides and sizes")]

mod places;
mod measure;
mod cells;
mod flock;
mod fluid;
mod broad_phase;
mod arena;
mod server;
mod map;
mod report;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use measure::{Plan, Row, Scene, Threads};

/// Measures whole programs on quadrille and on other indexes.
#[derive(Debug, Parser)]
#[command(name = "quadrille-programs", about)]
struct Arguments {
    /// Only programs whose names begin so; may be given several times
    #[arg(long = "program", value_name = "NAME")]
    programs: Vec<String>,
    /// Only with so many objects; may be given several times [default: 10000 to 1000000, as it makes sense]
    #[arg(long = "n", value_name = "N", value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    numbers: Vec<u32>,
    /// How many turns each contender has
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Small worlds, to compare answers
    #[arg(long, conflicts_with_all = ["numbers", "rounds"])]
    verify: bool,
    /// Writes all figures to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes them as a table
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

struct Program {
    name: &'static str,
    numbers: &'static [usize],
    run: fn(&Scene, Plan) -> Vec<Row>,
}

const fn program(name: &'static str, numbers: &'static [usize], run: fn(&Scene, Plan) -> Vec<Row>) -> Program {
    Program { name, numbers, run }
}

const PROGRAMS: [Program; 10] = [
    program("flock", &[10_000, 100_000, 1_000_000], flock::run),
    program(fluid::PROGRAMS[0].0, &[100_000], fluid::run),
    program(fluid::PROGRAMS[1].0, &[100_000], fluid::run),
    program(fluid::PROGRAMS[2].0, &[100_000], fluid::run),
    program(broad_phase::PROGRAMS[0], &[10_000, 100_000, 1_000_000], broad_phase::run),
    program(broad_phase::PROGRAMS[1], &[10_000, 100_000], broad_phase::run),
    program(broad_phase::PROGRAMS[2], &[10_000, 100_000], broad_phase::run),
    program("arena", &[10_000, 100_000], arena::run),
    program("server", &[10_000, 100_000], server::run),
    program("map", &[100_000, 1_000_000], map::run),
];

/// Runs the programs, and prints each as soon as it is measured.
fn run(arguments: &Arguments) -> Vec<Row> {
    let mut rows = Vec::new();
    let given: Vec<usize> =
        if arguments.verify { vec![600] } else { arguments.numbers.iter().map(|&n| n as usize).collect() };
    let is_wanted =
        |name: &str| arguments.programs.is_empty() || arguments.programs.iter().any(|wanted| name.starts_with(wanted));
    for program in PROGRAMS.iter().filter(|program| is_wanted(program.name)) {
        for &objects in if given.is_empty() { program.numbers } else { &given } {
            for distribution in places::DISTRIBUTIONS {
                let scene = Scene { program: program.name, objects, distribution };
                let mut of_scene = Vec::new();
                // With one core, one kind of time.
                let kinds = [Threads::One, Threads::All].into_iter().take(rayon::current_num_threads());
                for threads in kinds {
                    let rounds = if arguments.verify { 1 } else { usize::from(arguments.rounds) };
                    // Ticks that take long are few.
                    let ticks = if objects < 1_000_000 { 3 } else { 1 };
                    of_scene.extend((program.run)(&scene, Plan { threads, rounds, ticks }));
                }
                if !arguments.verify && !of_scene.is_empty() {
                    println!("{}", report::table(&of_scene));
                }
                rows.extend(of_scene);
            }
        }
    }
    rows
}

fn write(arguments: &Arguments, rows: &[Row]) -> Result<(), Box<dyn std::error::Error>> {
    let machine = report::Machine::here();
    if let Some(path) = &arguments.json {
        fs::write(path, serde_json::to_string_pretty(&report::Report { machine: &machine, rows })?)?;
    }
    if let Some(path) = &arguments.csv {
        fs::write(path, report::csv(&machine, rows))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let start = Instant::now();
    println!("{}\n", report::Machine::here());
    let rows = run(&arguments);
    if !arguments.verify {
        println!("{}", report::summary(&rows));
    }
    println!("All in {:.0} s.", start.elapsed().as_secs_f64());
    if let Err(error) = write(&arguments, &rows) {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    if rows.iter().all(|row| row.is_right) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_contenders_find_the_same() {
        let arguments = Arguments::parse_from(["quadrille-programs", "--verify"]);
        let wrong: Vec<Row> = run(&arguments).into_iter().filter(|row| !row.is_right).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
