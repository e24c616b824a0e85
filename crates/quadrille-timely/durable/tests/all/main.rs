//! Whatever must survive a death does: damage, full disks, killed writers, and processes that are started again.

mod support;
mod snapshots;
mod contract;
mod file_log;
mod killed;
#[path = "../../../tests/all/memory.rs"]
mod memory;
mod full_disk;
#[cfg(feature = "simulated")]
mod power;
mod supervisor;
#[cfg(feature = "nats")]
mod jetstream;
#[cfg(feature = "nats")]
#[path = "../../../tests/all/server.rs"]
mod server;
