//! All integration tests in one binary: the library's generic code is compiled for them once.

mod support;

mod allocation;
mod architecture;
mod cursor_contract;
mod cursors;
mod errors;
mod grid;
mod model;
mod mutants;
mod ordered;
mod ordered_edges;
mod pairs;
mod panics;
mod regions;
mod regressions;
mod scale;
mod semantics;
mod traits;
mod watch;
