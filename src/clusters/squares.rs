//! Square cells of any size, counted from the world's minimum corner: the one function that says which of them a coordinate falls
//! into, and which units fall into one of them.

use core::array;

use crate::geometry::{Rect, Scalar, Simd, SimdBase, SimdFloat, f64x8, larger, smaller};
use crate::grid::{Grid, UNIT_MAX, UNITS_LOG2, UnitRange};

/// Cells cannot have this size. [`Query::clusters`](crate::Query::clusters) returns it.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1024.0, 512.0]))?;
/// let error = index.iter().clusters(1e-9).unwrap_err();
/// assert_eq!(error.least, 1.0 / 1024.0 / 1024.0);
/// assert!(index.iter().clusters(f32::NAN).is_err());
///
/// // Here are no cells of 1 whose numbers fit into an `i32`.
/// let far = index.add_point_layer()?;
/// index.insert(far, [1e10, 0.0], ())?;
/// assert_eq!(index.iter().clusters(1.0).unwrap_err().least, f64::from(1e10_f32) * 0.5_f64.powi(30));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "cells cannot have the size {size:?}; it must be finite, and at least {least:?}, which is 2^-30 of the world's longest side, or of \
     an object's distance from the world's minimum corner"
)]
pub struct CellSizeError {
    /// The size.
    pub size: f64,
    /// The least size: 2^-30 of the world's longest side, or of the distance on an axis from the world's minimum corner to the
    /// farthest center of the objects of the query, if that is longer and the world alone allows the size.
    pub least: f64,
}

/// The most cells between the world's minimum corner and an object: as many as units in a side of the world, and half of the
/// numbers above zero.
const MOST: f64 = (1_u32 << UNITS_LOG2) as f64;

/// Square cells of one size.
///
/// Every step from a coordinate to the number of its cell is monotone. So if two coordinates fall into one cell, all between
/// them do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Squares<S, const D: usize> {
    grid: Grid<S, D>,
    size: f64,
    /// If the world's longest side is a power of two of cells: the logarithm of the units in the side of a cell, and the cells in a
    /// unit. A coordinate is then in the cell that its unit is in, however both are rounded.
    aligned: Option<(u8, f64)>,
    /// The units in a length of 1 if these tell cells, else 1.
    scale: S,
}

impl<S: Scalar, const D: usize> Squares<S, D> {
    /// Cells over the world of a grid.
    pub(super) fn new(grid: &Grid<S, D>, size: S) -> Result<Self, CellSizeError> {
        let (size, longest) = (size.to_f64(), grid.world().longest().to_f64());
        let cells = longest / size;
        if !(0.0 < size && size.is_finite() && cells <= MOST) {
            return Err(CellSizeError { size, least: longest / MOST });
        }
        // The fraction of a power of two is empty.
        let is_aligned = 1.0 <= cells && cells.to_bits() << 12 == 0;
        let aligned = is_aligned.then(|| ((1023 + UNITS_LOG2 - (cells.to_bits() >> 52) as u32) as u8, cells / MOST));
        let scale = if is_aligned { S::from_f64(grid.scale()) } else { S::from(1) };
        Ok(Self { grid: *grid, size, aligned, scale })
    }

    /// The places too far away on a side to be in cells with numbers, and where numbers end.
    pub(super) fn without_numbers(&self) -> impl Iterator<Item = Rect<S, D>> {
        let reach = smaller(S::from_f64(self.size * MOST), S::MAX);
        (0..2 * D).map(move |side| {
            let (axis, mut ends) = (side / 2, [[S::NEG_INFINITY; D], [S::INFINITY; D]]);
            ends[1 - side % 2][axis] =
                self.grid.origin()[axis] + if side % 2 == 0 { S::from(0) - reach } else { reach };
            Rect::ordered(ends[0], ends[1])
        })
    }

    /// Returns the error for objects at such a distance from the world's minimum corner, if there are no numbers so far away. In
    /// the largest worlds a distance may be infinite.
    pub(super) fn check(&self, farthest: f64) -> Result<(), CellSizeError> {
        if farthest <= self.size * MOST && farthest.is_finite() {
            Ok(())
        } else {
            Err(CellSizeError { size: self.size, least: farthest / MOST })
        }
    }

    /// The distance on an axis from the world's minimum corner to a point.
    pub(super) fn distance(&self, point: [S; D]) -> f64 {
        (0..D).fold(0.0, |most, axis| larger(most, (point[axis] - self.grid.origin()[axis]).abs().to_f64()))
    }

    /// The cell that a point falls into. Its lower borders belong to it, and its upper ones do not.
    #[inline]
    pub(super) fn cell_of(&self, point: [S; D]) -> [i32; D] {
        array::from_fn(|axis| {
            let away = ((point[axis] - self.grid.origin()[axis]) * self.scale).to_f64();
            whole(if let Some((_, per_unit)) = self.aligned { away * per_unit } else { away / self.size })
        })
    }

    /// The numbers of the cells that several coordinates on an axis fall into: the same as from [`cell_of`](Self::cell_of).
    #[inline(always)]
    pub(super) fn numbers<V: Simd>(&self, simd: V, axis: usize, values: S::Lanes<V>) -> f64x8<V> {
        let [origin, scale] = [self.grid.origin()[axis], self.scale].map(|number| S::Lanes::splat(simd, number));
        let away = S::widened((values - origin) * scale);
        (if let Some((_, per_unit)) = self.aligned { away * per_unit } else { away / self.size }).floor()
    }

    /// The cell of the centers of all objects that begin in some units, and are no longer than a reach. `None` if they
    /// may be in several.
    #[inline]
    pub(super) fn cell_around(&self, units: &UnitRange<D>, reach: u32) -> Option<[i32; D]> {
        let Some((units_log2, _)) = self.aligned else {
            let objects = self.grid.bounds(&units.stretched(reach));
            let cell = self.cell_of(objects.min());
            return (cell == self.cell_of(objects.max())).then_some(cell);
        };
        let is_in_one = |axis: usize| {
            let (first, last) = (units.min[axis], units.max[axis].saturating_add(reach));
            // Objects outside are in the first and the last unit.
            0 < first && last < UNIT_MAX && (first ^ last) >> units_log2 == 0
        };
        (0..D).all(is_in_one).then(|| units.min.map(|first| (first >> units_log2).cast_signed()))
    }
}

/// The largest whole number that is not above a number. It is monotone; a square of the tree may reach beyond all numbers.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
#[inline]
fn whole(number: f64) -> i32 {
    let cut = number as i32;
    cut.saturating_sub(i32::from(number < f64::from(cut)))
}
