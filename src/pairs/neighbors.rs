//! `Neighbors`: the question for the neighbors of each object, and its filters. It looks up the values of what a search has
//! gathered.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;
use core::iter::{self, FusedIterator};
use core::slice;

use super::around::AroundSearch;
use super::gathered::Center;
use super::sides::{Group, Sides};
use super::sources::Sources;
use crate::geometry::{Rect, Scalar};
use crate::index::{Object, ObjectRef, SpatialIndex};
use crate::key::{Excluded, Handle, IntoHandles, LayerId, LayerSet};
use crate::layer::Points;
use crate::periodic::Periodic;
use crate::query::Condition;
use crate::tree::{BUCKET_SLOTS, positions};

/// The question for the neighbors of each object: all others that share a point with it, or are
/// [`within`](Self::within) a distance. [`SpatialIndex::neighbors`] and its like return it.
///
/// [`for_each`](Self::for_each), [`map`](Self::map) and, with the feature `rayon`, `par_map` tell one object after the
/// other, each with its neighbors. An object without neighbors is told too. The order is not specified, but the same
/// whenever the same operations led to the index, and on several threads.
///
/// It looks for the neighbors of up to 64 objects that lie close together at once, in some half of the time of a query
/// for each, up to nine tenths with thousands of neighbors: what lies around them is gathered with its values, in some 50
/// bytes each, and kept for as long as they are told.
///
/// ```
/// # use quadrille::{Neighbors, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let near: Neighbors<u16> = index.neighbors().within(1.0);
/// assert_eq!(near.map(|_, others| others.count()).sum::<usize>(), 198); // two each, but for both ends
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct Neighbors<'a, T, S = f32, const D: usize = 2, C = Object<&'a T, S, D>, M = ()> {
    index: &'a SpatialIndex<T, S, D>,
    pub(super) search: AroundSearch<'a, S, D>,
    /// All that is gathered around the current objects, by number.
    gathered: Vec<Object<&'a T, S, D>>,
    /// How a center is told, given its layer.
    told_as: fn(&'a SpatialIndex<T, S, D>, u8, &Center<S, D>) -> C,
    /// Those that are nobody's neighbors, and the conditions on the others.
    excluded: Excluded<Handle>,
    condition: M,
}

/// An iterator over the neighbors of one object, as [`Neighbors`] tells them: never the object itself. The order is not
/// specified.
///
/// ```
/// # use quadrille::{Around, Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let sum = |others: Around<u16>| others.map(|other| *other.value).sum::<u16>();
/// assert!(index.neighbors().within(1.0).map(|unit, others| (*unit.value, sum(others))).any(|told| told == (7, 6 + 8)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Around<'g, 'a, T, S = f32, const D: usize = 2> {
    gathered: &'g [Object<&'a T, S, D>],
    /// The hits in the current word, the number of the first object behind it, and the words behind it.
    hits: u64,
    behind: usize,
    words: &'g [u64],
    /// The numbers of the nearest, if these are wanted.
    nearest: slice::Iter<'g, u32>,
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns for every object its neighbors: all other objects that share at least one point with it, or are
    /// [`within`](Neighbors::within) a distance. It is the question for a flock, where each looks at those around it, and
    /// takes less time than a query for each.
    ///
    /// The neighbors of an object are those that [`within_distance`](Self::within_distance) finds from a point, without the
    /// object itself. If each two of them are needed only once, as for forces, ask for [`pairs`](Self::pairs).
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let boids = index.add_point_layer()?;
    /// for speed in [1.0, 2.0, 6.0] {
    ///     index.insert(boids, [10.0 * speed, 50.0], speed)?;
    /// }
    /// let mut means = vec![0.0; 4];
    /// index.neighbors().in_layers(boids).within(25.0).for_each(|boid, others| {
    ///     let (count, sum) = others.fold((0.0, 0.0), |(count, sum), other| (count + 1.0, sum + other.value));
    ///     means[boid.handle.slot()] = if count == 0.0 { *boid.value } else { sum / count };
    /// });
    /// assert_eq!(means[1..], [2.0, 1.0, 6.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("neighbours", "flock", "boids"))]
    pub fn neighbors(&self) -> Neighbors<'_, T, S, D> {
        self.neighbors_around(Sources::centers(None))
    }

    /// Returns for each of `objects` its neighbors among all objects. A handle that occurs twice counts once, and one
    /// without an object is ignored. This call makes a list of the objects, in `O(n log n)`.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let counts = index.neighbors_of(&handles[..3]).within(2.0).map(|unit, others| (*unit.value, others.count()));
    /// let mut counts: Vec<_> = counts.collect();
    /// counts.sort();
    /// assert_eq!(counts, [(0, 2), (1, 3), (2, 4)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn neighbors_of(&self, objects: impl IntoIterator<Item = impl Borrow<Handle>>) -> Neighbors<'_, T, S, D> {
        self.neighbors_around(Sources::centers(Some(self.sources_of(objects))))
    }

    /// Returns for each of some points its neighbors, which are all objects there or within a distance. A point is told by
    /// its number, counted from 0. One without finite coordinates has no neighbors. This call makes a list of the points, and
    /// sorts it by place.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut counts = [0; 3];
    /// let lamps = [[90.0, 50.0], [0.0, 50.0], [0.0, 0.0]];
    /// index.neighbors_at(lamps).within(5.0).for_each(|number, units| counts[number] = units.count());
    /// assert_eq!(counts, [11, 6, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn neighbors_at(&self, points: impl IntoIterator<Item = impl Into<[S; D]>>) -> Neighbors<'_, T, S, D, usize> {
        let mut list = Vec::new();
        // Not by `collect`, which believes a size hint.
        for point in points {
            list.push((list.len(), point.into()));
        }
        self.sort_by_place::<Points, _, _>(&mut list, |point: &(usize, [S; D])| point.1);
        let Neighbors { index, search, gathered, excluded, condition, .. } = self.neighbors();
        let told_as = |_: &_, _, center: &Center<S, D>| center.number;
        Neighbors { index, search: search.at(list), gathered, told_as, excluded, condition }
    }

    fn neighbors_around(&self, sources: Sources) -> Neighbors<'_, T, S, D> {
        let search = AroundSearch::new(Sides::new(&self.space, &self.space, true), sources);
        let excluded = Excluded::none();
        Neighbors { index: self, search, gathered: Vec::new(), told_as: center, excluded, condition: () }
    }
}

