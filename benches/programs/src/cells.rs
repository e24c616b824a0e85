//! The cells of a grid by hand: points, sorted by cell in each tick. Cells side by side are one run of points.

use std::ops::Range;

pub(crate) struct Cells {
    columns: usize,
    per_unit: f32,
    /// Where the points of each cell begin.
    begins: Vec<u32>,
    /// The cell of each point.
    homes: Vec<u32>,
}

impl Cells {
    pub(crate) fn new(side: f32, cell: f32) -> Self {
        let per_unit = 1.0 / cell;
        Self { columns: (side * per_unit) as usize + 1, per_unit, begins: Vec::new(), homes: Vec::new() }
    }

    /// Sorts by counting: tells where the point of each number goes.
    pub(crate) fn sort(&mut self, points: impl Iterator<Item = [f32; 2]>, mut put: impl FnMut(usize, usize)) {
        self.begins.clear();
        self.begins.resize(self.columns * self.columns + 1, 0);
        self.homes.clear();
        let Self { columns, per_unit, begins, homes } = self;
        homes.extend(points.map(|at| {
            let [x, y] = at.map(|c| (c * *per_unit) as u32);
            let cell = y * *columns as u32 + x;
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
    pub(crate) fn runs(&self, min: [f32; 2], max: [f32; 2]) -> impl Iterator<Item = Range<usize>> {
        let [[left, low], [right, high]] =
            [min, max].map(|corner| corner.map(|c| ((c * self.per_unit) as usize).min(self.columns - 1)));
        (low..=high).map(move |row| {
            let row = row * self.columns;
            self.begins[row + left] as usize..self.begins[row + right + 1] as usize
        })
    }
}
