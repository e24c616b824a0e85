//! The item of `raycast` and `cast`: an object that is met on a way, when and where.

use crate::geometry::{Mover, Rank, Scalar};
use crate::index::ObjectRef;

/// An object that a ray hits, or that a moving rectangle or ball touches, and when. [`Cast`](crate::Cast) yields it.
///
/// ```
/// # use quadrille::{Quadtree, Ray, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let walls = index.add_rect_layer()?;
/// index.insert(walls, Rect::new([50.0, 0.0], [52.0, 90.0]), "wall")?;
/// let hit = index.raycast(Ray::new([0.0, 10.0], [2.0, 0.0])).next().expect("it hits");
/// assert_eq!((hit.t, hit.point(), *hit.object.value()), (25.0, [50.0, 10.0], "wall"));
///
/// let from = Rect::new([0.0, 0.0], [10.0, 10.0]);
/// let hit = index.cast(from, [80.0, 0.0]).next().expect("the wall is in the way");
/// let stopped = from.translated([80.0 * hit.t, 0.0]);
/// assert_eq!((stopped.max(), hit.point()), ([50.0, 10.0], [50.0, 5.0])); // it touches the wall
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Hit<'a, T, S = f32, const D: usize = 2> {
    /// The object.
    pub object: ObjectRef<'a, T, S, D>,
    /// When it is met: the ray's parameter where it enters the object, or the part of the motion until the first touch,
    /// from 0 to 1. It is 0 if the two touch at the start. With a [skin](crate::Cast::blocking) it is when the skin touches.
    ///
    /// It is rounded up, so [`until`](crate::Cast::until) it the object is still met.
    pub t: S,
    pub(super) mover: Mover<S, D>,
    pub(super) rank: Rank,
}

impl<T, S: Scalar, const D: usize> Hit<'_, T, S, D> {
    /// The point of the object that is closest to the center of what moves, at `t`: where a ray enters the object, and
    /// where a ball touches it. It is rounded, but never outside the object. NaN on an axis on which a moving rectangle is
    /// infinite on both sides. It is computed when you ask.
    ///
    /// ```
    /// # use quadrille::{Ball, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([50.0, 50.0], [60.0, 60.0]), "wall")?;
    /// let hit = index.cast_ball(Ball::new([40.0, 42.0], 10.0), [40.0, 0.0]).next().expect("the wall is in the way");
    /// assert_eq!(hit.point(), [50.0, 50.0]); // its corner
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn point(&self) -> [S; D] {
        self.object.shape().closest_point(self.mover.center_at(self.rank.time()))
    }

    /// The outward direction of the object's side that is met: 1 or -1 on one axis, 0 on all others. Of a ball see
    /// [`cast_ball`](crate::SpatialIndex::cast_ball).
    ///
    /// At a corner the lowest of its axes counts. If the two touch or overlap at the start, it is the side that is
    /// nearest to getting out; if sides tie, the one on the lowest axis, and there the lower one. It is computed when you
    /// ask.
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
        self.mover.normal(&self.object.shape())
    }

    /// Whether the two touch or overlap at the start. A skin does not count.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([50.0, 0.0], [52.0, 90.0]), "wall")?;
    /// let near = Rect::new([40.0, 10.0], [49.5, 20.0]);
    /// let hit = index.cast(near, [5.0, 0.0]).blocking(1.0).next().expect("the wall is in the way");
    /// assert_eq!((hit.t, hit.touches_at_start()), (0.0, false)); // only the skin does
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn touches_at_start(&self) -> bool {
        self.mover.touches_at_start(&self.object.shape())
    }
}
