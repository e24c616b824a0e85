//! All integration tests, in one binary: linking and starting many would take longer.

mod allocation;
mod architecture;
mod boxes;
mod contacts;
mod contents;
mod cursor_contract;
mod cursors;
mod errors;
mod grid;
mod handles;
mod metrics;
mod model;
mod mutants;
mod ordered;
mod ordered_edges;
mod pairs;
mod panics;
#[cfg(feature = "rayon")]
mod parallel;
mod polygons;
mod regions;
mod regressions;
mod regressions_agree;
mod regressions_panics;
mod scale;
mod semantics;
mod traits;
mod watch;
