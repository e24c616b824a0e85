//! Ordered queries: `nearest`, `raycast`, `cast` and `nearest_by`.
//!
//! There are two engines, because a rank of our own costs next to nothing and a user's metric may cost anything. The
//! first serves `nearest`, `raycast` and `cast`. It keeps no state but the last object yielded: `search` goes through the
//! trees for the objects that come first after it, and `sequence` searches again for more and more objects at a time. So
//! it ranks some objects twice, in vectors, and the first object needs no memory. The second serves `nearest_by`.
//! `best_first` keeps all that it has come to in a queue (`pending`) and goes on from there, so it asks the metric once
//! about each object, and about no more than the answer needs. As one engine, the first would ask a metric again at each
//! search, and the second would keep a queue that costs more than the ranks it saves.
//!
//! A `ranking` is what a search knows of an order: `by_distance` and `by_time` are the two. `unit_box` and `cell_bounds`
//! bound how far cells are from a target. `goal` is what a search looks for and finds; `buffer` is the memory of both
//! engines. Each query has a file, and `filters` has what they share.
//!
//! It takes nothing from region queries. Keeps invariants Q8 to Q10 of `docs/invariants.md`.

mod best_first;
mod buffer;
mod by_distance;
mod by_time;
mod cast;
mod bounds;
mod filters;
mod metric;
mod nearest;
mod nearest_by;
mod ranking;
mod raycast;
mod search;
mod sequence;

pub use buffer::SearchBuffer;
pub use cast::{Cast, CastHit};
pub use metric::Metric;
pub use nearest::{Nearest, Neighbor};
pub use nearest_by::{NearestBy, NeighborBy};
pub use raycast::{RayHit, Raycast};