impl<'a, T, S: Scalar, const D: usize, C, M: Condition<T, S, D>> Neighbors<'a, T, S, D, C, M> {
    /// Restricts the objects and their neighbors to a set of layers. Repeated calls keep only layers in all sets.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// index.insert(units, [5.0, 2.0], "scout")?;
    /// assert_eq!(index.neighbors().map(|_, others| others.count()).sum::<usize>(), 2); // it stands on the wall
    /// assert_eq!(index.neighbors().in_layers(units).map(|_, others| others.count()).sum::<usize>(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(self, layers: impl Into<LayerSet>) -> Self {
        let layers = layers.into();
        self.between(layers, layers)
    }

    /// Restricts the objects to one set of layers, and their neighbors to another: the hawks around each boid. A point of
    /// [`neighbors_at`](SpatialIndex::neighbors_at) is in all layers.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (boids, hawks) = (index.add_point_layer()?, index.add_point_layer()?);
    /// index.insert(boids, [5.0, 2.0], "boid")?;
    /// index.insert(boids, [50.0, 2.0], "far boid")?;
    /// index.insert(hawks, [5.0, 4.0], "hawk")?;
    /// let seen = index.neighbors().between(boids, hawks).within(9.0).map(|boid, hawks| (*boid.value, hawks.count()));
    /// let mut seen: Vec<_> = seen.collect();
    /// seen.sort();
    /// assert_eq!(seen, [("boid", 1), ("far boid", 0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(mut self, objects: impl Into<LayerSet>, neighbors: impl Into<LayerSet>) -> Self {
        self.search.restrict([objects.into(), neighbors.into()]);
        self
    }

    /// Makes all others neighbors that are at most `distance` away, instead of those that share a point. If called again,
    /// the last one holds.
    ///
    /// The distance of two objects is that of their closest points, compared as by [`Nearest`](crate::Nearest). Objects
    /// exactly that far away are neighbors. With a negative distance or a NaN no object has any; with an infinite one, all
    /// others.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let all = |distance| index.neighbors().within(distance).map(|_, others| others.count()).sum::<usize>();
    /// assert_eq!([all(1.0), all(0.9), all(f32::NAN), all(f32::INFINITY)], [198, 0, 0, 100 * 99]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(mut self, distance: S) -> Self {
        self.search.wanted = self.search.wanted.within(distance);
        self
    }

    /// Leaves to each only its nearest neighbors: at most this many, in the order of [`nearest`](SpatialIndex::nearest), which is
    /// by distance, then by handle. They are the nearest of all others that [match](Self::matching) or, with [`within`](Self::within), of those at most that
    /// far away. If called again, the last call holds.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// index.neighbors().nearest(3).for_each(|unit, others| {
    ///     let others: Vec<u16> = others.map(|other| *other.value).collect();
    ///     assert!(*unit.value != 0 || others == [1, 2, 3]);
    ///     assert!(*unit.value != 7 || others == [6, 8, 5]); // 9 is as near as 5
    /// });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "knn")]
    pub fn nearest(mut self, count: usize) -> Self {
        self.search.wanted = self.search.wanted.nearest(count);
        self
    }

    /// Looks for neighbors in a world that wraps around: others are neighbors if an image of them is near enough. Each
    /// comes once, in however many images it is near. See [`Periodic`] for the objects that count and the cost, and
    /// [`Periodic::displacement`] for the way to a neighbor.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let ring = index.neighbors().within(1.0).periodic(&torus);
    /// assert!(ring.map(|_, others| others.count()).all(|count| count == 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn periodic(mut self, torus: &Periodic<S, D>) -> Self {
        self.search.world = Some(torus.over(&self.index.space));
        self
    }

    /// Keeps the neighbors for which a function says `true`, before the [nearest](Self::nearest) are counted. If called again,
    /// all functions must. Each object is visited all the same.
    ///
    /// The function is asked once about all that is gathered around a few objects that lie close together, not for each of
    /// them. It is asked most where fewer match than [`nearest`](Self::nearest) wants: for these it comes to all objects.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let even = index.neighbors().matching(|unit| unit.value() % 2 == 0).nearest(2);
    /// even.for_each(|unit, others| {
    ///     let others: Vec<u16> = others.map(|other| *other.value).collect();
    ///     assert!(*unit.value != 7 || others == [6, 8]);
    ///     assert!(*unit.value != 8 || others == [6, 10]);
    /// });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn matching<F: Fn(ObjectRef<'_, T, S, D>) -> bool>(self, condition: F) -> Neighbors<'a, T, S, D, C, (M, F)> {
        let Self { index, search, gathered, told_as, excluded, condition: before } = self;
        Neighbors { index, search, gathered, told_as, excluded, condition: (before, condition) }
    }

    /// Makes an object, or several, nobody's neighbor: `.excluding([a, b])`. Several calls exclude the objects of all of them.
    /// These objects are told all the same.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let near = index.neighbors().within(1.0).excluding(handles[7]);
    /// assert_eq!(near.map(|_, others| others.count()).sum::<usize>(), 196); // not of 6, not of 8
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn excluding(mut self, objects: impl IntoHandles) -> Self {
        self.excluded.add(objects.into_handles());
        self
    }

    /// Calls a function with each object and its neighbors.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// index.neighbors().in_layers(units).within(1.0).for_each(|unit, others| {
    ///     for other in others {
    ///         let way = other.shape.min()[0] - unit.shape.min()[0];
    ///         assert_eq!((way.abs(), unit.value.abs_diff(*other.value)), (1.0, 1));
    ///     }
    /// });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_each(mut self, mut tell: impl FnMut(C, Around<'_, 'a, T, S, D>)) {
        while self.advance() {
            while self.tell_gathered(&mut tell).is_some() {}
        }
    }

    /// Returns an iterator over what a function makes of each object and its neighbors. It looks for no more neighbors once
    /// you stop.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut lonely = index.neighbors().within(1.0).map(|unit, others| (others.count() < 2).then_some(*unit.value));
    /// assert!(lonely.find_map(|unit| unit).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map<R>(mut self, mut tell: impl FnMut(C, Around<'_, 'a, T, S, D>) -> R) -> impl Iterator<Item = R> {
        iter::from_fn(move || self.tell(&mut tell))
    }

    /// The same question for another thread.
    #[cfg(feature = "rayon")]
    pub(super) fn lent(&self) -> Neighbors<'a, T, S, D, C, &M> {
        let Self { index, told_as, ref search, ref gathered, ref excluded, ref condition } = *self;
        let (search, gathered, excluded) = (search.clone(), gathered.clone(), excluded.clone());
        Neighbors { index, search, gathered, told_as, excluded, condition }
    }

    /// Tells the next object.
    #[inline]
    pub(super) fn tell<R>(&mut self, tell: &mut impl FnMut(C, Around<'_, 'a, T, S, D>) -> R) -> Option<R> {
        loop {
            if self.search.is_told() && !self.advance() {
                return None;
            }
            if let Some(told) = self.tell_gathered(tell) {
                return Some(told);
            }
        }
    }

    /// Tells the next of the objects around which others have been gathered.
    #[inline(always)]
    fn tell_gathered<R>(&mut self, tell: &mut impl FnMut(C, Around<'_, 'a, T, S, D>) -> R) -> Option<R> {
        let (layer, gathered) = (self.search.source.layer, &self.gathered);
        let (center, words, nearest) = self.search.next_center(|number| gathered[number].handle)?;
        let (hits, behind, words) =
            words.split_first().map_or((0, 0, words), |(&hits, rest)| (hits, BUCKET_SLOTS, rest));
        let center = (self.told_as)(self.index, layer, center);
        Some(tell(center, Around { gathered, hits, behind, words, nearest: nearest.iter() }))
    }

    /// Goes on to further objects.
    #[inline(never)]
    fn advance(&mut self) -> bool {
        let Self { index, search, gathered, excluded, condition, .. } = self;
        let keep = |sides: &Sides<'a, 'a, S, D>, group: Group, hits: u64| {
            if M::IS_NONE && excluded.is_empty() {
                return hits;
            }
            let is_kept = |at: u8| {
                let handle = sides.entries(group).0.handles()[usize::from(at)];
                !excluded.has(handle) && condition.holds(ObjectRef::new(index, group.bucket.at(at), handle))
            };
            positions(hits).fold(0, |kept, at| kept | u64::from(is_kept(at)) << at)
        };
        search.advance(keep, |number, layer, handle, shape| {
            let object = object(index, layer, handle, shape);
            match gathered.get_mut(number) {
                Some(gathered) => *gathered = object,
                // Numbers are left out between images.
                None => gathered.resize(number + 1, object),
            }
        })
    }
}

