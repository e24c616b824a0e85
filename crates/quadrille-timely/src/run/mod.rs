//! All workers of a world: in threads of one process, or on several processes that are kept going.

mod cluster;
mod processes;

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;

use crate::Coordinate;
use crate::driver::{Brake, WorkError, WorkerStats, work};
use crate::kept::recovery::RecoveryError;
use crate::links::Connections;
use crate::partition::WORKERS_MAX;
use crate::program::{Program, Programs, programs};
use crate::world::World;

pub use cluster::Cluster;
pub use processes::Event;
#[cfg(test)]
pub(crate) use processes::{Role, supervise};

/// Why a world stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A worker stopped.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// There are too few workers, or too many.
    #[error("{0} workers; there must be 1 to {WORKERS_MAX}")]
    Workers(usize),
    /// A worker panicked, or timely could not start.
    #[error("the dataflow failed: {0}")]
    Dataflow(String),
}

/// Why a world on several processes stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// A variable of the environment is not what the process that starts others sets; or that one is dead.
    #[error("the variable {0} is not that of a process that `Cluster::run` has started; is that one dead?")]
    Environment(&'static str),
    /// A process could not be started, or the system does not report how it ended.
    #[error("cannot start process {process}, or wait for it")]
    Process {
        /// Its number.
        process: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// Processes died too often.
    #[error("process {process} died with {status}: {starts} starts in a row brought nothing new after tick {tick:?}")]
    GaveUp {
        /// The one that died first in the last start.
        process: usize,
        /// How it ended.
        status: ExitStatus,
        /// The newest tick that is kept.
        tick: Option<u64>,
        /// How many starts there were without progress.
        starts: usize,
    },
    /// The state that was kept cannot be used.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
    /// The processes could not be connected.
    #[error("the processes could not be connected: {0}")]
    Connect(io::Error),
    /// A worker stopped.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Runs a world in threads of this process, one for each worker, each with the program that `program` makes for it. Returns
/// what each worker did.
///
/// # Errors
/// [`RunError`] if a feed fails or a program panics: then all workers stop.
pub fn threads<P: Program<S, D>, S: Coordinate, const D: usize>(
    world: &World<S, D>,
    workers: usize,
    program: impl Fn(usize) -> P + Send + Sync + 'static,
) -> Result<Vec<WorkerStats>, RunError> {
    run_threads(world, workers, programs(program))
}

fn run_threads<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    workers: usize,
    programs: Programs<S, D>,
) -> Result<Vec<WorkerStats>, RunError> {
    check_workers(workers)?;
    let (world, brake) = (world.clone(), Arc::new(Brake::default()));
    let guards = timely::execute(timely::Config::process(workers), move |timely| {
        work(timely, &world, Box::new(&*programs), None, &brake)
    })
    .map_err(RunError::Dataflow)?;
    sum_up(guards.join())
}

fn check_workers(workers: usize) -> Result<(), RunError> {
    if (1..=WORKERS_MAX).contains(&workers) { Ok(()) } else { Err(RunError::Workers(workers)) }
}

/// Runs one worker of a world on a worker of timely that the caller has started, beside dataflows of its own. All workers must
/// do so, in the same order as their other dataflows. [`threads`] and [`Cluster`] do it with workers that they start;
/// [`Connections::on_worker`] notices when another process is gone.
///
/// # Errors
/// [`WorkError`] if the feed fails. The other workers wait for this one then, so the caller must end them.
pub fn on_worker<P: Program<S, D>, S: Coordinate, const D: usize>(
    timely: &mut timely::worker::Worker,
    world: &World<S, D>,
    program: P,
) -> Result<WorkerStats, WorkError> {
    work(timely, world, Box::new(|_| Box::new(program)), None, &Brake::default())
}

impl Connections {
    /// Does what [`on_worker`] does, and stops when another process is gone or stops.
    ///
    /// # Errors
    /// [`WorkError`]. No worker of any process waits for this one then, but dataflows of the caller may; so drop them.
    pub fn on_worker<P: Program<S, D>, S: Coordinate, const D: usize>(
        &self,
        timely: &mut timely::worker::Worker,
        world: &World<S, D>,
        program: P,
    ) -> Result<WorkerStats, WorkError> {
        work(timely, world, Box::new(|_| Box::new(program)), None, &Brake::new(Some(self.links.clone())))
    }
}

/// The statistics of all workers, or the first cause of a failure.
fn sum_up(results: Vec<Result<Result<WorkerStats, WorkError>, String>>) -> Result<Vec<WorkerStats>, RunError> {
    let results: Vec<_> = results.into_iter().collect::<Result<_, _>>().map_err(RunError::Dataflow)?;
    // Not the workers that stopped because of it.
    let rank = |error: &&WorkError| match error {
        WorkError::Feed { .. } => 0,
        WorkError::Peer { .. } => 1,
        WorkError::Other => 2,
    };
    if let Some(cause) = results.iter().filter_map(|result| result.as_ref().err()).min_by_key(rank) {
        return Err(cause.clone().into());
    }
    Ok(results.into_iter().collect::<Result<_, _>>()?)
}
