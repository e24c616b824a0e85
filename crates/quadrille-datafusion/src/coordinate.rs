//! Columns of any numeric type as coordinates of the index.
//!
//! A [`Scale`] maps the values of one axis to `f32` and never reverses their order: if `a <= b` in the engine, then
//! `at(a) <= at(b)`. This is all that correctness needs. Rounding makes the index answer with a superset, which the
//! filter of the join reduces again. The order is Arrow's total order, in which NaN lies beyond infinity: both become
//! the farthest coordinate, so every value has a place in the index.

use datafusion::arrow::array::{Array, ArrowPrimitiveType, AsArray, UInt64Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{
    DataType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::common::{Result, not_impl_err};

/// The largest coordinate. Its square overflows, but no query for boxes squares anything.
pub(crate) const FARTHEST: f32 = 1e30;

/// Values that are looked at to choose a scale.
const SAMPLE: usize = 4096;

/// Whether values of this type can be coordinates.
pub(crate) fn is_supported(data_type: &DataType) -> bool {
    use DataType as D;
    matches!(
        data_type,
        D::Int8
            | D::Int16
            | D::Int32
            | D::Int64
            | D::UInt8
            | D::UInt16
            | D::UInt32
            | D::UInt64
            | D::Float16
            | D::Float32
            | D::Float64
            | D::Decimal32(..)
            | D::Decimal64(..)
            | D::Decimal128(..)
            | D::Date32
            | D::Date64
            | D::Time32(_)
            | D::Time64(_)
            | D::Timestamp(..)
            | D::Duration(_)
    )
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
        let mut coordinates = Vec::with_capacity(column.len());
        for_each(column, |value| coordinates.push(self.at(value)))?;
        Ok(coordinates)
    }
}

/// Collects finite values from all over a column.
fn sample(column: &dyn Array, into: &mut Vec<f64>) -> Result<()> {
    let step = column.len().div_ceil(SAMPLE).max(1);
    let rows = UInt64Array::from_iter_values((0..column.len() as u64).step_by(step));
    let chosen = take(column, &rows, None)?;
    let mut row = 0;
    for_each(chosen.as_ref(), |value| {
        if value.is_finite() && chosen.is_valid(row) {
            into.push(value);
        }
        row += 1;
    })
}

/// Calls `each` with every value of a column, nulls too, as the nearest `f64`.
///
/// Conversion to the nearest never reverses an order. Decimals and dates are read as the integers that stand for them:
/// the engine compares columns of one type only.
fn for_each(column: &dyn Array, each: impl FnMut(f64)) -> Result<()> {
    macro_rules! exact {
        ($type:ty) => {
            visit::<$type>(column, |value| f64::from(value), each)
        };
    }
    macro_rules! nearest {
        ($type:ty) => {
            visit::<$type>(column, |value| value as f64, each)
        };
    }
    #[expect(clippy::cast_precision_loss, reason = "rounding keeps the order")]
    match column.data_type() {
        DataType::Int8 => exact!(Int8Type),
        DataType::Int16 => exact!(Int16Type),
        DataType::Int32 => exact!(Int32Type),
        DataType::Int64 => nearest!(Int64Type),
        DataType::UInt8 => exact!(UInt8Type),
        DataType::UInt16 => exact!(UInt16Type),
        DataType::UInt32 => exact!(UInt32Type),
        DataType::UInt64 => nearest!(UInt64Type),
        DataType::Float16 => exact!(Float16Type),
        DataType::Float32 => exact!(Float32Type),
        DataType::Float64 => exact!(Float64Type),
        DataType::Decimal32(..) => exact!(Decimal32Type),
        DataType::Decimal64(..) => nearest!(Decimal64Type),
        DataType::Decimal128(..) => nearest!(Decimal128Type),
        DataType::Date32 => exact!(Date32Type),
        DataType::Date64 => nearest!(Date64Type),
        DataType::Time32(TimeUnit::Second) => exact!(Time32SecondType),
        DataType::Time32(_) => exact!(Time32MillisecondType),
        DataType::Time64(TimeUnit::Microsecond) => nearest!(Time64MicrosecondType),
        DataType::Time64(_) => nearest!(Time64NanosecondType),
        DataType::Timestamp(TimeUnit::Second, _) => nearest!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => nearest!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => nearest!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => nearest!(TimestampNanosecondType),
        DataType::Duration(TimeUnit::Second) => nearest!(DurationSecondType),
        DataType::Duration(TimeUnit::Millisecond) => nearest!(DurationMillisecondType),
        DataType::Duration(TimeUnit::Microsecond) => nearest!(DurationMicrosecondType),
        DataType::Duration(TimeUnit::Nanosecond) => nearest!(DurationNanosecondType),
        other => return not_impl_err!("values of type {other} as coordinates of a box join"),
    }
    Ok(())
}

/// Calls `each` with every value of a column of a known type.
fn visit<T: ArrowPrimitiveType>(column: &dyn Array, to_f64: impl Fn(T::Native) -> f64, each: impl FnMut(f64)) {
    column.as_primitive::<T>().values().iter().map(|value| to_f64(*value)).for_each(each);
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
