//! `raycast`: objects in the order in which a ray enters them.

use core::fmt;
use core::iter::FusedIterator;

use crate::geometry::{Rank, Ray, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet};

use super::ranked::{Ranked, SearchBuffer, ordered_query};
use super::sweeping::ByTime;

/// An object that a ray hits, and where.
pub struct RayHit<'a, T, S = f32, const D: usize = 2> {
    /// The object.
    pub object: ObjectRef<'a, T, S, D>,
    /// The ray's parameter where it enters the object; 0 if it begins inside.
    pub t: S,
    /// The point at `t`: rounded, but not out of the object.
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

/// The objects in the order in which a ray enters them. Made by [`raycast`](SpatialIndex::raycast).
#[must_use = "a query does nothing until it is iterated"]
pub struct Raycast<'a, 'b, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    ranked: Ranked<'b, ByTime<S, D>>,
    ray: Ray<S, D>,
}

impl<T, S: Scalar, const D: usize> Raycast<'_, '_, T, S, D> {
    /// Ends the ray at a parameter: closed, so what is entered just there is still hit.
    ///
    /// Of several calls, and the end of a segment, the least holds. Nothing is hit until a negative parameter, or NaN.
    pub fn until(mut self, t: S) -> Self {
        let limit = t.to_f64() * self.ray.steps();
        self.ranked.end_at((0.0 <= limit).then(|| Rank::new(limit.abs(), 0.0)));
        self
    }
}

ordered_query!(Raycast, RayHit, [ray], |object, query, rank| {
    let (shape, point) = (object.shape(), query.ray.at_step(rank.coarse()));
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
    RayHit { object, t: S::from_f64(rank.coarse() / query.ray.steps()), point: core::array::from_fn(into) }
});

impl<T, S: Scalar, const D: usize> fmt::Debug for Raycast<'_, '_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Raycast").field("ray", &self.ray).field("layers", &self.ranked.layers()).finish_non_exhaustive()
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// The objects that a ray or segment hits, in the order in which it enters them.
    ///
    /// All is closed: a ray that touches a corner or runs along an edge hits, and so does one that begins inside, with
    /// `t = 0`. Objects entered at the same `t` come by rising handle. A ray whose direction is zero hits what contains
    /// its origin. A point is hit if the ray, as reckoned in `f64`, reaches it on all axes at the same `t`. Nothing is
    /// hit by a ray with a coordinate that is NaN or infinite, nor beyond the largest `t` there is.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Ray, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
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
        Raycast { index: self, ranked: Ranked::new(ByTime::new(&self.grid, motion), layers), ray }.until(ray.until())
    }
}
