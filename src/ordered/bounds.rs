//! Lower bounds of distances from a target, in grid units: to the objects of a block, and to the objects of each cell
//! of a node.
//!
//! Around the target, a search goes through the cells of a node by the smallest common block, and leaves out the cells
//! outside of a box. That is cheap, but far from the target the box around a ball has many more cells than the ball.
//! There a search goes through the cells in the order of their bounds.
//!
//! It does not know the objects. Keeps invariant Q9 of `docs/invariants.md`.

use crate::geometry::{LANES, Lanes, Level, Rank, Rect, Scalar, Select, Simd, SimdBase, SimdMask, with_vectors};
use crate::grid::{Block, CELLS, END_MAX, Grid, UNIT_MAX, UnitRange, morton_of_rows, row_major};
use crate::tree::{Head, Node};

const ROWS: usize = CELLS / LANES;

const NUMBERS: [f64; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// A box in units of the grid, widened by more than the rounding errors of `f64`.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitBox<const D: usize> {
    /// The interval on each axis.
    pub(super) ends: [[f64; 2]; D],
}

/// The part of the way from the origin by which the units of stored objects may be off.
///
/// Let `d` be `EPSILON / 2`, the most that the scalar rounds by, `x` the exact distance of a coordinate from the origin,
/// in units, and `u` the number that [`Grid::unit`] computes and cuts to a whole one. A difference and a product are
/// rounded, so `u` is `x` times `(1 ± d)^2`, or less than the smallest number, and `x` is `u` times `1 ± (2d + 4d^2)`. The
/// error is a factor: it follows the position, and near the origin it is far less than a unit, however large the world
/// is. This is `2.25 d`.
pub(super) fn slack<S: Scalar>() -> f64 {
    S::EPSILON.to_f64() * 1.125
}

/// An interval of a [`UnitBox`], widened for comparisons with objects that are stored in units before `end`. None of their
/// units is farther from where it should be, and those that are cut to the end of the grid meet all that is beyond. (The
/// margin of the interval has room for the rounding of these sums.)
#[inline]
pub(super) fn widened([from, to]: [f64; 2], slack: f64, end: f64) -> [f64; 2] {
    let by = end * slack;
    [from - by, to + by]
}

impl<const D: usize> UnitBox<D> {
    #[inline]
    pub(super) fn new<S: Scalar>(grid: &Grid<S, D>, rect: &Rect<S, D>) -> Self {
        const SIDE: f64 = 2_147_483_648.0; // twice the grid
        let ends = core::array::from_fn(|axis| {
            let ends = [rect.min(), rect.max()].map(|corner| grid.position(axis, corner[axis].to_f64()));
            // Positions, times and distances, of cells and of objects, are off by a few EPSILON of `f64`: in all by less
            // than this part of the way from the box to a unit.
            let margin = ends.map(|end| (SIDE + end.abs()) * 16.0 * f64::EPSILON);
            [ends[0] - margin[0], ends[1] + margin[1]]
        });
        Self { ends }
    }

    /// The same, widened for comparisons with what is stored below a node.
    fn near<S: Scalar>(mut self, node: &Node<D>) -> Self {
        let last = node.block().units().max;
        let reach = if node.own.is_some() { END_MAX + 1 } else { node.reach };
        for (ends, last) in self.ends.iter_mut().zip(last) {
            *ends = widened(*ends, slack::<S>(), f64::from(last) + f64::from(reach) + 1.0);
        }
        self
    }

    /// A lower bound of the square of the distance, in the shortest units, of objects with such a reach that are stored
    /// in a block.
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
        if 0.0 < gap { gap * gap } else { 0.0 }
    }

    /// The same of ranges of `2^shift` units that lie side by side, the first one from `origin` on, with a
    /// reach.
    #[inline(always)]
    pub(super) fn squares_on<V: Simd>(&self, simd: V, axis: usize, origin: u32, shift: u8, reach: u32) -> [f64; LANES] {
        let splat = |number| Lanes::<V, f64>::splat(simd, number);
        let (side, zero) = (f64::from(1_u32 << shift), splat(0.0));
        let [from, to] = self.ends[axis].map(splat);
        let min = Lanes::<V, f64>::load_array(simd, NUMBERS) * splat(side) + splat(f64::from(origin));
        let end = min + splat(side + f64::from(reach));
        let after = zero.simd_lt(min).select(min - to, zero);
        let before = end.simd_le(splat(f64::from(UNIT_MAX))).select(from - end, zero);
        let gap = after.simd_lt(before).select(before, after);
        let gap = zero.simd_lt(gap).select(gap, zero);
        (gap * gap).to_array()
    }
}

