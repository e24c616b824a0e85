//! Starts processes, and all of them again when one has died. It does not know what they do.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::Duration;
use thiserror::Error;

/// Runs several copies of a program until all have ended with success.
///
/// When one dies, those that it worked with cannot go on: the others get a moment to end by themselves, are killed if they
/// do not, and all are started again, with new ports.
#[derive(Debug)]
pub struct Supervisor {
    /// How many processes there are.
    pub processes: usize,
    /// How many starts in a row may fail without progress; 3.
    pub restarts: usize,
    /// How long the others have to end by themselves after one has died; 1 s.
    pub grace: Duration,
}

/// Tells of the life of the processes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A process was started.
    Started {
        /// Its number.
        process: usize,
        /// The number under which the system knows it.
        pid: u32,
        /// How often all were started before.
        attempt: usize,
    },
    /// A process ended without success, by itself.
    Died {
        /// Its number.
        process: usize,
        /// How it ended.
        status: ExitStatus,
    },
    /// A process ended after another had died: by itself, or killed after the grace time.
    Stopped {
        /// Its number.
        process: usize,
        /// How it ended.
        status: ExitStatus,
        /// Whether the supervisor had to kill it.
        killed: bool,
    },
    /// All are about to be started again.
    Restarting {
        /// How often all were started before.
        attempt: usize,
        /// The tick from which the world goes on, as the caller's closure told.
        from: Option<u64>,
    },
    /// All ended with success.
    Finished,
}

/// Why the processes did not end with success.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SupervisorError {
    /// A process could not be started, or a port not be had.
    #[error("cannot start process {process}")]
    Start {
        /// Its number.
        process: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// They died too often without progress.
    #[error(
        "process {process} died with {status}; {starts} starts in a row brought no progress after tick {tick:?}, limit {limit}"
    )]
    GaveUp {
        /// The one that died first in the last attempt.
        process: usize,
        /// How it ended.
        status: ExitStatus,
        /// How many starts in a row failed.
        starts: usize,
        /// How many may.
        limit: usize,
        /// The newest tick that is durable.
        tick: Option<u64>,
        /// All deaths in those starts, as pairs of process and status, in order.
        deaths: Vec<(usize, ExitStatus)>,
    },
}

impl Supervisor {
    /// Supervises so many processes.
    #[must_use]
    pub fn new(processes: usize) -> Self {
        Supervisor { processes, restarts: 3, grace: Duration::from_secs(1) }
    }

    /// Runs copies of `command`, or of this program with its own arguments, until all have ended with success.
    ///
    /// `progress` tells the newest tick that would survive, such as that of [`Snapshots::last_common`](super::Snapshots); it
    /// is asked before each start. `tell` hears of each [`Event`].
    ///
    /// No process outlives this call, also if a closure panics; on Linux none that has asked its [`role`](super::role)
    /// outlives the supervisor's death.
    ///
    /// # Errors
    ///
    /// [`SupervisorError`].
    pub fn run(
        &self,
        command: impl FnMut(usize) -> Command,
        progress: impl FnMut() -> Option<u64>,
        tell: impl FnMut(&Event),
    ) -> Result<(), SupervisorError> {
        let _ = (command, progress, tell);
        todo!()
    }
}
