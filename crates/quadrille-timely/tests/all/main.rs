//! A world on many workers has the answers of one list. One program, so that the dataflow is compiled once.

mod case;
pub(crate) mod common;
mod feed;
mod failing;
mod foreign;
mod links;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod namespaces;
mod killed;
mod pages;
mod power;
mod threads;
mod processes;
mod starved;
mod store;
mod supervised;
mod support;
