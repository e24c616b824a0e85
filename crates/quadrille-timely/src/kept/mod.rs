//! Whatever outlives a process of a world: a store in one file for each.
//!
//! # A start
//!
//! 1. One process opens the stores of all, which none of these may use. It finds the newest tick of which all workers have a
//!    snapshot, and the last one up to which all have blocks.
//! 2. It notes both in each store: all that is newer goes, so that nothing of the time line that ended there can be mixed with the
//!    new one. With them go the bytes that each process needs of the others.
//! 3. Each process opens its store, takes what was noted, reads its states and blocks, and starts a thread that writes.
//!
//! # What survives
//!
//! A change is made in whole or not at all, whether the process is killed or the power is lost. It is made once
//! [`Writer::flush`](writer::Writer::flush) has returned. This trusts the disk that says that it has synced. Damaged bytes are found
//! when a store is opened, by checksums: they are an error, never other data.

pub(crate) mod disk;
pub(crate) mod keeper;
pub(crate) mod recovery;
pub(crate) mod state;
pub(crate) mod store;
pub(crate) mod writer;

pub(crate) use disk::planted;
