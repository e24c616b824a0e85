//! The boxes of a batch of rows, as coordinates of the index.
//!
//! [`Operands`] are the values of the expressions that a join compares; [`Corners`] are their coordinates. A row with a
//! null among them has no box, for no comparison with null holds. An expression that fails has an interval without
//! ends instead, so every row stays a candidate and the filter fails as it would without an index, or does not.

use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use quadrille::Rect;

use crate::coordinate::{FARTHEST, Scale};
use crate::interval::{Boxes, Interval, Operand};

/// The values at both ends of an axis' intervals; one column if they are points. `None` if they cannot be computed.
type Ends = Option<(ArrayRef, Option<ArrayRef>)>;

/// The values at the ends of the intervals of all rows of a batch.
pub(crate) struct Operands {
    axes: Vec<Ends>,
    rows: usize,
}

impl Operands {
    /// Computes them.
    pub(crate) fn of(boxes: &Boxes, batch: &RecordBatch) -> Self {
        let axes = boxes.0.iter().map(|interval| ends_of(interval, batch)).collect();
        Self { axes, rows: batch.num_rows() }
    }

    /// Chooses a scale for each axis.
    pub(crate) fn scales(&self) -> Result<Vec<Scale>> {
        self.axes.iter().map(|ends| Scale::fitting(&columns_of(ends).collect::<Vec<_>>())).collect()
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Whether all boxes are points.
    pub(crate) fn are_points(&self) -> bool {
        self.axes.iter().all(|ends| matches!(ends, Some((_, None))))
    }

    /// The values of some rows.
    pub(crate) fn slice(&self, rows: &Range<usize>) -> Self {
        let slice = |column: &ArrayRef| column.slice(rows.start, rows.len());
        let ends = |(one, other): &(ArrayRef, Option<ArrayRef>)| (slice(one), other.as_ref().map(slice));
        Self { axes: self.axes.iter().map(|axis| axis.as_ref().map(ends)).collect(), rows: rows.len() }
    }

    /// Turns values into coordinates.
    pub(crate) fn corners(&self, scales: &[Scale]) -> Result<Corners> {
        let axes = self.axes.iter().zip(scales).map(|(ends, scale)| self.axis(ends, *scale)).collect::<Result<_>>()?;
        let nulls = self.axes.iter().flat_map(columns_of).map(Array::nulls);
        let nulls = nulls.fold(None, |all: Option<NullBuffer>, one| NullBuffer::union(all.as_ref(), one));
        Ok(Corners { axes, nulls, rows: self.rows })
    }

    fn axis(&self, ends: &Ends, scale: Scale) -> Result<Axis> {
        let Some((one, other)) = ends else {
            return Ok(Axis { one: vec![-FARTHEST; self.rows], other: Some(vec![FARTHEST; self.rows]) });
        };
        let other = other.as_ref().map(|other| scale.coordinates(other.as_ref())).transpose()?;
        Ok(Axis { one: scale.coordinates(one.as_ref())?, other })
    }
}

fn columns_of(ends: &Ends) -> impl Iterator<Item = &dyn Array> {
    ends.iter().flat_map(|(one, other)| std::iter::once(one.as_ref()).chain(other.as_deref()))
}

fn ends_of(interval: &Interval, batch: &RecordBatch) -> Ends {
    let values = |operand: &Operand| operand.evaluate(batch).and_then(|value| value.into_array(batch.num_rows())).ok();
    let one = values(&interval.one)?;
    if interval.is_point() { Some((one, None)) } else { Some((one, Some(values(&interval.other)?))) }
}

/// The coordinates of one axis.
struct Axis {
    one: Vec<f32>,
    other: Option<Vec<f32>>,
}

/// The coordinates of the boxes of all rows of a batch.
pub(crate) struct Corners {
    axes: Vec<Axis>,
    nulls: Option<NullBuffer>,
    rows: usize,
}

impl Corners {
    /// Whether all boxes are points.
    pub(crate) fn are_points(&self) -> bool {
        self.axes.iter().all(|axis| axis.other.is_none())
    }

    /// The rows that have a box.
    #[expect(clippy::cast_possible_truncation, reason = "the build side is limited, and batches are small")]
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> {
        let has_box = |row: &usize| self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
        (0..self.rows).filter(has_box).map(|row| row as u32)
    }

    /// The corner of a row that its first ends make.
    pub(crate) fn corner<const D: usize>(&self, row: u32) -> [f32; D] {
        std::array::from_fn(|axis| self.axes[axis].one[row as usize])
    }

    /// The box of a row. Ends in the wrong order are swapped: see [`BoxPair`](crate::interval::BoxPair).
    pub(crate) fn rect<const D: usize>(&self, row: u32) -> Rect<f32, D> {
        let opposite: [f32; D] = std::array::from_fn(|axis| {
            let axis = &self.axes[axis];
            axis.other.as_ref().unwrap_or(&axis.one)[row as usize]
        });
        Rect::new(self.corner::<D>(row), opposite)
    }
}
