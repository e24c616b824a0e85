//! How far a program has come: a line that is written anew on a terminal, now and then another one where standard error is
//! redirected.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// No line follows another sooner: where it is written anew, and elsewhere.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];
/// Back to the beginning of a line, and empties it.
const EMPTIED: &str = "\r\x1b[K";

/// Shows on standard error how many of a number of steps are done.
#[derive(Debug)]
pub struct Progress {
    is_terminal: bool,
    begun: Instant,
    last: Instant,
    steps: u64,
    done: u64,
}

impl Progress {
    /// Begins, with so many steps to go.
    #[must_use]
    pub fn new(steps: usize) -> Self {
        let now = Instant::now();
        Self { is_terminal: std::io::stderr().is_terminal(), begun: now, last: now, steps: steps as u64, done: 0 }
    }

    /// One step more is done; the message says more about it.
    pub fn step(&mut self, message: impl FnOnce() -> String) {
        self.done += 1;
        if self.last.elapsed() < PAUSES[usize::from(!self.is_terminal)] || self.done == self.steps {
            return;
        }
        self.last = Instant::now();
        let left = left(self.begun.elapsed(), self.done, self.steps).as_secs();
        let line = format!("{:>3} %  {} ({left} s left)", self.done * 100 / self.steps, message());
        if self.is_terminal {
            eprint!("{EMPTIED}{line}");
        } else {
            eprintln!("{line}");
        }
    }

    /// Takes the line away.
    pub fn finish(&self) {
        if self.is_terminal {
            eprint!("{EMPTIED}");
        }
    }
}

/// How long the steps that are left take if they take as long as those before.
fn left(elapsed: Duration, done: u64, steps: u64) -> Duration {
    let [done, left] = [done, steps - done].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    elapsed * left / done.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_goes_on_at_the_same_pace() {
        assert_eq!(left(Duration::from_secs(10), 25, 100), Duration::from_secs(30));
        assert_eq!(left(Duration::from_secs(10), 100, 100), Duration::ZERO);
    }
}
