//! Watches of pairs: which have begun and ended since the last poll.
//!
//! It keeps the pairs of handles and runs the whole query anew at each poll. Keeps invariant W1 of `docs/invariants.md`
//! for pairs.

use alloc::vec::Vec;
use core::{fmt, mem, ptr};

use super::{PollError, only_in};
use crate::geometry::Scalar;
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, Stamp};
use crate::pairs::{Join, Recipe};

/// The changes between two polls of [`Contacts`]. Pairs are in ascending order.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut close = index.pairs().within(1.0).watch();
/// let changes = close.poll(&index)?;
/// for [a, b] in changes.begun {
///     println!("{:?} meets {:?}", index.get(*a), index.get(*b));
/// }
/// assert!(changes.ended.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContactChanges<'w> {
    /// Pairs that are there now and were not at the last poll.
    pub begun: &'w [[Handle; 2]],
    /// Pairs that were there at the last poll and are not now, those of removed objects included.
    pub ended: &'w [[Handle; 2]],
}

/// A query for pairs that is run again at each [`poll`](Self::poll) and tells which pairs have begun and ended: contacts
/// of bodies, units that come within reach of each other.
///
/// [`watch`](Join::watch) makes one of [`pairs`](SpatialIndex::pairs),
/// [`pairs_of`](SpatialIndex::pairs_of) or [`join`](SpatialIndex::join), with their layers and distance. It borrows
/// nothing of the index. Any cause counts: an object is moved, inserted, removed or put into another layer. A change
/// that was undone between two polls is not reported.
///
/// Within one index the lower handle of a pair comes first, so a pair has one name for as long as it lasts; which of the
/// two is the wall, [`layer`](SpatialIndex::layer) tells. Of a join, the first handle is one of the first index.
///
/// A pair ends when one of its objects is removed. Its handle still names it, but the index has nothing more to say of
/// it. So where the end of a contact needs the value, keep what [`remove`](SpatialIndex::remove) gives back until the
/// next poll:
///
/// ```
/// # use std::collections::HashMap;
/// # use quadrille::{Handle, Quadtree, Rect};
/// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let bodies = index.add_rect_layer()?;
/// let [door, ball] = [([0.0, 0.0], "door"), ([5.0, 5.0], "ball")]
///     .map(|(at, name)| index.insert(bodies, Rect::from_center_half(at, [2.0, 2.0]), name).unwrap());
/// let mut contacts = index.pairs().watch();
/// assert!(contacts.poll(&index)?.begun.is_empty());
///
/// index.move_to(ball, Rect::from_center_half([3.0, 3.0], [2.0, 2.0]))?;
/// assert_eq!(contacts.poll(&index)?.begun, [[door, ball]]);
///
/// let mut gone: HashMap<Handle, &str> = HashMap::new();
/// gone.extend(index.remove(ball).map(|value| (ball, value)));
/// for pair in contacts.poll(&index)?.ended {
///     let names = pair.map(|body| *index.get(body).or_else(|| gone.get(&body)).expect("here, or just gone"));
///     assert_eq!(names, ["door", "ball"]);
/// }
/// gone.clear();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A poll costs as much as the query, and O(n log n) for the n pairs that it yields. It takes 16 bytes for each pair that
/// is there and for each that has begun or ended, and allocates only when these become more than ever before.
#[doc(alias = "collision events")]
#[doc(alias = "begin and end contact")]
pub struct Contacts<S = f32> {
    /// The stamps of the two indexes, or of one twice.
    pub(super) indexes: [Stamp; 2],
    pub(super) recipe: Recipe<S>,
    /// The pairs at the last poll, in ascending order.
    pub(super) pairs: Vec<[Handle; 2]>,
    /// The pairs that are there now, while a poll is under way. Both lists are kept for their memory.
    now: Vec<[Handle; 2]>,
    begun: Vec<[Handle; 2]>,
    ended: Vec<[Handle; 2]>,
}

impl<T, U, S: Scalar, const D: usize> Join<'_, '_, T, U, S, D> {
    /// Makes [`Contacts`] of the query, from its beginning: the first poll reports all pairs as begun.
    ///
    /// The restriction to layers, the distance and, of [`pairs_of`](SpatialIndex::pairs_of), the objects stay.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut close = index.pairs().within(1.0).watch();
    /// assert_eq!(close.poll(&index)?.begun.len(), 99);
    /// index.remove(handles[0]);
    /// assert_eq!(close.poll(&index)?.ended, [[handles[0], handles[1]]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn watch(self) -> Contacts<S> {
        Contacts::of(self.indexes(), self.recipe(), Vec::new())
    }
}

