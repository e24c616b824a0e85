//! Real processes, real kills. For the release profile: in the other one the engine is too slow to be waited for.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use quadrille_datafusion::{BoxJoinRule, ByCells};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::cluster::Cluster;
use crate::tables::{PAIRS, Size, answer, register, write};

/// The example, which `cargo test` builds too.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let tests = env::current_exe().expect("a test is a program");
    let folder = tests.ancestors().nth(2).expect("it is in the folder `deps`");
    folder.join("examples").join(format!("cluster{}", env::consts::EXE_SUFFIX))
});

/// Long enough to be killed in the middle: a second or two.
const LONG: Size = Size { points: 2_000_000, boxes: 20_000, side: 0.05 };

/// Short enough for the nested loop.
const SHORT: Size = Size { points: 20_000, boxes: 300, side: 0.1 };

/// Longer than a query may wait for executors that are dead.
const BOUND: Duration = Duration::from_mins(1);

async fn files(size: Size) -> Result<TempDir> {
    let folder = TempDir::new()?;
    write(folder.path(), size).await?;
    Ok(folder)
}

/// A session without a cluster.
async fn alone(folder: &Path, box_joins: bool) -> Result<SessionContext> {
    let context = SessionContext::new();
    if box_joins {
        BoxJoinRule::new().register(&context);
    }
    register(&context, folder).await?;
    Ok(context)
}

async fn of(cluster: &Cluster, folder: &Path, adaptive: bool) -> Result<SessionContext> {
    let session = cluster.session(8, adaptive).await?;
    register(&session, folder).await?;
    Ok(session)
}

const INSIDE: &str = "p.x BETWEEN b.x0 AND b.x1 AND p.y BETWEEN b.y0 AND b.y1 AND p.id % 3 <> b.id % 5";

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_one_process() -> Result<()> {
    let folder = files(SHORT).await?;
    let expected = alone(folder.path(), false).await?;
    let cluster = Cluster::start(&PROGRAM, 2, 2, true).await?;
    let queries = [
        format!("SELECT p.id, b.id FROM points p JOIN boxes b ON {INSIDE}"),
        format!("SELECT p.id, b.id FROM points p LEFT JOIN boxes b ON {INSIDE} AND b.id > 250"),
        format!("SELECT p.id FROM points p WHERE EXISTS (SELECT 1 FROM boxes b WHERE {INSIDE} AND b.id > 250)"),
        format!("SELECT p.id FROM points p WHERE NOT EXISTS (SELECT 1 FROM boxes b WHERE {INSIDE} AND b.id > 250)"),
        format!("SELECT b.id, count(*) FROM points p JOIN boxes b ON {INSIDE} GROUP BY b.id"),
    ];
    for adaptive in [false, true] {
        let session = of(&cluster, folder.path(), adaptive).await?;
        for query in &queries {
            let (answer, expected) = (answer(&session, query).await?, answer(&expected, query).await?);
            assert!(answer == expected, "{} rows, not {}: {query}", answer.len(), expected.len());
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn joins_by_cells_have_the_same_answers() -> Result<()> {
    let folder = files(SHORT).await?;
    let expected = alone(folder.path(), false).await?;
    let cluster = Cluster::start(&PROGRAM, 2, 2, true).await?;
    let overlap = "a.x0 <= b.x1 AND a.x1 >= b.x0 AND a.y0 <= b.y1 AND a.y1 >= b.y0";
    let queries = [
        format!("SELECT count(*), sum(p.id), sum(b.id) FROM points p JOIN boxes b ON {INSIDE}"),
        format!("SELECT count(*), sum(a.id), sum(b.id) FROM boxes a JOIN boxes b ON {overlap}"),
    ];
    for adaptive in [false, true] {
        let session = of(&cluster, folder.path(), adaptive).await?;
        for query in &queries {
            let by_cells = ByCells::new().with_rows(500).rewrite(session.sql(query).await?).await?;
            let found = by_cells.collect().await?;
            let found = pretty_format_batches(&found)?.to_string();
            let expected = expected.sql(query).await?.collect().await?;
            let expected = pretty_format_batches(&expected)?.to_string();
            assert_eq!(found, expected, "{query}");
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_join_that_yields_rows_of_the_left_side_is_refused() -> Result<()> {
    let folder = files(SHORT).await?;
    let cluster = Cluster::start(&PROGRAM, 1, 1, true).await?;
    let session = of(&cluster, folder.path(), false).await?;
    let full = format!("SELECT p.id, b.id FROM points p FULL JOIN boxes b ON {INSIDE} AND b.id > 250");
    let error = answer(&session, &full).await.expect_err("it is refused");
    assert!(error.to_string().contains("write it with the sides swapped"), "{error}");
    Ok(())
}

/// Kills an executor that has written boxes. Before its silence is noticed, the other one finishes pairs. Returns the answer and
/// the right one.
async fn answer_without_boxes(box_joins: bool, size: Size) -> Result<[Vec<String>; 2]> {
    let folder = files(size).await?;
    let expected = answer(&alone(folder.path(), true).await?, PAIRS).await?;
    let mut cluster = Cluster::start(&PROGRAM, 2, 1, box_joins).await?;
    let session = of(&cluster, folder.path(), false).await?;
    // So that files are read in parts although they are small, and boxes make a stage of their own.
    for setting in ["optimizer.repartition_file_min_size = 1", "execution.batch_size = 256"] {
        session.sql(&format!("SET datafusion.{setting}")).await?.collect().await?;
    }
    let query = tokio::spawn(async move { answer(&session, PAIRS).await });
    sleep(Duration::from_millis(700)).await;
    assert!(!query.is_finished(), "it was too short");
    assert!(cluster.kill_one()?);
    Ok([query.await.expect("no panic")?, expected])
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executor_killed_with_boxes_changes_nothing() -> Result<()> {
    let [answer, expected] = answer_without_boxes(true, LONG).await?;
    assert_eq!(answer, expected);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "shows a fault of Ballista 55: without box joins in the executors the answer is wrong"]
async fn an_executor_killed_with_boxes_changes_nothing_without_box_joins() -> Result<()> {
    let [answer, expected] = answer_without_boxes(false, Size { points: 1_000_000, boxes: 300, side: 0.1 }).await?;
    assert_eq!(answer, expected);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executor_killed_midway_changes_nothing() -> Result<()> {
    let folder = files(LONG).await?;
    let expected = answer(&alone(folder.path(), true).await?, PAIRS).await?;
    for adaptive in [false, true] {
        let mut cluster = Cluster::start(&PROGRAM, 2, 1, true).await?;
        let session = of(&cluster, folder.path(), adaptive).await?;
        let query = tokio::spawn(async move { answer(&session, PAIRS).await });
        sleep(Duration::from_millis(700)).await;
        assert!(!query.is_finished(), "it was too short");
        assert!(cluster.kill_one()?);
        assert_eq!(query.await.expect("no panic")?, expected);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_executors_a_query_fails_soon() -> Result<()> {
    let folder = files(LONG).await?;
    let mut cluster = Cluster::start(&PROGRAM, 2, 1, true).await?;
    let session = of(&cluster, folder.path(), false).await?;
    let query = tokio::spawn(async move { answer(&session, PAIRS).await });
    sleep(Duration::from_millis(700)).await;
    assert!(!query.is_finished(), "it was too short");
    let killed = Instant::now();
    while cluster.kill_one()? {}
    query.await.expect("no panic").expect_err("there is nobody to answer");
    assert!(killed.elapsed() < BOUND, "{:?}", killed.elapsed());
    Ok(())
}
