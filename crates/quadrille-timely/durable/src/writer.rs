//! The thread that writes a [`Store`] while its workers go on.

use crate::disk;
use crate::store::{Change, Store, StoreError};
use std::fmt;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// How many bytes of the log may wait for the disk.
const QUEUE: usize = 64 << 20;

/// Writes what the workers of a process keep, in the order in which each of them gives it; by a thread of its own, in one
/// transaction for all that waits.
///
/// An error of the thread (a full disk, a directory removed) is returned by the next call, and by each one after it: nothing more is taken
/// until the store is opened again.
pub struct Writer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// On a simulated disk there is no thread: its dice say when changes are made.
    here: Option<Mutex<Pen>>,
}

struct Shared {
    path: PathBuf,
    state: Mutex<State>,
    /// There is something to do.
    ordered: Condvar,
    /// Something has been done.
    done: Condvar,
}

#[derive(Default)]
struct State {
    changes: Vec<Change>,
    /// Blocks that are written, whose memory may be used again.
    spare: Vec<Vec<u8>>,
    /// The bytes of blocks that wait or are being written.
    bytes: usize,
    /// The workers whose snapshots wait or are being written.
    saving: Vec<usize>,
    /// The newest tick of each worker whose block is durable.
    durable: Vec<u64>,
    busy: bool,
    closed: bool,
    error: Option<StoreError>,
}

impl Writer {
    /// Starts the thread. `dir` is where the processes tell each other of which ticks they have snapshots.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn start(store: Store, dir: &Path) -> Result<Self, StoreError> {
        let path = store.path.clone();
        let state = State { durable: vec![0; store.of().threads], ..State::default() };
        let shared =
            Arc::new(Shared { path: path.clone(), state: state.into(), ordered: Condvar::new(), done: Condvar::new() });
        let pen = Pen { store, dir: dir.to_owned(), pruned: 0, saved: 0 };
        if disk::is_simulated(&path) {
            return Ok(Writer { shared, thread: None, here: Some(Mutex::new(pen)) });
        }
        let alarm = Alarm(Arc::clone(&shared));
        let thread = thread::Builder::new().name("store".into()).spawn(move || alarm.0.serve(pen));
        let thread = thread.map_err(StoreError::io("start the thread of", &path))?;
        Ok(Writer { shared, thread: Some(thread), here: None })
    }

    /// Gives the input of a worker in a tick; waits while too many bytes are under way. The ticks of a worker rise by one.
    ///
    /// # Errors
    ///
    /// That of the thread.
    pub fn log(&self, tick: u64, worker: usize, block: Vec<u8>) -> Result<(), StoreError> {
        let len = block.len();
        let is_full = |state: &State| state.bytes > 0 && state.bytes + len > QUEUE;
        let mut state = self.wait_while(is_full)?;
        state.bytes += len;
        self.order(state, Change::Log(tick, worker, block));
        Ok(())
    }

    /// Gives the state of a worker after a tick, which all workers have answered. Waits while the one before it is being written.
    ///
    /// # Errors
    ///
    /// That of the thread.
    pub fn save(&self, tick: u64, worker: usize, bytes: Vec<u8>) -> Result<(), StoreError> {
        let mut state = self.wait_while(|state| state.saving.contains(&worker))?;
        state.saving.push(worker);
        self.order(state, Change::Save(tick, worker, bytes));
        Ok(())
    }

    /// The memory of a block that is written, with its bytes, to make another block in; empty if there is none.
    #[must_use]
    pub fn spare(&self) -> Vec<u8> {
        self.shared.state().spare.pop().unwrap_or_default()
    }

    /// The newest tick of which the log of all workers of this process is durable.
    #[must_use]
    pub fn durable(&self) -> u64 {
        self.shared.state().durable.iter().copied().min().unwrap_or(0)
    }

    /// Waits until all is written.
    ///
    /// # Errors
    ///
    /// That of the thread.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.wait_while(|state| state.busy || !state.changes.is_empty()).map(drop)
    }

    fn order(&self, mut state: MutexGuard<'_, State>, change: Change) {
        state.changes.push(change);
        self.shared.ordered.notify_one();
        drop(state);
        #[cfg(feature = "simulated")]
        if self.here.is_some() && disk::roll(&self.shared.path, 3) == 0 {
            self.write_here();
        }
    }

    fn wait_while(&self, condition: impl Fn(&State) -> bool) -> Result<MutexGuard<'_, State>, StoreError> {
        if self.here.is_some() && condition(&self.shared.state()) {
            self.write_here();
        }
        let pending = |state: &mut State| state.error.is_none() && condition(state);
        let state = self.shared.done.wait_while(self.shared.state(), pending).unwrap_or_else(PoisonError::into_inner);
        state.error.clone().map_or(Ok(state), Err)
    }

    /// Writes all there is, if there is no thread for it.
    fn write_here(&self) {
        let Some(here) = &self.here else { return };
        let mut pen = here.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.state().error.is_none()
            && let Some(changes) = self.shared.take_now()
        {
            self.shared.write(&mut pen, changes);
        }
    }
}

