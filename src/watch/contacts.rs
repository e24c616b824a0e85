//! Watches of pairs: which have begun and ended since the last poll.
//!
//! Keeps invariants W1 and W2 of `docs/invariants.md` for pairs.

use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::{fmt, ptr};

#[cfg(feature = "rayon")]
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::ascending::Ascending;
use super::handle_set::HandleSet;
use super::known::{Known, Memory};
use super::polled::{PollError, Polled};
use crate::geometry::Scalar;
use crate::index::ObjectRef;
use crate::key::{Handle, Stamp};

/// Looking up the pairs of one object takes as long as a scan of this many pairs.
const SCANNED: usize = 64;

/// The changes between two polls of [`Contacts`]. Pairs are in ascending order.
///
/// ```
/// # use quadrille::{Contacts, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut close = Contacts::new();
/// let changes = close.poll(index.pairs().within(1.0))?;
/// for [a, b] in changes.begun {
///     println!("{:?} meets {:?}", index.get(*a), index.get(*b));
/// }
/// assert!(changes.ended.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContactChanges<'w> {
    /// Pairs that are in this answer and were not in the last one.
    pub begun: &'w [[Handle; 2]],
    /// Pairs that were in the last answer and are not in this one, pairs of removed objects included.
    pub ended: &'w [[Handle; 2]],
}

/// The memory of an answer of pairs. It reports how the next one differs: which bodies have begun to touch, and which
/// have ceased to.
///
/// As [`Watch`](crate::Watch), for [`pairs`](crate::SpatialIndex::pairs), [`join`](crate::SpatialIndex::join) and the
/// like: ask the query again at each [`poll`](Self::poll). A change that was undone between two polls is not reported.
///
/// Within one index the lower handle of a pair comes first, so a pair has one name for as long as it lasts; use
/// [`layer`](crate::SpatialIndex::layer) to tell which of the two is the wall. Of a join of two indexes, the first
/// handle is one of the first index.
///
/// A pair ends when one of its objects is removed. Its handle is still reported, but the index no longer holds its
/// value. So where the end of a contact needs the value, keep what [`remove`](crate::SpatialIndex::remove) gives back
/// until the next poll:
///
/// ```
/// # use std::collections::HashMap;
/// # use quadrille::{Contacts, Handle, Quadtree, Rect};
/// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let bodies = index.add_rect_layer()?;
/// let [door, ball] = [([0.0, 0.0], "door"), ([5.0, 5.0], "ball")]
///     .map(|(at, name)| index.insert(bodies, Rect::from_center_half(at, [2.0, 2.0]), name).unwrap());
/// let mut contacts = Contacts::new();
/// assert!(contacts.poll(index.pairs())?.begun.is_empty());
///
/// index.move_to(ball, Rect::from_center_half([3.0, 3.0], [2.0, 2.0]))?;
/// assert_eq!(contacts.poll(index.pairs())?.begun, [[door, ball]]);
///
/// let mut gone: HashMap<Handle, &str> = HashMap::new();
/// gone.extend(index.remove(ball).map(|value| (ball, value)));
/// for pair in contacts.poll(index.pairs())?.ended {
///     let names = pair.map(|body| *index.get(body).or_else(|| gone.get(&body)).expect("here, or just gone"));
///     assert_eq!(names, ["door", "ball"]);
/// }
/// gone.clear();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Contacts are a list of handles, without type parameters, and are saved as that list. They take up to
/// 65 bytes for each pair of the largest answer, 32 more once they were told what has moved, and 16 for each that has
/// begun or ended.
#[doc(alias("collision events", "begin and end contact"))]
pub struct Contacts {
    pub(super) polled: Polled<Indexes, [Handle; 2]>,
    pub(super) pairs: Ascending<[Handle; 2]>,
    /// The same pairs turned round, from the first poll on that looks for pairs by their second object.
    turned: Option<Ascending<[Handle; 2]>>,
    spare: Vec<[Handle; 2]>,
    memory: Memory,
}

/// The stamps of the first index and of the second. `None` if both objects of a pair are of one index.
pub(super) type Indexes = (Stamp, Option<Stamp>);

