//! What the nodes of a tree know of it: when blocks are split and merged again, and its grid. Knows no tree.

use crate::grid::GridId;

/// The rules of one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Objects that a block may hold before it is split. 0: size alone decides how deep an object is stored.
    pub(crate) split_above: u32,
    /// The deepest level that nodes may be on; no deeper than where cells are single units.
    pub(crate) depth_max: u8,
    /// The grid that the tree is over.
    pub(crate) grid: GridId,
}

impl Rules {
    /// Two halves are merged when they hold at most this many entries together.
    #[inline]
    pub(crate) fn merge_at(self) -> u32 {
        // Below `split_above`, so that alternating insertions and removals do not split and merge each time. Only a
        // little below, since otherwise objects that come and go would leave buckets half empty.
        (u64::from(self.split_above) * 15 / 16) as u32
    }

    pub(super) fn by_size(self) -> bool {
        self.split_above == 0
    }
}
