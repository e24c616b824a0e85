//! How far a source has come in the layer where it looks for partners. Knows no comparison.
//!
//! Keeps its part of invariant Q11 of `docs/invariants.md`.

use super::group_walk::GroupWalk;
use super::sides::Group;

/// The layer where the source looks for partners, and how far it has come.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) layer: u8,
    /// Whether the source has the second object of each pair.
    pub(super) is_flipped: bool,
    pub(super) groups: GroupWalk,
    /// The group that the walk has come to, and its entries that are still to be compared.
    pub(super) group: Group,
    pub(super) left: u64,
    /// The number of groups that all entries of the source may still meet together.
    pub(super) together: u32,
    /// The entries of the source that then go on one by one, and the walk that each of them continues.
    pub(super) one_by_one: u64,
    pub(super) from: GroupWalk,
}

impl Target {
    /// Nothing is left to compare.
    pub(super) fn none(layer: u8) -> Self {
        Self {
            layer,
            is_flipped: false,
            groups: GroupWalk::OVER,
            group: Group::NONE,
            left: 0,
            together: u32::MAX,
            one_by_one: 0,
            from: GroupWalk::OVER,
        }
    }
}