impl Contacts {
    /// Makes contacts that remember nothing: at the first poll, all pairs have begun.
    ///
    /// ```
    /// # use quadrille::Contacts;
    /// assert_eq!(Contacts::new().pairs().next(), None);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::restored(None, Ascending::new())
    }

    pub(super) const fn restored(index: Option<Indexes>, pairs: Ascending<[Handle; 2]>) -> Self {
        Self { polled: Polled::of(index), pairs, turned: None, spare: Vec::new(), memory: Memory::new() }
    }

    /// Reads an answer, and returns its differences from the last one.
    ///
    /// The answer is any iterator over pairs of objects: a query, with a filter of your own. A pair that the filter
    /// refuses is not there, so it ends if it was there at the last poll. Costs as much as the query and a look-up for each
    /// pair that it yields; only those that have begun are sorted. If the iterator panics, the last answer is kept, and the
    /// next poll is compared with it.
    ///
    /// ```
    /// # use quadrille::{Contacts, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let bodies = index.add_rect_layer()?;
    /// let [left, right] = [0.0, 10.0].map(|x| Rect::new([x, 0.0], [x + 10.0, 10.0])); // side by side
    /// let tiles = [index.insert(bodies, left, "left")?, index.insert(bodies, right, "right")?];
    /// let mut overlaps = Contacts::new();
    /// let changes = overlaps.poll(index.pairs().filter(|(a, b)| a.shape().overlaps(&b.shape())))?;
    /// assert!(changes.begun.is_empty());
    /// index.move_by(tiles[1], [-1.0, 0.0])?;
    /// let changes = overlaps.poll(index.pairs().filter(|(a, b)| a.shape().overlaps(&b.shape())))?;
    /// assert_eq!(changes.begun, [tiles]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PollError::OtherIndex`] if an object is of another index than in all polls before, or if pairs of one
    /// index follow pairs of a join. Nothing is changed then. (An answer without pairs is of no index: then all have
    /// ended.)
    pub fn poll<'a, 'b, T: 'a, U: 'b, S: Scalar, const D: usize>(
        &mut self,
        answer: impl IntoIterator<Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>)>,
    ) -> Result<ContactChanges<'_>, PollError> {
        let Self { polled, pairs, spare, memory, .. } = self;
        pairs.list(spare);
        polled.read(Known::of(spare, memory), answer.into_iter().map(pair_of))?;
        Ok(self.replace(true))
    }

    /// As [`poll`](Self::poll), on the threads of rayon's current pool: the same changes, for any number of threads.
    ///
    /// The answer is a parallel iterator: [`pairs`](crate::SpatialIndex::pairs), say, with filters of rayon's. Threads
    /// search and compare; one puts in order what has begun. It allocates up to 16 bytes for each pair.
    ///
    /// ```
    /// # use quadrille::{Contacts, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut close = Contacts::new();
    /// assert_eq!(close.par_poll(index.pairs().within(1.0))?.begun.len(), 99);
    /// assert!(close.poll(index.pairs().within(1.0))?.begun.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`poll`](Self::poll).
    #[cfg(feature = "rayon")]
    pub fn par_poll<'a, 'b, T: 'a, U: 'b, S: Scalar, const D: usize>(
        &mut self,
        answer: impl IntoParallelIterator<Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>)>,
    ) -> Result<ContactChanges<'_>, PollError> {
        let Self { polled, pairs, spare, memory, .. } = self;
        pairs.list(spare);
        polled.par_read(Known::of(spare, memory), answer.into_par_iter().map(pair_of))?;
        Ok(self.replace(true))
    }

    /// Reads an answer about some objects, and returns its differences from the last one: pairs of the objects that have
    /// moved since the last poll. All other pairs last.
    ///
    /// `moved` names the objects that were moved, inserted, removed, put into another layer or changed in a way that
    /// your filter asks for; `answer` yields all pairs that have one of them, as
    /// [`pairs_of`](crate::SpatialIndex::pairs_of) does. Then the result is that of [`poll`](Self::poll) with all
    /// pairs. Bodies that are asleep cost nothing: it takes as long as the answer, and O(log n) of all n pairs for each
    /// handle and each change. The first such poll sorts all pairs by their second object. It allocates up to 48 bytes
    /// for each handle in `moved`, and 48 for each pair that it has.
    ///
    /// After the poll, there is every pair of the answer, and every other pair that was there and has no named object. So
    /// a pair of objects that you forget to name is found at the next `poll`. A handle may come twice, and may
    /// name an object that is gone, or never was. Of a join, `moved` are objects of the first index; for others see
    /// [`poll_join_moved`](Self::poll_join_moved).
    ///
    /// ```
    /// # use quadrille::{Contacts, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut close = Contacts::new();
    /// close.poll(index.pairs().within(1.0))?;
    ///
    /// let moved = [handles[0], handles[50]];
    /// index.move_to(moved[0], [99.0, 50.5])?; // from one end to the other
    /// index.remove(moved[1]);
    /// let changes = close.poll_moved(&moved, index.pairs_of(&moved).within(1.0))?;
    /// assert_eq!(changes.begun, [[handles[0], handles[99]]]);
    /// assert_eq!(changes.ended.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PollError::OtherIndex`] as for [`poll`](Self::poll). Handles in `moved` are not checked: handles of another
    /// index are taken for this one's.
    pub fn poll_moved<'a, 'b, T: 'a, U: 'b, S: Scalar, const D: usize>(
        &mut self,
        moved: &[Handle],
        answer: impl IntoIterator<Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>)>,
    ) -> Result<ContactChanges<'_>, PollError> {
        self.poll_join_moved([moved, &[]], answer)
    }

    /// As [`poll_moved`](Self::poll_moved) for a join, with objects of the first index that have moved, and objects of
    /// the second. Either list may be empty.
    ///
    /// [`join_of`](crate::SpatialIndex::join_of) yields the pairs of some objects of one index. Pairs that come twice
    /// count once, so the answers for both indexes can be chained. Of pairs within one index, both lists name objects of
    /// that index.
    ///
    /// ```
    /// # use quadrille::{Contacts, Quadtree, Rect};
    /// let mut zones: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let parks = zones.add_rect_layer()?;
    /// let park = zones.insert(parks, Rect::new([10.0, 10.0], [50.0, 50.0]), "park")?;
    /// let mut fleet: Quadtree<u32> = Quadtree::new(zones.world())?;
    /// let cars = fleet.add_point_layer()?;
    /// let handles = fleet.insert_batch(cars, [([20.0, 20.0], 7), ([60.0, 20.0], 8)])?;
    /// let mut inside = Contacts::new();
    /// assert_eq!(inside.poll(fleet.join(&zones))?.begun, [[handles[0], park]]);
    ///
    /// fleet.move_to(handles[1], [40.0, 20.0])?;
    /// let moved = [handles[1]];
    /// assert_eq!(inside.poll_moved(&moved, fleet.join_of(&moved, &zones))?.begun, [[handles[1], park]]);
    ///
    /// zones.move_by(park, [25.0, 0.0])?;
    /// let answer = zones.join_of([park], &fleet).map(|(park, car)| (car, park));
    /// assert_eq!(inside.poll_join_moved([&[], &[park]], answer)?.ended, [[handles[0], park]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`poll_moved`](Self::poll_moved).
    pub fn poll_join_moved<'a, 'b, T: 'a, U: 'b, S: Scalar, const D: usize>(
        &mut self,
        moved: [&[Handle]; 2],
        answer: impl IntoIterator<Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>)>,
    ) -> Result<ContactChanges<'_>, PollError> {
        let [mut first, mut second] = moved.map(<[Handle]>::to_vec);
        if self.polled.index.is_none_or(|(_, second)| second.is_none()) {
            first.append(&mut second);
            second.clone_from(&first);
        }
        let are_many = first.len() + second.len() > self.len() / SCANNED;
        let Self { polled, pairs, turned, spare, memory } = self;
        spare.clear();
        let (mut by_second, mut of_second) = (Vec::new(), Memory::new());
        if are_many {
            let sets = [&first, &second].map(HandleSet::of);
            // `collect` would go through the pieces item by item.
            pairs.iter().filter(|&pair| has_named(&sets, pair)).for_each(|pair| spare.push(pair));
        } else {
            let turned = turned.get_or_insert_with(|| Ascending::of(&turn(pairs.iter())));
            for (named, pairs, list) in [(&mut first, &*pairs, &mut *spare), (&mut second, turned, &mut by_second)] {
                named.sort_unstable();
                named.dedup();
                for &object in &*named {
                    that_begin_with(object, pairs).for_each(|pair| list.push(pair));
                }
            }
        }
        let mut known = [Known::of(spare, memory), Known::of(&mut by_second, &mut of_second)];
        known.iter_mut().for_each(Known::fill);
        let [by_first, by_second] = &mut known;
        polled.read_by(answer.into_iter().map(pair_of), |some, come| {
            by_first.fetch(some);
            come.extend(some.iter().filter(|&&[a, b]| !(by_first.finds([a, b]) | by_second.finds([b, a]))));
        })?;
        let [by_first, by_second] = known;
        by_second.part_with(&mut polled.gone);
        polled.gone.iter_mut().for_each(|pair| pair.reverse());
        by_first.part_with(&mut polled.gone);
        polled.gone.sort_unstable();
        polled.gone.dedup();
        // Whoever was there without being named is not new either.
        polled.come.retain(|&pair| !pairs.contains(pair));
        Ok(self.replace(false))
    }

    /// The objects that one touches in the last answer, in ascending order: the way from body to body through an island.
    /// Of a join, `object` is one of the first index.
    ///
    /// Takes O(log n) of n pairs, and time for each partner. The first call, like the first
    /// [`poll_moved`](Self::poll_moved), sorts all pairs by their second object.
    ///
    /// ```
    /// # use quadrille::{Contacts, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut close = Contacts::new();
    /// close.poll(index.pairs().within(1.0))?;
    /// assert_eq!(close.of(handles[7]).collect::<Vec<_>>(), [handles[6], handles[8]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(&mut self, object: Handle) -> impl Iterator<Item = Handle> + '_ {
        let is_join = self.polled.index.is_some_and(|(_, second)| second.is_some());
        let turned = (!is_join).then(|| &*self.turned.get_or_insert_with(|| Ascending::of(&turn(self.pairs.iter()))));
        let before = turned.into_iter().flat_map(move |turned| that_begin_with(object, turned));
        before.chain(that_begin_with(object, &self.pairs)).map(|[_, other]| other)
    }

    /// Makes the last answer the one that was compared with it. `spare` may be the list of what is left of it.
    fn replace(&mut self, is_left: bool) -> ContactChanges<'_> {
        let Polled { come, gone, .. } = &self.polled;
        self.pairs.change(gone, come, &mut self.spare, is_left);
        if let Some(turned) = &mut self.turned {
            let [gone, come] = [gone, come].map(|pairs| turn(pairs.iter().copied()));
            turned.change(&gone, &come, &mut self.spare, false);
        }
        ContactChanges { begun: come, ended: gone }
    }

    /// The pairs of the last answer, in ascending order.
    ///
    /// ```
    /// # use quadrille::{Contacts, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut close = Contacts::new();
    /// close.poll(index.pairs().within(1.0))?;
    /// assert_eq!(close.pairs().last(), Some([handles[98], handles[99]]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs(&self) -> impl Iterator<Item = [Handle; 2]> + Clone + '_ {
        self.pairs.iter()
    }

    /// The number of pairs of the last answer.
    ///
    /// ```
    /// # use quadrille::Contacts;
    /// assert_eq!(Contacts::new().len(), 0);
    /// ```
    #[must_use]
    pub const fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether the last answer had no pair.
    ///
    /// ```
    /// # use quadrille::Contacts;
    /// assert!(Contacts::new().is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Whether the first object of a pair is in the first set, or the second in the second.
