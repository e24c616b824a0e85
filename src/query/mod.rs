//! Region queries: lazy iterators over the objects that stand in some relation to a region.
//!
//! Each query has a file with its predicate and its method on the index. A predicate gives three small answers for one
//! axis, and three for regions that are not boxes. The other files are shared: `relation` is the trait of predicates,
//! and `question` joins a predicate with its region. `scanner` is the position of a query, `advance` the loop that
//! moves it, `batch` holds the buckets it has collected, `iterator` owns [`Query`], `matching` adds conditions to one, and
//! `parallel` runs one on several threads.
//!
//! The position of a query is plain data; only [`Query`] borrows the index. Keeps invariants Q1 to Q7 of
//! `docs/invariants.md`.

mod advance;
mod batch;
mod blocks;
mod contained_in;
mod containing;
mod intersecting;
mod iterator;
mod matching;
mod near;
mod of_object;
#[cfg(feature = "rayon")]
mod parallel;
mod question;
mod relation;
mod rest;
mod scanner;

pub use blocks::Matches;
pub use contained_in::ContainedIn;
pub use containing::Containing;
pub use intersecting::Intersecting;
pub use iterator::Query;
pub(crate) use matching::Condition;
pub use near::Near;
#[cfg(feature = "rayon")]
pub(crate) use parallel::list_rest;
pub(crate) use question::Question;
pub use relation::Predicate;
pub(crate) use relation::name_of;
pub(crate) use scanner::Scanner;
