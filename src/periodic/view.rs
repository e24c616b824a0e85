//! An index seen as a periodic world: the queries.
//!
//! Owns the hull of the objects.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::{array, fmt};

use super::images::{Images, REACH};
use super::merge::Merge;
use super::ordered::{PeriodicCast, PeriodicNearest, PeriodicRaycast};
use super::pairs::PeriodicPairs;
use super::query::PeriodicQuery;
use super::world::Periodic;
use crate::geometry::{Ball, IntoRegion, Motion, Rank, Ray, Rect, RectRegion, Region, Scalar, larger};
use crate::index::SpatialIndex;
use crate::key::{Handle, Kind, LayerSet};
use crate::query::{ContainedIn, Containing, Intersecting};

/// An index seen as a [`Periodic`] world. [`Periodic::over`] makes it.
///
/// Its queries have the names and the rules of those of [`SpatialIndex`], and yield each object once. Each object stands
/// for itself and for its images, which are as far from it as whole periods. A query takes all of them in:
/// - *intersecting*, *contained in* and *containing* hold for an object if they hold for one of its images;
/// - distances and times are those of the image where they are least.
///
/// Not the images of objects are looked at, but those of the question: it is moved by whole periods instead, which rounds
/// its coordinates once. So the answers are exact where these sums are, and elsewhere right to a rounding of the
/// coordinates.
///
/// **Which objects.** Those whose minimum corner lies in the world, as [`wrap`](Periodic::wrap) and
/// [`wrap_rect`](Periodic::wrap_rect) make it. They may reach beyond the upper borders. Any other object may be missed, or
/// come late in an order; it never comes twice. On axes that do not wrap around, objects may be anywhere.
///
/// **How far.** A region may lie anywhere, but should be at most nine periods long on an axis. Of a longer one, what lies
/// more than four periods from its center, or from the world if it is infinite, may not count. A ray without an end, and
/// a longer motion, may end four periods from where they begin. Balls, distances and pairs have no such limit, nor has a
/// region that holds the whole world.
///
/// **Cost.** A question that does not come near a border costs less than 0.1 µs more than without periods. Another one is asked in
/// two images, in a corner in four. Layers of points cost nothing else. With layers of rectangles, this call looks at those
/// that reach beyond a border, so make it once for many queries.
///
/// ```
/// # use quadrille::{Periodic, PeriodicIndex, Quadtree, Rect};
/// let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let mut index: Quadtree<&str> = Quadtree::new(torus.world())?;
/// let walls = index.add_rect_layer()?;
/// index.insert(walls, torus.wrap_rect(Rect::new([-5.0, 40.0], [5.0, 60.0])), "across the border")?;
/// let world: PeriodicIndex<&str> = torus.over(&index);
/// assert!(world.intersecting([99.0, 50.0]).exists() && world.intersecting([1.0, 50.0]).exists());
/// assert_eq!(world.contained_in(Rect::new([-9.0, 0.0], [9.0, 99.0])).count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PeriodicIndex<'a, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    torus: Periodic<S, D>,
    /// A box around all objects with their minimum corner in the world; infinite on axes that do not wrap around.
    hull: Rect<S, D>,
}

impl<S: Scalar, const D: usize> Periodic<S, D> {
    /// The index as a periodic world, to be asked. The index may have another world, though its own is best.
    ///
    /// Takes time in proportion to the rectangles that reach to the upper borders or beyond, and constant time without
    /// layers of rectangles.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert(units, torus.wrap([-1.0, 50.0]), 7)?;
    /// assert!(torus.over(&index).within_distance([0.0, 50.0], 1.0).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn over<'a, T>(&self, index: &'a SpatialIndex<T, S, D>) -> PeriodicIndex<'a, T, S, D> {
        PeriodicIndex { index, torus: *self, hull: self.hull(index) }
    }

    fn hull<T>(&self, index: &SpatialIndex<T, S, D>) -> Rect<S, D> {
        let layers = &index.space.layers;
        let are_rects = |number: u8| layers.kind_of_number(number) == Some(Kind::Rects);
        let rects = index.layers().filter(|layer| are_rects(layer.number()));
        let rects = rects.fold(LayerSet::NONE, |set, layer| set | layer);
        let [min, max] = [self.world().min(), self.world().max()];
        let end = |axis: usize| {
            if rects.is_empty() || !self.axes()[axis] {
                return max[axis];
            }
            let mut beyond = Rect::<S, D>::everything().min();
            beyond[axis] = max[axis];
            let beyond = Rect::ordered(beyond, Rect::everything().max());
            let shapes = index.intersecting(beyond).in_layers(rects).map(|object| object.shape());
            let is_wrapped = |shape: &Rect<S, D>| min[axis] <= shape.min()[axis] && shape.min()[axis] < max[axis];
            shapes.filter(is_wrapped).fold(max[axis], |end, shape| larger(end, shape.max()[axis]))
        };
        let wraps = self.axes();
        Rect::ordered(
            array::from_fn(|axis| if wraps[axis] { min[axis] } else { S::NEG_INFINITY }),
            array::from_fn(|axis| if wraps[axis] { end(axis) } else { S::INFINITY }),
        )
    }
}

