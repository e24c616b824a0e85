//! Clocks, the race of all contenders of a program, and threads.

use std::collections::BTreeMap;
use std::time::Instant;

use rayon::prelude::*;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

/// Whether a program may use the threads of the pool that it runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    One,
    All,
}

impl Threads {
    /// For all items of a list, each with its position.
    pub(crate) fn each<A: Send>(self, items: &mut [A], work: impl Fn(usize, &mut A) + Sync) {
        match self {
            Self::One => items.iter_mut().enumerate().for_each(|(position, item)| work(position, item)),
            Self::All => {
                let items = items.par_iter_mut().enumerate().with_min_len(64);
                items.for_each(|(position, item)| work(position, item));
            }
        }
    }

    /// Milliseconds: processor time of one thread, which other programs on the machine hardly change, or time on the wall of all threads.
    fn now(self, start: Instant) -> f64 {
        match self {
            Self::One => {
                let time = clock_gettime(ClockId::ThreadCPUTime);
                time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
            }
            Self::All => start.elapsed().as_secs_f64() * 1e3,
        }
    }
}

/// The outcome of a tick: how many, and a sum that does not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) count: u64,
    pub(crate) sum: u64,
}

impl Outcome {
    pub(crate) fn add(&mut self, parts: impl IntoIterator<Item = u64>) {
        self.count += 1;
        // A mixer, so that two errors do not cancel out.
        let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        self.sum = self.sum.wrapping_add(parts.into_iter().fold(1, mix));
    }
}

/// A program as one contender does it.
pub(crate) trait Program<I> {
    /// A whole tick: this is timed.
    fn tick(&mut self, input: &I);
    /// Of the last tick.
    fn outcome(&self) -> Outcome;
}

pub(crate) struct Contender<'a, I> {
    pub(crate) name: &'static str,
    pub(crate) program: Box<dyn Program<I> + 'a>,
}

impl<'a, I> Contender<'a, I> {
    pub(crate) fn new(name: &'static str, program: impl Program<I> + 'a) -> Self {
        Self { name, program: Box::new(program) }
    }
}

/// The scene of a race.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Scene {
    pub(crate) program: &'static str,
    pub(crate) objects: usize,
    pub(crate) distribution: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) threads: Threads,
    /// How many turns each contender has.
    pub(crate) rounds: usize,
    /// The timed ticks of a turn. One before these brings its memory into the caches.
    pub(crate) ticks: usize,
}

/// A figure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    #[serde(flatten)]
    pub(crate) scene: Scene,
    pub(crate) threads: usize,
    pub(crate) contender: &'static str,
    /// Milliseconds a tick, the median of all turns and the least.
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) is_right: bool,
}

/// Gives turns to all contenders and compares what they find. They get the same inputs.
pub(crate) fn race<I>(
    scene: &Scene,
    plan: Plan,
    mut contenders: Vec<Contender<'_, I>>,
    mut next: impl FnMut() -> I,
) -> Vec<Row> {
    let start = Instant::now();
    let mut times: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    let mut is_right = vec![true; contenders.len()];
    for round in 0..plan.rounds {
        let inputs: Vec<I> = (0..=plan.ticks).map(|_| next()).collect();
        let mut found: Vec<Vec<Outcome>> = vec![Vec::new(); contenders.len()];
        for turn in 0..contenders.len() {
            // Each is the first in turn.
            let number = (turn + round) % contenders.len();
            let program = &mut contenders[number].program;
            let mut taken = 0.0;
            for (tick, input) in inputs.iter().enumerate() {
                let from = plan.threads.now(start);
                program.tick(input);
                if tick != 0 {
                    taken += plan.threads.now(start) - from;
                }
                found[number].push(program.outcome());
            }
            times.entry(number).or_default().push(taken / plan.ticks as f64);
        }
        let votes = |outcomes: &&Vec<Outcome>| found.iter().filter(|others| others == outcomes).count();
        let expected = found.iter().rev().max_by_key(votes).expect("somebody takes part");
        for (number, outcomes) in found.iter().enumerate().filter(|(_, outcomes)| *outcomes != expected) {
            is_right[number] = false;
            eprintln!("{scene:?}: {} finds {outcomes:?}, most find {expected:?}", contenders[number].name);
        }
    }
    let threads = if plan.threads == Threads::One { 1 } else { rayon::current_num_threads() };
    let row = |(number, mut times): (usize, Vec<f64>)| {
        times.sort_unstable_by(f64::total_cmp);
        let (least, median) = (times[0], times[times.len() / 2]);
        Row {
            scene: scene.clone(),
            threads,
            contender: contenders[number].name,
            median,
            least,
            is_right: is_right[number],
        }
    };
    times.into_iter().map(row).collect()
}