impl Drop for Writer {
    /// Waits until all is written.
    fn drop(&mut self) {
        self.write_here();
        self.shared.state().closed = true;
        self.shared.ordered.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic has been printed on standard error.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("path", &self.shared.path).finish_non_exhaustive()
    }
}

impl Shared {
    /// The state; consistent even after a panic of the other thread, since each change is one statement.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of the thread.
    fn serve(&self, mut pen: Pen) {
        loop {
            let idle = |state: &mut State| state.changes.is_empty() && !state.closed;
            drop(self.ordered.wait_while(self.state(), idle).unwrap_or_else(PoisonError::into_inner));
            // None when the writer is dropped.
            let Some(changes) = self.take_now() else { return };
            if !self.write(&mut pen, changes) {
                return;
            }
        }
    }

    fn take_now(&self) -> Option<Vec<Change>> {
        let mut state = self.state();
        let changes = mem::take(&mut state.changes);
        state.busy = !changes.is_empty();
        state.busy.then_some(changes)
    }

    /// Returns whether it can go on.
    fn write(&self, pen: &mut Pen, mut changes: Vec<Change>) -> bool {
        let outcome = pen.write(&mut changes);
        let first = pen.store.of().workers().start;
        let mut state = self.state();
        state.busy = false;
        for change in changes {
            match change {
                Change::Log(tick, worker, block) => {
                    state.bytes -= block.len();
                    if outcome.is_ok() {
                        state.durable[worker - first] = tick;
                    }
                    state.spare.push(block);
                }
                Change::Save(_, worker, _) => state.saving.retain(|saving| *saving != worker),
                Change::Prune(_) | Change::Begin(_) => (),
            }
        }
        state.spare.truncate(pen.store.of().threads);
        state.error = outcome.err();
        self.done.notify_all();
        state.error.is_none()
    }
}

/// The store in the hands of the thread.
struct Pen {
    store: Store,
    dir: PathBuf,
    /// All before this tick is removed.
    pruned: u64,
    /// The newest tick of which all workers of this process have a durable snapshot.
    saved: u64,
}

impl Pen {
    fn write(&mut self, changes: &mut Vec<Change>) -> Result<(), StoreError> {
        let saves = changes.iter().any(|change| matches!(change, Change::Save(..)));
        if let Some(common) = self.common()?
            && self.pruned < common
        {
            changes.push(Change::Prune(common));
            self.pruned = common;
        }
        self.store.change(changes)?;
        if saves
            && let Some(&newest) = self.store.snapshots()?.last()
            && self.saved < newest
        {
            self.saved = newest;
            tell(&self.dir, self.store.of().process, newest)?;
        }
        Ok(())
    }

    /// The newest tick of which all processes have a durable snapshot, as far as they have told.
    fn common(&self) -> Result<Option<u64>, StoreError> {
        if disk::planted("a log that goes back to the newest snapshot alone") {
            return Ok(Some(self.saved));
        }
        if self.saved <= self.pruned {
            return Ok(None);
        }
        (0..self.store.of().processes).map(|process| told(&self.dir, process)).try_fold(
            Some(self.saved),
            |least, told| {
                let told = told?;
                Ok(least.and_then(|least| Some(least.min(told?))))
            },
        )
    }
}

fn note(dir: &Path, process: usize) -> PathBuf {
    dir.join(format!("saved-{process:05}"))
}

/// Tells the other processes of which tick all workers of this one have a snapshot. It need not outlive a loss of power: each start
/// [forgets](forget) it.
fn tell(dir: &Path, process: usize, tick: u64) -> Result<(), StoreError> {
    let (note, aside) = (note(dir, process), dir.join(format!("saved-{process:05}.new")));
    let written = disk::write(&aside, tick.to_string().as_bytes()).and_then(|()| disk::rename(&aside, &note));
    written.map_err(StoreError::io("write", &aside))
}

/// The tick that a process has told of.
fn told(dir: &Path, process: usize) -> Result<Option<u64>, StoreError> {
    let note = note(dir, process);
    match disk::read(&note) {
        Ok(bytes) => Ok(std::str::from_utf8(&bytes).ok().and_then(|text| text.parse().ok())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("read", &note)(error)),
    }
}

/// Forgets of which ticks the processes of the last start had snapshots: some of these may go.
///
/// # Errors
///
/// [`StoreError::Io`].
pub fn forget_told(dir: &Path, processes: usize) -> Result<(), StoreError> {
    for process in 0..processes {
        let note = note(dir, process);
        match disk::remove_file(&note) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io("remove", &note)(error));
            }
            _ => (),
        }
    }
    Ok(())
}

/// Turns a panic of the thread into an error, so that nobody waits for it.
struct Alarm(Arc<Shared>);

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().error = Some(StoreError::Panicked { path: self.0.path.clone() });
            self.0.done.notify_all();
        }
    }
}