/// A center as an object.
fn center<'a, T, S: Scalar, const D: usize>(
    index: &'a SpatialIndex<T, S, D>,
    layer: u8,
    center: &Center<S, D>,
) -> Object<&'a T, S, D> {
    object(index, index.space.layers.id(usize::from(layer)), center.handle, center.shape)
}

#[inline]
fn object<T, S: Scalar, const D: usize>(
    index: &SpatialIndex<T, S, D>,
    layer: LayerId,
    handle: Handle,
    shape: Rect<S, D>,
) -> Object<&T, S, D> {
    Object { handle, layer, shape, value: index.values.of_entry(handle) }
}

impl<'a, T, S: Scalar, const D: usize> Iterator for Around<'_, 'a, T, S, D> {
    type Item = Object<&'a T, S, D>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        while self.hits == 0 {
            let Some((&hits, words)) = self.words.split_first() else {
                return self.nearest.next().map(|&number| self.gathered[number as usize]);
            };
            (self.hits, self.words) = (hits, words);
            self.behind += BUCKET_SLOTS;
        }
        let number = self.behind - BUCKET_SLOTS + self.hits.trailing_zeros() as usize;
        self.hits &= self.hits - 1;
        Some(self.gathered[number])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len(), Some(self.len()))
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, init: A, mut f: F) -> A {
        let Self { gathered, mut hits, mut behind, mut words, nearest } = self;
        let mut folded = init;
        loop {
            for at in positions(hits) {
                folded = f(folded, gathered[behind + usize::from(at) - BUCKET_SLOTS]);
            }
            let Some((&next, rest)) = words.split_first() else { break };
            (hits, words) = (next, rest);
            behind += BUCKET_SLOTS;
        }
        nearest.fold(folded, |folded, &number| f(folded, gathered[number as usize]))
    }

    fn count(self) -> usize {
        self.len()
    }
}

