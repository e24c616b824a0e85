//! Keeps one worker's part of a world for its recovery: a block of the log each tick, and snapshots.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::planted;
use super::state::State;
use super::writer::Writer;
use crate::Coordinate;
use crate::check::FeedError;
use crate::question::Question;
use crate::row::Row;
use crate::world::World;

pub(crate) struct Keeper {
    every: u64,
    in_flight: u64,
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
    pub(crate) fn new<S: Coordinate, const D: usize>(
        every: u64,
        world: &World<S, D>,
        writer: Arc<Writer>,
        worker: usize,
    ) -> Self {
        let (in_flight, world) = (world.in_flight, world.in_words());
        Self { every, in_flight, world, writer, worker, waiting: BTreeMap::new(), length: 0 }
    }

    /// The newest tick that is synced.
    #[cfg(test)]
    pub(crate) fn durable(&self) -> u64 {
        self.writer.durable()
    }

    /// Waits until all is on the disk.
    pub(crate) fn finish(&mut self) -> Result<(), FeedError> {
        self.writer.flush().map_err(failed)
    }

    /// Logs the input of a tick.
    pub(crate) fn log(&mut self, tick: u64, block: Vec<u8>) -> Result<(), FeedError> {
        self.writer.log(tick, self.worker, block).map_err(failed)
    }

    /// The memory of a block that is on the disk, with any bytes in it.
    pub(crate) fn spare(&mut self) -> Vec<u8> {
        self.writer.spare()
    }

    /// Whether the state after a tick is to be saved.
    pub(crate) fn wants(&self, tick: u64) -> bool {
        tick.is_multiple_of(self.every)
    }

    /// Takes the state of a shard after a tick: its own objects, and the standing questions.
    pub(crate) fn take<S: Coordinate, const D: usize>(
        &mut self,
        tick: u64,
        starts: &[u32],
        objects: impl Iterator<Item = Row<S, D>>,
        standing: &[(u32, Question<S, D>)],
    ) {
        let Self { world, length, .. } = self;
        let bytes = State::write(world, starts, objects, standing, *length);
        *length = bytes.len();
        self.waiting.insert(tick, bytes);
    }

    /// All workers have delivered their answers of all ticks before this one.
    pub(crate) fn answered(&mut self, before: u64) -> Result<(), FeedError> {
        while let Some(first) = self
            .waiting
            .first_entry()
            .filter(|first| *first.key() < before || planted("a snapshot before all have answered"))
        {
            let (tick, bytes) = first.remove_entry();
            self.writer.save(tick, self.worker, bytes).map_err(failed)?;
        }
        // Whoever has answered so many ticks after a snapshot has given it to its writer, so the one before it is durable: no
        // worker need be asked.
        let given = before.saturating_sub(self.in_flight + 1) / self.every;
        let needed =
            if planted("a log that goes back to the newest snapshot alone") { given } else { given.saturating_sub(1) };
        self.writer.prune(needed * self.every);
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
