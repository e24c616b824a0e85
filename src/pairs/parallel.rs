//! Pairs found by several threads.
//!
//! It divides a list of sources, and does not know how a pair is found. Keeps Q11 and Q13 of `docs/invariants.md`
//! across threads.

use core::iter;

use rayon::iter::plumbing::{Folder, UnindexedConsumer};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::join::Join;
use super::neighbors::{Around, Neighbors};
use crate::geometry::Scalar;
use crate::index::ObjectRef;
use crate::query::Condition;
use crate::threads::{Par, drive, parts_of};

impl<'a, 'b, T: Sync, U: Sync, S: Scalar, const D: usize> ParallelIterator for Par<Join<'a, 'b, T, U, S, D>> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let mut all = self.0;
        let parts = parts_of(all.search.list_sources());
        drive(parts, consumer, || (), |(), part, folder| folder.consume_iter(all.part(part)))
    }
}

impl<'a, 'b, T: Sync, U: Sync, S: Scalar, const D: usize> IntoParallelIterator for Join<'a, 'b, T, U, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>);
    type Iter = Par<Self>;

    fn into_par_iter(self) -> Self::Iter {
        Par(self)
    }
}

impl<'a, T: Sync, S: Scalar, const D: usize, C, M: Condition<T, S, D> + Send + Sync> Neighbors<'a, T, S, D, C, M> {
    /// Returns a parallel iterator over what a function makes of each object and its neighbors. Collected, it is in the
    /// order of [`map`](Self::map). It allocates a list of all buckets first.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// use rayon::prelude::*;
    ///
    /// let near = index.neighbors().within(1.0);
    /// let counts: Vec<usize> = near.clone().par_map(|_, others| others.count()).collect();
    /// assert_eq!(counts, near.map(|_, others| others.count()).collect::<Vec<_>>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn par_map<R: Send>(
        self,
        tell: impl Fn(C, Around<'_, 'a, T, S, D>) -> R + Send + Sync,
    ) -> impl ParallelIterator<Item = R> {
        ParNeighbors { neighbors: self, tell }
    }
}

struct ParNeighbors<'a, T, S, const D: usize, C, M, F> {
    neighbors: Neighbors<'a, T, S, D, C, M>,
    tell: F,
}

impl<'a, T, S, const D: usize, C, M, F, R> ParallelIterator for ParNeighbors<'a, T, S, D, C, M, F>
where
    T: Sync,
    S: Scalar,
    M: Condition<T, S, D> + Send + Sync,
    F: Fn(C, Around<'_, 'a, T, S, D>) -> R + Send + Sync,
    R: Send,
{
    type Item = R;

    fn drive_unindexed<G: UnindexedConsumer<R>>(self, consumer: G) -> G::Result {
        let Self { neighbors: mut all, tell } = self;
        let parts = parts_of(all.search.list_sources());
        drive(
            parts,
            consumer,
            || all.lent(),
            |neighbors, part, folder| {
                neighbors.search.turn_to(part, &all.search);
                folder.consume_iter(iter::from_fn(|| neighbors.tell(&mut &tell)))
            },
        )
    }
}
