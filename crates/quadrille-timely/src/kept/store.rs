//! The memory of one process of a world: a file of an embedded store, [`redb`].
//!
//! All that is changed at once is one transaction: after any death it is there in whole or not at all.

use std::io;
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::{Builder, Database, DatabaseError, ReadOnlyTable, ReadableDatabase, TableDefinition};

use super::disk;
use crate::partition::WORKERS_MAX;

/// The bytes of a worker after, or in, a tick: by tick, worker and number of a part.
type Table = TableDefinition<'static, (u64, u64, u64), &'static [u8]>;

/// The input of each tick.
const LOG: Table = TableDefinition::new("log");
const SNAPSHOTS: Table = TableDefinition::new("snapshots");
/// Where the next start begins: the bytes of other processes, by the tick of its snapshots and the last tick of the log.
const START: Table = TableDefinition::new("start");
/// The numbers of [`Of`].
const NOTES: TableDefinition<&str, u64> = TableDefinition::new("notes");

/// The memory for pages that are read again, or wait to be written. With more, a tick takes hardly less time.
const CACHE: usize = 2 << 20;
/// The longest part: with its key it fills a page. The store makes pages of powers of two in memory that it clears first, so a
/// longer one takes up to six times the time of a file that is appended to.
const PART: usize = (256 << 10) - 128;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Of {
    /// The number of the process.
    pub(crate) process: usize,
    /// How many processes there are.
    pub(crate) processes: usize,
    /// How many workers each of them has.
    pub(crate) threads: usize,
}

impl Of {
    /// The workers of the process.
    pub(crate) fn workers(&self) -> Range<usize> {
        self.process * self.threads..(self.process + 1) * self.threads
    }

    fn notes(&self) -> [(&'static str, u64); 4] {
        let [process, processes, threads] = [self.process, self.processes, self.threads].map(|number| number as u64);
        [("form", FORM), ("process", process), ("processes", processes), ("threads", threads)]
    }
}

/// The form of the tables.
const FORM: u64 = 2;

/// Where a start begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Begin {
    /// The tick of the snapshots.
    pub(crate) tick: u64,
    /// The last tick of the log.
    pub(crate) until: u64,
    /// The bytes that this process needs of others.
    pub(crate) others: Vec<u8>,
}

/// Why a store cannot be opened, read or written.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system refused: a full disk, no permission, a directory removed meanwhile.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// The operation, as a verb.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// A process still uses it, maybe one of an older start.
    #[error("{} is in use", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The bytes are not those that were written.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The store's reason.
        reason: String,
    },
    /// It is a store of something else, or of another version.
    #[error("{} is no store that this version can read: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The difference.
        reason: String,
    },
    /// A snapshot or a tick of the log is missing.
    #[error("{} has no {missing} of tick {tick}, worker {worker}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// Which of the two.
        missing: &'static str,
        /// The tick.
        tick: u64,
        /// The worker.
        worker: usize,
    },
    /// The thread that writes has panicked.
    #[error("the thread that writes {} has panicked", path.display())]
    Panicked {
        /// The file.
        path: PathBuf,
    },
}

impl StoreError {
    /// The error of a deed of the file system.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| StoreError::Io { doing, path, source: Arc::new(source) }
    }

    fn of(path: &Path, doing: &'static str, error: impl Into<redb::Error>) -> Self {
        let path = path.to_owned();
        match error.into() {
            redb::Error::Io(source) if source.kind() == io::ErrorKind::InvalidData => {
                StoreError::Damaged { path, reason: source.to_string() }
            }
            redb::Error::Io(source) => StoreError::io(doing, &path)(source),
            redb::Error::DatabaseAlreadyOpen => StoreError::InUse { path },
            error @ redb::Error::UpgradeRequired(_) => StoreError::Foreign { path, reason: error.to_string() },
            error => StoreError::Damaged { path, reason: error.to_string() },
        }
    }
}

/// A change. Those that are made at once are one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The input of a tick, of a worker.
    Log(u64, usize, Vec<u8>),
    /// The state of a worker after a tick.
    Save(u64, usize, Vec<u8>),
    /// Nothing older than a tick is needed, of which all workers of the world have a snapshot: so no input up to that tick.
    Prune(u64),
    /// A start begins.
    Begin(Begin),
}

/// The file of one process. It is locked as long as this lives.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) path: PathBuf,
    database: Database,
    of: Of,
}

