//! What a search looks for, and what it finds. Knows neither trees nor rankings.

use core::cmp::Ordering;

use crate::geometry::Rank;
use crate::key::{Handle, Place};

/// The objects that a search looks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Objects up to here are not results.
    pub(super) floor: (Rank, Option<Handle>),
    /// Objects after this rank are not results.
    pub(super) limit: Rank,
    /// The place of the object that is left out, if there is one.
    pub(super) excluded: Place,
    /// The number of objects wanted.
    pub(super) want: usize,
    pub(super) ties: Ties,
    /// Whether one object is wanted and the floor is below all: then only the first candidates of a bucket count.
    pub(super) is_first_alone: bool,
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

/// An object that has been found. Objects are ordered by rank, and of ties by handle.
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
