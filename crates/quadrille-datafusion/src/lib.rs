//! Box joins for [`DataFusion`](datafusion): joins on inequalities in two or three dimensions, answered by a
//! [quadrille](https://docs.rs/quadrille) index instead of a nested loop.
//!
//! Register the rule, and write plain SQL:
//!
//! ```
//! # use datafusion::prelude::SessionContext;
//! # use quadrille_datafusion::BoxJoinRule;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> datafusion::common::Result<()> {
//! let context = SessionContext::new();
//! BoxJoinRule::new().register(&context);
//!
//! context.sql("CREATE TABLE counties (name TEXT, x0 DOUBLE, y0 DOUBLE, x1 DOUBLE, y1 DOUBLE)
//!              AS VALUES ('north', 0.0, 5.0, 9.0, 9.0), ('south', 0.0, 0.0, 9.0, 5.0)").await?.collect().await?;
//! context.sql("CREATE TABLE positions (x DOUBLE, y DOUBLE)
//!              AS VALUES (1.0, 1.0), (2.0, 5.0)").await?.collect().await?;
//! let joined = context.sql("SELECT name, count(*) FROM positions AS p JOIN counties AS c
//!                           ON p.x BETWEEN c.x0 AND c.x1 AND p.y BETWEEN c.y0 AND c.y1
//!                           GROUP BY name ORDER BY name").await?;
//! datafusion::assert_batches_eq!(
//!     ["+-------+----------+",
//!      "| name  | count(*) |",
//!      "+-------+----------+",
//!      "| north | 1        |",
//!      "| south | 2        |",
//!      "+-------+----------+"],
//!     &joined.collect().await?
//! );
//! # Ok(())
//! # }
//! ```
//!
//! The rule looks for nested loop joins whose filter bounds intervals on two or three axes: points in boxes, or boxes that
//! overlap. A [`BoxJoinExec`] takes their place, of any join type. The index only proposes candidates; the whole filter
//! is evaluated on them, so the answer is that of the nested loop whatever the values are: nulls, NaN, infinities, boxes
//! with swapped corners, any number type. A join that the rule does not understand stays as it is.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod bits;
mod coordinate;
mod interval;
mod corners;
mod index;
mod search;
mod rows;
mod output;
mod metrics;
mod source;
mod spec;
mod sides;
mod gather;
mod build;
mod stage;
mod concurrency;
mod spill_limit;
mod task;
mod exec;
mod rule;
mod cells;
mod overlap;
mod sample;
mod by_cells;
mod predicate;
mod geometry;
#[cfg(feature = "ballista")]
mod attempts;
#[cfg(feature = "ballista")]
mod engine;

pub use by_cells::ByCells;
#[cfg(feature = "ballista")]
pub use engine::BoxJoinEngine;
pub use exec::BoxJoinExec;
pub use geometry::GeometryRule;
pub use rule::BoxJoinRule;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
