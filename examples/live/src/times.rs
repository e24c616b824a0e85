//! How long ticks and queries take.

use std::time::Duration;

/// How many durations are remembered: ten minutes of ticks.
const REMEMBERED: usize = 6000;

/// A duration in microseconds.
#[must_use]
pub fn micros(time: Duration) -> f32 {
    time.as_secs_f32() * 1e6
}

/// The last durations of one kind of work.
#[derive(Clone, Debug, Default)]
pub struct Times {
    last: Vec<f32>,
    next: usize,
}

impl Times {
    /// Adds a duration; the oldest is forgotten.
    pub fn push(&mut self, time: Duration) {
        let micros = micros(time);
        if self.last.len() < REMEMBERED {
            self.last.push(micros);
        } else {
            self.last[self.next] = micros;
        }
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// The last duration, in microseconds.
    #[must_use]
    pub fn last(&self) -> f32 {
        let place = self.next.checked_sub(1).unwrap_or(REMEMBERED - 1);
        self.last.get(place).copied().unwrap_or_default()
    }

    /// The median, the 99th of a hundred, and the longest, in microseconds.
    #[must_use]
    pub fn summary(&self) -> [f32; 3] {
        let mut sorted = self.last.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        let at = |percent: usize| sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1)));
        [at(50), at(99), at(100)].map(|time| time.copied().unwrap_or_default())
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exactly these numbers are meant")]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_that_of_the_last() {
        let mut times = Times::default();
        assert_eq!(times.summary(), [0.0; 3]);
        (0..REMEMBERED).for_each(|_| times.push(Duration::from_secs(9)));
        (0..REMEMBERED as u64).for_each(|number| times.push(Duration::from_millis(number)));
        assert_eq!(times.summary(), [3_000_000.0, 5_940_000.0, 5_999_000.0]);
    }
}
