//! The ranking by distance from a target.
//!
//! It knows nothing of the search that uses it. Keeps invariants Q8 and Q9 of `docs/invariants.md`.

use crate::geometry::{
    Images, LANES, Level, PeriodicSpace, Rank, Rect, Scalar, Simd, SimdBase, SimdMask, distance, lesser, loosened,
    rough_limits, rough_square, rough_squares, rough_squares_of_points, shifted, smaller, splat,
};
use crate::grid::{Block, Grid, UnitRange, axis_bits, cell_at, cells_met};
use crate::tree::{BUCKET_SLOTS, Bucket, Head, Node, positions};

use super::bounds::CellBounds;
use super::ranking::{CellOrder, Criterion, Ranking};

const ROWS: usize = BUCKET_SLOTS / LANES;

/// So few cells are searched sooner than their bounds are computed.
const FEW_CELLS: u32 = 3;

/// Ranks objects by their distance from a target.
#[derive(Clone, Copy)]
pub(super) struct Distance<S, const D: usize> {
    target: Rect<S, D>,
    target_exactly: Rect<f64, D>,
    center: [i32; D],
    /// The units that objects within the limit touch.
    units: UnitRange<D>,
    /// Whether these are all units of the grid.
    everywhere: bool,
    /// An object whose rough square is at most this has a rank below the floor.
    above: S,
    /// An upper bound of the rough squares of objects within the limit.
    rough: S,
}

impl<S: Scalar, const D: usize> Distance<S, D> {
    /// The unit of a node that is nearest to the target's middle.
    #[inline]
    fn nearest_unit(&self, node: &Node<D>) -> [i32; D] {
        let last = (1 << (u32::from(node.shift) + axis_bits::<D>())) - 1;
        core::array::from_fn(|axis| {
            let origin = node.origin[axis].cast_signed();
            self.center[axis].clamp(origin, origin + last)
        })
    }

    /// Passes the rough squares of the distances of a bucket's entries to `take`, eight entries at a time.
    #[inline(always)]
    fn rough_squares<V: Simd, const ENDS: usize>(
        &self,
        simd: V,
        bucket: &Bucket<S, D, ENDS>,
        mut take: impl FnMut(usize, S::Lanes<V>),
    ) {
        let target = splat(simd, &self.target);
        if Bucket::<S, D, ENDS>::IS_POINTS && self.target.min() == self.target.max() {
            for row in 0..ROWS {
                take(row, rough_squares_of_points::<V, S, D>(&target, &bucket.row(simd, row)));
            }
        } else {
            for row in 0..ROWS {
                take(row, rough_squares::<V, S, D>(simd, &target, &bucket.row(simd, row)));
            }
        }
    }
}

impl<S: Scalar, const D: usize> Criterion<S, D> for Rect<S, D> {
    type Ranking = Distance<S, D>;

    fn shifted(&self, by: [f64; D]) -> Self {
        self.shifted(by)
    }

    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank> {
        Some(distance(&self.to_f64(), shape))
    }

    /// The nearest image of a target that begins in the world is that or a neighbour, since the objects begin in the world.
    #[inline]
    fn images(&self, torus: &PeriodicSpace<S, D>, _: Rank) -> Images<D> {
        Images::neighbours(torus.periods)
    }

    /// The least distance, on any axis, between the hull and the target moved by a period.
    #[inline]
    fn edge(&self, torus: &PeriodicSpace<S, D>) -> Rank {
        // Rounded as the target is when it is moved.
        let moved = |end: S, by: f64| shifted(end, by).to_f64();
        let (target, hull) = (self, &torus.hull);
        let mut least = f64::INFINITY;
        for (axis, &period) in torus.periods.iter().enumerate().filter(|(_, period)| **period != 0.0) {
            let before = hull.min()[axis].to_f64() - moved(target.max()[axis], -period);
            let after = moved(target.min()[axis], period) - hull.max()[axis].to_f64();
            least = smaller(least, smaller(before, after));
        }
        Rank::of_distance(if 0.0 < least { least } else { 0.0 })
    }

    #[inline]
    fn is_nowhere(&self) -> bool {
        self.is_empty()
    }

    fn start(&self) -> [S; D] {
        self.min()
    }

    /// From amid the objects, it assumes that they lie everywhere as densely as in the block, and computes the room
    /// that the wanted ones take. From outside of them, it assumes that the objects of the block lie evenly between the
    /// floor and the block's farthest corner.
    fn estimate(&self, grid: &Grid<S, D>, floor: Rank, want: usize, of: impl Fn() -> (Block<D>, f64)) -> Option<Rank> {
        let (block, objects) = of();
        // A third more than wanted, since objects are not spread evenly.
        let part = 1.35 * f64::from(u32::try_from(want).ok()?) / objects;
        let (units, nearest) = (block.units(), floor.square());
        let side_of_unit = 1.0 / grid.scale();
        let side = |axis| f64::from(units.max[axis] - units.min[axis] + 1) * side_of_unit;
        let room = (0..D).fold(part, |room, axis| room * side(axis));
        let mut square = if D == 2 {
            nearest + room * core::f64::consts::FRAC_1_PI
        } else {
            two_thirds_power(nearest * floor.radius() + room * (0.75 * core::f64::consts::FRAC_1_PI))
        };
        if 4.0 * (square - nearest) < nearest {
            let center = center(grid, &self.to_f64());
            let farthest = (0..D).fold(0.0, |sum, axis| {
                let from = |unit| (f64::from(unit) - f64::from(center[axis])).abs() + 1.0;
                let gap = from(units.min[axis]).max(from(units.max[axis])) * side_of_unit;
                sum + gap * gap
            });
            square = nearest + (farthest - nearest) * part.min(1.0);
        }
        // Very far away the result may overflow. Very close by, a square alone is no rank.
        Rank::of_usual_square(square)
    }
}

