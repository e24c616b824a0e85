//! A log that a thread writes, wherever it keeps the blocks.

use crate::log::{Blocks, Log, LogError, Origin, TICK_MAX, Torn};
use crate::queue::{Order, Queue, Sink, Status};
use std::fmt;

/// A log in a store: a [`FileLog`](crate::FileLog), or a `JetStreamLog`.
pub struct QueuedLog<S> {
    worker: usize,
    origin: Origin,
    torn: Option<Torn>,
    last: Option<u64>,
    /// Before the store, which goes when all orders are carried out.
    queue: Queue,
    store: S,
}

/// Where the blocks of a log are read.
pub trait Store: Send {
    /// The blocks of the ticks above `after`; all are kept and synced.
    ///
    /// # Errors
    ///
    /// As [`Log::read`].
    fn read(&self, after: Option<u64>) -> Result<Blocks, LogError>;
}

/// How a log was found when it was opened.
pub(crate) struct Found {
    pub(crate) worker: usize,
    pub(crate) place: String,
    pub(crate) status: Status,
    pub(crate) torn: Option<Torn>,
    /// There was none.
    pub(crate) is_new: bool,
}

impl<S: Store> QueuedLog<S> {
    /// Starts the thread that writes. Up to `limit` bytes may be queued.
    pub(crate) fn start(found: Found, limit: usize, sink: impl Sink, store: S) -> Result<Self, LogError> {
        let Found { worker, place, status, torn, is_new } = found;
        let last = status.durable;
        let origin = match last {
            Some(_) => Origin::Filled,
            None if is_new => Origin::New,
            None => Origin::Empty,
        };
        let queue = Queue::start(place, limit, status, sink)?;
        Ok(QueuedLog { worker, origin, torn, last, queue, store })
    }

    /// Waits for all orders, and refuses to ask for blocks that are no longer kept.
    fn check_kept(&self, after: Option<u64>) -> Result<(), LogError> {
        self.queue.flush()?;
        match self.removed() {
            Some(removed) if after < Some(removed) => {
                Err(LogError::Truncated { place: self.queue.place.clone(), after, removed })
            }
            _ => Ok(()),
        }
    }
}

impl<S: Store> Log for QueuedLog<S> {
    fn worker(&self) -> usize {
        self.worker
    }

    fn origin(&self) -> Origin {
        self.origin
    }

    fn torn(&self) -> Option<&Torn> {
        self.torn.as_ref()
    }

    fn first(&self) -> Option<u64> {
        self.queue.status().first
    }

    fn last(&self) -> Option<u64> {
        self.last
    }

    fn removed(&self) -> Option<u64> {
        self.queue.status().removed
    }

    fn durable(&self) -> Option<u64> {
        self.queue.status().durable
    }

    fn append(&mut self, tick: u64, block: Vec<u8>) -> Result<(), LogError> {
        if Some(tick) <= self.last || tick > TICK_MAX {
            return Err(LogError::Order { place: self.queue.place.clone(), tick, last: self.last });
        }
        self.queue.push(Order::Append(tick, block))?;
        self.last = Some(tick);
        Ok(())
    }

    fn spare(&mut self) -> Vec<u8> {
        self.queue.spare()
    }

    fn flush(&mut self) -> Result<(), LogError> {
        self.queue.flush()
    }

    fn read(&mut self, after: Option<u64>) -> Result<Blocks, LogError> {
        self.check_kept(after)?;
        self.store.read(after)
    }

    fn truncate_before(&mut self, tick: u64) -> Result<(), LogError> {
        self.queue.push(Order::TruncateBefore(tick))
    }

    fn cut_after(&mut self, tick: Option<u64>) -> Result<(), LogError> {
        self.check_kept(tick)?;
        self.queue.push(Order::CutAfter(tick))?;
        self.queue.flush()?;
        self.last = self.durable();
        Ok(())
    }
}

impl<S> fmt::Debug for QueuedLog<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let QueuedLog { worker, origin, torn, last, queue, .. } = self;
        let mut shown = f.debug_struct("Log");
        shown.field("place", &queue.place).field("worker", worker).field("origin", origin).field("torn", torn);
        shown.field("last", last).finish_non_exhaustive()
    }
}
