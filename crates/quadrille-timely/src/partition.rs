//! Which worker owns which part of the world: cells of a grid, in runs of their Morton order.

mod home;

use std::fmt;

use quadrille::Rect;

use crate::Coordinate;

pub(crate) use home::Home;

/// The bits of a cell's number: 512 cells on a side in 2D, 64 in 3D.
const BITS: u32 = 18;
/// Set in the table where no other worker is within reach of the cell.
const ALONE: u16 = 1 << 15;
/// The most workers of a world.
pub const WORKERS_MAX: usize = ALONE as usize;

/// Which worker owns which part of the world.
///
/// The world is a grid of 2^18 cells. Their Morton order is divided into runs, one for each worker, so that each has its share
/// of a sample. (A Morton run is compact in space, and one number says where it begins.) Each point belongs to the worker of its
/// cell, points outside the world to the nearest cell. A box belongs to the worker of its minimum corner.
///
/// The *holders* of an object are all workers that own a cell within [`reach`](Self::reach) of it: its owner, and those that
/// have it as a ghost.
#[derive(Clone)]
pub struct Partition<S, const D: usize> {
    world: Rect<S, D>,
    reach: S,
    /// Cells a unit of length.
    scale: [S; D],
    /// The first cell, in Morton order, of each worker but the first one.
    starts: Vec<u32>,
    /// Of each cell, row by row: its owner, and whether it is `ALONE`.
    table: Vec<u16>,
    /// Of each cell: around it so many cells on a side, as a power of two and aligned, are the same.
    levels: Vec<u8>,
}

impl<S: Coordinate, const D: usize> Partition<S, D> {
    const LEVEL: u32 = BITS / D as u32;
    const SIDE: u32 = 1 << Self::LEVEL;
    /// The number of cells.
    pub const CELLS: usize = 1 << (Self::LEVEL * D as u32);

    /// Gives each worker about its share of some points: a sample of the objects. Without points all get as many cells.
    ///
    /// All workers must make the same partition, so give all of them the same points, in any order.
    ///
    /// # Panics
    /// If there are no workers, or more than [`WORKERS_MAX`].
    #[must_use]
    pub fn of_sample(world: Rect<S, D>, reach: S, workers: usize, sample: impl IntoIterator<Item = [S; D]>) -> Self {
        let scale = scale_of(&world, Self::SIDE);
        let plain = Self { world, reach, scale, starts: Vec::new(), table: Vec::new(), levels: Vec::new() };
        let mut weights = vec![0_u64; Self::CELLS];
        for at in sample {
            weights[plain.code_at(at) as usize] += 1;
        }
        Self::of_weights(world, reach, workers, &weights)
    }

    /// Gives each worker about its share of the cells' weights, which are in Morton order.
    ///
    /// # Panics
    /// As [`of_sample`](Self::of_sample), and if there is not one weight for each cell.
    #[must_use]
    pub fn of_weights(world: Rect<S, D>, reach: S, workers: usize, weights: &[u64]) -> Self {
        assert!((1..=WORKERS_MAX).contains(&workers), "{workers} workers; there must be 1 to {WORKERS_MAX}");
        assert_eq!(weights.len(), Self::CELLS, "one weight for each cell");
        let total: u64 = weights.iter().sum();
        // Where nothing is known, all cells weigh the same.
        let weight = |code: usize| if total == 0 { 1 } else { weights[code] };
        let total = u128::from(if total == 0 { Self::CELLS as u64 } else { total });
        let mut starts = Vec::with_capacity(workers - 1);
        let mut sum = 0_u128;
        for code in 0..Self::CELLS {
            while starts.len() + 1 < workers && sum * workers as u128 >= (starts.len() as u128 + 1) * total {
                starts.push(code as u32);
            }
            sum += u128::from(weight(code));
        }
        starts.resize(workers - 1, Self::CELLS as u32);
        Self::from_starts(world, reach, starts)
    }

    /// Makes the partition with these first cells, in Morton order and not descending, of each worker but the first.
    #[must_use]
    pub fn from_starts(world: Rect<S, D>, reach: S, starts: Vec<u32>) -> Self {
        let (scale, table, levels) = (scale_of(&world, Self::SIDE), vec![0; Self::CELLS], vec![0; Self::CELLS]);
        let mut new = Self { world, reach, scale, starts, table, levels };
        let around = new.cells_of_reach();
        new.fill(0, 0, [0; D], around, &mut Vec::new());
        new
    }

