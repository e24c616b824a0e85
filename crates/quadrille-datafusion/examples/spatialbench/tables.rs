//! Trips and buildings in a session with functions of geometry.

use std::path::Path;

use datafusion::common::Result;
use datafusion::prelude::{CsvReadOptions, SessionConfig, SessionContext};

/// Pickups near each building: `SpatialBench`'s eighth query, for the buildings with the most.
pub(crate) const NEAR: &str = "SELECT b_buildingkey, b_name, count(*) AS nearby_pickups FROM trip
    JOIN building ON ST_Distance(t_pickuploc, b_boundary) <= 0.0045
    GROUP BY b_buildingkey, b_name ORDER BY nearby_pickups DESC, b_buildingkey LIMIT 5";

/// Buildings that overlap: the join of `SpatialBench`'s ninth query.
pub(crate) const OVERLAPPING: &str = "SELECT count(*) AS pairs, sum(a.b_buildingkey) AS keys FROM building AS a
    JOIN building AS b ON a.b_buildingkey < b.b_buildingkey AND ST_Intersects(a.b_boundary, b.b_boundary)";

/// Pickups in the bounding boxes of buildings, without geometries.
pub(crate) const IN_BOXES: &str =
    "SELECT count(*) AS pairs, sum(t.key) AS trips, sum(b.key) AS buildings FROM trips AS t
    JOIN buildings AS b ON t.x BETWEEN b.x0 AND b.x1 AND t.y BETWEEN b.y0 AND b.y1";

/// A session with functions of geometry, in so many partitions.
pub(crate) fn session(partitions: usize) -> SessionContext {
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
    geodatafusion::register(&context);
    context
}

/// Reads `trip.csv` and `building.csv` from a folder into memory, as tables `trips` and `buildings`; and with geometries, as
/// `trip` and `building`.
pub(crate) async fn register(context: &SessionContext, folder: &Path) -> Result<()> {
    for (name, file) in [("trips", "trip.csv"), ("buildings", "building.csv")] {
        let path = folder.join(file).display().to_string();
        let rows = context.read_csv(path, CsvReadOptions::new()).await?.cache().await?;
        context.register_table(name, rows.into_view())?;
    }
    for (name, query) in [
        ("trip", "SELECT key AS t_tripkey, ST_Point(x, y) AS t_pickuploc FROM trips"),
        (
            "building",
            "SELECT key AS b_buildingkey, name AS b_name, ST_GeomFromText(shape) AS b_boundary FROM buildings",
        ),
    ] {
        let rows = context.sql(query).await?.cache().await?;
        context.register_table(name, rows.into_view())?;
    }
    Ok(())
}
