//! Keeps one worker's part of a world for its recovery: a block of the log each tick, and snapshots.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::{self, JoinHandle};

use super::state::State;
use crate::Coordinate;
use crate::driver;
use crate::durable::disk::{self, planted};
use crate::durable::{Log, Snapshots};
use crate::feed::FeedError;
use crate::question::Question;
use crate::row::Row;

/// How many common snapshots are kept: the newest may turn out to be damaged.
const KEPT: usize = 2;

pub(super) struct Keeper {
    every: u64,
    generation: u64,
    /// In words.
    world: String,
    log: Box<dyn Log>,
    /// States that wait until all workers have delivered the answers up to there: else a recovery might skip some.
    waiting: BTreeMap<u64, Vec<u8>>,
    /// The bytes of the last one.
    length: usize,
    saver: Saver,
}

impl Keeper {
    pub(super) fn new(
        every: u64,
        generation: u64,
        world: String,
        log: Box<dyn Log>,
        snapshots: Snapshots,
        worker: usize,
    ) -> Self {
        Self {
            every,
            generation,
            world,
            log,
            waiting: BTreeMap::new(),
            length: 0,
            saver: Saver::start(snapshots, worker),
        }
    }

    /// The newest tick that is synced.
    #[cfg(all(test, feature = "simulated"))]
    pub(super) fn durable(&self) -> Option<u64> {
        self.log.durable()
    }

    /// Waits until all is on the disk.
    pub(super) fn finish(&mut self) -> Result<(), FeedError> {
        self.log.flush().map_err(failed)?;
        self.saver.finish()
    }
}

impl<S: Coordinate, const D: usize> driver::Keeper<S, D> for Keeper {
    fn log(&mut self, tick: u64, block: Vec<u8>) -> Result<(), FeedError> {
        self.log.append(tick, block).map_err(failed)
    }

    fn spare(&mut self) -> Vec<u8> {
        self.log.spare()
    }

    fn wants(&self, tick: u64) -> bool {
        tick.is_multiple_of(self.every)
    }

    fn take(
        &mut self,
        tick: u64,
        starts: &[u32],
        objects: &mut dyn Iterator<Item = Row<S, D>>,
        standing: &[(u32, Question<S, D>)],
    ) {
        let Self { generation, world, length, .. } = self;
        let bytes = State::write(*generation, world, starts, objects, standing, *length);
        *length = bytes.len();
        self.waiting.insert(tick, bytes);
    }

    fn answered(&mut self, before: u64) -> Result<(), FeedError> {
        while let Some(first) = self
            .waiting
            .first_entry()
            .filter(|first| *first.key() < before || planted("a snapshot before all have answered"))
        {
            let (tick, bytes) = first.remove_entry();
            self.saver.save(tick, bytes)?;
        }
        if let Some(oldest) = self.saver.oldest()? {
            let newest = oldest + self.every;
            let kept = if planted("a log that goes back to the newest snapshot alone") { newest } else { oldest };
            self.log.truncate_before(kept + 1).map_err(failed)?;
        }
        Ok(())
    }
}

fn failed(error: impl std::error::Error) -> FeedError {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    FeedError::NotKept(text)
}

/// Writes snapshots in a thread of its own.
struct Saver {
    /// Holds one snapshot: a worker that is faster than the disk waits.
    orders: Option<SyncSender<(u64, Vec<u8>)>>,
    /// The oldest tick of which a snapshot is kept, after each one that was saved.
    results: Receiver<Result<Option<u64>, FeedError>>,
    thread: Option<JoinHandle<()>>,
    /// On a simulated disk there is no thread.
    here: Option<Box<dyn Fn() + Send>>,
}

impl Saver {
    fn start(snapshots: Snapshots, worker: usize) -> Self {
        let (orders, inbox) = sync_channel::<(u64, Vec<u8>)>(1);
        let (outbox, results) = channel();
        let is_simulated = disk::is_simulated(snapshots.dir());
        let serve = move |(tick, bytes): (u64, Vec<u8>)| {
            let saved = snapshots.save(worker, tick, &bytes).and_then(|()| snapshots.prune(KEPT));
            outbox.send(saved.map_err(failed)).is_ok()
        };
        if is_simulated {
            let here = move || inbox.try_iter().for_each(|order| _ = serve(order));
            return Self { orders: Some(orders), results, thread: None, here: Some(Box::new(here)) };
        }
        let thread = thread::spawn(move || _ = inbox.into_iter().all(serve));
        Self { orders: Some(orders), results, thread: Some(thread), here: None }
    }

    fn save(&self, tick: u64, bytes: Vec<u8>) -> Result<(), FeedError> {
        let gone = || FeedError::NotKept("the thread that saves snapshots has ended".into());
        self.serve_here();
        self.orders.as_ref().ok_or_else(gone)?.send((tick, bytes)).map_err(|_| gone())
    }

    /// Saves what waits, if there is no thread for it.
    fn serve_here(&self) {
        self.here.iter().for_each(|serve| serve());
    }

    /// The oldest tick kept, if it has changed.
    fn oldest(&self) -> Result<Option<u64>, FeedError> {
        self.serve_here();
        match self.results.try_recv() {
            Ok(result) => result,
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => Ok(None),
        }
    }

    fn finish(&mut self) -> Result<(), FeedError> {
        self.serve_here();
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            thread.join().map_err(|_| FeedError::NotKept("the thread that saves snapshots has panicked".into()))?;
        }
        self.results.try_iter().try_for_each(|result| result.map(drop))
    }
}
