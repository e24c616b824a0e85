//! `nearest_by`: objects by ascending distance, as a metric of the user's measures it.
//!
//! It does not know in which order the trees are searched. Keeps invariants Q3 and Q8 of `docs/invariants.md`.

use core::fmt;
use core::iter::FusedIterator;

use super::best_first::{BestFirst, Distances};
use super::ranked::SearchBuffer;
use crate::geometry::{Rect, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet, Place};

/// A distance of your own for [`nearest_by`](SpatialIndex::nearest_by): over the globe, to the exact shape behind a box,
/// or weighted by what an object is.
///
/// A metric answers two questions: how far is this object, and how far are objects in this box *at least*. By the second
/// answer the search leaves out whole parts of the tree. Distances are `f64` in any unit; only their order counts.
/// They may be negative, and infinite.
///
/// Where an object is no more than its box, `bound` is the distance too, and the only method to write:
///
/// ```
/// use quadrille::{Metric, Quadtree, Rect};
///
/// /// As a taxi drives between streets at right angles.
/// struct Taxi {
///     from: [f32; 2],
/// }
///
/// impl<T> Metric<T> for Taxi {
///     fn bound(&self, rect: &Rect) -> f64 {
///         let gap = |axis: usize| {
///             let [min, max, at] = [rect.min()[axis], rect.max()[axis], self.from[axis]];
///             (min - at).max(at - max).max(0.0)
///         };
///         f64::from(gap(0) + gap(1))
///     }
/// }
///
/// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// index.insert(units, [14.0, 14.0], "diagonal")?; // nearer as the crow flies
/// index.insert(units, [17.0, 10.0], "straight")?;
/// let nearest = index.nearest_by(Taxi { from: [10.0, 10.0] }).next().unwrap();
/// assert_eq!((*nearest.object.value(), nearest.distance), ("straight", 7.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Where there is more to an object, `distance` looks at its handle or value. Here the boxes hold circles:
///
/// ```
/// use quadrille::{Metric, ObjectRef, Quadtree, Rect};
///
/// struct Disc {
///     radius: f64,
/// }
///
/// struct ToDiscs {
///     from: [f32; 2],
/// }
///
/// impl Metric<Disc> for ToDiscs {
///     fn bound(&self, rect: &Rect) -> f64 {
///         Rect::from_point(self.from).distance_squared(rect).sqrt()
///     }
///     fn distance(&self, object: &ObjectRef<'_, Disc>) -> f64 {
///         let center = Rect::from_point(object.shape().center());
///         (Rect::from_point(self.from).distance_squared(&center).sqrt() - object.value().radius).max(0.0)
///     }
/// }
///
/// let mut index: Quadtree<Disc> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let discs = index.add_rect_layer()?;
/// index.insert(discs, Rect::new([10.0, 10.0], [30.0, 30.0]), Disc { radius: 10.0 })?;
/// let nearest = index.nearest_by(ToDiscs { from: [32.0, 36.0] }).next().unwrap();
/// assert_eq!(nearest.distance, 10.0); // the corner of the box is nearer
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Rules for implementors
///
/// 1. **A bound is a bound.** `bound(rect)` is at most the distance of each object whose shape lies inside `rect`, to the
///    last bit: where it is rounded, it is rounded down.
/// 2. **The answers stay.** The same question has the same answer while a query runs.
///
/// A metric that breaks them makes a query yield objects out of order or, with [`within`](NearestBy::within), leave some
/// out. It causes no panic and no endless loop, and no object is yielded twice. A bound that is NaN says nothing: the
/// search looks there. An object whose distance is NaN is left out, which is the way to refuse an object. If a metric
/// panics, a query that is kept goes on where it was.
///
/// A lower bound that is too low costs time only. `f64::NEG_INFINITY` is always right; then all objects are looked at.
pub trait Metric<T, S: Scalar = f32, const D: usize = 2> {
    /// A lower bound of the distances of all objects whose shapes lie inside `rect`.
    ///
    /// It is asked about squares of the tree, about boxes around some objects, and about the shape of one object.
    /// Squares at the edge of the world reach to infinity, since objects that lie outside in part are stored there.
    fn bound(&self, rect: &Rect<S, D>) -> f64;

    /// The distance of an object: the bound of its shape, if not told otherwise.
    ///
    /// It is asked about an object once, and only if its bound is among the lowest. So it may be slow.
    fn distance(&self, object: &ObjectRef<'_, T, S, D>) -> f64 {
        self.bound(&object.shape())
    }
}

#[cfg(feature = "std")]
impl<T, S: Scalar> Metric<T, S> for crate::geometry::GreatCircle {
    fn bound(&self, rect: &Rect<S>) -> f64 {
        Self::bound(self, rect)
    }
    fn distance(&self, object: &ObjectRef<'_, T, S>) -> f64 {
        self.distance_to(&object.shape())
    }
}

