//! A log in files: opening and reading it.

use crate::disk::{self, File, OpenOptions};
use crate::log::{Blocks, LogError};
use crate::queued::{Found, QueuedLog, Store};
use crate::record::number;
use crate::segment::{Reader, Segment, Step};
use crate::segments::{Segments, listed};
use std::collections::VecDeque;
use std::fs::TryLockError;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// How a [`FileLog`] behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLogOptions {
    /// How many bytes may be queued for the disk before [`append`](crate::Log::append) waits; 64 MiB.
    pub queue: usize,
    /// A segment longer than this is followed by another one; 256 MiB.
    pub segment: u64,
}

impl Default for FileLogOptions {
    fn default() -> Self {
        FileLogOptions { queue: 64 << 20, segment: 256 << 20 }
    }
}

/// A log in the files of a directory, one directory per worker.
///
/// The blocks are kept in segments; [`truncate_before`](crate::Log::truncate_before) removes whole ones, and ends the one that is
/// being written. One sync serves all blocks that wait for it; on Linux their memory is then free for the next ones. A file `log.lock` keeps a second writer off, and
/// shows that there was a log.
///
/// A damaged log can be opened if its last segment is intact; [`read`](crate::Log::read) reports damage in earlier ones.
pub type FileLog = QueuedLog<Files>;

/// The directory of a log.
#[derive(Debug)]
pub struct Files {
    dir: PathBuf,
    worker: usize,
    _lock: Lock,
}

impl FileLog {
    /// Opens the log of `worker` below `dir`, or makes it; cuts off a torn end, which [`torn`](crate::Log::torn) then returns.
    ///
    /// # Errors
    ///
    /// [`LogError::InUse`], [`LogError::Lost`], [`LogError::Foreign`], [`LogError::Damaged`], [`LogError::Missing`],
    /// [`LogError::Io`].
    pub fn open(dir: impl AsRef<Path>, worker: usize, options: &FileLogOptions) -> Result<Self, LogError> {
        let dir = dir.as_ref().join(format!("worker-{worker:05}"));
        disk::make_dir(&dir).map_err(LogError::io("make", &dir))?;
        let (mut lock, known) = locked(&dir)?;
        let mut kept = segments_of(&dir, worker)?;
        let made = kept.is_empty();
        if made && known {
            return Err(LogError::Lost { place: dir.display().to_string() });
        }
        if made {
            kept.push(Segment::first(&dir, worker)?);
        } else {
            // A process that died may have left names that a loss of power takes back.
            disk::sync_dir(&dir).map_err(LogError::io("sync", &dir))?;
        }
        let (segments, torn) = Segments::open(dir.clone(), kept, options.segment)?;
        // A segment is there by now, so that from here on its absence is a loss.
        let noted = if known { Ok(()) } else { lock.0.write_all(NOTE) };
        noted.and_then(|()| lock.0.sync_all()).map_err(LogError::io("write", &dir))?;
        let (place, status) = (dir.display().to_string(), segments.status());
        let found = Found { worker, place, status, torn, is_new: made || !known };
        QueuedLog::start(found, options.queue, segments, Files { dir, worker, _lock: lock })
    }
}

/// A locked file.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    /// Closing the file is not enough: a process that another thread is just starting has it open too.
    fn drop(&mut self) {
        // Where that fails, closing does it.
        let _ = self.0.unlock();
    }
}

const NOTE: &[u8] = b"A log of quadrille. Its blocks are in the segments beside this file.\n";

/// Locks the log, and returns whether it was there.
fn locked(dir: &Path) -> Result<(Lock, bool), LogError> {
    let path = dir.join("log.lock");
    let open = OpenOptions::new().read(true).append(true).create(true).open(&path);
    let lock = open.map_err(LogError::io("open", &path))?;
    match lock.try_lock() {
        Ok(()) => (),
        Err(TryLockError::WouldBlock) => return Err(LogError::InUse { place: dir.display().to_string() }),
        Err(TryLockError::Error(error)) => return Err(LogError::io("lock", &path)(error)),
    }
    let (mut lock, mut note) = (Lock(lock), Vec::new());
    lock.0.read_to_end(&mut note).map_err(LogError::io("read", &path))?;
    Ok((lock, !note.is_empty()))
}

impl Store for Files {
    fn read(&self, after: Option<u64>) -> Result<Blocks, LogError> {
        let found = segments_of(&self.dir, self.worker)?;
        // A segment whose successor begins at `after` or before has nothing that is asked for.
        let skipped = found.iter().skip(1).take_while(|next| next.before <= after).count();
        let readers: Result<VecDeque<Reader>, _> = found[skipped..].iter().map(Segment::reader).collect();
        Ok(Box::new(FileBlocks { readers: readers?, after }))
    }
}

/// The segments of a log, in order.
fn segments_of(dir: &Path, worker: usize) -> Result<Vec<Segment>, LogError> {
    listed(dir)?.iter().map(|path| Segment::open(path, worker)).collect()
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
                // All its blocks are there: a loss of power has torn the mark behind them.
                Step::Bad(_) if self.has_ended() => self.turn()?,
                Step::Bad(_) => return Err(self.readers[0].damaged()),
                Step::End => self.turn()?,
            }
        }
        Ok(None)
    }

    /// Whether the next segment begins here.
    fn has_ended(&self) -> bool {
        self.readers.get(1).is_some_and(|next| self.readers[0].last == next.segment.before)
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
