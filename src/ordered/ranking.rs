//! An order of objects as a search sees it: ranks, and bounds on where the first objects may be stored.
//!
//! It does not know how a search goes on. Keeps invariant Q9 of `docs/invariants.md`.

use crate::geometry::{Level, Rank, Rect, Scalar, Simd};
use crate::grid::{Block, CLEAR, Grid};
use crate::tree::{Bucket, Head, Node};

/// An order of objects, with bounds on where the first ones may be stored.
///
/// The one rule: neither the functions about cells nor `may_hold` nor `candidates` leave out an object whose rank lies between floor and
/// limit, both included.
pub(super) trait Ranking<S: Scalar, const D: usize>: Copy {
    /// The space between a floor and a limit of ranks, in terms of places and shapes.
    type Within: Copy;

    /// The order in which a search goes through the cells of one node.
    type CellOrder;

    /// Whether it pays to call `cells_left` when the limit has become lower, even if no children are left.
    const CELLS_ARE_CHEAP: bool;

    /// The number of objects that a search keeps, for so many wanted, before it drops the last ones and lowers the
    /// limit. A low number lowers the limit sooner; a high one selects the last ones less often.
    fn kept(want: usize) -> usize;

    /// The same ranking over another grid.
    fn over(&self, grid: &Grid<S, D>) -> Self;

    fn within(&self, grid: &Grid<S, D>, floor: Rank, limit: Rank) -> Self::Within;

    /// Lowers the limit.
    fn lower(&self, within: &mut Self::Within, grid: &Grid<S, D>, limit: Rank);

    /// The rank of an object; `None` if it can be no result.
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank>;

    /// The cell of a node in which the first object would lie.
    fn first_cell(&self, node: &Node<D>) -> u8;

    /// The cells of a node in which objects within the limit may be stored, as bits. Vacant ones may be among them.
    fn cells(&self, within: &Self::Within, node: &Node<D>) -> u64;

    /// The order of a node's cells, given those to go through. It may find that some of them need not be looked at.
    fn cell_order(
        &self,
        grid: &Grid<S, D>,
        level: Level,
        limit: Rank,
        node: &Node<D>,
        cells: &mut u64,
    ) -> Self::CellOrder;

    /// The cell that comes first among some cells. It has no meaning if there are none.
    fn next_cell(order: &Self::CellOrder, cells: u64) -> u8;

    /// The same as `cells`, by the bounds of the order, once the limit is lower.
    fn cells_left(&self, order: &Self::CellOrder, within: &Self::Within, limit: Rank, node: &Node<D>) -> u64;

    /// Whether objects within the limit may be stored in a block or own list of a node.
    fn may_hold(&self, order: &Self::CellOrder, within: &Self::Within, limit: Rank, head: &Head<D>) -> bool;

    /// The entries of a bucket that may be within the limit, as bits. Bits of vacant slots may be among them.
    ///
    /// If `first_but` is given, only the first object counts, and not the entry at that bit. Then entries that surely
    /// come after another one may be missing.
    fn candidates<V: Simd, const ENDS: usize>(
        &self,
        simd: V,
        within: &Self::Within,
        bucket: &Bucket<S, D, ENDS>,
        first_but: Option<u64>,
    ) -> u64;

    /// An estimated limit for `want` objects after `floor`, given a block around there and the number of objects in it.
    /// `None` if there is nothing to estimate from.
    fn estimate(&self, _: &Grid<S, D>, _floor: Rank, _want: usize, _: &Block<D>, _objects: u32) -> Option<Rank> {
        None
    }
}

/// Of some cells, the one that shares the smallest block with the cell `first`; of several, the one at the position in
/// it that `first` would have.
#[inline]
pub(super) fn closest_cell(cells: u64, first: u8) -> u8 {
    if cells >> first & 1 != 0 {
        return first;
    }
    let mut left = cells;
    for (bit, clear) in CLEAR.iter().enumerate().rev() {
        let alike = left & if first >> bit & 1 == 0 { *clear } else { !clear };
        left = if alike == 0 { left } else { alike };
    }
    left.trailing_zeros() as u8
}
