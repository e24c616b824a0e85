//! All workers of a world: in threads of one process, or on several processes that are kept going.

mod cluster;
mod keeper;
mod recovery;
mod sockets;
mod state;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::Coordinate;
use crate::driver::{Figures, WorkError, work};
use crate::program::Program;
use crate::world::World;

pub use cluster::{Cluster, ClusterError};
pub use recovery::RecoveryError;
pub use state::Foreign;

/// Why a world stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A worker stopped.
    #[error(transparent)]
    Work(#[from] WorkError),
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
) -> Result<Vec<Figures>, RunError> {
    let (world, failed) = (world.clone(), Arc::new(AtomicBool::new(false)));
    let guards = timely::execute(timely::Config::process(workers), move |timely| {
        work(timely, &world, &program, None, BTreeMap::new(), None, &failed)
    })
    .map_err(RunError::Dataflow)?;
    sum_up(guards.join())
}

/// What all workers did, or the first cause of a failure.
fn sum_up(results: Vec<Result<Result<Figures, WorkError>, String>>) -> Result<Vec<Figures>, RunError> {
    let results: Vec<_> = results.into_iter().collect::<Result<_, _>>().map_err(RunError::Dataflow)?;
    // Not of those who stopped because of it.
    let is_cause = |result: &&Result<Figures, WorkError>| !matches!(result, Ok(_) | Err(WorkError::Other));
    if let Some(Err(cause)) = results.iter().find(is_cause) {
        return Err(cause.clone().into());
    }
    Ok(results.into_iter().collect::<Result<_, _>>()?)
}
