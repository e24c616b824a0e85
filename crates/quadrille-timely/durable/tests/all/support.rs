//! Blocks to be written, files to be damaged, and this program as a process of its own.

use quadrille_durable::{FileLog, FileLogOptions, Log, LogError};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The bytes of a tick: of many lengths, none among them, and like those of no other tick.
pub(crate) fn block(tick: u64) -> Vec<u8> {
    let mut state = tick.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let len = next() % 300 * (next() % 3);
    (0..len).map(|_| next().to_le_bytes()[0]).collect()
}

/// Ticks and their blocks.
pub(crate) fn blocks(ticks: impl IntoIterator<Item = u64>) -> Vec<(u64, Vec<u8>)> {
    ticks.into_iter().map(|tick| (tick, block(tick))).collect()
}

/// All that a log has after a tick.
pub(crate) fn read(log: &mut dyn Log, after: Option<u64>) -> Result<Vec<(u64, Vec<u8>)>, LogError> {
    log.read(after)?.collect()
}

/// Small segments and a small queue.
pub(crate) fn small() -> FileLogOptions {
    FileLogOptions { queue: 1000, segment: 1500 }
}

pub(crate) fn open(dir: &Path) -> Result<FileLog, LogError> {
    FileLog::open(dir, 3, &small())
}

/// A log of these ticks, each synced before the next one. Returns the length of the last segment after each.
pub(crate) fn filled(dir: &Path, ticks: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut log = open(dir).unwrap();
    let mut lens = Vec::new();
    for tick in ticks {
        log.append(tick, block(tick)).unwrap();
        log.flush().unwrap();
        assert_eq!(log.durable(), Some(tick));
        lens.push(fs::metadata(segments(dir).last().unwrap()).unwrap().len());
    }
    lens
}

/// The segments of worker 3, in order.
pub(crate) fn segments(dir: &Path) -> Vec<PathBuf> {
    let mut files = files(&dir.join("worker-00003"));
    files.retain(|file| file.extension().is_some_and(|kind| kind == "segment"));
    files
}

/// The files of a directory, in order.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files
}

/// Copies the files of one directory (of worker 3) into a new one.
pub(crate) fn copied(dir: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("worker-00003")).unwrap();
    for file in files(&dir.join("worker-00003")) {
        fs::copy(&file, copy.path().join("worker-00003").join(file.file_name().unwrap())).unwrap();
    }
    copy
}

/// This program as a process that runs one of the ignored tests.
pub(crate) fn program(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", test]);
    command
}

/// Where a process that [`program`] describes does its work.
pub(crate) const DIR: &str = "QUADRILLE_TEST_DIR";

pub(crate) fn dir() -> PathBuf {
    env::var_os(DIR).expect("another test starts this one").into()
}