/// A reference to a metric, for one that serves many queries.
impl<T, M: Metric<T, S, D> + ?Sized, S: Scalar, const D: usize> Metric<T, S, D> for &M {
    fn bound(&self, rect: &Rect<S, D>) -> f64 {
        (**self).bound(rect)
    }
    fn distance(&self, object: &ObjectRef<'_, T, S, D>) -> f64 {
        (**self).distance(object)
    }
}

/// An object and its distance by a metric. [`NearestBy`] yields it.
///
/// ```
/// # use quadrille::{GreatCircle, Quadtree, Rect};
/// # let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
/// # let stations = index.add_point_layer()?;
/// # let suva = index.insert(stations, [178.44, -18.14], "Suva")?;
/// # let papeete = index.insert(stations, [-149.57, -17.54], "Papeete")?;
/// let tonga = GreatCircle::new([-175.2, -21.14]);
/// let found = index.nearest_by(tonga).next().expect("there are stations");
/// println!("{}: {:.0} km", found.object.value(), found.distance / 1000.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NeighborBy<'a, T, S = f32, const D: usize = 2> {
    /// The object.
    pub object: ObjectRef<'a, T, S, D>,
    /// Its distance, as the metric measured it.
    pub distance: f64,
}

impl<T, S, const D: usize> Clone for NeighborBy<'_, T, S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S, const D: usize> Copy for NeighborBy<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> fmt::Debug for NeighborBy<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NeighborBy").field("object", &self.object).field("distance", &self.distance).finish()
    }
}

/// An iterator over objects by ascending distance, as a [`Metric`] measures it.
///
/// [`nearest_by`](SpatialIndex::nearest_by) returns it. It yields [`NeighborBy`]s. It is lazy: it asks the metric only
/// as far as it has to for the objects that it yields. A clone continues from the same position, with memory of its own.
///
/// ```
/// # use quadrille::{GreatCircle, Quadtree, Rect};
/// # let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
/// # let stations = index.add_point_layer()?;
/// # let suva = index.insert(stations, [178.44, -18.14], "Suva")?;
/// # let papeete = index.insert(stations, [-149.57, -17.54], "Papeete")?;
/// let tonga = GreatCircle::new([-175.2, -21.14]);
/// let mut nearest = index.nearest_by(tonga).in_layers(stations).within(3e6);
/// assert_eq!(nearest.next().map(|found| *found.object.value()), Some("Suva"));
/// assert_eq!(nearest.next().map(|found| *found.object.value()), Some("Papeete"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct NearestBy<'a, 'b, T, M, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    metric: M,
    search: BestFirst<'b>,
}

impl<'a, 'b, T, M, S: Scalar, const D: usize> NearestBy<'a, 'b, T, M, S, D> {
    /// Ends after the objects that are at most `distance` away. An object exactly that far away counts.
    ///
    /// Of several calls, the least distance holds. With a NaN, the query yields nothing.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Quadtree, Rect};
    /// # let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
    /// # let stations = index.add_point_layer()?;
    /// # let suva = index.insert(stations, [178.44, -18.14], "Suva")?;
    /// # let papeete = index.insert(stations, [-149.57, -17.54], "Papeete")?;
    /// let tonga = GreatCircle::new([-175.2, -21.14]);
    /// assert_eq!(index.nearest_by(tonga).within(1e6).count(), 1); // a thousand kilometers
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(mut self, distance: f64) -> Self {
        self.search.end_at(distance);
        self
    }

