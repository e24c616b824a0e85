//! Worlds without edges: queries in a world that repeats on some axes.
//!
//! Objects are stored once. In a periodic world each of them stands for its images too, moved by whole periods. The
//! question moves, not the objects: `images` says by which offsets. `query`, `ordered` and `pairs` ask the index once for
//! each, by the queries that it has, and yield each object at one of its images only. No query remembers what it has
//! yielded; it compares the images of an object instead.
//!
//! - `world` is the world, and takes coordinates modulo its periods.
//! - `images` owns the offsets of a question.
//! - `query` takes regions from image to image, `merge` merges ordered queries, and `ordered` names these.
//! - `view` joins a world with an index.
//!
//! Keeps invariants Q15 and Q16 of `docs/invariants.md`.

mod images;
mod merge;
mod ordered;
mod pairs;
mod query;
mod view;
mod world;

pub use ordered::{PeriodicCast, PeriodicNearest, PeriodicRaycast};
pub use pairs::PeriodicPairs;
pub use query::PeriodicQuery;
pub use view::PeriodicIndex;
pub use world::Periodic;
