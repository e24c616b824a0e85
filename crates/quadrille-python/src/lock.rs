//! Locks that never wait for ever: not in a forked process, which has none of the threads of its parent, and not in a signal
//! handler, whose own thread may hold the lock, or one that its holder waits for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LockResult, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::RwLockExt;

use crate::errors::poisoned;
use crate::forks::forks;
use crate::signals::is_in_handler;

pub(crate) struct Lock<T> {
    lock: RwLock<T>,
    /// The forks when it was last known that all who hold the lock live.
    forks: AtomicUsize,
}

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { lock: RwLock::new(value), forks: AtomicUsize::new(forks()) }
    }

    /// To read, by a thread that keeps the interpreter except to wait.
    pub(crate) fn read_attached(&self, py: Python<'_>) -> PyResult<RwLockReadGuard<'_, T>> {
        self.see_forks()?;
        taken(self.lock.try_read(), || self.lock.read_py_attached(py))
    }

    /// To write, by a thread that keeps the interpreter except to wait.
    pub(crate) fn write_attached(&self, py: Python<'_>) -> PyResult<RwLockWriteGuard<'_, T>> {
        self.see_forks()?;
        taken(self.lock.try_write(), || self.lock.write_py_attached(py))
    }

    /// To read, by a thread without the interpreter.
    pub(crate) fn read(&self) -> PyResult<RwLockReadGuard<'_, T>> {
        self.see_forks()?;
        taken(self.lock.try_read(), || self.lock.read())
    }

    /// To write, by a thread without the interpreter.
    pub(crate) fn write(&self) -> PyResult<RwLockWriteGuard<'_, T>> {
        self.see_forks()?;
        taken(self.lock.try_write(), || self.lock.write())
    }

    #[inline]
    fn see_forks(&self) -> PyResult<()> {
        if self.forks.load(Ordering::Relaxed) == forks() { Ok(()) } else { self.inherit() }
    }

    /// At the first use in a forked process: who holds the lock now is a thread of the parent, or another one here that
    /// does just this and will soon be done.
    #[cold]
    fn inherit(&self) -> PyResult<()> {
        for _ in 0..20 {
            if !matches!(self.lock.try_write(), Err(TryLockError::WouldBlock)) {
                self.forks.store(forks(), Ordering::Relaxed);
            }
            if self.forks.load(Ordering::Relaxed) == forks() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(1));
        }
        Err(PyRuntimeError::new_err("another thread was using it when the process was forked: it cannot be used here"))
    }
}

fn taken<G>(tried: TryLockResult<G>, wait: impl FnOnce() -> LockResult<G>) -> PyResult<G> {
    match tried {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(error)) => Err(poisoned(error)),
        Err(TryLockError::WouldBlock) if is_in_handler() => Err(PyRuntimeError::new_err(
            "a signal handler cannot wait for a lock that the interrupted call or another thread holds",
        )),
        Err(TryLockError::WouldBlock) => wait().map_err(poisoned),
    }
}
