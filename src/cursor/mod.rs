//! Cursors: paused queries that outlive their borrow of the index.
//!
//! A cursor knows how far its layer is done in *world order*: the descending Morton order of anchors, in which the walk
//! reaches blocks. An object's place in that order depends on its shape alone, so changes of the tree do not matter.
//! The walk visits the own list of a node after its cells. So it may have passed entries of own lists in world order
//! before it visits them. These are *pending*, and so is the rest of the current chain: a cursor keeps their handles.
//! The own list of a root may be long, but an object's shape alone decides whether it is in it (T5). So these objects
//! come after all others of their layer, whatever their anchors, and none is pending before the walk reaches them.
//!
//! `steps` finds the next object, pending or not yet reached, within a `budget`. `position` records how far a scanner
//! has come, and continues from there. `resumed` is the iterator. Running queries do not use cursors. The user's region
//! may panic when it is tested, so no state is dropped before it has answered, and no object counts as yielded before
//! it is returned.
//!
//! ```text
//!   own lists on the path:  ·  ·  o  ·  o  ·        ·  ·  ·                          o: passed, pending
//!   world order:            ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓│░░░░░░░░░░░░░░ then the root's list   ▓: done
//!                                           passed                                   ░: still to come, own lists too
//! ```
//!
//! Keeps invariants C1 to C6 of `docs/invariants.md`.

mod budget;
mod position;
mod resumed;
#[cfg(feature = "serde")]
mod saved;
mod steps;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

use crate::geometry::{Rect, Region, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Excluded, Handle, LayerSet};
use crate::query::{Condition, Predicate, Query, Question, name_of};
use crate::space::{Era, Space};

pub use resumed::Resumed;

use budget::{Budget, Next};

/// A cursor cannot be resumed.
///
/// ```
/// # use quadrille::{Quadtree, Rect, ResumeError};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut cursor = index.iter().pause();
/// index.clear();
/// assert_eq!(cursor.step(&index).err(), Some(ResumeError::Cleared)); // not an end without a word
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The cursor was made from another index, not a clone of this one.
    #[error("the cursor is of another index")]
    OtherIndex,
    /// [`set_world`](SpatialIndex::set_world) has stored all objects again since the query began.
    #[error("the world was set since the cursor's query began; ask again")]
    WorldSet,
    /// [`clear`](SpatialIndex::clear) has removed all objects since the query began.
    #[error("the index was cleared since the cursor's query began; ask again")]
    Cleared,
}

/// The effect of one call of [`Cursor::run`].
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut cursor = index.iter().pause();
/// let slice = cursor.run(&index, 1, |_| {})?;
/// println!("{} visits, {} objects, done: {}", slice.visited, slice.yielded, slice.done);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "it says whether the cursor is done"]
#[non_exhaustive]
pub struct CursorRun {
    /// The number of nodes and buckets visited, including those visited to stop.
    pub visited: usize,
    /// The number of objects yielded.
    pub yielded: usize,
    /// Whether nothing is left.
    pub done: bool,
}

