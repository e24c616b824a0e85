//! The program of one worker: it flies its share of the aircraft, and sums up its answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille::Rect;
use quadrille_timely::{Answer, Feed, FeedError, Partition, Program};

use crate::day::{AIRCRAFT, Day};
use crate::fleet::Fleet;
use crate::record::{Record, RecordWriter, Shares};

/// The shares of the workers are counted in the first tick, and every this many ticks.
const SHARES_EVERY: u64 = 5;

/// Flies a share of the aircraft.
pub(crate) struct Worker {
    day: Arc<Day>,
    /// The last tick it has fed, and who was in the air.
    fed: Option<(u64, Fleet)>,
    /// Shares of ticks that are not answered yet.
    shares: BTreeMap<u64, Shares>,
    records: RecordWriter,
}

impl Worker {
    pub(crate) fn new(day: Arc<Day>, records: RecordWriter) -> Self {
        Self { day, fed: None, shares: BTreeMap::new(), records }
    }
}

impl Program<f64, 2> for Worker {
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, f64, 2>) -> Result<(), FeedError> {
        let (me, workers, day) = (feed.worker(), feed.workers(), &self.day);
        let is_own = |flight| flight as usize % workers == me;
        let mut fleet = match self.fed.take() {
            Some((before, fleet)) if before + 1 == tick => fleet,
            // The first tick, or the first one after a death.
            _ => Fleet::at(day, day.minute(tick - 1), is_own),
        };
        let landed = fleet.advance(day, day.minute(tick), is_own);
        if tick > 1 {
            landed.into_iter().try_for_each(|flight| feed.remove(flight.into()))?;
        } else if me == 0 {
            day.standing().try_for_each(|(number, question)| feed.ask(number, question))?;
        }
        let is_counted = tick == 1 || tick.is_multiple_of(SHARES_EVERY);
        let mut shares = is_counted.then(|| Shares::new(feed.partition()));
        for (flight, at) in fleet.flying() {
            feed.put_point(AIRCRAFT, flight.into(), at)?;
            if let Some(shares) = &mut shares {
                shares.add(feed.partition(), at);
            }
        }
        day.nearest(me, workers).try_for_each(|(number, question)| feed.ask(number, question))?;
        self.fed = Some((tick, fleet));
        self.shares.extend(shares.map(|shares| (tick, shares)));
        Ok(())
    }

    fn is_last(&self, tick: u64) -> bool {
        tick == self.day.last()
    }

    fn answers(&mut self, tick: u64, answers: &[Answer]) {
        let record = Record::of(&self.day, tick, answers, self.shares.remove(&tick));
        // There is nobody to return it to; the supervisor reports how this process ended.
        self.records.write(&record).expect("the folder of the answers takes another record");
    }
}

impl Shares {
    fn new(partition: &Partition<f64, 2>) -> Self {
        let none = vec![0; partition.workers()];
        Self { own: none.clone(), ghosts: none, starts: partition.starts().to_vec() }
    }

    fn add(&mut self, partition: &Partition<f64, 2>, at: [f64; 2]) {
        let (owner, mut workers) = (partition.owner(at), Vec::new());
        self.own[usize::from(owner)] += 1;
        partition.holders(&Rect::from_point(at), &mut workers);
        workers.iter().filter(|&&worker| worker != owner).for_each(|&worker| self.ghosts[usize::from(worker)] += 1);
    }
}
