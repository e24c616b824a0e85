//! `pairs`, `pairs_between`: which objects of an index meet each other.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use super::askers::{Askers, Asking, Sides, Task};
use super::pairing::Pairing;
use crate::geometry::{Proximity, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet, Place};

/// Pairs of objects that meet each other, or come near each other.
///
/// Made by [`pairs`](SpatialIndex::pairs), [`pairs_between`](SpatialIndex::pairs_between) and
/// [`pairs_of`](SpatialIndex::pairs_of). Yields each pair once, and no object with itself; in the same order whenever the
/// same operations led to the index. Does nothing before the first call of `next` and costs nothing more when it is
/// dropped early: two buckets of some fifty objects are looked through at a time. Allocates nothing, a list of the objects
/// that `pairs_of` is about apart. Cloning it keeps a place to come back to.
///
/// With the feature `rayon` it is an `IntoParallelIterator`.
#[must_use = "a query does nothing until it is iterated"]
pub struct Pairs<'a, T, S = f32, const D: usize = 2> {
    pub(super) index: &'a SpatialIndex<T, S, D>,
    pub(super) pairing: Pairing<S, D>,
    /// The objects that it is about, if it is not about all.
    pub(super) some: Option<Vec<Asking>>,
    /// The handles of the two buckets at hand: of the first objects, and of the second ones.
    handles: [&'a [Handle]; 2],
}

/// What is paired within an index: all objects with all, or some with all.
pub(super) fn task<'a, 'l, T, S: Scalar, const D: usize>(
    index: &'a SpatialIndex<T, S, D>,
    some: Option<&'l [Asking]>,
) -> Task<'a, 'l, S, D> {
    Task { sides: Sides::within(index), askers: some.map_or(Askers::All, Askers::Some) }
}

impl<'a, T, S: Scalar, const D: usize> Pairs<'a, T, S, D> {
    pub(super) fn new(index: &'a SpatialIndex<T, S, D>, some: Option<Vec<Asking>>) -> Self {
        let pairing = Pairing::new([LayerSet::ALL; 2], Some(Proximity::Touching), &task(index, some.as_deref()));
        Self { index, pairing, some, handles: [&[]; 2] }
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
        let task = task(self.index, self.some.as_deref());
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
        let task = task(self.index, self.some.as_deref());
        self.pairing = Pairing::new(self.pairing.between(), Proximity::within(distance), &task);
        self
    }

    /// Whether there is (still) any pair: stops at the first.
    #[must_use]
    pub fn exists(mut self) -> bool {
        self.next().is_some()
    }

    /// Goes on to the next two buckets with pairs.
    fn advance(&mut self) -> bool {
        let found = self.pairing.advance(&task(self.index, self.some.as_deref()));
        self.look_up_handles();
        found
    }

    fn look_up_handles(&mut self) {
        if !self.pairing.tile.is_empty() {
            self.handles = self.pairing.tile.buckets().map(|bucket| &self.index.forest.handles(bucket)[..]);
        }
    }
}

impl<'a, T, S: Scalar, const D: usize> Iterator for Pairs<'a, T, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'a, T, S, D>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.pairing.tile.is_empty() && !self.advance() {
            return None;
        }
        let [first, second] = self.pairing.tile.next_pair();
        let object = |handles: &[Handle], place: Place| {
            ObjectRef::new(self.index, place, handles[usize::from(place.position())])
        };
        Some((object(self.handles[0], first), object(self.handles[1], second)))
    }

    /// How many pairs are (still) to come. Looks up no handles.
    fn count(mut self) -> usize {
        self.pairing.count(&task(self.index, self.some.as_deref()))
    }
}

impl<T, S: Scalar, const D: usize> FusedIterator for Pairs<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> Clone for Pairs<'_, T, S, D> {
    fn clone(&self) -> Self {
        Self { index: self.index, pairing: self.pairing, some: self.some.clone(), handles: self.handles }
    }
}

impl<T, S: Scalar, const D: usize> fmt::Debug for Pairs<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pairs").field("between", &self.pairing.between()).finish_non_exhaustive()
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Every pair of objects that share at least one point, once: who collides with whom.
    ///
    /// | two objects | `pairs()` | `pairs().within(d)` |
    /// |---|---|---|
    /// | overlapping, or one inside the other | yes | yes |
    /// | touching; points that are equal, or on an edge | yes | yes |
    /// | `d` apart, or less | no | yes |
    /// | more than `d` apart | no | no |
    /// | an object and itself | no | no |
    ///
    /// for all layers, or for those of [`in_layers`](Pairs::in_layers). Which of the two objects comes first in a pair is
    /// not said, unless they come from different layers of [`pairs_between`](Self::pairs_between).
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let bodies = index.add_rect_layer()?;
    /// index.insert(bodies, Rect::new([10.0, 10.0], [20.0, 20.0]), "crate")?;
    /// index.insert(bodies, Rect::new([20.0, 15.0], [30.0, 30.0]), "barrel")?; // they touch
    /// index.insert(bodies, Rect::new([50.0, 50.0], [60.0, 60.0]), "door")?;
    /// for (one, other) in index.pairs() {
    ///     let mut names = [*one.value(), *other.value()];
    ///     names.sort();
    ///     assert_eq!(names, ["barrel", "crate"]);
    /// }
    /// assert_eq!(index.pairs().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "collisions")]
    #[doc(alias = "overlaps")]
    #[doc(alias = "self_join")]
    pub fn pairs(&self) -> Pairs<'_, T, S, D> {
        Pairs::new(self, None)
    }

    /// Every pair of objects that share at least one point, the first of one set of layers, the second of another: still
    /// walls against moving bodies. [`pairs`](Self::pairs) says what counts.
    ///
    /// Layers may be in both sets: each pair comes once all the same. Where both objects are of both sets, which of them
    /// comes first is not said. `pairs_between(all, all)` are all pairs.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, bodies) = (index.add_rect_layer()?, index.add_rect_layer()?);
    /// index.insert(walls, Rect::new([10.0, 0.0], [12.0, 90.0]), "wall")?;
    /// index.insert(walls, Rect::new([0.0, 10.0], [90.0, 12.0]), "crossing wall")?;
    /// index.insert(bodies, Rect::new([11.0, 40.0], [13.0, 42.0]), "ball")?;
    /// let (wall, body) = index.pairs_between(walls, bodies).next().unwrap();
    /// assert_eq!((*wall.value(), *body.value()), ("wall", "ball"));
    /// assert_eq!(index.pairs_between(walls, bodies).count(), 1); // not how walls cross
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs_between(&self, first: impl Into<LayerSet>, second: impl Into<LayerSet>) -> Pairs<'_, T, S, D> {
        self.pairs().between(first, second)
    }
}
