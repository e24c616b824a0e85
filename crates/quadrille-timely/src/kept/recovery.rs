//! The tick and the state from which a world goes on. The supervisor prepares them before any process starts.
//!
//! Each number of workers that there was has a directory, of which the newest counts, with a store for each process.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::disk::{self, planted};
use super::state::{Foreign, Given, State, share};
use super::store::{Begin, Change, Of, Store, StoreError};
use super::writer::Writer;
use crate::Coordinate;
use crate::partition::Partition;
use crate::question::Question;
use crate::row::{Role, Row};
use crate::world::World;

/// Why a world cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecoveryError {
    /// A store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An earlier version has kept a world there.
    #[error("{} is of an earlier version, with files for each snapshot and log: this one cannot go on from there", dir.display())]
    Older {
        /// Where the world is kept.
        dir: PathBuf,
    },
    /// There is no tick of which all workers have a snapshot.
    #[error("the stores in {} have no tick in common", dir.display())]
    NoneCommon {
        /// Where the stores are.
        dir: PathBuf,
    },
    /// A log misses a tick.
    #[error("the log of worker {worker} has no tick {tick}, though it goes on to tick {until}")]
    TickGone {
        /// The worker.
        worker: usize,
        /// The tick.
        tick: u64,
        /// The newest tick of the log.
        until: u64,
    },
    /// Nobody has called [`Cluster::prepare`](crate::Cluster::prepare) for this start.
    #[error("{} is not prepared for a start with {workers} workers", dir.display())]
    NotPrepared {
        /// Where the world is kept.
        dir: PathBuf,
        /// The number of workers.
        workers: usize,
    },
    /// The state is one of another kind of world.
    #[error(transparent)]
    Foreign(#[from] Foreign),
}

/// The directory in which a world is kept.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) dir: PathBuf,
}

/// The state after a tick, from which a worker goes on.
#[derive(Clone, Debug)]
pub(crate) struct Start<S: Coordinate, const D: usize> {
    pub(crate) tick: u64,
    /// The partition among the workers of this run.
    pub(crate) partition: Partition<S, D>,
    /// The objects that the workers of this process hold or read, or more.
    pub(crate) objects: Vec<Row<S, D>>,
    /// The standing questions.
    pub(crate) standing: Vec<(u32, Question<S, D>)>,
}

/// The needs of the workers of a process: a state to begin with, of each worker the ticks that are known already, and where they
/// are kept from then on.
pub(crate) struct Opened<S: Coordinate, const D: usize> {
    pub(crate) start: Start<S, D>,
    pub(crate) replays: Vec<BTreeMap<u64, Given<S, D>>>,
    pub(crate) writer: Writer,
}

/// What all workers of a world have been given, by tick.
type Blocks<S, const D: usize> = BTreeMap<u64, Vec<Given<S, D>>>;

impl Kept {
    /// The numbers of the directories, in order.
    fn numbers(&self) -> Result<Vec<u64>, RecoveryError> {
        let names = match disk::names(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            names => names.map_err(StoreError::io("list", &self.dir))?,
        };
        if names.iter().any(|name| name == "snapshots" || name == "log") {
            return Err(RecoveryError::Older { dir: self.dir.clone() });
        }
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| name.to_str()?.parse().ok()).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn place(&self, number: u64) -> PathBuf {
        self.dir.join(number.to_string())
    }

    /// Removes what is not needed any more; what is left is never used again.
    fn remove(&self, number: u64) {
        let place = self.place(number);
        let _ = disk::remove_dir_all(&place);
    }

    /// The stores of all processes.
    fn stores(&self, number: u64) -> Result<Vec<Store>, RecoveryError> {
        let dir = self.place(number);
        let first = Store::open(&file(&dir, 0))?;
        let of = first.of();
        let mut all = vec![first];
        for process in 1..of.processes {
            all.push(Store::open(&file(&dir, process))?);
        }
        match all.iter().enumerate().find(|(process, store)| store.of() != Of { process: *process, ..of }) {
            Some((process, _)) => {
                let reason =
                    format!("it is not that of process {process} of {}, with {} workers", of.processes, of.threads);
                Err(StoreError::Foreign { path: file(&dir, process), reason }.into())
            }
            None => Ok(all),
        }
    }

