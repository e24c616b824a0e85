//! One worker from its first tick to its last.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use timely::worker::Worker;

use crate::Coordinate;
use crate::check::FeedError;
use crate::feed::{Feed, Outbox};
use crate::flow::{Gate, Pace, Partitions, Site, shape};
use crate::kept::keeper::Keeper;
use crate::kept::recovery::Start;
use crate::kept::state::{Given, Notes};
use crate::links::messages::Built;
use crate::links::{LinkError, Links};
use crate::partition::Partition;
use crate::program::AnyProgram;
use crate::row::Row;
use crate::shard::Shard;
use crate::source::Source;
use crate::world::World;

/// How long a waiting worker sleeps at most before it checks whether another one has failed.
const NAP: Duration = Duration::from_millis(5);

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
    /// How long it waited for other workers, in all.
    pub waited: Duration,
    /// The longest that it waited at one tick.
    pub longest_wait: Duration,
    /// The longest in which its process heard nothing from another one.
    pub silence: Duration,
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
    /// Another process is gone, or has stopped.
    #[error("worker {worker} stops at tick {tick}: {error}")]
    Peer {
        /// The worker.
        worker: usize,
        /// The tick at which it was.
        tick: u64,
        /// Which process, and why.
        error: LinkError,
    },
    /// Another worker of the process stopped.
    #[error("another worker stopped")]
    Other,
}

/// Stops all workers of a process, and tells the other processes.
#[derive(Debug, Default)]
pub(crate) struct Brake {
    pulled: AtomicBool,
    links: Option<Links>,
}

impl Brake {
    pub(crate) fn new(links: Option<Links>) -> Self {
        Self { pulled: AtomicBool::new(false), links }
    }

    pub(crate) fn pull(&self, why: &str) {
        self.pulled.store(true, Ordering::Relaxed);
        if let Some(links) = &self.links {
            links.stop(why);
        }
    }

    fn is_pulled(&self) -> bool {
        self.pulled.load(Ordering::Relaxed) || self.links.as_ref().is_some_and(Links::stopped)
    }

    /// The error of a worker that stops because of it.
    fn cause(&self, worker: usize, tick: u64) -> WorkError {
        match self.links.as_ref().and_then(Links::error) {
            Some(error) => WorkError::Peer { worker, tick, error },
            None => WorkError::Other,
        }
    }
}

/// The needs of a worker of a world that is kept.
pub(crate) struct Part<S: Coordinate, const D: usize> {
    /// All workers of the process share it, and let go of it when they have begun.
    pub(crate) start: Arc<Start<S, D>>,
    /// The ticks that are known already.
    pub(crate) replay: BTreeMap<u64, Given<S, D>>,
    pub(crate) keeper: Keeper,
}

/// Runs a worker to its end, and until all that it keeps is on disk.
pub(crate) fn work<S: Coordinate, const D: usize>(
    timely: &mut Worker,
    world: &World<S, D>,
    program: Box<dyn FnOnce(usize) -> Box<dyn AnyProgram<S, D>> + '_>,
    part: Option<Part<S, D>>,
    brake: &Brake,
) -> Result<WorkerStats, WorkError> {
    let (start, replay, keeper) = match part {
        Some(Part { start, replay, keeper }) => (Some(start), replay, Some(Rc::new(RefCell::new(keeper)))),
        None => (None, BTreeMap::new(), None),
    };
    let _alarm = Alarm { brake, worker: timely.index() };
    let _hold = brake.links.as_ref().map(Links::hold);
    let program = program(timely.index());
    let gate = Gate::new(brake.links.clone(), timely.index(), timely.peers());
    let site = Rc::new(site(world, program, start.as_deref(), gate, timely, keeper.clone()));
    drop(start);
    let mut out = Outbox::new(site.me);
    let (own, first) = (timely.next_dataflow_index(), timely.peek_identifier());
    let probe = timely.dataflow(|scope| site.build(scope, &mut out));
    if let Some(links) = &brake.links {
        links.built(Built { channels: first..timely.peek_identifier(), shape: shape(world) });
    }
    let mut driver = Driver { site, out, replay, keeper: keeper.clone() };
    let result = driver.run(timely, &probe, brake);
    if let Err(error) = &result {
        brake.pull(&error.to_string());
    }
    // Closes the inputs.
    drop(driver);
    // A dataflow ends only when every worker ends, and a failed one never does.
    while timely.installed_dataflows().contains(&own) && !brake.is_pulled() {
        timely.step_or_park(Some(NAP));
    }
    if timely.installed_dataflows().contains(&own) {
        timely.drop_dataflow(own);
    }
    let stats = result?;
    let kept = keeper.map_or(Ok(()), |keeper| keeper.borrow_mut().finish());
    kept.map_err(|error| WorkError::Feed { worker: timely.index(), tick: stats.ticks, error })?;
    Ok(stats)
}