    /// Restricts the query to a set of layers. Of several calls, only layers in all sets remain.
    ///
    /// It does not visit the trees of other layers. After the first `next`, the restriction holds for the objects still
    /// to come.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Quadtree, Rect};
    /// # let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
    /// # let stations = index.add_point_layer()?;
    /// # let suva = index.insert(stations, [178.44, -18.14], "Suva")?;
    /// # let papeete = index.insert(stations, [-149.57, -17.54], "Papeete")?;
    /// let tonga = GreatCircle::new([-175.2, -21.14]);
    /// let ships = index.add_point_layer()?;
    /// assert!(!index.nearest_by(tonga).in_layers(ships).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_layers(mut self, layers: impl Into<LayerSet>) -> Self {
        self.search.layers = self.search.layers & layers.into();
        self
    }

    /// Excludes one object; of several calls, the last one holds. After the first `next`, it holds for the objects
    /// still to come.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Quadtree, Rect};
    /// # let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
    /// # let stations = index.add_point_layer()?;
    /// # let suva = index.insert(stations, [178.44, -18.14], "Suva")?;
    /// # let papeete = index.insert(stations, [-149.57, -17.54], "Papeete")?;
    /// let tonga = GreatCircle::new([-175.2, -21.14]);
    /// let next = index.nearest_by(tonga).excluding(suva).next().expect("there is another one");
    /// assert_eq!(next.object.handle(), papeete);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn excluding(mut self, object: Handle) -> Self {
        self.search.exclude(self.index.space.place(object));
        self
    }

    /// Uses the memory of a [`SearchBuffer`] instead of its own, so that a loop of queries allocates once.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Quadtree, Rect, SearchBuffer};
    /// # let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
    /// # let stations = index.add_point_layer()?;
    /// # let suva = index.insert(stations, [178.44, -18.14], "Suva")?;
    /// # let papeete = index.insert(stations, [-149.57, -17.54], "Papeete")?;
    /// let tonga = GreatCircle::new([-175.2, -21.14]);
    /// let mut buffer = SearchBuffer::new();
    /// for from in [tonga, GreatCircle::new([0.0, 0.0])] {
    ///     assert_eq!(index.nearest_by(from).reusing(&mut buffer).count(), 2);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reusing<'c>(self, buffer: &'c mut SearchBuffer) -> NearestBy<'a, 'c, T, M, S, D>
    where
        'b: 'c,
    {
        NearestBy { index: self.index, metric: self.metric, search: self.search.reusing(buffer) }
    }

    /// Whether at least one object is still to come.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Quadtree, Rect};
    /// # let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
    /// # let stations = index.add_point_layer()?;
    /// # let suva = index.insert(stations, [178.44, -18.14], "Suva")?;
    /// # let papeete = index.insert(stations, [-149.57, -17.54], "Papeete")?;
    /// let tonga = GreatCircle::new([-175.2, -21.14]);
    /// assert!(!index.nearest_by(tonga).within(1e5).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn exists(mut self) -> bool
    where
        M: Metric<T, S, D>,
    {
        self.next().is_some()
    }
}

/// A metric, and the index that it measures.
struct Measured<'q, T, M, S, const D: usize> {
    index: &'q SpatialIndex<T, S, D>,
    metric: &'q M,
}

impl<T, M: Metric<T, S, D>, S: Scalar, const D: usize> Distances<S, D> for Measured<'_, T, M, S, D> {
    fn bound(&self, rect: &Rect<S, D>) -> f64 {
        self.metric.bound(rect)
    }

    fn distance(&self, handle: Handle, place: Place) -> f64 {
        self.metric.distance(&ObjectRef::new(self.index, place, handle))
    }
}

impl<'a, T, M: Metric<T, S, D>, S: Scalar, const D: usize> Iterator for NearestBy<'a, '_, T, M, S, D> {
    type Item = NeighborBy<'a, T, S, D>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { index, metric, search } = self;
        let (handle, place, distance) = search.next(&index.space, &Measured { index, metric })?;
        Some(NeighborBy { object: ObjectRef::new(index, place, handle), distance })
    }
}

impl<T, M: Metric<T, S, D>, S: Scalar, const D: usize> FusedIterator for NearestBy<'_, '_, T, M, S, D> {}

impl<T, M: Clone, S, const D: usize> Clone for NearestBy<'_, '_, T, M, S, D> {
    fn clone(&self) -> Self {
        Self { index: self.index, metric: self.metric.clone(), search: self.search.clone() }
    }
}

impl<T, M: fmt::Debug, S, const D: usize> fmt::Debug for NearestBy<'_, '_, T, M, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NearestBy")
            .field("metric", &self.metric)
            .field("layers", &self.search.layers)
            .finish_non_exhaustive()
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns all objects by ascending distance, as a [`Metric`] of your own measures it. The item is a [`NeighborBy`].
    ///
    /// Use it where [`nearest`](Self::nearest) measures the wrong thing: on the globe (a metric for that is at hand:
    /// [`GreatCircle`](crate::GreatCircle)), for exact shapes in boxes, for weighted distances. Where the distance
    /// between boxes is right, `nearest` is several times faster.
    ///
    /// Ties are yielded by ascending handle, as by `nearest`. Each node, bucket and object costs one question at most,
    /// and no more of them are asked about than the answer needs. It allocates, unless it is lent a
    /// [`SearchBuffer`]: some 40 bytes for each object and square that has been asked about and not yielded.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// # use quadrille::{GreatCircle, Quadtree, Rect};
    /// // Longitude and latitude, in degrees.
    /// let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0])).unwrap();
    /// let airports = index.add_point_layer().unwrap();
    /// index.insert(airports, [174.79, -37.01], "Auckland").unwrap();
    /// index.insert(airports, [-157.92, 21.32], "Honolulu").unwrap();
    /// // Samoa lies on the other side of the antimeridian.
    /// let nearest = index.nearest_by(GreatCircle::new([-171.75, -13.83])).next().unwrap();
    /// assert_eq!(*nearest.object.value(), "Auckland");
    /// assert_eq!((nearest.distance / 1000.0).round(), 2903.0);
    /// # }
    /// ```
    pub fn nearest_by<M: Metric<T, S, D>>(&self, metric: M) -> NearestBy<'_, 'static, T, M, S, D> {
        NearestBy { index: self, metric, search: BestFirst::new() }
    }
}
