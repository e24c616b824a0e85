//! An order of objects as a search sees it: ranks, and bounds on where the first objects may be stored.
//!
//! It does not know how a search goes on. Keeps invariant Q9 of `docs/invariants.md`.

use core::convert::Infallible;

use crate::geometry::{Level, Rank, Rect, Scalar, Simd};
use crate::grid::{Block, Grid};
use crate::tree::{Bucket, Head, Node};

/// An order of objects, with bounds on where the first ones may be stored.
///
/// The one rule: neither `cells` nor `may_hold` nor `candidates` leaves out an object whose rank lies between floor and
/// limit, both included.
pub(super) trait Ranking<S: Scalar, const D: usize>: Copy {
    /// The space between a floor and a limit of ranks, in terms of places and shapes.
    type Within: Copy;

    /// Lower bounds of ranks, for nodes that are afar.
    type Bounds: LowerBounds<D>;

    /// Whether it pays to call `cells` again when the limit has become lower, even if no children are left.
    const CELLS_ARE_CHEAP: bool;

    /// The number of objects that a search keeps, for so many wanted, before it drops the last ones and lowers the
    /// limit. A low number lowers the limit sooner; a high one selects the last ones less often.
    fn kept(want: usize) -> usize;

    /// The same ranking over another grid.
    fn over(&self, grid: &Grid<S, D>) -> Self;

    fn within(&self, grid: &Grid<S, D>, floor: Rank, limit: Rank) -> Self::Within;

    /// The rank of an object; `None` if it can be no result.
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank>;

    /// The cell of a node that comes first. Of the others, those come first that share the smallest block with it.
    fn first_cell(&self, node: &Node<D>) -> u8;

    /// Whether it pays to go through a node by lower bounds of its cells, given the first cell and the cells that are
    /// left.
    fn is_afar(&self, node: &Node<D>, first: u8, cells: u64) -> bool;

    fn bounds(&self, grid: &Grid<S, D>, level: Level) -> Self::Bounds;

    /// The cells of a node in which objects within the limit may be stored, as bits.
    fn cells(&self, within: &Self::Within, node: &Node<D>) -> u64;

    /// Whether objects within the limit may be stored in a block or own list.
    fn may_hold(&self, within: &Self::Within, head: &Head<D>) -> bool;

    /// The entries of a bucket that may be within the limit, as bits. Bits of vacant slots may be among them.
    fn candidates<B: Bucket<D, Scalar = S>, V: Simd>(&self, simd: V, within: &Self::Within, bucket: &B) -> u64;

    /// The same as `candidates`, without those that surely come after another one. The entry at the bit `left_out` is
    /// ignored.
    fn first_candidates<B: Bucket<D, Scalar = S>, V: Simd>(
        &self,
        simd: V,
        within: &Self::Within,
        bucket: &B,
        left_out: u64,
    ) -> u64;

    /// An estimated limit for `want` objects after `floor`, given a block around there and the number of objects in it.
    /// `None` if there is nothing to estimate from.
    fn guess(&self, grid: &Grid<S, D>, floor: Rank, want: usize, block: &Block<D>, objects: u32) -> Option<Rank>;
}

/// Lower bounds of ranks. They rest on the same rule.
pub(super) trait LowerBounds<const D: usize> {
    /// The bounds of the cells of one node.
    type OfCells;

    fn of_cells(&self, node: &Node<D>) -> Self::OfCells;

    /// The cells in which objects within the limit may be stored.
    fn within(&self, bounds: &Self::OfCells, limit: Rank) -> u64;

    /// The cell with the lowest bound among some cells. It has no meaning if there are none.
    fn first(&self, bounds: &Self::OfCells, cells: u64) -> u8;

    /// Whether objects within the limit may be stored in a block with such a reach.
    fn may_hold(&self, block: &Block<D>, reach: u32, limit: Rank) -> bool;
}

/// The bounds of a ranking without any.
impl<const D: usize> LowerBounds<D> for Infallible {
    type OfCells = Self;

    fn of_cells(&self, _: &Node<D>) -> Self {
        *self
    }

    fn within(&self, _: &Self, _: Rank) -> u64 {
        match *self {}
    }

    fn first(&self, _: &Self, _: u64) -> u8 {
        match *self {}
    }

    fn may_hold(&self, _: &Block<D>, _: u32, _: Rank) -> bool {
        match *self {}
    }
}
