//! The boxes of a join, found in its filter.
//!
//! A filter that is a conjunction is searched for comparisons with `<`, `<=`, `>` or `>=` between an expression of the
//! left side and one of the right side. One comparison of each direction make an axis: from `l1 <= r1` and `l2 >= r2`
//! follows that the intervals of the left, `l1` to `l2`, and of the right, `r2` to `r1`, share a value, whichever end of
//! each is the lower one. So any way to pair the comparisons is right; a good one makes small boxes.
//!
//! It knows neither rows nor the index.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinSide, Result};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column};
use datafusion::physical_expr::utils::{collect_columns, split_conjunction};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_plan::PhysicalExpr;
use datafusion::physical_plan::joins::utils::JoinFilter;

use crate::coordinate::is_supported;

/// An index has no more axes.
const AXES_MAX: usize = 3;

/// An expression over the rows of one side.
pub(crate) type Operand = Arc<dyn PhysicalExpr>;

/// Both ends of the intervals of one side on one axis, in any order; twice the same if they are points.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) one: Operand,
    pub(crate) other: Operand,
}

impl Interval {
    /// Whether both ends are the same.
    pub(crate) fn is_point(&self) -> bool {
        self.one.as_ref() == self.other.as_ref()
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_point() { write!(f, "{}", self.one) } else { write!(f, "{}..{}", self.one, self.other) }
    }
}

/// The boxes of one side: an interval for each axis.
#[derive(Clone, Debug)]
pub(crate) struct Boxes(pub(crate) Vec<Interval>);

impl fmt::Display for Boxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, interval) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}{interval}")?;
        }
        Ok(())
    }
}

/// Two boxes, one of each side, that must share a point if the filter of the join is to hold.
#[derive(Clone, Debug)]
pub(crate) struct BoxPair {
    pub(crate) left: Boxes,
    pub(crate) right: Boxes,
    /// Where the comparisons of each axis stand in the filter: the one in which left is below, and the other.
    pub(crate) positions: Vec<[usize; 2]>,
}

impl BoxPair {
    /// Finds the boxes of a filter: two or three axes, or `None`.
    pub(crate) fn of_filter(filter: &JoinFilter) -> Option<Self> {
        if is_volatile(filter.expression()) {
            return None;
        }
        let (below, above): (Vec<_>, Vec<_>) = split_conjunction(filter.expression())
            .into_iter()
            .enumerate()
            .filter_map(|(position, part)| Comparison::of(part, position, filter))
            .partition(|comparison| comparison.left_is_below);
        let axes = paired(&below, &above);
        if axes.len() < 2 {
            return None;
        }
        let interval = |one: &Operand, other: &Operand| Interval { one: Arc::clone(one), other: Arc::clone(other) };
        let left = axes.iter().map(|(below, above)| interval(&below.left, &above.left)).collect();
        let right = axes.iter().map(|(below, above)| interval(&above.right, &below.right)).collect();
        let positions = axes.iter().map(|(below, above)| [below.position, above.position]).collect();
        Some(Self { left: Boxes(left), right: Boxes(right), positions })
    }

    /// The number of axes.
    pub(crate) fn axes(&self) -> usize {
        self.left.0.len()
    }

    /// The boxes of one side.
    pub(crate) fn of_side(&self, side: JoinSide) -> &Boxes {
        if side == JoinSide::Left { &self.left } else { &self.right }
    }
}

/// A part of the filter that compares the two sides.
#[derive(Debug)]
struct Comparison {
    left: Operand,
    right: Operand,
    left_is_below: bool,
    /// Where it stands in the filter.
    position: usize,
}

