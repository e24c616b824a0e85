//! The sources of pairs: the buckets that look for partners, and the spaces that the pairs are between.
//!
//! Keeps invariant Q11 of `docs/invariants.md`, as far as a list of sources is concerned.

use crate::key::Place;
use crate::space::Space;

/// A bucket whose entries look for partners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// The index of its space in the task.
    pub(super) side: u8,
    /// Its first place.
    pub(super) bucket: Place,
    /// The entries, as bits.
    pub(super) entries: u64,
}

/// The buckets that are sources.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sources<'l> {
    /// All buckets, as the walk comes to them.
    All,
    /// All buckets, listed by an earlier walk.
    #[cfg(feature = "rayon")]
    Listed(&'l [Source]),
    /// Some entries of these buckets, in the order of places. A pair without any of them does not count.
    Some(&'l [Source]),
}

impl<'l> Sources<'l> {
    pub(super) fn list(self) -> Option<&'l [Source]> {
        match self {
            Self::All => None,
            #[cfg(feature = "rayon")]
            Self::Listed(list) => Some(list),
            Self::Some(list) => Some(list),
        }
    }

    /// Whether only some entries are sources.
    pub(super) fn are_some(self) -> bool {
        matches!(self, Self::Some(_))
    }

    /// The entries of a bucket that are sources of the pairs with a later bucket `other`, as bits.
    pub(super) fn entries_before(self, bucket: Place, other: Place) -> u64 {
        match self {
            Self::Some(list) if bucket < other => {
                list.binary_search_by_key(&bucket, |of| of.bucket).map_or(0, |found| list[found].entries)
            }
            _ => 0,
        }
    }
}

/// The spaces that pairs are between, and the sources.
#[derive(Clone, Copy)]
pub(super) struct Task<'a, 'l, S, const D: usize> {
    /// The same space twice if its objects are paired with each other.
    pub(super) spaces: [&'a Space<S, D>; 2],
    pub(super) are_one: bool,
    pub(super) sources: Sources<'l>,
}
