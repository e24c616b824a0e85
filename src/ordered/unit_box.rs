//! A box in grid units, and lower bounds of its distances from whatever a block holds.
//!
//! It knows nothing of rankings. Keeps invariant Q9 of `docs/invariants.md`.

use crate::geometry::{LANES, Lanes, Rect, Scalar, Select, Simd, SimdBase};
use crate::grid::{Block, Grid, UNIT_MAX, UnitRange};

/// A box in units of the grid, widened by more than the sum of all rounding errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitBox<const D: usize> {
    /// The interval on each axis.
    pub(super) ends: [[f64; 2]; D],
    /// The sides of a unit, in the shortest of them.
    sides: [f64; D],
}

impl<const D: usize> UnitBox<D> {
    #[inline]
    pub(super) fn new<S: Scalar>(grid: &Grid<S, D>, rect: &Rect<S, D>) -> Self {
        const SIDE: f64 = 2_147_483_648.0; // twice the grid
        let ends = core::array::from_fn(|axis| {
            let ends = [rect.min(), rect.max()].map(|corner| grid.position(axis, corner[axis]));
            // The unit of a stored object is exact up to a factor of `1 ± 2 EPSILON` of the scalar. Positions, times
            // and distances, of cells and of objects, are off by a few EPSILON of `f64`.
            let of_units = SIDE * 2.0 * S::EPSILON.to_f64();
            let margin = ends.map(|end| of_units + (SIDE + end.abs()) * 16.0 * f64::EPSILON);
            [ends[0] - margin[0], ends[1] + margin[1]]
        });
        let scale = grid.scale_max().to_f64();
        Self { ends, sides: core::array::from_fn(|axis| scale / grid.scale(axis)) }
    }

    /// A lower bound of the square of the distance, in the shortest units, of objects with such a reach that are stored in
    /// a block.
    #[inline]
    pub(super) fn square(&self, block: &Block<D>, reach: u32) -> f64 {
        let UnitRange { min, max } = block.units();
        (0..D).fold(0.0, |sum, axis| sum + self.square_on(axis, min[axis], max[axis] + 1 + reach))
    }

    /// A lower bound of the square of the distance on one axis, in the shortest units, of objects that lie in the units
    /// from `min` to before `end`. A range at an edge of the grid is infinite there. 0 if the box is not a number.
    #[inline]
    fn square_on(&self, axis: usize, min: u32, end: u32) -> f64 {
        let [from, to] = self.ends[axis];
        let after = if min == 0 { 0.0 } else { f64::from(min) - to };
        let before = if UNIT_MAX < end { 0.0 } else { from - f64::from(end) };
        let gap = if after < before { before } else { after };
        let gap = gap * self.sides[axis];
        if 0.0 < gap { gap * gap } else { 0.0 }
    }

    /// The same of several ranges of `2^shift` units that lie side by side, the first one from `origin` on, with a
    /// reach.
    #[inline(always)]
    pub(super) fn squares_on<V: Simd>(&self, simd: V, axis: usize, origin: u32, shift: u8, reach: u32) -> [f64; LANES] {
        let splat = |number| Lanes::<V, f64>::splat(simd, number);
        let [from, to] = self.ends[axis].map(splat);
        let (side, zero) = (f64::from(1_u32 << shift), splat(0.0));
        let min = Lanes::<V, f64>::load_array(simd, NUMBERS) * splat(side) + splat(f64::from(origin));
        let end = min + splat(side + f64::from(reach));
        let after = zero.simd_lt(min).select(min - to, zero);
        let before = end.simd_le(splat(f64::from(UNIT_MAX))).select(from - end, zero);
        let gap = after.simd_lt(before).select(before, after);
        let gap = zero.simd_lt(gap).select(gap, zero) * splat(self.sides[axis]);
        (gap * gap).to_array()
    }
}

const NUMBERS: [f64; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
