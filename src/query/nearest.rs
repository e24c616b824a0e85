//! `nearest`: objects by increasing distance.

use core::fmt;
use core::iter::FusedIterator;

use crate::geometry::{
    IntoRect, LANES, Rank, Rect, Scalar, Simd, SimdBase, SimdMask, distance, lesser, loosened, radius,
    rank_of_distance, rough_square, rough_squares, rough_squares_of_points, square_of,
};
use crate::grid::{Block, Grid, UNIT_MAX, UnitRange, axis_bits, cell_at, cells_met};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet};
use crate::tree::{BUCKET_SLOTS, Bucket, Head, Node};

use super::ranked::{Ranked, SearchBuffer, ordered_query};
use super::search::Ranking;

const BLOCKS: usize = BUCKET_SLOTS / LANES;

/// Ranks by distance from a target.
#[derive(Clone, Copy)]
pub(super) struct ByDistance<S, const D: usize> {
    target: Rect<S, D>,
    target_exactly: Rect<f64, D>,
    /// The unit in the middle of the target.
    center: [u32; D],
}

/// What is no further than some limit.
#[derive(Clone, Copy)]
pub(super) struct Around<S, const D: usize> {
    /// The units that such objects touch.
    units: UnitRange<D>,
    /// Whether that is all units there are.
    everywhere: bool,
    /// What rough squares of distances do not exceed.
    rough: S,
}

impl<S: Scalar, const D: usize> ByDistance<S, D> {
    pub(super) fn new(grid: &Grid<S, D>, target: Rect<S, D>) -> Self {
        let UnitRange { min, max } = grid.range(&target);
        Self {
            target,
            target_exactly: target.to_f64(),
            center: core::array::from_fn(|axis| min[axis].midpoint(max[axis])),
        }
    }

    /// Roughly the squares of distances of the entries of a bucket, block by block.
    #[inline(always)]
    fn rough_squares<B: Bucket<S, D>, V: Simd>(&self, simd: V, bucket: &B, mut take: impl FnMut(usize, S::Lanes<V>)) {
        let mut target = [[S::Lanes::splat(simd, S::NAN); 2]; D];
        for (axis, ends) in target.iter_mut().enumerate() {
            *ends = [S::Lanes::splat(simd, self.target.min()[axis]), S::Lanes::splat(simd, self.target.max()[axis])];
        }
        if !B::EXTENDED && self.target.min() == self.target.max() {
            for block in 0..BLOCKS {
                take(block, rough_squares_of_points::<V, S, D>(&target, &bucket.block(simd, block)));
            }
        } else {
            for block in 0..BLOCKS {
                take(block, rough_squares::<V, S, D>(simd, &target, &bucket.block(simd, block)));
            }
        }
    }
}

impl<S: Scalar, const D: usize> Ranking<S, D> for ByDistance<S, D> {
    type Within = Around<S, D>;

    const CELLS_ARE_CHEAP: bool = true;

    #[inline]
    fn kept(want: usize) -> usize {
        2 * want
    }

    fn within(&self, grid: &Grid<S, D>, _: Rank, limit: Rank) -> Around<S, D> {
        let (radius, rough) = (radius(limit), rough_square(limit));
        if radius == f64::INFINITY {
            let units = UnitRange { min: [0; D], max: [UNIT_MAX; D] };
            return Around { units, everywhere: true, rough };
        }
        // Rounding is monotone, so a coordinate at or above the difference is at or above what that is rounded to.
        let low = self.target_exactly.min().map(|end| S::from_f64(end - radius));
        let high = self.target_exactly.max().map(|end| S::from_f64(end + radius));
        Around { units: grid.range(&Rect::ordered(low, high)), everywhere: false, rough }
    }

    #[inline]
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank> {
        Some(distance(&self.target_exactly, shape))
    }

    #[inline]
    fn first_cell(&self, node: &Node<D>) -> u8 {
        let last = (1 << (u32::from(node.shift) + axis_bits::<D>())) - 1;
        let nearest = |axis: usize| self.center[axis].clamp(node.origin[axis], node.origin[axis] + last);
        cell_at::<D>(core::array::from_fn(nearest), node.shift)
    }

