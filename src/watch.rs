//! Watches: the objects that have entered and left the results of a query since the last poll; and `contacts`, the same
//! for pairs.
//!
//! A watch keeps the handles inside and runs the whole query anew at each poll; it does not know why the results have
//! changed. Keeps invariant W1 of `docs/invariants.md`.

mod contacts;
#[cfg(feature = "serde")]
mod saved;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::mem;

use crate::geometry::{IntoRegion, Rect, Region, Scalar};
use crate::index::SpatialIndex;
use crate::key::{Handle, LayerSet, Stamp};
use crate::query::{Intersecting, Predicate, Query, name_of};

pub use contacts::{ContactChanges, Contacts};

/// A watch cannot be polled.
///
/// ```
/// # use quadrille::{PollError, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut zone = index.iter().watch();
/// let other: Quadtree<u16> = Quadtree::new(index.world())?;
/// assert_eq!(zone.poll(&other).err(), Some(PollError::OtherIndex));
/// assert!(zone.poll(&index.clone()).is_ok()); // a clone will do
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PollError {
    /// The watch was made from another index, not a clone of this one.
    #[error("the watch is of another index")]
    OtherIndex,
}

/// The changes between two polls of a [`Watch`]. Handles are in ascending order.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut zone = index.intersecting(Rect::new([0.0, 0.0], [1.0, 99.0])).watch();
/// let changes = zone.poll(&index)?;
/// for &handle in changes.entered {
///     println!("{:?} has come", index.get(handle));
/// }
/// assert_eq!((changes.entered.len(), changes.left.len()), (2, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes<'w> {
    /// Objects that match now and did not match at the last poll.
    pub entered: &'w [Handle],
    /// Objects that matched at the last poll and do not match now, removed ones included.
    pub left: &'w [Handle],
}

/// A query that is run again at each [`poll`](Self::poll) and tells which objects have entered and left: the area of
/// interest of a player, or a zone that objects enter.
///
/// [`Query::watch`] makes one of any query. It borrows nothing of the index. Any cause counts: an object is moved,
/// inserted, removed or put into another layer, or the region is [replaced](Self::set_region). A change that was undone
/// between two polls is not reported.
///
/// A poll costs as much as the query, and O(n log n) for the n objects inside; objects elsewhere cost nothing. The
/// watch takes 8 bytes for each object inside and for each that has entered or left, and allocates only when these
/// become more than ever before.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// let [scout, guard] = [[5.0, 5.0], [8.0, 8.0]].map(|place| index.insert(units, place, ()).unwrap());
/// let mut watch = index.intersecting(Rect::new([0.0, 0.0], [10.0, 10.0])).in_layers(units).watch();
/// assert_eq!(watch.poll(&index)?.entered, [scout, guard]);
///
/// index.move_to(scout, [50.0, 5.0])?;
/// index.remove(guard);
/// let changes = watch.poll(&index)?;
/// assert!(changes.entered.is_empty());
/// assert_eq!(changes.left, [scout, guard]);
///
/// watch.set_region(Rect::new([40.0, 0.0], [60.0, 10.0]));
/// assert_eq!(watch.poll(&index)?.entered, [scout]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "area of interest")]
#[doc(alias = "geofence")]
pub struct Watch<P = Intersecting, S = f32, const D: usize = 2, R = Rect<S, D>> {
    /// The stamp of the index.
    index: Stamp,
    predicate: PhantomData<(P, S)>,
    region: R,
    layers: LayerSet,
    excluded: Option<Handle>,
    /// The objects that matched at the last poll, in ascending order.
    inside: Vec<Handle>,
    /// The objects that match now, while a poll is under way. Both lists are kept for their memory.
    now: Vec<Handle>,
    entered: Vec<Handle>,
    left: Vec<Handle>,
}

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D> + Clone> Query<'_, T, P, S, D, R> {
    /// Makes a [`Watch`] of the query, from its beginning: the first poll reports all objects that match as entered.
    ///
    /// The restriction to layers and the excluded object stay.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut zone = index.intersecting(Rect::new([0.0, 0.0], [9.0, 99.0])).in_layers(units).watch();
    /// assert_eq!(zone.poll(&index)?.entered.len(), 10);
    /// index.remove(handles[3]);
    /// assert_eq!(zone.poll(&index)?.left, [handles[3]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn watch(self) -> Watch<P, S, D, R> {
        Watch {
            index: self.index().space.era().index,
            predicate: PhantomData,
            layers: self.layers_asked(),
            excluded: self.excluded(),
            region: self.region().clone(),
            inside: Vec::new(),
            now: Vec::new(),
            entered: Vec::new(),
            left: Vec::new(),
        }
    }
}

