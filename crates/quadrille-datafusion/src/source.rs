//! The joins that a box join can take the place of.
//!
//! A nested loop join, of any type; and an inner join on the number of a cell (see [`by_cells`](crate::by_cells)), by
//! hashing or by sorting. No other join on an equality is touched.

use std::sync::Arc;

use datafusion::arrow::datatypes::Schema;
use datafusion::common::{JoinSide, JoinType, NullEquality};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column};
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter};
use datafusion::physical_plan::joins::{HashJoinExec, JoinOnRef, NestedLoopJoinExec, PartitionMode, SortMergeJoinExec};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, PhysicalExpr};

use crate::by_cells::is_cell;

/// A join on comparisons.
pub(crate) struct Source {
    /// The join itself. It has the properties of the box join.
    pub(crate) plan: Arc<dyn ExecutionPlan>,
    pub(crate) left: Arc<dyn ExecutionPlan>,
    pub(crate) right: Arc<dyn ExecutionPlan>,
    pub(crate) join_type: JoinType,
    /// All that must hold of a pair.
    pub(crate) filter: JoinFilter,
    /// The columns of the output, if not all.
    pub(crate) projection: Option<Vec<usize>>,
    /// Whether partitions of the left side are joined with partitions of the right side.
    pub(crate) by_partition: bool,
}

impl Source {
    /// Reads a join. `None` for any other plan, and for joins that a box join cannot take the place of.
    pub(crate) fn of(plan: &Arc<dyn ExecutionPlan>) -> Option<Self> {
        if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
            return Self::of_nested_loop(plan, join);
        }
        if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
            return Self::of_hash(plan, join);
        }
        let by_hashing = by_hashing(plan.downcast_ref::<SortMergeJoinExec>()?)?;
        Self::of_hash(&by_hashing, by_hashing.downcast_ref::<HashJoinExec>()?)
    }

    fn of_nested_loop(plan: &Arc<dyn ExecutionPlan>, join: &NestedLoopJoinExec) -> Option<Self> {
        Some(Self {
            plan: Arc::clone(plan),
            left: Arc::clone(join.left()),
            right: Arc::clone(join.right()),
            join_type: *join.join_type(),
            filter: join.filter()?.clone(),
            projection: join.projection().as_deref().map(<[usize]>::to_vec),
            by_partition: false,
        })
    }

    fn of_hash(plan: &Arc<dyn ExecutionPlan>, join: &HashJoinExec) -> Option<Self> {
        // A box join yields rows in no order.
        let cells = cells_of(join.on(), [join.left(), join.right()])?;
        let is_replaceable = *join.join_type() == JoinType::Inner
            && join.null_equality() == NullEquality::NullEqualsNothing
            && join.fetch().is_none()
            && plan.output_ordering().is_none();
        if !is_replaceable {
            return None;
        }
        Some(Self {
            plan: Arc::clone(plan),
            left: Arc::clone(join.left()),
            right: Arc::clone(join.right()),
            join_type: JoinType::Inner,
            filter: with_equality(join.filter()?, cells, [join.left(), join.right()]),
            projection: join.projection.as_deref().map(<[usize]>::to_vec),
            by_partition: *join.partition_mode() == PartitionMode::Partitioned,
        })
    }
}

/// The columns that a join is on, if they are the numbers of cells.
///
/// One that is marked as such will do. Ballista's wire format keeps the marks of what a stage reads, and loses those of what
/// it computes itself.
fn cells_of<'a>(on: JoinOnRef<'a>, inputs: [&Arc<dyn ExecutionPlan>; 2]) -> Option<[&'a Column; 2]> {
    let [(left, right)] = on else {
        return None;
    };
    let keys = [left.downcast_ref::<Column>()?, right.downcast_ref::<Column>()?];
    let is_marked = |(key, input): (&Column, &Arc<dyn ExecutionPlan>)| is_cell(input.schema().field(key.index()));
    keys.into_iter().zip(inputs).any(is_marked).then_some(keys)
}

/// A join by sorting as one by hashing, of the same inputs before they are sorted.
fn by_hashing(join: &SortMergeJoinExec) -> Option<Arc<dyn ExecutionPlan>> {
    if join.join_type() != JoinType::Inner {
        return None;
    }
    let join = HashJoinExec::try_new(
        unsorted(join.left()),
        unsorted(join.right()),
        join.on().to_vec(),
        join.filter().clone(),
        &JoinType::Inner,
        None,
        PartitionMode::Partitioned,
        join.null_equality(),
        false,
    );
    Some(Arc::new(join.ok()?))
}

/// The input of a sort, partition by partition; any other plan as it is.
fn unsorted(plan: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let sort = plan.downcast_ref::<SortExec>();
    let sort = sort.filter(|sort| {
        let keeps_partitions =
            sort.preserve_partitioning() || sort.input().output_partitioning().partition_count() == 1;
        keeps_partitions && sort.fetch().is_none()
    });
    sort.map_or_else(|| Arc::clone(plan), |sort| Arc::clone(sort.input()))
}

/// The filter of a join that asks for the equality of two columns too, of the left side and of the right one.
fn with_equality(filter: &JoinFilter, keys: [&Column; 2], inputs: [&Arc<dyn ExecutionPlan>; 2]) -> JoinFilter {
    let mut columns = filter.column_indices().to_vec();
    let mut fields: Vec<_> = filter.schema().fields().iter().map(Arc::clone).collect();
    for ((key, input), side) in keys.into_iter().zip(inputs).zip([JoinSide::Left, JoinSide::Right]) {
        columns.push(ColumnIndex { index: key.index(), side });
        fields.push(Arc::clone(&input.schema().fields()[key.index()]));
    }
    let key = |at: usize| Arc::new(Column::new(fields[at].name(), at)) as Arc<dyn PhysicalExpr>;
    let (left, right) = (key(fields.len() - 2), key(fields.len() - 1));
    let equal = Arc::new(BinaryExpr::new(left, Operator::Eq, right));
    let both = Arc::new(BinaryExpr::new(equal, Operator::And, Arc::clone(filter.expression())));
    JoinFilter::new(both, columns, Arc::new(Schema::new(fields)))
}
