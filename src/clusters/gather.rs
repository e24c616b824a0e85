//! From buckets to groups: the totals of the objects in each cell.
//!
//! A bucket whose centers lie in one cell is added at once. It need not lie in one square of the tree for that.

use alloc::vec::Vec;
use core::array;

use super::groups::{Groups, InCell};
use super::squares::Squares;
use crate::geometry::{
    Hits, LANES, Level, Rect, Scalar, Select, Simd, SimdBase, SimdMask, around, extend, f64x8, larger, level,
    middle_lanes, no_bounds, smaller, with_vectors,
};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::Place;
use crate::tree::{BUCKET_SLOTS, Bucket, positions, rows_with, with_kind};

/// A power of two by which coordinates are multiplied before they are added up: a sum of large `f64` might overflow.
fn weight<S>() -> f64 {
    if size_of::<S>() < size_of::<f64>() { 1.0 } else { 1.0 / 65_536.0 / 65_536.0 }
}

/// The totals of the objects in a cell.
pub(super) struct CellTotals<S, const D: usize> {
    pub(super) count: u32,
    /// Of the coordinates of their centers, by [their weight](weight).
    sums: [f64; D],
    pub(super) bounds: Rect<S, D>,
    /// The lowest slot.
    pub(super) first: u32,
}

impl<S: Scalar, const D: usize> CellTotals<S, D> {
    #[inline]
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        for axis in 0..D {
            self.sums[axis] += other.sums[axis];
        }
        self.bounds = self.bounds.hull(&other.bounds);
        self.first = self.first.min(other.first);
    }

    /// The mean of the centers. Rounding does not move it out of the box around the objects.
    pub(super) fn mean(&self) -> [S; D] {
        array::from_fn(|axis| {
            let mean = S::from_f64(self.sums[axis] / f64::from(self.count) / weight::<S>());
            smaller(self.bounds.max()[axis], larger(self.bounds.min()[axis], mean))
        })
    }
}

/// Totals, and what was made of each object and reduced.
pub(super) type Content<A, S, const D: usize> = (CellTotals<S, D>, A);

/// The number of vectors that a bucket fills.
const ROWS: usize = BUCKET_SLOTS / LANES;

/// If the first `SAMPLE` cells of a bucket have at most `FEW` entries, the others are visited one by one: looking for equals in
/// the same cell would take longer.
const SAMPLE: u32 = 4;
const FEW: u32 = SAMPLE + 2;

/// For each entry of a bucket, row by row, the numbers of its cell; 0 in rows without entries that count.
type Numbers<const D: usize> = [[[f64; LANES]; D]; ROWS];

/// Calls a function with each cell that some entries of a bucket are in, and which they are.
#[inline(always)]
pub(super) fn by_cell<S: Scalar, const D: usize, const ENDS: usize>(
    squares: &Squares<S, D>,
    bucket: &Bucket<S, D, ENDS>,
    mut hits: u64,
    level: Level,
    mut each: impl FnMut([i32; D], u64),
) {
    let numbers = numbers_in(squares, bucket, hits, level);
    let (mut cells, mut told, mut is_scattered) = (0, 0, false);
    while hits != 0 {
        let first = hits.trailing_zeros() as usize % BUCKET_SLOTS;
        let cell = array::from_fn(|axis| numbers[first / LANES][axis][first % LANES]);
        let here = hits & if is_scattered { hits.wrapping_neg() } else { in_cell(&numbers, hits, &cell, level) };
        if !is_scattered {
            (cells, told) = (cells + 1, told + here.count_ones());
            is_scattered = cells == SAMPLE && told < FEW;
        }
        each(cell.map(|number| number as i32), here);
        hits &= !here;
    }
}

#[inline(never)]
fn numbers_in<S: Scalar, const D: usize, const ENDS: usize>(
    squares: &Squares<S, D>,
    bucket: &Bucket<S, D, ENDS>,
    hits: u64,
    level: Level,
) -> Numbers<D> {
    with_vectors!(level, |simd| {
        let mut numbers = [[[0.0; LANES]; D]; ROWS];
        for row in rows_with(hits) {
            let centers = centers_of::<_, S, D, ENDS>(simd, bucket.row(simd, row));
            for axis in 0..D {
                numbers[row][axis] = squares.numbers(simd, axis, centers[axis][0]).to_array();
            }
        }
        numbers
    })
}

/// The entries of a bucket in a cell, of those rows that have entries that count.
#[inline(never)]
fn in_cell<const D: usize>(numbers: &Numbers<D>, hits: u64, cell: &[f64; D], level: Level) -> u64 {
    with_vectors!(level, |simd| {
        let mut here = 0;
        for row in rows_with(hits) {
            let mut on_all_axes = f64x8::load_array(simd, numbers[row][0]).simd_eq(f64x8::splat(simd, cell[0]));
            for axis in 1..D {
                on_all_axes &= f64x8::load_array(simd, numbers[row][axis]).simd_eq(f64x8::splat(simd, cell[axis]));
            }
            here |= on_all_axes.to_bitmask() << (row * LANES);
        }
        here
    })
}

/// The boxes of a row, shrunk to their centers.
#[inline(always)]
fn centers_of<V: Simd, S: Scalar, const D: usize, const ENDS: usize>(
    simd: V,
    mut row: [[S::Lanes<V>; 2]; D],
) -> [[S::Lanes<V>; 2]; D] {
    if !Bucket::<S, D, ENDS>::IS_POINTS {
        for ends in &mut row {
            *ends = [middle_lanes::<V, S>(simd, ends[0], ends[1]); 2];
        }
    }
    row
}

