//! Runs mutations, several at a time, until a test notices.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::checkout::Binary;
use crate::report;
use crate::sources::Sources;
use crate::table::Row;
use crate::trial::{Outcome, Trial};

/// How long a test may take that is known to pass in no time; others get a multiple of their time on top.
const PATIENCE: Duration = Duration::from_secs(10);

/// The binary that holds a test, and what its name in there contains: the one place that knows how tests are run.
fn command_of(test: &str) -> (&str, String) {
    match test.split_once("::") {
        Some(("lib", test)) => ("lib", test.to_owned()),
        Some(_) => ("all", test.to_owned()),
        None => ("all", format!("{test}::")),
    }
}

/// Does something for each of many, several at a time, each with a folder of its own.
pub(crate) fn each<T: Sync>(
    target: &Path,
    workers: usize,
    all: &[T],
    one: impl Fn(&Path, &T) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let (next, one) = (&next, &one);
    thread::scope(|scope| {
        let work = |worker: usize| {
            let scratch = target.join(format!("scratch-{worker}"));
            while let Some(item) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                one(&scratch, item)?;
            }
            Ok(())
        };
        let workers: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
    })
}

/// Where the mutations run.
pub(crate) struct Laboratory<'a> {
    pub(crate) copy: &'a Path,
    pub(crate) target: &'a Path,
    pub(crate) binaries: &'a [Binary],
    pub(crate) sources: &'a Sources,
    /// How long the slowest test of a command takes without a mutation.
    pub(crate) durations: Mutex<BTreeMap<(String, String), Duration>>,
}

impl Laboratory<'_> {
    /// Runs all rows and counts those that were caught, that survived, and mistakes.
    pub(crate) fn experiment(&self, rows: &[&Row]) -> Result<[usize; 3], String> {
        let commands: BTreeSet<_> = rows.iter().map(|row| command_of(&row.test)).collect();
        let commands: Vec<_> = commands.into_iter().collect();
        let workers = thread::available_parallelism().map_or(1, usize::from);
        each(self.target, workers, &commands, |scratch, (name, filter)| {
            // Mistakes are reported with each row that names the test.
            drop(self.verify(scratch, name, filter));
            Ok(())
        })?;
        // Where the sources themselves are changed, nothing else may run.
        let (compiled, read): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_compiled);
        let counts = Mutex::new([0; 3]);
        let one = |scratch: &Path, row: &&Row| {
            let begin = Instant::now();
            let (outcome, kind) = match self.catch(scratch, row) {
                Ok(Some(test)) if test.starts_with(&row.test) => (test, 0),
                Ok(Some(test)) => (format!("{test} (not by {})", row.test), 0),
                Ok(None) => ("SURVIVED".to_owned(), 1),
                Err(why) => (format!("MISTAKE: {why}"), 2),
            };
            report(&row.id, &outcome, begin.elapsed());
            counts.lock().expect("no panic")[kind] += 1;
            Ok(())
        };
        each(self.target, workers, &compiled, one)?;
        let scratch = self.target.join("scratch");
        for row in read {
            let mut mutation = row.mutation(self.sources)?;
            let path = self.copy.join(&mutation.file);
            let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
            let mut mutated = text.clone();
            mutation.edits.sort_by_key(|(range, _)| usize::MAX - range.start);
            for (range, replacement) in mutation.edits {
                mutated.replace_range(range, &replacement);
            }
            fs::write(&path, mutated).map_err(|error| error.to_string())?;
            let done = one(&scratch, &row);
            fs::write(&path, text).map_err(|error| error.to_string())?;
            done?;
        }
        Ok(counts.into_inner().expect("no panic"))
    }

    /// The test that catches a mutation: of those that the row names, or else of all.
    fn catch(&self, scratch: &Path, row: &Row) -> Result<Option<String>, String> {
        let (name, filter) = command_of(&row.test);
        if let Some(test) = self.test(scratch, row, name, &filter)? {
            return Ok(Some(test));
        }
        for binary in self.binaries {
            if let Some(test) = self.test(scratch, row, &binary.name, "")? {
                return Ok(Some(test));
            }
        }
        Ok(None)
    }

    fn test(&self, scratch: &Path, row: &Row, name: &str, filter: &str) -> Result<Option<String>, String> {
        let limit = self.verify(scratch, name, filter)? * 10 + PATIENCE;
        let mutation = row.is_compiled.then_some(("MUTATION", row.id.as_str()));
        match self.trial(scratch, name, &[filter], limit)?.run(mutation) {
            Ok(Outcome::Passed(_)) => Ok(None),
            Ok(Outcome::Failed(test)) if name == "lib" => Ok(Some(format!("lib::{test}"))),
            Ok(Outcome::Failed(test)) => Ok(Some(test)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn trial<'a>(
        &'a self,
        scratch: &'a Path,
        name: &str,
        arguments: &'a [&'a str],
        limit: Duration,
    ) -> Result<Trial<'a>, String> {
        let binary = self.binaries.iter().find(|binary| binary.name == name);
        let binary = binary.ok_or_else(|| format!("no tests `{name}`"))?;
        Ok(Trial { binary, arguments, checkout: self.copy, scratch, limit })
    }

    /// Tests that fail without a mutation would notice nothing. Gives how long the slowest takes.
    fn verify(&self, scratch: &Path, name: &str, filter: &str) -> Result<Duration, String> {
        let key = (name.to_owned(), filter.to_owned());
        if let Some(&known) = self.durations.lock().expect("no panic").get(&key) {
            return Ok(known);
        }
        let slowest = match self.trial(scratch, name, &[filter], Duration::from_secs(600))?.run(None) {
            Ok(Outcome::Passed(Some(slowest))) => slowest,
            Ok(Outcome::Passed(None)) => return Err(format!("no tests `{name}` `{filter}`")),
            Ok(Outcome::Failed(test)) => return Err(format!("{name}::{test} fails without a mutation")),
            Err(error) => return Err(error.to_string()),
        };
        self.durations.lock().expect("no panic").insert(key, slowest);
        Ok(slowest)
    }
}
