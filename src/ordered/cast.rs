//! `raycast`, `cast` and `cast_ball`: the objects that a ray hits or that whatever moves touches, in the order of impact.

use super::buffer::Found;
use super::hit::Hit;
use super::sequence::Sequence;
use crate::geometry::{Ball, IntoRegion, Motion, Mover, Rank, Ray, RectRegion, Scalar, rounded_up};
use crate::index::{ObjectRef, SpatialIndex};

/// An iterator over the objects that a ray hits, or that a moving rectangle or ball touches, in the order of impact.
///
/// [`raycast`](SpatialIndex::raycast), [`cast`](SpatialIndex::cast) and [`cast_ball`](SpatialIndex::cast_ball) return it.
/// It yields [`Hit`]s.
///
/// It is lazy: it finds an object when `next` is called, the first one without allocating. It finds the following ones
/// several at a time, and keeps them in a buffer, which can be [lent](Self::reusing). A clone continues from the same
/// position with a buffer of its own.
///
/// ```
/// # use quadrille::{Cast, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// index.insert(walls, Rect::new([50.0, 0.0], [52.0, 90.0]), "wall")?;
/// let stops: Cast<&str> = index.cast([0.0, 10.0], [100.0, 0.0]);
/// assert_eq!(stops.map(|hit| hit.t).collect::<Vec<_>>(), [0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a query does nothing until it is iterated"]
pub struct Cast<'a, 'b, T, S = f32, const D: usize = 2> {
    pub(super) index: &'a SpatialIndex<T, S, D>,
    /// The steps of the whole motion, or in one unit of a ray's parameter.
    pub(super) steps: f64,
    pub(super) search: Sequence<'a, 'b, Mover<S, D>, S, D>,
}

impl<'a, T, S: Scalar, const D: usize> Cast<'a, '_, T, S, D> {
    #[inline]
    pub(super) fn item(&self, found: Found) -> Hit<'a, T, S, D> {
        let (object, rank) = (ObjectRef::new(self.index, found.place, found.handle), found.rank);
        let t = rounded_up(rank.time() / self.steps, |t| rank.time() <= t * self.steps);
        Hit { object, t, mover: self.search.criterion_at(&found).unwrap_or(self.search.criterion), rank }
    }
}

