//! `cast`: the objects that a moving rectangle touches, in the order of impact.

use core::fmt;

use super::buffer::Found;
use super::by_time::ByTime;
use super::sequence::Sequence;
use crate::geometry::{IntoRegion, Motion, Rank, Rect, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::LayerSet;

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
    /// The part of the motion until the first touch, from 0 to 1. It is 0 if the two touch at the beginning.
    pub t: S,
}

/// An iterator over the objects that a moving rectangle touches, in the order of impact.
///
/// [`cast`](SpatialIndex::cast) returns it. It yields [`CastHit`]s.
///
/// It is lazy: it finds an object when `next` is called. It finds the first one without allocating.
/// It finds the following ones several at a time, and keeps them in a buffer, which can be [lent](Self::reusing). A
/// clone continues from the same position with a buffer of its own.
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
    pub(super) search: Sequence<'a, 'b, ByTime<S, D>, S, D>,
}

impl<'a, T, S: Scalar, const D: usize> Cast<'a, '_, T, S, D> {
    #[inline]
    pub(super) fn item(&self, Found { rank, handle, place }: Found) -> CastHit<'a, T, S, D> {
        CastHit { object: ObjectRef::new(self.index, place, handle), t: S::from_f64(rank.time()) }
    }
}

impl<T, S: Scalar, const D: usize> fmt::Debug for Cast<'_, '_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Motion { from, step, .. } = &self.search.ranking.motion;
        f.debug_struct("Cast")
            .field("from", from)
            .field("motion", step)
            .field("layers", &self.search.layers())
            .finish_non_exhaustive()
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Returns the objects that a rectangle touches while it moves, in the order of impact. The item is a [`CastHit`].
    ///
    /// The rectangle, or point, starts at `from`, moves by `motion` and does not turn. A touch in passing counts, and
    /// so does one at the beginning (`t = 0`) or exactly at the end (`t = 1`). Ties are yielded by ascending handle. A
    /// NaN or an infinite motion yields nothing. The other edge rules are in `docs/guarantees.md`.
    ///
    /// To find out how far an object can move before something stops it, exclude it: `.excluding(handle)`.
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
    #[doc(alias = "sweep")]
    #[doc(alias = "shapecast")]
    pub fn cast(
        &self,
        from: impl IntoRegion<S, D, Region = Rect<S, D>>,
        motion: impl Into<[S; D]>,
    ) -> Cast<'_, 'static, T, S, D> {
        let motion =
            Motion { from: from.into_region(), step: motion.into().map(S::to_f64), bounds: Rect::everything() };
        let layers = if motion.is_nowhere() { LayerSet::NONE } else { LayerSet::ALL };
        let mut search = Sequence::new(&self.space, ByTime::new(self.space.grid(), motion), layers);
        search.end_at(Some(Rank::of_time(1.0)));
        Cast { index: self, search }
    }
}