/// The totals of some entries of a bucket, and the box around their centers.
// Out of line: it is long, and all that group by cell share it.
#[inline(never)]
fn totals_in<S: Scalar, const D: usize, const ENDS: usize>(
    bucket: &Bucket<S, D, ENDS>,
    hits: u64,
    level: Level,
) -> (CellTotals<S, D>, Rect<S, D>) {
    let first = positions(hits).map(|position| bucket.handle(position).slot_number()).fold(u32::MAX, u32::min);
    let (sums, [bounds, centers]) = with_vectors!(level, |simd| sums_in(simd, bucket, hits));
    (CellTotals { count: hits.count_ones(), sums, bounds, first }, centers)
}

/// The totals of a few entries, one by one: going through the rows would take longer.
fn totals_of_few<S: Scalar, const D: usize, const N: usize>(bucket: &Bucket<S, D, N>, hits: u64) -> CellTotals<S, D> {
    let one = |position| {
        let bounds = bucket.shape(position);
        let sums = bounds.center().map(|center| center.to_f64() * weight::<S>());
        CellTotals { count: 1, sums, bounds, first: bucket.handle(position).slot_number() }
    };
    let mut totals = one(hits.trailing_zeros() as u8);
    positions(hits & (hits - 1)).for_each(|position| totals.merge(&one(position)));
    totals
}

/// The sums of the centers of some entries, the box around these, and the box around their centers.
#[inline(always)]
fn sums_in<V: Simd, S: Scalar, const D: usize, const ENDS: usize>(
    simd: V,
    bucket: &Bucket<S, D, ENDS>,
    hits: u64,
) -> ([f64; D], [Rect<S, D>; 2]) {
    let zero = S::Lanes::splat(simd, S::from(0));
    let [mut bounds, mut centers] = [no_bounds::<V, S, D>(simd); 2];
    let mut sums = [f64x8::splat(simd, 0.0); D];
    for number in rows_with(hits) {
        let is_hit = Hits::<V, S>::from_bitmask(simd, hits >> (number * LANES) & 0xFF);
        let mut row = bucket.row(simd, number);
        if !Bucket::<S, D, ENDS>::IS_POINTS {
            extend::<V, S, D>(&mut bounds, &row, is_hit);
        }
        row = centers_of::<V, S, D, ENDS>(simd, row);
        extend::<V, S, D>(&mut centers, &row, is_hit);
        for axis in 0..D {
            sums[axis] += S::widened(is_hit.select(row[axis][0], zero)) * weight::<S>();
        }
    }
    let centers = around::<V, S, D>(&centers);
    let bounds = if Bucket::<S, D, ENDS>::IS_POINTS { centers } else { around::<V, S, D>(&bounds) };
    (sums.map(|sums| sums.to_array().into_iter().sum()), [bounds, centers])
}

/// The contents of each cell.
pub(super) struct Gathering<'a, 'c, T, A, S, const D: usize> {
    index: &'a SpatialIndex<T, S, D>,
    squares: &'c Squares<S, D>,
    level: Level,
    pub(super) groups: Groups<Content<A, S, D>, D>,
}

impl<'a, 'c, T, A, S: Scalar, const D: usize> Gathering<'a, 'c, T, A, S, D> {
    pub(super) fn new(index: &'a SpatialIndex<T, S, D>, squares: &'c Squares<S, D>) -> Self {
        Self { index, squares, level: level(), groups: Groups::new() }
    }

    /// Adds some entries of a bucket, which is given by its first place.
    #[inline]
    pub(super) fn add(
        &mut self,
        bucket: Place,
        hits: u64,
        map: &mut impl FnMut(ObjectRef<'a, T, S, D>) -> A,
        reduce: &mut impl FnMut(&mut A, A),
    ) {
        if hits == 0 {
            return;
        }
        let Self { index, squares, level, groups } = self;
        with_kind!(index.space.trees.arena().bucket(bucket.bucket()), |stored| {
            let mut told = |position: u8| map(ObjectRef::new(index, bucket.at(position), stored.handle(position)));
            let mut add = |cell, totals, hits: u64| {
                let mut own = told(hits.trailing_zeros() as u8);
                positions(hits & (hits - 1)).for_each(|position| reduce(&mut own, told(position)));
                groups.add(cell, (totals, own), &mut merging(reduce));
            };
            let cell_of = |position: u32| squares.cell_of(stored.shape(position as u8).center());
            // Nearly always these tell, where a bucket meets several cells.
            if cell_of(hits.trailing_zeros()) == cell_of(hits.ilog2()) {
                let (totals, centers) = totals_in(stored, hits, *level);
                let cell = squares.cell_of(centers.min());
                if cell == squares.cell_of(centers.max()) {
                    return add(cell, totals, hits);
                }
            }
            by_cell(squares, stored, hits, *level, |cell, here| {
                let is_few = here.count_ones() as usize <= ROWS;
                add(cell, if is_few { totals_of_few(stored, here) } else { totals_in(stored, here, *level).0 }, here);
            });
        });
    }

    /// The groups in the order of the walk.
    pub(super) fn close(self, reduce: &mut impl FnMut(&mut A, A)) -> Vec<InCell<Content<A, S, D>, D>> {
        self.groups.close(&mut merging(reduce))
    }
}

/// How two groups of one cell are merged.
fn merging<S: Scalar, A, const D: usize>(
    reduce: &mut impl FnMut(&mut A, A),
) -> impl FnMut(&mut Content<A, S, D>, Content<A, S, D>) {
    |(totals, known), (more, one)| {
        totals.merge(&more);
        reduce(known, one);
    }
}
