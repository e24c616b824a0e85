//! A log in files: what its callers see, and reading it.

use super::log::{Blocks, Log, LogError, Origin, Torn};
use super::queue::{Order, Queue};
use super::record::number;
use super::segment::{Reader, Segment, Step};
use super::segments::{Segments, listed};
use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// How a [`FileLog`] behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLogOptions {
    /// How many bytes may be under way to the disk before [`append`](Log::append) waits; 64 MiB.
    pub queue: usize,
    /// A segment longer than this is followed by another one; 256 MiB.
    pub segment: u64,
}

impl Default for FileLogOptions {
    fn default() -> Self {
        FileLogOptions { queue: 64 << 20, segment: 256 << 20 }
    }
}

/// A log in the files of a directory, one directory a worker.
///
/// The blocks stand in segments; [`truncate_before`](Log::truncate_before) removes whole ones, and ends the one that is
/// being written. One sync serves all blocks that wait for it. A file `log.lock` keeps a second writer off, and tells that
/// there was a log.
///
/// A log that is damaged is opened as far as its last segment is intact; damage in earlier ones is met by
/// [`read`](Log::read).
pub struct FileLog {
    queue: Queue,
    dir: PathBuf,
    worker: usize,
    origin: Origin,
    torn: Option<Torn>,
    last: Option<u64>,
    /// The last field: all orders are carried out before it goes.
    _lock: Lock,
}

impl FileLog {
    /// Opens the log of `worker` below `dir`, or makes it; cuts off a torn end, which [`torn`](Log::torn) then tells.
    ///
    /// # Errors
    ///
    /// [`LogError::InUse`], [`LogError::Lost`], [`LogError::Foreign`], [`LogError::Damaged`], [`LogError::Missing`],
    /// [`LogError::Io`].
    pub fn open(dir: impl AsRef<Path>, worker: usize, options: &FileLogOptions) -> Result<Self, LogError> {
        let dir = dir.as_ref().join(format!("worker-{worker:05}"));
        fs::create_dir_all(&dir).map_err(LogError::io("make", &dir))?;
        let (mut lock, known) = locked(&dir)?;
        let paths = listed(&dir)?;
        let found: Result<Vec<Segment>, _> = paths.iter().map(|path| Segment::open(path, worker)).collect();
        let mut kept = found?;
        let made = kept.is_empty();
        if made && known {
            return Err(LogError::Lost { place: dir.display().to_string() });
        }
        if made {
            kept.push(Segment::first(&dir, worker)?);
        }
        let (segments, torn) = Segments::open(dir.clone(), kept, options.segment)?;
        if !known {
            // A segment is there by now, so that from here on its absence is a loss.
            lock.write_all(NOTE).and_then(|()| lock.sync_all()).map_err(LogError::io("write", &dir))?;
        }
        let status = segments.status();
        let last = status.durable;
        let origin = match last {
            Some(_) => Origin::Filled,
            None if made || !known => Origin::New,
            None => Origin::Empty,
        };
        let queue = Queue::start(dir.display().to_string(), options.queue, status, segments)?;
        Ok(FileLog { queue, dir, worker, origin, torn, last, _lock: Lock(lock) })
    }
}

/// A locked file.
struct Lock(File);

impl Drop for Lock {
    /// Closing the file is not enough where another thread is just starting a process, which has it open until it begins.
    fn drop(&mut self) {
        // An error leaves it to the closing.
        let _ = self.0.unlock();
    }
}

const NOTE: &[u8] = b"A log of quadrille. Its blocks are in the segments beside this file.\n";

/// Locks the log, and tells whether it was there.
fn locked(dir: &Path) -> Result<(File, bool), LogError> {
    let path = dir.join("log.lock");
    let open = OpenOptions::new().read(true).append(true).create(true).open(&path);
    let mut lock = open.map_err(LogError::io("open", &path))?;
    match lock.try_lock() {
        Ok(()) => (),
        Err(TryLockError::WouldBlock) => return Err(LogError::InUse { place: dir.display().to_string() }),
        Err(TryLockError::Error(error)) => return Err(LogError::io("lock", &path)(error)),
    }
    let mut note = Vec::new();
    lock.read_to_end(&mut note).map_err(LogError::io("read", &path))?;
    Ok((lock, !note.is_empty()))
}

impl Log for FileLog {
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
        self.last = Some(self.queue.append(self.last, tick, block)?);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), LogError> {
        self.queue.flush()
    }

    fn read(&mut self, after: Option<u64>) -> Result<Blocks, LogError> {
        self.queue.flush()?;
        self.queue.keeps(after)?;
        let paths = listed(&self.dir)?;
        let found: Result<Vec<Segment>, _> = paths.iter().map(|path| Segment::open(path, self.worker)).collect();
        let found = found?;
        // Who asks for nothing older need not read the segments that are followed by one which begins there.
        let skipped = found.iter().skip(1).take_while(|next| next.before <= after).count();
        let readers: Result<VecDeque<Reader>, _> = found[skipped..].iter().map(Segment::reader).collect();
        Ok(Box::new(FileBlocks { readers: readers?, after }))
    }

    fn truncate_before(&mut self, tick: u64) -> Result<(), LogError> {
        self.queue.push(Order::TruncateBefore(tick))
    }

    fn cut_after(&mut self, tick: Option<u64>) -> Result<(), LogError> {
        self.last = self.queue.cut_after(tick)?;
        Ok(())
    }
}

impl fmt::Debug for FileLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileLog { dir, worker, origin, torn, last, .. } = self;
        let mut shown = f.debug_struct("FileLog");
        shown.field("dir", dir).field("worker", worker).field("origin", origin).field("torn", torn);
        shown.field("last", last).finish_non_exhaustive()
    }
}

/// The blocks of several segments, one after the other.
struct FileBlocks {
    /// Empty after an error.
    readers: VecDeque<Reader>,
    after: Option<u64>,
}

impl FileBlocks {
    fn step(&mut self) -> Result<Option<(u64, Vec<u8>)>, LogError> {
        while let Some(reader) = self.readers.front_mut() {
            match reader.step()? {
                Step::Block(tick, bytes) if Some(tick) > self.after => return Ok(Some((tick, bytes))),
                Step::Block(..) => (),
                Step::Bad(_) => return Err(reader.damaged()),
                Step::End => self.turn()?,
            }
        }
        Ok(None)
    }

    /// Goes on to the next segment, which must begin where this one ends.
    fn turn(&mut self) -> Result<(), LogError> {
        let (old, next) = (self.readers.pop_front(), self.readers.front());
        match (old, next) {
            (Some(old), Some(next)) if old.last != next.segment.before => {
                let until = number(next.segment.before);
                Err(LogError::Missing { place: next.segment.place(), after: old.last, until })
            }
            _ => Ok(()),
        }
    }
}

impl Iterator for FileBlocks {
    type Item = Result<(u64, Vec<u8>), LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step().transpose();
        if matches!(step, Some(Err(_))) {
            self.readers.clear();
        }
        step
    }
}
