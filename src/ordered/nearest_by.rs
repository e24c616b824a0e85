//! `nearest_by`: objects by ascending distance, as a metric of the user measures it.
//!
//! Its filters are in `filters`. This file does not know in which order the trees are searched. Keeps invariants Q3 and
//! Q8 of `docs/invariants.md`.

use core::iter::FusedIterator;

use super::best_first::BestFirst;
use super::metric::Metric;
use crate::geometry::Scalar;
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::Handle;

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

/// An iterator over objects by ascending distance, as a [`Metric`] measures it.
///
/// [`nearest_by`](SpatialIndex::nearest_by) returns it. It yields [`NeighborBy`]s. It is lazy: it asks the metric only
/// as far as it has to for the objects that it yields. A clone continues from the same position, with memory of its
/// own.
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
    pub(super) index: &'a SpatialIndex<T, S, D>,
    pub(super) metric: M,
    pub(super) search: BestFirst<'a, 'b, S, D>,
    /// Objects up to here are left out.
    floor: Option<(f64, Handle)>,
}

impl<T, M, S: Scalar, const D: usize> NearestBy<'_, '_, T, M, S, D> {
    /// Ends after the objects that are at most `distance` away. An object exactly that far away counts.
    ///
    /// If called again, the least distance holds. With a NaN, the query yields nothing.
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

    /// Begins after an answer of the same question, given its distance and handle: the next page. It finds again, and
    /// leaves out, what comes before. Otherwise it is as [`Nearest::after`](crate::Nearest::after). With a NaN, the query
    /// yields nothing.
    ///
    /// ```
    /// # use quadrille::{GreatCircle, Quadtree, Rect};
    /// # let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
    /// # let stations = index.add_point_layer()?;
    /// # let suva = index.insert(stations, [178.44, -18.14], "Suva")?;
    /// # let papeete = index.insert(stations, [-149.57, -17.54], "Papeete")?;
    /// let tonga = GreatCircle::new([-175.2, -21.14]);
    /// let first = index.nearest_by(tonga).next().expect("there are stations");
    /// let next = index.nearest_by(tonga).after((first.distance, first.object.handle())).next();
    /// assert_eq!(next.map(|found| *found.object.value()), Some("Papeete"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn after(mut self, position: (f64, Handle)) -> Self {
        if position.0.is_nan() || self.floor < Some(position) {
            self.floor = Some(position);
        }
        self
    }

    /// Returns whether at least one object is still to come.
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

impl<'a, T, M: Metric<T, S, D>, S: Scalar, const D: usize> Iterator for NearestBy<'a, '_, T, M, S, D> {
    type Item = NeighborBy<'a, T, S, D>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { index, metric, search, floor } = self;
        loop {
            let (handle, place, distance) = search.next(index, metric)?;
            if floor.is_none_or(|floor| floor < (distance, handle)) {
                return Some(NeighborBy { object: ObjectRef::new(index, place, handle), distance });
            }
        }
    }
}

impl<T, M: Metric<T, S, D>, S: Scalar, const D: usize> FusedIterator for NearestBy<'_, '_, T, M, S, D> {}

impl<T, M: Clone, S: Copy, const D: usize> Clone for NearestBy<'_, '_, T, M, S, D> {
    fn clone(&self) -> Self {
        Self { metric: self.metric.clone(), search: self.search.clone(), ..*self }
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns all objects by ascending distance, as a [`Metric`] of your own measures it. The item is a
    /// [`NeighborBy`].
    ///
    /// Use it where [`nearest`](Self::nearest) measures the wrong thing: on the globe (with the metric
    /// [`GreatCircle`](crate::GreatCircle)), for exact shapes in boxes, for weighted distances. Where the distance
    /// between boxes is right, `nearest` is several times faster.
    ///
    /// Ties are yielded by ascending handle, as by `nearest`. Each node, bucket and object costs one question at most,
    /// and no more of them are asked about than the answer needs. It allocates, unless it is lent a
    /// [`SearchBuffer`](crate::SearchBuffer): some 40 bytes for each object and square that has been asked about.
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
        let search = BestFirst::new(&self.space, metric.point());
        NearestBy { index: self, metric, search, floor: None }
    }
}
