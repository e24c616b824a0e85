//! Pausing queries and resuming them: with the index, a cursor is an iterator again.
//!
//! [`Cursor`] owns the position. Keeps invariant C5 of `docs/invariants.md`.

use core::fmt;
use core::iter::FusedIterator;

use super::budget::{Budget, Next};
use super::{Cursor, ResumeError};
use crate::geometry::{Rect, Region, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::Handle;
use crate::query::{Condition, Predicate, Query, Scanner};
use crate::tree::BUCKET_SLOTS;

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C> Query<'_, T, P, S, D, R, C> {
    /// Pauses the query. The [`Cursor`] does not borrow the index, and can be resumed at any time, whatever has
    /// happened to the index since. Filters stay. [`Cursor`] describes which objects are then yielded, and the cost.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<u8> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let handles = index.insert_batch(units, (0..10_u8).map(|x| ([f32::from(x); 2], x)))?;
    /// let mut query = index.intersecting(Rect::new([0.0, 0.0], [7.0, 7.0]));
    /// assert_eq!(query.by_ref().take(3).count(), 3);
    /// let cursor = query.pause();
    /// index.move_to(handles[9], [99.0, 99.0])?; // a running query would not allow this
    /// assert_eq!(index.resume(cursor)?.count(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pause(self) -> Cursor<P, S, D, R, C> {
        Cursor::of_query(self)
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Resumes a paused query: returns an iterator over the rest, which can be paused again.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<u8> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// index.insert_batch(units, (0..10_u8).map(|x| ([f32::from(x); 2], x)))?;
    /// let mut cursor = index.iter().pause();
    /// for frame in 0..4 {
    ///     let mut query = index.resume(cursor)?;
    ///     assert_eq!(query.by_ref().take(3).count(), if frame < 3 { 3 } else { 1 });
    ///     cursor = query.pause();
    ///     index.optimize();
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ResumeError`] if the cursor is of another index, or if the world was set or the index cleared since its query
    /// began. The cursor is dropped then; clone it to keep it.
    pub fn resume<P: Predicate, R: Region<S, D>, C>(
        &self,
        mut cursor: Cursor<P, S, D, R, C>,
    ) -> Result<Resumed<'_, T, P, S, D, R, C>, ResumeError> {
        cursor.check(&self.space)?;
        Ok(Resumed { index: self, cursor, scanner: None, handles: None })
    }
}

/// An iterator over the rest of a paused query.
///
/// [`SpatialIndex::resume`] returns it. It yields the objects that [`Cursor`] describes, and can be paused again.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let cursor = index.iter().pause();
/// let mut rest = index.resume(cursor)?;
/// assert_eq!(rest.by_ref().take(30).count(), 30);
/// let cursor = rest.pause(); // and so on
/// assert_eq!(index.resume(cursor)?.count(), 70);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct Resumed<'a, T, P, S = f32, const D: usize = 2, R = Rect<S, D>, C = ()> {
    index: &'a SpatialIndex<T, S, D>,
    cursor: Cursor<P, S, D, R, C>,
    scanner: Option<Scanner>,
    /// The handles in the current bucket.
    handles: Option<&'a [Handle; BUCKET_SLOTS]>,
}

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C> Resumed<'_, T, P, S, D, R, C> {
    /// Pauses the query again, so that the index may change.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut rest = index.resume(index.iter().pause())?;
    /// let first = rest.next().expect("a hundred are left").handle();
    /// let cursor = rest.pause();
    /// index.remove(first);
    /// assert_eq!(index.resume(cursor)?.count(), 99);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pause(mut self) -> Cursor<P, S, D, R, C> {
        if let Some(scanner) = self.scanner {
            self.cursor.pause_at(&self.index.space, scanner, &mut Budget::endless());
        }
        self.cursor
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C: Condition<T, S, D>> Iterator
    for Resumed<'a, T, P, S, D, R, C>
{
    type Item = ObjectRef<'a, T, S, D>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // The most frequent case.
        if C::IS_NONE
            && let Some(scanner) = &mut self.scanner
            && let Some(handles) = self.handles
            && scanner.hits != 0
            && self.cursor.takes_each_hit()
        {
            let position = scanner.next_hit();
            let handle = handles[usize::from(position) % BUCKET_SLOTS];
            return Some(ObjectRef::new(self.index, scanner.bucket.at(position), handle));
        }
        self.next_in_cursor()
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C: Condition<T, S, D>>
    Resumed<'a, T, P, S, D, R, C>
{
    #[inline(never)]
    fn next_in_cursor(&mut self) -> Option<ObjectRef<'a, T, S, D>> {
        let space = &self.index.space;
        let next = self.cursor.next_object(self.index, &mut self.scanner, &mut Budget::endless());
        self.handles =
            self.scanner.filter(|scanner| scanner.hits != 0).map(|scanner| space.trees.arena().handles(scanner.bucket));
        let Next::Found(place, handle) = next else { return None };
        self.cursor.remember(handle);
        Some(ObjectRef::new(self.index, place, handle))
    }
}

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> FusedIterator for Resumed<'_, T, P, S, D, R> {}

impl<T, P: Clone, S: Scalar, const D: usize, R: Clone, C: Clone> Clone for Resumed<'_, T, P, S, D, R, C> {
    fn clone(&self) -> Self {
        Self { cursor: self.cursor.clone(), ..*self }
    }
}

impl<T, P, S: Scalar, const D: usize, R: fmt::Debug, C> fmt::Debug for Resumed<'_, T, P, S, D, R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resumed").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}
