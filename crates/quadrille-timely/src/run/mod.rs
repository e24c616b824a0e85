//! All workers of a world: in threads of one process, or on several processes that are kept going.

mod cluster;
mod processes;

use std::sync::Arc;

use crate::Coordinate;
use crate::driver::{Brake, WorkError, WorkerStats, work};
use crate::partition::WORKERS_MAX;
use crate::program::{Program, Programs, programs};
use crate::world::World;

pub use cluster::{Cluster, ClusterError};
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
/// [`Connections::on_worker`](crate::Connections::on_worker) notices when another process is gone.
///
/// # Errors
/// [`WorkError`] if the feed fails. The other workers wait for this one then, so the caller must end them.
pub fn on_worker<P: Program<S, D>, S: Coordinate, const D: usize>(
    timely: &mut timely::worker::Worker,
    world: &World<S, D>,
    program: P,
) -> Result<WorkerStats, WorkError> {
    on_worker_with(timely, world, program, &Brake::default())
}

pub(crate) fn on_worker_with<P: Program<S, D>, S: Coordinate, const D: usize>(
    timely: &mut timely::worker::Worker,
    world: &World<S, D>,
    program: P,
    brake: &Brake,
) -> Result<WorkerStats, WorkError> {
    work(timely, world, Box::new(|_| Box::new(program)), None, brake)
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
