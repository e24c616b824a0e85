//! The answers of a session about the boxes of a join before it runs: how many rows there are, and the boxes of some of them.

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::common::Result;
use datafusion::dataframe::DataFrame;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, lit};

use crate::cells::{Span, place_of};
use crate::overlap::{Ends, Overlap};

/// A sample of both sides.
pub(crate) struct Sample {
    /// The boxes of the rows that have one.
    pub(crate) rows: Vec<Span>,
    /// The rows of both sides, all of them.
    pub(crate) of: usize,
    /// The share of rows that is in the sample.
    pub(crate) rate: f64,
}

impl Sample {
    /// Takes about so many rows of both sides, each of them as likely as any other. All rows if there are fewer, or if the
    /// session has no function `random`.
    pub(crate) async fn of(
        state: &SessionState,
        sides: [&LogicalPlan; 2],
        overlap: &Overlap,
        wanted: usize,
    ) -> Result<Self> {
        let mut of = 0;
        for side in sides {
            of += DataFrame::new(state.clone(), side.clone()).count().await?;
        }
        let rate = if of > wanted { ratio(wanted, of) } else { 1.0 };
        let random = state.scalar_functions().get("random").filter(|_| rate < 1.0);
        let mut rows = Vec::new();
        for (side, ends) in sides.into_iter().zip(&overlap.0) {
            let mut side = DataFrame::new(state.clone(), side.clone());
            if let Some(random) = random {
                side = side.filter(random.call(vec![]).lt(lit(rate)))?;
            }
            for batch in side.select(columns(ends))?.collect().await? {
                rows.extend(spans(&batch));
            }
        }
        Ok(Self { rows, of, rate: if random.is_some() { rate } else { 1.0 } })
    }
}

/// A number as a share of another.
#[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Both ends of each axis.
fn columns(ends: &[Ends]) -> Vec<Expr> {
    let ends = ends.iter().flat_map(|ends| [&ends.one, &ends.other]);
    ends.enumerate().map(|(position, end)| end.clone().alias(format!("end{position}"))).collect()
}

/// The boxes of a batch with both ends of each axis. A row with a null among them has none.
fn spans(batch: &RecordBatch) -> impl Iterator<Item = Span> {
    let columns: Vec<_> = batch.columns().iter().map(AsArray::as_primitive::<Float64Type>).collect();
    (0..batch.num_rows()).filter_map(move |row| {
        let place = |at: usize| columns[at].is_valid(row).then(|| place_of(columns[at].value(row)));
        let ends = (0..columns.len()).step_by(2).map(|at| Some([place(at)?, place(at + 1)?]));
        let ends = ends.map(|ends| ends.map(|[one, other]| [one.min(other), one.max(other)]));
        ends.collect::<Option<_>>().map(Span)
    })
}
