//! Structure to look at: cells, figures, and the numbered invariants as code.

mod cells;
mod integrity;
mod stats;

pub use cells::{Cell, CellKind, CellObjects, Cells};
pub use integrity::IntegrityError;
pub use stats::{LayerStats, Stats};
