//! The sources of pairs: the groups that look for partners, and the spaces that the pairs are between.
//!
//! Keeps invariant Q11 of `docs/invariants.md`, as far as a list of sources is concerned.

use super::at_hand::SOURCES_MANY;
use super::crowds::Crowds;
use super::group::Group;
use crate::geometry::Scalar;
use crate::key::{LayerSet, Place};
use crate::space::Space;
use crate::tree::{BUCKET_SLOTS, positions};

/// A group whose entries look for partners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// The index of its space in the task.
    pub(super) side: u8,
    pub(super) group: Group,
    /// The entries, as bits.
    pub(super) entries: u64,
}

/// The groups that are sources.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sources<'l> {
    /// All groups, as the walk comes to them.
    All,
    /// All groups, listed by an earlier walk.
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

    /// The entries of a group that are sources and find their pairs with a source themselves, as bits.
    #[inline(never)]
    pub(super) fn found_elsewhere<S: Scalar, const D: usize>(
        self,
        group: Group,
        rows: u64,
        source: Group,
        crowds: &Crowds<S, D>,
    ) -> u64 {
        let source = crowds.bucket_of(source);
        match group {
            Group::Bucket(first) => self.entries_before(first, source),
            Group::Part { crowd, number } => {
                let is_before = |&at: &u8| self.is_before(crowds.get(crowd).entry(number, at).0, source);
                positions(rows).filter(is_before).fold(0, |before, position| before | 1 << position)
            }
        }
    }

    /// The entries of a bucket that are sources of the pairs with a later bucket `other`, as bits.
    fn entries_before(self, bucket: Place, other: Place) -> u64 {
        match self {
            Self::Some(list) if bucket < other => entries_in(list, bucket),
            _ => 0,
        }
    }

    /// Whether an entry at that place, of a crowd, finds its pairs with a bucket `other` itself.
    fn is_before(self, place: Place, other: Place) -> bool {
        let bucket = place.first_of_bucket();
        // The pairs within a bucket are found there, not in a crowd.
        self.are_some() && (bucket == other || self.entries_before(bucket, other) & place.bit_in(bucket) != 0)
    }
}

/// The entries of a bucket in a list of sources, as bits.
fn entries_in(list: &[Source], bucket: Place) -> u64 {
    list.binary_search_by_key(&bucket, |of| of.group.first()).map_or(0, |found| list[found].entries)
}

/// The spaces that pairs are between, and the sources.
#[derive(Clone, Copy)]
pub(super) struct Task<'a, 'l, S, const D: usize> {
    /// The same space twice if its objects are paired with each other.
    pub(super) spaces: [&'a Space<S, D>; 2],
    pub(super) are_one: bool,
    pub(super) sources: Sources<'l>,
}

impl<S: Scalar, const D: usize> Task<'_, '_, S, D> {
    /// Whether the sources are so many that it pays to sort the crowds of another target layer, given the source layer.
    pub(super) fn has_many_sources(&self, side: usize, layer: u8) -> bool {
        if let Sources::Some(list) = self.sources {
            SOURCES_MANY <= list.len()
        } else {
            SOURCES_MANY * BUCKET_SLOTS <= self.spaces[side].len_in(LayerSet::of_number(layer))
        }
    }
}