impl<T, S: Scalar, const D: usize> ExactSizeIterator for Around<'_, '_, T, S, D> {
    #[inline]
    fn len(&self) -> usize {
        let hits = self.words.iter().fold(self.hits.count_ones(), |len, hits| len + hits.count_ones());
        hits as usize + self.nearest.len()
    }
}

impl<T, S: Scalar, const D: usize> FusedIterator for Around<'_, '_, T, S, D> {}

impl<T, S: Scalar, const D: usize> Clone for Around<'_, '_, T, S, D> {
    fn clone(&self) -> Self {
        Self { nearest: self.nearest.clone(), ..*self }
    }
}

impl<T, S: Scalar, const D: usize> fmt::Debug for Around<'_, '_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone().map(|object| object.handle)).finish()
    }
}

impl<T, S: Scalar, const D: usize, C, M: Clone> Clone for Neighbors<'_, T, S, D, C, M> {
    fn clone(&self) -> Self {
        let (excluded, condition) = (self.excluded.clone(), self.condition.clone());
        Self { search: self.search.clone(), gathered: self.gathered.clone(), excluded, condition, ..*self }
    }
}

impl<T, S: Scalar, const D: usize, C, M> fmt::Debug for Neighbors<'_, T, S, D, C, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Neighbors").field("between", &self.search.sides.layers).finish_non_exhaustive()
    }
}
