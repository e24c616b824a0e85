//! How long each test takes, and which places with mutations it reaches.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::checkout::Binary;
use crate::laboratory::each;
use crate::trial::{Outcome, Trial};

/// How long a test may take without a mutation.
const LIMIT: Duration = Duration::from_secs(600);

/// A test that passes without a mutation.
#[derive(Debug)]
pub(crate) struct Test<'a> {
    pub(crate) binary: &'a Binary,
    pub(crate) name: String,
    pub(crate) took: Duration,
    /// The numbers by which the places ask; none if that is not known.
    reached: Option<BTreeSet<usize>>,
}

impl Test<'_> {
    pub(crate) fn reaches(&self, place: usize) -> bool {
        self.reached.as_ref().is_none_or(|reached| reached.contains(&place))
    }
}

/// Runs each test on its own, and notes what it reaches. Says which fail without a mutation, and leaves these out.
pub(crate) fn measure<'a>(
    binaries: &'a [Binary],
    checkout: &Path,
    target: &Path,
    workers: usize,
) -> Result<Vec<Test<'a>>, String> {
    let mut names = Vec::new();
    for binary in binaries {
        names.extend(list(binary)?.into_iter().map(|name| (binary, name)));
    }
    let tests = Mutex::new(Vec::new());
    each(target, workers, &names, |scratch, (binary, name)| {
        let note = scratch.join("reached");
        drop(fs::remove_file(&note));
        let arguments = [name.as_str(), "--exact"];
        let trial = Trial { binary, arguments: &arguments, checkout, scratch, limit: LIMIT };
        let begin = Instant::now();
        let noting = Some(("MUTATION_REACHED", note.to_str().ok_or("a path that is no text")?));
        let reached = match trial.run(noting).map_err(|error| error.to_string())? {
            Outcome::Passed(_) => Some(numbers(&note)),
            // Perhaps it is the notes that it does not bear.
            Outcome::Failed(_) => match trial.run(None).map_err(|error| error.to_string())? {
                Outcome::Passed(_) => None,
                Outcome::Failed(test) => {
                    println!("{test} fails without a mutation");
                    return Ok(());
                }
            },
        };
        let test = Test { binary, name: name.clone(), took: begin.elapsed(), reached };
        tests.lock().expect("no panic").push(test);
        Ok(())
    })?;
    Ok(tests.into_inner().expect("no panic"))
}

/// The names of the tests of a binary.
fn list(binary: &Binary) -> Result<Vec<String>, String> {
    let listed = Command::new(&binary.path).args(["--list", "--format", "terse"]).output();
    let listed = listed.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// The numbers in a note. There is none if nothing was reached.
fn numbers(note: &Path) -> BTreeSet<usize> {
    let text = fs::read_to_string(note).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}
