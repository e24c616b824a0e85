//! Functions of geometries. A geometry is a list of numbers here: those of its corners, one axis after the other, of a box
//! or of a point; no numbers at all are an empty one.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int32Array, ListArray};
use datafusion::arrow::datatypes::{DataType, Field, Float64Type};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};
use datafusion::physical_plan::{collect, displayable};
use datafusion::prelude::{SessionConfig, SessionContext};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use quadrille_datafusion::{BoxJoinRule, ByCells, GeometryRule};
use tokio::runtime::Builder;

use crate::tables::{answer, has_box_join, plan_of, rows_of};

/// The corners of a geometry, `None` if it is null or empty.
type Corners = Option<[[f64; 2]; 2]>;

fn geometry() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Float64, true)))
}

/// The geometries of a column. `None` where they are null.
fn geometries(column: &dyn Array) -> Vec<Option<Corners>> {
    let corners = |list: Arc<dyn Array>| match list.as_primitive::<Float64Type>().values().as_ref() {
        [x, y] => Some([[*x, *x], [*y, *y]]),
        [x0, x1, y0, y1] => Some([[*x0, *x1], [*y0, *y1]]),
        _ => None,
    };
    column.as_list::<i32>().iter().map(|list| list.map(corners)).collect()
}

/// A function of one geometry.
fn bound(name: &str, axis: usize, end: usize) -> ScalarUDF {
    let bounds = move |arguments: &[ColumnarValue]| {
        let columns = ColumnarValue::values_to_arrays(arguments)?;
        let bounds = geometries(columns[0].as_ref()).into_iter();
        let bounds: Float64Array = bounds.map(|corners| corners.flatten().map(|corners| corners[axis][end])).collect();
        Ok(ColumnarValue::Array(Arc::new(bounds)))
    };
    create_udf(name, vec![geometry()], DataType::Float64, Volatility::Immutable, Arc::new(bounds))
}

/// The distance of two boxes. Nothing is 0 apart from the empty one, as in some libraries.
fn distance(one: Corners, other: Corners) -> f64 {
    let (Some(one), Some(other)) = (one, other) else {
        return 0.0;
    };
    let gap = |axis: usize| (one[axis][0] - other[axis][1]).max(other[axis][0] - one[axis][1]).max(0.0);
    gap(0).hypot(gap(1))
}

/// Whether two boxes share a point. An empty one shares nothing, but equals another one.
fn intersect(one: Corners, other: Corners) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return one == other;
    };
    (0..2).all(|axis| one[axis][0] <= other[axis][1] && other[axis][0] <= one[axis][1])
}

/// Evaluates a function of two geometries.
fn pairs<T>(arguments: &[ColumnarValue], each: impl Fn(Corners, Corners) -> T) -> Result<Vec<Option<T>>> {
    let columns = ColumnarValue::values_to_arrays(arguments)?;
    let (one, other) = (geometries(columns[0].as_ref()), geometries(columns[1].as_ref()));
    Ok(one.into_iter().zip(other).map(|(one, other)| Some(each(one?, other?))).collect())
}

fn functions() -> Vec<ScalarUDF> {
    let intersects = |arguments: &[ColumnarValue]| {
        Ok(ColumnarValue::Array(Arc::new(BooleanArray::from(pairs(arguments, intersect)?))))
    };
    let apart = |arguments: &[ColumnarValue]| {
        Ok(ColumnarValue::Array(Arc::new(Float64Array::from(pairs(arguments, distance)?))))
    };
    let two = || vec![geometry(), geometry()];
    vec![
        bound("st_xmin", 0, 0),
        bound("st_xmax", 0, 1),
        bound("st_ymin", 1, 0),
        bound("st_ymax", 1, 1),
        create_udf("st_intersects", two(), DataType::Boolean, Volatility::Immutable, Arc::new(intersects)),
        create_udf("st_distance", two(), DataType::Float64, Volatility::Immutable, Arc::new(apart)),
    ]
}

/// The numbers of a geometry, `None` if it is null.
type Shape = Option<Vec<f64>>;

fn shape() -> impl Strategy<Value = Shape> {
    let number = || prop_oneof![6 => (-3..9_i32).prop_map(f64::from), 1 => select(vec![0.1, 1e15, -2.5])];
    let point = (number(), number()).prop_map(|(x, y)| Some(vec![x, y]));
    let side = || (number(), 0..3_i32).prop_map(|(low, size)| [low, low + f64::from(size)]);
    let square = (side(), side()).prop_map(|(x, y)| Some([x, y].concat()));
    let rare = select(vec![None, Some(vec![]), Some(vec![f64::NAN, 1.0])]);
    prop_oneof![4 => point, 4 => square, 1 => rare]
}

