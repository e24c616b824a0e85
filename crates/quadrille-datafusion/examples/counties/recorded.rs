//! The recorded tables: flights between airports, and boxes of counties. The engine reads them.

use std::collections::HashMap;
use std::path::Path;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, Float64Type, Schema};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::prelude::{CsvReadOptions, SessionContext};

/// Longitude and latitude in degrees.
pub(crate) type Position = [f64; 2];

/// A flight, straight over the globe.
pub(crate) struct Flight {
    pub(crate) from: Position,
    pub(crate) to: Position,
    /// Statute miles.
    pub(crate) miles: f64,
}

/// The boxes of counties, as they are in the table.
pub(crate) struct Counties {
    pub(crate) table: RecordBatch,
}

/// The columns of a file of comma-separated values; those named `*` are text, the others numbers.
async fn read(data: &Path, file: &str, columns: &[&str], condition: &str) -> Result<Vec<RecordBatch>> {
    let field = |name: &&str| match name.strip_prefix('*') {
        Some(text) => Field::new(text, DataType::Utf8, false),
        None => Field::new(*name, DataType::Float64, false),
    };
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let context = SessionContext::new();
    let path = data.join(file);
    let path = path.to_str().expect("the path is text");
    context.register_csv("file", path, CsvReadOptions::new().schema(&schema)).await?;
    context.sql(&format!("SELECT * FROM file {condition}")).await?.collect().await
}

fn numbers<'a>(batch: &'a RecordBatch, name: &str) -> &'a [f64] {
    batch.column_by_name(name).expect("the column is in the schema").as_primitive::<Float64Type>().values()
}

fn texts<'a>(batch: &'a RecordBatch, name: &str) -> Vec<&'a str> {
    let column = batch.column_by_name(name).expect("the column is in the schema").as_string::<i32>();
    (0..column.len()).map(|row| column.value(row)).collect()
}

/// All flights.
pub(crate) async fn flights(data: &Path) -> Result<Vec<Flight>> {
    let mut airports = HashMap::<String, Position>::new();
    for batch in read(data, "airports.csv", &["*iata", "*name", "*city", "*state", "lon", "lat"], "").await? {
        let positions = numbers(&batch, "lon").iter().zip(numbers(&batch, "lat"));
        let positions = positions.map(|(lon, lat)| [*lon, *lat]);
        airports.extend(texts(&batch, "iata").into_iter().map(str::to_owned).zip(positions));
    }
    let columns = ["*departure", "*origin", "*destination", "delay_min", "distance_mi"];
    let mut flights = Vec::new();
    for batch in read(data, "flights.csv", &columns, "").await? {
        let ends = texts(&batch, "origin").into_iter().zip(texts(&batch, "destination"));
        for ((origin, destination), miles) in ends.zip(numbers(&batch, "distance_mi")) {
            flights.push(Flight { from: airports[origin], to: airports[destination], miles: *miles });
        }
    }
    Ok(flights)
}

/// All counties.
pub(crate) async fn counties(data: &Path) -> Result<Counties> {
    let columns = ["*kind", "*fips", "min_lon", "min_lat", "max_lon", "max_lat", "*name"];
    let batches = read(data, "regions.csv", &columns, "WHERE kind = 'county'").await?;
    let schema = batches[0].schema();
    Ok(Counties { table: datafusion::arrow::compute::concat_batches(&schema, &batches)? })
}

impl Counties {
    /// The number, the south-western corner and the north-eastern corner of each.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = (&str, Position, Position)> {
        let [west, south, east, north] =
            ["min_lon", "min_lat", "max_lon", "max_lat"].map(|name| numbers(&self.table, name));
        let fips = texts(&self.table, "fips").into_iter().enumerate();
        fips.map(move |(row, fips)| (fips, [west[row], south[row]], [east[row], north[row]]))
    }
}
