//! Are the tests any good? Breaks invariants on purpose and looks whether a test notices: see `README.md`.

mod assembly;
mod blame;
mod checkout;
mod laboratory;
mod mutation;
mod random;
mod schemata;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod tool;
mod trial;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use assembly::{build, sources};
use checkout::Wanted;
use laboratory::Laboratory;
use table::Row;

const TABLE: &str = "tests/mutations/table.txt";
const USAGE: &str = "usage: quadrille-mutations all | <beginning of an id>...
    | --fuzz [all | <beginning of an id>...]
    | --tool LIST [--results FILE] [--shard K/N] [--workers N] [--patience SECONDS] [<beginning of a file>...]";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("a checkout")
}

fn main() -> ExitCode {
    let asked: Vec<_> = std::env::args().skip(1).collect();
    let done = match asked.first().map(String::as_str) {
        None | Some("--help") => Err(USAGE.into()),
        Some("--tool") => tool::run(&root(), &asked[1..]),
        Some("--fuzz") => random::run(&root(), &asked[1..]),
        _ => run(&root(), &asked),
    };
    done.map_or_else(
        |error| {
            eprintln!("{error}");
            ExitCode::from(2)
        },
        ExitCode::from,
    )
}

/// Runs the mutations whose ids begin as asked; 1 if one survived, 2 on mistakes.
fn run(root: &Path, asked: &[String]) -> Result<u8, Box<dyn Error>> {
    let begin = Instant::now();
    let rows = table::parse(&fs::read_to_string(root.join(TABLE))?)?;
    let is_asked = |row: &Row| asked.iter().any(|asked| asked == "all" || row.id.starts_with(asked.as_str()));
    if !rows.iter().any(is_asked) {
        return Err(format!("no such mutation: {}", asked.join(" ")).into());
    }
    let target = target(root);
    let copy = target.join("checkout");
    let files = checkout::files(root)?;
    let sources = sources(&files)?;
    let (mutations, mut mistakes) = table::mutations(&rows, &sources);
    let assembly = build(&[Wanted::Tests], &mutations, &files, &copy, &target)?;
    mistakes.extend(assembly.refused);
    report_mistakes(&rows, &mistakes);
    let built = begin.elapsed();
    let asked: Vec<_> = rows.iter().enumerate().filter(|(_, row)| is_asked(row)).collect();
    let asked: Vec<_> =
        asked.into_iter().filter(|(number, _)| !mistakes.contains_key(number)).map(|(_, row)| row).collect();
    let laboratory = Laboratory {
        copy: &copy,
        target: &target,
        binaries: &assembly.binaries,
        sources: &sources,
        durations: Mutex::default(),
    };
    let [caught, survived, wrong] = laboratory.experiment(&asked)?;
    let ran = begin.elapsed().checked_sub(built).unwrap_or_default();
    let mistakes = mistakes.len() + wrong;
    println!("{caught} caught, {survived} survived, {mistakes} mistakes; built in {built:.0?}, ran in {ran:.0?}");
    Ok(if mistakes > 0 { 2 } else { u8::from(survived > 0) })
}

/// Names the rows that do not apply or do not compile.
fn report_mistakes(rows: &[Row], mistakes: &BTreeMap<usize, String>) {
    for (number, why) in mistakes {
        report(&rows[*number].id, "DOES NOT APPLY OR COMPILE", Duration::ZERO);
        println!("    {why}");
    }
}

/// Where the copy and what is built of it go.
fn target(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |path| root.join(path));
    target.join("mutations")
}

fn report(id: &str, outcome: &str, took: Duration) {
    println!("{id:<45} {outcome:<70} {:.1}", took.as_secs_f64());
}