impl<S: Scalar> Contacts<S> {
    /// Runs the query again, and returns the changes since the last poll. At the first poll, all pairs have begun.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut contacts = index.pairs().watch();
    /// assert!(contacts.poll(&index)?.begun.is_empty());
    /// index.move_to(handles[0], [9.0, 50.0])?; // onto another one
    /// assert_eq!(contacts.poll(&index)?.begun, [[handles[0], handles[9]]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PollError`] if the index is another one, or if this watches a join of two. Nothing is changed then.
    pub fn poll<T, const D: usize>(&mut self, index: &SpatialIndex<T, S, D>) -> Result<ContactChanges<'_>, PollError> {
        self.poll_join(index, index)
    }

    /// As [`poll`](Self::poll), with a filter of your own: a pair that it refuses is not there. So it ends, if it was there
    /// at the last poll.
    ///
    /// The two objects come as the query yields them: those of [`between`](Join::between) in the order of
    /// its sets.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let bodies = index.add_rect_layer()?;
    /// let [left, right] = [0.0, 10.0].map(|x| Rect::new([x, 0.0], [x + 10.0, 10.0])); // side by side
    /// let tiles = [index.insert(bodies, left, "left")?, index.insert(bodies, right, "right")?];
    /// let mut contacts = index.pairs().watch();
    /// assert!(contacts.poll_where(&index, |a, b| a.shape().overlaps(&b.shape()))?.begun.is_empty());
    /// index.move_by(tiles[1], [-1.0, 0.0])?;
    /// assert_eq!(contacts.poll_where(&index, |a, b| a.shape().overlaps(&b.shape()))?.begun, [tiles]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`poll`](Self::poll).
    pub fn poll_where<T, const D: usize>(
        &mut self,
        index: &SpatialIndex<T, S, D>,
        filter: impl FnMut(ObjectRef<'_, T, S, D>, ObjectRef<'_, T, S, D>) -> bool,
    ) -> Result<ContactChanges<'_>, PollError> {
        self.poll_join_where(index, index, filter)
    }

    /// As [`poll`](Self::poll), of a [`join`](SpatialIndex::join): with its two indexes in the same order.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut others: Quadtree<&str> = Quadtree::new(index.world())?;
    /// let walls = others.add_rect_layer()?;
    /// let wall = others.insert(walls, Rect::new([5.0, 0.0], [5.0, 99.0]), "wall")?;
    /// let mut contacts = index.join(&others).watch();
    /// assert_eq!(contacts.poll_join(&index, &others)?.begun, [[handles[5], wall]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PollError`] if an index is another one. Nothing is changed then.
    pub fn poll_join<T, U, const D: usize>(
        &mut self,
        index: &SpatialIndex<T, S, D>,
        other: &SpatialIndex<U, S, D>,
    ) -> Result<ContactChanges<'_>, PollError> {
        self.poll_join_where(index, other, |_, _| true)
    }

    /// As [`poll_where`](Self::poll_where), of a [`join`](SpatialIndex::join): with its two indexes in the same order.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut others: Quadtree<u16> = Quadtree::new(index.world())?;
    /// let walls = others.add_rect_layer()?;
    /// let wall = others.insert(walls, Rect::new([5.0, 0.0], [9.0, 90.0]), 7)?;
    /// let mut contacts = index.join(&others).watch();
    /// let changes = contacts.poll_join_where(&index, &others, |unit, wall| unit.value() == wall.value())?;
    /// assert_eq!(changes.begun, [[handles[7], wall]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`poll_join`](Self::poll_join).
    pub fn poll_join_where<T, U, const D: usize>(
        &mut self,
        index: &SpatialIndex<T, S, D>,
        other: &SpatialIndex<U, S, D>,
        mut filter: impl FnMut(ObjectRef<'_, T, S, D>, ObjectRef<'_, U, S, D>) -> bool,
    ) -> Result<ContactChanges<'_>, PollError> {
        let are_one = ptr::eq(&raw const index.space, &raw const other.space);
        if self.indexes != [index.space.era().index, other.space.era().index] || (self.recipe.are_one && !are_one) {
            return Err(PollError::OtherIndex);
        }
        // The filter is the user's and may panic, so the pairs of the last poll are kept until the query has ended.
        self.now.clear();
        let pairs = self.recipe.pairs(index, other).filter(|&(one, other)| filter(one, other));
        self.now.extend(pairs.map(|(one, other)| [one.handle(), other.handle()]));
        if self.recipe.are_one {
            self.now.iter_mut().for_each(|pair| pair.sort_unstable());
        }
        self.now.sort_unstable();
        only_in(&self.now, &self.pairs, &mut self.begun);
        only_in(&self.pairs, &self.now, &mut self.ended);
        mem::swap(&mut self.pairs, &mut self.now);
        Ok(ContactChanges { begun: &self.begun, ended: &self.ended })
    }
}

impl<S> Contacts<S> {
    pub(super) fn of(indexes: [Stamp; 2], recipe: Recipe<S>, pairs: Vec<[Handle; 2]>) -> Self {
        let [now, begun, ended] = [const { Vec::new() }; 3];
        Self { indexes, recipe, pairs, now, begun, ended }
    }

    /// The pairs at the last poll, in ascending order.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut close = index.pairs().within(1.0).watch();
    /// assert!(close.pairs().is_empty()); // not polled yet
    /// close.poll(&index)?;
    /// assert_eq!(close.pairs().len(), 99);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn pairs(&self) -> &[[Handle; 2]] {
        &self.pairs
    }
}

impl<S: Clone> Clone for Contacts<S> {
    fn clone(&self) -> Self {
        Self::of(self.indexes, self.recipe.clone(), self.pairs.clone())
    }
}

impl<S: fmt::Debug> fmt::Debug for Contacts<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contacts")
            .field("recipe", &self.recipe)
            .field("pairs", &self.pairs.len())
            .finish_non_exhaustive()
    }
}
