//! The number of objects in each cell. Nodes that lie in one cell and match as a whole are not visited: their counters are added.

use alloc::vec::Vec;
use core::cell::RefCell;

use super::gather::by_cell;
use super::groups::{Groups, InCell};
use crate::geometry::{Level, Region, Scalar};
use crate::grid::{Grid, Squares, UnitRange};
use crate::key::Place;
use crate::query::{Met, Predicate, Question, Scanner, each_chain};
use crate::space::Space;
use crate::tree::{Node, with_kind};

type Counts<const D: usize> = Groups<u32, D>;

fn add(known: &mut u32, more: u32) {
    *known += more;
}

/// The objects that are counted, and the cells for them.
struct CountByCell<'a, S, const D: usize> {
    space: &'a Space<S, D>,
    squares: &'a Squares<S, D>,
    level: Level,
}

impl<S: Scalar, const D: usize> CountByCell<'_, S, D> {
    /// The cell of all objects that are stored in a square of a node's tree.
    #[inline]
    fn cell_around(&self, grid: &Grid<S, D>, node: &Node<D>, units: &UnitRange<D>, reach: u32) -> Option<[i32; D]> {
        self.squares.cell_around(grid, node.rules.kind, units, reach)
    }

    /// Counts some entries of a bucket.
    fn count_in(&self, bucket: Place, hits: u64, counts: &mut Counts<D>) {
        if hits == 0 {
            return;
        }
        with_kind!(self.space.trees.arena().bucket(bucket.bucket()), |stored| {
            by_cell(self.squares, stored, hits, self.level, |cell, here| counts.add(cell, here.count_ones(), &mut add));
        });
    }
}

/// Counts what is left of a query, cell by cell.
pub(super) fn count<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize>(
    space: &Space<S, D>,
    (question, mut scanner): (Question<P, R, S, D>, Scanner),
    squares: &Squares<S, D>,
) -> Vec<InCell<u32, D>> {
    let (arena, counter) = (space.trees.arena(), CountByCell { space, squares, level: scanner.level });
    // Nodes and chains come in turns.
    let counts = RefCell::new(Counts::new());
    let (bucket, hits) = scanner.begin_anew(space);
    counter.count_in(bucket, hits, &mut counts.borrow_mut());
    // An object that is left out, or matches in several images, is in the counters all the same.
    let by_counters = question.excluded.is_empty() && question.images() == 1;
    each_chain(
        &question,
        scanner,
        space,
        |grid, child| {
            let node = arena.node(child);
            let cell = || counter.cell_around(grid, node, &node.block().units(), arena.reach_of(node));
            let Some(cell) = by_counters.then(cell).flatten() else { return true };
            counts.borrow_mut().add(cell, node.len, &mut add);
            false
        },
        |grid, met| {
            let head = arena.head(met.bucket);
            let whole = by_counters && met.is_first && (met.covered || !P::TESTED);
            let cell = || counter.cell_around(grid, arena.node(head.node), &head.block.units(), head.reach);
            if let Some(cell) = whole.then(cell).flatten() {
                return counts.borrow_mut().add(cell, arena.total(met.bucket), &mut add);
            }
            for bucket in arena.chain(Some(met.bucket)) {
                let hits = Met { bucket, ..met }.hits(&question, space, scanner.level);
                counter.count_in(Place::new(bucket, 0), hits, &mut counts.borrow_mut());
            }
        },
    );
    counts.into_inner().close(&mut add)
}
