//! One worker from its first tick to its last.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use timely::worker::Worker;

use crate::Coordinate;
use crate::feed::{Feed, FeedError, Given, Outbox};
use crate::flow::{Partitions, Site};
use crate::partition::Partition;
use crate::program::AnyProgram;
use crate::question::Question;
use crate::row::Row;
use crate::shard::Shard;
use crate::source::Source;
use crate::world::World;

/// How long a waiting worker sleeps at most before it checks whether another one has failed.
const NAP: Duration = Duration::from_millis(5);

/// The state after a tick, from which a worker goes on.
#[derive(Clone, Debug)]
pub(crate) struct Start<S: Coordinate, const D: usize> {
    pub(crate) tick: u64,
    /// The number of this set of logs.
    pub(crate) generation: u64,
    /// The partition among the workers of this run.
    pub(crate) partition: Partition<S, D>,
    /// The objects of all workers.
    pub(crate) objects: Vec<Row<S, D>>,
    /// The standing questions.
    pub(crate) standing: Vec<(u32, Question<S, D>)>,
}

/// Statistics of a worker's run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkerStats {
    /// The last tick.
    pub ticks: u64,
    /// Own objects at the end.
    pub objects: usize,
    /// Ghosts at the end.
    pub ghosts: usize,
    /// Questions for the nearest that other workers were asked too.
    pub second_rounds: u64,
}

/// Why a worker stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorkError {
    /// Its feed failed.
    #[error("worker {worker} stops at tick {tick}: {error}")]
    Feed {
        /// The worker.
        worker: usize,
        /// The tick it fed.
        tick: u64,
        /// The error.
        error: FeedError,
    },
    /// Another worker of the process stopped.
    #[error("another worker stopped")]
    Other,
}

/// Keeps a world for its recovery.
pub(crate) trait Keeper<S: Coordinate, const D: usize>: 'static {
    /// Logs the input of a tick.
    fn log(&mut self, tick: u64, given: Given<S, D>) -> Result<(), FeedError>;
    /// Whether the state after a tick is to be saved.
    fn wants(&self, tick: u64) -> bool;
    /// The state of the shard after a tick: its own objects, and the standing questions.
    fn take(&mut self, tick: u64, starts: &[u32], objects: Vec<Row<S, D>>, standing: Vec<(u32, Question<S, D>)>);
    /// All workers have delivered their answers of all ticks before this one.
    fn answered(&mut self, before: u64) -> Result<(), FeedError>;
}

/// Runs a worker.
pub(crate) fn work<S: Coordinate, const D: usize>(
    timely: &mut Worker,
    world: &World<S, D>,
    program: Box<dyn FnOnce(usize) -> Box<dyn AnyProgram<S, D>> + '_>,
    start: Option<Arc<Start<S, D>>>,
    replay: BTreeMap<u64, Given<S, D>>,
    keeper: Option<Rc<RefCell<dyn Keeper<S, D>>>>,
    failed: &AtomicBool,
) -> Result<WorkerStats, WorkError> {
    let _alarm = Alarm(failed);
    let program = program(timely.index());
    let site = Rc::new(site(world, program, start.as_deref(), timely.index(), timely.peers(), keeper.clone()));
    drop(start);
    let mut out = Outbox::new(keeper.is_some());
    let own = timely.next_dataflow_index();
    let probe = timely.dataflow(|scope| site.build(scope, &mut out));
    let mut driver = Driver { site, out, replay, keeper };
    let result = driver.run(timely, &probe, failed);
    if result.is_err() {
        failed.store(true, Ordering::Relaxed);
    }
    // Closes the inputs.
    drop(driver);
    // A dataflow ends only when every worker ends, and a failed one never does.
    while timely.installed_dataflows().contains(&own) && !failed.load(Ordering::Relaxed) {
        timely.step_or_park(Some(NAP));
    }
    if timely.installed_dataflows().contains(&own) {
        timely.drop_dataflow(own);
    }
    result
}

/// Tells the other workers of the process that this one has panicked, so that they do not wait for it forever.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

