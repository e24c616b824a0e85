//! Runs the tests that reach a mutation, quick ones first, up to the first that fails.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::tool::reach::Test;
use crate::trial::{Outcome, Trial};

/// Tests that take no longer than this run before all others, then those of the next limit, and so on.
const CLASSES: [Duration; 3] = [Duration::from_millis(50), Duration::from_millis(500), Duration::from_secs(5)];

/// How many tests of a class one process runs.
const TOGETHER: [usize; CLASSES.len() + 1] = [128, 16, 2, 1];

/// A test may take some multiple of its time without a mutation, and a little on top; the machine may be busy.
const PATIENCE: (u32, Duration) = (8, Duration::from_secs(4));

/// The tests, and where they run.
pub(crate) struct Survey<'a> {
    pub(crate) checkout: &'a Path,
    pub(crate) tests: &'a [Test<'a>],
    /// No more tests are begun after so long.
    pub(crate) patience: Option<Duration>,
}

/// The verdict on a mutation.
#[derive(Debug)]
pub(crate) enum Verdict {
    Caught(String),
    Survived,
    /// No test reaches it.
    Unreached,
    /// Not all tests that reach it have been run.
    Undecided,
}

impl Survey<'_> {
    /// Runs the tests that reach a place, with the mutation of an id.
    pub(crate) fn judge(&self, scratch: &Path, id: &str, place: usize) -> Result<Verdict, String> {
        let mut tests: Vec<_> = self.tests.iter().filter(|test| test.reaches(place)).collect();
        tests.sort_by_key(|test| (class(test), test.binary.name != "lib", test.name.as_str()));
        let begin = Instant::now();
        let alike =
            |one: &&Test<'_>, other: &&Test<'_>| class(one) == class(other) && one.binary.path == other.binary.path;
        for group in tests.chunk_by(alike).flat_map(|tests| tests.chunks(TOGETHER[class(tests[0])])) {
            if self.patience.is_some_and(|patience| begin.elapsed() > patience) {
                return Ok(Verdict::Undecided);
            }
            if let Outcome::Failed(test) = self.run(scratch, id, group)? {
                return Ok(Verdict::Caught(test));
            }
        }
        Ok(if tests.is_empty() { Verdict::Unreached } else { Verdict::Survived })
    }

    fn run(&self, scratch: &Path, id: &str, group: &[&Test<'_>]) -> Result<Outcome, String> {
        let mut arguments: Vec<_> = group.iter().map(|test| test.name.as_str()).collect();
        arguments.push("--exact");
        let slowest = group.iter().map(|test| test.took).max().unwrap_or_default();
        let limit = slowest * PATIENCE.0 + PATIENCE.1;
        let trial = Trial { binary: group[0].binary, arguments: &arguments, checkout: self.checkout, scratch, limit };
        trial.run(Some(("MUTATION", id))).map_err(|error| error.to_string())
    }
}

fn class(test: &Test<'_>) -> usize {
    CLASSES.iter().filter(|limit| **limit < test.took).count()
}
