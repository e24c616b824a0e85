//! The 64 cells of a node, numbered in Morton order, and which of them a range of units meets. Knows no entries.
//!
//! A node is 8×8 cells in 2D and 4×4×4 in 3D, each `2^shift` units a side. A cell's number interleaves the bits of its
//! position on the axes, the first axis lowest. So an aligned run of `2^span` numbers is a *block*: a box whose sides
//! differ by a factor of two at most.
//!
//! Keeps G3, G4 and C2 of `docs/invariants.md`.

use core::array;

use super::{UNITS_LOG2, UnitRange};

/// Cells of a node.
pub(crate) const CELLS: usize = 1 << CELLS_LOG2;
const CELLS_LOG2: u32 = 6;

/// How many bits of a cell's number belong to one axis: 3 in 2D, 2 in 3D.
pub(crate) const fn axis_bits<const D: usize>() -> u32 {
    CELLS_LOG2 / D as u32
}

/// The depth of nodes whose cells are single units.
pub(crate) const fn depth_limit<const D: usize>() -> u8 {
    (UNITS_LOG2 / axis_bits::<D>() - 1) as u8
}

/// The logarithm of the side, in units, of the cells of a node at `depth`.
pub(crate) const fn shift_at<const D: usize>(depth: u8) -> u8 {
    (UNITS_LOG2 - axis_bits::<D>() * (depth as u32 + 1)) as u8
}

/// Whether an object of that extent may be stored in the cells of a node, whose side is `2^shift` units, or below.
///
/// The extent must be less than two cells by more than one unit. Rounding lets the extent of a box of exactly two cells
/// vary by one unit while the box translates, and such a box should not change its place for that.
#[inline]
pub(crate) fn fits_below(extent: u32, shift: u8) -> bool {
    extent < (2 << shift) - 1
}

/// The number of the cell that holds a unit, in the node that holds it.
#[inline]
pub(crate) fn cell_at<const D: usize>(unit: [u32; D], shift: u8) -> u8 {
    let side = (1 << axis_bits::<D>()) - 1;
    let mut cell = 0;
    for (axis, unit) in unit.iter().enumerate() {
        cell |= Morton::<D>::SPREAD[(unit >> shift & side & 7) as usize] << axis;
    }
    cell
}

/// The number of a cell if cells are counted row by row, the first axis fastest.
#[inline]
pub(crate) fn row_major<const D: usize>(cell: u8) -> usize {
    usize::from(Morton::<D>::ROW_MAJOR[usize::from(cell) % CELLS]) % CELLS
}

/// The cells whose row-major numbers are given as bits.
#[inline]
pub(crate) fn morton_of_rows<const D: usize>(mut cells: u64) -> u64 {
    // Exchanges the bits of the cells' numbers, two at a time: x x x y y y becomes x y x y x y, and x x y y z z becomes
    // x y z x y z, lowest bit first.
    let exchanges: [[u32; 2]; 3] = if D == 2 { [[1, 3], [2, 3], [3, 4]] } else { [[1, 2], [2, 4], [3, 4]] };
    for [low, high] in exchanges {
        let by = (1 << high) - (1 << low);
        let changed = (cells >> by ^ cells) & !CLEAR[low as usize] & CLEAR[high as usize];
        cells ^= changed ^ changed << by;
    }
    cells
}

/// The cells whose number has a bit clear, for each bit.
pub(crate) const CLEAR: [u64; CELLS_LOG2 as usize] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0F0F_0F0F_0F0F_0F0F,
    0x00FF_00FF_00FF_00FF,
    0x0000_FFFF_0000_FFFF,
    0x0000_0000_FFFF_FFFF,
];

/// Of some cells of a node, those at the low or the high end on an axis.
pub(crate) fn outermost<const D: usize>(cells: u64, axis: usize, is_high: bool) -> u64 {
    let mut left = cells;
    for bit in (axis..CLEAR.len()).step_by(D).rev() {
        let part = left & if is_high { !CLEAR[bit] } else { CLEAR[bit] };
        left = if part == 0 { left } else { part };
    }
    left
}

/// Whether the walk comes to `unit` after `other`. It visits units in falling Morton order, as it does cells.
#[inline]
pub(crate) fn comes_after<const D: usize>(unit: [u32; D], other: [u32; D]) -> bool {
    // The axis with the highest differing bit decides. If several axes share it, the last one decides, since its bits are
    // higher.
    let differences: [u32; D] = array::from_fn(|axis| unit[axis] ^ other[axis]);
    let mut decisive = D - 1;
    for axis in (0..D - 1).rev() {
        let (least, difference) = (differences[decisive], differences[axis]);
        if least < difference && least < least ^ difference {
            decisive = axis;
        }
    }
    unit[decisive] < other[decisive]
}

/// The cells around a unit, from the root down: six bits for each node. It falls along the walk.
#[inline]
pub(crate) fn cells_down_to<const D: usize>(unit: [u32; D], nodes: u8) -> u128 {
    (0..nodes).fold(0, |cells, depth| cells << CELLS_LOG2 | u128::from(cell_at(unit, shift_at::<D>(depth))))
}

