//! One file of a log: a header, then records. Reads and checks; it does not write records.

use crate::checked::{sealed, unlike_any_other, unsealed};
use crate::disk::{self, File, planted};
use crate::log::{LogError, Torn};
use crate::record::{HEADER, Record, number, tick};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: u64 = u64::from_le_bytes(*b"quadlog\0");
const VERSION: u64 = 1;

/// The length of the header of a file.
const LEN: usize = 8 * 8;
/// Where the first record begins.
pub(crate) const START: u64 = LEN as u64;

/// The header of a file, and its name.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) path: PathBuf,
    pub(crate) worker: usize,
    /// Counts the segments of a log.
    pub(crate) number: u64,
    /// The tick of the block before its first one, maybe no longer kept.
    pub(crate) before: Option<u64>,
    salt: u64,
    /// The salt of the segment before it.
    follows: u64,
}

/// The record at a place.
pub(crate) enum Step {
    Block(u64, Vec<u8>),
    /// Nothing readable, up to the end of the file at least; the tick is that of a header that can be read.
    Bad(Option<u64>),
    End,
}

/// A file being read.
pub(crate) struct Reader {
    pub(crate) segment: Segment,
    file: BufReader<File>,
    len: u64,
    /// The place of the next record.
    pub(crate) at: u64,
    /// The tick of the newest block read.
    pub(crate) last: Option<u64>,
    /// The newest record read is a mark.
    pub(crate) marked: bool,
}

impl Segment {
    /// Makes the first file of a log, without records.
    pub(crate) fn first(dir: &Path, worker: usize) -> Result<Self, LogError> {
        Segment::create(dir, worker, 0, None, 0)
    }

    /// Makes the file that follows, when this one ends with the block `last`.
    pub(crate) fn next(&self, dir: &Path, last: Option<u64>) -> Result<Self, LogError> {
        Segment::create(dir, self.worker, self.number + 1, last, self.salt)
    }

    /// The file is there in whole or not at all.
    fn create(dir: &Path, worker: usize, number: u64, before: Option<u64>, follows: u64) -> Result<Self, LogError> {
        let path = dir.join(format!("{number:012}.segment"));
        let segment = Segment { path, worker, number, before, salt: unlike_any_other(), follows };
        let aside = segment.path.with_extension("new");
        let written = File::create(&aside).and_then(|mut file| {
            file.write_all(&segment.encode())?;
            if planted("a header that is not synced") { Ok(()) } else { file.sync_all() }
        });
        written.map_err(LogError::io("write", &aside))?;
        disk::rename(&aside, &segment.path).map_err(LogError::io("rename", &aside))?;
        if !planted("a segment whose name is not synced") {
            disk::sync_dir(dir).map_err(LogError::io("sync", dir))?;
        }
        Ok(segment)
    }

    /// Reads the header of a file.
    pub(crate) fn open(path: &Path, worker: usize) -> Result<Self, LogError> {
        let mut header = [0; LEN];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
        let foreign = || LogError::Foreign { place: path.display().to_string(), worker };
        match read {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(foreign()),
            read => read.map_err(LogError::io("read", path))?,
        }
        let Some([MAGIC, VERSION, of, number, before, salt, follows]) = unsealed(MAGIC, &header) else {
            return Err(foreign());
        };
        let before = tick(before);
        let segment = Segment { path: path.to_owned(), worker, number, before, salt, follows };
        // A file under the name of another one is out of its place.
        if of == worker as u64 && named(path) == Some(number) { Ok(segment) } else { Err(foreign()) }
    }

    /// Checks that this one begins where `old` ends.
    pub(crate) fn stands_behind(&self, old: &Segment) -> Result<(), LogError> {
        if self.number != old.number + 1 {
            return Err(LogError::Missing { place: self.place(), after: old.before, until: number(self.before) });
        }
        let known = self.follows == old.salt;
        if known { Ok(()) } else { Err(LogError::Foreign { place: self.place(), worker: self.worker }) }
    }

    fn encode(&self) -> Vec<u8> {
        sealed(MAGIC, [MAGIC, VERSION, self.worker as u64, self.number, number(self.before), self.salt, self.follows])
    }

    /// The seed of the checksum of a record.
    pub(crate) fn seed(&self, at: u64) -> u64 {
        self.salt.wrapping_add(at)
    }

    pub(crate) fn place(&self) -> String {
        self.path.display().to_string()
    }

