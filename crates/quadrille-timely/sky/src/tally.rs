//! The outcome of the day: the records of all workers, each tick counted once.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::day::Day;
use crate::record::{Author, Crossing, KINDS, Record, Shares, Sum};

/// The traffic of a region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic {
    /// How many aircraft came, those included that were there when the day began.
    pub(crate) entered: u64,
    /// How many went; counted for states only.
    pub(crate) left: u64,
    /// How many of those that went came to each other state in the same minute.
    pub(crate) handed_over: BTreeMap<u16, u64>,
}

/// The traffic of an hour.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hour {
    /// How many answers of each kind there were, in the order of [`KINDS`].
    pub(crate) kinds: [u64; KINDS.len()],
    /// How many aircraft went from state to state.
    pub(crate) handed_over: u64,
}

/// The outcome of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Brought {
    /// Other workers have not reported their answers of the tick.
    Part,
    /// All have.
    Tick(u64),
    /// All have, once more after a death.
    Again(u64),
}

/// The answers to a tick are not those that were given before.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the answers of minute {tick} are others than before: {} of them, and {} before", .now.count, .before.count)]
pub(crate) struct Difference {
    tick: u64,
    before: Sum,
    now: Sum,
}

/// All that is known of the day.
#[derive(Debug)]
pub(crate) struct Tally {
    day: Arc<Day>,
    workers: usize,
    /// Ticks that some workers have reported. Those of different starts are apart: after a crash, another worker may report an
    /// answer, since the sky is partitioned in another way.
    open: BTreeMap<(u64, usize), Vec<Record>>,
    /// All answers of each tick.
    pub(crate) sums: BTreeMap<u64, Sum>,
    /// By the hour of the day.
    pub(crate) hours: [Hour; 24],
    /// By the place in the table of regions.
    pub(crate) regions: Vec<Traffic>,
    /// The shares of the workers, of some ticks.
    pub(crate) shares: BTreeMap<u64, Shares>,
}

impl Tally {
    pub(crate) fn new(day: Arc<Day>, workers: usize) -> Self {
        let regions = vec![Traffic::default(); day.tables.regions.len()];
        let (open, sums, shares) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { day, workers, open, sums, hours: [Hour::default(); 24], regions, shares }
    }

    /// The last tick that all workers have reported.
    pub(crate) fn done(&self) -> u64 {
        self.sums.last_key_value().map_or(0, |(tick, _)| *tick)
    }

    /// Adds a worker's report.
    pub(crate) fn add(&mut self, author: Author, record: Record) -> Result<Brought, Difference> {
        let tick = record.tick;
        let records = self.open.entry((tick, author.attempt)).or_default();
        records.push(record);
        if records.len() < self.workers {
            return Ok(Brought::Part);
        }
        let records = std::mem::take(records);
        self.open.remove(&(tick, author.attempt));
        let now = records.iter().fold(Sum::default(), |sum, record| sum.with(record.sum));
        if let Some(shares) = shares_of(&records) {
            self.shares.entry(tick).or_insert(shares);
        }
        if let Some(&before) = self.sums.get(&tick) {
            return if before == now { Ok(Brought::Again(tick)) } else { Err(Difference { tick, before, now }) };
        }
        self.sums.insert(tick, now);
        self.count(tick, &records);
        Ok(Brought::Tick(tick))
    }

    fn count(&mut self, tick: u64, records: &[Record]) {
        let hour = &mut self.hours[usize::from(self.day.minute(tick).number() / 60)];
        for record in records {
            hour.kinds.iter_mut().zip(record.kinds).for_each(|(sum, count)| *sum += u64::from(count));
            for &(region, count) in &record.entered {
                self.regions[usize::from(region)].entered += u64::from(count);
            }
        }
        let mut crossings: Vec<Crossing> = records.iter().flat_map(|record| &record.crossings).copied().collect();
        crossings.sort_unstable();
        for of_one in crossings.chunk_by(|a, b| a.flight == b.flight) {
            let to = of_one.iter().find(|crossing| crossing.enters).map(|crossing| crossing.state);
            for crossing in of_one {
                let region = &mut self.regions[usize::from(crossing.state)];
                if crossing.enters {
                    region.entered += 1;
                    continue;
                }
                region.left += 1;
                // Others have landed, or flown out to sea.
                if let Some(to) = to {
                    *region.handed_over.entry(to).or_default() += 1;
                    hour.handed_over += 1;
                }
            }
        }
    }

