//! A grid by hand in columns: as `grid` without branches, but places and velocities lie in a list each, and eight boids are added up
//! at once, with the widest vectors that the processor has.

use std::ops::Range;

use fearless_simd::{Level, Select, Simd, SimdBase, dispatch, f32x8};

use super::{Boids, Neighbours, SIGHT, Sum};
use crate::cells::Cells;

const LANES: usize = 8;

/// How many boids are added up between two choices of vectors.
const AT_ONCE: usize = 64;

pub(super) struct Columns {
    cells: Cells,
    /// Both coordinates and both velocities, sorted. Eight that are nowhere lie behind the last.
    lists: [Vec<f32>; 4],
    numbers: Vec<u32>,
    sums: Vec<Sum>,
    level: Level,
}

impl Columns {
    pub(super) fn new(boids: &Boids) -> Self {
        let count = boids.all.len();
        Self {
            cells: Cells::new(boids.side, SIGHT),
            lists: [(); 4].map(|()| vec![f32::NAN; count + LANES]),
            numbers: vec![0; count],
            sums: vec![Sum::default(); count],
            level: Level::new(),
        }
    }
}

/// Sums up those that a boid sees in some runs. Eight from the last of a run on are not seen: they are further right than the sight, or at
/// the left end of the world.
#[inline(always)]
fn seen<V: Simd>(simd: V, columns: [&[f32]; 4], at: [f32; 2], runs: impl Iterator<Item = Range<usize>>) -> Sum {
    let [x, y, zero, one, limit] = [at[0], at[1], 0.0, 1.0, SIGHT * SIGHT].map(
        #[inline(always)]
        |value| f32x8::splat(simd, value),
    );
    let mut totals = [zero; 5];
    for run in runs {
        for first in run.step_by(LANES) {
            let [to_x, to_y, along, up] = columns.map(
                #[inline(always)]
                |column| f32x8::from_slice(simd, &column[first..first + LANES]),
            );
            let offset = [to_x - x, to_y - y];
            let is_seen = (offset[0] * offset[0] + offset[1] * offset[1]).simd_le(limit);
            let parts = [one, offset[0], offset[1], along, up];
            for number in 0..parts.len() {
                totals[number] += is_seen.select(parts[number], zero);
            }
        }
    }
    let mut sums = [0.0; 5];
    for number in 0..sums.len() {
        for part in totals[number].to_array() {
            sums[number] += part;
        }
    }
    let [count, offset_x, offset_y, heading_x, heading_y] = sums;
    Sum { count, offset: [offset_x, offset_y], heading: [heading_x, heading_y] }
}

impl Neighbours for Columns {
    fn look(&mut self, boids: &mut Boids) {
        let Self { cells, lists, numbers, sums, level } = self;
        cells.sort(boids.all.iter().map(|boid| boid.at), |number, place| {
            let boid = &boids.all[number];
            let [[x, y], [along, up]] = [boid.at, boid.velocity];
            for (column, part) in lists.iter_mut().zip([x, y, along, up]) {
                column[place] = part;
            }
            numbers[place] = number as u32;
        });
        let columns = [0, 1, 2, 3].map(|number| lists[number].as_slice());
        let mut parts: Vec<&mut [Sum]> = sums.chunks_mut(AT_ONCE).collect();
        boids.threads.each(&mut parts, |part, sums| {
            dispatch!(*level, simd => for (number, sum) in sums.iter_mut().enumerate() {
                let place = part * AT_ONCE + number;
                let at = [columns[0][place], columns[1][place]];
                *sum = seen(simd, columns, at, cells.runs(at.map(|c| c - SIGHT), at.map(|c| c + SIGHT)));
            });
        });
        for (&number, sum) in numbers.iter().zip(&*sums) {
            boids.sums[number as usize] = *sum;
        }
    }
}