/// Tells the other workers that this one has panicked, so that they do not wait for it forever. It breaks the connections before
/// the worker's thread ends: timely would close them normally.
struct Alarm<'a> {
    brake: &'a Brake,
    worker: usize,
}

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.brake.pull(&format!("worker {} has panicked", self.worker));
        }
    }
}

fn site<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    program: Box<dyn AnyProgram<S, D>>,
    start: Option<&Start<S, D>>,
    gate: Gate,
    timely: &Worker,
    keeper: Option<Rc<RefCell<Keeper>>>,
) -> Site<S, D> {
    let (me, workers) = (timely.index(), timely.peers());
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
            keeper.take(tick, partition.starts(), shard.objects(), &standing);
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
        gate,
        before,
        pace: Pace::default(),
        applied: Cell::new(before),
        inbox: RefCell::default(),
        answers: RefCell::default(),
        spare: RefCell::default(),
        after_tick: RefCell::new(Box::new(after_tick)),
    }
}

struct Driver<S: Coordinate, const D: usize> {
    site: Rc<Site<S, D>>,
    out: Outbox<S, D>,
    replay: BTreeMap<u64, Given<S, D>>,
    keeper: Option<Rc<RefCell<Keeper>>>,
}

impl<S: Coordinate, const D: usize> Driver<S, D> {
    fn run(
        &mut self,
        timely: &mut Worker,
        probe: &timely::dataflow::ProbeHandle<u64>,
        brake: &Brake,
    ) -> Result<WorkerStats, WorkError> {
        let in_flight = self.site.world.in_flight;
        let worker = timely.index();
        let mut tick = self.site.before;
        let mut stats = WorkerStats::default();
        let mut is_last = tick > 0 && self.site.program.borrow().is_last(tick);
        if is_last {
            self.site.pace.last.set(tick);
        }
        while !is_last {
            tick += 1;
            let stop = |error| WorkError::Feed { worker, tick, error };
            if let Some(links) = &brake.links {
                links.at_tick(tick);
            }
            self.out.advance_to(tick);
            self.feed(tick).map_err(stop)?;
            is_last = self.site.program.borrow().is_last(tick);
            if is_last {
                self.site.pace.last.set(tick);
            }
            self.out.advance_to(tick + 1);
            // Timely does not limit how far a feed runs ahead.
            let open = if is_last { tick + 1 } else { (tick + 2).saturating_sub(in_flight) };
            let (begin, busy) = (Instant::now(), self.site.pace.busy.get());
            while probe.less_than(&open) {
                if brake.is_pulled() {
                    return Err(brake.cause(worker, tick));
                }
                timely.step_or_park(Some(NAP));
            }
            let waited = (begin.elapsed() + busy).saturating_sub(self.site.pace.busy.get());
            stats.waited += waited;
            stats.longest_wait = stats.longest_wait.max(waited);
            if let Some(keeper) = &self.keeper {
                keeper.borrow_mut().answered(open).map_err(stop)?;
            }
        }
        let shard = self.site.shard.borrow();
        let [objects, ghosts] = shard.len();
        let silence = brake.links.as_ref().map(Links::longest_silence).unwrap_or_default();
        Ok(WorkerStats { ticks: tick, objects, ghosts, second_rounds: shard.second_rounds(), silence, ..stats })
    }

    /// Feeds a tick. Rows for this worker wait beside those of others that have come already.
    fn feed(&mut self, tick: u64) -> Result<(), FeedError> {
        self.out.own = self.site.inbox.borrow_mut().take(tick);
        self.give(tick)?;
        self.site.inbox.borrow_mut().put(tick, std::mem::take(&mut self.out.own));
        Ok(())
    }

    /// Gives a tick to the outbox: from the log if it is there, from the program otherwise.
    fn give(&mut self, tick: u64) -> Result<(), FeedError> {
        let site = &self.site;
        let partition = site.partitions.at(tick);
        let mut source = site.source.borrow_mut();
        let old = site.partitions.at(tick - 1);
        if !site.world.directory && !Rc::ptr_eq(&old, &partition) {
            source.repartition(&old, &partition, |row| self.out.send(row));
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
        // The log has it already if it is repeated.
        if let Some(given) = self.replay.remove(&tick) {
            return feed.repeat(given);
        }
        let Some(keeper) = &self.keeper else { return site.program.borrow_mut().feed(tick, &mut feed) };
        feed.out.notes = Some(Notes::in_memory(keeper.borrow_mut().spare()));
        site.program.borrow_mut().feed(tick, &mut feed)?;
        let notes = self.out.notes.take().expect("the notes of this tick");
        keeper.borrow_mut().log(tick, notes.into_bytes())
    }
}

#[cfg(test)]
mod tests;