    /// Fills the table for a part of the grid: at once if one worker owns all within reach of it.
    fn fill(&mut self, depth: u32, code: u32, at: [u32; D], around: u32, owners: &mut Vec<u16>) {
        let side = Self::SIDE >> depth;
        let cells = 1_u32 << ((Self::LEVEL - depth) * D as u32);
        owners.clear();
        let low = at.map(|c| c.saturating_sub(around));
        let high = at.map(|c| (c + (side - 1)).saturating_add(around).min(Self::SIDE - 1));
        self.owners_between(low, high, owners);
        if owners.len() > 1 && cells > 1 {
            for child in 0..1_u32 << D {
                let at = child_at(at, child, side / 2);
                self.fill(depth + 1, code + child * (cells >> D), at, around, owners);
            }
            return;
        }
        let entry = if owners.len() == 1 { owners[0] | ALONE } else { self.owner_of_code(code) };
        for line in 0..cells / side {
            let (mut first, mut rest) = (at, line);
            for c in &mut first[1..] {
                (*c, rest) = (*c + rest % side, rest / side);
            }
            let first = Self::row(first);
            self.table[first..first + side as usize].fill(entry);
            self.levels[first..first + side as usize].fill((Self::LEVEL - depth) as u8);
        }
    }

    /// How many cells an object may reach beyond its own, rounding included.
    fn cells_of_reach(&self) -> u32 {
        if self.reach == S::default() {
            return 0;
        }
        let cells = (0..D).map(|axis| {
            let [min, max] = [self.world.min()[axis], self.world.max()[axis]];
            let largest = if max.abs() < min.abs() { min.abs() } else { max.abs() };
            let rounding = largest.next_up().to_f64() - largest.to_f64();
            ((self.reach.to_f64() + 2.0 * rounding) * self.scale[axis].to_f64() + 0.01).ceil()
        });
        S::from_f64(cells.fold(0.0, f64::max)).to_u32().min(Self::SIDE)
    }

