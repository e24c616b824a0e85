//! The cells of a grid by hand: points, sorted by cell in each tick. Cells side by side are one run of points.

use std::iter;
use std::ops::Range;

pub(crate) struct Cells<const D: usize = 2> {
    columns: usize,
    per_unit: f32,
    /// Where the points of each cell begin.
    begins: Vec<u32>,
    /// The cell of each point.
    homes: Vec<u32>,
}

impl<const D: usize> Cells<D> {
    pub(crate) fn new(side: f32, cell: f32) -> Self {
        let per_unit = 1.0 / cell;
        Self { columns: (side * per_unit) as usize + 1, per_unit, begins: Vec::new(), homes: Vec::new() }
    }

    /// Sorts by counting: tells where the point of each number goes.
    pub(crate) fn sort(&mut self, points: impl Iterator<Item = [f32; D]>, mut put: impl FnMut(usize, usize)) {
        self.begins.clear();
        self.begins.resize(self.columns.pow(D as u32) + 1, 0);
        self.homes.clear();
        let Self { columns, per_unit, begins, homes } = self;
        homes.extend(points.map(|at| {
            let cell = at.iter().rev().fold(0, |cell, c| cell * *columns as u32 + (c * *per_unit) as u32);
            begins[cell as usize] += 1;
            cell
        }));
        let mut end = 0;
        for begin in &mut *begins {
            end += *begin;
            *begin = end;
        }
        for (number, &cell) in homes.iter().enumerate().rev() {
            let begin = &mut begins[cell as usize];
            *begin -= 1;
            put(number, *begin as usize);
        }
    }

    /// The points in the cells that a box meets, row by row.
    #[inline(always)]
    pub(crate) fn runs(&self, min: [f32; D], max: [f32; D]) -> impl Iterator<Item = Range<usize>> {
        let [low, high] = [min, max].map(|corner| corner.map(|c| ((c * self.per_unit) as usize).min(self.columns - 1)));
        let mut at = low;
        iter::from_fn(move || {
            if high[D - 1] < at[D - 1] {
                return None;
            }
            let row = at[1..].iter().rev().fold(0, |row, c| (row + c) * self.columns);
            at[1] += 1;
            for axis in 2..D {
                if high[axis - 1] < at[axis - 1] {
                    at[axis - 1] = low[axis - 1];
                    at[axis] += 1;
                }
            }
            Some(self.begins[row + low[0]] as usize..self.begins[row + high[0] + 1] as usize)
        })
    }
}
