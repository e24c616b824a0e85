//! A look inside an index: its nodes and blocks, its statistics, and the numbered invariants as code.
//!
//! It reads the structure of trees and changes nothing. Other parts use it only in tests.

mod layout;
mod cells;
mod integrity;
mod stats;

pub use cells::Cells;
pub use integrity::IntegrityError;
pub use layout::{Cell, CellKey, CellKind};
pub use stats::Stats;
