//! Keeps one worker's part of a world for its recovery: a block of the log each tick, and snapshots.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::state::State;
use crate::Coordinate;
use crate::driver;
use crate::durable::Writer;
use crate::durable::disk::planted;
use crate::feed::FeedError;
use crate::question::Question;
use crate::row::Row;

pub(super) struct Keeper {
    every: u64,
    /// In words.
    world: String,
    writer: Arc<Writer>,
    worker: usize,
    /// States that wait until all workers have delivered the answers up to there: else a recovery might skip some.
    waiting: BTreeMap<u64, Vec<u8>>,
    /// The bytes of the last one.
    length: usize,
}

impl Keeper {
    pub(super) fn new(every: u64, world: String, writer: Arc<Writer>, worker: usize) -> Self {
        Self { every, world, writer, worker, waiting: BTreeMap::new(), length: 0 }
    }

    /// The newest tick that is synced.
    #[cfg(all(test, feature = "simulated"))]
    pub(super) fn durable(&self) -> u64 {
        self.writer.durable()
    }

    /// Waits until all is on the disk.
    pub(super) fn finish(&mut self) -> Result<(), FeedError> {
        self.writer.flush().map_err(failed)
    }
}

impl<S: Coordinate, const D: usize> driver::Keeper<S, D> for Keeper {
    fn log(&mut self, tick: u64, block: Vec<u8>) -> Result<(), FeedError> {
        self.writer.log(tick, self.worker, block).map_err(failed)
    }

    fn spare(&mut self) -> Vec<u8> {
        self.writer.spare()
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
        let Self { world, length, .. } = self;
        let bytes = State::write(world, starts, objects, standing, *length);
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
            self.writer.save(tick, self.worker, bytes).map_err(failed)?;
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
