//! Pairs found by several threads: the parallel iterator that `into_par_iter` returns.
//!
//! It divides a list of sources and knows nothing of how a pair is found. Keeps Q11 and Q13 of `docs/invariants.md`
//! across threads.

use core::fmt;

use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Join;
use super::crowds::Crowds;
use super::group::Group;
use super::pairing::Pairing;
use super::sources::{Sources, Task};
use crate::geometry::Scalar;
use crate::index::ObjectRef;

/// The parallel form of [`Join`] and [`Pairs`](super::Pairs). `into_par_iter`, of rayon's `IntoParallelIterator`,
/// returns it.
///
/// It yields the same pairs; collected, they are in the same order. It allocates a list of all buckets first.
///
/// ```
/// use quadrille::{Quadtree, Rect};
/// use rayon::prelude::*;
///
/// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let bodies = index.add_rect_layer()?;
/// for x in [10.0, 20.0, 30.0] {
///     index.insert(bodies, Rect::new([x, 50.0], [x + 10.0, 60.0]), x)?;
/// }
/// assert_eq!(index.pairs().into_par_iter().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct ParJoin<'a, 'b, T, U, S = f32, const D: usize = 2>(Join<'a, 'b, T, U, S, D>);

/// The parallel form of [`Pairs`](super::Pairs).
///
/// ```
/// # use quadrille::{ParPairs, Quadtree, Rect};
/// # use rayon::prelude::*;
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let close: ParPairs<u16> = index.pairs().within(1.0).into_par_iter();
/// assert_eq!(close.count(), 99);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type ParPairs<'a, T, S = f32, const D: usize = 2> = ParJoin<'a, 'a, T, T, S, D>;

/// A part of the sources.
struct Share<'a, 'l, M, S, const D: usize> {
    task: Task<'a, 'l, S, D>,
    pairing: Pairing<S, D>,
    crowds: Crowds<S, D>,
    /// Makes an item of two places and handles.
    make: M,
}

impl<I, M, S: Scalar, const D: usize> UnindexedProducer for Share<'_, '_, M, S, D>
where
    M: Fn(&Crowds<S, D>, [Group; 2], [u8; 2]) -> I + Clone + Send,
{
    type Item = I;

    fn split(mut self) -> (Self, Option<Self>) {
        let rest = self.pairing.split(&self.task);
        let rest =
            rest.map(|pairing| Self { task: self.task, pairing, crowds: self.crowds.clone(), make: self.make.clone() });
        (self, rest)
    }

    fn fold_with<F: Folder<I>>(mut self, mut folder: F) -> F {
        while !folder.full() {
            if self.pairing.found.is_empty() && !self.pairing.advance(&self.task, &mut self.crowds) {
                break;
            }
            let (groups, positions) = (self.pairing.found.groups(), self.pairing.found.next_positions());
            folder = folder.consume((self.make)(&self.crowds, groups, positions));
        }
        folder
    }
}

impl<'a, 'b, T: Sync, U: Sync, S: Scalar, const D: usize> ParallelIterator for ParJoin<'a, 'b, T, U, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let Join { index, other, are_one, mut pairing, some, mut crowds, .. } = self.0;
        let mut task = super::task((index, other), are_one, some.as_deref());
        let list;
        if some.is_none() {
            list = pairing.list_rest(&task, &mut crowds);
            task.sources = Sources::Listed(&list);
        }
        let make = |crowds: &Crowds<S, D>, [first, second]: [Group; 2], at: [u8; 2]| {
            let of_first = super::handles(&index.space, first);
            let of_second = super::handles(&other.space, second);
            (crowds.object(index, first, at[0], of_first), crowds.object(other, second, at[1], of_second))
        };
        bridge_unindexed(Share { task, pairing, crowds, make }, consumer)
    }
}

impl<'a, 'b, T: Sync, U: Sync, S: Scalar, const D: usize> IntoParallelIterator for Join<'a, 'b, T, U, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>);
    type Iter = ParJoin<'a, 'b, T, U, S, D>;

    fn into_par_iter(self) -> Self::Iter {
        ParJoin(self)
    }
}

impl<T, U, S: Scalar, const D: usize> Clone for ParJoin<'_, '_, T, U, S, D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T, U, S: Scalar, const D: usize> fmt::Debug for ParJoin<'_, '_, T, U, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParJoin").field(&self.0).finish()
    }
}
