//! The parts of [`std::fs`] that are used, of the system or of a simulated disk.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use redb::{Builder, Database, DatabaseError, StorageBackend};

use super::{Change, Disk, Naming, Shared, find, lock, planted};
use crate::kept::disk::real;

/// An operation of a disk.
fn on<T>(disk: &Shared, deed: impl FnOnce(&mut Disk) -> io::Result<T>) -> io::Result<T> {
    let mut disk = lock(disk);
    disk.begin()?;
    deed(&mut disk)
}

/// As in [`std::fs`].
pub(crate) fn create_dir_all(path: &Path) -> io::Result<()> {
    let Some(disk) = find(path) else { return fs::create_dir_all(path) };
    on(&disk, |disk| {
        let mut above: Vec<&Path> = path.ancestors().take_while(|above| !disk.names.contains_key(*above)).collect();
        while let Some(dir) = above.pop() {
            disk.make(dir)?;
        }
        Ok(())
    })
}

/// As in [`std::fs`].
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let Some(disk) = find(to) else { return fs::rename(from, to) };
    on(&disk, |disk| {
        let inode = disk.at(from)?;
        disk.name(Naming::Rename(from.to_owned(), to.to_owned(), inode));
        Ok(())
    })
}

/// As in [`std::fs`]; each name is an operation.
pub(crate) fn remove_dir_all(path: &Path) -> io::Result<()> {
    let Some(disk) = find(path) else { return fs::remove_dir_all(path) };
    on(&disk, |disk| {
        let all: Vec<PathBuf> = disk.names.keys().filter(|name| name.starts_with(path)).cloned().collect();
        for name in all.into_iter().rev() {
            disk.begin()?;
            disk.name(Naming::Remove(name));
        }
        Ok(())
    })
}

/// The names in a directory.
pub(crate) fn names(dir: &Path) -> io::Result<Vec<OsString>> {
    let Some(disk) = find(dir) else { return real::names(dir) };
    on(&disk, |disk| {
        disk.at(dir)?;
        let inside = disk.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(inside.filter_map(|path| path.file_name().map(OsString::from)).collect())
    })
}

/// Makes names durable: what was created, renamed or removed in `dir`.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    let Some(disk) = find(dir) else { return real::sync_dir(dir) };
    on(&disk, |disk| {
        disk.sync_dir(dir);
        Ok(())
    })
}

/// Opens the store of a file, or makes it.
pub(crate) fn database(path: &Path, builder: &Builder, is_new: bool) -> Result<Database, DatabaseError> {
    let Some(shared) = find(path) else { return real::database(path, builder, is_new) };
    let file = {
        let mut disk = lock(&shared);
        disk.begin()?;
        let found = disk.at(path);
        let inode = if is_new { found.or_else(|_| disk.make(path))? } else { found? };
        if disk.inodes[inode].locked != 0 {
            return Err(DatabaseError::DatabaseAlreadyOpen);
        }
        disk.inodes[inode].locked = disk.operations;
        File { inode, lock: disk.operations, disk: shared.clone() }
    };
    builder.create_with_backend(file)
}

/// A file that is locked until it is closed.
#[derive(Debug)]
struct File {
    disk: Shared,
    inode: usize,
    /// The number of its lock.
    lock: u64,
}

impl StorageBackend for File {
    fn len(&self) -> io::Result<u64> {
        on(&self.disk, |disk| Ok(disk.inodes[self.inode].data.len() as u64))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        on(&self.disk, |disk| {
            let range = offset as usize..offset as usize + out.len();
            let bytes = disk.inodes[self.inode].data.get(range).ok_or(io::ErrorKind::UnexpectedEof)?;
            out.copy_from_slice(bytes);
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        on(&self.disk, |disk| {
            let grown = len.saturating_sub(disk.inodes[self.inode].data.len() as u64);
            if disk.room.is_some_and(|room| room < grown) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            disk.change(self.inode, Change::Cut(len));
            Ok(())
        })
    }

    fn sync_data(&self) -> io::Result<()> {
        on(&self.disk, |disk| {
            if !planted("a store that is not synced") {
                disk.sync(self.inode);
            }
            Ok(())
        })
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        lock(&self.disk).write(self.inode, offset, data)
    }

    fn close(&self) -> io::Result<()> {
        let mut disk = lock(&self.disk);
        if disk.inodes[self.inode].locked == self.lock {
            disk.inodes[self.inode].locked = 0;
        }
        Ok(())
    }
}
