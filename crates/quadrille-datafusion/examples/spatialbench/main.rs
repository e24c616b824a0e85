//! `SpatialBench`'s pickups near buildings, and its buildings that overlap, by an index. Its argument is the folder
//! into which the package `spatialbench` has written.

mod tables;

use std::env;
use std::path::Path;
use std::time::Instant;

use datafusion::arrow::util::pretty::print_batches;
use datafusion::common::{Result, plan_datafusion_err};
use quadrille_datafusion::{BoxJoinRule, GeometryRule};

use crate::tables::{IN_BOXES, NEAR, OVERLAPPING, register, session};

#[tokio::main]
async fn main() -> Result<()> {
    let folder = env::args().nth(1).ok_or_else(|| plan_datafusion_err!("which folder?"))?;
    let context = session(1);
    BoxJoinRule::new().register(&context);
    GeometryRule::new().register(&context);
    register(&context, Path::new(&folder)).await?;
    for table in ["trip", "building"] {
        println!("{table}: {} rows", context.table(table).await?.count().await?);
    }
    for query in [IN_BOXES, NEAR, OVERLAPPING] {
        let begun = Instant::now();
        let answer = context.sql(query).await?.collect().await?;
        println!("\n{query}\n{:.2} s", begun.elapsed().as_secs_f64());
        print_batches(&answer)?;
    }
    Ok(())
}