impl Comparison {
    /// Reads a part of a filter, if it is such a comparison.
    fn of(part: &Arc<dyn PhysicalExpr>, position: usize, filter: &JoinFilter) -> Option<Self> {
        let binary = part.downcast_ref::<BinaryExpr>()?;
        let first_is_below = match binary.op() {
            Operator::Lt | Operator::LtEq => true,
            Operator::Gt | Operator::GtEq => false,
            _ => return None,
        };
        if !has_coordinates(binary.left(), filter) || !has_coordinates(binary.right(), filter) {
            return None;
        }
        let first = of_one_side(binary.left(), filter)?;
        let second = of_one_side(binary.right(), filter)?;
        let (left, right, left_is_below) = match (first, second) {
            ((JoinSide::Left, left), (JoinSide::Right, right)) => (left, right, first_is_below),
            ((JoinSide::Right, right), (JoinSide::Left, left)) => (left, right, !first_is_below),
            _ => return None,
        };
        Some(Self { left, right, left_is_below, position })
    }

    /// How much two comparisons of opposite directions look as if they were about the same axis.
    fn likeness(&self, other: &Self) -> usize {
        likeness(&self.left, &other.left) + likeness(&self.right, &other.right)
    }
}

/// Whether the values of an expression over the columns of a filter can be coordinates.
fn has_coordinates(expression: &Operand, filter: &JoinFilter) -> bool {
    expression.data_type(filter.schema()).is_ok_and(|data_type| is_supported(&data_type))
}

/// The side that an expression is about, and the expression over the columns of that side. `None` if it is about both,
/// or about neither.
fn of_one_side(expression: &Operand, filter: &JoinFilter) -> Option<(JoinSide, Operand)> {
    let columns = filter.column_indices();
    let mut sides = collect_columns(expression).into_iter().map(|column| columns[column.index()].side);
    let side = sides.next()?;
    if side == JoinSide::None || !sides.all(|other| other == side) {
        return None;
    }
    Some((side, over_one_side(expression, filter).ok()?))
}

/// Rewrites the columns of the filter to those of the side that they come from.
fn over_one_side(expression: &Operand, filter: &JoinFilter) -> Result<Operand> {
    let columns = filter.column_indices();
    let rewritten = |node: Operand| {
        Ok(match node.downcast_ref::<Column>() {
            Some(column) => {
                let index = columns[column.index()].index;
                Transformed::yes(Arc::new(Column::new(column.name(), index)) as Operand)
            }
            None => Transformed::no(node),
        })
    };
    Arc::clone(expression).transform_up(rewritten).data()
}

/// Pairs comparisons of opposite directions: the most alike first, then those that stand closest together.
fn paired<'a>(below: &'a [Comparison], above: &'a [Comparison]) -> Vec<(&'a Comparison, &'a Comparison)> {
    let mut candidates: Vec<_> = below.iter().flat_map(|low| above.iter().map(move |high| (low, high))).collect();
    candidates
        .sort_by_key(|(low, high)| (Reverse(low.likeness(high)), low.position.abs_diff(high.position), low.position));
    let mut axes: Vec<(&Comparison, &Comparison)> = Vec::new();
    for (low, high) in candidates {
        let is_free = axes.iter().all(|(a, b)| a.position != low.position && b.position != high.position);
        if is_free && axes.len() < AXES_MAX {
            axes.push((low, high));
        }
    }
    axes.sort_by_key(|(low, high)| low.position.min(high.position));
    axes
}

/// How much two expressions look as if they were ends of the same interval: 1000 if they are equal, else the share of
/// their names, in thousandths, that is the same from the front and from the back.
fn likeness(one: &Operand, other: &Operand) -> usize {
    if one == other {
        return 1000;
    }
    let (one, other) = (name_of(one), name_of(other));
    let longer = one.len().max(other.len());
    let from_front = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let from_back = one.bytes().rev().zip(other.bytes().rev()).take_while(|(a, b)| a == b).count();
    (from_front + from_back).min(longer) * 900 / longer.max(1)
}

/// The names of the columns in an expression.
fn name_of(expression: &Operand) -> String {
    let mut names: Vec<_> = collect_columns(expression).iter().map(|column| column.name().to_owned()).collect();
    names.sort();
    names.join(" ")
}
