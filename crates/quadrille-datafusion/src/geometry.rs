//! Joins on functions of geometries: comparisons of bounding boxes are added to their filters.
//!
//! Each side is given the bounds of its geometry as columns, once a row. The function stays in the filter and decides; that
//! it can hold only where the bounds share a point lets [`BoxJoinRule`](crate::BoxJoinRule) find candidates.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, ExprSchemable, Join, LogicalPlan, Projection, ScalarUDF, col, lit, when};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use datafusion::prelude::SessionContext;

use crate::predicate::Predicate;

/// How columns begin that hold bounds.
const BOUNDS: &str = "__quadrille_bounds";

/// The functions that give bounds: least and greatest value on each axis.
const FUNCTIONS: [[&str; 2]; 2] = [["st_xmin", "st_xmax"], ["st_ymin", "st_ymax"]];

/// Distances are rounded when they are computed. Bounds that are farther apart than this share of all numbers involved
/// are apart.
const SLACK: f64 = 1e-9;

/// Lets joins on functions of geometries, such as `ST_Intersects(a.shape, b.shape)`, be answered by an index.
///
/// An optimizer rule for sessions whose functions have the names and the meaning of `PostGIS`' functions of planar geometries: the
/// crate `geodatafusion` gives a session such functions. It needs `ST_XMin`, `ST_XMax`, `ST_YMin` and `ST_YMax`, and does
/// nothing in a session without them. It knows `ST_Intersects`, `ST_Within`, `ST_Contains`, `ST_Covers`, `ST_CoveredBy`,
/// `ST_Crosses`, `ST_Overlaps`, `ST_Touches` and `ST_Equals`; and `ST_DWithin` and comparisons of `ST_Distance` with a number.
///
/// The function itself is evaluated on all candidates, so the answer is the one without the rule; but for geometries some of
/// whose coordinates are NaN, which `ST_XMin` and its kind leave out.
///
/// Do not add it to a session whose functions measure on a sphere.
#[derive(Clone, Copy, Debug, Default)]
pub struct GeometryRule {}

impl GeometryRule {
    /// Makes the rule.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the rule to a session. A session that has it stays as it is. [`BoxJoinRule`](crate::BoxJoinRule) is needed too.
    ///
    /// Where sessions are made by a `SessionStateBuilder`, pass the rule to `with_optimizer_rule`.
    pub fn register(self, context: &SessionContext) {
        if context.state_ref().read().optimizers().iter().any(|rule| rule.name() == self.name()) {
            return;
        }
        context.add_optimizer_rule(Arc::new(self));
    }
}

impl OptimizerRule for GeometryRule {
    fn name(&self) -> &'static str {
        "quadrille_geometry"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if let LogicalPlan::Join(join) = &plan
            && join.on.is_empty()
            && !has_bounds(join)
            && let Some(predicate) = Predicate::of(join)
            && let Some(functions) = config.function_registry().and_then(Functions::of)
            && functions.fit(&predicate, join)
        {
            let name = config.alias_generator().next(BOUNDS);
            return Ok(Transformed::yes(Bounded { predicate, functions, name }.rewritten(join)?));
        }
        Ok(Transformed::no(plan))
    }
}

/// Whether the filter of a join compares bounds already.
fn has_bounds(join: &Join) -> bool {
    let filter = join.filter.iter();
    filter.flat_map(Expr::column_refs).any(|column| column.name().starts_with(BOUNDS))
}

/// The functions that give bounds.
struct Functions([[Arc<ScalarUDF>; 2]; 2]);

impl Functions {
    fn of(session: &dyn FunctionRegistry) -> Option<Self> {
        let [[x_min, x_max], [y_min, y_max]] = FUNCTIONS.map(|axis| axis.map(|name| session.udf(name).ok()));
        Some(Self([[x_min?, x_max?], [y_min?, y_max?]]))
    }