    /// Reads the records from the first one on, as many as there are now.
    pub(crate) fn reader(&self) -> Result<Reader, LogError> {
        let open = || {
            let mut file = File::open(&self.path)?;
            let len = file.seek(SeekFrom::End(0))?;
            file.seek(SeekFrom::Start(START))?;
            Ok((BufReader::with_capacity(1 << 16, file), len))
        };
        let (file, len) = open().map_err(LogError::io("read", &self.path))?;
        Ok(Reader { segment: self.clone(), file, len, at: START, last: self.before, marked: false })
    }

    /// Whether a record behind `at` says that this place had been synced before it was written.
    pub(crate) fn was_synced(&self, at: u64) -> Result<bool, LogError> {
        let rest = || {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(at))?;
            let mut rest = Vec::new();
            file.read_to_end(&mut rest)?;
            Ok(rest)
        };
        let rest = rest().map_err(LogError::io("read", &self.path))?;
        let says = |&place: &usize| {
            let record = Record::decode(self.seed(at + place as u64), &rest[place..]);
            record.is_some_and(|record| record.synced > at)
        };
        Ok(Record::may_begin(&rest).any(|place| says(&place)))
    }
}

/// The number in the name of a segment.
pub(crate) fn named(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_suffix(".segment")?.parse().ok()
}

impl Reader {
    /// The next block, passing over marks.
    pub(crate) fn step(&mut self) -> Result<Step, LogError> {
        loop {
            let Some(record) = self.record()? else {
                return Ok(if self.at == self.len { Step::End } else { Step::Bad(None) });
            };
            let end = (self.at + HEADER as u64).saturating_add(record.len);
            if end > self.len {
                return Ok(Step::Bad(record.tick));
            }
            let mut bytes = vec![0; usize::try_from(record.len).unwrap_or(usize::MAX)];
            self.file.read_exact(&mut bytes).map_err(LogError::io("read", &self.segment.path))?;
            if !record.owns(&bytes) {
                return Ok(Step::Bad(record.tick));
            }
            self.follows(&record)?;
            self.at = end;
            self.marked = !record.block;
            if let (true, Some(tick)) = (record.block, record.tick) {
                self.last = Some(tick);
                return Ok(Step::Block(tick, bytes));
            }
        }
    }

    /// The header of the next record, if there is one to be read.
    fn record(&mut self) -> Result<Option<Record>, LogError> {
        let mut header = [0; HEADER];
        if self.len.saturating_sub(self.at) < HEADER as u64 {
            return Ok(None);
        }
        self.file.read_exact(&mut header).map_err(LogError::io("read", &self.segment.path))?;
        Ok(Record::decode(self.segment.seed(self.at), &header))
    }

    /// Checks that the record names the block that was read before it.
    fn follows(&self, record: &Record) -> Result<(), LogError> {
        if record.before == self.last {
            return Ok(());
        }
        Err(LogError::Missing { place: self.segment.place(), after: self.last, until: number(record.before) })
    }

    /// The error of a place that cannot be read and had been synced.
    pub(crate) fn damaged(&self) -> LogError {
        LogError::Damaged { place: self.segment.place(), at: self.at, after: self.last }
    }

    /// Describes the rest of the file, which cannot be read and had not been synced.
    pub(crate) fn torn(&self, tick: Option<u64>) -> Torn {
        Torn { place: self.segment.place(), bytes: self.len - self.at, after: self.last, tick }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::OpenOptions;

    #[test]
    fn a_record_that_names_another_one_before_it_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let segment = Segment::first(dir.path(), 3).unwrap();
        let mut file = OpenOptions::new().append(true).open(&segment.path).unwrap();
        let blocks = [(5, None), (6, Some(5)), (8, Some(7))];
        for (at, (tick, before)) in blocks.into_iter().enumerate() {
            let place = START + (at * (HEADER + 2)) as u64;
            file.write_all(&Record::block(tick, before, START, b"ab").encode(segment.seed(place))).unwrap();
            file.write_all(b"ab").unwrap();
        }
        let mut reader = segment.reader().unwrap();
        for tick in [5, 6] {
            assert!(matches!(reader.step(), Ok(Step::Block(found, bytes)) if found == tick && bytes == b"ab"));
        }
        assert!(matches!(reader.step(), Err(LogError::Missing { after: Some(6), until: 7, .. })));
    }
}
