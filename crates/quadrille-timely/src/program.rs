//! The caller's side: the program that feeds a worker and takes its answers.

use std::rc::Rc;
use std::sync::Arc;

use quadrille::Rect;

use crate::Coordinate;
use crate::answer::Answer;
use crate::check::FeedError;
use crate::feed::Feed;
use crate::partition::Partition;
use crate::row::Row;
use crate::shard::Shard;

/// The program of one worker.
pub trait Program<S, const D: usize>: 'static
where
    S: Coordinate,
{
    /// Feeds a tick at this worker: rows about objects, and questions. Ticks begin at 1. After a recovery the first one is that
    /// after the last one that was kept.
    ///
    /// # Errors
    /// Those of the feed, or of the program: the worker stops with it.
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, S, D>) -> Result<(), FeedError>;

    /// Whether a tick is the last one. All workers must agree.
    fn is_last(&self, tick: u64) -> bool;

    /// Gives an object of a local layer its shape in a tick; `None` takes it out. It must depend on nothing but its
    /// arguments, as an object may be on any worker. It must be finite, and a point in a layer of points; otherwise the worker panics.
    fn step(&mut self, tick: u64, layer: u8, id: u64, shape: Rect<S, D>) -> Option<Rect<S, D>> {
        let _ = (tick, layer, id);
        Some(shape)
    }

    /// Takes this worker's answers of a tick, sorted. Ticks come in order, including those without answers.
    fn answers(&mut self, tick: u64, answers: &[Answer]) {
        let _ = (tick, answers);
    }
}

/// Any program, as the dataflow knows it: so the dataflow is compiled once for all programs. The walk over all objects is one
/// call, so that each program's step is inlined into it.
pub(crate) trait AnyProgram<S: Coordinate, const D: usize>: Program<S, D> {
    /// Steps all objects of local layers; rows for other workers go to `send`.
    fn step_all(
        &mut self,
        tick: u64,
        shard: &mut Shard<S, D>,
        partition: &Rc<Partition<S, D>>,
        send: &mut dyn FnMut(Row<S, D>),
    );
}

impl<P: Program<S, D>, S: Coordinate, const D: usize> AnyProgram<S, D> for P {
    fn step_all(
        &mut self,
        tick: u64,
        shard: &mut Shard<S, D>,
        partition: &Rc<Partition<S, D>>,
        send: &mut dyn FnMut(Row<S, D>),
    ) {
        shard.step(partition, |layer, id, shape| self.step(tick, layer, id, shape), send);
    }
}

/// Makes the program of each worker.
pub(crate) type Programs<S, const D: usize> = Arc<dyn Fn(usize) -> Box<dyn AnyProgram<S, D>> + Send + Sync>;

pub(crate) fn programs<P: Program<S, D>, S: Coordinate, const D: usize>(
    program: impl Fn(usize) -> P + Send + Sync + 'static,
) -> Programs<S, D> {
    Arc::new(move |worker| Box::new(program(worker)))
}
