//! Joins of boxes by cells: a logical plan in which both sides are shuffled by the cell that a row touches.
//!
//! The cells are a small table of boxes. Joined with a side, it gives each row a copy for every cell that it touches, and
//! the number of that cell. An equality of numbers lets the engine shuffle both sides; the comparisons stay beside it.
//! Two boxes that share a point may meet in several cells. Their pair counts in the one where the reference point lies,
//! which is the greatest lower end on each axis: there, on each axis, one of the two begins.
//!
//! All of this are stock nodes and expressions, so any scheduler plans it and any wire format carries it.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, NullEquality, Result, internal_datafusion_err, plan_err};
use datafusion::dataframe::DataFrame;
use datafusion::execution::SessionState;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{
    Cast, Expr, Join, JoinConstraint, JoinType, LogicalPlan, LogicalPlanBuilder, Projection,
};
use datafusion::logical_expr::{col, lit};

use crate::cells::{Limits, Span, divided, value_at};
use crate::overlap::{Ends, Overlap};
use crate::sample::Sample;

/// The metadata of a field that holds the numbers of cells.
const MARK: [&str; 2] = ["quadrille", "cell"];

/// The number of a cell, marked as such. Of all expressions, a cast keeps its metadata on the wire.
fn marked(number: Expr) -> Expr {
    let field = Field::new("", DataType::Int32, true).with_metadata(HashMap::from([MARK.map(str::to_owned).into()]));
    Expr::Cast(Cast::new_from_field(Box::new(number), Arc::new(field)))
}

/// Whether a field holds the numbers of cells.
pub(crate) fn is_cell(field: &Field) -> bool {
    let [key, value] = MARK;
    field.metadata().get(key).is_some_and(|of_field| of_field == value)
}

/// How columns begin that hold the number of a cell.
const KEY: &str = "__quadrille_cell";

/// How columns begin that hold the ends of cells.
const CELLS: &str = "__quadrille_ends";

/// How columns begin that say whether a box begins in a cell.
const BEGINS: &str = "__quadrille_begins";

/// There are no more cells: every task is sent all of them.
const CELLS_MAX: usize = 4096;

/// Cells for each partition: the engine shuffles by a hash, so many of them make partitions of about one size.
const CELLS_A_PARTITION: usize = 8;

/// Rows of the sample, at least, and for each cell.
const SAMPLE: usize = 1 << 16;
const SAMPLE_A_CELL: usize = 64;

/// Rewrites inner joins of boxes so that both sides are shuffled by cells, for build sides that are larger than a process.
///
/// ```
/// # use datafusion::prelude::{SessionConfig, SessionContext};
/// # use quadrille_datafusion::{BoxJoinRule, ByCells};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::common::Result<()> {
/// # let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(4));
/// # BoxJoinRule::new().register(&context);
/// # context.sql("CREATE TABLE a AS SELECT value AS x, value AS y FROM generate_series(1, 100)").await?.collect().await?;
/// # context.sql("CREATE TABLE b AS SELECT x AS x0, x + 1 AS x1, y AS y0, y + 1 AS y1 FROM a").await?.collect().await?;
/// let query = "SELECT * FROM a JOIN b ON a.x BETWEEN b.x0 AND b.x1 AND a.y BETWEEN b.y0 AND b.y1";
/// let pairs = ByCells::new().rewrite(context.sql(query).await?).await?;
/// assert_eq!(pairs.count().await?, 199);
/// # Ok(())
/// # }
/// ```
///
/// The answer is the same. The session is asked for a sample of both sides first, and space is divided where the rows are: a
/// cell that is too full is split. Each partition of the shuffle then has rows of some cells, and is joined by an index of
/// its own, so a task holds only these. The session's `target_partitions` should be large, as many as it takes for one of
/// them to fit into memory.
///
/// On Ballista a shuffle lies on disks, and `BoxJoinEngine` (feature `ballista`) in the executors joins its partitions. In
/// one process the partitions wait for each other: see
/// [`BoxJoinRule::with_partitions_at_once`](crate::BoxJoinRule::with_partitions_at_once).
#[derive(Clone, Copy, Debug, Default)]
pub struct ByCells {
    rows: Option<usize>,
}

