//! Code that the examples share.

pub(crate) mod cost;
pub(crate) mod file;
