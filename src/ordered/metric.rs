//! Metrics: distances that the user defines. This file does not know the search.

use core::borrow::Borrow;

use crate::geometry::{Rect, Scalar, Segment};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::LayerSet;

/// A distance of your own for [`nearest_by`](crate::SpatialIndex::nearest_by): over the globe, to the exact shape
/// behind a box, or weighted by what an object is.
///
/// A metric answers two questions: how far is this object, and how far are objects in this box *at least*. With the
/// second answer the search leaves out whole parts of the tree. Distances are `f64` in any unit; only their order
/// counts. They may be negative, and infinite.
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
/// # Segments
///
/// Where the values are [`Segment`]s, or have one by `Borrow`, a point is a metric: the nearest road.
///
/// ```
/// # use quadrille::{Quadtree, Rect, Segment};
/// let mut index: Quadtree<Segment> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let roads = index.add_rect_layer()?;
/// for road in [Segment::new([0.0, 0.0], [80.0, 80.0]), Segment::new([50.0, 0.0], [50.0, 20.0])] {
///     index.insert(roads, road.bounds(), road)?;
/// }
/// let nearest = index.nearest_by([40.0, 20.0]).next().unwrap(); // inside of the box of the other one
/// assert_eq!((nearest.object.value().to(), nearest.distance), ([50.0, 20.0], 10.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Rules for implementors
///
/// 1. **A bound is a bound.** `bound(rect)` is at most the distance of each object whose shape lies inside `rect`, to the
///    last bit: where it is rounded, it is rounded down.
/// 2. **The answers stay.** The same question has the same answer while a query runs.
///
/// A metric that breaks them makes a query yield objects out of order or, with [`within`](crate::NearestBy::within),
/// leave some out. It causes no panic and no endless loop, and no object is yielded twice, unless
/// [`each_within`](Self::each_within) passes it on twice. A bound that is NaN excludes
/// nothing. An object whose distance is NaN is left out, which is the way to refuse an object. If a metric panics, a
/// query that is kept goes on where it was.
///
/// A lower bound that is too low costs time only. `f64::NEG_INFINITY` is always right; then all objects are looked at.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not measure distances of values `{T}`",
    label = "a `Metric<{T}, {S}, {D}>` is expected",
    note = "a point is one where values are, or borrow, a `Segment<{S}, {D}>`; `nearest` measures from a point to shapes",
    note = "`GreatCircle` is one in 2D, and needs no `periodic`"
)]
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

    /// The point from which no object is nearer than its shape, to the last bit, if there is one: each
    /// [`distance`](Self::distance) is at least the square root of [`Rect::distance_squared`]. Then
    /// [`nearest`](crate::SpatialIndex::nearest) finds the shapes, which is faster, and `bound` is not asked. Each query asks
    /// for the point once.
    fn point(&self) -> Option<[S; D]> {
        None
    }

    /// Finds the objects itself, for a metric that knows a region around all that is near.
    ///
    /// It passes on at least all objects in `layers` that are farther away than `beyond`, if that is given, up to a distance
    /// that it returns, which is at most `limit`. Then it is asked again, for those beyond. `None`, as by default, if bounds are
    /// the better way from here on.
    ///
    /// ```
    /// use quadrille::{Ball, LayerSet, Metric, ObjectRef, Quadtree, Rect, SpatialIndex};
    ///
    /// /// The distance from the center of a screen, of which all that is shown is near.
    /// struct OnScreen {
    ///     center: [f32; 2],
    /// }
    ///
    /// impl<T> Metric<T> for OnScreen {
    ///     fn bound(&self, rect: &Rect) -> f64 {
    ///         f64::from(rect.distance(self.center))
    ///     }
    ///     fn each_within(
    ///         &self,
    ///         index: &Quadtree<T>,
    ///         layers: LayerSet,
    ///         beyond: Option<f64>,
    ///         limit: f64,
    ///         found: &mut dyn FnMut(&ObjectRef<'_, T>),
    ///     ) -> Option<f64> {
    ///         let (screen, is_first) = (400.0, beyond.is_none());
    ///         let ball = Ball::new(self.center, screen);
    ///         is_first.then(|| index.intersecting(ball).in_layers(layers).for_each(|object| found(&object)));
    ///         is_first.then_some(limit.min(f64::from(screen)))
    ///     }
    /// }
    /// # let mut index = Quadtree::<u16>::new(Rect::new([0.0, 0.0], [9000.0, 9000.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # index.insert_batch(units, (0..90_u16).map(|n| ([f32::from(n) * 100.0, 4500.0], n)))?;
    /// let screen = OnScreen { center: [4500.0, 4500.0] };
    /// assert_eq!(index.nearest_by(screen).take(30).last().unwrap().distance, 1500.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn each_within(
        &self,
        _index: &SpatialIndex<T, S, D>,
        _layers: LayerSet,
        _beyond: Option<f64>,
        _limit: f64,
        _found: &mut dyn FnMut(&ObjectRef<'_, T, S, D>),
    ) -> Option<f64> {
        None
    }
}

/// The distance from a point to the segment that a value has. An object's shape holds its segment.
#[diagnostic::do_not_recommend]
impl<T: Borrow<Segment<S, D>>, S: Scalar, const D: usize> Metric<T, S, D> for [S; D] {
    fn bound(&self, rect: &Rect<S, D>) -> f64 {
        rect.distance_up(*self)
    }
    fn distance(&self, object: &ObjectRef<'_, T, S, D>) -> f64 {
        object.value().borrow().distance_exactly(*self)
    }
    fn point(&self) -> Option<[S; D]> {
        self.iter().all(|at| at.is_finite()).then_some(*self)
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
    fn point(&self) -> Option<[S; D]> {
        (**self).point()
    }
    fn each_within(
        &self,
        index: &SpatialIndex<T, S, D>,
        layers: LayerSet,
        beyond: Option<f64>,
        limit: f64,
        found: &mut dyn FnMut(&ObjectRef<'_, T, S, D>),
    ) -> Option<f64> {
        (**self).each_within(index, layers, beyond, limit, found)
    }
}
