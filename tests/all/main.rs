//! All integration tests, in one binary: linking and starting many would take longer.

mod allocation;
mod architecture;
mod bad_input;
mod boxes;
mod contacts;
mod contents;
mod cursor_contract;
mod cursors;
mod errors;
mod fuzz;
mod golden;
mod grid;
mod handles;
mod memory;
mod metrics;
mod model;
mod mutants;
mod ordered;
mod ordered_edges;
mod outside;
mod pairs;
mod panic_matrix;
#[cfg(feature = "rayon")]
mod parallel;
mod polygons;
mod promises;
mod regions;
mod regressions;
mod regressions_agree;
mod restated;
mod reuse;
mod scale;
mod semantics;
mod thin;
mod traits;
mod watch;
