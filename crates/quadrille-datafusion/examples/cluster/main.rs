//! Starts a scheduler and two executors as processes on this machine, and joins ten million points with boxes: with two
//! executors, with one, and with one of two killed in the middle. Then kills all, and shows the error.

mod cluster;
mod roles;
mod tables;

use std::env;
use std::path::Path;
use std::time::{Duration, Instant};

use ballista_core::error::BallistaError;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use quadrille_datafusion::BoxJoinRule;
use tokio::time::sleep;

use crate::cluster::Cluster;
use crate::roles::Executor;
use crate::tables::{PAIRS, Size};

const SIZE: Size = Size { points: 10_000_000, boxes: 100_000, side: 0.01 };

/// Partitions of a query, so tasks of the stage that joins.
const PARTITIONS: usize = 8;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["scheduler", port] => roles::schedule(number(port)).await.map_err(BallistaError::into_datafusion),
        ["executor", scheduler, port, tasks, folder, cores, how] => {
            let (scheduler, port, tasks) = (number(scheduler), number(port), number(tasks));
            let (folder, cores) = ((*folder).to_owned(), usize::from(number(cores)));
            let executor = Executor { scheduler, port, tasks, folder, cores, box_joins: *how == "index" };
            roles::execute(executor).await.map_err(BallistaError::into_datafusion)
        }
        _ => demo().await,
    }
}

fn number(text: &str) -> u16 {
    text.parse().unwrap_or_else(|_| panic!("{text} is not a number"))
}

async fn demo() -> Result<()> {
    let folder = env::temp_dir().join("quadrille-cluster");
    std::fs::create_dir_all(&folder)?;
    tables::write(&folder, SIZE).await?;
    let here = SessionContext::new();
    BoxJoinRule::new().register(&here);
    tables::register(&here, &folder).await?;
    let (expected, _) = timed("in this process", &here).await?;

    let program = env::current_exe()?;
    let mut seconds = Vec::new();
    for executors in [1, 2] {
        let cluster = Cluster::start(&program, executors, 1, true).await?;
        for adaptive in [false, true] {
            let session = cluster.session(PARTITIONS, adaptive).await?;
            tables::register(&session, &folder).await?;
            let planning = if adaptive { "adaptive" } else { "static" };
            let (answer, time) = timed(&format!("{executors} executors, {planning} planning"), &session).await?;
            assert_eq!(answer, expected, "the cluster answers something else");
            seconds.push(time.as_secs_f64());
        }
    }
    println!("two executors are {:.2} times as fast as one", seconds[0] / seconds[2]);
    killed(&program, &folder, &expected, Duration::from_secs_f64(seconds[2] / 2.0)).await
}

/// Kills one executor in the middle of a query, and the other one in the middle of the next.
async fn killed(program: &Path, folder: &Path, expected: &[String], middle: Duration) -> Result<()> {
    let mut cluster = Cluster::start(program, 2, 1, true).await?;
    let session = cluster.session(PARTITIONS, false).await?;
    tables::register(&session, folder).await?;
    for survivors in [1, 0] {
        let running = session.clone();
        let name = format!("{survivors} executors survive");
        let query = tokio::spawn(async move { timed(&name, &running).await });
        sleep(middle).await;
        assert!(!query.is_finished(), "too late to kill");
        cluster.kill_one()?;
        match query.await.expect("the query does not panic") {
            Ok((answer, _)) => assert_eq!(answer, expected, "the cluster answers something else"),
            Err(error) => {
                assert_eq!(survivors, 0, "{error}");
                println!("no executor survives: {}", error.to_string().lines().next().unwrap_or_default());
            }
        }
    }
    Ok(())
}

async fn timed(name: &str, session: &SessionContext) -> Result<(Vec<String>, Duration)> {
    let start = Instant::now();
    let answer = tables::answer(session, PAIRS).await;
    println!("{name:<32} {:>7.2} s", start.elapsed().as_secs_f64());
    Ok((answer?, start.elapsed()))
}
