//! The bytes of snapshots and of blocks of the log.

use crate::Coordinate;
use crate::coordinate::take;
use crate::feed::Given;
use crate::question::Question;
use crate::row::Row;
use crate::wire::Wire;
use crate::world::World;

/// The state of one worker after a tick, as it is saved.
#[derive(Clone, Debug)]
pub(crate) struct State<S: Coordinate, const D: usize> {
    /// The number of the logs that go on from here: those of another number of workers are others.
    pub(crate) generation: u64,
    /// The world in words.
    pub(crate) world: String,
    /// The first cell of each worker but the first one.
    pub(crate) starts: Vec<u32>,
    /// Its own objects.
    pub(crate) objects: Vec<Row<S, D>>,
    /// The questions that stand: worker 0 saves them for all.
    pub(crate) standing: Vec<(u32, Question<S, D>)>,
}

/// Bytes that this program did not write, or that are of another kind of world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the bytes are not those of such a world: {0}")]
pub struct Foreign(String);

impl<S: Coordinate, const D: usize> State<S, D> {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = kind::<S, D>().to_vec();
        bytes.extend(self.generation.to_le_bytes());
        bytes.extend((self.world.len() as u64).to_le_bytes());
        bytes.extend(self.world.as_bytes());
        bytes.extend((self.starts.len() as u64).to_le_bytes());
        self.starts.iter().for_each(|start| bytes.extend(start.to_le_bytes()));
        put_rows(&self.objects, &mut bytes);
        put_questions(&self.standing, bytes)
    }

    /// Reads what a worker of this world has saved.
    pub(crate) fn from_bytes(mut bytes: &[u8], here: &World<S, D>) -> Result<Self, Foreign> {
        let bytes = &mut bytes;
        check_kind::<S, D>(bytes)?;
        let [generation, length] = std::array::from_fn(|_| u64::from_le_bytes(take(bytes)));
        let (world, rest) = bytes.split_at(length as usize);
        *bytes = rest;
        let (world, here) = (String::from_utf8_lossy(world).into_owned(), here.in_words());
        if world != here {
            return Err(Foreign(format!("{world}; this one has {here}")));
        }
        let count = u64::from_le_bytes(take(bytes));
        let starts = (0..count).map(|_| u32::from_le_bytes(take(bytes))).collect();
        Ok(Self { generation, world, starts, objects: rows_of(bytes), standing: questions_of(bytes)? })
    }
}

impl<S: Coordinate, const D: usize> Given<S, D> {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = kind::<S, D>().to_vec();
        put_rows(&self.rows, &mut bytes);
        put_questions(&self.questions, bytes)
    }

    pub(crate) fn from_bytes(mut bytes: &[u8]) -> Result<Self, Foreign> {
        let bytes = &mut bytes;
        check_kind::<S, D>(bytes)?;
        Ok(Self { rows: rows_of(bytes), questions: questions_of(bytes)? })
    }
}

/// The kind of coordinates and their number come first. The rest is under a checksum, so it is as it was written.
fn kind<S: Coordinate, const D: usize>() -> [u8; 2] {
    [S::BYTES as u8, D as u8]
}

fn check_kind<S: Coordinate, const D: usize>(bytes: &mut &[u8]) -> Result<(), Foreign> {
    let found: [u8; 2] = bytes.get(..2).and_then(|head| head.try_into().ok()).unwrap_or_default();
    if found != kind::<S, D>() {
        let [width, dimensions] = found.map(u32::from);
        return Err(Foreign(format!("{dimensions} coordinates of {} bits, not {D} of {}", width * 8, S::BYTES * 8)));
    }
    *bytes = &bytes[2..];
    Ok(())
}

fn put_rows<S: Coordinate, const D: usize>(rows: &[Row<S, D>], bytes: &mut Vec<u8>) {
    bytes.extend((rows.len() as u64).to_le_bytes());
    for row in rows {
        row.write(bytes).expect("a list takes all bytes");
    }
}

fn rows_of<S: Coordinate, const D: usize>(bytes: &mut &[u8]) -> Vec<Row<S, D>> {
    let count = u64::from_le_bytes(take(bytes));
    (0..count).map(|_| Row::read(bytes)).collect()
}

fn put_questions<S: Coordinate, const D: usize>(questions: &[(u32, Question<S, D>)], bytes: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(questions, bytes).expect("a list takes all bytes")
}

fn questions_of<S: Coordinate, const D: usize>(bytes: &[u8]) -> Result<Vec<(u32, Question<S, D>)>, Foreign> {
    postcard::from_bytes(bytes).map_err(|error| Foreign(error.to_string()))
}

/// The part of what old workers gave in a tick that falls to one of another number of workers.
pub(super) fn share<S: Coordinate, const D: usize>(
    given: &[Given<S, D>],
    worker_of: impl Fn(&Row<S, D>) -> usize,
    worker: usize,
) -> Given<S, D> {
    let rows = given.iter().flat_map(|given| &given.rows).filter(|row| worker_of(row) == worker).copied().collect();
    // Questions come from anywhere.
    let questions =
        if worker == 0 { given.iter().flat_map(|given| given.questions.clone()).collect() } else { Vec::new() };
    Given { rows, questions }
}
