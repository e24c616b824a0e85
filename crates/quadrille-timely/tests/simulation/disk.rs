//! A disk in memory that loses what was not synced, has no room, and whose users die between any two steps; all by one seed.

mod files;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::all::common::Dice;
pub(crate) use files::{create_dir_all, database, names, remove_dir_all, rename, sync_dir};

/// Where simulated disks are.
const ROOT: &str = "/simulated";

thread_local! {
    static PLANTED: Cell<&'static str> = const { Cell::new("") };
}

/// Plants a fault in all that this thread does from now on; none, if empty.
pub(crate) fn plant(fault: &'static str) {
    PLANTED.set(fault);
}

/// Whether a simulation has planted this fault.
pub(crate) fn planted(fault: &str) -> bool {
    PLANTED.get() == fault
}

type Shared = Arc<Mutex<Disk>>;

static DISKS: Mutex<BTreeMap<u64, Shared>> = Mutex::new(BTreeMap::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(path: &Path) -> Option<Shared> {
    let number = path.strip_prefix(ROOT).ok()?.iter().next()?.to_str()?.parse().ok()?;
    lock(&DISKS).get(&number).cloned()
}

/// Whether this is a place on a simulated disk. Whoever has a thread for it does without.
pub(crate) fn is_simulated(path: &Path) -> bool {
    path.starts_with(ROOT)
}

/// A number below `below`, of the dice of the disk with this path.
pub(crate) fn roll(path: &Path, below: u64) -> u64 {
    find(path).map_or(0, |disk| lock(&disk).dice.roll(below))
}

/// A simulated disk; it is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct Simulated {
    number: u64,
    disk: Shared,
}

impl Simulated {
    /// An empty disk whose losses follow from the seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut disks = lock(&DISKS);
        let number = disks.keys().last().map_or(0, |last| last + 1);
        let root = Path::new(ROOT).join(number.to_string());
        let mut disk = Disk { dice: Dice(seed), ..Disk::default() };
        disk.inodes.push(Inode::default());
        disk.names.insert(root.clone(), 0);
        disk.kept.insert(root, 0);
        let disk = Arc::new(Mutex::new(disk));
        disks.insert(number, Arc::clone(&disk));
        Simulated { number, disk }
    }

    /// The directory of this disk.
    pub(crate) fn root(&self) -> PathBuf {
        Path::new(ROOT).join(self.number.to_string())
    }

    /// Its user dies at that operation from now; each later one fails.
    pub(crate) fn die_after(&self, operations: u64) {
        lock(&self.disk).countdown = Some(operations);
    }

    /// Whether its user is dead.
    pub(crate) fn is_dead(&self) -> bool {
        lock(&self.disk).is_dead
    }

    /// Its user is dead, or another one uses it.
    pub(crate) fn set_dead(&self, is_dead: bool) {
        let mut disk = lock(&self.disk);
        (disk.is_dead, disk.countdown) = (is_dead, None);
    }

    /// Loses what was not synced, or some of it.
    pub(crate) fn lose_power(&self) {
        lock(&self.disk).lose_power();
    }

    /// So many bytes can be written before it is full.
    pub(crate) fn set_room(&self, room: Option<u64>) {
        lock(&self.disk).room = room;
    }

    /// Lets go of all locks, as a file system over a network may.
    pub(crate) fn break_locks(&self) {
        lock(&self.disk).inodes.iter_mut().for_each(|inode| inode.locked = 0);
    }

    /// How many operations there were.
    pub(crate) fn operations(&self) -> u64 {
        lock(&self.disk).operations
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        lock(&DISKS).remove(&self.number);
    }
}

/// A change of a file that is not synced.
#[derive(Clone, Debug)]
enum Change {
    Write(u64, Vec<u8>),
    Cut(u64),
}

impl Change {
    fn apply(&self, data: &mut Vec<u8>) {
        match self {
            Change::Write(at, bytes) => {
                let at = *at as usize;
                data.resize(data.len().max(at + bytes.len()), 0);
                data[at..at + bytes.len()].copy_from_slice(bytes);
            }
            Change::Cut(len) => data.resize(*len as usize, 0),
        }
    }
}

#[derive(Debug, Default)]
struct Inode {
    data: Vec<u8>,
    /// The bytes that outlive a loss of power for sure.
    kept: Vec<u8>,
    unsynced: Vec<Change>,
    /// The number of the lock that holds it.
    locked: u64,
}

/// A change of a name.
#[derive(Clone, Debug)]
enum Naming {
    Make(PathBuf, usize),
    Remove(PathBuf),
    /// With all that is in it.
    Rename(PathBuf, PathBuf, usize),
}

