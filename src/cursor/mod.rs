//! Cursors: queries that outlive their borrow of the index.
//!
//! A cursor knows how far its layer is done in *world order*, the falling Morton order of anchors, in which the walk
//! comes to blocks. The place of an object in it depends on its shape alone, so it does not matter what becomes of
//! the tree. Own lists come after their node's cells; their entries that the walk has passed in world order are *owed*,
//! as is the rest of the chain at hand: a cursor keeps their handles.
//!
//! `halt` says what a paused query keeps; `resumed` is the iterator that goes on. The region is the user's and may panic
//! when it is asked: nothing is forgotten before it has answered, nothing is noted as yielded before it is handed out.
//!
//! ```text
//!   own lists on the path:  ·  ·  o  ·  o  ·        ·  ·  ·        o: passed, owed
//!   world order:            ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓│░░░░░░░░░░░░░░     ▓: done
//!                                           passed                 ░: still to come, own lists too
//! ```
//!
//! Keeps invariants C1 to C6 of `docs/invariants.md`.

mod halt;
mod resumed;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

use crate::geometry::{Rect, Region, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet, Place};
use crate::query::{Advance, Budget, Predicate, Query, Question, Running, name_of};
use crate::space::{Era, Space};

pub use resumed::Resumed;

/// How many handles that are owed count as a visit: as many as a bucket holds.
const OWED_A_VISIT: usize = 64;

/// A cursor cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The cursor was made from another index, not a clone of this one.
    #[error("the cursor is of another index")]
    OtherIndex,
    /// [`set_world`](SpatialIndex::set_world) has stored everything anew since the query began.
    #[error("the world was set since the cursor's query began; ask again")]
    WorldSet,
    /// [`clear`](SpatialIndex::clear) has removed all objects since the query began.
    #[error("the index was cleared since the cursor's query began; ask again")]
    Cleared,
}

/// The effect of one call of [`Cursor::run`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "it says whether the cursor is done"]
#[non_exhaustive]
pub struct CursorRun {
    /// Nodes and buckets visited, those included that had to be looked through to stop.
    pub visited: usize,
    /// Objects yielded.
    pub yielded: usize,
    /// Whether nothing more is to come.
    pub done: bool,
}

/// A paused query: where it stands, as plain data. It borrows nothing of the index, which may change meanwhile.
///
/// Made by [`Query::pause`](crate::Query::pause) and [`Resumed::pause`]. It goes on with [`SpatialIndex::resume`], which gives an iterator;
/// or step by step with [`next`](Self::next); or by slices of bounded cost with [`run`](Self::run). A clone is another
/// cursor at the same place.
///
/// # Which objects are yielded
///
/// Between the beginning of the query and its end the index may change in any way.
///
/// - An object that matches all the while, and is neither moved, removed nor inserted, nor put into another layer, is
///   yielded **exactly once**, whatever happens to all others and to the tree.
/// - A removed object is not yielded after its removal.
/// - An object that is moved or inserted meanwhile may be yielded or not; a moved one possibly again at its new place.
///   With [`distinct`](Self::distinct) none comes twice.
/// - Whatever is yielded matches when it is yielded, and is in a layer asked for.
/// - `near` depends on how the tree is divided: an object is sure to come if it is near all the while. So it is if it
///   intersects the region, or if the region is everything, as in `iter`.
/// - After [`set_world`](SpatialIndex::set_world), [`clear`](SpatialIndex::clear), or on another index, going on is an
///   error. ([`clear_in`](SpatialIndex::clear_in) and [`remove_layer`](SpatialIndex::remove_layer) just remove objects.)
///   A clone of the index counts as the same index.
///
/// Objects come in no order. A cursor never panics, and ends only when nothing is left. It keeps its region by value; the
/// points of a [`ConvexPolygon`](crate::ConvexPolygon) are borrowed all the same, as is all that a region borrows.
///
/// # Cost
///
/// A running query pays nothing for it. To stop takes a look through the own lists on the path to where the query
/// stands, and through the rest of a chain of buckets, if more than 64 objects share what cannot be divided; to go on, a
/// path down the tree. A cursor keeps 8 bytes for each match found there.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// for x in 0..100_u8 {
///     index.insert(units, [f32::from(x), 50.0], x)?;
/// }
/// let mut query = index.iter();
/// let first = query.next().unwrap().handle();
/// let cursor = query.pause(); // the index is not borrowed any more
/// index.remove(first);
/// index.optimize();
/// assert_eq!(index.resume(cursor)?.count(), 99);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a cursor does nothing until it goes on"]
pub struct Cursor<P, S = f32, const D: usize = 2, R = Rect<S, D>> {
    era: Era,
    question: Question<P, R, S, D>,
    /// Layers that are still to be begun.
    layers: LayerSet,
    /// The layer at hand.
    stop: Option<Stop<D>>,
    /// Of the layer at hand: what was found in what is done, and not yielded. The next one last.
    owed: Vec<Handle>,
    excluded: Option<Handle>,
    /// What has been yielded, if that is to be remembered.
    yielded: Option<BTreeSet<Handle>>,
}

