//! The sources of pairs: which buckets look for partners, and between which spaces.

use crate::key::Place;
use crate::space::Space;

/// A bucket whose entries look for partners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// The number of its space.
    pub(super) side: u8,
    /// Its first place.
    pub(super) bucket: Place,
    /// The entries, as bits.
    pub(super) entries: u64,
}

/// Which buckets are sources.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sources<'l> {
    /// All, as the walk comes to them.
    All,
    /// All of these, which another walk has come to.
    #[cfg(feature = "rayon")]
    Listed(&'l [Source]),
    /// Some entries of these, in the order of places: pairs of others do not count.
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

    /// Whether pairs of others do not count.
    pub(super) fn are_some(self) -> bool {
        matches!(self, Self::Some(_))
    }

    /// The entries of a bucket that pair themselves with those of another.
    pub(super) fn entries_before(self, bucket: Place, other: Place) -> u64 {
        match self {
            Self::Some(list) if bucket < other => {
                list.binary_search_by_key(&bucket, |of| of.bucket).map_or(0, |found| list[found].entries)
            }
            _ => 0,
        }
    }
}

/// The spaces between which pairs are looked for, and the sources.
#[derive(Clone, Copy)]
pub(super) struct Task<'a, 'l, S, const D: usize> {
    /// Twice the same if the objects of one space are paired with each other.
    pub(super) spaces: [&'a Space<S, D>; 2],
    pub(super) are_one: bool,
    pub(super) sources: Sources<'l>,
}
