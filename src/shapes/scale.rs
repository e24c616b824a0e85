//! Scaling by powers of two, so that products of coordinates neither overflow nor vanish.

/// The power of two that scales a number to between 1 and 2, or as close to that as a power of two can at the ends of the range
/// of numbers. So scaling rounds only what is tiny beside that number.
pub(super) fn power_to_one(number: f64) -> f64 {
    let exponent = number.to_bits() >> 52 & 0x7FF;
    f64::from_bits(2046_u64.saturating_sub(exponent).max(1) << 52)
}
