//! Worlds without edges: which axes wrap around, and where. Takes coordinates modulo the periods.
//!
//! Objects are stored once. In a periodic world each of them stands for its images too, moved by whole periods. The
//! question moves, not the objects: queries go from tree to tree, and from image to image. Knows no query.

use core::array;

use crate::geometry::{PeriodicSpace, Rect, Scalar, larger};
use crate::grid::{Grid, WorldError};
use crate::space::Space;

/// A world without edges: what leaves it on one side comes in on the other. It wraps around on all axes (a torus) or on
/// some (a cylinder). In degrees its windows are right, its distances are not: for the globe ask by
/// [`GreatCircle`](crate::GreatCircle), or in space.
///
/// It is a description and holds no objects. Take the places of objects modulo its periods by [`wrap`](Self::wrap) or
/// [`wrap_rect`](Self::wrap_rect) before you insert or move them. Queries ask in it by their method `periodic`:
///
/// ```
/// use quadrille::{Periodic, Quadtree, Rect};
///
/// let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let mut index: Quadtree<&str> = Quadtree::new(torus.world())?;
/// let units = index.add_point_layer()?;
/// index.insert(units, torus.wrap([101.0, 50.0]), "east of the border, so in the west")?;
/// index.insert(units, torus.wrap([97.0, 50.0]), "west of it")?;
///
/// let across = Rect::new([95.0, 40.0], [105.0, 60.0]);
/// assert_eq!(index.intersecting(across).periodic(&torus).count(), 2);
/// let nearest = index.nearest([99.0, 50.0]).periodic(&torus).map(|found| found.distance_squared);
/// assert_eq!(nearest.collect::<Vec<_>>(), [4.0, 4.0]); // 2 away on either side
/// assert_eq!(torus.displacement([97.0, 50.0], [1.0, 50.0]), [4.0, 0.0]); // the shorter way
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Each object stands for itself and for its images, which are as far from it as whole periods. A query takes all of them
/// in, and yields each object once:
/// - *intersecting*, *contained in* and *containing* hold for an object if they hold for one of its images;
/// - distances and times are those of the image where they are least.
///
/// The query moves, not the objects: it is asked in each image in which it may meet objects, moved by whole periods. That
/// rounds its coordinates once, to the number that is not before the sum. So what begins in the world touches exactly what its
/// images touch, and distances and times are right to a rounding of the coordinates.
///
/// **Which objects.** Those whose minimum corner lies in the world, as [`wrap`](Self::wrap) and
/// [`wrap_rect`](Self::wrap_rect) make it. They may reach beyond the upper borders. Any other object may be missed; it
/// never comes twice. On axes that do not wrap around, objects may be anywhere. The index may have another world, though
/// its own is best.
///
/// **How far.** A region may lie anywhere, but should be at most eight periods long on an axis. Of a longer one, what lies
/// more than four periods from its center, or from the world if it is infinite, may not count. A ray without an end, and
/// a longer motion, may end four periods from where they begin. Distances, to a point or between pairs, have no such limit,
/// nor has a region that holds the whole world.
///
/// **Cost.** A question that does not come near a border costs some 25 ns more than without periods. Another one is asked in
/// two images, in a corner in four; objects that are as long as the world put every question into several.
/// [`Nearest`](crate::Nearest) and its like allocate there. (If a region of your own breaks
/// the rules of [`Region`](crate::Region), an object may come once for each image.)
#[doc(alias("torus", "wrap_around", "antimeridian"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periodic<S = f32, const D: usize = 2> {
    world: Rect<S, D>,
    axes: [bool; D],
}

impl<S: Scalar, const D: usize> Periodic<S, D> {
    /// Makes the world that wraps around on all axes. Its periods are the sides of `world`.
    ///
    /// ```
    /// # use quadrille::{Periodic, Rect};
    /// let torus = Periodic::new(Rect::new([0.0_f32, 0.0], [100.0, 50.0]))?;
    /// assert_eq!(torus.wrap([100.0, -1.0]), [0.0, 49.0]);
    /// assert_eq!(Periodic::new(Rect::new([0.0_f32, 5.0], [100.0, 5.0])).unwrap_err().axis, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError`] for a world that no index can have, as from [`SpatialIndex::new`](crate::SpatialIndex::new).
    pub fn new(world: Rect<S, D>) -> Result<Self, WorldError> {
        Grid::new(world)?;
        Ok(Self { world, axes: [true; D] })
    }