    #[inline]
    fn cells(&self, around: &Around<S, D>, node: &Node<D>) -> u64 {
        if around.everywhere { u64::MAX } else { cells_met(&around.stretched(node.reach), node.origin, node.shift) }
    }

    #[inline]
    fn may_hold(&self, around: &Around<S, D>, head: &Head<D>) -> bool {
        // Where nothing sticks out, the cells have told all.
        around.everywhere || head.reach == 0 || around.stretched(head.reach).meets(&head.block.units())
    }

    #[inline(always)]
    fn candidates<B: Bucket<S, D>, V: Simd>(&self, simd: V, around: &Around<S, D>, bucket: &B) -> u64 {
        let limit = S::Lanes::splat(simd, around.rough);
        let mut candidates = 0;
        self.rough_squares(
            simd,
            bucket,
            #[inline(always)]
            |block, squares| candidates |= squares.simd_le(limit).to_bitmask() << (block * LANES),
        );
        candidates
    }

    #[inline(always)]
    fn first_candidates<B: Bucket<S, D>, V: Simd>(
        &self,
        simd: V,
        around: &Around<S, D>,
        bucket: &B,
        left_out: u64,
    ) -> u64 {
        let farthest = S::Lanes::splat(simd, around.rough);
        let mut squares = [S::Lanes::splat(simd, S::NAN); BLOCKS];
        let mut least = farthest;
        self.rough_squares(
            simd,
            bucket,
            #[inline(always)]
            |block, of_block| {
                squares[block] = of_block;
                least = lesser(of_block, least);
            },
        );
        if left_out != 0 {
            let position = left_out.trailing_zeros() as usize;
            squares[position / LANES][position % LANES] = S::NAN;
            least = farthest;
            for &of_block in &squares {
                least = lesser(of_block, least);
            }
        }
        let least = least.to_array().into_iter().fold(around.rough, |a, b| if b < a { b } else { a });
        let limit = S::Lanes::splat(simd, loosened(least));
        let mut candidates = 0;
        for (block, of_block) in squares.iter().enumerate() {
            candidates |= of_block.simd_le(limit).to_bitmask() << (block * LANES);
        }
        candidates
    }

    /// As if objects lay all around as densely as in the block: so many more need that much more room.
    fn guess(&self, grid: &Grid<S, D>, floor: Rank, want: usize, block: &Block<D>, objects: u32) -> Option<Rank> {
        let (units, side) = (block.units(), 1.0 / grid.scale());
        let volume = (0..D).fold(1.0, |volume, axis| volume * f64::from(units.max[axis] - units.min[axis] + 1) * side);
        // A third more than are wanted, as they come in lumps.
        let room = volume * 1.35 * f64::from(u32::try_from(want).ok()?) / f64::from(objects);
        let nearest = floor.coarse();
        let square = if D == 2 {
            nearest + room * core::f64::consts::FRAC_1_PI
        } else {
            two_thirds_power(nearest * radius(floor) + room * (0.75 * core::f64::consts::FRAC_1_PI))
        };
        // Far out there may be no such number.
        (square.is_normal() && square.is_sign_positive()).then(|| Rank::new(square, 0.0))
    }
}

/// Roughly the square of the third root of a positive number; NaN of one that is not finite.
fn two_thirds_power(cube: f64) -> f64 {
    if !cube.is_finite() {
        return f64::NAN;
    }
    // Two thirds of the exponent.
    f64::from_bits(cube.to_bits() / 3 * 2 + (1023 << 52) / 3)
}

impl<S, const D: usize> Around<S, D> {
    /// The units in which the anchors lie, with such a reach.
    #[inline]
    fn stretched(&self, reach: u32) -> UnitRange<D> {
        UnitRange { min: self.units.min.map(|unit| unit.saturating_sub(reach)), max: self.units.max }
    }
}

/// An object, and how far away it is.
pub struct Neighbor<'a, T, S = f32, const D: usize = 2> {
    /// The object.
    pub object: ObjectRef<'a, T, S, D>,
    /// The square of the distance of the closest points; 0 where the object touches the target.
    ///
    /// Rounded to what `S` can hold: infinite for distances whose square is beyond all numbers (some `1.8e19` in
    /// `f32`), 0 for very small ones. The order is right there too.
    pub distance_squared: S,
}

