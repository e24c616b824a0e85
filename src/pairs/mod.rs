//! Queries for pairs: which objects meet each other, or come near each other.
//!
//! Pairs within an index are its join with itself, each pair once. `sources` says which buckets look for partners,
//! `pairing` is where such a query stands, `bucket_pair` compares two buckets, by the `quantized` bounds of their
//! entries first. `self_join`, `pairs_of` and `join` are the methods. Takes nothing from region queries.
//!
//! Keeps invariants Q11 to Q13 of `docs/invariants.md`; the edge rules are in `docs/edges.md`.

mod bucket_pair;
mod join;
mod pairing;
mod pairs_of;
#[cfg(feature = "rayon")]
mod parallel;
mod quantized;
mod self_join;
mod sources;

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use crate::geometry::{Proximity, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet};
use pairing::Pairing;
use sources::{Source, Sources, Task};

#[cfg(feature = "rayon")]
pub use parallel::{ParJoin, ParPairs};

/// Pairs of objects that meet each other, or come near each other: of two indexes, or of one ([`Pairs`]).
///
/// Made by [`join`](SpatialIndex::join). Yields each pair once, in the same order whenever the same operations led to the
/// indexes. Does nothing before the first call of `next` and costs nothing more when it is dropped early: two buckets of
/// some fifty objects are looked through at a time. Cloning it keeps a place to come back to.
///
/// With the feature `rayon` it is an `IntoParallelIterator`.
#[must_use = "a query does nothing until it is iterated"]
pub struct Join<'a, 'b, T, U, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    other: &'b SpatialIndex<U, S, D>,
    /// Whether both are one index, whose objects do not meet themselves.
    are_one: bool,
    /// The objects that it is about, if it is not about all.
    some: Option<Vec<Source>>,
    pairing: Pairing<S, D>,
    /// The handles of the two buckets at hand: of the first objects, and of the second ones.
    handles: (&'a [Handle], &'b [Handle]),
}

/// Pairs of objects of one index: no object with itself.
///
/// Made by [`pairs`](SpatialIndex::pairs), [`pairs_between`](SpatialIndex::pairs_between) and
/// [`pairs_of`](SpatialIndex::pairs_of), which keeps a list of the objects that it is about.
pub type Pairs<'a, T, S = f32, const D: usize = 2> = Join<'a, 'a, T, T, S, D>;

/// The task of a join, as far as values do not matter.
fn task<'a, 'l, S, T, U, const D: usize>(
    (index, other): (&'a SpatialIndex<T, S, D>, &'a SpatialIndex<U, S, D>),
    are_one: bool,
    some: Option<&'l [Source]>,
) -> Task<'a, 'l, S, D> {
    Task { spaces: [&index.space, &other.space], are_one, sources: some.map_or(Sources::All, Sources::Some) }
}

impl<'a, T, S: Scalar, const D: usize> Pairs<'a, T, S, D> {
    fn within_index(index: &'a SpatialIndex<T, S, D>, some: Option<Vec<Source>>) -> Self {
        Self::new(index, index, true, some)
    }
}

impl<'a, 'b, T, U, S: Scalar, const D: usize> Join<'a, 'b, T, U, S, D> {
    fn new(
        index: &'a SpatialIndex<T, S, D>,
        other: &'b SpatialIndex<U, S, D>,
        are_one: bool,
        some: Option<Vec<Source>>,
    ) -> Self {
        let task = task((index, other), are_one, some.as_deref());
        let pairing = Pairing::new([LayerSet::ALL; 2], Some(Proximity::Touching), &task);
        Self { index, other, are_one, some, pairing, handles: (&[], &[]) }
    }

    fn task(&self) -> Task<'_, '_, S, D> {
        task((self.index, self.other), self.are_one, self.some.as_deref())
    }

    /// Restricts both objects of each pair to a set of layers, within those that they were restricted to before.
    ///
    /// The trees of other layers are not visited. Called after the first `next` it holds for what is still to come.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// index.insert(units, [5.0, 2.0], "scout")?;
    /// index.insert(units, [5.0, 2.0], "medic")?;
    /// assert_eq!(index.pairs().count(), 3);
    /// assert_eq!(index.pairs().in_layers(units).count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(self, layers: impl Into<LayerSet>) -> Self {
        let layers = layers.into();
        self.between(layers, layers)
    }

    /// Restricts the first object of each pair to one set of layers, the second to another one, within those that they
    /// were restricted to before: see [`pairs_between`](SpatialIndex::pairs_between).
    ///
    /// Called after the first `next` it holds for what is still to come.
    pub fn between(mut self, first: impl Into<LayerSet>, second: impl Into<LayerSet>) -> Self {
        let task = task((self.index, self.other), self.are_one, self.some.as_deref());
        self.pairing.restrict([first.into(), second.into()], &task);
        self.look_up_handles();
        self
    }

    /// Pairs what is at most so far apart, instead of what shares a point.
    ///
    /// The distance of two objects is that of their closest points, compared as by [`Nearest`](crate::Nearest): so what
    /// is just so far apart is paired. Nothing is within a negative distance, or within NaN; everything is within an
    /// infinite one. Called after the first `next` it begins anew.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// for x in [10.0, 13.0, 17.0] {
    ///     index.insert(units, [x, 50.0], x)?;
    /// }
    /// assert_eq!(index.pairs().within(3.0).count(), 1);
    /// assert_eq!(index.pairs().within(4.0).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(mut self, distance: S) -> Self {
        self.pairing = Pairing::new(self.pairing.between(), Proximity::within(distance), &self.task());
        self
    }

    /// Whether there is (still) any pair: stops at the first.
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.next().is_some()
    }

    /// Goes on to the next two buckets with pairs.
    fn advance(&mut self) -> bool {
        let task = task((self.index, self.other), self.are_one, self.some.as_deref());
        let found = self.pairing.advance(&task);
        self.look_up_handles();
        found
    }

    fn look_up_handles(&mut self) {
        if !self.pairing.found.is_empty() {
            let [first, second] = self.pairing.found.buckets();
            self.handles = (self.index.space.forest.handles(first), self.other.space.forest.handles(second));
        }
    }
}

impl<'a, 'b, T, U, S: Scalar, const D: usize> Iterator for Join<'a, 'b, T, U, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'b, U, S, D>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.pairing.found.is_empty() && !self.advance() {
            return None;
        }
        let [first, second] = self.pairing.found.next_pair();
        let handles = (self.handles.0[usize::from(first.position())], self.handles.1[usize::from(second.position())]);
        Some((ObjectRef::new(self.index, first, handles.0), ObjectRef::new(self.other, second, handles.1)))
    }

    /// How many pairs are (still) to come. Looks up no handles.
    fn count(mut self) -> usize {
        let task = task((self.index, self.other), self.are_one, self.some.as_deref());
        self.pairing.count(&task)
    }
}

impl<T, U, S: Scalar, const D: usize> FusedIterator for Join<'_, '_, T, U, S, D> {}

impl<T, U, S: Scalar, const D: usize> Clone for Join<'_, '_, T, U, S, D> {
    fn clone(&self) -> Self {
        Self { some: self.some.clone(), ..*self }
    }
}

impl<T, U, S: Scalar, const D: usize> fmt::Debug for Join<'_, '_, T, U, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.are_one { "Pairs" } else { "Join" };
        f.debug_struct(name).field("between", &self.pairing.between()).finish_non_exhaustive()
    }
}
