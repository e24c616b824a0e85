//! The request of a join: the parts of its plan that tasks need.

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{JoinSide, JoinType};
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter, build_join_schema};

use crate::interval::BoxPair;
use crate::source::Source;

/// The request of a join.
#[derive(Debug)]
pub(crate) struct JoinSpec {
    pub(crate) join_type: JoinType,
    /// The whole filter. It decides.
    pub(crate) filter: JoinFilter,
    /// The boxes that follow from it.
    pub(crate) boxes: BoxPair,
    /// The schema of the output.
    pub(crate) schema: SchemaRef,
    /// Where its columns come from.
    pub(crate) columns: Vec<ColumnIndex>,
    left_schema: SchemaRef,
    right_schema: SchemaRef,
}

impl JoinSpec {
    /// Reads a join, if its filter has boxes.
    pub(crate) fn of(join: &Source) -> Option<Self> {
        let (join_type, filter) = (join.join_type, join.filter.clone());
        let boxes = BoxPair::of_filter(&filter)?;
        let (left_schema, right_schema) = (join.left.schema(), join.right.schema());
        let (_, all) = build_join_schema(&left_schema, &right_schema, &join_type);
        let columns = match &join.projection {
            Some(projection) => projection.iter().map(|column| all[*column].clone()).collect(),
            None => all,
        };
        let schema = join.plan.schema();
        Some(Self { join_type, filter, boxes, schema, columns, left_schema, right_schema })
    }

    /// The schema of one side.
    pub(crate) fn schema_of(&self, side: JoinSide) -> &SchemaRef {
        if side == JoinSide::Left { &self.left_schema } else { &self.right_schema }
    }
}
