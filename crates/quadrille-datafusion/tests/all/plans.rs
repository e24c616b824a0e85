//! Which joins are replaced, and what their plans say.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{Volatility, create_udf};
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};
use quadrille_datafusion::BoxJoinRule;

use crate::tables::{Table, answer, has_box_join, plain, plan_of, ruled};

/// A session with two small tables of boxes.
fn session() -> Result<SessionContext> {
    ruled(SessionConfig::new().with_target_partitions(2), &tables(), BoxJoinRule::new())
}

fn tables() -> [Table; 2] {
    let row = |n: i32| ([0.0, 1.0, 0.0, 1.0, 0.0, 1.0].map(|end| Some(f64::from(n) + end)), n);
    ["p", "b"].map(|name| Table {
        name,
        coordinates: DataType::Float64,
        rows: (0..5).map(row).collect(),
        partitions: 1,
    })
}

async fn plan_text(condition: &str) -> Result<String> {
    let context = session()?;
    let random = Arc::new(|_: &[_]| unreachable!("nothing is run"));
    context.register_udf(create_udf("random", vec![], DataType::Float64, Volatility::Volatile, random));
    let query = format!("SELECT * FROM p JOIN b ON {condition}");
    let plan = plan_of(&context, &query).await?;
    Ok(displayable(plan.as_ref()).indent(false).to_string())
}

#[tokio::test]
async fn axes_are_paired_by_the_names_of_columns() -> Result<()> {
    let boxes = "p.x0 <= b.x1 AND p.y1 >= b.y0 AND p.y0 <= b.y1 AND p.x1 >= b.x0";
    let text = plan_text(boxes).await?;
    assert!(text.contains("left=[x0@1..x1@2, y0@3..y1@4], right=[x0@1..x1@2, y0@3..y1@4]"), "{text}");
    let points = "p.x0 >= b.x0 AND p.y0 <= b.y1 AND p.x0 <= b.x1 AND p.y0 >= b.y0";
    let text = plan_text(points).await?;
    assert!(text.contains("left=[x0@1, y0@3], right=[x0@1..x1@2, y0@3..y1@4]"), "{text}");
    Ok(())
}

#[tokio::test]
async fn three_axes_are_used() -> Result<()> {
    let text = plan_text(
        "p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1 AND p.z0 BETWEEN b.z0 AND b.z1 AND p.w < b.w",
    )
    .await?;
    assert!(text.contains("left=[x0@1, y0@3, z0@5]"), "{text}");
    Ok(())
}

#[tokio::test]
async fn expressions_of_one_side_are_ends_too() -> Result<()> {
    let condition = "p.x0 - 0.5 <= b.x0 AND p.x0 + 0.5 >= b.x0 AND coalesce(p.y0, p.w) BETWEEN b.y0 * 2 AND b.y1 * 3";
    assert!(plan_text(condition).await?.contains("BoxJoinExec"));
    let query = format!("SELECT p.id, b.id FROM p JOIN b ON {condition}");
    let expected = answer(&plain(SessionConfig::new(), &tables())?, &query).await?;
    assert!(!expected.is_empty());
    assert_eq!(answer(&session()?, &query).await?, expected);
    Ok(())
}

#[tokio::test]
async fn other_joins_stay_as_they_are() -> Result<()> {
    for condition in [
        // One axis.
        "p.x0 BETWEEN b.x0 AND b.x1",
        "p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 <= b.y1",
        // No conjunction.
        "p.x0 BETWEEN b.x0 AND b.x1 OR p.y0 BETWEEN b.y0 AND b.y1",
        // Both sides in one expression.
        "p.x0 - b.x0 < 1 AND p.x0 - b.x0 > -1 AND p.y0 - b.y0 < 1 AND p.y0 - b.y0 > -1",
        // No numbers.
        "CAST(p.x0 AS TEXT) BETWEEN CAST(b.x0 AS TEXT) AND CAST(b.x1 AS TEXT) AND p.y0 BETWEEN b.y0 AND b.y1",
        // A hash join.
        "p.w = b.w AND p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1",
        // Another answer each time.
        "p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1 AND random() + p.w < b.w",
    ] {
        let text = plan_text(condition).await?;
        assert!(!text.contains("BoxJoinExec"), "{condition}\n{text}");
    }
    Ok(())
}

#[tokio::test]
async fn registering_twice_is_registering_once() -> Result<()> {
    let context = session()?;
    let rules = context.state().physical_optimizers().len();
    BoxJoinRule::new().register(&context);
    assert_eq!(context.state().physical_optimizers().len(), rules);
    Ok(())
}

#[tokio::test]
async fn clones_of_the_session_have_the_rule() -> Result<()> {
    let context = plain(SessionConfig::new(), &tables())?;
    let clone = context.clone();
    BoxJoinRule::new().register(&context);
    let query = "SELECT * FROM p JOIN b ON p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1";
    assert!(has_box_join(&plan_of(&clone, query).await?));
    Ok(())
}

#[tokio::test]
async fn explain_analyze_tells_candidates_and_matches() -> Result<()> {
    let query = "EXPLAIN ANALYZE SELECT * FROM p JOIN b
                 ON p.x0 BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1 AND p.w <> b.w";
    let text = answer(&session()?, query).await?.join("\n");
    // Each point lies in its own box and at the corner of the one before it.
    for expected in ["build_rows=5", "probe_rows=5", "candidates=9", "matches=4", "output_rows=4", "build_mem_used="] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    Ok(())
}

#[tokio::test]
async fn what_fails_in_a_nested_loop_fails_here() -> Result<()> {
    let query = "SELECT * FROM p JOIN b ON 1 / (p.w - 2) BETWEEN b.x0 AND b.x1 AND p.y0 BETWEEN b.y0 AND b.y1";
    let context = session()?;
    assert!(has_box_join(&plan_of(&context, query).await?));
    let expected = answer(&plain(SessionConfig::new(), &tables())?, query).await;
    let found = answer(&context, query).await;
    let [expected, found] = [expected, found].map(|answer| answer.expect_err("it divides by zero").to_string());
    assert!(expected.contains("Divide by zero"), "{expected}");
    assert!(found.contains("Divide by zero"), "{found}");
    Ok(())
}
