//! The rules of a tree, which its nodes copy: the kind of its shapes, and when blocks split and merge.

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
