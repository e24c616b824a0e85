//! `cast`: the objects that a moving rectangle touches, in the order of impact.

use super::buffer::Found;
use super::sequence::Sequence;
use crate::geometry::{Ball, IntoRegion, Motion, Mover, Rank, RectRegion, Scalar};
use crate::index::{ObjectRef, SpatialIndex};

/// An object that a moving rectangle touches, and the time of impact. [`Cast`] yields it.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// index.insert(walls, Rect::new([50.0, 0.0], [52.0, 90.0]), "wall")?;
/// let from = Rect::new([0.0, 0.0], [10.0, 10.0]);
/// let hit = index.cast(from, [80.0, 0.0]).next().expect("the wall is in the way");
/// let stopped = from.translated([80.0 * hit.t, 0.0]);
/// assert_eq!(stopped.max(), [50.0, 10.0]); // it touches the wall
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CastHit<'a, T, S = f32, const D: usize = 2> {
    /// The object.
    pub object: ObjectRef<'a, T, S, D>,
    /// The part of the motion until the first touch, from 0 to 1. It is 0 if the two touch at the beginning. With a
    /// [skin](Cast::blocking) it is the part until the skin touches.
    ///
    /// It is rounded to the nearest number: no question takes it as a limit.
    pub t: S,
    mover: Mover<S, D>,
    pub(super) rank: Rank,
}

impl<T, S: Scalar, const D: usize> CastHit<'_, T, S, D> {
    /// The outward direction of the object's side that the rectangle meets: 1 or -1 on one axis, 0 on all others.
    ///
    /// At a corner the lowest of its axes counts. If the two touch or overlap at the start, it is the side that is
    /// nearest to getting out; if sides tie, the one on the lowest axis, and there the lower one. It is computed when you
    /// ask.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([50.0, 0.0], [52.0, 90.0]), "wall")?;
    /// let hit = index.cast([10.0, 10.0], [80.0, 5.0]).next().expect("the wall is in the way");
    /// assert_eq!(hit.normal(), [-1.0, 0.0]); // its left side
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

/// An iterator over the objects that a moving rectangle or ball touches, in the order of impact.
///
/// [`cast`](SpatialIndex::cast) returns it. It yields [`CastHit`]s.
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
    /// The steps of the whole motion.
    pub(super) steps: f64,
    pub(super) search: Sequence<'a, 'b, Mover<S, D>, S, D>,
}

impl<'a, T, S: Scalar, const D: usize> Cast<'a, '_, T, S, D> {
    #[inline]
    pub(super) fn item(&self, found: Found) -> CastHit<'a, T, S, D> {
        let (object, rank) = (ObjectRef::new(self.index, found.place, found.handle), found.rank);
        let t = S::from_f64(rank.time() / self.steps);
        CastHit { object, t, mover: self.search.criterion_at(&found).unwrap_or(self.search.criterion), rank }
    }
}

impl<T, S: Scalar, const D: usize> Cast<'_, '_, T, S, D> {
    /// Leaves out objects that do not block the motion, and stops it a little short of those that do.
    ///
    /// An object blocks if the rectangle would enter it by going on. Objects that it only touches, moves along, or moves
    /// away from do not block. If the two overlap at the start, the object blocks only motions that lead further in,
    /// against its [`normal`](CastHit::normal). A motion of 0 is not blocked.
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
    /// Returns the objects that a rectangle touches while it moves, in the order of impact. The item is a [`CastHit`].
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
        self.cast_of(Mover::of_box(motion), steps)
    }

    /// As [`cast`](Self::cast) for a ball: it comes to the sides of a box when it touches them, and passes corners that its
    /// [bounds](Ball::bounds) would touch.
    ///
    /// The [`normal`](CastHit::normal) of a hit points from the closest point of the object to the ball's center. Times are
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
        self.cast_of(mover, steps)
    }

    fn cast_of(&self, mover: Mover<S, D>, steps: f64) -> Cast<'_, 'static, T, S, D> {
        let mut search = Sequence::new(&self.space, mover);
        search.end_at(Some(Rank::last_at(steps)));
        Cast { index: self, steps, search }
    }
}
