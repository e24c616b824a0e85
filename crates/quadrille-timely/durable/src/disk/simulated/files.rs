//! The parts of [`std::fs`] that are used, of the system or of a simulated disk.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::super::real_let_go;
use super::{Change, Disk, Shared, find, lock};

/// Does the real thing, or this to the disk.
fn on<T>(
    path: &Path,
    real: impl FnOnce() -> io::Result<T>,
    deed: impl FnOnce(&mut Disk) -> io::Result<T>,
) -> io::Result<T> {
    let Some(disk) = find(path) else { return real() };
    let mut disk = lock(&disk);
    disk.begin()?;
    deed(&mut disk)
}

/// As in [`std::fs`].
///
/// # Errors
///
/// The system's.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    on(
        path,
        || fs::create_dir_all(path),
        |disk| {
            let mut above: Vec<&Path> = path.ancestors().take_while(|above| !disk.names.contains_key(*above)).collect();
            while let Some(dir) = above.pop() {
                disk.make(dir)?;
            }
            Ok(())
        },
    )
}

/// As in [`std::fs`].
///
/// # Errors
///
/// The system's.
pub fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    on(
        to,
        || fs::hard_link(from, to),
        |disk| {
            let inode = disk.at(from)?;
            disk.at(to.parent().unwrap_or(to))?;
            if disk.names.contains_key(to) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            disk.name(vec![(to.to_owned(), Some(inode))]);
            Ok(())
        },
    )
}

/// As in [`std::fs`].
///
/// # Errors
///
/// The system's.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    on(
        to,
        || fs::rename(from, to),
        |disk| {
            let inode = disk.at(from)?;
            disk.name(vec![(from.to_owned(), None), (to.to_owned(), Some(inode))]);
            Ok(())
        },
    )
}

/// As in [`std::fs`].
///
/// # Errors
///
/// The system's.
pub fn remove_file(path: &Path) -> io::Result<()> {
    on(
        path,
        || fs::remove_file(path),
        |disk| {
            disk.at(path)?;
            disk.name(vec![(path.to_owned(), None)]);
            Ok(())
        },
    )
}

/// As in [`std::fs`]; each name is an operation.
///
/// # Errors
///
/// The system's.
pub fn remove_dir_all(path: &Path) -> io::Result<()> {
    on(
        path,
        || fs::remove_dir_all(path),
        |disk| {
            let all: Vec<PathBuf> = disk.names.keys().filter(|name| name.starts_with(path)).cloned().collect();
            for name in all.into_iter().rev() {
                disk.begin()?;
                disk.name(vec![(name, None)]);
            }
            Ok(())
        },
    )
}

/// As in [`std::fs`].
///
/// # Errors
///
/// The system's.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    on(path, || fs::read(path), |disk| disk.at(path).map(|inode| disk.inodes[inode].data.clone()))
}

/// The names in a directory.
///
/// # Errors
///
/// The system's.
pub fn names(dir: &Path) -> io::Result<Vec<OsString>> {
    on(
        dir,
        || crate::disk::real_names(dir),
        |disk| {
            disk.at(dir)?;
            let inside = disk.names.keys().filter(|path| path.parent() == Some(dir));
            Ok(inside.filter_map(|path| path.file_name().map(OsString::from)).collect())
        },
    )
}

/// Makes names durable: what was created, renamed or removed in `dir`.
///
/// # Errors
///
/// The system's.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    on(
        dir,
        || crate::disk::real_sync_dir(dir),
        |disk| {
            disk.sync_dir(dir);
            Ok(())
        },
    )
}

/// As in [`std::fs`].
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one that `std::fs` has")]
pub struct OpenOptions {
    read: bool,
    write: bool,
    append: bool,
    create: bool,
    truncate: bool,
}

impl OpenOptions {
    /// Opens nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// To be read.
    pub fn read(&mut self, read: bool) -> &mut Self {
        self.read = read;
        self
    }

    /// To be written.
    pub fn write(&mut self, write: bool) -> &mut Self {
        self.write = write;
        self
    }

    /// To be written at its end.
    pub fn append(&mut self, append: bool) -> &mut Self {
        self.append = append;
        self
    }

    /// Made where it is missing.
    pub fn create(&mut self, create: bool) -> &mut Self {
        self.create = create;
        self
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let Self { read, write, append, create, truncate } = *self;
        let real = || {
            let mut options = fs::OpenOptions::new();
            options
                .read(read)
                .write(write)
                .append(append)
                .create(create)
                .truncate(truncate)
                .open(path)
                .map(|file| File(Inner::Real(file)))
        };
        let found = find(path);
        on(path, real, |disk| {
            let inode = match disk.at(path) {
                Err(_) if create => disk.make(path)?,
                found => found?,
            };
            if truncate {
                disk.write(inode, Change::Cut(0));
            }
            let disk = found.ok_or(io::ErrorKind::NotFound)?;
            Ok(File(Inner::Simulated { disk, inode, at: 0, append, lock: Cell::new(0) }))
        })
    }
}

/// As in [`std::fs`].
#[derive(Debug)]
pub struct File(Inner);

