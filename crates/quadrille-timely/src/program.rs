//! The caller's side: the program that feeds a worker and takes its answers.

use quadrille::Rect;

use crate::answer::Answer;
use crate::feed::{Feed, FeedError};

/// The program of one worker.
pub trait Program<S, const D: usize>: 'static
where
    S: crate::Coordinate,
{
    /// Feeds a tick at this worker: rows about objects, and questions. Ticks begin at 1. After a recovery the first one is that
    /// after the last one that was kept.
    ///
    /// # Errors
    /// Those of the feed, or of the program: the worker stops with it.
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, S, D>) -> Result<(), FeedError>;

    /// Whether a tick is the last one. All workers must say so of the same.
    fn is_last(&self, tick: u64) -> bool;

    /// Gives an object of a local layer its shape in a tick; `None` takes it out. It must depend on nothing but its
    /// arguments, as an object may be on any worker. It must be finite, and a point in a layer of points; otherwise the worker panics.
    fn step(&mut self, tick: u64, layer: u8, id: u64, shape: Rect<S, D>) -> Option<Rect<S, D>> {
        let _ = (tick, layer, id);
        Some(shape)
    }

    /// Takes the answers of a tick that this worker told, sorted. Ticks come in order, also those without answers.
    fn answers(&mut self, tick: u64, answers: &[Answer]) {
        let _ = (tick, answers);
    }
}
