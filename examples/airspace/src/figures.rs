//! The counts and times of the replay.

use std::time::{Duration, Instant};

use crate::closest::Closest;
use crate::trouble::Diversion;

/// How often one operation was done, what it gave and how long it took in all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// How many operations.
    pub(crate) count: usize,
    /// How many results they had together.
    pub(crate) results: usize,
    /// How long they took together.
    pub(crate) time: Duration,
}

impl Tally {
    /// Times a number of operations done in one go; the work returns how many results they had.
    pub(crate) fn time(&mut self, count: usize, work: impl FnOnce() -> usize) -> usize {
        let start = Instant::now();
        let results = work();
        self.time += start.elapsed();
        self.count += count;
        self.results += results;
        results
    }

    /// The time of one operation in tenths of a nanosecond.
    pub(crate) fn tenths_each(&self) -> Option<u128> {
        (self.time.as_nanos() * 10).checked_div(self.count as u128)
    }

    /// The time divided by the operations and their results, in tenths of a nanosecond.
    pub(crate) fn tenths_each_with_results(&self) -> Option<u128> {
        (self.time.as_nanos() * 10).checked_div((self.count + self.results) as u128)
    }
}

/// Everything the replay measured.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// Departures, and who is in the air when the day begins.
    pub(crate) insert: Tally,
    /// Moves alone, with positions computed before.
    pub(crate) move_to: Tally,
    /// Landings.
    pub(crate) remove: Tally,
    /// States and counties below an aircraft.
    pub(crate) regions: Tally,
    /// Airports around an aircraft.
    pub(crate) airports: Tally,
    /// Other aircraft around an aircraft.
    pub(crate) aircraft: Tally,
    /// The airport nearest to an aircraft in trouble.
    pub(crate) nearest_airport: Tally,
    /// All encounters of a minute.
    pub(crate) encounters: Tally,
    /// Changes in a sector.
    pub(crate) sectors: Tally,
    /// A minute's worth of the survey.
    pub(crate) survey: Tally,
    /// Objects of a layer in a view.
    pub(crate) view_counts: Tally,
    /// Any aircraft in a view.
    pub(crate) view_exists: Tally,
    /// Objects near a view.
    pub(crate) view_near: Tally,
    /// How many moves stayed in their node.
    pub(crate) moves_in_place: usize,
    /// The most aircraft in the air in any one minute.
    pub(crate) airborne_max: usize,
    /// Minutes of aircraft over each state and county.
    pub(crate) region_minutes: Vec<u64>,
    /// The encounters nearest to a collision.
    pub(crate) closest: Closest,
    /// The longest way of an aircraft in trouble to its nearest airport.
    pub(crate) longest_diversion: Option<Diversion>,
}

impl Figures {
    /// Nothing yet, over this many states and counties.
    pub(crate) fn new(regions: usize) -> Self {
        Self { region_minutes: vec![0; regions], ..Self::default() }
    }
}