    /// The number of workers.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.starts.len() + 1
    }

    /// The first cell, in Morton order, of each worker but the first one.
    #[must_use]
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// How many times its fair share the fullest worker has, by the weight of each cell in Morton order.
    #[must_use]
    pub fn fullest_share(&self, weights: &[u64]) -> f64 {
        let mut shares = vec![0_u64; self.workers()];
        for (code, weight) in weights.iter().enumerate() {
            shares[usize::from(self.owner_of_code(code as u32))] += weight;
        }
        let total: u64 = shares.iter().sum();
        let fullest = shares.iter().max().copied().unwrap_or(0);
        if total == 0 { 1.0 } else { fullest as f64 * shares.len() as f64 / total as f64 }
    }

    /// The bounds of the world.
    #[must_use]
    pub fn world(&self) -> Rect<S, D> {
        self.world
    }

    /// The largest distance of a question about pairs. An object this close to a border is a ghost beyond it.
    #[must_use]
    pub fn reach(&self) -> S {
        self.reach
    }

    /// The worker that owns a point.
    #[inline]
    #[must_use]
    pub fn owner(&self, at: [S; D]) -> u16 {
        self.table[Self::row(self.cell(at))] & !ALONE
    }

    /// The number of a point's cell, in Morton order.
    #[must_use]
    pub fn code_at(&self, at: [S; D]) -> u32 {
        code_of_cell(self.cell(at))
    }

    /// The owner of an object, if it is the only holder and the object lies in one cell. It may be `None` even where
    /// [`holders`](Self::holders) finds a single worker.
    #[inline]
    #[must_use]
    pub fn sole_holder(&self, shape: &Rect<S, D>) -> Option<u16> {
        if self.starts.is_empty() {
            return Some(0);
        }
        let cell = Self::row(self.cell(shape.min()));
        let entry = self.table[cell];
        let one_cell = shape.min() == shape.max() || cell == Self::row(self.cell(shape.max()));
        (entry & ALONE != 0 && one_cell).then_some(entry & !ALONE)
    }

    /// `is_sole` for a point.
    #[inline(always)]
    pub(crate) fn is_sole_at(&self, worker: u16, at: [S; D]) -> bool {
        self.table[Self::row(self.cell(at))] == worker | ALONE
    }

    /// Whether [`sole_holder`](Self::sole_holder) is this worker.
    #[inline(always)]
    pub(crate) fn is_sole(&self, worker: u16, shape: &Rect<S, D>) -> bool {
        self.sole_holder(shape) == Some(worker)
    }

    /// Adds the holders of an object, ascending.
    pub fn holders(&self, shape: &Rect<S, D>, workers: &mut Vec<u16>) {
        match self.sole_holder(shape) {
            Some(owner) => workers.push(owner),
            None => self.meeting(&self.stretched(shape), workers),
        }
    }

    /// A box that holds everything within reach of an object, rounding included.
    pub(crate) fn stretched(&self, shape: &Rect<S, D>) -> Rect<S, D> {
        if self.reach == S::default() {
            return *shape;
        }
        let reach = self.reach.next_up();
        let min = shape.min().map(|c| (c - reach).next_down());
        let max = shape.max().map(|c| (c + reach).next_up());
        Rect::new(min, max)
    }

    /// Adds the workers that own a part of a box, ascending.
    pub fn meeting(&self, shape: &Rect<S, D>, workers: &mut Vec<u16>) {
        let before = workers.len();
        self.owners_between(self.cell(shape.min()), self.cell(shape.max()), workers);
        workers[before..].sort_unstable();
    }

    /// Adds the owners of the cells of a box, each once.
    fn owners_between(&self, low: [u32; D], high: [u32; D], workers: &mut Vec<u16>) {
        let before = workers.len();
        self.descend(0, 0, [0; D], [low, high], before, workers);
    }

    /// Descends into the parts of the grid that meet the box and have more than one owner.
    fn descend(
        &self,
        depth: u32,
        code: u32,
        at: [u32; D],
        around: [[u32; D]; 2],
        before: usize,
        workers: &mut Vec<u16>,
    ) {
        let side = Self::SIDE >> depth;
        if (0..D).any(|axis| at[axis] > around[1][axis] || at[axis] + (side - 1) < around[0][axis]) {
            return;
        }
        let cells = 1_u32 << ((Self::LEVEL - depth) * D as u32);
        let (first, last) = (self.owner_of_code(code), self.owner_of_code(code + (cells - 1)));
        if first == last {
            if !workers[before..].contains(&first) {
                workers.push(first);
            }
            return;
        }
        for child in 0..1_u32 << D {
            let at = child_at(at, child, side / 2);
            self.descend(depth + 1, code + child * (cells >> D), at, around, before, workers);
        }
    }

    fn owner_of_code(&self, code: u32) -> u16 {
        self.starts.partition_point(|start| *start <= code) as u16
    }

    /// Monotone on each axis, so what lies in a box lies in the box of its cells. NaN is in the first cell.
    #[inline(always)]
    fn cell(&self, at: [S; D]) -> [u32; D] {
        let min = self.world.min();
        std::array::from_fn(|axis| ((at[axis] - min[axis]) * self.scale[axis]).to_u32().min(Self::SIDE - 1))
    }

    #[inline(always)]
    fn row(cell: [u32; D]) -> usize {
        cell.iter().rev().fold(0, |row, c| row << Self::LEVEL | *c as usize)
    }
}

impl<S: fmt::Debug, const D: usize> fmt::Debug for Partition<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { world, reach, starts, .. } = self;
        let mut shown = f.debug_struct("Partition");
        shown.field("world", world).field("reach", reach).field("starts", starts).finish_non_exhaustive()
    }
}

fn scale_of<S: Coordinate, const D: usize>(world: &Rect<S, D>, side: u32) -> [S; D] {
    let width = |axis: usize| world.max()[axis].to_f64() - world.min()[axis].to_f64();
    std::array::from_fn(|axis| S::from_f64(f64::from(side) / width(axis)))
}

/// Where a part of a grid begins that is half as wide.
fn child_at<const D: usize>(at: [u32; D], child: u32, half: u32) -> [u32; D] {
    std::array::from_fn(|axis| at[axis] + (child >> axis & 1) * half)
}

fn code_of_cell<const D: usize>(cell: [u32; D]) -> u32 {
    let bits = (0..BITS / D as u32).flat_map(|bit| (0..D as u32).map(move |axis| (bit, axis)));
    bits.fold(0, |code, (bit, axis)| code | (cell[axis as usize] >> bit & 1) << (bit * D as u32 + axis))
}

#[cfg(test)]
mod tests;
