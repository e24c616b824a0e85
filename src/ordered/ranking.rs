//! An order of objects as a search sees it: their ranks, and bounds on where the first ones may be stored. It is made of a
//! criterion, which knows no grid.
//!
//! It does not know how a search continues. Keeps invariant Q9 of `docs/invariants.md`.

use super::bounds::CellBounds;
use crate::geometry::{Images, Level, PeriodicSpace, Rank, Rect, Scalar, Simd};
use crate::grid::{Block, CLEAR, Grid};
use crate::tree::{Bucket, Head, Node};

/// The criterion that an order is by: few numbers, from which each search makes its ranking.
pub(super) trait Criterion<S: Scalar, const D: usize>: Copy {
    type Ranking: Ranking<S, D, Criterion = Self>;

    /// The same criterion elsewhere, moved by an offset.
    fn shifted(&self, by: [f64; D]) -> Self;

    /// The rank of an object; `None` if it cannot be a result.
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank>;

    /// No object inside a box has a lower rank. `None` if none has a rank.
    fn bound(&self, hull: &Rect<S, D>) -> Option<Rank> {
        self.rank(hull)
    }

    /// The images of a criterion at home in which objects may rank up to a limit.
    fn images(&self, torus: &PeriodicSpace<S, D>, limit: Rank) -> Images<D>;

    /// A lower bound of all ranks in images other than that at home.
    fn edge(&self, _: &PeriodicSpace<S, D>) -> Rank {
        Rank::ZERO
    }

    /// Whether no object has a rank.
    fn is_nowhere(&self) -> bool;

    /// The place that home is decided by.
    fn start(&self) -> [S; D];

    /// An estimated limit for `want` objects after `floor`, given a block around there and the number of its objects.
    /// `None` if there is no good estimate.
    fn estimate(&self, _: &Grid<S, D>, _: Rank, _want: usize, _: impl Fn() -> (Block<D>, f64)) -> Option<Rank> {
        None
    }
}

/// An order of objects over one grid, and the range of ranks of interest: from a floor to a limit.
///
/// There is one rule: no function leaves out an object whose rank lies in the range. Both ends belong to the range.
pub(super) trait Ranking<S: Scalar, const D: usize>: Copy {
    type Criterion: Criterion<S, D>;

    /// Whether it pays to ask for the cells again when the limit has become lower, even if no children are left.
    const CELLS_ARE_CHEAP: bool;

    /// The number of objects that a search keeps, for `want` of them, before it drops the last ones and lowers the
    /// limit. A low number lowers the limit sooner; a high one selects the last ones less often.
    fn kept(want: usize) -> usize;

    /// The order by a criterion. Floor and limit must be set.
    fn new(grid: &Grid<S, D>, criterion: &Self::Criterion) -> Self;

    fn criterion(&self) -> &Self::Criterion;

    fn set_floor(&mut self, floor: Rank);

    fn set_limit(&mut self, grid: &Grid<S, D>, limit: Rank);

    /// The rank of an object; `None` if it cannot be a result.
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank>;

    /// The cells of a node that may store objects in the range, as bits. Vacant cells may be among them.
    fn cells(&self, node: &Node<D>) -> u64;

    /// The cell of a node in which the first object would be stored.
    fn first_cell(&self, node: &Node<D>) -> u8;

    /// Which of eight boxes may hold objects up to the limit, as bits, and numbers that rise with their ranks, but for
    /// rounding. It may be more of them.
    fn near<V: Simd>(&self, simd: V, boxes: &[[S::Lanes<V>; 2]; D]) -> (u64, S::Lanes<V>);

    /// The order in which to search these cells of a node. It may find that some of them need no search.
    #[inline]
    fn cell_order(&self, _: &Grid<S, D>, _: Level, _limit: Rank, node: &Node<D>, _cells: &mut u64) -> CellOrder<D> {
        CellOrder::Around(self.first_cell(node))
    }

    /// Whether a block or own list may store objects in the range.
    fn may_hold(&self, head: &Head<D>) -> bool;

    /// The entries of a bucket that may be in the range, as bits. Bits of vacant positions may be among them.
    ///
    /// If `first_but` is given, only the first object counts, and the entry at that bit does not. Then entries that
    /// certainly come after another entry may be missing.
    fn candidates<V: Simd, const ENDS: usize>(
        &self,
        simd: V,
        bucket: &Bucket<S, D, ENDS>,
        first_but: Option<u64>,
    ) -> u64;
}

/// The order in which a search goes through the cells of a node.
pub(super) enum CellOrder<const D: usize> {
    /// Around this cell, in which the first object would be stored.
    Around(u8),
    /// By ascending bounds. They are tighter than `cells` and `may_hold` of the ranking.
    ByBounds(CellBounds<D>),
}

impl<const D: usize> CellOrder<D> {
    /// The cell that comes first among some cells. It has no meaning if there are none.
    #[inline]
    pub(super) fn next_cell(&self, cells: u64) -> u8 {
        match self {
            Self::Around(first) => closest_cell(cells, *first),
            Self::ByBounds(bounds) => bounds.first(cells),
        }
    }
}

/// Of some cells, the one that shares the smallest block with the cell `first`; if cells tie, the one at the position in
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
