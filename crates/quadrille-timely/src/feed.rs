//! The rows and questions that a worker's program gives in a tick. Each row is checked before anything has changed.

use std::rc::Rc;

use quadrille::Rect;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::InputHandle;

use crate::Coordinate;
use crate::check::FeedError;
use crate::kept::state::{Given, Notes};
use crate::partition::Partition;
use crate::question::{Asked, Question};
use crate::row::{Packed, Role, Row, Sent};
use crate::source::Source;
use crate::wire::Rows;
use crate::world::World;

/// Takes the rows of one tick at one worker.
pub struct Feed<'a, S: Coordinate, const D: usize> {
    pub(crate) tick: u64,
    pub(crate) worker: usize,
    pub(crate) workers: usize,
    pub(crate) world: &'a World<S, D>,
    pub(crate) partition: &'a Rc<Partition<S, D>>,
    pub(crate) source: &'a mut Source<S, D>,
    pub(crate) out: &'a mut Outbox<S, D>,
}

/// Rows on their way into the dataflow.
pub(crate) type Input<T> = InputHandle<u64, CapacityContainerBuilder<Rows<T>>>;
type Listed<T> = InputHandle<u64, CapacityContainerBuilder<Vec<T>>>;

/// Where rows go.
pub(crate) struct Outbox<S: Coordinate, const D: usize> {
    me: u16,
    /// To this worker: they need not travel.
    pub(crate) own: Packed,
    /// To the other workers of the objects.
    pub(crate) rows: Input<Row<S, D>>,
    /// To the directory.
    pub(crate) raw: Input<Sent<S, D>>,
    pub(crate) questions: Input<Asked<S, D>>,
    /// Carries no rows: it says that a tick was fed.
    pub(crate) ticks: Listed<()>,
    /// All that the program gave in this tick, for the log, if it is logged.
    pub(crate) notes: Option<Notes<S, D>>,
    workers: Vec<u16>,
}

