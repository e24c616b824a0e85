//! Whatever must survive a death does: damage, killed writers, and processes that are started again.

mod support;
mod store;
mod killed;
#[path = "../../../tests/all/memory.rs"]
mod memory;
#[cfg(feature = "simulated")]
mod power;
mod supervisor;
