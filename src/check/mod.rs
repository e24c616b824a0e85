//! A look inside an index: its nodes and blocks, its figures, and the numbered invariants as code.
//!
//! Reads the structure of trees and changes nothing. No other part uses it, but for tests.

mod cells;
mod integrity;
mod stats;

pub use cells::{Cell, CellKind, CellObjects, Cells};
pub use integrity::IntegrityError;
pub use stats::{LayerStats, Stats};
