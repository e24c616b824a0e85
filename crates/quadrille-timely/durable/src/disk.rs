//! All that this crate asks of a file system, in one place. With the feature `simulated`, paths below a simulated disk go there.

#[cfg(feature = "simulated")]
mod simulated;

use redb::{Builder, Database, DatabaseError};
use std::ffi::OsString;
use std::io;
use std::path::Path;

#[cfg(feature = "simulated")]
pub(crate) use simulated::database;
#[cfg(feature = "simulated")]
pub use simulated::{
    Simulated, create_dir_all, is_simulated, names, plant, planted, read, remove_dir_all, remove_file, rename, roll,
    sync_dir, write,
};
#[cfg(not(feature = "simulated"))]
pub use std::fs::{create_dir_all, read, remove_dir_all, remove_file, rename, write};

/// The names in a directory, in any order.
///
/// # Errors
///
/// The system's.
#[cfg(not(feature = "simulated"))]
pub fn names(dir: &Path) -> io::Result<Vec<OsString>> {
    real_names(dir)
}

pub(crate) fn real_names(dir: &Path) -> io::Result<Vec<OsString>> {
    std::fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
}

/// Makes names durable: what was created, renamed or removed in `dir`.
///
/// # Errors
///
/// The system's.
#[cfg(not(feature = "simulated"))]
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    real_sync_dir(dir)
}

pub(crate) fn real_sync_dir(dir: &Path) -> io::Result<()> {
    // Elsewhere a directory cannot be opened.
    if cfg!(unix) { std::fs::File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Opens the store of a file, or makes it.
#[cfg(not(feature = "simulated"))]
pub(crate) fn database(path: &Path, builder: &Builder, is_new: bool) -> Result<Database, DatabaseError> {
    real_database(path, builder, is_new)
}

pub(crate) fn real_database(path: &Path, builder: &Builder, is_new: bool) -> Result<Database, DatabaseError> {
    if is_new { builder.create(path) } else { builder.open(path) }
}

/// Makes a directory whose name outlives a loss of power, and those above it that a world makes.
///
/// # Errors
///
/// The system's.
pub fn make_dir(dir: &Path) -> io::Result<()> {
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

/// Whether a simulation has planted this fault.
#[cfg(not(feature = "simulated"))]
#[must_use]
pub const fn planted(_: &str) -> bool {
    false
}

/// Whether this is a place on a simulated disk. Whoever has a thread for it does without.
#[cfg(not(feature = "simulated"))]
#[must_use]
pub const fn is_simulated(_: &Path) -> bool {
    false
}
