//! A grid by hand: boids copied in the order of their cells, which are as long as the sight, by a counting sort in each tick. Those in
//! nine cells are either tested, as most would write it, or all added up, times 0 or 1: since a sum
//! is all that is wanted, nothing has to be foreseen by the processor.

use super::{Boid, Boids, Neighbours, SIGHT, Sum};
use crate::cells::Cells;

pub(super) struct Grid<const TESTED: bool> {
    cells: Cells,
    sorted: Vec<Boid>,
    numbers: Vec<u32>,
    sums: Vec<Sum>,
}

impl<const TESTED: bool> Grid<TESTED> {
    pub(super) fn new(boids: &Boids) -> Self {
        let boid = Boid { at: [0.0; 2], velocity: [0.0; 2] };
        let count = boids.all.len();
        let cells = Cells::new(boids.side, SIGHT);
        Self { cells, sorted: vec![boid; count], numbers: vec![0; count], sums: vec![Sum::default(); count] }
    }
}

impl<const TESTED: bool> Neighbours for Grid<TESTED> {
    fn look(&mut self, boids: &mut Boids) {
        let Self { cells, sorted, numbers, sums } = self;
        cells.sort(boids.all.iter().map(|boid| boid.at), |number, place| {
            sorted[place] = boids.all[number];
            numbers[place] = number as u32;
        });
        boids.threads.each(sums, |place, sum| {
            let at = sorted[place].at;
            let mut total = Sum::default();
            for run in cells.runs(at.map(|c| c - SIGHT), at.map(|c| c + SIGHT)) {
                for seen in &sorted[run] {
                    if TESTED { total.add_if_seen(at, seen) } else { total.add_times(at, seen) }
                }
            }
            *sum = total;
        });
        for (&number, sum) in numbers.iter().zip(&*sums) {
            boids.sums[number as usize] = *sum;
        }
    }
}