fn site<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    program: Box<dyn AnyProgram<S, D>>,
    start: Option<&Start<S, D>>,
    me: usize,
    workers: usize,
    keeper: Option<Rc<RefCell<dyn Keeper<S, D>>>>,
) -> Site<S, D> {
    let partition = start.map_or_else(|| world.first_partition(workers), |start| start.partition.clone());
    let partitions = Partitions::new(partition);
    let mut shard = Shard::new(world, partitions.at(0), me as u16);
    let mut source = Source::new();
    let before = start.map_or(0, |start| start.tick);
    if let Some(start) = start {
        shard.restore(&start.objects, &start.standing);
        let is_fed =
            |row: &&Row<S, D>| !world.layers[usize::from(row.layer)].local && world.reader_of(row.id, workers) == me;
        start.objects.iter().filter(is_fed).for_each(|row| source.restore(row));
    }
    let after_tick = move |tick, partition: &Partition<S, D>, shard: &Shard<S, D>| {
        let Some(keeper) = &keeper else { return };
        let mut keeper = keeper.borrow_mut();
        if keeper.wants(tick) {
            let standing = if me == 0 { shard.standing().collect() } else { Vec::new() };
            keeper.take(tick, partition.starts(), shard.objects().collect(), standing);
        }
    };
    Site {
        world: world.clone(),
        me: me as u16,
        workers,
        program: RefCell::new(program),
        shard: RefCell::new(shard),
        source: RefCell::new(source),
        partitions,
        before,
        last: Cell::new(u64::MAX),
        applied: Cell::new(before),
        answers: RefCell::default(),
        after_tick: RefCell::new(Box::new(after_tick)),
    }
}

struct Driver<S: Coordinate, const D: usize> {
    site: Rc<Site<S, D>>,
    out: Outbox<S, D>,
    replay: BTreeMap<u64, Given<S, D>>,
    keeper: Option<Rc<RefCell<dyn Keeper<S, D>>>>,
}

impl<S: Coordinate, const D: usize> Driver<S, D> {
    fn run(
        &mut self,
        timely: &mut Worker,
        probe: &timely::dataflow::ProbeHandle<u64>,
        failed: &AtomicBool,
    ) -> Result<WorkerStats, WorkError> {
        let in_flight = self.site.world.in_flight;
        let worker = timely.index();
        let mut tick = self.site.before;
        let mut is_last = tick > 0 && self.site.program.borrow().is_last(tick);
        if is_last {
            self.site.last.set(tick);
        }
        while !is_last {
            tick += 1;
            let stop = |error| WorkError::Feed { worker, tick, error };
            self.out.advance_to(tick);
            self.feed(tick).map_err(stop)?;
            is_last = self.site.program.borrow().is_last(tick);
            if is_last {
                self.site.last.set(tick);
            }
            self.out.advance_to(tick + 1);
            // Timely does not limit how far a feed runs ahead.
            let open = if is_last { tick + 1 } else { (tick + 2).saturating_sub(in_flight) };
            while probe.less_than(&open) {
                timely.step_or_park(Some(NAP));
                if failed.load(Ordering::Relaxed) {
                    return Err(WorkError::Other);
                }
            }
            if let Some(keeper) = &self.keeper {
                keeper.borrow_mut().answered(open).map_err(stop)?;
            }
        }
        let shard = self.site.shard.borrow();
        let [objects, ghosts] = shard.len();
        Ok(WorkerStats { ticks: tick, objects, ghosts, second_rounds: shard.second_rounds() })
    }

    /// Feeds a tick: from the log if it is there, from the program otherwise.
    fn feed(&mut self, tick: u64) -> Result<(), FeedError> {
        let site = &self.site;
        let partition = site.partitions.at(tick);
        let mut source = site.source.borrow_mut();
        let old = site.partitions.at(tick - 1);
        if !site.world.directory && !Rc::ptr_eq(&old, &partition) {
            source.repartition(&old, &partition, |row| self.out.rows.send(row));
        }
        let mut feed = Feed {
            tick,
            worker: usize::from(site.me),
            workers: site.workers,
            world: &site.world,
            partition: &partition,
            source: &mut source,
            out: &mut self.out,
        };
        if let Some(given) = self.replay.remove(&tick) {
            return feed.repeat(given);
        }
        site.program.borrow_mut().feed(tick, &mut feed)?;
        if let Some(keeper) = &self.keeper {
            let given = self.out.given.replace(Given::default()).unwrap_or_default();
            keeper.borrow_mut().log(tick, given)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
