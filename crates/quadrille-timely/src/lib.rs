//! A world of moving objects on many workers.

pub mod durable;
