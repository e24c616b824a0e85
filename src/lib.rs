//! A layered spatial index for things that move.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

// Reading order: each module may use only those above it; `tests/architecture.rs` reads this list.
mod check;
mod geometry;
mod grid;
mod index;
mod key;
mod layer;
mod query;
mod store;
mod tree;

pub use check::{Cell, CellKind, CellObjects, Cells, IntegrityError, LayerStats, Stats};
pub use geometry::{IntoRegion, NotFinite, Point, Rect, RectError, Scalar};
pub use grid::{UnitRange, WorldError};
pub use index::{
    Full, InsertError, MoveError, Moved, NoSuchObject, ObjectRef, Octree, Quadtree, SetLayerError, SpatialIndex,
    WrongKind,
};
pub use key::{Handle, Kind, LayerId, LayerSet};
pub use layer::{AddLayerError, IntoShape, Layer, LayerError, LayerKind, LayerSettings, Points, Rects};
pub use query::{ContainedIn, Containing, Intersecting, Near, Predicate, Query};
