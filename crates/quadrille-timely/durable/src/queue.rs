//! Orders to a log, carried out by a thread of its own in a [`Sink`].

use crate::disk;
use crate::log::LogError;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Orders to a sink, carried out in turn.
pub(crate) enum Order {
    Append(u64, Vec<u8>),
    TruncateBefore(u64),
    CutAfter(Option<u64>),
}

impl Order {
    fn into_block(self) -> Option<Vec<u8>> {
        if let Order::Append(_, block) = self { Some(block) } else { None }
    }
}

/// How far a sink has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Status {
    pub(crate) first: Option<u64>,
    pub(crate) removed: Option<u64>,
    pub(crate) durable: Option<u64>,
}

/// Where the bytes go.
pub(crate) trait Sink: Send + 'static {
    /// Carries out all orders. All is synced and removed when this returns; one sync may serve many blocks. Whatever is left of the
    /// orders is not needed any more.
    fn carry_out(&mut self, orders: &mut Vec<Order>) -> Result<Status, LogError>;
}

/// The thread and its orders.
pub(crate) struct Queue {
    pub(crate) place: String,
    limit: usize,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// On a simulated disk there is no thread: its dice say when orders are carried out.
    here: Option<Mutex<Box<dyn Sink>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// There is something to do.
    ordered: Condvar,
    /// Something has been done.
    done: Condvar,
}

#[derive(Default)]
struct State {
    orders: Vec<Order>,
    /// A block that is carried out, whose memory may be used again.
    spare: Vec<u8>,
    /// The bytes of blocks in orders and in the sink's hands.
    bytes: usize,
    busy: bool,
    closed: bool,
    status: Status,
    error: Option<LogError>,
}

impl Queue {
    /// Starts the thread. Up to `limit` bytes may be queued; a longer block goes alone.
    pub(crate) fn start(place: String, limit: usize, status: Status, sink: impl Sink) -> Result<Self, LogError> {
        let shared = Arc::new(Shared { state: Mutex::new(State { status, ..State::default() }), ..Shared::default() });
        if disk::is_simulated(place.as_ref()) {
            return Ok(Queue { place, limit, shared, thread: None, here: Some(Mutex::new(Box::new(sink))) });
        }
        let alarm = Alarm { place: place.clone(), shared: Arc::clone(&shared) };
        let thread = thread::Builder::new().name(format!("log {place}"));
        let thread = thread.spawn(move || alarm.shared.serve(sink));
        let thread = thread.map_err(LogError::io("start the thread of", place.as_ref()))?;
        Ok(Queue { place, limit, shared, thread: Some(thread), here: None })
    }

    pub(crate) fn status(&self) -> Status {
        self.shared.state().status
    }

    pub(crate) fn spare(&self) -> Vec<u8> {
        mem::take(&mut self.shared.state().spare)
    }

    /// Gives an order; waits while too many bytes are under way.
    pub(crate) fn push(&self, order: Order) -> Result<(), LogError> {
        let len = len(&order);
        let full = |state: &mut State| state.error.is_none() && state.bytes > 0 && state.bytes + len > self.limit;
        if self.here.is_some() && full(&mut self.shared.state()) {
            self.serve_here();
        }
        let mut state = self.shared.wait_while(full);
        if let Some(error) = &state.error {
            return Err(error.clone());
        }
        state.bytes += len;
        state.orders.push(order);
        self.shared.ordered.notify_one();
        drop(state);
        #[cfg(feature = "simulated")]
        if self.here.is_some() && disk::roll(self.place.as_ref(), 3) == 0 {
            self.serve_here();
        }
        Ok(())
    }

    /// Carries out all orders, if there is no thread for it.
    fn serve_here(&self) {
        let Some(here) = &self.here else { return };
        let mut sink = here.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.state().error.is_none()
            && let Some(orders) = self.shared.take_now()
        {
            self.shared.carry_out(&mut **sink, orders);
        }
    }

    /// Waits until all orders are carried out.
    pub(crate) fn flush(&self) -> Result<(), LogError> {
        self.serve_here();
        let pending = |state: &mut State| state.error.is_none() && (state.busy || !state.orders.is_empty());
        let state = self.shared.wait_while(pending);
        state.error.clone().map_or(Ok(()), Err)
    }
}

impl Drop for Queue {
    /// Waits until all orders are carried out.
    fn drop(&mut self) {
        self.serve_here();
        self.shared.state().closed = true;
        self.shared.ordered.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic has been printed on standard error.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The state; consistent even after a panic of the other thread, since each change is one statement.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, condition: impl FnMut(&mut State) -> bool) -> MutexGuard<'_, State> {
        self.done.wait_while(self.state(), condition).unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of the thread.
    fn serve(&self, mut sink: impl Sink) {
        while let Some(orders) = self.take() {
            if !self.carry_out(&mut sink, orders) {
                return;
            }
        }
    }