#[derive(Debug)]
enum Inner {
    Real(fs::File),
    Simulated {
        disk: Shared,
        inode: usize,
        /// The place of the next byte.
        at: u64,
        /// Writes go to the end.
        append: bool,
        /// The lock that it holds.
        lock: Cell<u64>,
    },
}

pub(crate) fn let_go(file: &File, from: u64, until: u64) {
    if let Inner::Real(file) = &file.0 {
        real_let_go(file, from, until);
    }
}

impl File {
    /// Opens it to be read.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn open(path: &Path) -> io::Result<Self> {
        OpenOptions::new().read(true).open(path)
    }

    /// Makes it, or makes it empty.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn create(path: &Path) -> io::Result<Self> {
        OpenOptions { write: true, create: true, truncate: true, ..OpenOptions::new() }.open(path)
    }

    fn change<T>(
        &self,
        real: impl FnOnce(&fs::File) -> io::Result<T>,
        deed: impl FnOnce(&mut Disk, usize) -> io::Result<T>,
    ) -> io::Result<T> {
        match &self.0 {
            Inner::Real(file) => real(file),
            Inner::Simulated { disk, inode, .. } => {
                let mut disk = lock(disk);
                disk.begin()?;
                deed(&mut disk, *inode)
            }
        }
    }

    /// Cuts it off, or fills it with zeros.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_len(&self, len: u64) -> io::Result<()> {
        self.change(
            |file| file.set_len(len),
            |disk, inode| {
                disk.write(inode, Change::Cut(len));
                Ok(())
            },
        )
    }

    /// Makes its bytes durable.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn sync_all(&self) -> io::Result<()> {
        self.change(fs::File::sync_all, |disk, inode| {
            let inode = &mut disk.inodes[inode];
            inode.kept.clone_from(&inode.data);
            inode.unsynced.clear();
            Ok(())
        })
    }

    /// Makes its bytes durable.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn sync_data(&self) -> io::Result<()> {
        if let Inner::Real(file) = &self.0 { file.sync_data() } else { self.sync_all() }
    }

    /// Locks it, until it is dropped.
    ///
    /// # Errors
    ///
    /// The system's, or that another one has done so.
    pub fn try_lock(&self) -> Result<(), TryLockError> {
        let Inner::Simulated { disk, inode, lock: mine, .. } = &self.0 else {
            let Inner::Real(file) = &self.0 else { unreachable!("one of two") };
            return file.try_lock();
        };
        let mut disk = lock(disk);
        disk.begin().map_err(TryLockError::Error)?;
        if disk.inodes[*inode].locked != 0 {
            return Err(TryLockError::WouldBlock);
        }
        disk.inodes[*inode].locked = disk.operations;
        mine.set(disk.operations);
        Ok(())
    }

    /// Unlocks it.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn unlock(&self) -> io::Result<()> {
        match &self.0 {
            Inner::Real(file) => file.unlock(),
            Inner::Simulated { disk, inode, lock: mine, .. } => {
                let mut disk = lock(disk);
                if disk.inodes[*inode].locked == mine.get() {
                    disk.inodes[*inode].locked = 0;
                }
                Ok(())
            }
        }
    }
}

impl Read for File {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Real(file) => file.read(bytes),
            Inner::Simulated { disk, inode, at, .. } => {
                let mut disk = lock(disk);
                disk.begin()?;
                let count = disk.inodes[*inode].data.get(*at as usize..).unwrap_or_default().read(bytes)?;
                *at += count as u64;
                Ok(count)
            }
        }
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Inner::Simulated { disk, inode, at, append, .. } = &mut self.0 else {
            let Inner::Real(file) = &mut self.0 else { unreachable!("one of two") };
            return file.write(bytes);
        };
        let mut disk = lock(disk);
        let was_dead = disk.is_dead;
        let begun = disk.begin();
        let mut count = bytes.len();
        if begun.is_err() && !was_dead && !bytes.is_empty() {
            // Died amid it.
            count = disk.roll(bytes.len() as u64) as usize;
        } else {
            begun?;
            if let Some(room) = &mut disk.room {
                count = count.min(usize::try_from(*room).unwrap_or(usize::MAX));
                *room -= count as u64;
                if count == 0 && !bytes.is_empty() {
                    return Err(io::ErrorKind::StorageFull.into());
                }
            }
        }
        if *append {
            *at = disk.inodes[*inode].data.len() as u64;
        }
        disk.write(*inode, Change::Write(*at, bytes[..count].to_vec()));
        *at += count as u64;
        if disk.is_dead { Err(io::Error::other("the process is dead")) } else { Ok(count) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.0 {
            Inner::Real(file) => file.seek(to),
            Inner::Simulated { disk, inode, at, .. } => {
                let len = lock(disk).inodes[*inode].data.len() as u64;
                let place = match to {
                    SeekFrom::Start(place) => Some(place),
                    SeekFrom::End(by) => len.checked_add_signed(by),
                    SeekFrom::Current(by) => at.checked_add_signed(by),
                };
                *at = place.ok_or(io::ErrorKind::InvalidInput)?;
                Ok(*at)
            }
        }
    }
}
