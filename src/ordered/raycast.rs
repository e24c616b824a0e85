//! `raycast`: the objects that a ray hits, in the order in which it enters them.

use core::array;
use core::fmt;

use super::by_time::ByTime;
use super::{Order, Ordered, Yields, sealed};
use crate::geometry::{Rank, Ray, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::LayerSet;

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
    /// The ray's parameter where it enters the object; 0 if the ray begins inside.
    pub t: S,
    /// The point at `t`, rounded, but never outside the object.
    pub point: [S; D],
}

impl<T, S: Copy, const D: usize> Clone for RayHit<'_, T, S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S: Copy, const D: usize> Copy for RayHit<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> fmt::Debug for RayHit<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RayHit").field("object", &self.object).field("t", &self.t).field("point", &self.point).finish()
    }
}

/// The order of [`Raycast`]: by the parameter at which a ray enters an object.
///
/// [`SpatialIndex::raycast`] makes a query in this order, which yields [`RayHit`]s. You need the name only to write
/// down the type of [`Ordered`].
///
/// ```
/// # use quadrille::{AlongRay, Ordered};
/// fn first_hit(mut rays: Ordered<'_, '_, &str, AlongRay<f32, 2>>) -> Option<f32> {
///     rays.next().map(|hit| hit.t)
/// }
/// ```
#[derive(Clone, Copy)]
pub struct AlongRay<S, const D: usize> {
    ray: Ray<S, D>,
    time: ByTime<S, D>,
}

impl<S, const D: usize> sealed::Sealed for AlongRay<S, D> {}

impl<S: Scalar, const D: usize> Order<S, D> for AlongRay<S, D> {
    type Item<'a, T: 'a> = RayHit<'a, T, S, D>;
}

impl<S: Scalar, const D: usize> Yields<S, D> for AlongRay<S, D> {
    type Ranking = ByTime<S, D>;

    #[inline]
    fn ranking(&self) -> &ByTime<S, D> {
        &self.time
    }

    fn item<'a, T>(&self, object: ObjectRef<'a, T, S, D>, rank: Rank) -> RayHit<'a, T, S, D> {
        let (shape, point) = (object.shape(), self.ray.at_step(rank.coarse()));
        let into = |axis: usize| {
            let (min, max) = (shape.min()[axis], shape.max()[axis]);
            if point[axis] < min {
                min
            } else if max < point[axis] {
                max
            } else {
                point[axis]
            }
        };
        RayHit { object, t: S::from_f64(rank.coarse() / self.ray.steps()), point: array::from_fn(into) }
    }
}

impl<S: Scalar, const D: usize> fmt::Debug for AlongRay<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AlongRay").field(&self.ray).finish()
    }
}

/// An iterator over the objects that a ray hits, in the order in which the ray enters them.
///
/// [`raycast`](SpatialIndex::raycast) returns it. It yields [`RayHit`]s. See [`Ordered`] for its filters.
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
pub type Raycast<'a, 'b, T, S = f32, const D: usize = 2> = Ordered<'a, 'b, T, AlongRay<S, D>, S, D>;

impl<T, S: Scalar, const D: usize> Raycast<'_, '_, T, S, D> {
    /// Ends the ray at a parameter. An object that the ray enters exactly there is still hit.
    ///
    /// Of several calls, the least parameter holds; the end of a segment counts as a call. With a negative parameter or
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
    pub fn until(mut self, t: S) -> Self {
        let limit = t.to_f64() * self.order.ray.steps();
        self.ranked.end_at((0.0 <= limit).then(|| Rank::new(limit.abs(), 0.0)));
        self
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns the objects that a ray or segment hits, in the order in which it enters them. The item is a [`RayHit`].
    ///
    /// A ray that touches a corner or runs along an edge hits. A ray that begins inside an object hits it at `t = 0`.
    /// Ties are yielded by ascending handle. A ray with a coordinate that is NaN or infinite yields nothing. A point is
    /// hit if the ray, as computed in `f64`, reaches it on all axes at the same `t`. The other edge rules are in
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
    #[doc(alias = "raytrace")]
    #[doc(alias = "line_of_sight")]
    pub fn raycast(&self, ray: Ray<S, D>) -> Raycast<'_, 'static, T, S, D> {
        let motion = ray.motion();
        let layers = if motion.is_nowhere() { LayerSet::NONE } else { LayerSet::ALL };
        let order = AlongRay { ray, time: ByTime::new(self.space.grid(), motion) };
        Ordered::new(self, order, layers).until(ray.until())
    }
}