/// Where a cursor stands in a layer.
#[derive(Clone, Copy, Debug)]
struct Stop<const D: usize> {
    layer: u8,
    /// The place in world order up to which the layer is done, but for what is owed.
    passed: Option<[u32; D]>,
}

/// What comes next.
enum Next<X> {
    Found(X),
    /// The budget is spent.
    Spent,
    /// Nothing is left.
    Done,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Cursor<P, S, D, R> {
    /// Remembers what is yielded from here on, so that no handle comes twice, not even of an object that moves.
    ///
    /// To be called right at the beginning; what the query has yielded before is not known. Takes some 12 bytes of memory
    /// for each object yielded, until the cursor is dropped, and O(log n) time for each.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer_with(quadrille::LayerSettings::new().split_above(1))?;
    /// let [far, _] = [[90.0, 90.0], [10.0, 10.0]].map(|place| index.insert(units, place, ()).unwrap());
    /// let mut cursor = index.iter().pause().distinct();
    /// assert_eq!(cursor.next(&index)?.unwrap().handle(), far);
    /// index.move_to(far, [5.0, 5.0])?; // to where the cursor comes later
    /// assert_eq!(index.resume(cursor)?.count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distinct(mut self) -> Self {
        self.yielded.get_or_insert_default();
        self
    }

