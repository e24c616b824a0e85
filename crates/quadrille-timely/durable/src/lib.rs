//! Snapshots, logs, connections and a supervisor, for workers that go on after a process has died.
//!
//! There are workers (numbers from 0), ticks (`u64`) and bytes; nothing else is known of what the workers do.
//!
//! - [`Snapshots`]: each worker saves its state now and then; [`Snapshots::last_common`] is where all can go on.
//! - [`Log`]: the rows that each worker took in since, a block a tick; written and synced by another thread.
//!   [`FileLog`] keeps them in files, `JetStreamLog` (feature `nats`) on a NATS server.
//! - [`Links`]: the connections of a process to the others. One that is silent for too long is given up.
//! - [`Supervisor`]: starts the processes, and restarts all when one has died. [`role`] tells a process which one it is.
//!
//! # A start
//!
//! 1. The supervisor starts N processes; each asks [`role`].
//! 2. Each opens its [`Snapshots`] and its workers' [`Log`]s. All agree on two ticks: that of [`Snapshots::last_common`],
//!    and the smallest [`Log::last`] of all workers, up to which they replay. If that one is older than the snapshot, the end
//!    of a log was lost (one that has lost its newest file, or stream, looks like a log that ends earlier).
//! 3. Before any worker takes in a row, each calls [`Snapshots::forget_after`] and [`Log::cut_after`] with the ticks agreed
//!    on, so that nothing of the time line that ended there can be mixed with the new one.
//!    A process of an older start may still be there: [`Snapshots::hand_over`] makes a directory of the new start, where it
//!    cannot save. A log of files is in use as long as it lives; from a log in `JetStream` the new start takes over.
//! 4. Each loads its snapshot, replays [`Log::read`], and goes on.
//! 5. At each new common snapshot it calls [`Snapshots::prune`] and [`Log::truncate_before`].
//!
//! # What survives
//!
//! | | a killed process | loss of power |
//! |---|---|---|
//! | a snapshot, once [`save`](Snapshots::save) has returned | yes | yes |
//! | a block in a [`FileLog`], once [`durable`](Log::durable) has reached its tick | yes | yes |
//! | one appended and not yet durable | maybe; in whole or not at all | maybe; in whole or not at all |
//! | a block in a `JetStreamLog`, once `durable` has reached its tick | yes | only with `sync_interval: always` |
//!
//! "Yes" trusts the disk that says that it has synced. Loss of the disk itself is survived by a `JetStreamLog` on several
//! servers, not by files. Damaged bytes are found by checksums of 64 bits: they give an error or an older snapshot, never
//! other data.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod checked;
#[doc(hidden)]
pub mod disk;
mod snapshots;
mod log;
mod queue;
mod queued;
mod record;
mod segment;
mod segments;
mod file_log;
#[cfg(feature = "nats")]
mod jetstream;
mod frame;
mod way;
mod link;
mod role;
mod running;
mod supervisor;

pub use file_log::{FileLog, FileLogOptions};
#[cfg(feature = "nats")]
pub use jetstream::{JetStreamLog, JetStreamOptions};
pub use link::{Hold, Incoming, LinkError, LinkFault, Links};
pub use log::{Blocks, Log, LogError, Origin, Torn};
pub use role::{Role, RoleError, listener, role};
pub use snapshots::{Common, Passed, SnapshotError, Snapshots, WORKERS_MAX};
pub use supervisor::{Event, Supervisor, SupervisorError};
#[doc(hidden)]
pub use way::Way;