    /// Returns whether the sink can go on.
    fn carry_out(&self, sink: &mut dyn Sink, mut orders: Vec<Order>) -> bool {
        let bytes: usize = orders.iter().map(len).sum();
        let outcome = sink.carry_out(&mut orders);
        let spare = orders.into_iter().rev().find_map(Order::into_block);
        let mut state = self.state();
        state.spare = spare.unwrap_or(mem::take(&mut state.spare));
        state.busy = false;
        state.bytes -= bytes;
        match outcome {
            Ok(status) => state.status = status,
            Err(error) => state.error = Some(error),
        }
        self.done.notify_all();
        state.error.is_none()
    }

    /// All orders there are; waits for the first one. None when the log is closed.
    fn take(&self) -> Option<Vec<Order>> {
        let idle = |state: &mut State| state.orders.is_empty() && !state.closed;
        drop(self.ordered.wait_while(self.state(), idle).unwrap_or_else(PoisonError::into_inner));
        self.take_now()
    }

    /// All orders there are.
    fn take_now(&self) -> Option<Vec<Order>> {
        let mut state = self.state();
        let orders = mem::take(&mut state.orders);
        state.busy = !orders.is_empty();
        state.busy.then_some(orders)
    }
}

fn len(order: &Order) -> usize {
    if let Order::Append(_, block) = order { block.len() } else { 0 }
}

/// Turns a panic of the thread into an error, so that nobody waits for it.
struct Alarm {
    place: String,
    shared: Arc<Shared>,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            self.shared.state().error = Some(LogError::Panicked { place: self.place.clone() });
            self.shared.done.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Takes its time, and sees how much it is given at once.
    struct Slow {
        most: Arc<Mutex<usize>>,
    }

    impl Sink for Slow {
        fn carry_out(&mut self, orders: &mut Vec<Order>) -> Result<Status, LogError> {
            let mut most = self.most.lock().unwrap();
            *most = (*most).max(orders.iter().map(len).sum());
            thread::sleep(Duration::from_millis(1));
            let last = orders
                .iter()
                .rev()
                .find_map(|order| if let Order::Append(tick, _) = order { Some(*tick) } else { None });
            Ok(Status { durable: last, ..Status::default() })
        }
    }

    #[test]
    fn no_more_bytes_are_under_way_than_allowed() {
        let most = Arc::default();
        let queue = Queue::start("q".into(), 1000, Status::default(), Slow { most: Arc::clone(&most) }).unwrap();
        for tick in 0..200 {
            queue.push(Order::Append(tick, vec![0; 150])).unwrap();
        }
        queue.flush().unwrap();
        assert_eq!(queue.status().durable, Some(199));
        let found = *most.lock().unwrap();
        assert!((150..=900).contains(&found), "{found}");
        // One that is longer than all that is allowed goes alone.
        queue.push(Order::Append(200, vec![0; 5000])).unwrap();
        queue.push(Order::Append(201, vec![0; 150])).unwrap();
        drop(queue);
        assert_eq!(*most.lock().unwrap(), 5000);
    }

    #[test]
    fn the_memory_of_a_block_is_used_again_when_it_is_synced() {
        let queue = Queue::start("q".into(), 1000, Status::default(), Slow { most: Arc::default() }).unwrap();
        assert!(queue.spare().is_empty());
        let block = vec![7; 150];
        let memory = block.as_ptr();
        queue.push(Order::Append(0, block)).unwrap();
        queue.flush().unwrap();
        let spare = queue.spare();
        assert_eq!((spare.as_ptr(), &spare[..]), (memory, &[7; 150][..]));
        assert!(queue.spare().is_empty());
    }

    /// Panics at the first order.
    struct Broken;

    impl Sink for Broken {
        fn carry_out(&mut self, _: &mut Vec<Order>) -> Result<Status, LogError> {
            panic!("a sink must not")
        }
    }

    #[test]
    fn a_panic_of_the_thread_is_an_error_of_each_later_call() {
        let queue = Queue::start("q".into(), 1000, Status::default(), Broken).unwrap();
        queue.push(Order::Append(0, Vec::new())).unwrap();
        assert!(matches!(queue.flush(), Err(LogError::Panicked { .. })));
        assert!(matches!(queue.push(Order::TruncateBefore(0)), Err(LogError::Panicked { .. })));
    }
}
