//! All that is asked of a file system, in one place. In tests, paths below a simulated disk go there.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use redb::{Builder, Database, DatabaseError};

#[cfg(test)]
pub(crate) use crate::simulation::disk::{create_dir_all, database, is_simulated, names, planted};
#[cfg(test)]
pub(crate) use crate::simulation::disk::{remove_dir_all, rename, roll, sync_dir};
#[cfg(not(test))]
pub(crate) use {
    real::{database, is_simulated, names, planted, roll, sync_dir},
    std::fs::{create_dir_all, remove_dir_all, rename},
};

/// The system's own.
pub(crate) mod real {
    use super::{Builder, Database, DatabaseError, OsString, Path, io};

    /// The names in a directory, in any order.
    pub(crate) fn names(dir: &Path) -> io::Result<Vec<OsString>> {
        std::fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    /// Makes names durable: what was created, renamed or removed in `dir`.
    pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
        // Elsewhere a directory cannot be opened.
        if cfg!(unix) { std::fs::File::open(dir)?.sync_all() } else { Ok(()) }
    }

    /// Opens the store of a file, or makes it.
    pub(crate) fn database(path: &Path, builder: &Builder, is_new: bool) -> Result<Database, DatabaseError> {
        if is_new { builder.create(path) } else { builder.open(path) }
    }

    /// Whether a simulation has planted this fault.
    #[cfg(not(test))]
    pub(crate) const fn planted(_: &str) -> bool {
        false
    }

    /// Whether this is a place on a simulated disk. Whoever has a thread for it does without.
    #[cfg(not(test))]
    pub(crate) const fn is_simulated(_: &Path) -> bool {
        false
    }

    /// The dice of a simulated disk.
    #[cfg(not(test))]
    pub(crate) const fn roll(_: &Path, _: u64) -> u64 {
        0
    }
}

/// Makes a directory whose name outlives a loss of power, and those above it that a world makes.
pub(crate) fn make_dir(dir: &Path) -> io::Result<()> {
    create_dir_all(dir)?;
    // An empty path is the working directory.
    let above = dir.ancestors().skip(1).map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above });
    for (nth, above) in above.take(3).enumerate() {
        // Who made those higher up may not let this program read them.
        let synced = sync_dir(above);
        if nth == 0 {
            synced?;
        }
    }
    Ok(())
}
