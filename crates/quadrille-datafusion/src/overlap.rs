//! The boxes of a join in a logical plan, as numbers that every engine compares alike.
//!
//! [`BoxPair`](crate::interval::BoxPair) finds the comparisons; here are the expressions that they compare, as DOUBLE. The
//! conversion never reverses an order, so boxes that share a point still share one.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::{DFSchema, JoinSide, JoinType, Result};
use datafusion::execution::context::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Between, BinaryExpr, Expr, ExprSchemable, Join, LogicalPlan, Operator, cast, when};
use datafusion::physical_expr::create_physical_expr;
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter};

use crate::interval::BoxPair;

/// Both ends of the intervals of one side on one axis, in any order.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    pub(crate) one: Expr,
    pub(crate) other: Expr,
}

impl Ends {
    /// Whether both ends are the same.
    pub(crate) fn is_point(&self) -> bool {
        self.one == self.other
    }

    /// The lower end and the upper one.
    pub(crate) fn in_order(&self) -> Result<[Expr; 2]> {
        if self.is_point() {
            return Ok([self.one.clone(), self.one.clone()]);
        }
        let (one, other) = (&self.one, &self.other);
        let is_in_order = one.clone().lt_eq(other.clone());
        let low = when(is_in_order.clone(), one.clone()).otherwise(other.clone())?;
        let high = when(is_in_order, other.clone()).otherwise(one.clone())?;
        Ok([low, high])
    }
}

/// The boxes of both sides of a join, left and right: an interval for each axis.
#[derive(Clone, Debug)]
pub(crate) struct Overlap(pub(crate) [Vec<Ends>; 2]);

impl Overlap {
    /// Finds the boxes of an inner join without an equality. `None` for any other join.
    pub(crate) fn of(join: &Join) -> Option<Self> {
        if join.join_type != JoinType::Inner || !join.on.is_empty() {
            return None;
        }
        let parts = comparisons(join.filter.clone()?);
        let pair = BoxPair::of_filter(&physical(&parts, join)?)?;
        let operands = |position: usize| operands(&parts[position], join);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for [below, above] in pair.positions {
            let ([left_one, right_other], [left_other, right_one]) = (operands(below)?, operands(above)?);
            left.push(Ends { one: left_one, other: left_other });
            right.push(Ends { one: right_one, other: right_other });
        }
        Some(Self([left, right]))
    }

    /// The number of axes.
    pub(crate) fn axes(&self) -> usize {
        self.0[0].len()
    }
}

/// The parts of a filter, with `BETWEEN` as two comparisons.
fn comparisons(filter: Expr) -> Vec<Expr> {
    let parts = split_conjunction_owned(filter).into_iter();
    let parts = parts.flat_map(|part| match part {
        Expr::Between(Between { expr, negated: false, low, high }) => {
            vec![(*expr).clone().gt_eq(*low), (*expr).lt_eq(*high)]
        }
        other => vec![other],
    });
    parts.collect()
}

/// The filter as the engine will evaluate it.
fn physical(parts: &[Expr], join: &Join) -> Option<JoinFilter> {
    let (left, right) = (join.left.schema(), join.right.schema());
    let schema = left.join(right).ok()?;
    let filter = conjunction(parts.iter().cloned())?;
    let context = PhysicalPlanningContext::default();
    let filter = create_physical_expr(&filter, &schema, &ExecutionProps::new(), &context).ok()?;
    let columns = |schema: &DFSchema, side| (0..schema.fields().len()).map(move |index| ColumnIndex { index, side });
    let columns = columns(left, JoinSide::Left).chain(columns(right, JoinSide::Right)).collect();
    Some(JoinFilter::new(filter, columns, Arc::clone(schema.inner())))
}

/// The expressions of a comparison as DOUBLE: that of the left side, and that of the right one.
fn operands(comparison: &Expr, join: &Join) -> Option<[Expr; 2]> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = comparison else {
        return None;
    };
    debug_assert!(matches!(op, Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq));
    let is_of_left = |operand: &Expr| operand.column_refs().iter().all(|column| join.left.schema().has_column(column));
    let (left, right) = if is_of_left(left) { (left, right) } else { (right, left) };
    Some([as_double(left, &join.left)?, as_double(right, &join.right)?])
}

/// A coordinate as DOUBLE. The engine converts dates and times only by way of integers.
fn as_double(operand: &Expr, side: &LogicalPlan) -> Option<Expr> {
    use DataType as D;
    let operand = operand.clone();
    let integer = match operand.get_type(side.schema().as_ref()).ok()? {
        D::Float64 => return Some(operand),
        D::Date32 | D::Time32(TimeUnit::Second | TimeUnit::Millisecond) => cast(operand, D::Int32),
        D::Date64 | D::Time64(_) | D::Timestamp(..) | D::Duration(_) => cast(operand, D::Int64),
        _ => operand,
    };
    Some(cast(integer, D::Float64))
}
