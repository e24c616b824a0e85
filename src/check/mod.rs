//! A look inside an index: its nodes and blocks, its figures, and the numbered invariants as code.
//!
//! Reads the structure of trees and changes nothing. No other part uses it, but for tests.

mod layout;
mod cells;
mod integrity;
mod stats;
mod warning;

pub use cells::Cells;
pub use integrity::IntegrityError;
pub use layout::{Cell, CellKey, CellKind};
pub use stats::Stats;
pub use warning::Warning;
