//! The bytes of snapshots and of blocks of the log.

use super::planted;
use crate::Coordinate;
use crate::check::FeedError;
use crate::coordinate::take;
use crate::partition::Partition;
use crate::question::Question;
use crate::row::{IdSteps, Packed, Role, Row};
use crate::world::World;

/// The state of one worker after a tick, as it is saved.
#[derive(Clone, Debug)]
pub(crate) struct State<S: Coordinate, const D: usize> {
    /// The world in words.
    pub(crate) world: String,
    /// The first cell of each worker but the first one.
    pub(crate) starts: Vec<u32>,
    /// Its own objects.
    pub(crate) objects: Vec<Row<S, D>>,
    /// The standing questions: worker 0 saves them for all.
    pub(crate) standing: Vec<(u32, Question<S, D>)>,
}

/// Bytes that another program wrote, or another kind of world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the bytes are not those of such a world: {0}")]
pub struct Foreign(String);

impl From<FeedError> for Foreign {
    fn from(error: FeedError) -> Self {
        Self(error.to_string())
    }
}

impl<S: Coordinate, const D: usize> State<S, D> {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let Self { world, starts, objects, standing } = self;
        Self::write(world, starts, objects.iter().copied(), standing, 0)
    }

    /// The bytes of a state whose objects need not be in a list; about `length`.
    pub(crate) fn write(
        world: &str,
        starts: &[u32],
        objects: impl Iterator<Item = Row<S, D>>,
        standing: &[(u32, Question<S, D>)],
        length: usize,
    ) -> Vec<u8> {
        let mut head = kind::<S, D>().to_vec();
        head.extend((world.len() as u64).to_le_bytes());
        head.extend(world.as_bytes());
        head.extend((starts.len() as u64).to_le_bytes());
        head.extend(starts.iter().flat_map(|start| start.to_le_bytes()));
        let mut rows = Packed::behind(&head, vec![0; length]);
        objects.for_each(|row| rows.push(&row));
        put_questions(standing, rows.into_bytes())
    }

    /// Reads the state that a worker of this world has saved, when there were `workers`. A worker can begin with it.
    #[cfg(test)]
    pub(crate) fn from_bytes(bytes: &[u8], here: &World<S, D>, workers: usize) -> Result<Self, Foreign> {
        Self::read(bytes, here, workers, |_| |_: &Row<S, D>| true)
    }

    /// Reads such a state, and of its objects those that are wanted where these are the first cells of the workers. All are
    /// checked.
    pub(crate) fn read<W: Fn(&Row<S, D>) -> bool>(
        mut bytes: &[u8],
        here: &World<S, D>,
        workers: usize,
        wanted: impl FnOnce(&[u32]) -> W,
    ) -> Result<Self, Foreign> {
        let bytes = &mut bytes;
        check_kind::<S, D>(bytes)?;
        let length = number(bytes)?;
        let (world, rest) =
            usize::try_from(length).ok().and_then(|length| bytes.split_at_checked(length)).ok_or_else(too_short)?;
        *bytes = rest;
        let (world, words) = (String::from_utf8_lossy(world).into_owned(), here.in_words());
        if world != words {
            return Err(Foreign(format!("{world}; this one has {words}")));
        }
        let starts = starts_of::<S, D>(bytes, workers)?;
        let objects = rows_of(bytes, here, &[Role::Own], wanted(&starts))?;
        let standing = questions_of(bytes, here)?;
        if let Some((number, _)) = standing.iter().find(|(_, question)| !question.is_standing()) {
            return Err(Foreign(format!("question {number} is not a standing one")));
        }
        Ok(Self { world, starts, objects, standing })
    }
}

/// The input of a program in a tick, as the block of a log that it becomes.
#[derive(Debug)]
pub(crate) struct Notes<S: Coordinate, const D: usize> {
    rows: Packed,
    pub(crate) questions: Vec<(u32, Question<S, D>)>,
}

impl<S: Coordinate, const D: usize> Notes<S, D> {
    /// Without input yet, in the memory of an older block.
    pub(crate) fn in_memory(of: Vec<u8>) -> Self {
        Self { rows: Packed::behind(&kind::<S, D>(), of), questions: Vec::new() }
    }

    #[inline]
    pub(crate) fn row(&mut self, row: &Row<S, D>) {
        self.rows.push(row);
    }

    /// The block.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        put_questions(&self.questions, self.rows.into_bytes())
    }
}

/// All that a program gave in a tick: it is given once more after a recovery.
#[derive(Clone, Debug)]
pub(crate) struct Given<S: Coordinate, const D: usize> {
    pub(crate) rows: Vec<Row<S, D>>,
    pub(crate) questions: Vec<(u32, Question<S, D>)>,
}

