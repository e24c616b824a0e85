//! Rows of the output: which ones a type of join yields, and their columns.
//!
//! Every type of join is decided by the pairs that match: it yields these pairs, or rows of one side that are in a pair, or
//! in none. It knows nothing of the index, nor which side was indexed.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, UInt32Array, new_null_array};
use datafusion::arrow::compute::{filter_record_batch, not, prep_null_mask_filter, take};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::cast::as_boolean_array;
use datafusion::common::{JoinSide, JoinType, Result};
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter};

/// The rows of one side that a join yields by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Single {
    /// None.
    No,
    /// Those that are in a pair.
    Matched,
    /// Those that are in no pair.
    Unmatched,
    /// All, with a column that says whether they are in a pair.
    Marked,
}

/// Whether a type of join yields pairs.
pub(crate) fn yields_pairs(join_type: JoinType) -> bool {
    matches!(join_type, JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full)
}

/// The rows of one side that a type of join yields by themselves.
pub(crate) fn single(join_type: JoinType, side: JoinSide) -> Single {
    use JoinType as J;
    match (join_type, side) {
        (J::Left | J::Full | J::LeftAnti, JoinSide::Left) | (J::Right | J::Full | J::RightAnti, JoinSide::Right) => {
            Single::Unmatched
        }
        (J::LeftSemi, JoinSide::Left) | (J::RightSemi, JoinSide::Right) => Single::Matched,
        (J::LeftMark, JoinSide::Left) | (J::RightMark, JoinSide::Right) => Single::Marked,
        _ => Single::No,
    }
}

/// Pairs of rows of two batches, one of each side.
#[derive(Debug)]
pub(crate) struct Pairs<'a> {
    pub(crate) left: &'a RecordBatch,
    pub(crate) right: &'a RecordBatch,
    pub(crate) left_rows: &'a UInt32Array,
    pub(crate) right_rows: &'a UInt32Array,
}

impl Pairs<'_> {
    /// The values of a column in all pairs.
    fn column(&self, column: &ColumnIndex) -> Result<ArrayRef> {
        let (batch, rows) = match column.side {
            JoinSide::Left => (self.left, self.left_rows),
            _ => (self.right, self.right_rows),
        };
        Ok(take(batch.column(column.index), rows, None)?)
    }

    /// The pairs as rows of a schema.
    pub(crate) fn rows(&self, schema: &SchemaRef, columns: &[ColumnIndex]) -> Result<RecordBatch> {
        let arrays = columns.iter().map(|column| self.column(column)).collect::<Result<_>>()?;
        batch_of(schema, arrays, self.left_rows.len())
    }

    /// Which pairs the filter holds for.
    pub(crate) fn holds(&self, filter: &JoinFilter) -> Result<BooleanArray> {
        let rows = self.rows(filter.schema(), filter.column_indices())?;
        let answers = filter.expression().evaluate(&rows)?.into_array(rows.num_rows())?;
        let answers = as_boolean_array(&answers)?;
        // Unknown is no match.
        Ok(if answers.null_count() == 0 { answers.clone() } else { prep_null_mask_filter(answers) })
    }
}

/// The rows of one side that a join yields by themselves, or `None` if there are none.
pub(crate) fn singles(
    single: Single,
    side: JoinSide,
    batch: &RecordBatch,
    matched: &BooleanArray,
    schema: &SchemaRef,
    columns: &[ColumnIndex],
) -> Result<Option<RecordBatch>> {
    let rows = match single {
        Single::No => return Ok(None),
        Single::Marked => batch.clone(),
        Single::Matched => filter_record_batch(batch, matched)?,
        Single::Unmatched => filter_record_batch(batch, &not(matched)?)?,
    };
    let count = rows.num_rows();
    if count == 0 {
        return Ok(None);
    }
    let array = |(position, column): (usize, &ColumnIndex)| -> ArrayRef {
        match column.side {
            JoinSide::None => Arc::new(matched.clone()),
            own if own == side => Arc::clone(rows.column(column.index)),
            _ => new_null_array(schema.field(position).data_type(), count),
        }
    };
    let arrays = columns.iter().enumerate().map(array).collect();
    batch_of(schema, arrays, count).map(Some)
}

/// A batch that knows its number of rows even if it has no columns.
fn batch_of(schema: &SchemaRef, arrays: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)?)
}