impl Naming {
    fn is_in(&self, dir: &Path) -> bool {
        let (Naming::Make(path, _) | Naming::Remove(path) | Naming::Rename(path, ..)) = self;
        path.parent() == Some(dir)
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Naming::Make(path, inode) => drop(names.insert(path.clone(), *inode)),
            Naming::Remove(path) => drop(names.remove(path)),
            Naming::Rename(from, to, inode) => {
                let inside: Vec<PathBuf> = names.keys().filter(|path| path.starts_with(from)).cloned().collect();
                for path in inside {
                    if let (Some(inode), Ok(rest)) = (names.remove(&path), path.strip_prefix(from)) {
                        names.insert(to.join(rest), inode);
                    }
                }
                names.insert(to.clone(), *inode);
            }
        }
    }
}

#[derive(Debug, Default)]
struct Disk {
    dice: Dice,
    inodes: Vec<Inode>,
    names: BTreeMap<PathBuf, usize>,
    kept: BTreeMap<PathBuf, usize>,
    unsynced: Vec<Naming>,
    is_dead: bool,
    countdown: Option<u64>,
    room: Option<u64>,
    operations: u64,
}

impl Disk {
    /// Begins an operation.
    fn begin(&mut self) -> io::Result<()> {
        self.operations += 1;
        if let Some(left) = &mut self.countdown {
            self.is_dead |= *left == 0;
            *left = left.saturating_sub(1);
        }
        if self.is_dead { Err(io::Error::other("the process is dead")) } else { Ok(()) }
    }

    fn at(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The parent must be there.
    fn make(&mut self, path: &Path) -> io::Result<usize> {
        self.at(path.parent().unwrap_or(path))?;
        self.inodes.push(Inode::default());
        let inode = self.inodes.len() - 1;
        self.name(Naming::Make(path.to_owned(), inode));
        Ok(inode)
    }

    fn name(&mut self, naming: Naming) {
        naming.apply(&mut self.names);
        self.unsynced.push(naming);
    }

    fn change(&mut self, inode: usize, change: Change) {
        let inode = &mut self.inodes[inode];
        change.apply(&mut inode.data);
        inode.unsynced.push(change);
    }

    /// Writes as much as there is room for, or a part if its user dies amid it.
    fn write(&mut self, inode: usize, at: u64, bytes: &[u8]) -> io::Result<()> {
        let was_dead = self.is_dead;
        let begun = self.begin();
        let room = self.room.map_or(bytes.len(), |room| bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
        let count = match begun {
            Ok(()) => room,
            Err(_) if !was_dead && !bytes.is_empty() => self.dice.roll(bytes.len() as u64) as usize,
            Err(error) => return Err(error),
        };
        if let Some(room) = &mut self.room {
            *room = room.saturating_sub(count as u64);
        }
        self.change(inode, Change::Write(at, bytes[..count].to_vec()));
        begun?;
        if count < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn sync(&mut self, inode: usize) {
        let Inode { kept, unsynced, .. } = &mut self.inodes[inode];
        unsynced.drain(..).for_each(|change| change.apply(kept));
    }

    fn sync_dir(&mut self, dir: &Path) {
        let (here, others): (Vec<Naming>, _) =
            std::mem::take(&mut self.unsynced).into_iter().partition(|naming| naming.is_in(dir));
        self.unsynced = others;
        for naming in here {
            naming.apply(&mut self.kept);
        }
    }

    fn lose_power(&mut self) {
        for at in 0..self.inodes.len() {
            let changes = std::mem::take(&mut self.inodes[at].unsynced);
            let mut data = std::mem::take(&mut self.inodes[at].kept);
            // None, all, those before a torn one, or any of them.
            let (way, until) = (self.dice.roll(4), self.dice.roll(changes.len() as u64 + 1) as usize);
            for (nth, change) in changes.iter().enumerate() {
                let is_kept = match way {
                    0 => false,
                    1 => true,
                    2 => nth < until,
                    _ => self.dice.roll(2) == 0,
                };
                match change {
                    _ if is_kept => change.apply(&mut data),
                    Change::Write(place, bytes) if way == 2 && nth == until => {
                        let part = self.dice.roll(bytes.len() as u64 + 1) as usize;
                        Change::Write(*place, bytes[..part].to_vec()).apply(&mut data);
                    }
                    _ => (),
                }
            }
            let inode = &mut self.inodes[at];
            (inode.data, inode.kept, inode.locked) = (data.clone(), data, 0);
        }
        for naming in std::mem::take(&mut self.unsynced) {
            if self.dice.roll(2) == 0 {
                naming.apply(&mut self.kept);
            }
        }
        // A directory that is lost takes all that is in it along.
        let whole = self.kept.clone();
        let root = self.kept.keys().next().cloned().unwrap_or_default();
        self.kept.retain(|path, _| {
            path.ancestors().take_while(|above| **above != *root).all(|above| whole.contains_key(above))
        });
        self.names = self.kept.clone();
    }
}