impl<S: Coordinate, const D: usize> Given<S, D> {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut notes = Notes::in_memory(Vec::new());
        self.rows.iter().for_each(|row| notes.row(row));
        notes.questions.clone_from(&self.questions);
        notes.into_bytes()
    }

    pub(crate) fn from_bytes(mut bytes: &[u8], here: &World<S, D>) -> Result<Self, Foreign> {
        let bytes = &mut bytes;
        check_kind::<S, D>(bytes)?;
        Ok(Self {
            rows: rows_of(bytes, here, &[Role::Own, Role::Gone], |_| true)?,
            questions: questions_of(bytes, here)?,
        })
    }
}

/// The form of what is kept: in form 0, ids had eight bytes each; in form 1, states had a number of their logs.
const FORM: u8 = 2;

/// The form, the kind of coordinates and their number come first. A checksum shows that the bytes are as they were written, but
/// another program may have written them, or an earlier version.
fn kind<S: Coordinate, const D: usize>() -> [u8; 2] {
    [FORM << 4 | S::BYTES as u8, D as u8]
}

fn check_kind<S: Coordinate, const D: usize>(bytes: &mut &[u8]) -> Result<(), Foreign> {
    let found: [u8; 2] = bytes.get(..2).and_then(|head| head.try_into().ok()).unwrap_or_default();
    if found != kind::<S, D>() {
        if found[0] >> 4 != FORM {
            return Err(Foreign(format!("another version has written them, in form {}, not {FORM}", found[0] >> 4)));
        }
        let [width, dimensions] = [found[0] & 0xF, found[1]].map(u32::from);
        return Err(Foreign(format!("{dimensions} coordinates of {} bits, not {D} of {}", width * 8, S::BYTES * 8)));
    }
    *bytes = &bytes[2..];
    Ok(())
}

fn too_short() -> Foreign {
    Foreign("they end too early".into())
}

fn number(bytes: &mut &[u8]) -> Result<u64, Foreign> {
    take(bytes).map(u64::from_le_bytes).ok_or_else(too_short)
}

/// The first cell of each worker but the first one.
fn starts_of<S: Coordinate, const D: usize>(bytes: &mut &[u8], workers: usize) -> Result<Vec<u32>, Foreign> {
    let count = number(bytes)?;
    if count.checked_add(1) != Some(workers as u64) {
        return Err(Foreign(format!("a partition with {count} borders, for {workers} workers")));
    }
    let starts: Option<Vec<u32>> = (0..count).map(|_| take(bytes).map(u32::from_le_bytes)).collect();
    let starts = starts.ok_or_else(too_short)?;
    let cells = Partition::<S, D>::CELLS;
    if !starts.is_sorted() || starts.last().is_some_and(|last| cells < *last as usize) {
        return Err(Foreign(format!("a partition whose borders do not ascend, or lie beyond {cells} cells")));
    }
    Ok(starts)
}

fn rows_of<S: Coordinate, const D: usize>(
    bytes: &mut &[u8],
    here: &World<S, D>,
    roles: &[Role],
    wanted: impl Fn(&Row<S, D>) -> bool,
) -> Result<Vec<Row<S, D>>, Foreign> {
    let (count, mut ids) = (number(bytes)?, IdSteps::default());
    let row = |at| {
        let row = ids.read(bytes).ok_or_else(|| Foreign(format!("row {at} of {count} cannot be read")))?;
        if !roles.contains(&row.role) {
            return Err(Foreign(format!("object {} has the role {:?}", row.id, row.role)));
        }
        if row.role != Role::Gone {
            here.check_row(row.layer, row.id, &row.shape)?;
        }
        Ok(row)
    };
    (0..count).map(row).filter(|row| row.as_ref().map_or(true, &wanted)).collect()
}

fn put_questions<S: Coordinate, const D: usize>(questions: &[(u32, Question<S, D>)], bytes: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(questions, bytes).expect("a list takes all bytes")
}

/// The questions, which come last.
fn questions_of<S: Coordinate, const D: usize>(
    bytes: &[u8],
    here: &World<S, D>,
) -> Result<Vec<(u32, Question<S, D>)>, Foreign> {
    let (questions, rest): (Vec<(u32, Question<S, D>)>, _) =
        postcard::take_from_bytes(bytes).map_err(|error| Foreign(error.to_string()))?;
    if !rest.is_empty() {
        return Err(Foreign(format!("{} bytes follow their end", rest.len())));
    }
    for (number, question) in &questions {
        here.check_question(*number, question)?;
    }
    Ok(questions)
}

/// One worker's part of the input of a tick, after the number of workers has changed.
pub(crate) fn share<S: Coordinate, const D: usize>(
    given: &[Given<S, D>],
    worker_of: impl Fn(&Row<S, D>) -> usize,
    worker: usize,
) -> Given<S, D> {
    let rows = given
        .iter()
        .flat_map(|given| &given.rows)
        .filter(|row| worker_of(row) == worker && !(row.role == Role::Gone && planted("an object kept too long")))
        .copied()
        .collect();
    // Questions come from anywhere.
    let questions = if worker == 0 || planted("questions that every worker repeats") {
        given.iter().flat_map(|given| given.questions.clone()).collect()
    } else {
        Vec::new()
    };
    Given { rows, questions }
}

#[cfg(test)]
mod tests;
