//! All workers of a world, in threads of one process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::Coordinate;
use crate::driver::{Figures, WorkError, work};
use crate::program::Program;
use crate::world::World;

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
/// [`RunError`] if a feed fails: then all workers stop.
pub fn threads<P: Program<S, D>, S: Coordinate, const D: usize>(
    world: &World<S, D>,
    workers: usize,
    program: impl Fn(usize) -> P + Send + Sync + 'static,
) -> Result<Vec<Figures>, RunError> {
    let (world, failed) = (world.clone(), Arc::new(AtomicBool::new(false)));
    let guards = timely::execute(timely::Config::process(workers), move |timely| {
        work(timely, &world, program(timely.index()), None, BTreeMap::new(), None, &failed)
    })
    .map_err(RunError::Dataflow)?;
    let results: Result<Vec<_>, String> = guards.join().into_iter().collect();
    let results: Vec<Result<Figures, WorkError>> = results.map_err(RunError::Dataflow)?;
    // The cause, not those who stopped because of it.
    let causes = |result: &&Result<Figures, WorkError>| !matches!(result, Ok(_) | Err(WorkError::Other));
    if let Some(Err(cause)) = results.iter().find(causes) {
        return Err(cause.clone().into());
    }
    Ok(results.into_iter().collect::<Result<_, _>>()?)
}