impl Store {
    /// Makes the file of a process, with these changes. Its name has to be [synced](disk::sync_dir).
    pub(crate) fn create(path: &Path, of: Of, changes: &[Change]) -> Result<Self, StoreError> {
        let database = opened(path, true)?;
        let failed = |error: redb::Error| StoreError::of(path, "make", error);
        let noted = || {
            let change = database.begin_write()?;
            let mut notes = change.open_table(NOTES)?;
            for (name, number) in of.notes() {
                notes.insert(name, number)?;
            }
            drop(notes);
            for table in [LOG, SNAPSHOTS, START] {
                change.open_table(table)?;
            }
            change.commit()?;
            Ok(())
        };
        noted().map_err(failed)?;
        let store = Store { path: path.to_owned(), database, of };
        store.change(changes)?;
        Ok(store)
    }

    /// Opens the file of a process, of which all bytes are checked.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let database = opened(path, false)?;
        let read = || {
            let tables = database.begin_read()?;
            let notes = tables.open_table(NOTES)?;
            let note = |name| Ok::<_, redb::Error>(notes.get(name)?.map_or(u64::MAX, |number| number.value()));
            Ok([note("form")?, note("process")?, note("processes")?, note("threads")?])
        };
        let [form, process, processes, threads] =
            read().map_err(|error: redb::Error| StoreError::of(path, "read", error))?;
        let foreign = |reason| StoreError::Foreign { path: path.to_owned(), reason };
        if form != FORM {
            return Err(foreign(format!("it has form {form}, not {FORM}")));
        }
        let numbers = [process, processes, threads].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let [process, processes, threads] = numbers;
        if process >= processes || processes.checked_mul(threads).is_none_or(|workers| workers > WORKERS_MAX) {
            return Err(foreign(format!("it is of process {process} of {processes}, with {threads} workers each")));
        }
        Ok(Store { path: path.to_owned(), database, of: Of { process, processes, threads } })
    }

    /// Whose file it is.
    pub(crate) fn of(&self) -> Of {
        self.of
    }

    /// The ticks of which each worker of this process has a snapshot, the newest last.
    pub(crate) fn snapshots(&self) -> Result<Vec<u64>, StoreError> {
        self.whole(SNAPSHOTS, 0)
    }

    /// The bytes that a worker has saved after a tick.
    pub(crate) fn snapshot(&self, tick: u64, worker: usize) -> Result<Vec<u8>, StoreError> {
        let found = self.bytes(SNAPSHOTS, tick, worker as u64)?;
        found.ok_or_else(|| self.missing("snapshot", tick, worker))
    }

    /// The last tick after `after` up to which the log has a block of each worker of this process, for each tick.
    pub(crate) fn logged(&self, after: u64) -> Result<u64, StoreError> {
        let ticks = self.whole(LOG, after + 1)?;
        Ok(after + ticks.into_iter().zip(after + 1..).take_while(|(tick, next)| tick == next).count() as u64)
    }

    /// Gives tick, worker and bytes of each block of the log after a tick.
    pub(crate) fn blocks(&self, after: u64, mut take: impl FnMut(u64, usize, &[u8])) -> Result<(), StoreError> {
        for (tick, worker) in self.keys(LOG, after + 1)? {
            take(tick, worker as usize, &self.bytes(LOG, tick, worker)?.unwrap_or_default());
        }
        Ok(())
    }

    /// Where the start begins; none before it is prepared, and when it has been taken.
    pub(crate) fn begin(&self) -> Result<Option<Begin>, StoreError> {
        let Some((tick, until)) = self.keys(START, 0)?.pop() else { return Ok(None) };
        let others = self.bytes(START, tick, until)?.unwrap_or_default();
        let taken = || {
            let change = self.database.begin_write()?;
            change.open_table(START)?.retain(|_, _| false)?;
            change.commit()?;
            Ok(())
        };
        taken().map_err(|error: redb::Error| StoreError::of(&self.path, "write", error))?;
        Ok(Some(Begin { tick, until, others }))
    }

    /// Makes these changes at once. They outlive a loss of power when this returns.
    /// After an error none of them is made, and the store takes no more until it is opened again.
    pub(crate) fn change(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.changed(changes).map_err(|error| StoreError::of(&self.path, "write", error))
    }

    fn changed(&self, changes: &[Change]) -> Result<(), redb::Error> {
        let transaction = self.database.begin_write()?;
        {
            let (mut log, mut snapshots) = (transaction.open_table(LOG)?, transaction.open_table(SNAPSHOTS)?);
            for change in changes {
                match change {
                    Change::Log(tick, worker, bytes) => put(&mut log, *tick, *worker as u64, bytes)?,
                    Change::Save(tick, worker, bytes) => put(&mut snapshots, *tick, *worker as u64, bytes)?,
                    Change::Prune(tick) => {
                        snapshots.retain_in(..(*tick, 0, 0), |_, _| false)?;
                        log.retain_in(..(*tick + 1, 0, 0), |_, _| false)?;
                    }
                    Change::Begin(Begin { tick, until, others }) => {
                        // The time line goes on differently from there.
                        if !disk::planted("snapshots that are not cut") {
                            snapshots.retain_in((*tick + 1, 0, 0).., |_, _| false)?;
                        }
                        if !disk::planted("logs that are not cut") {
                            log.retain_in((*until + 1, 0, 0).., |_, _| false)?;
                        }
                        let mut start = transaction.open_table(START)?;
                        start.retain(|_, _| false)?;
                        put(&mut start, *tick, *until, others)?;
                    }
                }
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// The ticks from one on of which a table has bytes of each worker of this process.
    fn whole(&self, table: Table, from: u64) -> Result<Vec<u64>, StoreError> {
        let keys = self.keys(table, from)?;
        let ticks = keys.chunk_by(|one, next| one.0 == next.0).filter(|workers| workers.len() == self.of.threads);
        Ok(ticks.map(|workers| workers[0].0).collect())
    }

    /// The first two numbers of each key, in order.
    fn keys(&self, table: Table, from: u64) -> Result<Vec<(u64, u64)>, StoreError> {
        self.read(table, |table| {
            let (mut keys, mut after) = (Vec::new(), (from, 0, 0));
            // Only the first part of each is read.
            while let Some(entry) = table.range(after..)?.next() {
                let (tick, worker, _) = entry?.0.value();
                keys.push((tick, worker));
                after = (tick, worker, u64::MAX);
            }
            Ok(keys)
        })
    }

    fn bytes(&self, table: Table, tick: u64, worker: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(table, |table| {
            let mut bytes = None;
            for part in table.range((tick, worker, 0)..(tick, worker, u64::MAX))? {
                bytes.get_or_insert_with(Vec::new).extend(part?.1.value());
            }
            Ok(bytes)
        })
    }

    fn read<T>(
        &self,
        table: Table,
        read: impl FnOnce(ReadOnlyTable<(u64, u64, u64), &'static [u8]>) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let table = || Ok(self.database.begin_read()?.open_table(table)?);
        table().and_then(read).map_err(|error| StoreError::of(&self.path, "read", error))
    }

    pub(crate) fn missing(&self, missing: &'static str, tick: u64, worker: usize) -> StoreError {
        StoreError::Missing { path: self.path.clone(), missing, tick, worker }
    }
}

/// Writes bytes in parts.
fn put(
    table: &mut redb::Table<(u64, u64, u64), &'static [u8]>,
    tick: u64,
    worker: u64,
    bytes: &[u8],
) -> Result<(), redb::Error> {
    // Of older and longer bytes.
    table.retain_in((tick, worker, 0)..=(tick, worker, u64::MAX), |_, _| false)?;
    // There is a first part of no bytes, too.
    let first = &bytes[..bytes.len().min(PART)];
    for (nth, part) in iter::once(first).chain(bytes[first.len()..].chunks(PART)).enumerate() {
        table.insert((tick, worker, nth as u64), part)?;
    }
    Ok(())
}

/// Opens the file, or makes it. A file that was changed by others is an error: the store trusts what it has written.
fn opened(path: &Path, is_new: bool) -> Result<Database, StoreError> {
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE).set_check_integrity_on_open(!is_new);
    let opened = disk::database(path, &builder, is_new);
    opened.map_err(|error| match error {
        DatabaseError::Storage(redb::StorageError::Io(source)) if source.kind() == io::ErrorKind::UnexpectedEof => {
            StoreError::Damaged { path: path.to_owned(), reason: "it ends too early".into() }
        }
        error => StoreError::of(path, "open", error),
    })
}