impl<T, S: Copy, const D: usize> Clone for Neighbor<'_, T, S, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S: Copy, const D: usize> Copy for Neighbor<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> fmt::Debug for Neighbor<'_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Neighbor")
            .field("object", &self.object)
            .field("distance_squared", &self.distance_squared)
            .finish()
    }
}

/// The objects by increasing distance from a target. Made by [`nearest`](SpatialIndex::nearest).
#[must_use = "a query does nothing until it is iterated"]
pub struct Nearest<'a, 'b, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    ranked: Ranked<'b, ByDistance<S, D>>,
}

impl<T, S: Scalar, const D: usize> Nearest<'_, '_, T, S, D> {
    /// Ends after the objects that are at most so far away: closed, so what is just so far is among them.
    ///
    /// Of several calls the least distance holds. Nothing is within a negative distance, or within NaN.
    pub fn within(mut self, distance: S) -> Self {
        let limit = distance.to_f64();
        self.ranked.end_at((0.0 <= limit).then(|| rank_of_distance(limit)));
        self
    }

    /// Begins with the objects that are at least so far away: closed, so what is just so far is among them.
    ///
    /// Of several calls the greatest distance holds. Everything is beyond a negative distance, nothing beyond NaN.
    pub fn beyond(mut self, distance: S) -> Self {
        let floor = distance.to_f64();
        if floor.is_nan() {
            self.ranked.end_at(None);
        } else if 0.0 < floor {
            self.ranked.begin_at(rank_of_distance(floor));
        }
        self
    }
}

ordered_query!(Nearest, Neighbor, [], |object, _query, rank| Neighbor { object, distance_squared: square_of(rank) });

impl<T, S: Scalar, const D: usize> fmt::Debug for Nearest<'_, '_, T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nearest")
            .field("target", &self.ranked.ranking.target)
            .field("layers", &self.ranked.layers())
            .finish_non_exhaustive()
    }
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// The objects by increasing distance from a point or a rectangle, nearest first, one after the other until all
    /// have come.
    ///
    /// The distance between two shapes is that of their closest points, so it is 0 where they touch or overlap.
    /// Objects at the same distance come by rising handle. A target with a NaN has no neighbours. Distances are
    /// compared as reckoned in `f64`, which is finer than `distance_squared` in `f32`.
    ///
    /// Filters hold before any limit: `.in_layers(units).take(8)` are the nearest eight of those layers.
    ///
    /// The first object is found without allocating. Further ones are looked for by the dozen, and wait in a buffer:
    /// see [`SearchBuffer`] for how to use it again.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(units, [10.0, 10.0], "scout")?;
    /// index.insert(walls, Rect::new([16.0, 0.0], [18.0, 90.0]), "wall")?;
    /// let here = [14.0, 13.0];
    /// let by_distance: Vec<_> = index.nearest(here).map(|n| (*n.object.value(), n.distance_squared)).collect();
    /// assert_eq!(by_distance, [("wall", 4.0), ("scout", 25.0)]);
    /// assert_eq!(index.nearest(here).in_layers(units).within(5.0).count(), 1); // just so far
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "knn")]
    #[doc(alias = "k_nearest")]
    #[doc(alias = "closest")]
    pub fn nearest(&self, target: impl IntoRect<S, D>) -> Nearest<'_, 'static, T, S, D> {
        let target = target.into_rect();
        let layers = if target.has_nan() { LayerSet::NONE } else { LayerSet::ALL };
        Nearest { index: self, ranked: Ranked::new(ByDistance::new(&self.grid, target), layers) }
    }
}

impl<'a, T, S: Scalar, const D: usize> ObjectRef<'a, T, S, D> {
    /// The other objects by increasing distance from this one: [`SpatialIndex::nearest`], without itself.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 1.0], "scout")?;
    /// index.insert(units, [1.0, 2.0], "medic")?;
    /// let scout = index.object(scout).expect("just inserted");
    /// assert_eq!(scout.nearest().next().map(|n| *n.object.value()), Some("medic"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(&self) -> Nearest<'a, 'static, T, S, D> {
        let (index, place) = self.standing();
        let mut nearest = index.nearest(self.shape());
        nearest.ranked.exclude(Some(place));
        nearest
    }
}
