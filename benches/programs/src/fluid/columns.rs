//! A grid by hand in columns: as `grid`, but places lie in a list for each axis, and eight particles are added up at once, with the widest
//! vectors that the processor has.

use std::ops::Range;

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x8};

use super::{Densities, Fluid, REACH, SQUARE};
use crate::cells::Cells;

const LANES: usize = 8;

/// How many particles are added up between two choices of vectors.
const AT_ONCE: usize = 64;

/// From one of the first entries on, the limits of eight of which only so many count.
const LIMITS: [f32; 2 * LANES] = {
    let mut limits = [0.0; 2 * LANES];
    let mut lane = 0;
    while lane < LANES {
        limits[lane] = SQUARE;
        lane += 1;
    }
    limits
};

pub(super) struct Columns {
    cells: Cells<3>,
    /// Coordinates, sorted, and eight more.
    lists: [Vec<f32>; 3],
    numbers: Vec<u32>,
    sums: Vec<f32>,
    level: Level,
}

impl Columns {
    pub(super) fn new(fluid: &Fluid) -> Self {
        let count = fluid.all.len();
        Self {
            cells: Cells::new(fluid.side, REACH),
            lists: [(); 3].map(|()| vec![0.0; count + LANES]),
            numbers: vec![0; count],
            sums: vec![0.0; count],
            level: Level::new(),
        }
    }
}

/// Sums up those around a particle in some runs. Of eight from the last of a run on, only those in the run count.
#[inline(always)]
fn around<V: Simd>(simd: V, columns: [&[f32]; 3], at: [f32; 3], runs: impl Iterator<Item = Range<usize>>) -> f32 {
    let [x, y, z, zero] = [at[0], at[1], at[2], 0.0].map(
        #[inline(always)]
        |value| f32x8::splat(simd, value),
    );
    let mut total = zero;
    for run in runs {
        let end = run.end;
        for first in run.step_by(LANES) {
            let limit = f32x8::from_slice(simd, &LIMITS[LANES.saturating_sub(end - first)..][..LANES]);
            let [to_x, to_y, to_z] = columns.map(
                #[inline(always)]
                |column| f32x8::from_slice(simd, &column[first..first + LANES]),
            );
            let [x, y, z] = [to_x - x, to_y - y, to_z - z];
            let left = (limit - (x * x + y * y + z * z)).max(zero);
            total += left * left * left;
        }
    }
    total.to_array().into_iter().sum()
}

impl Densities for Columns {
    fn sum(&mut self, fluid: &mut Fluid) {
        let Self { cells, lists, numbers, sums, level } = self;
        cells.sort(fluid.all.iter().map(|particle| particle.at), |number, place| {
            for (column, part) in lists.iter_mut().zip(fluid.all[number].at) {
                column[place] = part;
            }
            numbers[place] = number as u32;
        });
        let columns = [0, 1, 2].map(|axis| lists[axis].as_slice());
        let mut parts: Vec<&mut [f32]> = sums.chunks_mut(AT_ONCE).collect();
        fluid.threads.each(&mut parts, |part, sums| {
            dispatch!(*level, simd => for (number, sum) in sums.iter_mut().enumerate() {
                let place = part * AT_ONCE + number;
                let at = columns.map(|column| column[place]);
                *sum = around(simd, columns, at, cells.runs(at.map(|c| c - REACH), at.map(|c| c + REACH)));
            });
        });
        for (&number, sum) in numbers.iter().zip(&*sums) {
            fluid.densities[number as usize] = *sum;
        }
    }
}
