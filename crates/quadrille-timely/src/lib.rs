//! One world of moving objects on many workers, with the answers of one index.
//!
//! A [`World`] is cut by space; each worker of a [timely dataflow](timely) owns the spatial index of its cells. A
//! [`Program`] feeds rows and questions, tick by tick, and takes the answers.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod coordinate;
mod cut;
mod driver;
pub mod durable;
mod feed;
mod flow;
mod ids;
mod program;
mod question;
mod route;
mod row;
mod run;
mod shard;
mod source;
mod wire;
mod world;

pub use answer::{Answer, Kind};
pub use coordinate::Coordinate;
pub use cut::{Cut, WORKERS_MAX};
pub use driver::{Figures, WorkError};
pub use feed::{Feed, FeedError};
pub use program::Program;
pub use question::{Area, Layers, Question};
pub use run::{Cluster, ClusterError, Foreign, RecoveryError, RunError, threads};
pub use world::{LAYERS_MAX, PlanError, Rebalance, World};
