//! A grid by hand: particles copied in the order of their cells, which are as long as the reach, by a counting sort in each tick. Those in
//! 27 cells are tested.

use super::{Densities, Fluid, REACH, SQUARE, poly6, square};
use crate::cells::Cells;

pub(super) struct Grid {
    cells: Cells<3>,
    sorted: Vec<[f32; 3]>,
    numbers: Vec<u32>,
    sums: Vec<f32>,
}

impl Grid {
    pub(super) fn new(fluid: &Fluid) -> Self {
        let count = fluid.all.len();
        let cells = Cells::new(fluid.side, REACH);
        Self { cells, sorted: vec![[0.0; 3]; count], numbers: vec![0; count], sums: vec![0.0; count] }
    }
}

impl Densities for Grid {
    fn sum(&mut self, fluid: &mut Fluid) {
        let Self { cells, sorted, numbers, sums } = self;
        cells.sort(fluid.all.iter().map(|particle| particle.at), |number, place| {
            sorted[place] = fluid.all[number].at;
            numbers[place] = number as u32;
        });
        fluid.threads.each(sums, |place, sum| {
            let (at, mut total) = (sorted[place], 0.0);
            for run in cells.runs(at.map(|c| c - REACH), at.map(|c| c + REACH)) {
                for &near in &sorted[run] {
                    let square = square(at, near);
                    if square < SQUARE {
                        total += poly6(square);
                    }
                }
            }
            *sum = total;
        });
        for (&number, sum) in numbers.iter().zip(&*sums) {
            fluid.densities[number as usize] = *sum;
        }
    }
}
