//! Groups that are open, by cell. A few are kept at hand: the walk seldom comes back to a cell that it has left. The others
//! are put aside, and groups of one cell are merged in the end. Knows no objects.

use alloc::vec::Vec;
use core::{iter, mem};

use crate::grid::{CELLS, axis_bits, cell_at, comes_after};

/// Once this many are put aside, groups of one cell are merged before the end.
const MANY: usize = 1 << 12;

/// A cell, and what is known of it.
pub(super) type InCell<C, const D: usize> = ([i32; D], C);

/// Groups by cell.
pub(super) struct Groups<C, const D: usize> {
    /// The latest group in each cell of a square of cells, which repeats.
    open: Vec<Option<InCell<C, D>>>,
    /// In the order in which they were closed.
    closed: Vec<InCell<C, D>>,
    /// The number of those that makes merging them worthwhile.
    many: usize,
}

/// The number of levels that are sorted by at a time: their paths have 30 bits.
const LEVELS: usize = 5;

/// The places of cells in a list, in the order of the walk, in the lower halves; equal cells stay in order.
// Apart from what is known of the cells: the code of a sort is long.
#[inline(never)]
fn sorted<const D: usize>(cells: &[[u32; D]]) -> Vec<u64> {
    let numbers = cells.iter().flat_map(|cell| iter::zip(cell, &cells[0]));
    let different = numbers.fold(0, |different, (number, first)| different | number ^ first);
    let bits = 0..(u32::BITS - different.leading_zeros()) as u8;
    let shifts: Vec<u8> = bits.step_by(axis_bits::<D>() as usize).collect();
    let mut sorted: Vec<u64> = (0..cells.len() as u64).collect();
    let mut spare = sorted.clone();
    for shifts in shifts.chunks(LEVELS) {
        for entry in &mut sorted {
            // What would be the cells in nodes. The walk comes to the highest first.
            let cell = &cells[*entry as u32 as usize];
            let path = shifts.iter().rev().fold(0, |path, &shift| path << 6 | u64::from(cell_at(*cell, shift)));
            *entry = !path << 32 | u64::from(*entry as u32);
        }
        for byte in 4..4 + (6 * shifts.len()).div_ceil(8) {
            let class = |entry: u64| usize::from(entry.to_le_bytes()[byte]);
            let mut ends = [0; 256];
            for &entry in &sorted {
                ends[class(entry)] += 1;
            }
            ends.iter_mut().fold(0, |before, end| {
                *end += before;
                *end
            });
            for &entry in sorted.iter().rev() {
                let end = &mut ends[class(entry)];
                *end -= 1;
                spare[*end] = entry;
            }
            mem::swap(&mut sorted, &mut spare);
        }
    }
    sorted
}

/// Sorts groups in the order of the walk, and merges groups of one cell.
fn merge_all<C, const D: usize>(groups: &mut Vec<InCell<C, D>>, merge: &mut impl FnMut(&mut C, C)) {
    let cells: Vec<_> = groups.iter().map(|(cell, _)| cell.map(|number| (number ^ i32::MIN).cast_unsigned())).collect();
    // As the walk leaves them, where the cells are squares of the tree.
    if cells.is_sorted_by(|cell, next| comes_after(*next, *cell)) {
        return;
    }
    let mut left: Vec<_> = groups.drain(..).map(Some).collect();
    for entry in sorted(&cells) {
        let Some((cell, content)) = left[entry as u32 as usize].take() else { continue };
        match groups.last_mut() {
            Some((last, known)) if *last == cell => merge(known, content),
            _ => groups.push((cell, content)),
        }
    }
}

impl<C, const D: usize> Groups<C, D> {
    pub(super) fn new() -> Self {
        Self { open: (0..CELLS).map(|_| None).collect(), closed: Vec::new(), many: MANY }
    }

    /// Adds to the group of a cell.
    #[inline]
    pub(super) fn add(&mut self, cell: [i32; D], content: C, merge: &mut impl FnMut(&mut C, C)) {
        let bits = axis_bits::<D>();
        let at =
            cell.iter().rev().fold(0, |at, number| at << bits | (number.cast_unsigned() & ((1 << bits) - 1)) as usize);
        match &mut self.open[at % CELLS] {
            Some((open, known)) if *open == cell => merge(known, content),
            other => {
                if let Some(closed) = other.replace((cell, content)) {
                    self.closed.push(closed);
                    if self.many <= self.closed.len() {
                        self.merge_closed(merge);
                    }
                }
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn merge_closed(&mut self, merge: &mut impl FnMut(&mut C, C)) {
        merge_all(&mut self.closed, merge);
        self.many = MANY.max(4 * self.closed.len());
    }

    /// Closes all groups, in the order of the walk.
    pub(super) fn close(mut self, merge: &mut impl FnMut(&mut C, C)) -> Vec<InCell<C, D>> {
        // Those at hand are of the latest cells of their squares; the order among them does not matter.
        self.closed.extend(self.open.into_iter().flatten());
        merge_all(&mut self.closed, merge);
        self.closed
    }

    /// Adds the groups of what comes later.
    #[cfg(feature = "rayon")]
    pub(super) fn append(&mut self, later: Self) {
        self.closed.extend(self.open.iter_mut().filter_map(Option::take));
        self.closed.extend(later.closed);
        self.closed.extend(later.open.into_iter().flatten());
    }
}
