//! The ranking by distance from a target.
//!
//! It knows nothing of the search that uses it. Keeps invariants Q8 and Q9 of `docs/invariants.md`.

use crate::geometry::{
    LANES, Level, Rank, Rect, Scalar, Simd, SimdBase, SimdMask, distance, is_usual, lesser, loosened, radius,
    rough_square, rough_squares, rough_squares_of_points, splat,
};
use crate::grid::{Block, Grid, UNIT_MAX, UnitRange, axis_bits, cell_at, cells_met};
use crate::tree::{BUCKET_SLOTS, Bucket, Head, Node};

use super::cell_distances::Distances;
use super::ranking::Ranking;

const BLOCKS: usize = BUCKET_SLOTS / LANES;

/// So few cells are searched sooner than their distances are computed.
const FEW_CELLS: u32 = 3;

/// Ranks objects by their distance from a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distance<S, const D: usize> {
    pub(super) target: Rect<S, D>,
    target_exactly: Rect<f64, D>,
    /// The unit in the middle of the target; outside of the grid it is negative or too large.
    center: [i32; D],
}

/// The objects whose distance is at most some limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits<S, const D: usize> {
    /// The units that such objects touch.
    units: UnitRange<D>,
    /// Whether these are all units of the grid.
    everywhere: bool,
    /// An upper bound of the rough squares of such objects' distances.
    rough: S,
}

impl<S: Scalar, const D: usize> Distance<S, D> {
    pub(super) fn new(grid: &Grid<S, D>, target: Rect<S, D>) -> Self {
        let target_exactly = target.to_f64();
        let middle = |axis| {
            let middle = (target_exactly.min()[axis] + target_exactly.max()[axis]) * 0.5;
            grid.position_of(axis, middle) as i32
        };
        Self { target, target_exactly, center: core::array::from_fn(middle) }
    }

    /// The unit of a node that is nearest to the target's middle.
    #[inline]
    fn nearest_unit(&self, node: &Node<D>) -> [i32; D] {
        let last = (1 << (u32::from(node.shift) + axis_bits::<D>())) - 1;
        core::array::from_fn(|axis| {
            let origin = node.origin[axis].cast_signed();
            self.center[axis].clamp(origin, origin + last)
        })
    }

    /// Passes the rough squares of distances of a bucket's entries to `take`, block by block.
    #[inline(always)]
    fn rough_squares<B: Bucket<D, Scalar = S>, V: Simd>(
        &self,
        simd: V,
        bucket: &B,
        mut take: impl FnMut(usize, S::Lanes<V>),
    ) {
        let target = splat(simd, &self.target);
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

impl<S: Scalar, const D: usize> Ranking<S, D> for Distance<S, D> {
    type Within = Limits<S, D>;
    type Bounds = Distances<D>;

    const CELLS_ARE_CHEAP: bool = true;

    #[inline]
    fn kept(want: usize) -> usize {
        2 * want
    }

    fn over(&self, grid: &Grid<S, D>) -> Self {
        Self::new(grid, self.target)
    }

    fn within(&self, grid: &Grid<S, D>, _: Rank, limit: Rank) -> Limits<S, D> {
        let (radius, rough) = (radius(limit), rough_square(limit));
        if radius == f64::INFINITY {
            let units = UnitRange { min: [0; D], max: [UNIT_MAX; D] };
            return Limits { units, everywhere: true, rough };
        }
        // Rounding is monotone: a coordinate at or above the exact difference is also at or above the rounded one.
        let low = self.target_exactly.min().map(|end| S::from_f64(end - radius));
        let high = self.target_exactly.max().map(|end| S::from_f64(end + radius));
        Limits { units: grid.range(&Rect::ordered(low, high)), everywhere: false, rough }
    }

    #[inline]
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank> {
        Some(distance(&self.target_exactly, shape))
    }

    #[inline]
    fn first_cell(&self, node: &Node<D>) -> u8 {
        cell_at::<D>(self.nearest_unit(node).map(i32::cast_unsigned), node.shift)
    }

    /// Outside of the node, or in a vacant cell, a box around the target has many cells.
    #[inline]
    fn is_afar(&self, node: &Node<D>, first: u8, cells: u64) -> bool {
        (node.occupied() >> first & 1 == 0 || self.nearest_unit(node) != self.center) && FEW_CELLS < cells.count_ones()
    }

    #[inline]
    fn bounds(&self, grid: &Grid<S, D>, level: Level) -> Distances<D> {
        Distances::new(grid, level, &self.target)
    }

    #[inline]
    fn cells(&self, within: &Limits<S, D>, node: &Node<D>) -> u64 {
        if within.everywhere { u64::MAX } else { cells_met(&within.stretched(node.reach), node.origin, node.shift) }
    }

    #[inline]
    fn may_hold(&self, within: &Limits<S, D>, head: &Head<D>) -> bool {
        // Without reach, the block's cells have been tested already.
        within.everywhere || head.reach == 0 || within.stretched(head.reach).meets(&head.block.units())
    }

    #[inline(always)]
    fn candidates<B: Bucket<D, Scalar = S>, V: Simd>(&self, simd: V, within: &Limits<S, D>, bucket: &B) -> u64 {
        let limit = S::Lanes::splat(simd, within.rough);
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
    fn first_candidates<B: Bucket<D, Scalar = S>, V: Simd>(
        &self,
        simd: V,
        within: &Limits<S, D>,
        bucket: &B,
        left_out: u64,
    ) -> u64 {
        let farthest = S::Lanes::splat(simd, within.rough);
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
        let least = least.to_array().into_iter().fold(within.rough, |a, b| if b < a { b } else { a });
        let limit = S::Lanes::splat(simd, loosened(least));
        let mut candidates = 0;
        for (block, of_block) in squares.iter().enumerate() {
            candidates |= of_block.simd_le(limit).to_bitmask() << (block * LANES);
        }
        candidates
    }

    /// Assumes that objects lie everywhere as densely as in the block, and so estimates the room that the wanted ones
    /// take.
    fn guess(&self, grid: &Grid<S, D>, floor: Rank, want: usize, block: &Block<D>, objects: u32) -> Option<Rank> {
        let units = block.units();
        let side_on = |axis| f64::from(units.max[axis] - units.min[axis] + 1) / grid.scale(axis);
        let volume = (0..D).fold(1.0, |volume, axis| volume * side_on(axis));
        // A third more than wanted, since objects are not spread evenly.
        let room = volume * 1.35 * f64::from(u32::try_from(want).ok()?) / f64::from(objects);
        let nearest = floor.coarse();
        let square = if D == 2 {
            nearest + room * core::f64::consts::FRAC_1_PI
        } else {
            two_thirds_power(nearest * radius(floor) + room * (0.75 * core::f64::consts::FRAC_1_PI))
        };
        // Very far away the result may overflow. Very close by, a square alone is no rank.
        is_usual(square).then(|| Rank::new(square, 0.0))
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

impl<S, const D: usize> Limits<S, D> {
    /// The units in which anchors of such objects lie, at such a reach.
    #[inline]
    fn stretched(&self, reach: u32) -> UnitRange<D> {
        UnitRange { min: self.units.min.map(|unit| unit.saturating_sub(reach)), max: self.units.max }
    }
}