#[inline]
fn has_named([first, second]: &[HandleSet; 2], [a, b]: [Handle; 2]) -> bool {
    // One test for both: nearly no pair passes.
    (first.may_contain(a) | second.may_contain(b)) && (first.contains(a) || second.contains(b))
}

/// The name of a pair: its indexes, and its handles.
fn pair_of<T, U, S: Scalar, const D: usize>(
    (one, other): (ObjectRef<'_, T, S, D>, ObjectRef<'_, U, S, D>),
) -> (Indexes, [Handle; 2]) {
    let (index, pair) = (one.index_stamp(), [one.handle(), other.handle()]);
    // An index and its clone are two indexes. An object's place in the pair shows which of them it is of.
    if ptr::addr_eq(one.origin().0, other.origin().0) {
        // Half of all pairs are turned, in no order that a branch could learn.
        let [a, b] = pair;
        let is_turned = b < a;
        return ((index, None), [select_unpredictable(is_turned, b, a), select_unpredictable(is_turned, a, b)]);
    }
    ((index, Some(other.index_stamp())), pair)
}

fn that_begin_with(object: Handle, pairs: &Ascending<[Handle; 2]>) -> impl Iterator<Item = [Handle; 2]> + '_ {
    pairs.behind(move |pair| pair[0] < object).take_while(move |pair| pair[0] == object)
}

/// The pairs by their second object, in ascending order.
fn turn(pairs: impl Iterator<Item = [Handle; 2]>) -> Vec<[Handle; 2]> {
    let mut turned: Vec<_> = pairs.map(|[a, b]| [b, a]).collect();
    turned.sort_unstable();
    turned
}

/// Leaves out the lists that are kept for their memory.
impl Clone for Contacts {
    fn clone(&self) -> Self {
        Self::restored(self.polled.index, self.pairs.clone())
    }
}

impl Default for Contacts {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Contacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contacts").field("pairs", &self.len()).finish_non_exhaustive()
    }
}
