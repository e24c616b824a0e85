//! How far a program has come: a bar with an estimate on a terminal, now and then a plain line where standard error is
//! redirected.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// No plain line follows another sooner.
const BETWEEN_LINES: Duration = Duration::from_secs(5);

/// Shows on standard error how many of a number of steps are done.
#[derive(Debug)]
pub struct Progress {
    way: Way,
    steps: u64,
    done: u64,
}

#[derive(Debug)]
enum Way {
    Bar(ProgressBar),
    Lines { begun: Instant, last: Instant },
}

impl Progress {
    /// Begins, with so many steps to go.
    #[must_use]
    pub fn new(steps: usize) -> Self {
        let (steps, now) = (steps as u64, Instant::now());
        let way = if std::io::stderr().is_terminal() {
            Way::Bar(ProgressBar::new(steps).with_style(style()))
        } else {
            Way::Lines { begun: now, last: now }
        };
        Self { way, steps, done: 0 }
    }

    /// One step more is done; the message says more about it.
    pub fn step(&mut self, message: impl FnOnce() -> String) {
        self.done += 1;
        match &mut self.way {
            Way::Bar(bar) => {
                bar.set_message(message());
                bar.inc(1);
            }
            Way::Lines { begun, last } => {
                if last.elapsed() < BETWEEN_LINES || self.done == self.steps {
                    return;
                }
                *last = Instant::now();
                let left = left(begun.elapsed(), self.done, self.steps);
                eprintln!("{:>3} %  {} ({} s left)", self.done * 100 / self.steps, message(), left.as_secs());
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Way::Bar(bar) = &self.way {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{bar:24} {percent:>3} %  {wide_msg} ({eta} left)");
    style.expect("the template is well formed")
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