impl<P: Predicate, S: Scalar, const D: usize, R: Region<S, D> + Clone> Watch<P, S, D, R> {
    /// Runs the query again, and returns the changes since the last poll. At the first poll, all objects that match
    /// have entered.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut zone = index.intersecting(Rect::new([0.0, 0.0], [1.0, 99.0])).watch();
    /// assert_eq!(zone.poll(&index)?.entered, &handles[..2]);
    /// index.move_to(handles[0], [50.0, 50.0])?;
    /// assert_eq!(zone.poll(&index)?.left, [handles[0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PollError`] if the index is another one. The watch is unchanged then.
    pub fn poll<T>(&mut self, index: &SpatialIndex<T, S, D>) -> Result<Changes<'_>, PollError> {
        if index.space.era().index != self.index {
            return Err(PollError::OtherIndex);
        }
        let mut query = Query::<T, P, S, D, R>::new(index, self.region.clone()).in_layers(self.layers);
        if let Some(handle) = self.excluded {
            query = query.excluding(handle);
        }
        // The region is the user's and may panic, so the results of the last poll are kept until the query has ended.
        self.now.clear();
        self.now.extend(query.map(|object| object.handle()));
        self.now.sort_unstable();
        only_in(&self.now, &self.inside, &mut self.entered);
        only_in(&self.inside, &self.now, &mut self.left);
        mem::swap(&mut self.inside, &mut self.now);
        Ok(Changes { entered: &self.entered, left: &self.left })
    }

    /// Watches another region from now on. The next poll reports the difference.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut view = index.intersecting(Rect::new([0.0, 0.0], [1.0, 99.0])).watch();
    /// view.poll(&index)?;
    /// view.set_region(Rect::new([1.0, 0.0], [2.0, 99.0]));
    /// let changes = view.poll(&index)?;
    /// assert_eq!((changes.entered, changes.left), (&handles[2..3], &handles[..1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_region(&mut self, region: impl IntoRegion<S, D, Region = R>) {
        self.region = region.into_region();
    }
}

impl<P, S, const D: usize, R> Watch<P, S, D, R> {
    /// The watched region.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let region = Rect::new([0.0, 0.0], [1.0, 99.0]);
    /// assert_eq!(*index.intersecting(region).watch().region(), region);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn region(&self) -> &R {
        &self.region
    }

    /// The objects that matched at the last poll, in ascending order.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut zone = index.intersecting(Rect::new([0.0, 0.0], [1.0, 99.0])).watch();
    /// assert!(zone.inside().is_empty()); // not polled yet
    /// zone.poll(&index)?;
    /// assert_eq!(zone.inside(), &handles[..2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn inside(&self) -> &[Handle] {
        &self.inside
    }
}

/// Collects the handles, or pairs of them, of one ascending list that are not in another one.
fn only_in<H: Copy + Ord>(these: &[H], others: &[H], only: &mut Vec<H>) {
    only.clear();
    let mut others = others.iter().peekable();
    for this in these {
        while others.next_if(|other| *other < this).is_some() {}
        if others.peek() != Some(&this) {
            only.push(*this);
        }
    }
}

impl<P, S, const D: usize, R: Clone> Clone for Watch<P, S, D, R> {
    fn clone(&self) -> Self {
        Self {
            index: self.index,
            predicate: PhantomData,
            region: self.region.clone(),
            layers: self.layers,
            excluded: self.excluded,
            inside: self.inside.clone(),
            now: Vec::new(),
            entered: Vec::new(),
            left: Vec::new(),
        }
    }
}

impl<P, S, const D: usize, R: fmt::Debug> fmt::Debug for Watch<P, S, D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("predicate", &format_args!("{}", name_of::<P>()))
            .field("region", &self.region)
            .field("layers", &self.layers)
            .field("inside", &self.inside.len())
            .finish_non_exhaustive()
    }
}
