//! Box joins in Ballista: its executors and its scheduler, in this process and as processes that are killed.

#[path = "../../examples/cluster/cluster.rs"]
mod cluster;
#[path = "../../examples/cluster/tables.rs"]
mod tables;

mod attempts;
mod engine;
mod processes;
mod scheduler;
