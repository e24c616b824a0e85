//! The records that a worker writes of each tick, and their files.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use quadrille_timely::{Answer, Kind};
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use crate::day::Day;

/// The kinds of answers, as places in a list.
pub(crate) const KINDS: [Kind; 7] =
    [Kind::Found, Kind::Near, Kind::Pair, Kind::Entered, Kind::Left, Kind::Begun, Kind::Ended];

/// Some answers, without regard to their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sum {
    /// How many there are.
    pub(crate) count: u64,
    /// The checksums of all of them together.
    pub(crate) mix: u64,
}

impl Sum {
    fn add(&mut self, answer: &Answer) {
        let mut bytes = [0; 21];
        bytes[..4].copy_from_slice(&answer.question.to_le_bytes());
        bytes[4] = answer.kind as u8;
        bytes[5..13].copy_from_slice(&answer.a.to_le_bytes());
        bytes[13..].copy_from_slice(&answer.b.to_le_bytes());
        self.count += 1;
        self.mix = self.mix.wrapping_add(XxHash3_64::oneshot(&bytes));
    }

    /// The answers of both.
    pub(crate) fn with(self, other: Self) -> Self {
        Self { count: self.count + other.count, mix: self.mix.wrapping_add(other.mix) }
    }
}

/// An aircraft that has entered a state, or left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Crossing {
    pub(crate) flight: u32,
    pub(crate) state: u16,
    pub(crate) enters: bool,
}

/// Where the aircraft are that a worker has fed in a tick.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shares {
    /// Of each worker: how many it owns.
    pub(crate) own: Vec<u32>,
    /// Of each worker: how many it has as ghosts.
    pub(crate) ghosts: Vec<u32>,
    /// The partition.
    pub(crate) starts: Vec<u32>,
}

/// A checksum of a worker's answers in a tick.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) tick: u64,
    pub(crate) sum: Sum,
    /// How many answers of each kind there are, in the order of [`KINDS`].
    pub(crate) kinds: [u32; KINDS.len()],
    /// Aircraft that have crossed the border of a state.
    pub(crate) crossings: Vec<Crossing>,
    /// How many have entered a county, by its place in the table.
    pub(crate) entered: Vec<(u16, u32)>,
    /// Now and then, where this worker's aircraft are.
    pub(crate) shares: Option<Shares>,
}

impl Record {
    /// Sums up answers, which are sorted by question.
    pub(crate) fn of(day: &Day, tick: u64, answers: &[Answer], shares: Option<Shares>) -> Self {
        let mut record = Self { tick, shares, ..Self::default() };
        for answer in answers {
            record.sum.add(answer);
            record.kinds[answer.kind as usize] += 1;
            let Some(region) = day.region(answer.question) else { continue };
            let (enters, place) = (answer.kind == Kind::Entered, region as u16);
            if day.is_state(region) {
                record.crossings.push(Crossing { flight: answer.a as u32, state: place, enters });
            } else if enters {
                match record.entered.last_mut() {
                    Some((last, count)) if *last == place => *count += 1,
                    _ => record.entered.push((place, 1)),
                }
            }
        }
        record
    }
}

/// Who has written a record: one worker of one start of all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Author {
    pub(crate) attempt: usize,
    pub(crate) worker: usize,
}

/// Appends records to the file of one author.
pub(crate) struct RecordWriter(File);

impl RecordWriter {
    /// Makes the file.
    pub(crate) fn create(dir: &Path, author: Author) -> io::Result<Self> {
        File::create_new(dir.join(format!("{}-{}", author.attempt, author.worker))).map(Self)
    }

    /// Appends a record: its length, and then itself.
    pub(crate) fn write(&mut self, record: &Record) -> io::Result<()> {
        let mut bytes = postcard::to_extend(record, vec![0; 4]).map_err(io::Error::other)?;
        let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        self.0.write_all(&bytes)
    }
}

/// Reads the files of all authors of a directory, as they grow.
#[derive(Debug)]
pub(crate) struct RecordReader {
    dir: PathBuf,
    /// How far each file was read.
    read: BTreeMap<Author, u64>,
}

impl RecordReader {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), read: BTreeMap::new() }
    }

    /// The records that have come since.
    pub(crate) fn poll(&mut self) -> io::Result<Vec<(Author, Record)>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let Some(author) = author_of(&path) else { continue };
            let from = self.read.entry(author).or_default();
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(*from))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let (records, length) = whole_records(&bytes)?;
            *from += length as u64;
            all.extend(records.into_iter().map(|record| (author, record)));
        }
        Ok(all)
    }
}

fn author_of(path: &Path) -> Option<Author> {
    let (attempt, worker) = path.file_name()?.to_str()?.split_once('-')?;
    Some(Author { attempt: attempt.parse().ok()?, worker: worker.parse().ok()? })
}

/// The records at the front, and how many bytes they take. One that is cut short is being written, or its author was killed.
fn whole_records(bytes: &[u8]) -> io::Result<(Vec<Record>, usize)> {
    let (mut records, mut rest) = (Vec::new(), bytes);
    while let Some((head, tail)) = rest.split_first_chunk() {
        let Some((record, after)) = tail.split_at_checked(u32::from_le_bytes(*head) as usize) else { break };
        records.push(postcard::from_bytes(record).map_err(io::Error::other)?);
        rest = after;
    }
    Ok((records, bytes.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(question: u32, kind: Kind, a: u64) -> Answer {
        Answer { question, kind, a, b: 0 }
    }

    #[test]
    fn sums_know_no_order_and_see_each_change() {
        let sum = |answers: &[Answer]| {
            answers.iter().fold(Sum::default(), |mut sum, answer| {
                sum.add(answer);
                sum
            })
        };
        let [one, two] = [answer(1, Kind::Entered, 7), answer(2, Kind::Left, 7)];
        assert_eq!(sum(&[one, two]), sum(&[two, one]));
        assert_eq!(sum(&[one]).with(sum(&[two])), sum(&[one, two]));
        assert_ne!(sum(&[one, one]), sum(&[one]));
        for other in [answer(3, Kind::Left, 7), answer(2, Kind::Entered, 7), answer(2, Kind::Left, 8)] {
            assert_ne!(sum(&[one, other]), sum(&[one, two]));
        }
    }

    #[test]
    fn a_record_that_is_cut_short_is_read_when_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let author = Author { attempt: 2, worker: 11 };
        let mut writer = RecordWriter::create(dir.path(), author).unwrap();
        let records = [1, 2].map(|tick| Record { tick, entered: vec![(300, 70_000)], ..Record::default() });
        for record in &records {
            writer.write(record).unwrap();
        }
        let path = dir.path().join("2-11");
        let whole = fs::read(&path).unwrap();
        let mut reader = RecordReader::new(dir.path());
        for (length, seen) in [(whole.len() - 1, &records[..1]), (whole.len() - 1, &[]), (whole.len(), &records[1..])] {
            fs::write(&path, &whole[..length]).unwrap();
            let expected: Vec<_> = seen.iter().map(|record| (author, record.clone())).collect();
            assert_eq!(reader.poll().unwrap(), expected);
        }
    }
}
