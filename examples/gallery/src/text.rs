//! Numbers and durations as people read them.

use std::time::Duration;

/// A number with a comma after every third digit from the right.
///
/// ```
/// assert_eq!(quadrille_gallery::grouped(&1_234_567), "1,234,567");
/// ```
pub fn grouped(number: &impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A duration with three digits or so, in the unit that fits.
#[must_use]
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (number, unit) = match seconds {
        1.0.. => (seconds, "s"),
        1e-3.. => (seconds * 1e3, "ms"),
        1e-6.. => (seconds * 1e6, "µs"),
        _ => (seconds * 1e9, "ns"),
    };
    if number < 10.0 { format!("{number:.1} {unit}") } else { format!("{number:.0} {unit}") }
}

/// A share as percents: the digits that matter, also where it is small.
#[must_use]
pub fn percent(share: f64) -> String {
    let percents = share * 100.0;
    match percents {
        10.0.. => format!("{percents:.0} %"),
        0.1.. => format!("{percents:.1} %"),
        _ => format!("{percents:.3} %"),
    }
}

/// A count as a number with digits after the point, exact below 2^32.
#[must_use]
pub fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// The `f32` next to a number.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "it is about to be a coordinate")]
pub fn single(number: f64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_threes() {
        let texts = [0, 7, 999, 1000, 123_456, 1_234_567].map(|number| grouped(&number));
        assert_eq!(texts, ["0", "7", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn durations_have_the_unit_that_fits() {
        let texts = [90, 4_200, 15_000_000, 2_500_000_000].map(|nanos| duration(Duration::from_nanos(nanos)));
        assert_eq!(texts, ["90 ns", "4.2 µs", "15 ms", "2.5 s"]);
    }
}
