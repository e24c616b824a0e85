//! The name of a tree, and its rules, which its nodes copy: the kind of its shapes, when blocks split and merge, and over
//! which grid.

use crate::grid::GridId;
use crate::key::Kind;

/// The rules of one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The kind of the shapes.
    pub(crate) kind: Kind,
    /// The number of objects that a block may hold before it is split. At 0, size alone decides how deep an object is
    /// stored.
    pub(crate) split_above: u32,
    /// The greatest depth of nodes. At most the depth where cells are single units.
    pub(crate) depth_max: u8,
    /// The grid that the tree is over.
    pub(crate) grid: GridId,
}

/// Identifies one tree. Valid as long as the layer has a tree over this grid. Ordered as queries go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TreeId {
    pub(crate) layer: u8,
    pub(crate) grid: GridId,
}

impl TreeId {
    /// The name of no tree. No tree follows it.
    pub(crate) const NONE: Self = Self { layer: 0, grid: GridId::LAST };

    /// The main tree of a layer.
    pub(crate) const fn main(layer: u8) -> Self {
        Self { layer, grid: GridId::MAIN }
    }
}

impl Rules {
    /// Two halves merge when together they hold at most this many entries.
    #[inline]
    pub(crate) fn merge_at(self) -> u32 {
        // Below `split_above`, so that alternating insertions and removals do not split and merge each time. Only a
        // little below, since otherwise buckets would stay half empty as objects come and go.
        (u64::from(self.split_above) * 15 / 16) as u32
    }

    pub(super) fn by_size(self) -> bool {
        self.split_above == 0
    }
}
