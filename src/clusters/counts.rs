//! The number of objects in each cell. Nodes that lie in one cell and match as a whole are not visited: their counters are added.

use alloc::vec::Vec;
use core::cell::RefCell;

use super::gather::by_cell;
use super::groups::{Groups, InCell};
use crate::geometry::{Region, Scalar};
use crate::grid::Squares;
use crate::key::Place;
use crate::query::{Condition, Met, Predicate, Query, each_chain};
use crate::tree::with_kind;

fn add(known: &mut u32, more: u32) {
    *known += more;
}

/// Counts what is left of a query, cell by cell.
pub(super) fn count<T, P: Predicate, R: Region<S, D>, S: Scalar, const D: usize, C: Condition<T, S, D>>(
    query: &Query<'_, T, P, S, D, R, C>,
    squares: &Squares<S, D>,
) -> Vec<InCell<u32, D>> {
    let (space, question, mut scanner) = (&query.index.space, &query.question, query.scanner);
    let (arena, level) = (space.trees.arena(), scanner.level);
    // Nodes and chains come in turns.
    let counts = RefCell::new(Groups::new());
    let count_in = |bucket: Place, hits| {
        let (hits, mut counts) = (query.kept(bucket, hits), counts.borrow_mut());
        if hits == 0 {
            return;
        }
        with_kind!(arena.bucket(bucket.bucket()), |stored| {
            by_cell(squares, stored, hits, level, |cell, here| counts.add(cell, here.count_ones(), &mut add));
        });
    };
    let (bucket, hits) = scanner.begin_anew(space);
    count_in(bucket, hits);
    // An object that is left out, or matches in several images, is in the counters all the same.
    let by_counters = C::IS_NONE && question.excluded.is_empty() && question.images() == 1;
    each_chain(
        question,
        scanner,
        space,
        |grid, child| {
            let node = arena.node(child);
            let cell = || squares.cell_around(grid, node.rules.kind, &node.block().units(), arena.reach_of(node));
            let Some(cell) = by_counters.then(cell).flatten() else { return true };
            counts.borrow_mut().add(cell, node.len, &mut add);
            false
        },
        |grid, met| {
            let head = arena.head(met.bucket);
            let whole = by_counters && met.is_first && (met.covered || !P::TESTED);
            let cell = || squares.cell_around(grid, arena.node(head.node).rules.kind, &head.block.units(), head.reach);
            if let Some(cell) = whole.then(cell).flatten() {
                return counts.borrow_mut().add(cell, arena.total(met.bucket), &mut add);
            }
            for bucket in arena.chain(Some(met.bucket)) {
                count_in(Place::new(bucket, 0), Met { bucket, ..met }.hits(question, space, level));
            }
        },
    );
    counts.into_inner().close(&mut add)
}
