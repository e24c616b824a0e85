//! A log of blocks, a block a tick, as its callers see it. It does not know where the bytes go.

use std::io;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// The blocks of one worker, in the order of their ticks, kept by another thread.
///
/// Ticks rise; they may leave gaps. Each block names the one before it, so that a missing one is noticed all the same. A
/// block may be empty: whoever appends one for each tick without rows knows from [`last`](Log::last) how far the log goes.
///
/// An error of the thread (a full disk, a server gone) is returned by the next call of [`append`](Log::append),
/// [`flush`](Log::flush) or [`cut_after`](Log::cut_after), and by each one after it: the log takes nothing more until it is reopened.
pub trait Log: Send {
    /// The worker whose rows these are.
    fn worker(&self) -> usize;

    /// Whether there was a log when it was opened: "never had rows" and "lost" differ.
    fn origin(&self) -> Origin;

    /// The torn end that was cut off when the log was opened, if there was one.
    fn torn(&self) -> Option<&Torn>;

    /// The tick of the oldest synced block that is kept.
    fn first(&self) -> Option<u64>;

    /// The tick of the newest block appended, synced or not.
    fn last(&self) -> Option<u64>;

    /// The tick of the newest block that [`truncate_before`](Log::truncate_before) has removed.
    fn removed(&self) -> Option<u64>;

    /// The newest tick that is synced, with all before it.
    fn durable(&self) -> Option<u64>;

    /// Hands a block to the thread and returns at once, unless too many bytes are queued: then it waits.
    ///
    /// # Errors
    ///
    /// [`LogError::Order`] if `tick` is not above [`last`](Log::last); an error of the thread.
    fn append(&mut self, tick: u64, block: Vec<u8>) -> Result<(), LogError>;

    /// The memory of a block that is synced, with its bytes, to make another block in; empty if there is none.
    fn spare(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Waits until every append is synced, and every removal done.
    ///
    /// # Errors
    ///
    /// An error of the thread.
    fn flush(&mut self) -> Result<(), LogError>;

    /// The blocks of the ticks above `after`, or all; for a replay. Flushes first.
    ///
    /// # Errors
    ///
    /// [`LogError::Truncated`] if some of them are no longer kept; an error of the thread. The iterator ends with an error
    /// at a block that is damaged or missing.
    fn read(&mut self, after: Option<u64>) -> Result<Blocks, LogError>;

    /// Removes blocks older than `tick`, once a snapshot holds their effect. Returns at once. Some may stay; the newest block
    /// always does, to show that the log had rows.
    ///
    /// # Errors
    ///
    /// An error of the thread.
    fn truncate_before(&mut self, tick: u64) -> Result<(), LogError>;

    /// Removes the blocks newer than `tick` (all, if `None`), because the world goes on differently from there. Waits until they
    /// are gone.
    ///
    /// # Errors
    ///
    /// [`LogError::Truncated`] if blocks up to `tick` are no longer kept; an error of the thread.
    fn cut_after(&mut self, tick: Option<u64>) -> Result<(), LogError>;
}

/// Blocks with their ticks, in order.
pub type Blocks = Box<dyn Iterator<Item = Result<(u64, Vec<u8>), LogError>> + Send>;

/// How a log was found when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// There was none, and it has been made. Where a snapshot exists, the log was lost.
    New,
    /// It was there, without blocks: it never had any, or all were cut off.
    Empty,
    /// It had blocks.
    Filled,
}

/// The end of a log that was being written when its process died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The file or stream.
    pub place: String,
    /// How many bytes were cut off.
    pub bytes: u64,
    /// The newest block kept.
    pub after: Option<u64>,
    /// The tick of the first block cut off, where it can still be read.
    pub tick: Option<u64>,
}

/// Why a log cannot be opened, read or written.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// The file system refused: a full disk, no permission, a directory removed meanwhile.
    #[error("cannot {doing} {place}")]
    Io {
        /// The operation, as a verb.
        doing: &'static str,
        /// The file.
        place: String,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// Another log of this worker is open, maybe in another process.
    #[error("the log {place} is in use")]
    InUse {
        /// The file or stream.
        place: String,
    },
    /// The file is no log of this worker.
    #[error("{place} is no log of worker {worker} that this version can read")]
    Foreign {
        /// The file or stream.
        place: String,
        /// The worker whose log was asked for.
        worker: usize,
    },
    /// The log had blocks, and none is there.
    #[error("the blocks of the log {place} are gone")]
    Lost {
        /// The file or stream.
        place: String,
    },
    /// Bytes that had been synced have changed.
    #[error("the log {place} is damaged at {at}, after tick {after:?}")]
    Damaged {
        /// The file or stream.
        place: String,
        /// The first byte of the damaged record in a file, or the number of a message in a stream.
        at: u64,
        /// The tick of the block before it.
        after: Option<u64>,
    },
    /// A block does not follow the one before it.
    #[error("the log {place} misses blocks after tick {after:?}, up to tick {until}")]
    Missing {
        /// The file or stream.
        place: String,
        /// The newest tick before the gap.
        after: Option<u64>,
        /// The newest tick that is missing.
        until: u64,
    },
    /// The blocks asked for are no longer kept.
    #[error("the log {place} is asked for blocks after tick {after:?}, and keeps only those after tick {removed}")]
    Truncated {
        /// The file or stream.
        place: String,
        /// The tick asked for.
        after: Option<u64>,
        /// The newest tick removed.
        removed: u64,
    },
    /// A block is not newer than the last one.
    #[error("the log {place} takes ticks above {last:?} and up to {TICK_MAX}, not tick {tick}")]
    Order {
        /// The file or stream.
        place: String,
        /// The tick to be appended.
        tick: u64,
        /// The newest tick appended.
        last: Option<u64>,
    },
    /// A block is longer than the log can keep.
    #[error("the log {place} cannot take a block of {len} bytes, limit {limit}")]
    TooLong {
        /// The file or stream.
        place: String,
        /// Its bytes.
        len: u64,
        /// The most bytes of a block.
        limit: u64,
    },
    /// The thread of the log has panicked.
    #[error("the thread that writes the log {place} has panicked")]
    Panicked {
        /// The file or stream.
        place: String,
    },
    /// The server refused, or is gone.
    #[error("cannot {doing} {place}: {reason}")]
    Server {
        /// The operation, as a verb.
        doing: &'static str,
        /// The stream or subject.
        place: String,
        /// The client's words.
        reason: String,
    },
}

/// The largest tick of a block; the next number means "none" in files.
pub(crate) const TICK_MAX: u64 = u64::MAX - 1;

impl LogError {
    /// Makes an error of the file system.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LogError {
        let place = path.display().to_string();
        move |source| LogError::Io { doing, place, source: Arc::new(source) }
    }
}
