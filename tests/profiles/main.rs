//! The tests of `tests/all` that hold in every profile, with and without `std`, and that may take long:
//!
//! ```sh
//! cargo test --release -p quadrille-tests --no-default-features --features std,profiles
//! cargo test --release -p quadrille-tests --no-default-features --features std,profiles -- --ignored    # a slot used 2^31 times
//! MEMORY_OPERATIONS=100000000 cargo test --release -p quadrille-tests --no-default-features --features std,profiles memory
//! ```

#[path = "../all/golden.rs"]
mod golden;
#[path = "../all/memory.rs"]
mod memory;
#[path = "../all/reuse.rs"]
mod reuse;
#[path = "../all/stack.rs"]
mod stack;
#[path = "../all/walking.rs"]
mod walking;
