//! Snapshots in files, one per worker and tick.
//!
//! A file is written under another name, synced, renamed, and its directory synced: it is there in whole or not at all.

use crate::checked::{sealed, sum, unsealed};
use crate::disk::{self, File, planted, sync_dir};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// "quadsnap" in ASCII, and the version of the format.
const MAGIC: u64 = u64::from_le_bytes(*b"quadsnap");
const VERSION: u64 = 1;
/// Magic, version, worker, workers, tick, length, checksum of the bytes; and the checksum of all that.
const HEADER: usize = 8 * 8;
/// The most workers of a world. A file whose name says more is no snapshot.
pub const WORKERS_MAX: usize = 1 << 16;

/// The snapshots of all workers of a world, in one directory that all processes see.
///
/// Each worker saves its own, from any thread or process.
#[derive(Clone, Debug)]
pub struct Snapshots {
    dir: PathBuf,
    workers: usize,
}

/// The newest tick of which there is an intact snapshot of every worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Common {
    /// The tick.
    pub tick: u64,
    /// How many workers there were then; it may differ from how many there are now.
    pub workers: usize,
    /// Newer ones that were passed over, and why; the newest first.
    pub passed: Vec<Passed>,
}

/// A tick that cannot serve as a common one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// Some workers have not saved it.
    Incomplete {
        /// The tick.
        tick: u64,
        /// How many workers there were.
        workers: usize,
        /// Those whose file is missing.
        missing: Vec<usize>,
    },
    /// A file is damaged.
    Damaged {
        /// The tick.
        tick: u64,
        /// How many workers there were.
        workers: usize,
        /// The worker.
        worker: usize,
        /// Its file.
        path: PathBuf,
    },
}

/// Why a snapshot cannot be saved or loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The file system refused.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// The operation, as a verb.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// There are too many workers.
    #[error("snapshots of {workers} workers in {}; at most {WORKERS_MAX}", dir.display())]
    Workers {
        /// The directory.
        dir: PathBuf,
        /// The number of workers.
        workers: usize,
    },
    /// The number of a worker is not below the number of workers.
    #[error("worker {worker} cannot save a snapshot in {}, which is for workers below {workers}", dir.display())]
    Worker {
        /// The directory.
        dir: PathBuf,
        /// The number of the worker.
        worker: usize,
        /// The limit.
        workers: usize,
    },
    /// The bytes are not those that were saved.
    #[error("the snapshot {} is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A newer version has written it.
    #[error("the snapshot {} is of version {found}, and this program knows versions up to {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// The directory is gone, as it is when a newer start has taken over.
    #[error("the snapshots {} are gone: a newer start has taken over", dir.display())]
    Replaced {
        /// The directory.
        dir: PathBuf,
    },
    /// There are damaged snapshots, and no tick of which all are intact.
    #[error("none of {} ticks in {} has an intact snapshot of every worker", passed.len(), dir.display())]
    NoneCommon {
        /// The directory.
        dir: PathBuf,
        /// The ticks there are, and why each cannot serve; the newest first.
        passed: Vec<Passed>,
    },
}

/// The tick and the number of workers of files that belong together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SetKey {
    tick: u64,
    workers: usize,
}

impl Snapshots {
    /// Opens or makes the directory, for a world of this number of workers.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Workers`], [`SnapshotError::Io`].
    pub fn open(dir: impl Into<PathBuf>, workers: usize) -> Result<Self, SnapshotError> {
        let dir = dir.into();
        if workers > WORKERS_MAX {
            return Err(SnapshotError::Workers { dir, workers });
        }
        disk::make_dir(&dir).map_err(failed("make", &dir))?;
        Ok(Snapshots { dir, workers })
    }

