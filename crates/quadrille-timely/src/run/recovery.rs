//! The tick and the state from which a world goes on. The supervisor prepares them before any process starts.
//!
//! Each number of workers that there was has a directory, of which the newest counts, with a store for each process.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::Coordinate;
use crate::driver::Start;
use crate::durable::disk::{self, planted};
use crate::durable::{Begin, Change, Of, Store, StoreError, Writer, forget_told};
use crate::feed::Given;
use crate::partition::Partition;
use crate::row::{Role, Row};
use crate::world::World;

use super::state::{Foreign, State, share};

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
pub(super) struct Kept {
    pub(super) dir: PathBuf,
}

/// The needs of the workers of a process: a state to begin with, of each worker the ticks that are known already, and where they
/// are kept from then on.
pub(super) struct Opened<S: Coordinate, const D: usize> {
    pub(super) start: Start<S, D>,
    pub(super) replays: Vec<BTreeMap<u64, Given<S, D>>>,
    pub(super) writer: Writer,
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
    pub(super) fn prepare<S: Coordinate, const D: usize>(
        &self,
        world: &World<S, D>,
        processes: usize,
        threads: usize,
    ) -> Result<u64, RecoveryError> {
        let numbers = self.numbers()?;
        let Some(&number) = numbers.last() else {
            let partition = world.first_partition(processes * threads);
            let start = Start { tick: 0, partition, objects: Vec::new(), standing: Vec::new() };
            self.make(world, 1, [processes, threads], &start, &BTreeMap::new())?;
            return Ok(0);
        };
        let (dir, stores) = (self.place(number), self.stores(number)?);
        let (tick, until) = self.agree(&stores)?;
        if !planted("what was told is not forgotten") {
            forget_told(&dir, stores.len())?;
        }
        if [stores.len(), stores[0].of().threads] == [processes, threads] {
            let others = others(world, &stores, tick)?;
            for (store, others) in stores.iter().zip(others) {
                store.change(&[Change::Begin(Begin { tick, until, others })])?;
            }
        } else {
            let blocks = all_blocks(world, &stores, tick, until)?;
            let start = load(world, &stores, tick, processes * threads)?;
            if planted("the old stores removed first") {
                let _ = disk::remove_dir_all(&dir);
            }
            self.make(world, number + 1, [processes, threads], &start, &blocks)?;
        }
        drop(stores);
        let newest = self.numbers()?.last().copied();
        for old in numbers.into_iter().filter(|old| Some(*old) != newest) {
            let place = self.place(old);
            // One that is left is never used again.
            let _ = disk::remove_dir_all(&place);
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
        let owner = |row: &Row<S, D>| usize::from(start.partition.owner(row.shape.min()));
        for process in 0..processes {
            let of = Of { process, processes, threads };
            let mut changes = Vec::new();
            for worker in of.workers() {
                let objects = start.objects.iter().filter(|row| owner(row) == worker).copied().collect();
                let standing = if worker == 0 { start.standing.clone() } else { Vec::new() };
                changes.push(Change::Save(start.tick, worker, bytes_of(world, &start.partition, objects, standing)));
                for (&tick, given) in blocks {
                    let block = share(given, |row| worker_of(world, row, workers), worker).to_bytes();
                    changes.push(Change::Log(tick, worker, block));
                }
            }
            let is_other = |row: &&Row<S, D>| {
                let wants = Wants { world, partition: &start.partition, threads };
                owner(row) / threads != process && wants.processes(row).contains(&process)
            };
            let objects = start.objects.iter().filter(is_other).copied().collect();
            let standing = if process == 0 { Vec::new() } else { start.standing.clone() };
            let others = bytes_of(world, &start.partition, objects, standing);
            let until = blocks.keys().last().copied().unwrap_or(start.tick);
            changes.push(Change::Begin(Begin { tick: start.tick, until, others }));
            Store::create(&file(&aside, process), of, &changes)?;
        }
        if !planted("stores whose names are not synced") {
            disk::sync_dir(&aside).map_err(StoreError::io("sync", &aside))?;
        }
        let place = self.place(number);
        disk::rename(&aside, &place).map_err(StoreError::io("rename", &aside))?;
        if !planted("a directory whose name is not synced") {
            disk::sync_dir(&self.dir).map_err(StoreError::io("sync", &self.dir))?;
        }
        Ok(())
    }

    /// Opens the store of one process of a start that is prepared.
    pub(super) fn open<S: Coordinate, const D: usize>(
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
        Ok(Opened { start, replays, writer: Writer::start(store, &dir)? })
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

/// Which processes need an object.
struct Wants<'a, S: Coordinate, const D: usize> {
    world: &'a World<S, D>,
    partition: &'a Partition<S, D>,
    threads: usize,
}

impl<S: Coordinate, const D: usize> Wants<'_, S, D> {
    /// Those whose workers hold or read it; one may come twice.
    fn processes(&self, row: &Row<S, D>) -> Vec<usize> {
        let mut holders = Vec::new();
        self.partition.holders(&row.shape, &mut holders);
        let is_fed = !self.world.layers[usize::from(row.layer)].local;
        let reader = is_fed.then(|| self.world.reader_of(row.id, self.partition.starts().len() + 1));
        holders.into_iter().map(usize::from).chain(reader).map(|worker| worker / self.threads).collect()
    }
}

/// The bytes that each process needs of the others.
fn others<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    stores: &[Store],
    tick: u64,
) -> Result<Vec<Vec<u8>>, RecoveryError> {
    let threads = stores[0].of().threads;
    let lists = RefCell::new(vec![Vec::new(); stores.len()]);
    let partition = OnceCell::new();
    let mut standing = Vec::new();
    for store in stores {
        let own = store.of().process;
        for worker in store.of().workers() {
            let state = State::read(&store.snapshot(tick, worker)?, world, stores.len() * threads, |starts| {
                let partition = partition.get_or_init(|| partition_of(world, starts));
                let (wants, lists) = (Wants { world, partition, threads }, &lists);
                move |row: &Row<S, D>| {
                    if partition.sole_holder(&row.shape).is_some() && world.layers[usize::from(row.layer)].local {
                        return false;
                    }
                    let mut processes = wants.processes(row);
                    processes.sort_unstable();
                    processes.dedup();
                    for process in processes.into_iter().filter(|process| *process != own) {
                        lists.borrow_mut()[process].push(*row);
                    }
                    false
                }
            })?;
            standing.extend(state.standing);
        }
    }
    let partition = partition.into_inner().expect("there is a worker");
    let lists = lists.into_inner().into_iter().enumerate();
    let bytes = |(process, objects)| {
        let standing = if process == 0 { Vec::new() } else { standing.clone() };
        bytes_of(world, &partition, objects, standing)
    };
    Ok(lists.map(bytes).collect())
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
mod tests {
    use quadrille::Rect;

    use super::{Change, Kept, Of, RecoveryError, Role, Row, StoreError, World, bytes_of, worker_of};

    fn kept(dir: &tempfile::TempDir) -> Kept {
        Kept { dir: dir.path().join("world") }
    }

    /// A torn file is none, by its checksums; this one is whole, and not ours.
    #[test]
    fn a_snapshot_of_a_wrong_length_is_foreign() {
        let dir = tempfile::tempdir().unwrap();
        let (kept, world) = (kept(&dir), World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap());
        assert_eq!(kept.prepare(&world, 2, 1).unwrap(), 0);
        let save = |bytes: &[u8]| {
            let stores = kept.stores(1).unwrap();
            stores[1].change(&[Change::Save(0, 1, bytes.to_vec())]).unwrap();
        };
        let bytes = kept.stores(1).unwrap()[1].snapshot(0, 1).unwrap();
        for length in [0, 1, 2, 9, 17, 40, bytes.len() - 1] {
            save(&bytes[..length]);
            let error = kept.prepare(&world, 2, 1).unwrap_err();
            assert!(matches!(error, RecoveryError::Foreign(_)), "{error}");
        }
        save(&bytes);
        assert_eq!(kept.prepare(&world, 2, 1).unwrap(), 0);
    }

    #[test]
    fn no_start_begins_beside_a_process_of_an_older_one_or_unprepared() {
        let dir = tempfile::tempdir().unwrap();
        let (kept, world) = (kept(&dir), World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap());
        let open = |process, processes, threads| kept.open(&world, Of { process, processes, threads });
        assert!(matches!(open(0, 2, 1), Err(RecoveryError::NotPrepared { workers: 2, .. })));
        assert_eq!(kept.prepare(&world, 2, 1).unwrap(), 0);
        let old = open(1, 2, 1).unwrap();
        for (processes, threads) in [(2, 1), (3, 1), (1, 2)] {
            let error = kept.prepare(&world, processes, threads).unwrap_err();
            assert!(matches!(error, RecoveryError::Store(StoreError::InUse { .. })), "{error}");
        }
        drop(old);
        // It has begun already, and the others have other numbers.
        for (process, processes, threads) in [(1, 2, 1), (0, 1, 2), (2, 3, 1)] {
            let error = open(process, processes, threads).map(drop).unwrap_err();
            assert!(matches!(error, RecoveryError::NotPrepared { .. }), "{error}");
        }
        assert_eq!(kept.prepare(&world, 1, 2).unwrap(), 0);
        assert_eq!(open(0, 1, 2).unwrap().replays.len(), 2);
    }

    #[test]
    fn a_directory_of_an_earlier_version_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let (kept, world) = (kept(&dir), World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap());
        std::fs::create_dir_all(kept.dir.join("snapshots/1")).unwrap();
        let error = kept.prepare(&world, 2, 1).unwrap_err();
        assert!(matches!(error, RecoveryError::Older { .. }), "{error}");
        assert!(!kept.dir.join("1").exists());
    }

    #[test]
    fn a_process_loads_what_its_workers_hold_or_read() {
        let mut world = World::new(Rect::new([0.0_f32, 0.0], [100.0, 100.0])).unwrap().reach(3.0).unwrap();
        let layers = [world.add_local_rects().unwrap(), world.add_rects().unwrap()];
        let all: Vec<Row<f32, 2>> = (0..400_u64)
            .map(|id| {
                let min = [id * 37 % 101, id * 53 % 97].map(|c| c as f32);
                let shape = Rect::new(min, min.map(|c| c + (id % 5) as f32));
                Row { to: 0, role: Role::Own, layer: layers[id as usize % 2], id: id << 40, shape }
            })
            .collect();
        let partition = world.first_partition(4);
        for (processes, threads) in [(4, 1), (2, 2), (1, 4)] {
            let dir = tempfile::tempdir().unwrap();
            let kept = kept(&dir);
            kept.prepare(&world, processes, threads).unwrap();
            for store in kept.stores(1).unwrap() {
                let save = |worker| {
                    let is_own = |row: &&Row<f32, 2>| usize::from(partition.owner(row.shape.min())) == worker;
                    let objects = all.iter().filter(is_own).copied().collect();
                    Change::Save(0, worker, bytes_of(&world, &partition, objects, vec![]))
                };
                store.change(&store.of().workers().map(save).collect::<Vec<_>>()).unwrap();
            }
            // The same numbers, and others that have to share it out anew.
            for (processes, threads) in [(processes, threads), (4, 1), (2, 2)] {
                kept.prepare(&world, processes, threads).unwrap();
                for process in 0..processes {
                    let of = Of { process, processes, threads };
                    let start = kept.open(&world, of).unwrap().start;
                    assert_eq!(start.partition.starts(), partition.starts());
                    let mut ids: Vec<u64> = start.objects.iter().map(|row| row.id).collect();
                    ids.sort_unstable();
                    let expected = all.iter().filter(|row| {
                        let mut holders = Vec::new();
                        partition.holders(&row.shape, &mut holders);
                        let reads = row.layer == layers[1] && of.workers().contains(&world.reader_of(row.id, 4));
                        reads || holders.iter().any(|holder| of.workers().contains(&usize::from(*holder)))
                    });
                    let mut expected: Vec<u64> = expected.map(|row| row.id).collect();
                    expected.sort_unstable();
                    assert_eq!(ids, expected, "{of:?}");
                }
            }
        }
    }

    #[test]
    fn the_reader_of_an_object_takes_it_out_though_the_first_layer_is_local() {
        let world = World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap();
        let mut world = world.reader(|_, workers| workers - 1);
        let local = world.add_local_points().unwrap();
        let fed = world.add_points().unwrap();
        let row = |role, layer| Row { to: 0, role, layer, id: 4, shape: Rect::from_point([0.5, 0.5]) };
        assert_eq!(worker_of(&world, &row(Role::Own, local), 3), 1);
        assert_eq!(worker_of(&world, &row(Role::Own, fed), 3), 2);
        assert_eq!(worker_of(&world, &row(Role::Gone, 0), 3), 2);
    }
}