impl<'a, T, S: Scalar, const D: usize> PeriodicIndex<'a, T, S, D> {
    /// Returns every object that shares at least one point with the region, itself or in an image. See
    /// [`SpatialIndex::intersecting`].
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect, Segment};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert_batch(units, [([5.0, 5.0], 1), ([95.0, 95.0], 2)])?;
    /// let world = torus.over(&index);
    /// assert_eq!(world.intersecting(Rect::new([-10.0, -10.0], [10.0, 10.0])).count(), 2);
    /// assert_eq!(world.intersecting(Segment::new([90.0, 90.0], [110.0, 110.0])).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn intersecting<I>(&self, region: I) -> PeriodicQuery<'a, T, Intersecting, S, D, I::Region>
    where
        I: IntoRegion<S, D>,
        I::Region: Clone,
    {
        PeriodicQuery::new(self.index, &self.torus, &self.hull, region.into_region(), true)
    }

    /// Returns every object that lies wholly inside the region, itself or in an image. See
    /// [`SpatialIndex::contained_in`].
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let walls = index.add_rect_layer()?;
    /// index.insert(walls, torus.wrap_rect(Rect::new([-5.0, 0.0], [5.0, 10.0])), 1)?;
    /// let world = torus.over(&index);
    /// assert!(world.contained_in(Rect::new([-5.0, 0.0], [5.0, 10.0])).exists());
    /// assert!(!world.contained_in(Rect::new([0.0, 0.0], [90.0, 90.0])).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn contained_in<I>(&self, region: I) -> PeriodicQuery<'a, T, ContainedIn, S, D, I::Region>
    where
        I: IntoRegion<S, D>,
        I::Region: Clone,
    {
        PeriodicQuery::new(self.index, &self.torus, &self.hull, region.into_region(), true)
    }

    /// Returns every object that wholly contains the region, itself or in an image. See
    /// [`SpatialIndex::containing`].
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let zones = index.add_rect_layer()?;
    /// index.insert(zones, torus.wrap_rect(Rect::new([-5.0, 0.0], [5.0, 10.0])), 1)?;
    /// assert!(torus.over(&index).containing(Rect::new([98.0, 1.0], [102.0, 9.0])).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn containing(&self, region: impl IntoRegion<S, D>) -> PeriodicQuery<'a, T, Containing, S, D> {
        PeriodicQuery::new(self.index, &self.torus, &self.hull, region.into_region().bounds(), false)
    }

    /// Returns every object within a distance of a point, itself or in an image. See
    /// [`SpatialIndex::within_distance`].
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert(units, [97.0, 96.0], 1)?;
    /// assert!(torus.over(&index).within_distance([0.0, 0.0], 5.0).exists()); // exactly 5 away, across the corner
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "radius")]
    #[inline]
    pub fn within_distance(
        &self,
        point: impl Into<[S; D]>,
        distance: S,
    ) -> PeriodicQuery<'a, T, Intersecting, S, D, Ball<S, D>> {
        self.intersecting(Ball::new(point, distance))
    }

    /// Returns all objects by ascending distance of their nearest image from a point or a rectangle. See
    /// [`SpatialIndex::nearest`], also for ties. No buffer can be lent.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert_batch(units, [([10.0, 50.0], 1), ([97.0, 50.0], 2)])?;
    /// let nearest = torus.over(&index).nearest([1.0, 50.0]);
    /// let found: Vec<_> = nearest.map(|near| (*near.object.value(), near.distance_squared)).collect();
    /// assert_eq!(found, [(2, 16.0), (1, 81.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "knn")]
    #[inline]
    pub fn nearest(&self, target: impl IntoRegion<S, D, Region: RectRegion<S, D>>) -> PeriodicNearest<'a, T, S, D> {
        let target: Rect<S, D> = target.into_region().into();
        // The minimum corners of target and objects lie in the world, so the nearest image is that or a neighbour.
        let images = Images::neighbours(&self.torus, target.min());
        let target = images.way_home().map_or(target, |by| target.shifted(by));
        let edge = self.clearance(&target);
        PeriodicNearest { merge: Merge::new(images, self.hull, self.index.nearest(target), edge) }
    }

    /// Returns the objects that a ray or segment hits, in the order in which it enters them. A ray that leaves
    /// the world on one side comes in on the other. See [`SpatialIndex::raycast`].
    ///
    /// An object is hit once, where the ray first enters one of its images. A ray without an end ends four periods away.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Ray, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([10.0, 0.0], [12.0, 100.0]), 1)?;
    /// let hit = torus.over(&index).raycast(Ray::new([80.0, 50.0], [1.0, 0.0])).next().expect("it comes around");
    /// assert_eq!((hit.t, hit.point), (30.0, [10.0, 50.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn raycast(&self, ray: Ray<S, D>) -> PeriodicRaycast<'a, T, S, D> {
        let until = ray.until().to_f64() * ray.steps();
        let images = self.images(ray.origin(), &ray.motion().bounds_until(until));
        let ray = images.way_home().map_or(ray, |by| ray.shifted(by));
        PeriodicRaycast { merge: Merge::new(images, self.hull, self.index.raycast(ray), Rank::ZERO).with_edge() }
    }

    /// Returns the objects that a rectangle touches while it moves, in the order of impact. A rectangle that
    /// leaves the world on one side comes in on the other. See [`SpatialIndex::cast`].
    ///
    /// An object is touched once, where the rectangle first touches one of its images.
    ///
    /// ```
    /// # use quadrille::{Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([10.0, 0.0], [12.0, 100.0]), 1)?;
    /// let hit = torus.over(&index).cast(Rect::new([80.0, 40.0], [90.0, 60.0]), [40.0, 0.0]).next();
    /// assert_eq!(hit.map(|hit| hit.t), Some(0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn cast(
        &self,
        from: impl IntoRegion<S, D, Region: RectRegion<S, D>>,
        motion: impl Into<[S; D]>,
    ) -> PeriodicCast<'a, T, S, D> {
        let (from, step): (Rect<S, D>, _) = (from.into_region().into(), motion.into());
        let (motion, steps) = Motion::of_box(from, step);
        let images = self.images(from.min(), &motion.bounds_until(steps));
        let from = images.way_home().map_or(from, |by| from.shifted(by));
        PeriodicCast { merge: Merge::new(images, self.hull, self.index.cast(from, step), Rank::ZERO).with_edge() }
    }

    /// Returns every pair of objects that share at least one point, or are [within](PeriodicPairs::within) a distance,
    /// themselves or one of them in an image. See [`SpatialIndex::pairs`].
    ///
    /// ```
    /// # use quadrille::{Contacts, Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// index.insert_batch(units, [([1.0, 50.0], 1), ([99.0, 50.0], 2)])?;
    /// let mut contacts = Contacts::new();
    /// let changes = contacts.poll(torus.over(&index).pairs().within(2.0))?;
    /// assert_eq!(changes.begun.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "collisions")]
    #[inline]
    pub fn pairs(&self) -> PeriodicPairs<'a, T, S, D> {
        PeriodicPairs::new(self.index, self.torus, self.hull, None)
    }

    /// Returns the [`pairs`](Self::pairs) with at least one of `objects`: those of the objects that moved, for
    /// [`Contacts::poll_moved`](crate::Contacts::poll_moved). See [`SpatialIndex::pairs_of`].
    ///
    /// A handle that occurs twice counts once, and one without an object is ignored. This call makes two lists of the objects, in
    /// `O(n log n)`.
    ///
    /// ```
    /// # use quadrille::{Contacts, Periodic, Quadtree, Rect};
    /// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
    /// # let units = index.add_point_layer()?;
    /// let units = index.insert_batch(units, [([1.0, 50.0], 1), ([98.0, 50.0], 2), ([50.0, 50.0], 3)])?;
    /// let mut contacts = Contacts::new();
    /// contacts.poll(torus.over(&index).pairs().within(2.0))?;
    ///
    /// index.move_to(units[1], torus.wrap([100.0, 50.0]))?;
    /// let moved = [units[1]];
    /// let changes = contacts.poll_moved(&moved, torus.over(&index).pairs_of(moved).within(2.0))?;
    /// assert_eq!(changes.begun, [[units[0], units[1]]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs_of(&self, objects: impl IntoIterator<Item = impl Borrow<Handle>>) -> PeriodicPairs<'a, T, S, D> {
        let objects = objects.into_iter().map(|object| *object.borrow());
        let mut some: Vec<Handle> = objects.filter(|&object| self.index.contains(object)).collect();
        some.sort_unstable();
        some.dedup();
        PeriodicPairs::new(self.index, self.torus, self.hull, Some(some.into()))
    }

    /// The images of a motion from a place on, with these bounds.
    fn images(&self, from: [S; D], bounds: &Rect<f64, D>) -> Images<D> {
        Images::new(&self.torus, from.map(S::to_f64), bounds, &self.hull, REACH)
    }

    /// The rank of the least distance, on any axis, between the hull and a target moved by a period.
    #[inline]
    fn clearance(&self, target: &Rect<S, D>) -> Rank {
        // Rounded as the target is when it is moved.
        let moved = |end: S, by: f64| S::from_f64(end.to_f64() + by).to_f64();
        let mut least = None;
        for axis in (0..D).filter(|&axis| self.torus.axes()[axis]) {
            let period = self.torus.period(axis);
            let before = self.hull.min()[axis].to_f64() - moved(target.max()[axis], -period);
            let after = moved(target.min()[axis], period) - self.hull.max()[axis].to_f64();
            least = [before, after].into_iter().chain(least).reduce(|a, b| if a < b { a } else { b });
        }
        least.map_or(Rank::NEVER, |gap| Rank::of_distance(if 0.0 < gap { gap } else { 0.0 }))
    }
}

impl<T, S: Copy, const D: usize> Clone for PeriodicIndex<'_, T, S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S: Copy, const D: usize> Copy for PeriodicIndex<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> fmt::Debug for PeriodicIndex<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeriodicIndex").field("torus", &self.torus).field("hull", &self.hull).finish_non_exhaustive()
    }
}
