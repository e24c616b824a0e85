//! Blocks to be written, and this program as a process of its own.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::common::Dice;
use crate::kept::store::{Of, Store, StoreError};

/// One process with one worker.
pub(crate) const ALONE: Of = Of { process: 0, processes: 1, threads: 1 };

/// The bytes of a tick: of many lengths, none among them, and like those of no other tick.
pub(crate) fn block(tick: u64) -> Vec<u8> {
    let mut dice = Dice(tick);
    let len = dice.roll(300) * dice.roll(3);
    (0..len).map(|_| dice.roll(256) as u8).collect()
}

/// Tick, worker and bytes of each block of a log.
pub(crate) fn log(store: &Store, after: u64) -> Result<Vec<(u64, usize, Vec<u8>)>, StoreError> {
    let mut all = Vec::new();
    store.blocks(after, |tick, worker, bytes| all.push((tick, worker, bytes.to_vec())))?;
    Ok(all)
}

/// The file in a directory.
pub(crate) fn file(dir: &Path) -> PathBuf {
    dir.join("store.redb")
}

/// This program as a process that runs one of the ignored tests.
pub(crate) fn program(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", &format!("all::{test}")]);
    command
}

/// Where a process that [`program`] describes does its work.
pub(crate) const DIR: &str = "QUADRILLE_TEST_DIR";

pub(crate) fn dir() -> PathBuf {
    env::var_os(DIR).expect("another test starts this one").into()
}

/// The files of a directory, in order.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files
}
