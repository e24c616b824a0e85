//! A cluster of Ballista as processes on one machine: a scheduler, and executors with box joins.

pub mod cluster;
pub mod roles;
pub mod tables;
