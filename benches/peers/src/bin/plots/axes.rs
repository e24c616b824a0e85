//! Logarithmic axes: where they begin and end, and where something is written at them.

use std::ops::Range;

/// A range with some air around all values; that of no values is still one.
pub(crate) fn around(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    if low < high { low / 1.25..high * 1.25 } else { 0.5..2.0 }
}

/// These steps of every power of ten, where inside the range.
pub(crate) fn ticks(range: &Range<f64>, steps: &[f64]) -> Vec<f64> {
    let powers = (-6..12).map(|power| 10_f64.powi(power));
    let ticks = powers.flat_map(|power| steps.iter().map(move |step| step * power));
    ticks.filter(|tick| range.contains(tick)).collect()
}

/// Thousands and millions by a letter.
pub(crate) fn short(value: f64) -> String {
    match value {
        1e6.. => format!("{}M", value / 1e6),
        1e3.. => format!("{}k", value / 1e3),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.5, 20.0, 4000.0, 100_000.0, 1e6].map(short), ["0.5", "20", "4k", "100k", "1M"]);
    }

    #[test]
    fn ticks_lie_inside() {
        assert_eq!(ticks(&(0.4..25.0), &[1.0, 2.0, 5.0]), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
    }
}
