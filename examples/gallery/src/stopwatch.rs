//! How long an operation takes, each time it is done.

use std::fmt;
use std::time::{Duration, Instant};

use crate::text::duration;

/// Adds up the times of one kind of work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch {
    total: Duration,
    longest: Duration,
    laps: u32,
}

impl Stopwatch {
    /// Does the work, and adds its time.
    pub fn time<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        let lap = start.elapsed();
        self.total += lap;
        self.longest = self.longest.max(lap);
        self.laps += 1;
        result
    }

    /// The time of all laps.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.total
    }

    /// The time of a lap on average; nothing before the first.
    #[must_use]
    pub fn mean(&self) -> Duration {
        self.total.checked_div(self.laps).unwrap_or_default()
    }

    /// How many times as long a lap of this takes as one of the other.
    #[must_use]
    pub fn ratio(&self, other: &Self) -> f64 {
        self.mean().as_secs_f64() / other.mean().as_secs_f64()
    }
}

impl fmt::Display for Stopwatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (longest {})", duration(self.mean()), duration(self.longest))
    }
}
