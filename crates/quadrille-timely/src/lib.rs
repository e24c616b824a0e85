//! One world of moving objects on many workers, with the answers of one index.
//!
//! A [`World`] is partitioned by space; each worker of a [timely dataflow](timely) owns the spatial index of its cells. A
//! [`Program`] feeds rows and questions, tick by tick, and takes the answers. [`threads`] runs a world in this process,
//! [`Cluster`] in several, which are kept on disk and go on after a death.
//!
//! ```
//! use quadrille::Rect;
//! use quadrille_timely::{Answer, Area, Feed, FeedError, Kind, Layers, Program, Question, World, threads};
//! use std::sync::mpsc::{Sender, channel};
//!
//! /// Feeds a worker: its boats drift to the east, one unit a tick.
//! struct Harbour {
//!     boats: u8,
//!     heard: Sender<(u64, Answer)>,
//! }
//!
//! impl Program<f32, 2> for Harbour {
//!     fn feed(&mut self, tick: u64, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
//!         // Ids are the caller's; each worker reads the boats that fall to it.
//!         for id in (feed.worker() as u64..100).step_by(feed.workers()) {
//!             feed.put_point(self.boats, id, [(tick - 1) as f32, id as f32])?;
//!         }
//!         if feed.worker() == 0 {
//!             let area = Area::Rect(Rect::new([5.0, 40.0], [90.0, 42.0]));
//!             feed.ask(1, Question::Window { layers: Layers::of(self.boats), area })?;
//!         }
//!         Ok(())
//!     }
//!
//!     fn is_last(&self, tick: u64) -> bool {
//!         tick == 6
//!     }
//!
//!     fn answers(&mut self, tick: u64, answers: &[Answer]) {
//!         answers.iter().for_each(|answer| self.heard.send((tick, *answer)).unwrap());
//!     }
//! }
//!
//! let mut world = World::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?.merged();
//! let boats = world.add_points()?;
//! let (heard, answers) = channel();
//! threads(&world, 2, move |_worker| Harbour { boats, heard: heard.clone() })?;
//!
//! // At tick 6 they have come as far as the window. All answers come to worker 0, sorted.
//! let found: Vec<_> = answers.iter().map(|(tick, answer)| (tick, answer.question, answer.kind, answer.a)).collect();
//! assert_eq!(found, [40, 41, 42].map(|boat| (6, 1, Kind::Found, boat)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The parts
//!
//! - [`World`]: bounds and layers, how its objects are fed, and how answers come. All workers have the same.
//! - [`Program`]: the caller's side of one worker. [`Feed`] takes its rows and questions, and refuses what no world can hold.
//! - [`Question`] and [`Answer`]: windows, the nearest and pairs, answered once; fences and contacts, whose changes are reported from then on.
//! - [`Partition`]: which worker owns which cell.
//! - [`threads`], [`Cluster`]: all workers of a world. [`Connections`]: those that you start yourself.
//!
//! # Ticks
//!
//! Time is the tick, from 1. All that any worker feeds in a tick is applied before a question of that tick is answered, so an
//! answer does not depend on the number of workers, nor on which is faster. Workers go in lockstep: the slowest holds up all.
//!
//! # Who may connect
//!
//! Nobody is authenticated, and whoever reaches a socket can send rows. [`Cluster::run`] stays on the loopback address; for
//! other machines see [`Cluster::process`].

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod check;
mod coordinate;
mod partition;
mod driver;
mod feed;
mod flow;
mod ids;
mod kept;
mod links;
mod program;
mod question;
mod route;
mod row;
mod run;
mod shard;
mod source;
mod wire;
mod world;

// A module, so that the dataflow is compiled once for all tests.
#[cfg(test)]
#[path = "../tests/all/main.rs"]
mod all;
#[cfg(test)]
#[path = "../tests/simulation/mod.rs"]
mod simulation;
#[cfg(test)]
extern crate self as quadrille_timely;

pub use answer::{Answer, Kind};
pub use check::FeedError;
pub use coordinate::Coordinate;
pub use driver::{WorkError, WorkerStats};
pub use feed::Feed;
pub use kept::recovery::RecoveryError;
pub use kept::state::Foreign;
pub use kept::store::StoreError;
pub use links::{Connections, Link, LinkError, LinkFault};
pub use partition::{Partition, WORKERS_MAX};
pub use program::Program;
pub use question::{Area, Layers, Question};
pub use run::{Cluster, ClusterError, Event, RunError, on_worker, threads};
pub use world::{LAYERS_MAX, PlanError, Rebalance, World};
