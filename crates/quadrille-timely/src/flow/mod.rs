//! The dataflow of one worker. Its time is the tick.
//!
//! ```text
//! rows ──────────┐                     ┌── parts of answers ──▶ Gather ──▶ (Merge) ──▶ the program
//! Directory ──▶ ─┼─▶ Shard ────────────┤                          ▲
//! Step ────────▶ ┘    ▲                ├── second rounds ──▶ Follow
//! questions ──────────┤                └── census ──▶ Repartition│
//!                     └────── a tick later: all have followed ◀─┘
//! ```
//!
//! A shard applies a tick when nothing of it can come any more, and when all shards are done with the tick before, second
//! rounds included: `Follow` reads the shard as it was. The feedback says so.

mod collect;
mod feeds;
mod gate;
mod repartition;
mod shard;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use timely::dataflow::operators::{Capability, Concat, Feedback, Probe};
use timely::dataflow::{ProbeHandle, Scope, Stream};
use timely::progress::frontier::MutableAntichain;

use crate::Coordinate;
use crate::answer::Answer;
use crate::feed::Outbox;
use crate::partition::Partition;
use crate::program::AnyProgram;
use crate::row::Packed;
use crate::shard::Shard;
use crate::source::Source;
use crate::wire::Rows;
use crate::world::World;

pub(crate) use collect::TickAnswers;
pub(crate) use gate::Gate;

/// A stream whose time is the tick.
type Flow<'s, T> = Stream<'s, u64, Rows<T>>;
type Listed<'s, T> = Stream<'s, u64, Vec<T>>;

/// The partitions, each from its tick on.
#[derive(Debug)]
pub(crate) struct Partitions<S: Coordinate, const D: usize>(RefCell<Vec<(u64, Rc<Partition<S, D>>)>>);

impl<S: Coordinate, const D: usize> Partitions<S, D> {
    pub(crate) fn new(first: Partition<S, D>) -> Self {
        Self(RefCell::new(vec![(0, Rc::new(first))]))
    }

    pub(crate) fn at(&self, tick: u64) -> Rc<Partition<S, D>> {
        let partitions = self.0.borrow();
        let (_, partition) =
            partitions.iter().rfind(|(from, _)| *from <= tick).expect("the first partition is for all ticks");
        Rc::clone(partition)
    }

    /// Adds the partition of the ticks from `from` on; those up to `done` have been answered.
    fn add(&self, from: u64, partition: Partition<S, D>, done: u64) {
        let mut partitions = self.0.borrow_mut();
        while partitions.len() > 1 && partitions[1].0 <= done {
            partitions.remove(0);
        }
        partitions.push((from, Rc::new(partition)));
    }
}

/// The ticks of an operator, in order: each has its turn once nothing of it can come any more.
struct Turns {
    next: u64,
    /// One for each output; none after the last tick.
    caps: Vec<Capability<u64>>,
}

impl Turns {
    fn new(before: u64, caps: Vec<Capability<u64>>) -> Self {
        Self { next: before + 1, caps }
    }

    /// Takes the ticks that the frontiers have passed, up to the last one.
    fn take(
        &mut self,
        pace: &Pace,
        frontiers: &[MutableAntichain<u64>],
        mut turn: impl FnMut(u64, &[Capability<u64>]),
    ) {
        let has_passed = |tick| frontiers.iter().all(|frontier| !frontier.less_equal(&tick));
        while !self.caps.is_empty() && self.next <= pace.last.get() && has_passed(self.next) {
            self.downgrade();
            let begin = Instant::now();
            turn(self.next, &self.caps);
            pace.busy.set(pace.busy.get() + begin.elapsed());
            self.next += 1;
        }
        if self.next > pace.last.get() {
            self.caps.clear();
        }
        self.downgrade();
    }

    /// Lets go of all ticks before the next one.
    fn downgrade(&mut self) {
        for cap in &mut self.caps {
            cap.downgrade(&self.next);
        }
    }
}

/// How far a worker goes, and how long it was at work.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The last tick, once it is known.
    pub(crate) last: Cell<u64>,
    /// In turns of operators.
    pub(crate) busy: Cell<Duration>,
}

impl Default for Pace {
    fn default() -> Self {
        Self { last: Cell::new(u64::MAX), busy: Cell::default() }
    }
}

