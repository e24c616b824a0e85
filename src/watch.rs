//! Watches: the objects that have entered and left the answer of a query since the last poll; and `contacts`, the same
//! for pairs.
//!
//! A watch is the memory of an answer: a list of handles. It does not know which query gave the answer, nor why the
//! next one differs. It may be told which objects have moved: then the answer is about these, and the rest stays.
//! Keeps invariants W1 and W2 of `docs/invariants.md`.

mod known;
mod polled;
mod ascending;
mod contacts;
mod handle_set;
#[cfg(feature = "serde")]
mod saved;

use alloc::vec::Vec;
use core::fmt;

use crate::geometry::Scalar;
use crate::index::ObjectRef;
use crate::key::{Handle, Stamp};
use known::{Known, Memory, put_in, take_out};
use polled::Polled;

pub use contacts::{ContactChanges, Contacts};
pub use polled::PollError;

/// The changes between two polls of a [`Watch`]. Handles are in ascending order.
///
/// ```
/// # use quadrille::{Quadtree, Rect, Watch};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut inside = Watch::new();
/// let changes = inside.poll(index.intersecting(Rect::new([0.0, 0.0], [1.0, 99.0])))?;
/// for &handle in changes.entered {
///     println!("{:?} has come", index.get(handle));
/// }
/// assert_eq!((changes.entered.len(), changes.left.len()), (2, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes<'w> {
    /// Objects that are in this answer and were not in the last one.
    pub entered: &'w [Handle],
    /// Objects that were in the last answer and are not in this one, removed objects included.
    pub left: &'w [Handle],
}

/// The memory of an answer. It reports how the next one differs: which objects have entered the area of interest of a
/// player, and which have left it.
///
/// Ask the query again at each [`poll`](Self::poll). Every cause counts: an object is moved, inserted, removed or put
/// into another layer, or the query itself is another one, about another region. A change that was undone between two polls
/// is not reported.
///
/// A watch is a list of handles. It borrows nothing and has no type parameters, so it can be a field of any struct. It
/// takes 8 bytes for each object inside, up to 25 where these are more than 512, and 8 for each that has entered or
/// left, and allocates only when these become more than ever before. With the feature `serde` it is saved as that list;
/// save your region beside it.
///
/// ```
/// # use quadrille::{Quadtree, Rect, Watch};
/// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// let [scout, guard] = [[5.0, 5.0], [8.0, 8.0]].map(|place| index.insert(units, place, ()).unwrap());
/// let mut view = Rect::new([0.0, 0.0], [10.0, 10.0]);
/// let mut inside = Watch::new();
/// assert_eq!(inside.poll(index.intersecting(view).in_layers(units))?.entered, [scout, guard]);
///
/// index.move_to(scout, [50.0, 5.0])?;
/// index.remove(guard);
/// let changes = inside.poll(index.intersecting(view).in_layers(units))?;
/// assert!(changes.entered.is_empty());
/// assert_eq!(changes.left, [scout, guard]);
///
/// view = Rect::new([40.0, 0.0], [60.0, 10.0]); // the player looks elsewhere
/// assert_eq!(inside.poll(index.intersecting(view).in_layers(units))?.entered, [scout]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("area of interest", "geofence"))]
pub struct Watch {
    polled: Polled<Stamp, Handle>,
    /// In ascending order, each once.
    inside: Vec<Handle>,
    memory: Memory,
}