/// The unit in the middle of a target. Outside of the grid it is negative or too large.
#[inline]
fn center<S: Scalar, const D: usize>(grid: &Grid<S, D>, target: &Rect<f64, D>) -> [i32; D] {
    core::array::from_fn(|axis| grid.position(axis, (target.min()[axis] + target.max()[axis]) * 0.5) as i32)
}

impl<S: Scalar, const D: usize> Ranking<S, D> for Distance<S, D> {
    type Criterion = Rect<S, D>;

    const CELLS_ARE_CHEAP: bool = true;

    #[inline]
    fn kept(want: usize) -> usize {
        2 * want
    }

    #[inline]
    fn new(grid: &Grid<S, D>, &target: &Rect<S, D>) -> Self {
        let target_exactly = target.to_f64();
        Self {
            target,
            target_exactly,
            center: center(grid, &target_exactly),
            units: UnitRange::everywhere(),
            everywhere: true,
            above: S::NEG_INFINITY,
            rough: S::INFINITY,
        }
    }

    fn criterion(&self) -> &Rect<S, D> {
        &self.target
    }

    #[inline]
    fn set_floor(&mut self, floor: Rank) {
        [_, self.above] = rough_limits(floor);
    }

    fn set_limit(&mut self, grid: &Grid<S, D>, limit: Rank) {
        let radius = limit.radius();
        self.rough = rough_square(limit);
        self.everywhere = radius == f64::INFINITY;
        if !self.everywhere {
            // Rounding is monotone: a coordinate at or above the exact difference is also at or above the rounded one.
            let low = self.target_exactly.min().map(|end| S::from_f64(end - radius));
            let high = self.target_exactly.max().map(|end| S::from_f64(end + radius));
            self.units = grid.range(&Rect::ordered(low, high));
        }
    }

    #[inline(always)]
    fn near<V: Simd>(&self, simd: V, boxes: &[[S::Lanes<V>; 2]; D]) -> (u64, S::Lanes<V>) {
        let squares = rough_squares::<V, S, D>(simd, &splat(simd, &self.target), boxes);
        (squares.simd_le(S::Lanes::splat(simd, self.rough)).to_bitmask(), squares)
    }

    #[inline]
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank> {
        Some(distance(&self.target_exactly, shape))
    }

    #[inline]
    fn cells(&self, node: &Node<D>) -> u64 {
        if self.everywhere { u64::MAX } else { cells_met(&self.units.reached(node.reach), node.origin, node.shift) }
    }

    #[inline]
    fn first_cell(&self, node: &Node<D>) -> u8 {
        cell_at::<D>(self.nearest_unit(node).map(i32::cast_unsigned), node.shift)
    }

    /// Outside of the node, or in a vacant cell, a box around the target has many more cells than a ball.
    #[inline]
    fn cell_order(
        &self,
        grid: &Grid<S, D>,
        level: Level,
        limit: Rank,
        node: &Node<D>,
        cells: &mut u64,
    ) -> CellOrder<D> {
        let first = self.first_cell(node);
        let is_outside = node.occupied() >> first & 1 == 0 || self.nearest_unit(node) != self.center;
        if is_outside && FEW_CELLS < cells.count_ones() {
            let bounds = CellBounds::new(grid, level, &self.target, node);
            *cells &= bounds.within(limit);
            return CellOrder::ByBounds(bounds);
        }
        CellOrder::Around(first)
    }

    #[inline]
    fn may_hold(&self, head: &Head<D>) -> bool {
        // Without reach, the test of the block's cells was enough.
        head.reach == 0 || self.everywhere || self.units.reached(head.reach).meets(&head.block.units())
    }

    #[inline(always)]
    fn candidates<V: Simd, const ENDS: usize>(
        &self,
        simd: V,
        bucket: &Bucket<S, D, ENDS>,
        first_but: Option<u64>,
    ) -> u64 {
        let mut candidates = 0;
        let farthest = S::Lanes::splat(simd, self.rough);
        let Some(left_out) = first_but else {
            let above = S::Lanes::splat(simd, self.above);
            self.rough_squares(
                simd,
                bucket,
                #[inline(always)]
                |row, squares| {
                    let are_between = above.simd_lt(squares) & squares.simd_le(farthest);
                    candidates |= are_between.to_bitmask() << (row * LANES);
                },
            );
            return candidates;
        };
        let mut squares = [S::Lanes::splat(simd, S::NAN); ROWS];
        self.rough_squares(
            simd,
            bucket,
            #[inline(always)]
            |row, of_row| squares[row] = of_row,
        );
        for position in positions(left_out).map(usize::from) {
            squares[position / LANES][position % LANES] = S::NAN;
        }
        let mut least = farthest;
        for &of_row in &squares {
            least = lesser(of_row, least);
        }
        let least = least.to_array().into_iter().fold(self.rough, |a, b| if b < a { b } else { a });
        let limit = S::Lanes::splat(simd, loosened(least));
        for (row, of_row) in squares.iter().enumerate() {
            candidates |= of_row.simd_le(limit).to_bitmask() << (row * LANES);
        }
        candidates
    }
}

/// An estimate of `cube` to the power of two thirds, for a positive number; NaN for one that is not finite.
fn two_thirds_power(cube: f64) -> f64 {
    if !cube.is_finite() {
        return f64::NAN;
    }
    // Two thirds of the exponent.
    f64::from_bits(cube.to_bits() / 3 * 2 + (1023 << 52) / 3)
}
