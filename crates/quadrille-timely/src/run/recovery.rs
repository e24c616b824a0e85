//! The tick and the state from which a world goes on. The supervisor prepares them before any process starts.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::Coordinate;
use crate::driver::Start;
use crate::durable::disk::{self, planted};
use crate::durable::{Common, FileLog, FileLogOptions, Log, LogError, Origin, SnapshotError, Snapshots};
use crate::feed::Given;
use crate::partition::Partition;
use crate::row::{Role, Row};
use crate::world::World;

use super::state::{Foreign, State, share};

/// Why a world cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecoveryError {
    /// A snapshot cannot be read or written.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A snapshot is there, and the log is not.
    #[error("worker {worker} has a snapshot of tick {tick}, and its log is gone; the rows since then are lost")]
    LogGone {
        /// The worker.
        worker: usize,
        /// The tick of the snapshot.
        tick: u64,
    },
    /// A log is there, and no snapshot is.
    #[error("worker {worker} has a log up to tick {tick}, and there is no snapshot; all before the log is lost")]
    SnapshotsGone {
        /// The worker.
        worker: usize,
        /// The newest tick of the log.
        tick: u64,
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
    /// Nobody has called [`Cluster::prepare`](crate::Cluster::prepare) for this number of workers.
    #[error("{} is not prepared for a start with {workers} workers", dir.display())]
    NotPrepared {
        /// Where the world is kept.
        dir: PathBuf,
        /// The number of workers.
        workers: usize,
    },
    /// The logs of a generation that has ended cannot be removed.
    #[error("old logs cannot be removed: {0}")]
    Discard(io::Error),
    /// The state is one of another kind of world.
    #[error(transparent)]
    Foreign(#[from] Foreign),
}

/// Opens a worker's log of a generation.
type OpenLog = dyn Fn(u64, usize) -> Result<Box<dyn Log>, LogError>;

/// Where a world is kept.
pub(super) struct Store {
    pub(super) dir: PathBuf,
    pub(super) open_log: Box<OpenLog>,
    /// Removes the logs of a generation that has ended.
    pub(super) discard_log: Box<dyn Fn(u64) -> io::Result<()>>,
}

impl Store {
    pub(super) fn in_files(dir: &Path) -> Self {
        let place = dir.join("log");
        let logs = place.clone();
        let open_log = move |generation: u64, worker| {
            let log = FileLog::open(logs.join(generation.to_string()), worker, &FileLogOptions::default())?;
            Ok(Box::new(log) as Box<dyn Log>)
        };
        let discard_log = move |generation: u64| disk::remove_dir_all(place.join(generation.to_string()).as_path());
        Self { dir: dir.to_owned(), open_log: Box::new(open_log), discard_log: Box::new(discard_log) }
    }

    /// The snapshots of a start. Each start has a directory of its own, so that a process of an older one cannot save into it.
    fn snapshots(&self, start: u64, workers: usize) -> Result<Snapshots, SnapshotError> {
        Snapshots::open(self.place().join(start.to_string()), workers)
    }

    fn place(&self) -> PathBuf {
        self.dir.join("snapshots")
    }

    /// The starts that there were, in order.
    fn starts(&self) -> Result<Vec<u64>, SnapshotError> {
        let place = self.place();
        let names = match disk::names(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            listed => listed.map_err(|source| SnapshotError::Io { doing: "list", path: place, source })?,
        };
        let mut starts: Vec<u64> = names.iter().filter_map(|name| name.to_str()?.parse().ok()).collect();
        starts.sort_unstable();
        Ok(starts)
    }

    /// The snapshots of the newest start that has a common one, and that one.
    pub(super) fn current(&self) -> Result<Option<(Snapshots, Common)>, SnapshotError> {
        for start in self.starts()?.into_iter().rev() {
            let snapshots = self.snapshots(start, 0)?;
            if let Some(common) = snapshots.last_common()? {
                return Ok(Some((self.snapshots(start, common.workers)?, common)));
            }
        }
        Ok(None)
    }

    /// An empty directory for the snapshots of a new start.
    fn next(&self, workers: usize) -> Result<(u64, Snapshots), SnapshotError> {
        let next = self.starts()?.last().map_or(1, |last| last + 1);
        Ok((next, self.snapshots(next, workers)?))
    }

    /// Removes the snapshots of older starts, once this one has a common one.
    fn forget_before(&self, start: u64) -> Result<(), SnapshotError> {
        for old in self.starts()?.into_iter().filter(|old| *old < start) {
            // One that is left is never used again.
            let _ = disk::remove_dir_all(self.place().join(old.to_string()).as_path());
        }
        Ok(())
    }

    fn logs(&self, generation: u64, workers: usize) -> Result<Vec<Box<dyn Log>>, LogError> {
        (0..workers).map(|worker| (self.open_log)(generation, worker)).collect()
    }

    /// Prepares the state for this number of workers, and returns the tick up to which all rows are known.
    pub(super) fn prepare<S: Coordinate, const D: usize>(
        &self,
        world: &World<S, D>,
        workers: usize,
    ) -> Result<u64, RecoveryError> {
        match self.current()? {
            None => self.begin(world, workers),
            Some((old, common)) if common.workers == workers => {
                // Only checked here.
                let state = load_some(&old, world, &common, workers, |_, _| false)?;
                let (until, _) = self.agree(&common, state.generation)?;
                let (start, snapshots) = self.next(workers)?;
                old.hand_over(&common, &snapshots)?;
                self.forget_before(start)?;
                Ok(until)
            }
            Some((old, common)) => self.redistribute(world, &old, &common, workers),
        }
    }

    /// An empty world.
    fn begin<S: Coordinate, const D: usize>(&self, world: &World<S, D>, workers: usize) -> Result<u64, RecoveryError> {
        for (worker, mut log) in self.logs(0, workers)?.into_iter().enumerate() {
            if let Some(tick) = log.last() {
                return Err(RecoveryError::SnapshotsGone { worker, tick });
            }
            log.cut_after(None)?;
        }
        let empty = State::<S, D> {
            generation: 0,
            world: world.in_words(),
            starts: world.first_partition(workers).starts().to_vec(),
            objects: Vec::new(),
            standing: Vec::new(),
        };
        let (start, snapshots) = self.next(workers)?;
        for worker in 0..workers {
            snapshots.save(worker, 0, &empty.to_bytes())?;
        }
        self.forget_before(start)?;
        Ok(0)
    }

    /// Truncates the logs to the last tick that all workers have. Returns the newest tick that is left, and the logs.
    fn agree(&self, common: &Common, generation: u64) -> Result<(u64, Vec<Box<dyn Log>>), RecoveryError> {
        let mut logs = self.logs(generation, common.workers)?;
        if let Some(worker) = logs.iter().position(|log| log.origin() == Origin::New) {
            return Err(RecoveryError::LogGone { worker, tick: common.tick });
        }
        let until = logs.iter().map(|log| log.last().unwrap_or(0));
        let until = if planted("the longest log counts") { until.max() } else { until.min() };
        let until = until.unwrap_or(0).max(common.tick);
        for log in &mut logs {
            if !planted("logs that are not cut") {
                log.cut_after(Some(until))?;
            }
        }
        Ok((until, logs))
    }

    /// Distributes snapshots and logs to another number of workers, with a new partition. The old ones are removed last, so that
    /// a crash in between does no harm.
    fn redistribute<S: Coordinate, const D: usize>(
        &self,
        world: &World<S, D>,
        snapshots: &Snapshots,
        common: &Common,
        workers: usize,
    ) -> Result<u64, RecoveryError> {
        let start = load::<S, D>(snapshots, world, common, workers)?;
        let generation = start.generation.wrapping_add(1);
        let (until, mut old) = self.agree(common, start.generation)?;
        let mut blocks: BTreeMap<u64, Vec<Given<S, D>>> = BTreeMap::new();
        for (worker, log) in old.iter_mut().enumerate() {
            for (tick, given) in blocks_of(world, log.as_mut(), worker, common.tick, until)? {
                blocks.entry(tick).or_default().push(given);
            }
        }
        for (worker, mut log) in self.logs(generation, workers)?.into_iter().enumerate() {
            // Of a start that died here.
            log.cut_after(None)?;
            for (&tick, given) in &blocks {
                log.append(tick, share(given, |row| worker_of(world, row, workers), worker).to_bytes())?;
            }
            if !planted("logs of another number of workers that are not synced") {
                log.flush()?;
            }
        }
        if planted("old logs removed first") {
            old.clear();
            (self.discard_log)(start.generation).map_err(RecoveryError::Discard)?;
        }
        let (number, snapshots) = self.next(workers)?;
        for worker in 0..workers {
            let objects =
                start.objects.iter().filter(|row| usize::from(start.partition.owner(row.shape.min())) == worker);
            let state = State {
                generation,
                world: world.in_words(),
                starts: start.partition.starts().to_vec(),
                objects: objects.copied().collect(),
                standing: if worker == 0 { start.standing.clone() } else { Vec::new() },
            };
            snapshots.save(worker, common.tick, &state.to_bytes())?;
        }
        self.forget_before(number)?;
        drop(old);
        (self.discard_log)(start.generation).map_err(RecoveryError::Discard)?;
        Ok(until)
    }
}

/// All objects and standing questions of a common snapshot, with a partition among `workers`.
fn load<S: Coordinate, const D: usize>(
    snapshots: &Snapshots,
    world: &World<S, D>,
    common: &Common,
    workers: usize,
) -> Result<Start<S, D>, RecoveryError> {
    load_some(snapshots, world, common, workers, |_, _| true)
}

/// The same number of workers goes on; some of them are here, and these hold or read the objects.
pub(super) fn load_for<S: Coordinate, const D: usize>(
    snapshots: &Snapshots,
    world: &World<S, D>,
    common: &Common,
    here: &Range<usize>,
) -> Result<Start<S, D>, RecoveryError> {
    load_some(snapshots, world, common, common.workers, |partition, row| {
        let is_fed = !world.layers[usize::from(row.layer)].local;
        if is_fed && here.contains(&world.reader_of(row.id, common.workers)) {
            return true;
        }
        if let Some(holder) = partition.sole_holder(&row.shape) {
            return here.contains(&usize::from(holder));
        }
        let mut holders = Vec::new();
        partition.holders(&row.shape, &mut holders);
        holders.iter().any(|holder| here.contains(&usize::from(*holder)))
    })
}

fn load_some<S: Coordinate, const D: usize>(
    snapshots: &Snapshots,
    world: &World<S, D>,
    common: &Common,
    workers: usize,
    wanted: impl Fn(&Partition<S, D>, &Row<S, D>) -> bool,
) -> Result<Start<S, D>, RecoveryError> {
    let (mut objects, mut standing, mut generation) = (Vec::new(), Vec::new(), 0);
    // All workers have saved the same one.
    let saved = OnceCell::new();
    for worker in 0..common.workers {
        let state = State::read(&snapshots.load(worker, common)?, world, common.workers, |starts| {
            let partition = saved.get_or_init(|| Partition::from_starts(world.bounds(), world.reach, starts.to_vec()));
            |row: &Row<S, D>| wanted(partition, row)
        })?;
        objects.extend(state.objects);
        standing.extend(state.standing);
        generation = state.generation;
    }
    let same = saved.into_inner().filter(|_| common.workers == workers);
    let partition = same.unwrap_or_else(|| {
        let places = objects.iter().map(|row: &Row<S, D>| row.shape.min());
        Partition::of_sample(world.bounds(), world.reach, workers, places)
    });
    Ok(Start { tick: common.tick, generation, partition, objects, standing })
}

/// The worker that repeats a row.
fn worker_of<S: Coordinate, const D: usize>(world: &World<S, D>, row: &Row<S, D>, workers: usize) -> usize {
    // A row that takes an object out says nothing of its layer; only fed ones are taken out so.
    let is_fed = row.role == Role::Gone || !world.layers[usize::from(row.layer)].local;
    if is_fed { world.reader_of(row.id, workers) } else { (row.id % workers as u64) as usize }
}

/// The blocks of a log after a tick, up to another one; none may be missing.
pub(super) fn blocks_of<S: Coordinate, const D: usize>(
    world: &World<S, D>,
    log: &mut dyn Log,
    worker: usize,
    after: u64,
    until: u64,
) -> Result<BTreeMap<u64, Given<S, D>>, RecoveryError> {
    let mut blocks = BTreeMap::new();
    for block in log.read(Some(after))? {
        let (tick, bytes) = block?;
        blocks.insert(tick, Given::from_bytes(&bytes, world)?);
    }
    match (after + 1..=until).find(|tick| !blocks.contains_key(tick)) {
        Some(tick) => Err(RecoveryError::TickGone { worker, tick, until }),
        None => Ok(blocks),
    }
}

#[cfg(test)]
mod tests {
    use quadrille::Rect;

    use super::{LogError, RecoveryError, Role, Row, State, Store, World, load_for, worker_of};
    use crate::driver;
    use crate::run::keeper::Keeper;

    /// A torn file is none, by its checksum; this one is whole, and not ours.
    #[test]
    fn a_snapshot_of_a_wrong_length_under_a_right_checksum_is_foreign() {
        let dir = tempfile::tempdir().unwrap();
        let (store, world) = (Store::in_files(dir.path()), World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap());
        assert_eq!(store.prepare(&world, 2).unwrap(), 0);
        let (snapshots, common) = store.current().unwrap().unwrap();
        let bytes = snapshots.load(1, &common).unwrap();
        for length in [0, 1, 2, 9, 17, 40, bytes.len() - 1] {
            snapshots.save(1, 0, &bytes[..length]).unwrap();
            let error = store.prepare(&world, 2).unwrap_err();
            assert!(matches!(error, RecoveryError::Foreign(_)), "{error}");
        }
        snapshots.save(1, 0, &bytes).unwrap();
        assert_eq!(store.prepare(&world, 2).unwrap(), 0);
    }

    /// It stood still, and knows nothing of the newer start.
    #[test]
    fn a_process_of_an_older_start_changes_nothing_of_a_newer_one() {
        let dir = tempfile::tempdir().unwrap();
        let world = World::new(Rect::new([0.0_f32, 0.0], [1.0, 1.0])).unwrap();
        let store = Store::in_files(dir.path());
        let keeper = |generation| {
            let (snapshots, _) = store.current().unwrap().unwrap();
            let log = (store.open_log)(generation, 0).unwrap();
            Keeper::new(5, generation, world.in_words(), log, snapshots, 0)
        };
        assert_eq!(store.prepare(&world, 1).unwrap(), 0);
        // Its log is its own as long as it lives.
        let old = keeper(0);
        let error = store.prepare(&world, 1).unwrap_err();
        assert!(matches!(error, RecoveryError::Log(LogError::InUse { .. })), "{error}");
        drop(old);
        // One with a log elsewhere has only its snapshots.
        let mut old = keeper(9);
        assert_eq!(store.prepare(&world, 1).unwrap(), 0);
        let mut save = || {
            driver::Keeper::<f32, 2>::take(&mut old, 5, &[], &mut std::iter::empty(), &[]);
            driver::Keeper::<f32, 2>::answered(&mut old, 6).and_then(|()| old.finish())
        };
        let error = save().unwrap_err();
        assert!(error.to_string().contains("a newer start has taken over"), "{error}");
        assert_eq!(store.current().unwrap().unwrap().1.tick, 0);
    }

    #[test]
    fn a_process_loads_what_its_workers_hold_or_read() {
        let dir = tempfile::tempdir().unwrap();
        let mut world = World::new(Rect::new([0.0_f32, 0.0], [100.0, 100.0])).unwrap().reach(3.0).unwrap();
        let layers = [world.add_local_rects().unwrap(), world.add_rects().unwrap()];
        let store = Store::in_files(dir.path());
        store.prepare(&world, 4).unwrap();
        let (snapshots, common) = store.current().unwrap().unwrap();
        let all: Vec<Row<f32, 2>> = (0..400_u64)
            .map(|id| {
                let min = [id * 37 % 101, id * 53 % 97].map(|c| c as f32);
                let shape = Rect::new(min, min.map(|c| c + (id % 5) as f32));
                Row { to: 0, role: Role::Own, layer: layers[id as usize % 2], id: id << 40, shape }
            })
            .collect();
        let partition = world.first_partition(4);
        let starts = partition.starts().to_vec();
        for worker in 0..4_u16 {
            let objects = all.iter().filter(|row| partition.owner(row.shape.min()) == worker).copied().collect();
            let state =
                State { generation: 7, world: world.in_words(), starts: starts.clone(), objects, standing: vec![] };
            snapshots.save(usize::from(worker), 0, &state.to_bytes()).unwrap();
        }
        for here in [0..0, 0..1, 1..3, 2..4, 0..4] {
            let start = load_for(&snapshots, &world, &common, &here).unwrap();
            assert_eq!((start.generation, start.partition.starts()), (7, &starts[..]));
            let mut ids: Vec<u64> = start.objects.iter().map(|row| row.id).collect();
            ids.sort_unstable();
            let expected = all.iter().filter(|row| {
                let mut holders = Vec::new();
                partition.holders(&row.shape, &mut holders);
                let reads = row.layer == layers[1] && here.contains(&world.reader_of(row.id, 4));
                reads || holders.iter().any(|holder| here.contains(&usize::from(*holder)))
            });
            let mut expected: Vec<u64> = expected.map(|row| row.id).collect();
            expected.sort_unstable();
            assert_eq!(ids, expected, "{here:?}");
        }
        assert_eq!(super::load(&snapshots, &world, &common, 4).unwrap().objects.len(), all.len());
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