/// The cells of a node that hold a unit of `range`, as bits; 0 if the range is empty on an axis.
#[inline(always)]
pub(crate) fn cells_met<const D: usize>(range: &UnitRange<D>, origin: [u32; D], shift: u8) -> u64 {
    let mut met = u64::MAX;
    for (axis, &origin) in origin.iter().enumerate() {
        // Cells that end before the range, and cells that begin in it or before.
        let ended = range.min[axis].saturating_sub(origin) >> shift;
        let begun = rounded_up((range.max[axis] + 1).saturating_sub(origin), shift);
        met &= Morton::<D>::between(axis, ended, begun);
    }
    met
}

/// The cells of a node that lie wholly in `range`, as bits; 0 if the range is empty on an axis.
#[inline(always)]
pub(crate) fn cells_within<const D: usize>(range: &UnitRange<D>, origin: [u32; D], shift: u8) -> u64 {
    let mut within = u64::MAX;
    for (axis, &origin) in origin.iter().enumerate() {
        // Cells that begin before the range, and cells that end in it or before.
        let begun = rounded_up(range.min[axis].saturating_sub(origin), shift);
        let ended = (range.max[axis] + 1).saturating_sub(origin) >> shift;
        within &= Morton::<D>::between(axis, begun, ended);
    }
    within
}

/// The number of cells of side `2^shift` that a number of units touch.
#[inline(always)]
fn rounded_up(units: u32, shift: u8) -> u32 {
    (units + ((1 << shift) - 1)) >> shift
}

/// An aligned box of units whose volume is a power of two: a block of cells, or a whole node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block<const D: usize> {
    pub(crate) origin: [u32; D],
    /// The logarithm of the side on each axis; the first axes are the longer ones.
    sides_log2: [u8; D],
    /// The logarithm of the number of cells.
    pub(crate) span: u8,
}

impl<const D: usize> Block<D> {
    /// The block of `2^span` cells from `cell` on, in the node at `origin` with cells of side `2^shift`.
    pub(crate) fn new(origin: [u32; D], shift: u8, cell: u8, span: u8) -> Self {
        let place = Morton::<D>::PLACE[cell as usize];
        Self {
            origin: array::from_fn(|axis| origin[axis] + (place[axis] << shift)),
            sides_log2: array::from_fn(|axis| shift + (span + (D - 1 - axis) as u8) / D as u8),
            span,
        }
    }

    /// The logarithm of the number of units.
    pub(crate) fn volume_log2(&self) -> u8 {
        self.sides_log2.iter().sum()
    }

    #[inline]
    pub(crate) fn holds(&self, unit: [u32; D]) -> bool {
        (0..D).fold(0, |off, axis| off | (unit[axis] ^ self.origin[axis]) >> self.sides_log2[axis]) == 0
    }

    #[inline]
    pub(crate) fn units(&self) -> UnitRange<D> {
        UnitRange {
            min: self.origin,
            max: array::from_fn(|axis| self.origin[axis] + ((1 << self.sides_log2[axis]) - 1)),
        }
    }
}

/// The tables of Morton order for one dimension, made at compile time.
struct Morton<const D: usize>;

impl<const D: usize> Morton<D> {
    /// The bits of a position on one axis, spread apart to leave room for the other axes.
    const SPREAD: [u8; 8] = if D == 2 { [0, 1, 4, 5, 16, 17, 20, 21] } else { [0, 1, 8, 9, 0, 0, 0, 0] };

    /// The position of each cell on each axis.
    const PLACE: [[u32; D]; CELLS] = {
        let mut table = [[0; D]; CELLS];
        let mut cell = 0;
        while cell < CELLS {
            let mut bit = 0;
            while bit < CELLS_LOG2 as usize {
                table[cell][bit % D] |= ((cell >> bit & 1) << (bit / D)) as u32;
                bit += 1;
            }
            cell += 1;
        }
        table
    };

    /// The number of each cell if cells are counted row by row.
    const ROW_MAJOR: [u8; CELLS] = {
        let mut table = [0; CELLS];
        let mut cell = 0;
        while cell < CELLS {
            let mut axis = 0;
            while axis < D {
                table[cell] |= (Self::PLACE[cell][axis] << (axis as u32 * axis_bits::<D>())) as u8;
                axis += 1;
            }
            cell += 1;
        }
        table
    };

    /// For each axis and position, the cells before that position; the last entry is for all positions beyond the node.
    const BEFORE: [[u64; POSITIONS]; D] = {
        let mut table = [[0; POSITIONS]; D];
        let mut axis = 0;
        while axis < D {
            let mut position = 0;
            while position < POSITIONS {
                let mut cell = 0;
                while cell < CELLS {
                    if (Self::PLACE[cell][axis] as usize) < position {
                        table[axis][position] |= 1 << cell;
                    }
                    cell += 1;
                }
                position += 1;
            }
            axis += 1;
        }
        table
    };

    /// The cells from one position on an axis up to another one, which is left out. Either may lie beyond the node.
    #[inline(always)]
    fn between(axis: usize, from: u32, end: u32) -> u64 {
        let before = |position: u32| Self::BEFORE[axis][position.min(POSITIONS as u32 - 1) as usize];
        before(end) & !before(from)
    }
}

/// The positions on an axis of a node, and one for all that lie beyond.
const POSITIONS: usize = 9;

#[cfg(test)]
mod tests;
