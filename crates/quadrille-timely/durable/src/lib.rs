//! A store, connections and a supervisor, for workers that go on after a process has died.
//!
//! There are workers (numbers from 0), ticks (`u64`) and bytes; nothing else is known of what the workers do.
//!
//! - [`Store`]: the file of one process: the input of its workers, a block a tick, and their states now and then. It is one file of
//!   [`redb`](https://docs.rs/redb), and [`Writer`] the thread that writes it.
//! - [`Links`]: the connections of a process to the others. One that is silent for too long is given up.
//! - [`Supervisor`]: starts the processes, and restarts all when one has died. [`role`] tells a process which one it is.
//!
//! # A start
//!
//! 1. One program opens the stores of all processes, which none of these may use. It finds the newest tick of which all workers have
//!    a state ([`Store::snapshots`]), and the last one up to which all have blocks ([`Store::logged`]).
//! 2. It notes both in each store ([`Change::Begin`]): all that is newer goes, so that nothing of the time line that ended there can be
//!    mixed with the new one. With them go the bytes that each process needs of the others.
//! 3. Each process opens its store, takes [`Store::begin`], reads its states and blocks, and starts a [`Writer`].
//! 4. When all processes have told of a newer state, each removes all that is older.
//!
//! # What survives
//!
//! A change is made in whole or not at all, whether the process is killed or the power is lost. It is made once [`Writer::flush`]
//! has returned. This trusts the disk that says that it has synced. Damaged bytes are found when a store is opened, by checksums: they
//! are an error, never other data.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod checked;
#[doc(hidden)]
pub mod disk;
mod store;
mod writer;
mod frame;
mod way;
mod link;
mod role;
mod running;
mod supervisor;

pub use link::{Hold, Incoming, LinkError, LinkFault, Links};
pub use role::{Role, RoleError, listener, role};
pub use store::{Begin, Change, Of, Store, StoreError, WORKERS_MAX};
pub use supervisor::{Event, Supervisor, SupervisorError};
#[doc(hidden)]
pub use way::Way;
pub use writer::{Writer, forget_told};
