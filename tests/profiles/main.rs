//! The tests of `tests/all` that hold in every profile, with and without `std`, and that may take long.

#[path = "../all/golden.rs"]
mod golden;
#[path = "../all/memory.rs"]
mod memory;
#[path = "../all/reuse.rs"]
mod reuse;
#[path = "../all/stack.rs"]
mod stack;
