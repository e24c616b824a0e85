//! Lower bounds of the distances of a node's cells from a target, to go through the cells in ascending order.
//!
//! Around the target, a search goes through the cells of a node by the smallest common block, and leaves out those
//! outside of a box. That is cheap, but far from the target the box around a ball has many more cells than the ball.
//! There a search goes through the cells by these bounds.
//!
//! It does not know what is stored in cells. Keeps invariant Q9 of `docs/invariants.md`.

use super::unit_box::UnitBox;
use crate::geometry::{LANES, Lanes, Level, Rank, Rect, Scalar, Simd, SimdBase, SimdMask, Vectorized, dispatch};
use crate::grid::{CELLS, Grid, morton_of_rows, row_major};
use crate::tree::{Head, Node};

const ROWS: usize = CELLS / LANES;

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
        let target = UnitBox::new(grid, target);
        let squares = dispatch(level, OfCells { target: &target, node });
        Self { target, squares, scale: grid.scale_max().to_f64(), level }
    }

    /// The cells in which objects within the limit may be stored.
    #[inline]
    pub(super) fn within(&self, limit: Rank) -> u64 {
        let limit = limit.above_square(self.scale);
        morton_of_rows::<D>(dispatch(self.level, AtMost { squares: &self.squares, limit }))
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
        self.target.square(&head.block, head.reach) <= limit.above_square(self.scale)
    }
}

/// Computes the squares of a node's cells.
struct OfCells<'a, const D: usize> {
    target: &'a UnitBox<D>,
    node: &'a Node<D>,
}

impl<const D: usize> Vectorized for OfCells<'_, D> {
    type Output = SquaresOfCells;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> SquaresOfCells {
        let node = self.node;
        let on_axis = |axis| self.target.squares_on(simd, axis, node.origin[axis], node.shift, node.reach);
        if D == 2 {
            return SquaresOfCells { in_row: [on_axis(0); 2], of_row: on_axis(1) };
        }
        let [first, second, third] = [0, 1, 2].map(on_axis);
        let in_row = |odd: usize| core::array::from_fn(|lane| first[lane % 4] + second[2 * odd + lane / 4]);
        SquaresOfCells { in_row: [in_row(0), in_row(1)], of_row: core::array::from_fn(|row| third[row / 2]) }
    }
}

/// Finds the cells whose squares are at most a limit, as bits by row-major number.
struct AtMost<'a> {
    squares: &'a SquaresOfCells,
    limit: f64,
}

impl Vectorized for AtMost<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> u64 {
        let splat = |number| Lanes::<V, f64>::splat(simd, number);
        let in_row = self.squares.in_row.map(|in_row| Lanes::<V, f64>::load_array(simd, in_row));
        let limit = splat(self.limit);
        let mut within = 0;
        for (row, of_row) in self.squares.of_row.into_iter().enumerate() {
            within |= (in_row[row % 2] + splat(of_row)).simd_le(limit).to_bitmask() << (row * LANES);
        }
        within
    }
}