impl<S: Coordinate, const D: usize> Outbox<S, D> {
    pub(crate) fn new(me: u16) -> Self {
        Self {
            me,
            own: Packed::default(),
            rows: Input::new(),
            raw: Input::new(),
            questions: Input::new(),
            ticks: Listed::new(),
            notes: None,
            workers: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn send(&mut self, row: Row<S, D>) {
        if row.to == self.me {
            self.own.push(&row);
        } else {
            self.rows.send(row);
        }
    }

    /// Closes all ticks before this one.
    pub(crate) fn advance_to(&mut self, tick: u64) {
        self.rows.advance_to(tick);
        self.raw.advance_to(tick);
        self.questions.advance_to(tick);
        self.ticks.advance_to(tick);
    }
}

impl<S: Coordinate, const D: usize> Feed<'_, S, D> {
    /// The open tick.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// This worker's number, below [`workers`](Self::workers).
    #[must_use]
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// The number of workers.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// The partition of the open tick.
    #[must_use]
    pub fn partition(&self) -> &Partition<S, D> {
        self.partition
    }

    /// Refuses a row with a tick of its own unless that is the open one: for sources that stamp their rows.
    ///
    /// # Errors
    /// [`FeedError::Late`] or [`FeedError::Early`].
    pub fn check_tick(&self, tick: u64) -> Result<(), FeedError> {
        match tick.cmp(&self.tick) {
            std::cmp::Ordering::Less => Err(FeedError::Late { tick, open: self.tick }),
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => Err(FeedError::Early { tick, open: self.tick }),
        }
    }

    /// Says where an object is from this tick on: it is inserted, moved, or put into another layer. The last row of a tick
    /// counts. An object of a local layer is put once, by any worker, and then steps by itself. Its id must be unique: nothing
    /// notices that a fed object, or another one that steps, has it too.
    ///
    /// # Errors
    /// [`FeedError::NoLayer`], [`NotFinite`](FeedError::NotFinite), [`NotAPoint`](FeedError::NotAPoint), and
    /// [`OtherReader`](FeedError::OtherReader) in a world without a directory.
    #[inline]
    pub fn put(&mut self, layer: u8, id: u64, shape: Rect<S, D>) -> Result<(), FeedError> {
        if self.world.check_row(layer, id, &shape)?.local {
            self.source.spawn(self.partition, layer, id, shape, |row| self.out.send(row));
        } else {
            self.give(Row { to: 0, role: Role::Own, layer, id, shape })?;
        }
        self.note(Row { to: 0, role: Role::Own, layer, id, shape });
        Ok(())
    }

    /// [`put`](Self::put) for a point.
    ///
    /// # Errors
    /// Those of `put`.
    #[inline]
    pub fn put_point(&mut self, layer: u8, id: u64, at: [S; D]) -> Result<(), FeedError> {
        self.put(layer, id, Rect::from_point(at))
    }

    /// Takes a fed object out.
    ///
    /// # Errors
    /// [`FeedError::OtherReader`], and [`FeedError::Unknown`] if this worker has not fed it. With a directory an unknown
    /// object is passed over.
    pub fn remove(&mut self, id: u64) -> Result<(), FeedError> {
        let row = Row { to: 0, role: Role::Gone, layer: 0, id, shape: Rect::from_point([S::default(); D]) };
        if !self.world.directory && self.reader(id)? == self.worker && !self.source.remembers(id) {
            return Err(FeedError::Unknown { id });
        }
        self.give(row)?;
        self.note(row);
        Ok(())
    }

    /// The worker that feeds an object.
    #[inline]
    fn reader(&self, id: u64) -> Result<usize, FeedError> {
        let (reader, workers) = (self.world.reader_of(id, self.workers), self.workers);
        if reader < workers { Ok(reader) } else { Err(FeedError::NoWorker { id, reader, workers }) }
    }

    /// Gives a row to the source of its object.
    #[inline]
    fn give(&mut self, row: Row<S, D>) -> Result<(), FeedError> {
        let reader = self.reader(row.id)?;
        if self.world.directory {
            self.out.raw.send(Sent { from: self.worker as u16, row: Row { to: reader as u16, ..row } });
        } else if reader == self.worker {
            self.source.apply(self.partition, row, |row| self.out.send(row));
        } else {
            return Err(FeedError::OtherReader { id: row.id, reader, worker: self.worker });
        }
        Ok(())
    }

    /// Gives once more what was given before.
    pub(crate) fn repeat(&mut self, given: Given<S, D>) -> Result<(), FeedError> {
        for row in given.rows {
            match row.role {
                Role::Gone => self.remove(row.id)?,
                _ => self.put(row.layer, row.id, row.shape)?,
            }
        }
        for (number, question) in given.questions {
            self.ask(number, question)?;
        }
        Ok(())
    }

    #[inline]
    fn note(&mut self, row: Row<S, D>) {
        if let Some(notes) = &mut self.out.notes {
            notes.row(&row);
        }
    }

    /// Asks a question in this tick, under a number of the caller's choice. All answers to one number should come from one
    /// question: the answers to two workers that ask under the same number in one tick are mixed. Of several standing
    /// questions, the last one of the worker with the highest number counts.
    ///
    /// # Errors
    /// [`FeedError::BeyondReach`] for pairs farther apart than the world's reach, [`FeedError::NotANumber`],
    /// [`FeedError::NoLayers`].
    pub fn ask(&mut self, number: u32, question: Question<S, D>) -> Result<(), FeedError> {
        let place = self.world.check_question(number, &question)?;
        if let Some(notes) = &mut self.out.notes {
            notes.questions.push((number, question.clone()));
        }
        let mut workers = std::mem::take(&mut self.out.workers);
        workers.clear();
        match (&question, place) {
            (Question::Nearest { at, .. }, _) => workers.push(self.partition.owner(at.min())),
            // Each worker knows all standing questions, for it may get other cells one day.
            (_, Some(place)) if !question.is_standing() => self.partition.meeting(&place, &mut workers),
            _ => workers.extend(0..self.workers as u16),
        }
        let from = self.worker as u16;
        if let Some((&last, others)) = workers.split_last() {
            for &to in others {
                self.out.questions.send(Asked { to, from, number, question: question.clone(), second: None });
            }
            self.out.questions.send(Asked { to: last, from, number, question, second: None });
        }
        self.out.workers = workers;
        Ok(())
    }
}
