//! `raycast`: the objects that a ray hits, in the order in which it enters them.

use super::buffer::Found;
use super::sequence::Sequence;
use crate::geometry::{Motion, Mover, Rank, Ray, Scalar, rounded_up};
use crate::index::{ObjectRef, SpatialIndex};

/// An object that a ray hits, and the place. [`Raycast`] yields it.
///
/// ```
/// # use quadrille::{Quadtree, Ray, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// index.insert(walls, Rect::new([50.0, 0.0], [52.0, 90.0]), "wall")?;
/// let hit = index.raycast(Ray::new([0.0, 10.0], [2.0, 0.0])).next().expect("it hits");
/// assert_eq!((hit.t, hit.point, *hit.object.value()), (25.0, [50.0, 10.0], "wall"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RayHit<'a, T, S = f32, const D: usize = 2> {
    /// The object.
    pub object: ObjectRef<'a, T, S, D>,
    /// The ray's parameter where it enters the object; 0 if the ray begins inside. It is rounded up, so
    /// [`until`](Raycast::until) it the ray still hits the object.
    pub t: S,
    /// The point at `t`, rounded, but never outside the object.
    pub point: [S; D],
    motion: Motion<S, D>,
    pub(super) rank: Rank,
}

impl<T, S: Scalar, const D: usize> RayHit<'_, T, S, D> {
    /// The outward direction of the side through which the ray comes in: 1 or -1 on one axis, 0 on all others.
    ///
    /// At a corner the lowest of its axes counts. If the ray begins inside the object or at its edge, it is the nearest
    /// side; if sides tie, the one on the lowest axis, and there the lower one. It is computed when you ask.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Ray, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([50.0, 0.0], [52.0, 90.0]), "wall")?;
    /// let hit = index.raycast(Ray::new([0.0, 10.0], [2.0, 0.0])).next().expect("it hits");
    /// assert_eq!(hit.normal(), [-1.0, 0.0]); // the left side
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn normal(&self) -> [S; D] {
        self.motion.normal(&self.object.shape())
    }
}

/// An iterator over the objects that a ray hits, in the order in which the ray enters them.
///
/// [`raycast`](SpatialIndex::raycast) returns it. It yields [`RayHit`]s.
///
/// It is lazy: it finds an object when `next` is called, the first one without allocating. It finds the following ones
/// several at a time, and keeps them in a buffer, which can be [lent](Self::reusing). A clone continues from the same
/// position with a buffer of its own.
///
/// ```
/// # use quadrille::{Quadtree, Ray, Raycast, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let hits: Raycast<u16> = index.raycast(Ray::new([97.0, 50.0], [1.0, 0.0]));
/// assert_eq!(hits.map(|hit| *hit.object.value()).collect::<Vec<_>>(), [97, 98, 99]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct Raycast<'a, 'b, T, S = f32, const D: usize = 2> {
    pub(super) index: &'a SpatialIndex<T, S, D>,
    /// The steps in one unit of the parameter.
    pub(super) steps: f64,
    pub(super) search: Sequence<'a, 'b, Mover<S, D>, S, D>,
}

impl<'a, T, S: Scalar, const D: usize> Raycast<'a, '_, T, S, D> {
    pub(super) fn item(&self, found: Found) -> RayHit<'a, T, S, D> {
        let (object, rank) = (ObjectRef::new(self.index, found.place, found.handle), found.rank);
        let motion = self.search.criterion_at(&found).map_or(self.search.criterion.motion, |moved| moved.motion);
        let point = object.shape().closest_point(motion.at_step(rank.time()));
        let t = rounded_up(rank.time() / self.steps, |t| rank.time() <= t * self.steps);
        RayHit { object, t, point, motion, rank }
    }
}

impl<T, S: Scalar, const D: usize> Raycast<'_, '_, T, S, D> {
    /// Ends the ray at a parameter. An object that the ray enters exactly there is still hit.
    ///
    /// If called again, the least parameter holds; the end of a segment counts as a call. With a negative parameter or
    /// a NaN, the query yields nothing.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Ray, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let ray = Ray::new([0.0, 50.0], [1.0, 0.0]);
    /// assert_eq!(index.raycast(ray).until(3.0).count(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)]
    pub fn until(mut self, t: S) -> Self {
        let limit = t.to_f64() * self.steps;
        self.search.end_at((0.0 <= limit).then(|| Rank::of_time(limit.abs())));
        self
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns the objects that a ray or segment hits, in the order in which it enters them. The item is a [`RayHit`].
    ///
    /// A ray that touches a corner or runs along an edge hits. A ray that begins inside an object hits it at `t = 0`.
    /// Ties are yielded by ascending handle. [`Ray`] says which of infinite numbers mean something. A point is hit if the
    /// ray, as computed in `f64`, reaches it on all axes at the same `t`. The other edge rules are in
    /// `docs/guarantees.md`.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Ray, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([60.0, 0.0], [61.0, 90.0]), "far")?;
    /// index.insert(walls, Rect::new([30.0, 20.0], [31.0, 90.0]), "near")?;
    /// let hit = index.raycast(Ray::new([10.0, 20.0], [1.0, 0.0])).next().expect("it touches a corner");
    /// assert_eq!((*hit.object.value(), hit.t, hit.point), ("near", 20.0, [30.0, 20.0]));
    /// assert_eq!(index.raycast(Ray::segment([10.0, 20.0], [70.0, 20.0])).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("raytrace", "line_of_sight"))]
    pub fn raycast(&self, ray: Ray<S, D>) -> Raycast<'_, 'static, T, S, D> {
        let search = Sequence::new(&self.space, Mover::of_box(ray.motion()));
        Raycast { index: self, steps: ray.steps, search }.until(ray.until())
    }
}