/// A session with the functions and two tables.
fn session(shapes: &[Vec<Shape>; 2]) -> Result<SessionContext> {
    let mut config = SessionConfig::new().with_target_partitions(3);
    config.options_mut().optimizer.hash_join_single_partition_threshold_rows = 0;
    let context = SessionContext::new_with_config(config);
    for function in functions() {
        context.register_udf(function);
    }
    for (name, shapes) in ["a", "b"].into_iter().zip(shapes) {
        let lists = shapes.iter().map(|shape| shape.as_ref().map(|numbers| numbers.iter().copied().map(Some)));
        let lists = ListArray::from_iter_primitive::<Float64Type, _, _>(lists);
        let ids = Int32Array::from_iter_values((0..).take(shapes.len()));
        let columns = [("id", Arc::new(ids) as ArrayRef, false), ("shape", Arc::new(lists), true)];
        let batch = RecordBatch::try_from_iter_with_nullable(columns)?;
        context.register_table(name, Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?))?;
    }
    Ok(context)
}

const CONDITIONS: [&str; 6] = [
    "st_intersects(a.shape, b.shape)",
    "st_intersects(b.shape, a.shape) AND a.id <> b.id",
    "st_distance(a.shape, b.shape) <= 1.5",
    "st_distance(b.shape, a.shape) < 2",
    "5 >= st_distance(a.shape, b.shape)",
    "0 >= st_distance(a.shape, b.shape)",
];

const QUERIES: [&str; 5] = [
    "SELECT * FROM a JOIN b ON $",
    "SELECT a.id, b.id FROM a, b WHERE $",
    "SELECT * FROM a LEFT JOIN b ON $",
    "SELECT * FROM a LEFT ANTI JOIN b ON $",
    "SELECT a.id FROM a WHERE a.id = 1 OR EXISTS (SELECT 1 FROM b WHERE $)",
];

/// The answers of the engine alone, and by an index; by cells too, if the query is an inner join.
async fn answers(shapes: &[Vec<Shape>; 2], query: &str) -> Result<Vec<Vec<String>>> {
    let alone = session(shapes)?;
    let ruled = session(shapes)?;
    BoxJoinRule::new().register(&ruled);
    GeometryRule::new().register(&ruled);
    let plan = plan_of(&ruled, query).await?;
    assert!(has_box_join(&plan), "{query}\n{}", displayable(plan.as_ref()).indent(false));
    let mut answers = vec![answer(&alone, query).await?, rows_of(&collect(plan, ruled.task_ctx()).await?)?];
    if query.starts_with(QUERIES[0].trim_end_matches('$')) {
        let by_cells = ByCells::new().with_rows(2).rewrite(ruled.sql(query).await?).await?;
        answers.push(rows_of(&by_cells.collect().await?)?);
    }
    Ok(answers)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn answers_are_those_of_the_nested_loop(
        a in vec(shape(), 0..20), b in vec(shape(), 0..20), condition in select(&CONDITIONS[..]), query in select(&QUERIES[..]),
    ) {
        let query = query.replace('$', condition);
        let runtime = Builder::new_current_thread().build().expect("a runtime needs nothing");
        let answers = runtime.block_on(answers(&[a, b], &query)).expect("no query fails");
        for found in &answers[1..] {
            prop_assert_eq!(found, &answers[0]);
        }
    }
}

#[tokio::test]
async fn joins_that_are_not_understood_stay_as_they_are() -> Result<()> {
    let context = session(&[vec![], vec![]])?;
    BoxJoinRule::new().register(&context);
    let plan = async |condition| plan_of(&context, &format!("SELECT * FROM a JOIN b ON {condition}")).await;
    assert!(!has_box_join(&plan(CONDITIONS[0]).await?), "there is no rule");
    GeometryRule::new().register(&context);
    let rules = context.state().optimizers().len();
    GeometryRule::new().register(&context);
    assert_eq!(context.state().optimizers().len(), rules);
    assert!(has_box_join(&plan(CONDITIONS[0]).await?));
    for condition in [
        "NOT st_intersects(a.shape, b.shape)",
        "st_intersects(a.shape, b.shape) OR a.id > b.id",
        "st_distance(a.shape, b.shape) >= 5",
        "st_distance(a.shape, b.shape) <= a.id",
        "st_distance(a.shape, b.shape) <= 'NaN'::DOUBLE",
        "a.id = b.id AND st_intersects(a.shape, b.shape)",
    ] {
        assert!(!has_box_join(&plan(condition).await?), "{condition}");
    }
    Ok(())
}
