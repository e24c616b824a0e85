//! Ordered queries: `nearest`, `raycast`, `cast` and `nearest_by`.
//!
//! There are two engines, because a rank of our own costs next to nothing and a user's metric may cost anything.
//!
//! The first engine serves `nearest`, `raycast` and `cast`. Between two searches it keeps nothing but the last object
//! yielded. `search` goes through the trees for the objects that come first after it. `sequence` searches again and
//! again, for more objects each time. So the engine ranks some objects twice, in vectors, and the first object needs no
//! memory.
//!
//! The second engine serves `nearest_by`. `best_first` keeps all that it has come to in a queue and continues from
//! there. So it asks the metric once about each object, and about no more objects than the answer needs.
//!
//! One engine for both would not do. The first would ask a metric again at each search. The second would keep a queue
//! that costs more than the ranks it saves.
//!
//! A `ranking` is all that a search knows of an order. There are two rankings, `by_distance` and `by_time`. `bounds`
//! holds lower bounds of distances, `images` the images of a periodic world, and `buffer` the memory of both engines. Each
//! query has a file, and `filters` has what they share.
//!
//! This part takes nothing from region queries. It keeps invariants Q8 to Q10 and Q16 of `docs/invariants.md`.

mod best_first;
mod buffer;
mod by_distance;
mod by_time;
mod cast;
mod bounds;
mod images;
mod filters;
mod hit;
mod metric;
mod nearest;
mod nearest_by;
mod ranking;
mod search;
mod sequence;

pub use buffer::SearchBuffer;
pub use cast::Cast;
pub use hit::Hit;
pub use metric::Metric;
pub use nearest::{Nearest, Neighbor};
pub use nearest_by::{NearestBy, NeighborBy};

pub(crate) use buffer::{COUNTED_MOST, Found, sort};
pub(crate) use nearest::radius_of;
