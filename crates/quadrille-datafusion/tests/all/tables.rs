//! Tables of boxes for tests, and sessions that hold them.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int32Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use quadrille_datafusion::BoxJoinRule;

/// The columns of a table that are coordinates.
const COORDINATES: [&str; 6] = ["x0", "x1", "y0", "y1", "z0", "z1"];

/// A row: its coordinates and another number.
pub(crate) type Row = ([Option<f64>; 6], i32);

/// A table `name` with a column `id`, the coordinates in some type, and a column `w`.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) coordinates: DataType,
    pub(crate) rows: Vec<Row>,
    pub(crate) partitions: usize,
}

impl Table {
    fn schema(&self) -> Schema {
        let coordinates = COORDINATES.map(|name| Field::new(name, self.coordinates.clone(), true));
        let id = Field::new("id", DataType::Int32, false);
        let w = Field::new("w", DataType::Int32, false);
        Schema::new([vec![id], coordinates.to_vec(), vec![w]].concat())
    }

    fn batch(&self, from: usize, rows: &[Row]) -> Result<RecordBatch> {
        let first = i32::try_from(from).expect("tables are small");
        let mut columns: Vec<ArrayRef> = vec![Arc::new(Int32Array::from_iter_values((first..).take(rows.len())))];
        for axis in 0..COORDINATES.len() {
            let column: Float64Array = rows.iter().map(|(coordinates, _)| coordinates[axis]).collect();
            columns.push(cast(&column, &self.coordinates)?);
        }
        columns.push(Arc::new(Int32Array::from_iter_values(rows.iter().map(|(_, w)| *w))));
        Ok(RecordBatch::try_new(Arc::new(self.schema()), columns)?)
    }

    fn register(&self, context: &SessionContext) -> Result<()> {
        let rows = self.rows.len().div_ceil(self.partitions).max(1);
        let chunks = self.rows.chunks(rows).enumerate();
        let mut partitions =
            chunks.map(|(at, chunk)| Ok(vec![self.batch(at * rows, chunk)?])).collect::<Result<Vec<_>>>()?;
        partitions.resize(self.partitions, vec![]);
        context.register_table(self.name, Arc::new(MemTable::try_new(Arc::new(self.schema()), partitions)?))?;
        Ok(())
    }
}

/// A session with some tables, without the rule.
pub(crate) fn plain(config: SessionConfig, tables: &[Table]) -> Result<SessionContext> {
    let context = SessionContext::new_with_config(config);
    tables.iter().try_for_each(|table| table.register(&context))?;
    Ok(context)
}

/// The same with the rule.
pub(crate) fn ruled(config: SessionConfig, tables: &[Table], rule: BoxJoinRule) -> Result<SessionContext> {
    let context = plain(config, tables)?;
    rule.register(&context);
    Ok(context)
}

/// The plan of a query.
pub(crate) async fn plan_of(context: &SessionContext, query: &str) -> Result<Arc<dyn ExecutionPlan>> {
    context.sql(query).await?.create_physical_plan().await
}

/// Whether a plan has a box join.
pub(crate) fn has_box_join(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.name() == "BoxJoinExec" || plan.children().into_iter().any(has_box_join)
}

/// The rows of the answer to a query as text, sorted.
pub(crate) async fn answer(context: &SessionContext, query: &str) -> Result<Vec<String>> {
    rows_of(&context.sql(query).await?.collect().await?)
}

/// Rows as text, sorted.
pub(crate) fn rows_of(batches: &[RecordBatch]) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    for batch in batches {
        let options = FormatOptions::default().with_null("null");
        let columns = batch.columns().iter();
        let columns = columns.map(|column| ArrayFormatter::try_new(column, &options)).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let fields: Vec<_> = columns.iter().map(|column| column.value(row).to_string()).collect();
            rows.push(fields.join("|"));
        }
    }
    rows.sort_unstable();
    Ok(rows)
}
