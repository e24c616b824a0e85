//! A grid by hand: boids copied in the order of their cells, which are as long as the sight, by a counting sort in each tick. Three cells
//! side by side are one run of boids. Those in it are either tested, as most would write it, or all added up, times 0 or 1: since a sum
//! is all that is wanted, nothing has to be foreseen by the processor.

use super::{Boid, Boids, Neighbours, SIGHT, Sum};

pub(super) struct Grid<const TESTED: bool> {
    columns: usize,
    /// Where the boids of each cell begin.
    begins: Vec<u32>,
    cells: Vec<u32>,
    sorted: Vec<Boid>,
    numbers: Vec<u32>,
    sums: Vec<Sum>,
}

impl<const TESTED: bool> Grid<TESTED> {
    pub(super) fn new(boids: &Boids) -> Self {
        let columns = (boids.side / SIGHT) as usize + 1;
        let boid = Boid { at: [0.0; 2], velocity: [0.0; 2] };
        let count = boids.all.len();
        Self {
            columns,
            begins: Vec::new(),
            cells: vec![0; count],
            sorted: vec![boid; count],
            numbers: vec![0; count],
            sums: vec![Sum::default(); count],
        }
    }

    fn sort(&mut self, boids: &[Boid]) {
        self.begins.clear();
        self.begins.resize(self.columns * self.columns + 1, 0);
        for (cell, boid) in self.cells.iter_mut().zip(boids) {
            let [x, y] = boid.at.map(|c| (c * (1.0 / SIGHT)) as u32);
            *cell = y * self.columns as u32 + x;
            self.begins[*cell as usize] += 1;
        }
        let mut end = 0;
        for begin in &mut self.begins {
            end += *begin;
            *begin = end;
        }
        for (number, (&cell, boid)) in self.cells.iter().zip(boids).enumerate().rev() {
            let place = &mut self.begins[cell as usize];
            *place -= 1;
            self.sorted[*place as usize] = *boid;
            self.numbers[*place as usize] = number as u32;
        }
    }
}

impl<const TESTED: bool> Neighbours for Grid<TESTED> {
    fn look(&mut self, boids: &mut Boids) {
        self.sort(&boids.all);
        let (columns, begins, sorted) = (self.columns, &self.begins, &self.sorted);
        boids.threads.each(&mut self.sums, |place, sum| {
            let at = sorted[place].at;
            let [x, y] = at.map(|c| (c * (1.0 / SIGHT)) as usize);
            let mut total = Sum::default();
            for row in y.saturating_sub(1)..=(y + 1).min(columns - 1) {
                let from = begins[row * columns + x.saturating_sub(1)] as usize;
                let to = begins[row * columns + (x + 1).min(columns - 1) + 1] as usize;
                for seen in &sorted[from..to] {
                    if TESTED { total.add_if_seen(at, seen) } else { total.add_times(at, seen) }
                }
            }
            *sum = total;
        });
        for (&number, sum) in self.numbers.iter().zip(&self.sums) {
            boids.sums[number as usize] = *sum;
        }
    }
}
