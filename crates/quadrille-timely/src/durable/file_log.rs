//! A log in files.

use super::log::{Blocks, Log, LogError, Origin, Torn};
use std::path::PathBuf;

/// How a [`FileLog`] behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLogOptions {
    /// How many bytes may be under way to the disk before [`append`](Log::append) waits; 64 MiB.
    pub queue: usize,
    /// A segment longer than this is followed by another one; 256 MiB.
    pub segment: u64,
}

impl Default for FileLogOptions {
    fn default() -> Self {
        FileLogOptions { queue: 64 << 20, segment: 256 << 20 }
    }
}

/// A log in the files of a directory.
#[derive(Debug)]
pub struct FileLog {}

impl FileLog {
    /// Opens the log of `worker` below `dir`, or makes it; cuts off a torn end.
    ///
    /// # Errors
    ///
    /// See [`LogError`].
    pub fn open(dir: impl Into<PathBuf>, worker: usize, options: FileLogOptions) -> Result<Self, LogError> {
        let _ = (dir.into(), worker, options);
        todo!()
    }
}

impl Log for FileLog {
    fn worker(&self) -> usize {
        todo!()
    }
    fn origin(&self) -> Origin {
        todo!()
    }
    fn torn(&self) -> Option<&Torn> {
        todo!()
    }
    fn first(&self) -> Option<u64> {
        todo!()
    }
    fn last(&self) -> Option<u64> {
        todo!()
    }
    fn removed(&self) -> Option<u64> {
        todo!()
    }
    fn durable(&self) -> Option<u64> {
        todo!()
    }
    fn append(&mut self, _: u64, _: Vec<u8>) -> Result<(), LogError> {
        todo!()
    }
    fn flush(&mut self) -> Result<(), LogError> {
        todo!()
    }
    fn read(&mut self, _: Option<u64>) -> Result<Blocks, LogError> {
        todo!()
    }
    fn truncate_before(&mut self, _: u64) -> Result<(), LogError> {
        todo!()
    }
    fn cut_after(&mut self, _: Option<u64>) -> Result<(), LogError> {
        todo!()
    }
}