impl<T, S: Scalar, const D: usize> Cast<'_, '_, T, S, D> {
    /// Ends a ray at a parameter, or a motion at a part of it. An object that is met exactly there still counts.
    ///
    /// If called again, the least one holds; the end of a segment or of a motion counts as a call. With a negative number
    /// or a NaN, the query yields nothing.
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
        self.search.end_at((0.0 <= limit).then(|| Rank::last_at(limit.abs())));
        self
    }

    /// Leaves out objects that do not block the motion, and stops it a little short of those that do.
    ///
    /// An object blocks if the rectangle would enter it by going on. Objects that it only touches, moves along, or moves
    /// away from do not block. If the two overlap at the start, the object blocks only motions that lead further in,
    /// against its [`normal`](Hit::normal). A motion of 0 is not blocked.
    ///
    /// The skin is a distance to be kept. Each `t` is when the rectangle, expanded by `skin`, first touches the object; 0
    /// if it does so at the start. Of objects at the same `t`, the one comes first that the rectangle itself would enter
    /// first, those entered through a corner last; then the one with the lower handle. So a body slides over tiles that
    /// lie side by side as over one floor.
    ///
    /// A body that starts apart from all objects and moves by `motion * t` of the first hit does not end in one, if the
    /// skin exceeds the errors of rounding: `8 * EPSILON` times the greatest coordinate, which is 0.001 for coordinates
    /// of `f32` up to 1000. With less it may end inside by such an error. Even then it can move on along that object and
    /// away from it. `docs/guide/walking.md` shows bodies that walk, slide and bounce.
    ///
    /// A negative skin counts as 0. With a NaN, the query yields nothing. If called again, the last call holds. After
    /// the first `next`, a call begins the query again.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([0.0, 0.0], [100.0, 5.0]), "floor")?;
    /// index.insert(walls, Rect::new([50.0, 0.0], [52.0, 90.0]), "wall")?;
    /// let body = Rect::new([10.0, 5.0], [20.0, 15.0]); // it stands on the floor
    /// assert_eq!(index.cast(body, [60.0, 0.0]).next().map(|hit| *hit.object.value()), Some("floor"));
    /// let hit = index.cast(body, [59.0, 0.0]).blocking(0.5).next().expect("the wall is in the way");
    /// assert_eq!((*hit.object.value(), hit.t, hit.normal()), ("wall", 0.5, [-1.0, 0.0])); // 0.5 before it
    /// assert!(!index.cast(body, [0.0, 60.0]).blocking(0.5).exists()); // it may jump
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("slide", "skin"))]
    pub fn blocking(mut self, skin: S) -> Self {
        self.search.criterion.set_skin(skin);
        self.search.begin_again();
        self
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns the objects that a ray or segment hits, in the order in which it enters them. The item is a [`Hit`].
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
    /// assert_eq!((*hit.object.value(), hit.t, hit.point()), ("near", 20.0, [30.0, 20.0]));
    /// assert_eq!(index.raycast(Ray::segment([10.0, 20.0], [70.0, 20.0])).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("raytrace", "line_of_sight"))]
    pub fn raycast(&self, ray: Ray<S, D>) -> Cast<'_, 'static, T, S, D> {
        self.cast_until(Mover::of_box(ray.motion()), ray.steps, ray.until())
    }

    /// Returns the objects that a rectangle touches while it moves, in the order of impact. The item is a [`Hit`].
    ///
    /// The rectangle, or point, starts at `from`, moves by `motion` and does not turn. A touch in passing counts, and
    /// so does one at the beginning (`t = 0`) or exactly at the end (`t = 1`). Ties are yielded by ascending handle. An
    /// infinite component of the motion counts as the largest number; with a NaN, the query yields nothing. The other edge
    /// rules are in `docs/guarantees.md`.
    ///
    /// To find out how far an object can move before something stops it, exclude it: `.excluding(handle)`. A body that
    /// stands on a floor touches it at `t = 0` whichever way it moves; [`blocking`](Cast::blocking) leaves that out.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([50.0, 0.0], [52.0, 90.0]), "wall")?;
    /// let crate_ = Rect::new([10.0, 10.0], [20.0, 20.0]);
    /// let hit = index.cast(crate_, [60.0, 0.0]).next().expect("the wall is in the way");
    /// assert_eq!((*hit.object.value(), hit.t), ("wall", 0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("sweep", "shapecast"))]
    pub fn cast(
        &self,
        from: impl IntoRegion<S, D, Region: RectRegion<S, D>>,
        motion: impl Into<[S; D]>,
    ) -> Cast<'_, 'static, T, S, D> {
        let (motion, steps) = Motion::of_box(from.into_region().into(), motion.into());
        self.cast_until(Mover::of_box(motion), steps, S::from(1))
    }

    /// As [`cast`](Self::cast) for a ball: it comes to the sides of a box when it touches them, and passes corners that its
    /// [bounds](Ball::bounds) would touch.
    ///
    /// The [`normal`](Hit::normal) of a hit points from the closest point of the object to the ball's center. Times are
    /// computed in `f64`.
    ///
    /// ```
    /// # use quadrille::{Ball, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([50.0, 50.0], [60.0, 60.0]), "wall")?;
    /// let ball = Ball::new([40.0, 42.0], 10.0);
    /// let hit = index.cast_ball(ball, [40.0, 0.0]).next().expect("the wall is in the way");
    /// assert_eq!((hit.t, hit.normal()), (0.1, [-0.6, -0.8])); // its corner, at [44, 42]
    /// let above = Ball::new([40.0, 39.0], 10.0);
    /// assert!(!index.cast_ball(above, [40.0, 0.0]).exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "spherecast")]
    pub fn cast_ball(&self, ball: Ball<S, D>, motion: impl Into<[S; D]>) -> Cast<'_, 'static, T, S, D> {
        let (mover, steps) = Mover::of_ball(ball, motion.into());
        self.cast_until(mover, steps, S::from(1))
    }

    #[inline(always)]
    fn cast_until(&self, mover: Mover<S, D>, steps: f64, t: S) -> Cast<'_, 'static, T, S, D> {
        Cast { index: self, steps, search: Sequence::new(&self.space, mover) }.until(t)
    }
}
