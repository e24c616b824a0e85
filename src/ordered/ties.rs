//! The order of objects that a search has found: by rank, and of ties by handle.

use core::cmp::Ordering;

use crate::geometry::Rank;
use crate::key::{Handle, Place};

/// An object that has been found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) rank: Rank,
    pub(super) handle: Handle,
    pub(super) place: Place,
}

impl Found {
    /// The key that it is ordered by.
    #[inline]
    pub(super) fn order(&self) -> (Rank, Option<Handle>) {
        (self.rank, Some(self.handle))
    }

    #[inline]
    pub(super) fn is_after(&self, (rank, handle): (Rank, Option<Handle>)) -> bool {
        rank < self.rank || (rank == self.rank && handle < Some(self.handle))
    }
}

impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.rank < other.rank || (self.rank == other.rank && self.handle < other.handle)
    }
}

/// Which of several objects a search for one object finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ties {
    /// Of those with the least rank, the one with the lowest handle.
    ByHandle,
    /// Any of those with the least rank.
    Any,
    /// Any at all.
    AnyRank,
}
