//! A box that one worker holds alone, so that a few comparisons settle where the many objects in it belong.

use std::array;

use quadrille::Rect;

use super::{ALONE, Partition};
use crate::Coordinate;

/// In cells: a corner this far from the edge of its cell is not rounded out of it.
const INSET: f64 = 1.0 / 256.0;

/// All points in it belong to one worker, and no other holds them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home<S, const D: usize> {
    min: [S; D],
    max: [S; D],
}

impl<S: Coordinate, const D: usize> Home<S, D> {
    /// Holds no point.
    pub(crate) const NONE: Self = Self { min: [S::INFINITY; D], max: [S::NEG_INFINITY; D] };

    /// Whether a point is in it.
    pub(crate) fn holds(&self, at: [S; D]) -> bool {
        self.holds_step(at, &Rect::from_point(at))
    }

    /// Whether a point is in it and stays one in it. A NaN is nowhere.
    #[inline(always)]
    #[expect(clippy::needless_bitwise_bool, reason = "without branches")]
    pub(crate) fn holds_step(&self, old: [S; D], new: &Rect<S, D>) -> bool {
        let (min, max) = (new.min(), new.max());
        // Where one is a NaN, it is the second one.
        let low: [S; D] = array::from_fn(|axis| if old[axis] < min[axis] { old[axis] } else { min[axis] });
        let high: [S; D] = array::from_fn(|axis| if old[axis] > max[axis] { old[axis] } else { max[axis] });
        (0..D).fold(true, |holds, axis| {
            let has_extent = min[axis] < max[axis];
            holds & !has_extent & (self.min[axis] <= low[axis]) & (high[axis] <= self.max[axis])
        })
    }
}

impl<S: Coordinate, const D: usize> Partition<S, D> {
    /// The home of a worker around a point, in this partition and another one of the same world; none if another worker may
    /// hold the point.
    pub(crate) fn home(&self, other: &Self, worker: u16, at: [S; D]) -> Home<S, D> {
        let cell = self.cell(at);
        let row = Self::row(cell);
        if [self, other].iter().any(|partition| partition.table[row] != worker | ALONE) {
            return Home::NONE;
        }
        let level = self.levels[row].min(other.levels[row]);
        let first = cell.map(|c| c >> level << level);
        let mut home = Home { min: at, max: at };
        for axis in 0..D {
            let next = first[axis] + (1 << level);
            // Far from zero rounding may still put a corner into another cell. Then the home ends at the point.
            let at_cell = |c: f64| self.world.min()[axis] + S::from_f64(c) / self.scale[axis];
            let (min, max) = (at_cell(f64::from(first[axis]) + INSET), at_cell(f64::from(next) - INSET));
            let cell_of = |c: S| self.cell(array::from_fn(|other| if other == axis { c } else { at[other] }))[axis];
            if first[axis] == 0 {
                home.min[axis] = S::NEG_INFINITY;
            } else if min < at[axis] && first[axis] <= cell_of(min) {
                home.min[axis] = min;
            }
            if next == Self::SIDE {
                home.max[axis] = S::INFINITY;
            } else if at[axis] < max && cell_of(max) < next {
                home.max[axis] = max;
            }
        }
        home
    }
}