/// Lower bounds of the distances from a target to what is stored in the cells of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellBounds<const D: usize> {
    target: UnitBox<D>,
    squares: SquaresOfCells,
    /// The number of units in a length of 1.
    scale: f64,
    level: Level,
}

/// The squares of the bounds, in units.
///
/// As many cells as are compared at once are a row. In 2D it is the cells side by side on the first axis. In 3D, where
/// those are four, two of these lie in a row, one after the other on the second axis.
#[derive(Clone, Copy, Debug)]
struct SquaresOfCells {
    /// The parts that differ within a row: in even rows, and in odd ones.
    in_row: [[f64; LANES]; 2],
    /// The part that is the same in a row.
    of_row: [f64; ROWS],
}

impl<const D: usize> CellBounds<D> {
    // Out of line, to keep the search around the target short.
    #[inline(never)]
    pub(super) fn new<S: Scalar>(grid: &Grid<S, D>, level: Level, target: &Rect<S, D>, node: &Node<D>) -> Self {
        let target = UnitBox::new(grid, target).near::<S>(node);
        let around = &target;
        let squares = with_vectors!(level, |simd| SquaresOfCells::new(simd, around, node));
        Self { target, squares, scale: grid.scale(), level }
    }

    /// The cells in which objects within the limit may be stored.
    #[inline]
    pub(super) fn within(&self, limit: Rank) -> u64 {
        let (squares, limit) = (&self.squares, limit.above_square(self.scale));
        morton_of_rows::<D>(with_vectors!(self.level, |simd| squares.at_most(simd, limit)))
    }

    /// The cell with the lowest bound among some cells. It has no meaning if there are none.
    #[inline]
    pub(super) fn first(&self, cells: u64) -> u8 {
        let square = |cell: u8| {
            let (row, lane) = (row_major::<D>(cell) / LANES, row_major::<D>(cell) % LANES);
            self.squares.in_row[row % 2][lane] + self.squares.of_row[row]
        };
        let mut first = cells.trailing_zeros() as u8 & 63;
        let mut least = square(first);
        let mut left = cells & cells.wrapping_sub(1);
        while left != 0 {
            let cell = left.trailing_zeros() as u8;
            left &= left - 1;
            let square = square(cell);
            (first, least) = if square < least { (cell, square) } else { (first, least) };
        }
        first
    }

    /// Whether objects within the limit may be stored in a block or own list.
    #[inline]
    pub(super) fn may_hold(&self, head: &Head<D>, limit: Rank) -> bool {
        // Without reach, the test of the block's cells was enough.
        head.reach == 0 || self.target.square(&head.block, head.reach) <= limit.above_square(self.scale)
    }
}

impl SquaresOfCells {
    /// Computes the squares of a node's cells.
    #[inline(always)]
    fn new<V: Simd, const D: usize>(simd: V, target: &UnitBox<D>, node: &Node<D>) -> Self {
        let on_axis = |axis| target.squares_on(simd, axis, node.origin[axis], node.shift, node.reach);
        if D == 2 {
            return Self { in_row: [on_axis(0); 2], of_row: on_axis(1) };
        }
        let [first, second, third] = [0, 1, 2].map(on_axis);
        let in_row = |odd: usize| core::array::from_fn(|lane| first[lane % 4] + second[2 * odd + lane / 4]);
        Self { in_row: [in_row(0), in_row(1)], of_row: core::array::from_fn(|row| third[row / 2]) }
    }

    /// The cells whose squares are at most a limit, as bits by row-major number.
    #[inline(always)]
    fn at_most<V: Simd>(&self, simd: V, limit: f64) -> u64 {
        let splat = |number| Lanes::<V, f64>::splat(simd, number);
        let in_row = self.in_row.map(|in_row| Lanes::<V, f64>::load_array(simd, in_row));
        let limit = splat(limit);
        let mut within = 0;
        for (row, of_row) in self.of_row.into_iter().enumerate() {
            within |= (in_row[row % 2] + splat(of_row)).simd_le(limit).to_bitmask() << (row * LANES);
        }
        within
    }
}
