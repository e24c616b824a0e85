//! The one clock of the replay: minutes of a day that repeats.

use std::fmt;
use std::str::FromStr;

/// The minutes of the day that is replayed.
pub const MINUTES_A_DAY: u16 = 24 * 60;

/// A minute of the day, written `HH:MM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Minute(u16);

impl Minute {
    /// The minute with this number, counted on into the next day or back into the day before.
    #[must_use]
    pub fn wrapping(number: i32) -> Self {
        let minutes = i32::from(MINUTES_A_DAY);
        // A remainder is smaller than its divisor.
        Self(number.rem_euclid(minutes).unsigned_abs() as u16)
    }

    /// Every minute of the day, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..MINUTES_A_DAY).map(Self)
    }

    /// How many minutes of the day lie before this one.
    #[must_use]
    pub fn number(self) -> u16 {
        self.0
    }
}

impl fmt::Display for Minute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

/// A text that is not a time of day.
#[derive(Debug, thiserror::Error)]
#[error("{text:?} is not a time of day from 00:00 to 23:59")]
pub struct NotATime {
    text: String,
}

impl FromStr for Minute {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let two_digits = |digits: &str, below: u16| {
            let plain = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u16>().ok().filter(|&number| plain && number < below)
        };
        text.split_once(':')
            .and_then(|(hours, minutes)| Some(Self(two_digits(hours, 24)? * 60 + two_digits(minutes, 60)?)))
            .ok_or_else(|| NotATime { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_read_and_written_alike() {
        for text in ["00:00", "08:30", "23:59"] {
            assert_eq!(text.parse::<Minute>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "8:30", "24:00", "12:60", "12", "+1:00", "12:00:00", "ab:cd"] {
            assert!(text.parse::<Minute>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn midnight_is_passed_both_ways() {
        assert_eq!(Minute::wrapping(-1).to_string(), "23:59");
        assert_eq!(Minute::wrapping(1441).to_string(), "00:01");
    }
}
