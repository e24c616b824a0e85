//! Views of a server of `bevy_replicon`, and what its clients make of it.

mod apps;
#[path = "../../../tests/dice/mod.rs"]
mod dice;
mod games;
