//! All integration tests in one binary: the library's generic code is compiled for them once.

mod support;

mod model;
mod semantics;

// Without `std` the vectors are narrower, and nothing else is different: the tests above see that.
#[cfg(feature = "std")]
mod allocation;
#[cfg(feature = "std")]
mod architecture;
#[cfg(feature = "std")]
mod cursor_contract;
#[cfg(feature = "std")]
mod cursors;
#[cfg(feature = "std")]
mod errors;
#[cfg(feature = "std")]
mod grid;
#[cfg(feature = "std")]
mod mutants;
#[cfg(feature = "std")]
mod ordered;
#[cfg(feature = "std")]
mod ordered_edges;
#[cfg(feature = "std")]
mod pairs;
#[cfg(feature = "std")]
mod panics;
#[cfg(feature = "std")]
mod regions;
#[cfg(feature = "std")]
mod regressions;
#[cfg(feature = "std")]
mod scale;
#[cfg(feature = "std")]
mod traits;
#[cfg(feature = "std")]
mod watch;