/// A paused query: its position, as plain data. It does not borrow the index, which may change in the meantime.
///
/// [`Query::pause`](crate::Query::pause) and [`Resumed::pause`] return it. To continue, use [`SpatialIndex::resume`],
/// which returns an iterator; [`step`](Self::step), for one object at a time; or [`run`](Self::run), for slices of
/// bounded cost. A clone continues from the same position.
///
/// # Which objects are yielded
///
/// The index may change in any way between the beginning and the end of the query.
///
/// - An object that matches throughout, and is neither moved nor removed nor put into another layer, is yielded
///   **exactly once**, whatever happens to other objects and to the tree.
/// - A removed object is not yielded after its removal.
/// - An object that is moved or inserted in the meantime may or may not be yielded. A moved one may be yielded again at
///   its new place; with [`distinct`](Self::distinct) it is not.
/// - Every object matches when it is yielded, and is in a requested layer.
/// - The results of `near` depend on how the tree is split. An object is sure to be yielded if it is near throughout.
///   It is if it intersects the region, or if the region is everything, as in `iter`.
/// - Resuming on another index, or after [`set_world`](SpatialIndex::set_world) or [`clear`](SpatialIndex::clear), is
///   an error. ([`clear_in`](SpatialIndex::clear_in) and [`remove_layer`](SpatialIndex::remove_layer) just remove
///   objects.) A clone of the index counts as the same index. (If only one of the two has moved a thin box to another
///   layer and back, the box counts as moved.)
///
/// The order is not specified. A cursor never panics by itself, and ends only when nothing is left. It owns its region and
/// [conditions](Query::matching); data that these borrow, such as the half-spaces of a [`Convex`](crate::Convex), stay
/// borrowed.
///
/// # Cost
///
/// A running query pays nothing for the possibility of a pause. Pausing looks through the own lists on the path to its
/// position, but for the root's. If more than 64 objects share a block that cannot be split, it also looks through the
/// rest of their chain. Resuming takes one path down the tree. A cursor takes 8 bytes for each match found in these
/// lists. Objects at least about a quarter of the world long (in 3D half) come last. Pausing among them copies the
/// handles of the others, some nanoseconds for each 64, and tests them when their turn comes.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// let mut index: Quadtree<u8> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// for x in 0..100_u8 {
///     index.insert(units, [f32::from(x), 50.0], x)?;
/// }
/// let mut query = index.iter();
/// let first = query.next().unwrap().handle();
/// let cursor = query.pause(); // the borrow of the index ends here
/// index.remove(first);
/// index.optimize();
/// assert_eq!(index.resume(cursor)?.count(), 99);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "a cursor does nothing until it goes on"]
pub struct Cursor<P, S = f32, const D: usize = 2, R = Rect<S, D>, C = ()> {
    era: Era,
    question: Question<P, R, S, D>,
    /// The layers not yet begun.
    layers: LayerSet,
    /// The progress in the current layer, if one is begun.
    progress: Option<Progress<D>>,
    /// The matches in the current layer that were passed but not yielded. The next one is last.
    pending: Vec<Handle>,
    excluded: Excluded<Handle>,
    /// The objects yielded, if the cursor remembers them.
    yielded: Option<BTreeSet<Handle>>,
    condition: C,
}

/// The progress of a cursor in a layer.
#[derive(Clone, Copy, Debug)]
struct Progress<const D: usize> {
    layer: u8,
    /// The image of the region that the walk looks for.
    image: u16,
    /// The place in world order up to which the layer is done, except for pending objects and the root's own list.
    passed: Option<[u32; D]>,
    /// Whether the root's own list is still to come. If not, all its objects left are pending.
    is_before_root_list: bool,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize, C> Cursor<P, S, D, R, C> {
    /// Remembers the yielded objects from now on, so that no handle is yielded twice, even if its object moves.
    ///
    /// Call it at the beginning: it does not know objects that the query has yielded before. It takes memory for the
    /// handle of each yielded object until the cursor is dropped, and O(log n) time for each.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer_with(quadrille::LayerSettings::new().split_above(1))?;
    /// let [far, _] = [[90.0, 90.0], [10.0, 10.0]].map(|place| index.insert(units, place, ()).unwrap());
    /// let mut cursor = index.iter().pause().distinct();
    /// assert_eq!(cursor.step(&index)?.unwrap().handle(), far);
    /// index.move_to(far, [5.0, 5.0])?; // a place that the cursor has not passed
    /// assert_eq!(index.resume(cursor)?.count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distinct(mut self) -> Self {
        self.yielded.get_or_insert_default();
        self
    }