    /// Goes on by one object; `None` when nothing is left, and from then on.
    ///
    /// Slower than an iterator where many objects are asked for at once: see [`SpatialIndex::resume`].
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// index.insert(units, [5.0, 5.0], "scout")?;
    /// let mut cursor = index.intersecting(Rect::new([0.0, 0.0], [10.0, 10.0])).pause();
    /// while let Some(unit) = cursor.next(&index)? {
    ///     let handle = unit.handle();
    ///     index.remove(handle); // the index may change between two steps
    /// }
    /// assert!(index.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ResumeError`] if the index is another one, or its world was set or it was cleared.
    pub fn next<'a, T>(
        &mut self,
        index: &'a SpatialIndex<T, S, D>,
    ) -> Result<Option<ObjectRef<'a, T, S, D>>, ResumeError> {
        self.check(&index.space)?;
        let (mut running, mut budget) = (None, Budget::endless());
        let next = self.go_on(&index.space, &mut running, &mut budget);
        self.halt(&index.space, running, &mut budget);
        let Next::Found((place, handle)) = next else { return Ok(None) };
        self.note(handle);
        Ok(Some(ObjectRef::new(index, place, handle)))
    }

    /// Goes on for at most about `budget` visits, for use in a frame, and shows each object to `each`.
    ///
    /// One visit is to a node, or to a bucket of up to 64 objects, or to as many that were found before and not yielded. A
    /// call visits more than its budget only as far as it takes to come any further, and to stop: see [`Cursor`] on cost.
    /// A budget of 0 is taken for 1. Every call comes further, so a loop up to `done` ends.
    ///
    /// If `each` panics, or the region does, objects that were shown in this call may come again.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # for x in 0..100_u8 { index.insert(units, [f32::from(x), 50.0], x)?; }
    /// let mut cursor = index.intersecting(Rect::new([0.0, 0.0], [49.0, 100.0])).pause();
    /// let mut found = 0;
    /// while !cursor.run(&index, 2, |_| found += 1)?.done {
    ///     // a frame passes, the index changes
    /// }
    /// assert_eq!(found, 50);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ResumeError`] if the index is another one, or its world was set or it was cleared.
    pub fn run<'a, T>(
        &mut self,
        index: &'a SpatialIndex<T, S, D>,
        budget: usize,
        mut each: impl FnMut(ObjectRef<'a, T, S, D>),
    ) -> Result<CursorRun, ResumeError> {
        self.check(&index.space)?;
        let (mut running, mut budget) = (None, Budget::new(budget.max(1)));
        let mut yielded = 0;
        let done = loop {
            match self.go_on(&index.space, &mut running, &mut budget) {
                Next::Found((place, handle)) => {
                    self.note(handle);
                    yielded += 1;
                    each(ObjectRef::new(index, place, handle));
                }
                Next::Spent => break false,
                Next::Done => break true,
            }
        };
        self.halt(&index.space, running, &mut budget);
        Ok(CursorRun { visited: budget.visited, yielded, done })
    }

    /// That of a query that stands so.
    fn of_query<T>(query: Query<'_, T, P, S, D, R>) -> Self {
        let (space, excluded) = (&query.index().space, query.excluded());
        let (question, layers, running) = query.into_parts();
        let running = Some(running).filter(|running| !running.is_over());
        let stop = running.as_ref().map(|running| Stop { layer: running.layer, passed: None });
        let era = space.era();
        let mut cursor = Self { era, question, layers, stop, owed: Vec::new(), excluded, yielded: None };
        cursor.halt(space, running, &mut Budget::endless());
        cursor
    }

    /// Whether the space is the one that the cursor stands in.
    fn check(&self, space: &Space<S, D>) -> Result<(), ResumeError> {
        let (then, now) = (self.era, space.era());
        if then.index != now.index {
            Err(ResumeError::OtherIndex)
        } else if then.world != now.world {
            Err(ResumeError::WorldSet)
        } else if then.cleared != now.cleared {
            Err(ResumeError::Cleared)
        } else {
            Ok(())
        }
    }

    /// The next object; `running` is where the cursor stands in the layer at hand since it has the space.
    #[inline]
    fn go_on(
        &mut self,
        space: &Space<S, D>,
        running: &mut Option<Running>,
        budget: &mut Budget,
    ) -> Next<(Place, Handle)> {
        // Most often; nothing is owed once a layer is running.
        if let Some(running) = running
            && self.yielded.is_none()
            && running.has_hits()
        {
            let place = running.next_hit();
            return Next::Found((place, space.forest.handle(place)));
        }
        self.go_further(space, running, budget)
    }

    #[inline(never)]
    fn go_further(
        &mut self,
        space: &Space<S, D>,
        running: &mut Option<Running>,
        budget: &mut Budget,
    ) -> Next<(Place, Handle)> {
        loop {
            let (place, handle) = match self.next_owed(space, budget) {
                Next::Found(owed) => owed,
                Next::Spent => return Next::Spent,
                Next::Done => match self.next_to_come(space, running, budget) {
                    Next::Found(place) => (place, space.forest.handle(place)),
                    Next::Spent => return Next::Spent,
                    Next::Done => return Next::Done,
                },
            };
            if self.yielded.as_ref().is_none_or(|yielded| !yielded.contains(&handle)) {
                return Next::Found((place, handle));
            }
        }
    }

    /// Notes that an object is yielded, if that is to be remembered.
    #[inline]
    fn note(&mut self, handle: Handle) {
        if let Some(yielded) = &mut self.yielded {
            yielded.insert(handle);
        }
    }

    /// The next of the objects that are owed.
    fn next_owed(&mut self, space: &Space<S, D>, budget: &mut Budget) -> Next<(Place, Handle)> {
        while let Some(&handle) = self.owed.last() {
            if budget.visited == 0 || self.owed.len().is_multiple_of(OWED_A_VISIT) {
                if budget.is_spent() {
                    return Next::Spent;
                }
                budget.visited += 1;
            }
            let place = self.owes(space, handle);
            self.owed.pop();
            if let Some(place) = place {
                return Next::Found((place, handle));
            }
        }
        Next::Done
    }

    /// The next of the objects that have not been passed.
    fn next_to_come(&mut self, space: &Space<S, D>, running: &mut Option<Running>, budget: &mut Budget) -> Next<Place> {
        loop {
            let Some(at_hand) = running else {
                match self.begin(space, budget) {
                    Next::Found(begun) => *running = Some(begun),
                    Next::Spent => return Next::Spent,
                    Next::Done => return Next::Done,
                }
                continue;
            };
            if at_hand.has_hits() {
                return Next::Found(at_hand.next_hit());
            }
            match self.advance(space, at_hand, budget) {
                Advance::Hits => {}
                Advance::Spent => return Next::Spent,
                Advance::End => (*running, self.stop) = (None, None),
            }
        }
    }

    /// Begins the rest of the layer at hand, or the next layer.
    fn begin(&mut self, space: &Space<S, D>, budget: &Budget) -> Next<Running> {
        // The layer may have been removed, and its number given to another, of whatever kind.
        let at_hand = self.stop.and_then(|stop| Some((stop, space.layers.kind_of_number(stop.layer)?)));
        let mut layers = self.layers;
        let next = || space.next_layer(&mut layers).map(|(layer, kind)| (Stop { layer, passed: None }, kind));
        let Some((stop, kind)) = at_hand.or_else(next) else {
            (self.stop, self.layers) = (None, LayerSet::NONE);
            return Next::Done;
        };
        if budget.is_spent() {
            return Next::Spent;
        }
        (self.stop, self.layers) = (Some(stop), layers);
        Next::Found(self.run_layer(space, stop, kind))
    }
}

impl<P: Clone, S: Clone, const D: usize, R: Clone> Clone for Cursor<P, S, D, R> {
    fn clone(&self) -> Self {
        Self {
            era: self.era,
            question: self.question.clone(),
            layers: self.layers,
            stop: self.stop,
            owed: self.owed.clone(),
            excluded: self.excluded,
            yielded: self.yielded.clone(),
        }
    }
}

impl<P, S, const D: usize, R: fmt::Debug> fmt::Debug for Cursor<P, S, D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cursor")
            .field("predicate", &format_args!("{}", name_of::<P>()))
            .field("region", self.question.region())
            .field("layers_to_come", &self.layers)
            .field("owed", &self.owed.len())
            .finish_non_exhaustive()
    }
}
