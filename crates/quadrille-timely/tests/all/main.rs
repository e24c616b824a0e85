//! A world on many workers has the answers of one list. One program, so that the dataflow is compiled once.

mod common;
mod feed;
mod failing;
mod pages;
mod threads;
mod processes;
#[cfg(feature = "nats")]
mod server;