    /// Returns the next object, or `None` once nothing is left.
    ///
    /// The index may change between two calls. For many objects at once, the iterator of [`SpatialIndex::resume`] is
    /// faster.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// index.insert(units, [5.0, 5.0], "scout")?;
    /// let mut cursor = index.intersecting(Rect::new([0.0, 0.0], [10.0, 10.0])).pause();
    /// while let Some(unit) = cursor.step(&index)? {
    ///     let handle = unit.handle();
    ///     index.remove(handle); // the index may change between two steps
    /// }
    /// assert!(index.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ResumeError`] if the index is another one, if its world was set, or if it was cleared.
    pub fn step<'a, T>(
        &mut self,
        index: &'a SpatialIndex<T, S, D>,
    ) -> Result<Option<ObjectRef<'a, T, S, D>>, ResumeError>
    where
        C: Condition<T, S, D>,
    {
        self.check(&index.space)?;
        let (mut scanner, mut budget) = (None, Budget::of_one_object());
        let next = self.next_object(index, &mut scanner, &mut budget);
        if let Some(scanner) = scanner {
            self.pause_at(&index.space, scanner, &mut budget);
        }
        let Next::Found(place, handle) = next else { return Ok(None) };
        self.remember(handle);
        Ok(Some(ObjectRef::new(index, place, handle)))
    }

    /// Continues for about `budget` visits, for use in a frame, and passes each object to `each`.
    ///
    /// One visit is to a node, to a bucket of up to 64 objects, or to as many objects found before but not yielded. A
    /// call exceeds its budget only as far as it must to make progress and to stop: see [`Cursor`] on cost. A budget of
    /// 0 counts as 1. Every call makes progress, so a loop until `done` ends.
    ///
    /// If `each` or the region panics, objects that were passed to `each` in this call may be yielded again; if a
    /// [condition](Query::matching) does, its object may be left out.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u8> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
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
    /// [`ResumeError`] if the index is another one, if its world was set, or if it was cleared.
    pub fn run<'a, T>(
        &mut self,
        index: &'a SpatialIndex<T, S, D>,
        budget: usize,
        mut each: impl FnMut(ObjectRef<'a, T, S, D>),
    ) -> Result<CursorRun, ResumeError>
    where
        C: Condition<T, S, D>,
    {
        self.check(&index.space)?;
        let (mut scanner, mut budget) = (None, Budget::new(budget.max(1)));
        let mut yielded = 0;
        let done = loop {
            match self.next_object(index, &mut scanner, &mut budget) {
                Next::Found(place, handle) => {
                    self.remember(handle);
                    yielded += 1;
                    each(ObjectRef::new(index, place, handle));
                }
                Next::Spent => break false,
                Next::Done => break true,
            }
        };
        if let Some(scanner) = scanner {
            self.pause_at(&index.space, scanner, &mut budget);
        }
        Ok(CursorRun { visited: budget.visited, yielded, done })
    }

    /// The cursor of a query at its position.
    fn of_query<T>(query: Query<'_, T, P, S, D, R, C>) -> Self {
        let (space, mut excluded) = (&query.index.space, Excluded::none());
        excluded.add(query.question.excluded.all().iter().map(|&place| space.trees.arena().handle(place)));
        let Query { question, scanner, condition, .. } = query;
        let (era, layers) = (space.era, scanner.layers);
        let (pending, yielded) = (Vec::new(), None);
        let mut cursor = Self { era, question, layers, progress: None, pending, excluded, yielded, condition };
        cursor.pause_at(space, scanner, &mut Budget::endless());
        // Their places change: see `scanner`.
        cursor.question.excluded = Excluded::none();
        cursor
    }

    /// Checks that the space is the one the cursor belongs to, with the same world and not cleared.
    fn check(&mut self, space: &Space<S, D>) -> Result<(), ResumeError> {
        let (then, now) = (self.era, space.era);
        if then.index != now.index {
            Err(ResumeError::OtherIndex)
        } else if then.world != now.world {
            Err(ResumeError::WorldSet)
        } else if then.cleared != now.cleared {
            Err(ResumeError::Cleared)
        } else {
            #[cfg(feature = "serde")]
            self.question.locate(space.grid());
            Ok(())
        }
    }
}

impl<P, S, const D: usize, R: fmt::Debug, C> fmt::Debug for Cursor<P, S, D, R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cursor")
            .field("predicate", &format_args!("{}", name_of::<P>()))
            .field("region", &self.question.region)
            .field("layers_to_come", &self.layers)
            .field("pending", &self.pending.len())
            .finish_non_exhaustive()
    }
}
