//! Functions of two geometries that hold only where their bounding boxes share a point, or come close to each other.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Join, Operator};

/// Functions that hold only where two geometries have a point in common.
const TOPOLOGICAL: [&str; 9] = [
    "st_intersects",
    "st_within",
    "st_contains",
    "st_covers",
    "st_coveredby",
    "st_crosses",
    "st_overlaps",
    "st_touches",
    "st_equals",
];

/// The question about a geometry of the left side and one of the right side of a join.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub(crate) geometries: [Expr; 2],
    /// How far apart they are at most. `None` if they share a point.
    pub(crate) distance: Option<f64>,
}

impl Predicate {
    /// The first one in the filter of a join.
    pub(crate) fn of(join: &Join) -> Option<Self> {
        let parts = split_conjunction(join.filter.as_ref()?);
        parts.into_iter().find_map(|part| Self::of_part(part)?.in_order(join))
    }

    fn of_part(part: &Expr) -> Option<Self> {
        match part {
            Expr::ScalarFunction(call) => Self::of_call(call),
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Lt | Operator::LtEq, right }) => {
                Self::of_distance(left, right)
            }
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Gt | Operator::GtEq, right }) => {
                Self::of_distance(right, left)
            }
            _ => None,
        }
    }

    fn of_call(call: &ScalarFunction) -> Option<Self> {
        let name = call.name().to_lowercase();
        match call.args.as_slice() {
            [one, other] if TOPOLOGICAL.contains(&name.as_str()) => Self::new(one, other, None),
            [one, other, distance] if name == "st_dwithin" => Self::new(one, other, Some(number(distance)?)),
            _ => None,
        }
    }

    fn of_distance(distance: &Expr, limit: &Expr) -> Option<Self> {
        match distance {
            Expr::ScalarFunction(call) if call.name().eq_ignore_ascii_case("st_distance") => match call.args.as_slice()
            {
                [one, other] => Self::new(one, other, Some(number(limit)?)),
                _ => None,
            },
            _ => None,
        }
    }

    fn new(one: &Expr, other: &Expr, distance: Option<f64>) -> Option<Self> {
        let is_finite = distance.is_none_or(f64::is_finite);
        is_finite.then(|| Self { geometries: [one.clone(), other.clone()], distance })
    }

    /// The geometry of the left side first. `None` if they are not one of each side.
    fn in_order(self, join: &Join) -> Option<Self> {
        let [one, other] = &self.geometries;
        let (left, right) = (join.left.schema(), join.right.schema());
        if is_of(one, left) && is_of(other, right) {
            return Some(self);
        }
        let [one, other] = self.geometries;
        (is_of(&one, right) && is_of(&other, left)).then_some(Self { geometries: [other, one], ..self })
    }
}

/// Whether an expression is about a side, and only about it, and always has the same value.
fn is_of(geometry: &Expr, side: &DFSchema) -> bool {
    let columns = geometry.column_refs();
    let has = |column: &&Column| side.has_column(column);
    !columns.is_empty() && columns.iter().all(has) && !geometry.is_volatile()
}

/// A number that stands in the query.
fn number(expression: &Expr) -> Option<f64> {
    let Expr::Literal(value, _) = expression else {
        return None;
    };
    match value.cast_to(&DataType::Float64).ok()? {
        ScalarValue::Float64(value) => value,
        _ => None,
    }
}
