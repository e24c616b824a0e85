//! Joins on functions of geometry, those of geodatafusion: the answers are those of the engine without an index.

#[path = "../examples/spatialbench/tables.rs"]
mod tables;

use std::fmt::Write as _;
use std::fs;

use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::physical_plan::displayable;
use datafusion::prelude::SessionContext;
use quadrille_datafusion::{BoxJoinRule, ByCells, GeometryRule};
use tempfile::TempDir;

use crate::tables::{IN_BOXES, NEAR, OVERLAPPING, register, session};

const TRIPS: usize = 600;
const BUILDINGS: usize = 300;

/// A number from 0 to 1, spread evenly as the first one counts up.
fn spread(number: usize, factor: f64) -> f64 {
    (f64::from(u32::try_from(number).expect("few rows")) * factor).fract()
}

/// Triangles and points of a square of side 10, as files; every thirtieth triangle lies in the one before it.
fn files() -> Result<TempDir> {
    let folder = TempDir::new()?;
    let mut trips = "key,x,y\n".to_owned();
    for key in 0..TRIPS {
        let [x, y] = [0.754_877_666, 0.569_840_291].map(|factor| 10.0 * spread(key, factor));
        writeln!(trips, "{key},{x},{y}").expect("text grows");
    }
    let mut buildings = "key,name,shape,x0,y0,x1,y1\n".to_owned();
    for key in 0..BUILDINGS {
        let is_within = key % 30 == 29;
        let [x, y] = [0.618_033_988, 0.414_213_562].map(|factor| 10.0 * spread(key - usize::from(is_within), factor));
        let (begin, side) = if is_within { (0.1, 0.2) } else { (0.0, 0.5) };
        let (x, y, x1, y1) = (x + begin, y + begin, x + begin + side, y + begin + side);
        writeln!(buildings, "{key},b{key},\"POLYGON(({x} {y},{x1} {y},{x} {y1},{x} {y}))\",{x},{y},{x1},{y1}")
            .expect("text grows");
    }
    fs::write(folder.path().join("trip.csv"), trips)?;
    fs::write(folder.path().join("building.csv"), buildings)?;
    Ok(folder)
}

/// A session without the rules, and one with them.
async fn sessions() -> Result<[SessionContext; 2]> {
    let folder = files()?;
    let sessions = [session(3), session(3)];
    for session in &sessions {
        register(session, folder.path()).await?;
    }
    BoxJoinRule::new().register(&sessions[1]);
    GeometryRule::new().register(&sessions[1]);
    Ok(sessions)
}

/// Compares the answers to a query. Returns how many rows they have.
async fn compare([alone, ruled]: &[SessionContext; 2], query: &str) -> Result<usize> {
    let frame = ruled.sql(query).await?;
    let plan = displayable(frame.clone().create_physical_plan().await?.as_ref()).indent(false).to_string();
    assert!(plan.contains("BoxJoinExec"), "{query}\n{plan}");
    let expected = alone.sql(query).await?.collect().await?;
    let by_cells = ByCells::new().with_rows(50).rewrite(frame.clone()).await?;
    for found in [frame.collect().await?, by_cells.collect().await?] {
        let [found, expected] =
            [&found, &expected].map(|rows| pretty_format_batches(rows).map(|rows| rows.to_string()));
        assert_eq!(found?, expected?, "{query}");
    }
    Ok(expected.iter().map(RecordBatch::num_rows).sum())
}

#[tokio::test]
async fn queries_of_spatialbench() -> Result<()> {
    let sessions = sessions().await?;
    assert_eq!(compare(&sessions, &NEAR.replace("0.0045", "0.1")).await?, 5);
    for query in [IN_BOXES, OVERLAPPING] {
        assert_eq!(compare(&sessions, query).await?, 1);
    }
    Ok(())
}

#[tokio::test]
async fn functions_of_two_geometries() -> Result<()> {
    let sessions = sessions().await?;
    for condition in [
        "ST_Intersects(a.b_boundary, b.b_boundary)",
        "ST_Intersects(b.b_boundary, a.b_boundary) AND a.b_buildingkey > b.b_buildingkey",
        "ST_Contains(a.b_boundary, b.b_boundary)",
        "ST_Within(a.b_boundary, b.b_boundary)",
        "ST_Covers(a.b_boundary, b.b_boundary)",
        "ST_CoveredBy(a.b_boundary, b.b_boundary)",
        "ST_Overlaps(a.b_boundary, b.b_boundary)",
        "ST_Equals(a.b_boundary, b.b_boundary)",
        "ST_Distance(a.b_boundary, b.b_boundary) < 0.3",
        "0.25 >= ST_Distance(b.b_boundary, a.b_boundary)",
    ] {
        let query = format!(
            "SELECT a.b_buildingkey, b.b_buildingkey FROM building a JOIN building b ON {condition}
             ORDER BY a.b_buildingkey, b.b_buildingkey"
        );
        assert!(compare(&sessions, &query).await? > 0, "{condition}");
    }
    Ok(())
}

#[tokio::test]
async fn points_and_geometries() -> Result<()> {
    let sessions = sessions().await?;
    for condition in [
        "ST_Intersects(t_pickuploc, b_boundary)",
        "ST_Within(t_pickuploc, b_boundary)",
        "ST_Distance(b_boundary, t_pickuploc) <= 0.05",
        "ST_Intersects(ST_ConvexHull(b_boundary), t_pickuploc)",
    ] {
        let query = format!(
            "SELECT t_tripkey, b_buildingkey FROM trip JOIN building ON {condition} ORDER BY t_tripkey, b_buildingkey"
        );
        assert!(compare(&sessions, &query).await? > 0, "{condition}");
    }
    Ok(())
}
