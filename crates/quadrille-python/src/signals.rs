//! Signals that come during a long call: their handlers run on the way, and an exception of one (as by Ctrl-C) ends the call.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{Scope, ThreadPoolBuilder};

use crate::forks::forks;

/// Between two looks.
const INTERVAL: Duration = Duration::from_millis(50);
/// If a look has to wait for another thread to give the interpreter away, the next one comes after so many times as long.
const PATIENCE: u32 = 20;
/// How many steps, each of some nanoseconds, are done between two looks at the clock.
const STEPS: usize = 4096;
/// A question of a batch counts as so many steps.
pub(crate) const QUESTION: usize = 64;

/// The forks when rayon's own pool was first asked: a process that was forked later has none of its threads, and makes a pool
/// for each call.
static FORKS_OF_POOL: AtomicUsize = AtomicUsize::new(usize::MAX);

thread_local! {
    static IS_IN_HANDLER: Cell<bool> = const { Cell::new(false) };
    /// Those of the long call that this thread is amid.
    static CURRENT: RefCell<Option<Rc<Signals>>> = const { RefCell::new(None) };
}

/// Whether this thread runs handlers amid a call, and so may hold a lock that they ask for.
pub(crate) fn is_in_handler() -> bool {
    IS_IN_HANDLER.get()
}

/// The payload that unwinds a call which a signal has ended.
struct Ended;

/// Looks for signals now and then. It is told of each step, and says whether to go on.
pub(crate) struct Signals {
    steps_left: Cell<usize>,
    next_look: Cell<Instant>,
    error: RefCell<Option<PyErr>>,
}

impl Signals {
    fn new() -> Self {
        let next_look = Instant::now() + INTERVAL;
        Self { steps_left: Cell::new(STEPS), next_look: Cell::new(next_look), error: RefCell::new(None) }
    }

    /// Whether the call goes on after some more steps.
    #[inline]
    pub(crate) fn let_pass(&self, steps: usize) -> bool {
        match self.steps_left.get().checked_sub(steps) {
            Some(left) => {
                self.steps_left.set(left);
                true
            }
            None => self.look_at_clock(),
        }
    }

    /// A call which may be left on the way, by `let_pass_or_unwind` and by the regions that it asks.
    pub(crate) fn watch<A>(ask: impl FnOnce(&Self) -> PyResult<A>) -> PyResult<A> {
        let signals = Rc::new(Self::new());
        let outer = CURRENT.replace(Some(Rc::clone(&signals)));
        let answer = panic::catch_unwind(AssertUnwindSafe(|| ask(&signals)));
        CURRENT.set(outer);
        match signals.error.take() {
            Some(error) => Err(error),
            None => answer.unwrap_or_else(|panicked| panic::resume_unwind(panicked)),
        }
    }

    /// A question to a region, amid a long call or not.
    pub(crate) fn region_is_asked() {
        if let Some(signals) = CURRENT.with_borrow(Option::clone) {
            signals.let_pass_or_unwind(QUESTION);
        }
    }

    /// Does something with each item, as long as the call goes on.
    #[inline]
    pub(crate) fn each<I>(&self, items: impl Iterator<Item = I>, each: impl FnMut(I)) {
        items.map(each).for_each(|()| self.let_pass_or_unwind(1));
    }

    /// As `let_pass`, amid code of the library that must be left from within. `or_unwind` comes back here, or `watch`.
    #[inline]
    pub(crate) fn let_pass_or_unwind(&self, steps: usize) {
        if !self.let_pass(steps) {
            panic::resume_unwind(Box::new(Ended));
        }
    }

    /// Does something which may be left by `let_pass_or_unwind`: then `None`.
    pub(crate) fn or_unwind<A>(&self, work: impl FnOnce(&Self) -> A) -> Option<A> {
        match panic::catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(answer) => Some(answer),
            Err(ended) if ended.is::<Ended>() => None,
            Err(panicked) => panic::resume_unwind(panicked),
        }
    }

    pub(crate) fn have_ended(&self) -> bool {
        self.error.borrow().is_some()
    }

    #[cold]
    fn look_at_clock(&self) -> bool {
        if self.have_ended() {
            return false;
        }
        if Instant::now() < self.next_look.get() {
            self.steps_left.set(STEPS);
            return true;
        }
        self.look()
    }

    fn look(&self) -> bool {
        let before = Instant::now();
        let outer = IS_IN_HANDLER.replace(true);
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method itself is not general enough")]
        let looked = Python::try_attach(|py| py.check_signals());
        IS_IN_HANDLER.set(outer);
        let took = before.elapsed();
        if let Some(Err(error)) = looked {
            self.error.replace(Some(error));
            self.steps_left.set(0);
            return false;
        }
        self.steps_left.set(STEPS);
        self.next_look.set(Instant::now() + INTERVAL.max(took * PATIENCE));
        true
    }

    /// Does work on several threads, while this one looks for signals. The work is told by a flag to end.
    pub(crate) fn beside<A: Send>(&self, work: impl FnOnce(&AtomicBool) -> A + Send) -> PyResult<A> {
        let (now, ordering) = (forks(), Ordering::Relaxed);
        let began =
            FORKS_OF_POOL.compare_exchange(usize::MAX, now, ordering, ordering).map_or_else(|began| began, |_| now);
        let is_over = AtomicBool::new(false);
        let answer = if began == now {
            rayon::in_place_scope(|scope| self.wait(scope, work, &is_over))
        } else {
            let pool = ThreadPoolBuilder::new().build().map_err(runtime_error)?;
            pool.in_place_scope(|scope| self.wait(scope, work, &is_over))
        };
        answer.map_err(runtime_error)
    }

    fn wait<'scope, A: Send + 'scope>(
        &self, scope: &Scope<'scope>, work: impl FnOnce(&AtomicBool) -> A + Send + 'scope, is_over: &'scope AtomicBool,
    ) -> Result<A, RecvTimeoutError> {
        let (done, answer) = sync_channel(1);
        // It fails only if nobody waits any more.
        scope.spawn(move |_| drop(done.send(work(is_over))));
        loop {
            match answer.recv_timeout(INTERVAL) {
                Err(RecvTimeoutError::Timeout) => is_over.store(self.have_ended() || !self.look(), Ordering::Relaxed),
                answer => return answer,
            }
        }
    }
}

fn runtime_error(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