impl ByCells {
    /// Rewrites joins for the partitions that the session has: about eight cells for each.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many rows a cell has at most, of both sides together, as far as the sample tells.
    ///
    /// There are never more than 4096 cells; and a cell stays full if its rows are at one place, or if dividing it would
    /// mostly copy them.
    #[must_use]
    pub fn with_rows(mut self, rows: usize) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Rewrites the inner joins of boxes in a query. Other joins stay as they are; so does one whose rows are too few or too
    /// close together for more than one cell.
    ///
    /// # Errors
    ///
    /// If no inner join of the query has boxes, or if the queries for the sample fail.
    pub async fn rewrite(self, frame: DataFrame) -> Result<DataFrame> {
        let (state, plan) = frame.into_parts();
        let mut plan = state.optimize(&plan)?;
        let (mut left_alone, mut number) = (0, 0);
        while let Some((join, overlap)) = nth_join(&plan, left_alone)? {
            let cells = self.cells(&state, &join, &overlap).await?;
            if cells.len() > 1 {
                let rewritten = Rewriting { number, cells: &cells, overlap: &overlap }.rewritten(&join)?;
                plan = with_nth_join(plan, left_alone, &rewritten)?;
                number += 1;
            } else {
                left_alone += 1;
            }
        }
        if left_alone + number == 0 {
            return plan_err!("no inner join of boxes to be done by cells");
        }
        Ok(DataFrame::new(state, plan))
    }

    /// Divides space for a join.
    async fn cells(self, state: &SessionState, join: &Join, overlap: &Overlap) -> Result<Vec<Span>> {
        let partitions = state.config().target_partitions();
        let wanted = partitions.saturating_mul(CELLS_A_PARTITION).min(CELLS_MAX);
        let of_sample = SAMPLE.max(SAMPLE_A_CELL * if self.rows.is_some() { CELLS_MAX } else { wanted });
        let sample = Sample::of(state, [&join.left, &join.right], overlap, of_sample).await?;
        let rows = self.rows.unwrap_or_else(|| sample.of.div_ceil(wanted));
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let rows = (rows as f64 * sample.rate).ceil() as usize;
        Ok(divided(&sample.rows, overlap.axes(), Limits { rows, cells: CELLS_MAX }))
    }
}

/// A join of boxes that has not been rewritten.
fn candidate(plan: &LogicalPlan) -> Option<(Join, Overlap)> {
    let LogicalPlan::Join(join) = plan else {
        return None;
    };
    let has_cells = join.left.schema().fields().iter().any(|field| is_cell(field));
    if has_cells { None } else { Some((join.clone(), Overlap::of(join)?)) }
}

/// The join of boxes before which there are so many others, inputs first.
fn nth_join(plan: &LogicalPlan, mut before: usize) -> Result<Option<(Join, Overlap)>> {
    let mut found = None;
    plan.clone().transform_up(|node| {
        let Some(candidate) = candidate(&node) else {
            return Ok(Transformed::no(node));
        };
        let Some(fewer) = before.checked_sub(1) else {
            found = Some(candidate);
            return Ok(Transformed::new(node, false, TreeNodeRecursion::Stop));
        };
        before = fewer;
        Ok(Transformed::no(node))
    })?;
    Ok(found)
}

/// The plan with another one in the place of that join.
fn with_nth_join(plan: LogicalPlan, mut before: usize, replacement: &LogicalPlan) -> Result<LogicalPlan> {
    let replaced = plan.transform_up(|node| {
        if candidate(&node).is_none() {
            return Ok(Transformed::no(node));
        }
        let Some(fewer) = before.checked_sub(1) else {
            return Ok(Transformed::new(replacement.clone(), true, TreeNodeRecursion::Stop));
        };
        before = fewer;
        Ok(Transformed::no(node))
    })?;
    Ok(replaced.data)
}

/// The rewriting of one join.
struct Rewriting<'a> {
    /// Distinguishes its columns from those of others.
    number: usize,
    cells: &'a [Span],
    overlap: &'a Overlap,
}