    /// Makes only some axes wrap around. The others go on beyond the world, as in an index.
    ///
    /// ```
    /// # use quadrille::{Periodic, Rect};
    /// let cylinder = Periodic::new(Rect::new([-180.0_f64, -90.0], [180.0, 90.0]))?.on_axes([true, false]);
    /// assert_eq!(cylinder.wrap([190.0, 95.0]), [-170.0, 95.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_axes(self, axes: [bool; D]) -> Self {
        Self { axes, ..self }
    }

    /// The world.
    ///
    /// ```
    /// # use quadrille::{Periodic, Rect};
    /// let world = Rect::new([0.0_f32, 0.0], [100.0, 50.0]);
    /// assert_eq!(Periodic::new(world)?.world(), world);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn world(&self) -> Rect<S, D> {
        self.world
    }

    /// Which axes wrap around.
    ///
    /// ```
    /// # use quadrille::{Periodic, Rect};
    /// assert_eq!(Periodic::new(Rect::new([0.0_f32, 0.0], [100.0, 50.0]))?.axes(), [true, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn axes(&self) -> [bool; D] {
        self.axes
    }

    /// The place in the world that a point stands for: its coordinates modulo the periods.
    ///
    /// The lower border belongs to the world, and the upper one does not: that is the lower one. A point in the world
    /// stays as it is. Any other coordinate is rounded to a number in the world, or to the lower border where it would
    /// be rounded to the upper one. A NaN or an infinite coordinate stays as it is, so that an index refuses it.
    ///
    /// ```
    /// # use quadrille::{Periodic, Rect};
    /// let torus = Periodic::new(Rect::new([-10.0_f32, 0.0], [10.0, 10.0]))?;
    /// assert_eq!(torus.wrap([13.0, -3.0]), [-7.0, 7.0]);
    /// assert_eq!(torus.wrap([10.0, -1e-9]), [-10.0, 0.0]); // both are the border
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn wrap(&self, point: impl Into<[S; D]>) -> [S; D] {
        let point = point.into();
        array::from_fn(|axis| self.wrap_on(axis, point[axis]))
    }

    fn wrap_on(&self, axis: usize, at: S) -> S {
        let (min, max) = (self.world.min()[axis], self.world.max()[axis]);
        if !self.axes[axis] || (min <= at && at < max) || !at.is_finite() {
            return at;
        }
        let (from, period) = (min.to_f64(), self.periods()[axis]);
        // The remainders are exact, and small, so that their difference is rounded by little.
        let rest = (at.to_f64() % period - from % period) % period;
        let wrapped = S::from_f64(from + if rest < 0.0 { rest + period } else { rest });
        if min <= wrapped && wrapped < max { wrapped } else { min }
    }

    /// The rectangle moved by whole periods so that its minimum corner lies in the world, as by [`wrap`](Self::wrap). It
    /// may reach beyond the upper borders, and be larger than the world. Its size may change by a rounding if it moves.
    ///
    /// ```
    /// # use quadrille::{Periodic, Rect};
    /// let torus = Periodic::new(Rect::new([0.0_f32, 0.0], [100.0, 100.0]))?;
    /// let wrapped = torus.wrap_rect(Rect::new([-2.0, 105.0], [3.0, 106.0]));
    /// assert_eq!(wrapped, Rect::new([98.0, 5.0], [103.0, 6.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn wrap_rect(&self, rect: Rect<S, D>) -> Rect<S, D> {
        let (min, max) = (rect.min(), rect.max());
        let wrapped = self.wrap(min);
        let end = |axis: usize| {
            let side = max[axis].to_f64() - min[axis].to_f64();
            if wrapped[axis] == min[axis] { max[axis] } else { S::from_f64(wrapped[axis].to_f64() + side) }
        };
        Rect::ordered(wrapped, array::from_fn(end))
    }

    /// The shortest vector from one point to another, or to one of its images. On an axis that wraps around it is at most
    /// half a period long; of two that are exactly as long, it is the negative one. It is rounded once or twice. With a
    /// coordinate that is not finite it is NaN on that axis.
    ///
    /// ```
    /// # use quadrille::{Periodic, Rect};
    /// let torus = Periodic::new(Rect::new([0.0_f32, 0.0], [100.0, 100.0]))?;
    /// assert_eq!(torus.displacement([90.0, 10.0], [20.0, 30.0]), [30.0, 20.0]);
    /// assert_eq!(torus.displacement([0.0, 50.0], [50.0, 0.0]), [-50.0, -50.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn displacement(&self, from: impl Into<[S; D]>, to: impl Into<[S; D]>) -> [S; D] {
        let (from, to) = (from.into(), to.into());
        array::from_fn(|axis| {
            let straight = to[axis].to_f64() - from[axis].to_f64();
            if !self.axes[axis] {
                return S::from_f64(straight);
            }
            let (period, rest) = (self.periods()[axis], straight % self.periods()[axis]);
            let half = period * 0.5;
            S::from_f64(if half <= rest {
                rest - period
            } else if rest < -half {
                rest + period
            } else {
                rest
            })
        })
    }

    #[inline]
    fn periods(&self) -> [f64; D] {
        let (min, max) = (self.world.min(), self.world.max());
        array::from_fn(|axis| if self.axes[axis] { max[axis].to_f64() - min[axis].to_f64() } else { 0.0 })
    }

    /// The world with the objects of a space. How far they stick out is bounded by the reach of their trees.
    #[inline(always)]
    pub(crate) fn over(&self, space: &Space<S, D>) -> PeriodicSpace<S, D> {
        let mut end = self.world.max();
        let reach = space.trees.reach();
        if reach != 0 {
            end = array::from_fn(|axis| larger(end[axis], space.grid().reached_from(axis, end[axis], reach)));
        }
        let on = |axis: usize, end: S, infinite: S| if self.axes[axis] { end } else { infinite };
        let min = array::from_fn(|axis| on(axis, self.world.min()[axis], S::NEG_INFINITY));
        let max = array::from_fn(|axis| on(axis, end[axis], S::INFINITY));
        PeriodicSpace { periods: self.periods(), hull: Rect::ordered(min, max) }
    }
}
