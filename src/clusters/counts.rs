//! The number of objects in each cell. Nodes that lie in one cell and match as a whole are not visited: their counters are added.

use alloc::vec::Vec;
use core::cell::RefCell;

use super::gather::by_cell;
use super::groups::{Groups, InCell};
use crate::geometry::{Region, Scalar};
use crate::grid::Squares;
use crate::query::{Condition, Predicate, Query};
use crate::tree::with_kind;

/// Counts what is left of a query, cell by cell.
pub(super) fn count<T, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize, C: Condition<T, S, D>>(
    query: &Query<'_, T, P, S, D, R, C>,
    squares: &Squares<S, D>,
) -> Vec<InCell<u32, D>> {
    let add = |known: &mut u32, more: u32| *known += more;
    let (arena, level) = (query.index.space.trees.arena(), query.scanner.level);
    // Counters and buckets come in turns.
    let counts = RefCell::new(Groups::new());
    query.each_count(
        |block, reach, len| {
            let cell = squares.cell_around(&block.units(), reach);
            cell.map(|cell| counts.borrow_mut().add(cell, len, &mut { add })).is_some()
        },
        |bucket, hits| {
            if hits == 0 {
                return;
            }
            let mut counts = counts.borrow_mut();
            with_kind!(arena.bucket(bucket.bucket()), |stored| {
                by_cell(squares, stored, hits, level, |cell, here| counts.add(cell, here.count_ones(), &mut { add }));
            });
        },
    );
    counts.into_inner().close(&mut { add })
}