impl Rewriting<'_> {
    fn rewritten(&self, join: &Join) -> Result<LogicalPlan> {
        let [left, right] = [(0, &join.left), (1, &join.right)].map(|(side, input)| self.with_cells(side, input));
        let key = |side| Expr::Column(Column::new_unqualified(self.name(KEY, side, 0)));
        let once = (0..self.overlap.axes()).filter(|axis| self.may_begin_before(*axis)).map(|axis| {
            let begins = |side| col(self.name(BEGINS, side, axis));
            begins(0).or(begins(1))
        });
        let by_cells = Join::try_new(
            Arc::new(left?),
            Arc::new(right?),
            vec![(key(0), key(1))],
            conjunction(join.filter.iter().cloned().chain(once)),
            JoinType::Inner,
            JoinConstraint::On,
            NullEquality::NullEqualsNothing,
            false,
        )?;
        let columns = join.schema.columns().into_iter().map(Expr::Column).collect();
        Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(LogicalPlan::Join(by_cells)))?))
    }

    /// Whether both boxes of a pair may begin before a cell. Points begin where they are.
    fn may_begin_before(&self, axis: usize) -> bool {
        self.overlap.0.iter().all(|ends| !ends[axis].is_point())
    }

    /// One side, each row as often as it touches a cell: with the cell's number, and with the axes on which it begins there.
    fn with_cells(&self, side: usize, input: &Arc<LogicalPlan>) -> Result<LogicalPlan> {
        let ends = &self.overlap.0[side];
        let touches = ends.iter().enumerate().map(|(axis, ends)| self.touches(side, axis, ends));
        let touches = touches.collect::<Result<Vec<_>>>()?;
        let joined = Join::try_new(
            Arc::new(self.table(side)?),
            Arc::clone(input),
            Vec::new(),
            conjunction(touches),
            JoinType::Inner,
            JoinConstraint::On,
            NullEquality::NullEqualsNothing,
            false,
        )?;
        let columns = input.schema().columns().into_iter().map(Expr::Column);
        let key = col(self.name(CELLS, side, self.overlap.axes() * 2)).alias(self.name(KEY, side, 0));
        let begins = ends.iter().enumerate().filter(|(axis, _)| self.may_begin_before(*axis));
        let begins = begins.map(|(axis, ends)| self.begins(side, axis, ends));
        let columns = columns.chain([key]).chain(begins).collect();
        Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(LogicalPlan::Join(joined)))?))
    }

    fn touches(&self, side: usize, axis: usize, ends: &Ends) -> Result<Expr> {
        let [first, last] = self.ends(side, axis);
        let [low, high] = ends.in_order()?;
        Ok(low.lt_eq(last).and(high.gt_eq(first)))
    }

    fn begins(&self, side: usize, axis: usize, ends: &Ends) -> Expr {
        let [first, _] = self.ends(side, axis);
        let begins = ends.one.clone().gt_eq(first.clone()).and(ends.other.clone().gt_eq(first));
        begins.alias(self.name(BEGINS, side, axis))
    }

    /// The ends of the cells on one axis.
    fn ends(&self, side: usize, axis: usize) -> [Expr; 2] {
        [0, 1].map(|end| col(self.name(CELLS, side, axis * 2 + end)))
    }

    /// The table of cells: both ends of each axis, and a number.
    fn table(&self, side: usize) -> Result<LogicalPlan> {
        let row = |(number, cell): (usize, &Span)| {
            let number = i64::try_from(number).map_err(|_| internal_datafusion_err!("too many cells: {number}"))?;
            let ends = cell.0.iter().flatten().map(|place| lit(value_at(*place)));
            Ok(ends.chain([lit(number)]).collect())
        };
        let rows = self.cells.iter().enumerate().map(row).collect::<Result<Vec<_>>>()?;
        let number = self.overlap.axes() * 2;
        let columns = (0..=number).map(|column| {
            let value = col(format!("column{}", column + 1));
            let value = if column == number { marked(value) } else { value };
            value.alias(self.name(CELLS, side, column))
        });
        LogicalPlanBuilder::values(rows)?.project(columns)?.build()
    }

    fn name(&self, prefix: &str, side: usize, column: usize) -> String {
        format!("{prefix}_{}_{side}_{column}", self.number)
    }
}
