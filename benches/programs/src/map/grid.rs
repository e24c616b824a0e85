//! A grid by hand: a list of things for each cell, with about 16 where they are even. A thing that moves to another cell changes lists.

use quadrille::Rect;

use super::{Point, Sum, TEN, Thing, Things, bounds, is_inside, square};

const CELL: f32 = 27.0;

struct Entry {
    at: Point,
    number: u32,
    value: u32,
}

pub(super) struct Grid {
    columns: usize,
    cells: Vec<Vec<Entry>>,
    /// Where each thing is.
    places: Vec<Point>,
}

fn column(at: f32) -> usize {
    (at * (1.0 / CELL)) as usize
}

impl Grid {
    pub(super) fn new(things: &[Thing], side: f32) -> Self {
        let columns = column(side) + 1;
        let mut cells: Vec<Vec<Entry>> = (0..columns * columns).map(|_| Vec::new()).collect();
        for (number, &(at, value)) in (0..).zip(things) {
            cells[column(at[1]) * columns + column(at[0])].push(Entry { at, number, value });
        }
        Self { columns, cells, places: things.iter().map(|&(at, _)| at).collect() }
    }

    fn cell(&self, [x, y]: Point) -> usize {
        column(y) * self.columns + column(x)
    }

    fn cells_in(&self, [left, low]: [usize; 2], [right, high]: [usize; 2]) -> impl Iterator<Item = &Entry> {
        let (right, high) = (right.min(self.columns - 1), high.min(self.columns - 1));
        let rows = (low..=high).map(move |row| &self.cells[row * self.columns + left..=row * self.columns + right]);
        rows.flatten().flatten()
    }

    fn each_in(&self, window: &Rect, mut seen: impl FnMut(Point, u32)) {
        let ([left, low], [right, high]) = (window.min(), window.max());
        for entry in self.cells_in(window.min().map(column), window.max().map(column)) {
            let [x, y] = entry.at;
            if (left <= x) & (x <= right) & (low <= y) & (y <= high) {
                seen(entry.at, entry.value);
            }
        }
    }
}

impl Things for Grid {
    fn move_some(&mut self, moves: &[(u32, Point)]) {
        for &(number, to) in moves {
            let (from, into) = (self.cell(self.places[number as usize]), self.cell(to));
            self.places[number as usize] = to;
            let place = self.cells[from].iter().position(|entry| entry.number == number).expect("the thing is there");
            if from == into {
                self.cells[from][place].at = to;
            } else {
                let entry = self.cells[from].swap_remove(place);
                self.cells[into].push(Entry { at: to, ..entry });
            }
        }
    }

    fn in_window(&self, window: &Rect) -> Sum {
        let mut sum = Sum::default();
        self.each_in(window, |_, value| sum.add(value));
        sum
    }

    /// Ring by ring, until none beyond can be nearer.
    fn nearest(&self, at: Point) -> u64 {
        let center = at.map(column);
        let mut best = [u64::MAX; TEN];
        for far in 0..self.columns {
            let [left, low] = center.map(|c| c.checked_sub(far));
            let [right, high] = center.map(|c| (c + far < self.columns).then_some(c + far));
            let (from, to) = (left.unwrap_or(0), right.unwrap_or(self.columns - 1));
            let mut look = |entries: &mut dyn Iterator<Item = &Entry>| {
                for square in entries.map(|entry| square(at, entry.at)) {
                    if square < best[TEN - 1] {
                        let place = best.partition_point(|&other| other <= square);
                        best[place..].rotate_right(1);
                        best[place] = square;
                    }
                }
            };
            for row in [low, high.filter(|_| far != 0)].into_iter().flatten() {
                look(&mut self.cells_in([from, row], [to, row]));
            }
            let between =
                [low.map_or(0, |row| row + 1), high.map_or(self.columns - 1, |row| row - usize::from(row != 0))];
            for column in [left, right].into_iter().flatten().filter(|_| far != 0) {
                look(&mut self.cells_in([column, between[0]], [column, between[1]]));
            }
            if best[TEN - 1] <= square([0.0; 2], [far as f32 * CELL, 0.0]) {
                break;
            }
        }
        best.iter().filter(|&&square| square != u64::MAX).sum()
    }

    fn in_lasso(&self, lasso: &[Point]) -> Sum {
        let mut sum = Sum::default();
        let world = Rect::new([0.0; 2], [f32::MAX; 2]);
        let Some(window) = bounds(lasso).intersection(&world) else { return sum };
        self.each_in(&window, |at, value| {
            if is_inside(lasso, at) {
                sum.add(value);
            }
        });
        sum
    }
}
