//! Conditions on objects, which a query takes along: `matching`.
//!
//! The tree knows nothing of them, so walks and tests of shapes are compiled without.

use super::iterator::Query;
use super::relation::Predicate;
use crate::geometry::{Region, Scalar};
use crate::index::ObjectRef;
use crate::key::Place;
use crate::tree::positions;

/// The conditions of a query: `()`, or those set before and one more.
pub trait Condition<T, S, const D: usize> {
    /// Whether there are none.
    const IS_NONE: bool = false;

    fn holds(&self, object: ObjectRef<'_, T, S, D>) -> bool;
}

impl<T, S, const D: usize> Condition<T, S, D> for () {
    const IS_NONE: bool = true;

    #[inline(always)]
    fn holds(&self, _object: ObjectRef<'_, T, S, D>) -> bool {
        true
    }
}

impl<T, S, const D: usize, C, F> Condition<T, S, D> for (C, F)
where
    C: Condition<T, S, D>,
    F: Fn(ObjectRef<'_, T, S, D>) -> bool,
{
    #[inline]
    fn holds(&self, object: ObjectRef<'_, T, S, D>) -> bool {
        self.0.holds(object) && self.1(object)
    }
}

impl<'a, T, P: Predicate, S: Scalar, const D: usize, R: Region<S, D>, C: Condition<T, S, D>>
    Query<'a, T, P, S, D, R, C>
{
    /// Keeps the objects for which a function says `true`. Of several calls, all must. In contrast to
    /// [`filter`](Iterator::filter), the result is a query: it can be [grouped](Self::clusters), [paused](Self::pause), narrowed
    /// further, and shared by threads.
    ///
    /// The function is asked once about each object that the query comes to, before that is yielded or counted, at the same cost as
    /// in `filter`; so [`count`](Iterator::count) visits all objects. A [`Cursor`](crate::Cursor) keeps the function, and cannot be
    /// saved.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let even = index.iter().matching(|unit| unit.value() % 2 == 0);
    /// assert_eq!(even.clone().count(), 50);
    /// let first = even.clusters(10.0)?.find(|cluster| cluster.cell == [0, 5]).expect("there is one");
    /// assert_eq!((first.count, first.mean), (5, [4.0, 50.0])); // of 0, 2, 4, 6, 8
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn matching<F: Fn(ObjectRef<'_, T, S, D>) -> bool>(self, condition: F) -> Query<'a, T, P, S, D, R, (C, F)> {
        let Self { index, question, scanner, handles, condition: before } = self;
        Query { index, question, scanner, handles, condition: (before, condition) }
    }

    /// Those of some entries of a bucket, given by its first place, that meet the conditions.
    #[inline]
    pub(crate) fn kept(&self, bucket: Place, hits: u64) -> u64 {
        if C::IS_NONE || hits == 0 {
            return hits;
        }
        let handles = self.index.space.trees.arena().handles(bucket);
        let object = |position: u8| ObjectRef::new(self.index, bucket.at(position), handles[usize::from(position)]);
        positions(hits).fold(0, |kept, at| kept | u64::from(self.condition.holds(object(at))) << at)
    }
}