    /// The first tick whose answers differ from those of another tally.
    pub(crate) fn difference(&self, other: &Self) -> Option<Difference> {
        (1..=self.day.last()).find_map(|tick| {
            let [now, before] = [self, other].map(|tally| tally.sums.get(&tick).copied());
            let [was, is] = [before, now].map(Option::unwrap_or_default);
            (now.is_none() || now != before).then_some(Difference { tick, before: was, now: is })
        })
    }
}

/// The shares of all workers, if each has reported where its aircraft are.
fn shares_of(records: &[Record]) -> Option<Shares> {
    let mut all: Option<Shares> = None;
    for record in records {
        let shares = record.shares.as_ref()?;
        let Some(all) = &mut all else {
            all = Some(shares.clone());
            continue;
        };
        all.own.iter_mut().zip(&shares.own).for_each(|(sum, count)| *sum += count);
        all.ghosts.iter_mut().zip(&shares.ghosts).for_each(|(sum, count)| *sum += count);
    }
    all
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::options::DATA;

    fn record(tick: u64, mix: u64, crossings: &[(u32, u16, bool)]) -> Record {
        let crossing = |&(flight, state, enters): &_| Crossing { flight, state, enters };
        let crossings = crossings.iter().map(crossing).collect();
        Record { tick, sum: Sum { count: 1, mix }, crossings, ..Record::default() }
    }

    fn author(attempt: usize, worker: usize) -> Author {
        Author { attempt, worker }
    }

    fn tally() -> Tally {
        Tally::new(Arc::new(Day::load(Path::new(DATA), 1, 4).unwrap()), 2)
    }

    #[test]
    fn a_tick_counts_once_whoever_tells_it() {
        let mut tally = tally();
        // Flight 5 goes from state 1 to state 2, and flight 6 lands. The two halves come from two workers.
        let (one, two) = (record(1, 10, &[(5, 1, false)]), record(1, 20, &[(5, 2, true), (6, 1, false)]));
        assert_eq!(tally.add(author(0, 0), one.clone()).unwrap(), Brought::Part);
        // That start has died; the next one reports the same, shared out in another way.
        assert_eq!(tally.add(author(1, 0), two.clone()).unwrap(), Brought::Part);
        assert_eq!(tally.add(author(1, 1), one.clone()).unwrap(), Brought::Tick(1));
        assert_eq!(tally.add(author(2, 0), record(1, 15, &[])).unwrap(), Brought::Part);
        assert_eq!(tally.add(author(2, 1), record(1, 15, &[])).unwrap(), Brought::Again(1));
        assert_eq!(tally.done(), 1);
        let state = &tally.regions[1];
        assert_eq!((state.entered, state.left, state.handed_over.clone()), (0, 2, BTreeMap::from([(2, 1)])));
        assert_eq!(tally.regions[2].entered, 1);
    }

    #[test]
    fn other_answers_are_seen() {
        let mut tally = tally();
        let mut other = self::tally();
        for tick in 1..=4 {
            for worker in 0..2 {
                tally.add(author(0, worker), record(tick, 10, &[])).unwrap();
                let mix = if tick == 3 && worker == 1 { 11 } else { 10 };
                other.add(author(0, worker), record(tick, mix, &[])).unwrap();
            }
        }
        assert!(tally.difference(&tally).is_none());
        assert_eq!(tally.difference(&other).unwrap().tick, 3);
        assert_eq!(self::tally().difference(&self::tally()).unwrap().tick, 1, "a day without answers is no day");
        tally.add(author(1, 0), record(4, 10, &[])).unwrap();
        assert_eq!(tally.add(author(1, 1), record(4, 9, &[])).unwrap_err().tick, 4);
    }
}
