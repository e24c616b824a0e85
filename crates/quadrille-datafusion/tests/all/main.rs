//! Tests of the box join against the nested loop join of the engine. One binary, since the engine is slow to link; only what
//! is measured is in another one.

mod answers;
mod by_cells;
mod cases;
mod geometry;
mod plans;
mod resources;
mod tables;