/// The rows for this worker of the ticks that are under way, packed: they are the most of what a world in flight needs.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    ticks: BTreeMap<u64, Packed>,
    /// Memory of ticks that are done.
    spare: Vec<Vec<u8>>,
}

impl Inbox {
    pub(crate) fn of(&mut self, tick: u64) -> &mut Packed {
        let spare = &mut self.spare;
        self.ticks.entry(tick).or_insert_with(|| Packed::behind(&[], spare.pop().unwrap_or_default()))
    }

    /// Those of a tick; none may have come yet.
    pub(crate) fn take(&mut self, tick: u64) -> Packed {
        self.of(tick);
        self.ticks.remove(&tick).expect("rows of this tick")
    }

    pub(crate) fn put(&mut self, tick: u64, rows: Packed) {
        self.ticks.insert(tick, rows);
    }

    /// These are applied.
    fn done(&mut self, rows: Packed) {
        self.spare.push(rows.into_bytes());
    }
}

/// The state that the operators of one worker share with its driver.
pub(crate) struct Site<S: Coordinate, const D: usize> {
    pub(crate) world: World<S, D>,
    pub(crate) me: u16,
    pub(crate) workers: usize,
    pub(crate) program: RefCell<Box<dyn AnyProgram<S, D>>>,
    pub(crate) shard: RefCell<Shard<S, D>>,
    pub(crate) source: RefCell<Source<S, D>>,
    pub(crate) partitions: Partitions<S, D>,
    pub(crate) gate: Gate,
    /// The tick before the first one.
    pub(crate) before: u64,
    pub(crate) pace: Pace,
    /// The tick that the shard has applied.
    pub(crate) applied: Cell<u64>,
    pub(crate) inbox: RefCell<Inbox>,
    pub(crate) answers: RefCell<BTreeMap<u64, TickAnswers>>,
    /// An empty list of answers whose memory the next tick uses again.
    pub(crate) spare: RefCell<Vec<Answer>>,
    /// Called when the shard is done with a tick, for snapshots.
    pub(crate) after_tick: RefCell<AfterTick<S, D>>,
}

type AfterTick<S, const D: usize> = Box<dyn FnMut(u64, &Partition<S, D>, &Shard<S, D>)>;

impl<S: Coordinate, const D: usize> Site<S, D> {
    /// Builds the dataflow.
    pub(crate) fn build(self: &Rc<Self>, scope: Scope<'_, u64>, out: &mut Outbox<S, D>) -> ProbeHandle<u64> {
        // Streams without rows: their frontiers say when.
        let (handle, followed) = scope.feedback(1);
        let mut rows = out.rows.to_stream(scope);
        if self.world.directory {
            rows = rows.concat(self.directory(out.raw.to_stream(scope)));
        }
        if self.world.has_local() {
            rows = rows.concat(self.step(out.ticks.to_stream(scope), followed.clone()));
        }
        let outputs = self.shard(rows, out.questions.to_stream(scope), followed);
        let more = self.follow(outputs.follow, handle);
        let probe = ProbeHandle::new();
        if self.world.rebalance.is_some() {
            self.repartition(outputs.census).probe_with(&probe);
        }
        let answers = self.gather(outputs.parts.concat(more));
        let answers = if self.world.merged { self.merge(answers) } else { answers };
        answers.probe_with(&probe);
        probe
    }
}

/// The numbers of inputs and outputs of each operator, in the order in which [`Site::build`] adds them.
pub(crate) fn shape<S: Coordinate, const D: usize>(world: &World<S, D>) -> Vec<[u64; 2]> {
    // The dataflow itself, the feedback, and the rows.
    let mut shape = vec![[0, 0], [1, 1], [0, 1]];
    let mut add = |is_there: bool, operators: &[[u64; 2]]| shape.extend(operators.iter().filter(|_| is_there));
    add(world.directory, &[[0, 1], [1, 1], [2, 1]]);
    add(world.has_local(), &[[0, 1], [2, 1], [2, 1]]);
    // Questions, `Shard` and `Follow`.
    add(true, &[[0, 1], [3, 3], [1, 2]]);
    add(world.rebalance.is_some(), &[[1, 1], [1, 1]]);
    add(true, &[[2, 1], [1, 1]]);
    add(world.merged, &[[1, 1]]);
    add(true, &[[1, 1]]);
    shape
}