impl Watch {
    /// Makes a watch that remembers nothing: at the first poll, all objects have entered.
    ///
    /// ```
    /// # use quadrille::Watch;
    /// assert!(Watch::new().inside().is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::of(None, Vec::new())
    }

    const fn of(index: Option<Stamp>, inside: Vec<Handle>) -> Self {
        Self { polled: Polled::of(index), inside, memory: Memory::new() }
    }

    /// Reads an answer, and returns its differences from the last one.
    ///
    /// The answer is any iterator over objects, or over what a search finds: a query, with a filter of your own, or some of the
    /// [nearest](crate::SpatialIndex::nearest). An object that it yields twice counts once, so several queries can be
    /// chained. Costs as much as the query and a look-up for each object that it yields; only what has entered is sorted,
    /// and other objects cost nothing. If the iterator panics, the last answer is kept, and the next poll is compared with it.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect, Watch};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let zone = Rect::new([0.0, 0.0], [5.0, 99.0]);
    /// let mut even = Watch::new();
    /// even.poll(index.intersecting(zone).filter(|unit| unit.value() % 2 == 0))?;
    /// assert_eq!(even.inside(), [handles[0], handles[2], handles[4]]);
    ///
    /// let mut nearest = Watch::new();
    /// nearest.poll(index.nearest([0.0, 50.0]).take(2))?;
    /// index.remove(handles[0]);
    /// let changes = nearest.poll(index.nearest([0.0, 50.0]).take(2))?;
    /// assert_eq!((changes.entered, changes.left), (&handles[2..3], &handles[..1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PollError::OtherIndex`] if an object is of another index than in all polls before. Nothing is changed
    /// then. (An answer without objects is of no index: then all have left.)
    pub fn poll<'a, T: 'a, S: Scalar, const D: usize>(
        &mut self,
        answer: impl IntoIterator<Item: Into<ObjectRef<'a, T, S, D>>>,
    ) -> Result<Changes<'_>, PollError> {
        let answer = answer.into_iter().map(|found| name_of(found.into()));
        let Self { polled, inside, memory } = self;
        // Tables of short lists are on the stack, which is in the cache.
        match inside.len() {
            0..=128 => polled.read(Known::new(inside, &mut [0_u8; 1024], &mut [false; 128]), answer)?,
            129..=512 => polled.read(Known::new(inside, &mut [0_u16; 2048], &mut [false; 512]), answer)?,
            _ => polled.read(Known::of(inside, memory), answer)?,
        }
        put_in(inside, &polled.come);
        Ok(Changes { entered: &polled.come, left: &polled.gone })
    }

    /// Reads an answer about some objects, and returns its differences from the last one: those that have moved since
    /// the last poll. All others are inside if they were.
    ///
    /// `moved` names the objects that were moved, inserted, removed, put into another layer or changed in a way that
    /// your filter asks for. `answer` yields the ones that are inside now. Then the result is the same as of
    /// [`poll`](Self::poll), as long as the question itself stays the same. After the poll, inside is every object
    /// of the answer, and every other one that was inside and is not named. So an object that you forget to
    /// name is found at the next `poll`. A handle may come twice, and may name an object that is gone, or never was.
    ///
    /// It pays where much is inside and little moves: a query costs as much as all that is inside, this as much as the
    /// answer, a search in the list for each handle, and a pass over the list where something changes. It allocates 8 bytes
    /// for each handle in `moved`.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect, Watch};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let country = Rect::new([10.0, 0.0], [90.0, 99.0]);
    /// let mut inside = Watch::new();
    /// inside.poll(index.intersecting(country))?;
    ///
    /// let moved = [handles[0], handles[50], handles[60]];
    /// index.move_to(moved[0], [20.0, 20.0])?;
    /// index.move_to(moved[1], [5.0, 5.0])?;
    /// index.remove(moved[2]);
    /// let there = moved.iter().filter_map(|&unit| index.object(unit)).filter(|unit| country.intersects(&unit.shape()));
    /// let changes = inside.poll_moved(&moved, there)?;
    /// assert_eq!((changes.entered, changes.left), (&moved[..1], &moved[1..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PollError::OtherIndex`] as for [`poll`](Self::poll). Handles in `moved` are not checked: handles of another
    /// index are taken for this one's.
    pub fn poll_moved<'a, T: 'a, S: Scalar, const D: usize>(
        &mut self,
        moved: &[Handle],
        answer: impl IntoIterator<Item: Into<ObjectRef<'a, T, S, D>>>,
    ) -> Result<Changes<'_>, PollError> {
        let mut named = moved.to_vec();
        named.sort_unstable();
        named.dedup();
        named.retain(|moved| self.inside.binary_search(moved).is_ok());
        let Self { polled, inside, memory } = self;
        polled.read(Known::of(&mut named, memory), answer.into_iter().map(|found| name_of(found.into())))?;
        // Who was inside without being named is not new either.
        polled.come.retain(|object| inside.binary_search(object).is_err());
        take_out(inside, &polled.gone);
        put_in(inside, &polled.come);
        Ok(Changes { entered: &polled.come, left: &polled.gone })
    }

    /// The objects of the last answer, in ascending order.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect, Watch};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut zone = Watch::new();
    /// zone.poll(index.intersecting(Rect::new([0.0, 0.0], [1.0, 99.0])))?;
    /// assert_eq!(zone.inside(), &handles[..2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn inside(&self) -> &[Handle] {
        &self.inside
    }
}

/// The name of an object: its index, and its handle.
fn name_of<T, S: Scalar, const D: usize>(object: ObjectRef<'_, T, S, D>) -> (Stamp, Handle) {
    (object.index_stamp(), object.handle())
}

/// Leaves out the lists that are kept for their memory.
impl Clone for Watch {
    fn clone(&self) -> Self {
        Self::of(self.polled.index, self.inside.clone())
    }
}

impl Default for Watch {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("inside", &self.inside.len()).finish_non_exhaustive()
    }
}
