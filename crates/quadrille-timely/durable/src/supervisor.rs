//! Starts processes, and restarts all when one has died.

use crate::running::Running;
use std::env;
use std::error::Error;
use std::io;
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// Runs several copies of a program until all have ended with success.
///
/// When one dies, those that it worked with cannot go on: the others get a moment to end by themselves, are killed if they
/// do not, and all are started again, with new ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supervisor {
    /// How many processes there are.
    pub processes: usize,
    /// How many starts in a row may bring no progress before it gives up at the next one; 3.
    pub restarts: usize,
    /// How long the others may take to end by themselves after one has died; 1 s.
    pub grace: Duration,
}

/// An event in the life of the processes.
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
    /// A process ended without success, while all others went on.
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
        /// The tick from which the world goes on, by the caller's closure.
        from: Option<u64>,
    },
    /// All ended with success.
    Finished,
}

/// Why the processes did not end with success.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SupervisorError {
    /// A process could not be started, or no port was free.
    #[error("cannot start process {process}")]
    Start {
        /// Its number.
        process: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// The system does not report how a process ended, for instance because this program ignores the signal `SIGCHLD`.
    #[error("cannot wait for process {process}")]
    Wait {
        /// Its number.
        process: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// The caller does not know what would survive, so nothing is started.
    #[error("the processes are not started again")]
    Progress(#[source] Box<dyn Error + Send + Sync>),
    /// They died too often without progress.
    #[error(
        "process {process} died with {status}: {} starts in a row brought nothing new after tick {tick:?}, limit {limit}",
        deaths.len()
    )]
    GaveUp {
        /// The one that died in the last start.
        process: usize,
        /// How it ended.
        status: ExitStatus,
        /// The newest tick that would survive.
        tick: Option<u64>,
        /// How many starts without progress may follow each other.
        limit: usize,
        /// Who died first in each of them, and how, in order.
        deaths: Vec<(usize, ExitStatus)>,
    },
}

impl Supervisor {
    /// Supervises this number of processes.
    #[must_use]
    pub fn new(processes: usize) -> Self {
        Supervisor { processes, restarts: 3, grace: Duration::from_secs(1) }
    }

    /// This program with its own arguments: what [`run`](Supervisor::run) is usually given.
    ///
    /// # Errors
    ///
    /// The system's, if it does not know where the program is.
    pub fn this_program() -> io::Result<Command> {
        let mut command = Command::new(env::current_exe()?);
        command.args(env::args_os().skip(1));
        Ok(command)
    }

    /// Runs a `command` for each number of a process, until all have ended with success.
    ///
    /// The command must become the program (a shell must `exec` it). The supervisor sets its standard input and the variables
    /// that [`role`](crate::role) reads; all else is the caller's.
    ///
    /// `progress` returns the newest tick that would survive, such as that of
    /// [`logged`](crate::Store::logged); it is called before the first start and after each death. It may prepare the next
    /// start; its error ends all. `tell` gets each [`Event`].
    ///
    /// No process outlives this call, even if a closure panics. On Linux none that has called `role` outlives the supervisor, even
    /// if that one is killed.
    ///
    /// # Errors
    ///
    /// [`SupervisorError`].
    pub fn run<E: Error + Send + Sync + 'static>(
        &self,
        mut command: impl FnMut(usize) -> Command,
        mut progress: impl FnMut() -> Result<Option<u64>, E>,
        mut tell: impl FnMut(&Event),
    ) -> Result<(), SupervisorError> {
        let mut ask = || progress().map_err(|error| SupervisorError::Progress(Box::new(error)));
        let mut deaths = Vec::new();
        let mut tick = ask()?;
        for attempt in 0.. {
            let running = Running::start(self.processes, attempt, &mut command, &mut tell)?;
            let Some((process, status)) = running.wait(&mut tell)? else { break };
            running.stop(self.grace, &mut tell);
            let now = ask()?;
            if now > tick {
                deaths.clear();
            } else {
                deaths.push((process, status));
            }
            tick = now;
            if deaths.len() > self.restarts {
                return Err(SupervisorError::GaveUp { process, status, tick, limit: self.restarts, deaths });
            }
            tell(&Event::Restarting { attempt: attempt + 1, from: tick });
        }
        tell(&Event::Finished);
        Ok(())
    }
}
