//! The recorded day, for whoever replays it: this package's program, and the live map.
//!
//! - [`data`]: the tables of regions, airports and flights.
//! - [`bytes`]: numbers out of bytes.
//! - [`outlines`]: the outlines of states and counties.
//! - [`schedule`]: who departs when, each recorded flight as often as asked.
//! - [`flight`]: how an aircraft flies.
//! - [`clock`]: minutes of a day that repeats.

pub mod bytes;
pub mod clock;
pub mod data;
pub mod flight;
pub mod outlines;
pub mod schedule;
