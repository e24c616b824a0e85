//! All that this crate asks of a file system, in one place. With the feature `simulated`, paths below a simulated disk go there.

#[cfg(feature = "simulated")]
mod simulated;

use std::ffi::OsString;
use std::io;
use std::path::Path;

#[cfg(feature = "simulated")]
pub(crate) use simulated::let_go;
#[cfg(feature = "simulated")]
pub use simulated::{
    File, OpenOptions, Simulated, create_dir_all, hard_link, is_simulated, names, plant, planted, read, remove_dir_all,
    remove_file, rename, roll, sync_dir,
};
#[cfg(not(feature = "simulated"))]
pub use std::fs::{File, OpenOptions, create_dir_all, hard_link, read, remove_dir_all, remove_file, rename};

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

/// Gives the memory of synced bytes back to the system, which writes the next ones there. Memory that it has not used for long
/// costs several times as much to write to.
#[cfg(not(feature = "simulated"))]
pub(crate) fn let_go(file: &File, from: u64, until: u64) {
    real_let_go(file, from, until);
}

#[cfg(target_os = "linux")]
pub(crate) fn real_let_go(file: &std::fs::File, from: u64, until: u64) {
    use rustix::fs::{Advice, fadvise};
    // Only whole pages go, and a large one may have begun before.
    let from = from.saturating_sub(4 << 20);
    // Whoever does not take the advice does no harm.
    let _ = fadvise(file, from, std::num::NonZeroU64::new(until - from), Advice::DontNeed);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn real_let_go(_: &std::fs::File, _: u64, _: u64) {}

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
