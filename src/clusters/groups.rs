//! Groups that are open, by cell. A few are kept at hand: the walk seldom comes back to a cell that it has left. The others
//! are put aside, and those of one cell are merged in the end. Knows no objects.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::grid::{CELLS, axis_bits, comes_after};

/// From this many on that are put aside, those of one cell are merged before the end.
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

/// Whether the walk comes to a cell before or after another.
fn in_order<const D: usize>(cell: &[i32; D], other: &[i32; D]) -> Ordering {
    let unsigned = |cell: &[i32; D]| cell.map(|number| (number ^ i32::MIN).cast_unsigned());
    match cell == other {
        true => Ordering::Equal,
        false if comes_after(unsigned(cell), unsigned(other)) => Ordering::Greater,
        false => Ordering::Less,
    }
}

/// The places of cells in a list, in the order of the walk; those of equal cells stay in order.
// Apart from what is known of the cells: the code of a sort is long.
#[inline(never)]
fn sorted<const D: usize>(mut cells: Vec<([i32; D], u32)>) -> Vec<([i32; D], u32)> {
    cells.sort_by(|(cell, _), (other, _)| in_order(cell, other));
    cells
}

/// Sorts groups in the order of the walk, and merges those of one cell.
fn merge_all<C, const D: usize>(groups: &mut Vec<InCell<C, D>>, merge: &mut impl FnMut(&mut C, C)) {
    // As the walk leaves them, where the cells are squares of the tree.
    if groups.is_sorted_by(|(cell, _), (next, _)| in_order(cell, next) == Ordering::Less) {
        return;
    }
    let order = sorted(groups.iter().zip(0..).map(|((cell, _), place)| (*cell, place)).collect());
    let mut contents: Vec<Option<C>> = groups.drain(..).map(|(_, content)| Some(content)).collect();
    for (cell, place) in order {
        let Some(content) = contents[place as usize].take() else { continue };
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
        self.many = MANY.max(2 * self.closed.len());
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