    /// Prepares the state for this number of workers, and returns the tick up to which all rows are known.
    pub(crate) fn prepare<S: Coordinate, const D: usize>(
        &self,
        world: &World<S, D>,
        processes: usize,
        threads: usize,
    ) -> Result<u64, RecoveryError> {
        if self.numbers()?.is_empty() {
            let partition = world.first_partition(processes * threads);
            let start = Start { tick: 0, partition, objects: Vec::new(), standing: Vec::new() };
            self.make(world, 1, [processes, threads], &start, &BTreeMap::new())?;
        }
        let mut numbers = self.numbers()?;
        let mut number = numbers.pop().unwrap_or(1);
        let mut stores = self.stores(number)?;
        let (tick, until) = self.agree(&stores)?;
        if [stores.len(), stores[0].of().threads] != [processes, threads] {
            let blocks = all_blocks(world, &stores, tick, until)?;
            let start = load(world, &stores, tick, processes * threads)?;
            if planted("the old stores removed first") {
                self.remove(number);
            }
            self.make(world, number + 1, [processes, threads], &start, &blocks)?;
            numbers.push(number);
            number += 1;
            stores = self.stores(number)?;
        }
        // A start that has died may have made the directory, and not have come to this.
        if !planted("a directory whose name is not synced") {
            disk::sync_dir(&self.dir).map_err(StoreError::io("sync", &self.dir))?;
        }
        for (store, others) in stores.iter().zip(others(world, &stores, tick)?) {
            store.change(&[Change::Begin(Begin { tick, until, others })])?;
        }
        for old in numbers {
            self.remove(old);
        }
        Ok(until)
    }

    /// The newest tick of which all workers have a snapshot, and the last one of all their logs.
    fn agree(&self, stores: &[Store]) -> Result<(u64, u64), RecoveryError> {
        let mut common = stores[0].snapshots()?;
        for store in &stores[1..] {
            let also = store.snapshots()?;
            common.retain(|tick| also.contains(tick));
        }
        let tick = common.pop().ok_or_else(|| RecoveryError::NoneCommon { dir: self.dir.clone() })?;
        let mut until = Vec::new();
        for store in stores {
            until.push(store.logged(tick)?);
        }
        until.sort_unstable();
        let until = if planted("the longest log counts") { until.last() } else { until.first() };
        Ok((tick, until.copied().unwrap_or(tick)))
    }

    /// Makes the stores of a number of workers, with a state and the blocks since then. They are there in whole or not at all.
    fn make<S: Coordinate, const D: usize>(
        &self,
        world: &World<S, D>,
        number: u64,
        [processes, threads]: [usize; 2],
        start: &Start<S, D>,
        blocks: &Blocks<S, D>,
    ) -> Result<(), RecoveryError> {
        let (aside, workers) = (self.dir.join(format!("{number}.new")), processes * threads);
        // Of a start that died here.
        match disk::remove_dir_all(&aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::io("remove", &aside)(error).into());
            }
            _ => disk::make_dir(&aside).map_err(StoreError::io("make", &aside))?,
        }
        for process in 0..processes {
            let of = Of { process, processes, threads };
            let mut changes = Vec::new();
            for worker in of.workers() {
                let is_own = |row: &&Row<S, D>| usize::from(start.partition.owner(row.shape.min())) == worker;
                let objects = start.objects.iter().filter(is_own).copied().collect();
                let standing = if worker == 0 { start.standing.clone() } else { Vec::new() };
                changes.push(Change::Save(start.tick, worker, bytes_of(world, &start.partition, objects, standing)));
                for (&tick, given) in blocks {
                    let block = share(given, |row| worker_of(world, row, workers), worker).to_bytes();
                    changes.push(Change::Log(tick, worker, block));
                }
            }
            Store::create(&file(&aside, process), of, &changes)?;
        }
        if !planted("stores whose names are not synced") {
            disk::sync_dir(&aside).map_err(StoreError::io("sync", &aside))?;
        }
        let place = self.place(number);
        Ok(disk::rename(&aside, &place).map_err(StoreError::io("rename", &aside))?)
    }

    /// Opens the store of one process of a start that is prepared.
    pub(crate) fn open<S: Coordinate, const D: usize>(
        &self,
        world: &World<S, D>,
        of: Of,
    ) -> Result<Opened<S, D>, RecoveryError> {
        let workers = of.processes * of.threads;
        let unprepared = || RecoveryError::NotPrepared { dir: self.dir.clone(), workers };
        let dir = self.place(self.numbers()?.pop().ok_or_else(unprepared)?);
        let store = match Store::open(&file(&dir, of.process)) {
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Err(unprepared()),
            store => store?,
        };
        if store.of() != of {
            return Err(unprepared());
        }
        let Begin { tick, until, others } = store.begin()?.ok_or_else(unprepared)?;
        let mut start = load(world, std::slice::from_ref(&store), tick, workers)?;
        let State { objects, standing, .. } = State::read(&others, world, workers, |_| |_: &Row<S, D>| true)?;
        start.objects.extend(objects);
        start.standing.extend(standing);
        let replays = blocks_of(world, &store, tick, until)?;
        Ok(Opened { start, replays, writer: Writer::start(store)? })
    }
}

fn file(dir: &Path, process: usize) -> PathBuf {
    dir.join(format!("process-{process:05}.redb"))
}

fn bytes_of<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    partition: &Partition<S, D>,
    objects: Vec<Row<S, D>>,
    standing: Vec<(u32, crate::question::Question<S, D>)>,
) -> Vec<u8> {
    State { world: world.in_words(), starts: partition.starts().to_vec(), objects, standing }.to_bytes()
}

