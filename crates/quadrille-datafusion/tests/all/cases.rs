//! Random tables and queries: values at which order, rounding and ends coincide.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::prelude::SessionConfig;
use proptest::prelude::*;
use proptest::sample::select;

use crate::tables::{Row, Table};

/// Conditions with boxes in them. Tables are `p` and `b`.
pub(crate) const CONDITIONS: [&str; 10] = [
    // Points in boxes, closed and open, in every order.
    "p.x0 >= b.x0 AND p.x0 <= b.x1 AND p.y0 >= b.y0 AND p.y0 <= b.y1",
    "p.x0 > b.x0 AND p.x0 < b.x1 AND p.y0 > b.y0 AND p.y0 < b.y1",
    "p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1",
    "b.y1 >= p.y0 AND b.x0 <= p.x0 AND b.x1 > p.x0 AND p.y0 >= b.y0",
    "p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1 AND p.z0 BETWEEN b.z0 AND b.z1",
    // Boxes that overlap.
    "p.x0 <= b.x1 AND p.x1 >= b.x0 AND p.y0 <= b.y1 AND p.y1 >= b.y0",
    "p.x0 <= b.x1 AND p.y0 <= b.y1 AND p.z0 <= b.z1 AND p.x1 >= b.x0 AND p.y1 >= b.y0 AND p.z1 >= b.z0",
    // Boxes in points, boxes in boxes.
    "p.x0 <= b.x0 AND b.x0 <= p.x1 AND p.y0 <= b.y0 AND b.y0 <= p.y1",
    "p.x0 <= b.x0 AND b.x1 <= p.x1 AND p.y0 <= b.y0 AND b.y1 <= p.y1",
    // Comparisons of different axes: senseless, but right.
    "p.x0 <= b.y1 AND p.z1 >= b.x0 AND p.y0 < b.z1 AND p.x1 > b.y0",
];

/// Predicates that may be asked for besides.
pub(crate) const EXTRAS: [&str; 4] = ["", " AND p.w <> b.w", " AND (p.w > 2 OR b.w > 1)", " AND p.id + b.id < 9"];

/// Queries with a condition in the place of `$`.
pub(crate) const QUERIES: [&str; 11] = [
    "SELECT * FROM p JOIN b ON $",
    "SELECT * FROM p, b WHERE $",
    "SELECT * FROM p LEFT JOIN b ON $",
    "SELECT * FROM p RIGHT JOIN b ON $",
    "SELECT b.id, p.w FROM p FULL JOIN b ON $",
    "SELECT * FROM p LEFT SEMI JOIN b ON $",
    "SELECT * FROM p RIGHT SEMI JOIN b ON $",
    "SELECT * FROM p LEFT ANTI JOIN b ON $",
    "SELECT * FROM p RIGHT ANTI JOIN b ON $",
    "SELECT id FROM p WHERE w = 1 OR EXISTS (SELECT 1 FROM b WHERE $)",
    "SELECT count(*) FROM p JOIN b ON $",
];

/// Those of them that yield pairs only.
pub(crate) const INNER: [&str; 4] = [
    "SELECT * FROM p JOIN b ON $",
    "SELECT * FROM p, b WHERE $",
    "SELECT b.id, p.w FROM p JOIN b ON $",
    "SELECT count(*) FROM p JOIN b ON $",
];

/// A query, the tables, and how it is run.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) tables: [Table; 2],
    pub(crate) query: String,
    pub(crate) batch_size: usize,
    pub(crate) partitions: usize,
    pub(crate) reorder: bool,
    pub(crate) left_rows: usize,
}

impl Case {
    /// The settings of a session.
    pub(crate) fn config(&self) -> SessionConfig {
        let mut config = SessionConfig::new().with_batch_size(self.batch_size).with_target_partitions(self.partitions);
        config.options_mut().optimizer.join_reordering = self.reorder;
        config
    }
}

fn coordinate() -> impl Strategy<Value = Option<f64>> {
    let lattice = (-2..6_i32).prop_map(f64::from);
    let special = select(vec![f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1e300, f64::MIN, 0.1]);
    prop_oneof![12 => lattice.prop_map(Some), 3 => special.prop_map(Some), 1 => Just(None)]
}

/// Mostly small boxes, some with their ends in any order.
fn row() -> impl Strategy<Value = Row> {
    let wild = proptest::array::uniform6(coordinate());
    let extents = proptest::array::uniform3(0..3_i32);
    let small = (proptest::array::uniform3(-1..4_i32), extents).prop_map(|(min, extent)| {
        let at = |axis: usize| Some(f64::from(min[axis]));
        let end = |axis: usize| Some(f64::from(min[axis] + extent[axis]));
        [at(0), end(0), at(1), end(1), at(2), end(2)]
    });
    (prop_oneof![wild, small], 0..4_i32)
}

fn table(name: &'static str, coordinates: DataType) -> impl Strategy<Value = Table> {
    let rows = prop_oneof![1 => Just(0..1_usize), 8 => Just(0..12_usize), 2 => Just(20..60_usize)];
    let rows = rows.prop_flat_map(|count| proptest::collection::vec(row(), count));
    (rows, 1..4_usize).prop_map(move |(rows, partitions)| Table {
        name,
        coordinates: coordinates.clone(),
        rows,
        partitions,
    })
}

fn tables() -> impl Strategy<Value = [Table; 2]> {
    let types = [
        (DataType::Float64, DataType::Float64),
        (DataType::Float64, DataType::Float64),
        (DataType::Float32, DataType::Float32),
        (DataType::Float32, DataType::Float64),
        (DataType::Int64, DataType::Float64),
        (DataType::UInt8, DataType::Int32),
        (DataType::Decimal128(9, 2), DataType::Decimal128(9, 2)),
        (DataType::Timestamp(TimeUnit::Nanosecond, None), DataType::Timestamp(TimeUnit::Nanosecond, None)),
    ];
    select(types.to_vec()).prop_flat_map(|(p, b)| (table("p", p), table("b", b)).prop_map(|(p, b)| [p, b]))
}

/// Any case.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    case_of(&QUERIES)
}

/// A case of some queries.
pub(crate) fn case_of(queries: &'static [&'static str]) -> impl Strategy<Value = Case> {
    let query = (select(queries), select(&CONDITIONS[..]), select(&EXTRAS[..]))
        .prop_map(|(query, condition, extra)| query.replace('$', &format!("{condition}{extra}")));
    let batch_size = select(vec![1_usize, 2, 3, 7, 8192]);
    let left_rows = select(vec![0_usize, 3, 1 << 16]);
    (tables(), query, batch_size, 1..4_usize, any::<bool>(), left_rows).prop_map(
        |(tables, query, batch_size, partitions, reorder, left_rows)| Case {
            tables,
            query,
            batch_size,
            partitions,
            reorder,
            left_rows,
        },
    )
}
