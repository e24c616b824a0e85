//! Runs the mutations that a mutation tool lists.

mod convert;
mod list;
mod options;
mod reach;
mod results;
mod survey;
mod syntax;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::assembly::{build, texts};
use crate::checkout::{self, Wanted};
use crate::laboratory::each;
use crate::mutation::Mutation;
use crate::{report, target};
use convert::{Converted, convert};
use options::Options;
use results::{CAUGHT, REFUSED, Results, SURVIVED, UNDECIDED, UNREACHED};
use survey::{Survey, Verdict};

/// Runs the mutations of a list that are asked for and that no earlier run has judged; 1 if one was not caught.
pub(crate) fn run(root: &Path, asked: &[String]) -> Result<u8, Box<dyn Error>> {
    let options = Options::parse(asked)?;
    let files = checkout::files(root)?;
    let Converted { mutations, lines, left_out } =
        convert(&list::parse(&fs::read_to_string(&options.list)?)?, &texts(&files))?;
    for (why, count) in &left_out {
        println!("{count} left out: {why}");
    }
    let results = Results::open(&options.results)?;
    let known = |id: &str| results.knows(id, options.patience.is_some());
    let is_open = |mutation: &Mutation| !known(&mutation.id);
    let lines: BTreeMap<_, _> = mutations.iter().map(|mutation| mutation.id.clone()).zip(lines).collect();
    let asked = options.chosen(mutations);
    let (open, judged): (Vec<_>, Vec<_>) = asked.iter().cloned().partition(is_open);
    println!("{} to run, {} judged before", open.len(), judged.len());
    let survived = if open.is_empty() { 0 } else { judge(&options, &files, &open, &lines, &results, root)? };
    print!("{}", results.summary(asked.iter().map(|mutation| mutation.id.as_str())));
    Ok(u8::from(survived > 0))
}

/// Builds the tests with these mutations, runs them, and counts those that are not caught.
fn judge(
    options: &Options,
    files: &BTreeMap<String, Vec<u8>>,
    mutations: &[Mutation],
    lines: &BTreeMap<String, usize>,
    results: &Results,
    root: &Path,
) -> Result<usize, Box<dyn Error>> {
    let begin = Instant::now();
    let target = target(root);
    let copy = target.join("checkout");
    let assembly = build(&[Wanted::Check, Wanted::Tests], mutations, files, &copy, &target)?;
    for (number, message) in &assembly.refused {
        results.add(REFUSED, &mutations[*number].id, message)?;
    }
    println!("{} do not compile; built in {:.0?}", assembly.refused.len(), begin.elapsed());
    let tests = reach::measure(&assembly.binaries, &copy, &target, options.workers)?;
    println!("{} tests measured after {:.0?}", tests.len(), begin.elapsed());
    let survey = Survey { checkout: &copy, tests: &tests, patience: options.patience };
    let compiled = mutations.iter().enumerate().filter(|(number, _)| !assembly.refused.contains_key(number));
    let compiled: Vec<_> = compiled.collect();
    let survived = std::sync::atomic::AtomicUsize::new(0);
    each(&target, options.workers, &compiled, |scratch, (number, mutation)| {
        let begin = Instant::now();
        let (verdict, test) = match survey.judge(scratch, &mutation.id, assembly.places[number])? {
            Verdict::Caught(test) => (CAUGHT, test),
            Verdict::Survived => (SURVIVED, String::new()),
            Verdict::Unreached => (UNREACHED, String::new()),
            Verdict::Undecided => (UNDECIDED, String::new()),
        };
        if verdict != CAUGHT {
            survived.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            report(&mutation.id, verdict, begin.elapsed());
        }
        let more = format!("line {}\t{test}\t{:.1} s", lines[&mutation.id], begin.elapsed().as_secs_f64());
        results.add(verdict, &mutation.id, &more).map_err(|error| error.to_string())
    })?;
    Ok(survived.into_inner())
}
