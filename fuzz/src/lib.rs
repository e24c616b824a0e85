//! Random operations over the whole of the public interface, on several indexes at once, each beside a linear list that
//! shares no code with the crate. See `README.md`.
#![allow(
    missing_docs,
    missing_debug_implementations,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "public for the programs beside it only"
)]

pub mod bytes;
pub mod field;
pub mod minimise;
pub mod op;
mod play;
pub mod run;
pub mod script;
