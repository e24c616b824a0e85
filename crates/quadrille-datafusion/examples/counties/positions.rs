//! Writes positions along the flights, minute by minute. When all flights are flown, they are flown again, a little beside
//! the path of the day before.

use std::f64::consts::TAU;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Float64Builder, Int32Builder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;

use crate::recorded::{Flight, Position};
use crate::shared::file;

const MILES_A_MINUTE: f64 = 400.0 / 60.0;
const ROWS_A_BATCH: usize = 100_000;

/// Writes so many positions to a file.
pub(crate) fn write(flights: &[Flight], rows: usize, file: &Path) -> Result<()> {
    let mut positions = all(flights).take(rows);
    let batches = std::iter::from_fn(|| {
        let batch = batch(positions.by_ref().take(ROWS_A_BATCH));
        batch.map(|batch| (batch.num_rows() > 0).then_some(batch)).transpose()
    });
    file::write(file, schema(), rows, batches)
}

fn schema() -> SchemaRef {
    let integer = |name| Field::new(name, DataType::Int32, false);
    let number = |name| Field::new(name, DataType::Float64, false);
    Arc::new(Schema::new(vec![integer("flight"), integer("minute"), number("lon"), number("lat")]))
}

fn batch(positions: impl Iterator<Item = (i32, i32, Position)>) -> Result<RecordBatch> {
    let (mut flights, mut minutes) = (Int32Builder::new(), Int32Builder::new());
    let (mut lons, mut lats) = (Float64Builder::new(), Float64Builder::new());
    for (flight, minute, [lon, lat]) in positions {
        flights.append_value(flight);
        minutes.append_value(minute);
        lons.append_value(lon);
        lats.append_value(lat);
    }
    let columns: Vec<datafusion::arrow::array::ArrayRef> =
        vec![Arc::new(flights.finish()), Arc::new(minutes.finish()), Arc::new(lons.finish()), Arc::new(lats.finish())];
    Ok(RecordBatch::try_new(schema(), columns)?)
}

/// Flight, minute and position, without end.
fn all(flights: &[Flight]) -> impl Iterator<Item = (i32, i32, Position)> {
    let days = (0..).flat_map(|day| flights.iter().map(move |flight| (day, flight)));
    days.zip(0..).flat_map(|((day, flight), number)| {
        let minutes = (flight.miles / MILES_A_MINUTE).ceil().max(1.0) as i32;
        let beside = 0.05 * (f64::from(day) + f64::from(number) * 0.37).sin() * f64::from(day.min(1));
        (0..=minutes).map(move |minute| {
            let [lon, lat] = along(flight.from, flight.to, f64::from(minute) / f64::from(minutes));
            (number, minute, [lon + beside, lat - beside])
        })
    })
}

/// The point that divides the shortest way over the globe.
fn along(from: Position, to: Position, share: f64) -> Position {
    let (a, b) = (on_sphere(from), on_sphere(to));
    let angle = a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>().clamp(-1.0, 1.0).acos();
    if angle < 1e-9 {
        return from;
    }
    let (share_a, share_b) = (((1.0 - share) * angle).sin() / angle.sin(), (share * angle).sin() / angle.sin());
    let [x, y, z] = std::array::from_fn(|axis| share_a * a[axis] + share_b * b[axis]);
    [y.atan2(x) * 360.0 / TAU, z.atan2(x.hypot(y)) * 360.0 / TAU]
}

fn on_sphere([lon, lat]: Position) -> [f64; 3] {
    let (lon, lat) = (lon.to_radians(), lat.to_radians());
    [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
}
