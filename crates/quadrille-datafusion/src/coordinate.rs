//! Columns of any numeric type as coordinates of the index.
//!
//! A [`Scale`] maps the values of one axis to `f32` and never reverses their order: if `a <= b` in the engine, then
//! `at(a) <= at(b)`. This is all that correctness needs. Rounding makes the index answer with a superset, which the
//! filter of the join reduces again. The order is Arrow's total order, in which NaN lies beyond infinity: both become
//! the farthest coordinate, so every value has a place in the index.

use datafusion::arrow::array::{Array, AsArray, Float64Array, UInt64Array};
use datafusion::arrow::compute::{cast, take};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Result, not_impl_err};

/// The largest coordinate. Its square overflows, but no query for boxes squares anything.
pub(crate) const FARTHEST: f32 = 1e30;

/// Values that are looked at to choose a scale.
const SAMPLE: usize = 4096;

/// Whether values of this type can be coordinates.
pub(crate) fn is_supported(data_type: &DataType) -> bool {
    let is_number = data_type.is_numeric() || data_type.is_temporal();
    is_number && !matches!(data_type, DataType::Decimal256(..) | DataType::Interval(_))
}

/// Maps the values of one axis to coordinates, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    origin: f64,
    factor: f64,
}

impl Scale {
    /// Chooses a scale by which most of the values lie between 0 and 1.
    ///
    /// A few outliers must not press all others into one cell of the index, so they end up outside.
    pub(crate) fn fitting(columns: &[&dyn Array]) -> Result<Self> {
        let mut values = Vec::new();
        for column in columns {
            sample(*column, &mut values)?;
        }
        values.sort_unstable_by(f64::total_cmp);
        let (Some(first), Some(last)) = (values.first(), values.last()) else {
            return Ok(Self { origin: 0.0, factor: 1.0 });
        };
        let (low, high) = (values[values.len() / 50], values[values.len() - 1 - values.len() / 50]);
        let range = high - low;
        let (min, max) = (first.max(low - range), last.min(high + range));
        // So small or large that neither it nor its inverse overflows.
        let extent = (max - min).clamp(1e-300, 1e300);
        Ok(Self { origin: min, factor: extent.recip() })
    }

    /// The coordinate of a value.
    #[expect(clippy::cast_possible_truncation, reason = "rounding keeps the order")]
    fn at(self, value: f64) -> f32 {
        if value.is_nan() {
            return FARTHEST.copysign(if value.is_sign_negative() { -1.0 } else { 1.0 });
        }
        (((value - self.origin) * self.factor) as f32).clamp(-FARTHEST, FARTHEST)
    }

    /// The coordinates of a column. Where it is null, they mean nothing.
    pub(crate) fn coordinates(self, column: &dyn Array) -> Result<Vec<f32>> {
        Ok(values_of(column)?.values().iter().map(|value| self.at(*value)).collect())
    }
}

/// Collects finite values from all over a column.
fn sample(column: &dyn Array, into: &mut Vec<f64>) -> Result<()> {
    let step = column.len().div_ceil(SAMPLE).max(1);
    let rows = UInt64Array::from_iter_values((0..column.len() as u64).step_by(step));
    let chosen = values_of(take(column, &rows, None)?.as_ref())?;
    into.extend(chosen.iter().flatten().filter(|value| value.is_finite()));
    Ok(())
}

/// All values of a column as the nearest `f64`, which never reverses an order. Dates and times are read as the integers that stand
/// for them: the engine compares columns of one type only.
fn values_of(column: &dyn Array) -> Result<Float64Array> {
    if !is_supported(column.data_type()) {
        return not_impl_err!("values of type {} as coordinates of a box join", column.data_type());
    }
    let integers = column.data_type().is_temporal().then(|| cast(column, &DataType::Int64)).transpose()?;
    let values = cast(integers.as_deref().unwrap_or(column), &DataType::Float64)?;
    Ok(values.as_primitive::<Float64Type>().clone())
}

#[cfg(test)]
mod tests {
    use super::Scale;
    use datafusion::arrow::array::{Array, Float64Array};

    /// Numbers at which rounding, overflow and the total order matter, in ascending order.
    const ORDERED: [f64; 17] = [
        -f64::NAN,
        f64::NEG_INFINITY,
        f64::MIN,
        -1e300,
        -1.0,
        -1e-300,
        -f64::MIN_POSITIVE,
        -0.0,
        0.0,
        f64::MIN_POSITIVE,
        1e-300,
        1.0,
        1.000_000_000_1,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];

    fn scale_of(values: &[f64]) -> Scale {
        let column = Float64Array::from(values.to_vec());
        Scale::fitting(&[&column as &dyn Array]).expect("floats are coordinates")
    }

    #[test]
    fn no_scale_reverses_the_total_order() {
        assert!(ORDERED.is_sorted_by(|a, b| a.total_cmp(b).is_le()));
        for first in ORDERED {
            for second in ORDERED {
                let scale = scale_of(&[first, second]);
                let coordinates = ORDERED.map(|value| scale.at(value));
                assert!(coordinates.iter().all(|coordinate| coordinate.is_finite()), "{scale:?} {coordinates:?}");
                assert!(coordinates.is_sorted(), "{scale:?} {coordinates:?}");
            }
        }
    }

    #[test]
    fn outliers_do_not_stretch_the_scale() {
        let mut values: Vec<f64> = (0..1000).map(f64::from).collect();
        values.push(1e200);
        let scale = scale_of(&values);
        assert!(scale.at(999.0) - scale.at(0.0) > 0.3);
    }
}
