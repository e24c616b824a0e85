//! The thread that writes a [`Store`] while its workers go on.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::disk;
use super::store::{Change, Store, StoreError};

/// How many bytes of the log may wait for the disk.
const QUEUE: usize = 64 << 20;

/// Writes what the workers of a process keep, in the order in which each of them gives it; by a thread of its own, in one
/// transaction for all that waits.
///
/// An error of the thread (a full disk, a directory removed) is returned by the next call, and by each one after it: nothing more is taken
/// until the store is opened again.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    /// None on a simulated disk, whose dice say when changes are made.
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    store: Store,
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
    /// All before this tick is removed.
    pruned: u64,
    busy: bool,
    closed: bool,
    error: Option<StoreError>,
}

impl Writer {
    pub(crate) fn start(store: Store) -> Result<Self, StoreError> {
        let state = State { durable: vec![0; store.of().threads], ..State::default() };
        let (path, ordered, done) = (store.path.clone(), Condvar::new(), Condvar::new());
        let shared = Arc::new(Shared { store, state: state.into(), ordered, done });
        let alarm = Alarm(Arc::clone(&shared));
        let spawn = || thread::Builder::new().name("store".into()).spawn(move || alarm.0.serve());
        let thread = (!disk::is_simulated(&path)).then(spawn).transpose();
        Ok(Self { shared, thread: thread.map_err(StoreError::io("start the thread of", &path))? })
    }

    /// Gives the input of a worker in a tick; waits while too many bytes are under way. The ticks of a worker rise by one.
    pub(crate) fn log(&self, tick: u64, worker: usize, block: Vec<u8>) -> Result<(), StoreError> {
        let len = block.len();
        let mut state = self.wait_while(|state| state.bytes > 0 && state.bytes + len > QUEUE)?;
        state.bytes += len;
        self.order(state, Change::Log(tick, worker, block));
        Ok(())
    }

    /// Gives the state of a worker after a tick, which all workers have answered. Waits until the one before it is durable.
    pub(crate) fn save(&self, tick: u64, worker: usize, bytes: Vec<u8>) -> Result<(), StoreError> {
        let mut state = self.wait_while(|state| state.saving.contains(&worker))?;
        state.saving.push(worker);
        self.order(state, Change::Save(tick, worker, bytes));
        Ok(())
    }

    /// Lets all go that is older than a tick of which all workers of the world have a durable snapshot.
    pub(crate) fn prune(&self, tick: u64) {
        let mut state = self.shared.state();
        if state.pruned < tick {
            state.pruned = tick;
            self.order(state, Change::Prune(tick));
        }
    }

    /// The memory of a block that is written, with its bytes, to make another block in; empty if there is none.
    pub(crate) fn spare(&self) -> Vec<u8> {
        self.shared.state().spare.pop().unwrap_or_default()
    }

    /// The newest tick of which the log of all workers of this process is durable.
    #[cfg(test)]
    pub(crate) fn durable(&self) -> u64 {
        self.shared.state().durable.iter().copied().min().unwrap_or(0)
    }

    /// Waits until all is written.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        self.wait_while(|state| state.busy || !state.changes.is_empty()).map(drop)
    }

    fn order(&self, mut state: MutexGuard<'_, State>, change: Change) {
        state.changes.push(change);
        self.shared.ordered.notify_one();
        drop(state);
        if self.thread.is_none() && disk::roll(&self.shared.store.path, 3) == 0 {
            self.shared.write();
        }
    }

    fn wait_while(&self, condition: impl Fn(&State) -> bool) -> Result<MutexGuard<'_, State>, StoreError> {
        if self.thread.is_none() && condition(&self.shared.state()) {
            self.shared.write();
        }
        let pending = |state: &mut State| state.error.is_none() && condition(state);
        let state = self.shared.done.wait_while(self.shared.state(), pending).unwrap_or_else(PoisonError::into_inner);
        state.error.clone().map_or(Ok(state), Err)
    }
}

impl Drop for Writer {
    /// Waits until all is written.
    fn drop(&mut self) {
        self.shared.state().closed = true;
        self.shared.ordered.notify_one();
        match self.thread.take() {
            // A panic has been printed on standard error.
            Some(thread) => drop(thread.join()),
            None => drop(self.shared.write()),
        }
    }
}

impl Shared {
    /// The state; consistent even after a panic of the other thread, since each change is one statement.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of the thread.
    fn serve(&self) {
        loop {
            let idle = |state: &mut State| state.changes.is_empty() && !state.closed;
            drop(self.ordered.wait_while(self.state(), idle).unwrap_or_else(PoisonError::into_inner));
            if !self.write() {
                return;
            }
        }
    }

    /// Writes all that waits. Returns whether there was anything, and all went well.
    fn write(&self) -> bool {
        let mut state = self.state();
        let changes = mem::take(&mut state.changes);
        state.busy = state.error.is_none() && !changes.is_empty();
        if !state.busy {
            return false;
        }
        drop(state);
        let outcome = self.store.change(&changes);
        let of = self.store.of();
        let mut state = self.state();
        state.busy = false;
        for change in changes {
            match change {
                Change::Log(tick, worker, block) => {
                    state.bytes -= block.len();
                    if outcome.is_ok() {
                        state.durable[worker - of.workers().start] = tick;
                    }
                    state.spare.push(block);
                }
                Change::Save(_, worker, _) => state.saving.retain(|saving| *saving != worker),
                Change::Prune(_) | Change::Begin(_) => (),
            }
        }
        state.spare.truncate(of.threads);
        state.error = outcome.err();
        self.done.notify_all();
        state.error.is_none()
    }
}

/// Turns a panic of the thread into an error, so that nobody waits for it.
struct Alarm(Arc<Shared>);

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().error = Some(StoreError::Panicked { path: self.0.store.path.clone() });
            self.0.done.notify_all();
        }
    }
}