/// The processes whose workers hold or read an object, ascending.
fn processes_of<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    partition: &Partition<S, D>,
    threads: usize,
    row: &Row<S, D>,
) -> Vec<usize> {
    let mut holders = Vec::new();
    partition.holders(&row.shape, &mut holders);
    let is_fed = !world.layers[usize::from(row.layer)].local;
    let reader = is_fed.then(|| world.reader_of(row.id, partition.workers()));
    let workers = holders.into_iter().map(usize::from).chain(reader);
    let processes: BTreeSet<usize> = workers.map(|worker| worker / threads).collect();
    processes.into_iter().collect()
}

/// The bytes that each process needs of the others.
fn others<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    stores: &[Store],
    tick: u64,
) -> Result<Vec<Vec<u8>>, RecoveryError> {
    let threads = stores[0].of().threads;
    let (mut lists, mut standing, mut partition) = (vec![Vec::new(); stores.len()], Vec::new(), None);
    for (own, worker) in stores.iter().flat_map(|store| store.of().workers().map(move |worker| (store, worker))) {
        let known = &mut partition;
        let state = State::read(&own.snapshot(tick, worker)?, world, stores.len() * threads, move |starts| {
            let partition: &Partition<S, D> = known.get_or_insert_with(|| partition_of(world, starts));
            move |row: &Row<S, D>| {
                !world.layers[usize::from(row.layer)].local || partition.sole_holder(&row.shape).is_none()
            }
        })?;
        for row in state.objects {
            let processes = processes_of(world, partition.as_ref().expect("it is read"), threads, &row);
            for process in processes.into_iter().filter(|process| *process != own.of().process) {
                lists[process].push(row);
            }
        }
        standing.extend(state.standing);
    }
    let partition = partition.expect("there is a worker");
    let bytes = |(process, objects)| {
        let standing = if process == 0 { Vec::new() } else { standing.clone() };
        bytes_of(world, &partition, objects, standing)
    };
    Ok(lists.into_iter().enumerate().map(bytes).collect())
}

fn partition_of<S: Coordinate, const D: usize>(world: &World<S, D>, starts: &[u32]) -> Partition<S, D> {
    Partition::from_starts(world.bounds(), world.reach, starts.to_vec())
}

/// All objects and standing questions in some stores at a tick, with a partition among `workers`.
fn load<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    stores: &[Store],
    tick: u64,
    workers: usize,
) -> Result<Start<S, D>, RecoveryError> {
    let (mut objects, mut standing, mut borders) = (Vec::new(), Vec::new(), Vec::new());
    for store in stores {
        let of = store.of();
        for worker in of.workers() {
            let bytes = store.snapshot(tick, worker)?;
            let state = State::read(&bytes, world, of.processes * of.threads, |_| |_: &Row<S, D>| true)?;
            objects.extend(state.objects);
            standing.extend(state.standing);
            borders = state.starts;
        }
    }
    let partition = if borders.len() + 1 == workers {
        partition_of(world, &borders)
    } else {
        let places = objects.iter().map(|row: &Row<S, D>| row.shape.min());
        Partition::of_sample(world.bounds(), world.reach, workers, places)
    };
    Ok(Start { tick, partition, objects, standing })
}

/// The worker that repeats a row.
fn worker_of<S: Coordinate, const D: usize>(world: &World<S, D>, row: &Row<S, D>, workers: usize) -> usize {
    // A row that takes an object out says nothing of its layer; only fed ones are taken out so.
    let is_fed = row.role == Role::Gone || !world.layers[usize::from(row.layer)].local;
    if is_fed { world.reader_of(row.id, workers) } else { (row.id % workers as u64) as usize }
}

/// The blocks of all workers after a tick, up to another one.
fn all_blocks<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    stores: &[Store],
    after: u64,
    until: u64,
) -> Result<Blocks<S, D>, RecoveryError> {
    let mut all = Blocks::new();
    for store in stores {
        for (tick, given) in blocks_of(world, store, after, until)?.into_iter().flatten() {
            all.entry(tick).or_default().push(given);
        }
    }
    Ok(all)
}

/// The blocks of each worker of a process after a tick, up to another one; none may be missing.
fn blocks_of<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    store: &Store,
    after: u64,
    until: u64,
) -> Result<Vec<BTreeMap<u64, Given<S, D>>>, RecoveryError> {
    let workers = store.of().workers();
    let mut all = vec![BTreeMap::new(); workers.len()];
    let mut foreign = None;
    store.blocks(after, |tick, worker, bytes| match Given::from_bytes(bytes, world) {
        Ok(given) if tick <= until && workers.contains(&worker) => {
            all[worker - workers.start].insert(tick, given);
        }
        Ok(_) => (),
        Err(error) => foreign = Some(error),
    })?;
    foreign.map_or(Ok(()), Err)?;
    for (worker, blocks) in workers.zip(&all) {
        if let Some(tick) = (after + 1..=until).find(|tick| !blocks.contains_key(tick)) {
            return Err(RecoveryError::TickGone { worker, tick, until });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
