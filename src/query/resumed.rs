//! A cursor that has the index at hand again: an iterator.

use core::fmt;
use core::iter::FusedIterator;

use super::Predicate;
use super::course::{Course, Meter};
use super::cursor::{Cursor, Next};
use crate::geometry::{Rect, Region, Scalar};
use crate::index::{ObjectRef, SpatialIndex};

/// What is left of a paused query.
///
/// Made by [`SpatialIndex::resume`]. Yields what [`Cursor`] says, and can be paused again.
#[must_use = "a query does nothing until it is iterated"]
pub struct Resumed<'a, T, P, S = f32, const D: usize = 2, R = Rect<S, D>> {
    index: &'a SpatialIndex<T, S, D>,
    cursor: Cursor<P, S, D, R>,
    course: Option<Course<D>>,
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> Resumed<'a, T, P, S, D, R> {
    pub(super) fn new(index: &'a SpatialIndex<T, S, D>, cursor: Cursor<P, S, D, R>) -> Self {
        Self { index, cursor, course: None }
    }

    /// Puts the query aside again, so that the index may change.
    pub fn pause(mut self) -> Cursor<P, S, D, R> {
        self.cursor.halt(self.index, self.course, &mut Meter::endless());
        self.cursor
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> Iterator for Resumed<'a, T, P, S, D, R> {
    type Item = ObjectRef<'a, T, S, D>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.cursor.go_on(self.index, &mut self.course, &mut Meter::endless()) {
            Next::Found(object) => Some(object),
            Next::Spent | Next::Done => None,
        }
    }
}

impl<T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>> FusedIterator for Resumed<'_, T, P, S, D, R> {}

impl<T, P: Clone, S: Scalar, const D: usize, R: Clone> Clone for Resumed<'_, T, P, S, D, R> {
    fn clone(&self) -> Self {
        Self { index: self.index, cursor: self.cursor.clone(), course: self.course.clone() }
    }
}

impl<T, P, S: Scalar, const D: usize, R: fmt::Debug> fmt::Debug for Resumed<'_, T, P, S, D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resumed").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}