    /// Whether they take the geometries of a join as they are, and give numbers.
    fn fit(&self, predicate: &Predicate, join: &Join) -> bool {
        let sides = predicate.geometries.iter().zip([&join.left, &join.right]);
        let fits = |geometry: &Expr, side: &LogicalPlan, function: &Arc<ScalarUDF>| -> Result<bool> {
            let (_, field) = geometry.to_field(side.schema().as_ref())?;
            let taken = fields_with_udf(std::slice::from_ref(&field), function.as_ref())?;
            let bound = function.call(vec![geometry.clone()]);
            let is_taken = taken.len() == 1 && taken[0].data_type() == field.data_type();
            Ok(is_taken && bound.get_type(side.schema().as_ref())? == DataType::Float64)
        };
        let functions = || self.0.iter().flatten();
        sides
            .into_iter()
            .all(|(geometry, side)| functions().all(|function| fits(geometry, side, function).unwrap_or_default()))
    }
}

/// The rewriting of a join.
struct Bounded {
    predicate: Predicate,
    functions: Functions,
    /// Distinguishes its columns from those of others.
    name: String,
}

impl Bounded {
    fn rewritten(&self, join: &Join) -> Result<LogicalPlan> {
        let share_a_point = (0..2).flat_map(|axis| {
            let [low, high] = [0, 1].map(|end| move |side| col(self.column(side, axis, end)));
            [low(0).lt_eq(high(1)), high(0).gt_eq(low(1))]
        });
        let bounded = Join::try_new(
            Arc::new(self.with_bounds(0, &join.left)?),
            Arc::new(self.with_bounds(1, &join.right)?),
            join.on.clone(),
            conjunction(share_a_point.chain(join.filter.iter().cloned())),
            join.join_type,
            join.join_constraint,
            join.null_equality,
            join.null_aware,
        )?;
        let columns = join.schema.columns().into_iter().map(Expr::Column).collect();
        Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(LogicalPlan::Join(bounded)))?))
    }

    /// One side with the bounds of its geometry.
    fn with_bounds(&self, side: usize, input: &Arc<LogicalPlan>) -> Result<LogicalPlan> {
        let mut columns: Vec<_> = input.schema().columns().into_iter().map(Expr::Column).collect();
        for axis in 0..2 {
            for (end, bound) in self.bounds(side, axis)?.into_iter().enumerate() {
                columns.push(bound.alias(self.column(side, axis, end)));
            }
        }
        Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::clone(input))?))
    }

    /// The bounds of a geometry on one axis. One that has none, for it is empty or no number, has all numbers: the function
    /// decides. A null stays null, for no function holds for it.
    fn bounds(&self, side: usize, axis: usize) -> Result<[Expr; 2]> {
        let geometry = &self.predicate.geometries[side];
        let [least, greatest] = self.functions.0[axis].each_ref().map(|bound| bound.call(vec![geometry.clone()]));
        let (low, high) = match self.slack(side)? {
            Some(slack) => (least.clone() - slack.clone(), greatest.clone() + slack),
            None => (least.clone(), greatest.clone()),
        };
        // In the engine's order NaN is beyond both infinities.
        let are_known = low.clone().lt_eq(high.clone());
        let are_known = are_known.and(low.clone().gt_eq(lit(f64::NEG_INFINITY)));
        let are_known = are_known.and(high.clone().lt_eq(lit(f64::INFINITY)));
        let known = |bound: Expr, unknown: f64| {
            let null = geometry.clone().is_null();
            when(are_known.clone(), bound).when(null, lit(ScalarValue::Float64(None))).otherwise(lit(unknown))
        };
        Ok([known(low, f64::NEG_INFINITY)?, known(high, f64::INFINITY)?])
    }

    /// So much farther the bounds of a side reach where a distance is asked for: that distance on the left side, and on both
    /// what is lost by rounding.
    fn slack(&self, side: usize) -> Result<Option<Expr>> {
        let Some(distance) = self.predicate.distance else {
            return Ok(None);
        };
        let geometry = &self.predicate.geometries[side];
        let mut slack = lit(if side == 0 { distance.max(0.0) * (1.0 + SLACK) } else { 0.0 });
        for function in self.functions.0.iter().flatten() {
            let bound = function.call(vec![geometry.clone()]);
            let rounding =
                when(bound.clone().lt(lit(0.0)), lit(-SLACK) * bound.clone()).otherwise(lit(SLACK) * bound)?;
            slack = slack + rounding;
        }
        Ok(Some(slack))
    }

    fn column(&self, side: usize, axis: usize, end: usize) -> String {
        format!("{}_{side}_{axis}_{end}", self.name)
    }
}
