//! Runs a test binary up to the first test that fails.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::checkout::Binary;

/// Where proptest keeps failures, below the folder of the tests: each run begins with those of the checkout.
const FAILURES: &str = "all/proptest-regressions.txt";

#[derive(Debug)]
pub(crate) enum Outcome {
    /// All tests passed; the slowest took so long. None if there are none.
    Passed(Option<Duration>),
    /// This test failed, or did not end.
    Failed(String),
}

/// The tests to run, and where.
#[derive(Clone, Copy)]
pub(crate) struct Trial<'a> {
    pub(crate) binary: &'a Binary,
    /// Parts of the names of the tests, and options.
    pub(crate) arguments: &'a [&'a str],
    pub(crate) checkout: &'a Path,
    /// A folder of its own, as tests may write.
    pub(crate) scratch: &'a Path,
    /// How long one test may take.
    pub(crate) limit: Duration,
}

impl Trial<'_> {
    /// Runs the tests, with a variable that chooses a mutation or without.
    pub(crate) fn run(&self, variable: Option<(&str, &str)>) -> io::Result<Outcome> {
        fs::create_dir_all(self.scratch.join("all"))?;
        fs::write(
            self.scratch.join(FAILURES),
            fs::read(self.checkout.join("tests").join(FAILURES)).unwrap_or_default(),
        )?;
        // A mutation may ask for memory without end.
        let mut command = Command::new("sh");
        command.args(["-c", r#"ulimit -v 8000000; exec "$0" "$@""#]).arg(&self.binary.path);
        command.args(self.arguments).arg("--test-threads=1").current_dir(self.scratch);
        command
            .env("RUST_BACKTRACE", "0")
            .env("PROPTEST_MAX_SHRINK_ITERS", "0")
            .env_remove("MUTATION")
            .env_remove("MUTATION_REACHED");
        // The same cases each time, unless others are asked for.
        command.env("PROPTEST_RNG_SEED", std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| "1".to_owned()));
        if let Some((name, value)) = variable {
            command.env(name, value);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let outcome = self.follow(&mut child);
        // Perhaps it has ended.
        let _ = child.kill();
        let status = child.wait()?;
        Ok(match outcome {
            Progress::Ended { slowest, .. } if status.success() => Outcome::Passed(slowest),
            Progress::Ended { test, .. } => Outcome::Failed(format!("{test} (aborted)")),
            Progress::Failed(test) => Outcome::Failed(test),
            Progress::Hangs(test) => Outcome::Failed(format!("{test} (hangs)")),
        })
    }

    /// Reads what the tests print, up to the first failure.
    fn follow(&self, child: &mut Child) -> Progress {
        let mut printed = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, receiver) = channel();
        thread::spawn(move || {
            // Pieces end with a word, as the name of a test is printed before it runs.
            let mut piece = Vec::new();
            while matches!(read_word(&mut printed, &mut piece), Ok(1..)) {
                let word = String::from_utf8_lossy(&piece).trim().to_owned();
                if sender.send(word).is_err() {
                    break;
                }
                piece.clear();
            }
        });
        let mut begin = Instant::now();
        let (mut slowest, mut test, mut last) = (None, String::new(), String::new());
        loop {
            let word = match receiver.recv_timeout(self.limit.saturating_sub(begin.elapsed())) {
                Ok(word) => word,
                Err(RecvTimeoutError::Timeout) => return Progress::Hangs(test),
                Err(RecvTimeoutError::Disconnected) => return Progress::Ended { slowest, test },
            };
            match word.as_str() {
                "FAILED" if last == "..." => return Progress::Failed(test),
                "ok" if last == "..." => slowest = slowest.max(Some(begin.elapsed())),
                _ if last == "test" => (test, begin) = (word.clone(), Instant::now()),
                _ => {}
            }
            last = word;
        }
    }
}

enum Progress {
    Ended { slowest: Option<Duration>, test: String },
    Failed(String),
    Hangs(String),
}

/// Reads up to the next blank or end of a line.
fn read_word(from: &mut impl BufRead, word: &mut Vec<u8>) -> io::Result<usize> {
    for byte in from.by_ref().bytes() {
        let byte = byte?;
        word.push(byte);
        if byte.is_ascii_whitespace() {
            break;
        }
    }
    Ok(word.len())
}