    /// Saves the state of a worker after `tick`. It outlives a loss of power when this returns.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Worker`]; [`SnapshotError::Replaced`]; [`SnapshotError::Io`], and then an older file of this tick, if there is one, is as it was.
    pub fn save(&self, worker: usize, tick: u64, bytes: &[u8]) -> Result<(), SnapshotError> {
        let Snapshots { dir, workers } = self;
        if worker >= *workers {
            return Err(SnapshotError::Worker { dir: dir.clone(), worker, workers: *workers });
        }
        let path = self.path(worker, SetKey { tick, workers: *workers });
        // One per worker, so that those of dead processes do not pile up.
        let aside = dir.join(format!("{worker:05}.new"));
        let header = header(worker, SetKey { tick, workers: *workers }, bytes);
        let written = write_synced(&aside, &header, bytes);
        if let Err(source) = written {
            if source.kind() == io::ErrorKind::NotFound {
                return Err(SnapshotError::Replaced { dir: dir.clone() });
            }
            // The disk may be full. The first error is the one to report.
            let _ = disk::remove_file(&aside);
            return Err(failed("write", &aside)(source));
        }
        disk::rename(&aside, &path).map_err(failed("rename", &aside))?;
        if planted("a snapshot whose name is not synced") {
            return Ok(());
        }
        sync_dir(dir).map_err(failed("sync", dir))
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The newest tick of which every worker has an intact file; none if no tick was ever saved by all.
    ///
    /// Reads the files of the ticks that it considers.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::NoneCommon`] if files are damaged and no other tick will do, so that a world is not begun anew by
    /// mistake; [`SnapshotError::Version`]; [`SnapshotError::Io`].
    pub fn last_common(&self) -> Result<Option<Common>, SnapshotError> {
        let mut passed = Vec::new();
        for (key, found) in self.sets()?.into_iter().rev() {
            match self.fault(key, &found)? {
                None => return Ok(Some(Common { tick: key.tick, workers: key.workers, passed })),
                Some(fault) => passed.push(fault),
            }
        }
        // Incomplete ones alone are those of a world that died during its first snapshot.
        let damaged = passed.iter().any(|fault| matches!(fault, Passed::Damaged { .. }));
        if damaged { Err(SnapshotError::NoneCommon { dir: self.dir.clone(), passed }) } else { Ok(None) }
    }

    /// The bytes that worker `worker` of the common snapshot saved.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Damaged`], [`SnapshotError::Version`], [`SnapshotError::Io`].
    pub fn load(&self, worker: usize, common: &Common) -> Result<Vec<u8>, SnapshotError> {
        self.read(worker, SetKey { tick: common.tick, workers: common.workers })
    }

    /// Removes what is newer than `tick` (all, if `None`), because the world goes on differently from there. Returns the number of
    /// files removed.
    ///
    /// Call it before any worker saves, else the states of two time lines may be taken for one.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Io`].
    pub fn forget_after(&self, tick: Option<u64>) -> Result<usize, SnapshotError> {
        self.remove(self.sets()?.into_iter().filter(|(key, _)| tick.is_none_or(|tick| key.tick > tick)).rev())
    }

    /// Makes the snapshots up to the common one part of another directory too, that of a new start; no bytes are copied. A
    /// process of an older start that is still alive goes on in this directory, and cannot change the other one. They outlive a
    /// loss of power when this returns.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Io`], if a file is there already among others.
    pub fn hand_over(&self, common: &Common, to: &Snapshots) -> Result<(), SnapshotError> {
        for (key, found) in self.sets()?.range(..=SetKey { tick: common.tick, workers: common.workers }) {
            if key.workers == common.workers {
                for worker in found {
                    let path = to.path(*worker, *key);
                    disk::hard_link(self.path(*worker, *key).as_path(), &path).map_err(failed("link", &path))?;
                }
            }
        }
        sync_dir(&to.dir).map_err(failed("sync", &to.dir))
    }

    /// Removes the files of other numbers of workers, once this one has a common snapshot.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Io`].
    pub fn forget_other_numbers(&self) -> Result<usize, SnapshotError> {
        self.remove(self.sets()?.into_iter().filter(|(key, _)| key.workers != self.workers))
    }

    /// Removes the files that are older than the newest `keep` common snapshots; `keep` is at least 2, for the newest may
    /// turn out to be damaged. Returns the oldest tick kept: blocks of a log from the next tick on are still needed.
    ///
    /// Looks only at names. With fewer than `keep` common ones, nothing is removed.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Io`].
    pub fn prune(&self, keep: usize) -> Result<Option<u64>, SnapshotError> {
        let sets = self.sets()?;
        let whole = |(key, found): &(&SetKey, &Vec<usize>)| found.len() == key.workers;
        let Some(oldest) = sets.iter().rev().filter(whole).nth(keep.max(2) - 1).map(|(key, _)| *key) else {
            return Ok(None);
        };
        self.remove(sets.into_iter().filter(|(key, _)| *key < oldest))?;
        Ok(Some(oldest.tick))
    }

    fn remove(&self, sets: impl Iterator<Item = (SetKey, Vec<usize>)>) -> Result<usize, SnapshotError> {
        let mut removed = 0;
        for path in sets.flat_map(|(key, found)| found.into_iter().map(move |worker| self.path(worker, key))) {
            match disk::remove_file(&path) {
                Ok(()) => removed += 1,
                // Another process was faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound => (),
                Err(error) => return Err(failed("remove", &path)(error)),
            }
        }
        if removed > 0 {
            sync_dir(&self.dir).map_err(failed("sync", &self.dir))?;
        }
        Ok(removed)
    }

    /// The files by name: for each tick and number of workers, the workers that have saved, in order.
    fn sets(&self) -> Result<BTreeMap<SetKey, Vec<usize>>, SnapshotError> {
        let mut sets: BTreeMap<SetKey, Vec<usize>> = BTreeMap::new();
        for name in disk::names(&self.dir).map_err(failed("list", &self.dir))? {
            if let Some((worker, key)) = name.to_str().and_then(named)
                && self.path(worker, key).file_name() == Some(name.as_os_str())
            {
                sets.entry(key).or_default().push(worker);
            }
        }
        for found in sets.values_mut() {
            found.sort_unstable();
        }
        Ok(sets)
    }

    /// Why these files are no common snapshot, or `None` if they are one.
    fn fault(&self, key: SetKey, found: &[usize]) -> Result<Option<Passed>, SnapshotError> {
        let SetKey { tick, workers } = key;
        let missing: Vec<usize> = (0..workers).filter(|worker| found.binary_search(worker).is_err()).collect();
        if !missing.is_empty() {
            return Ok(Some(Passed::Incomplete { tick, workers, missing }));
        }
        for worker in 0..workers {
            match self.read(worker, key) {
                Ok(_) => (),
                Err(SnapshotError::Damaged { path }) => {
                    return Ok(Some(Passed::Damaged { tick, workers, worker, path }));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn read(&self, worker: usize, key: SetKey) -> Result<Vec<u8>, SnapshotError> {
        let path = self.path(worker, key);
        let mut bytes = disk::read(&path).map_err(failed("read", &path))?;
        let damaged = || SnapshotError::Damaged { path: path.clone() };
        let words: [u64; HEADER / 8 - 1] = unsealed(MAGIC, &bytes).ok_or_else(damaged)?;
        if words[0] == MAGIC && words[1] != VERSION {
            return Err(SnapshotError::Version { path: path.clone(), found: words[1] });
        }
        // The header of these bytes would be the same one, byte for byte.
        if header(worker, key, &bytes[HEADER..]) != bytes[..HEADER] {
            return Err(damaged());
        }
        bytes.drain(..HEADER);
        Ok(bytes)
    }

    fn path(&self, worker: usize, key: SetKey) -> PathBuf {
        self.dir.join(format!("{:020}-{worker:05}-of-{:05}.snapshot", key.tick, key.workers))
    }
}

/// Worker and tick of a name that [`Snapshots::path`] made.
fn named(name: &str) -> Option<(usize, SetKey)> {
    let mut parts = name.strip_suffix(".snapshot")?.split('-');
    let tick = parts.next()?.parse().ok()?;
    let worker = parts.next()?.parse().ok()?;
    let workers = parts.nth(1)?.parse().ok()?;
    (parts.next().is_none() && worker < workers && workers <= WORKERS_MAX).then_some((worker, SetKey { tick, workers }))
}

fn header(worker: usize, key: SetKey, bytes: &[u8]) -> Vec<u8> {
    let words = [MAGIC, VERSION, worker as u64, key.workers as u64, key.tick, bytes.len() as u64, sum(VERSION, bytes)];
    sealed(MAGIC, words)
}

fn write_synced(path: &Path, header: &[u8], bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(header)?;
    file.write_all(bytes)?;
    if planted("a snapshot that is not synced") { Ok(()) } else { file.sync_all() }
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SnapshotError {
    let path = path.to_owned();
    move |source| SnapshotError::Io { doing, path, source }
}
