//! Groups: up to 64 entries that are compared as a whole.
//!
//! It does not know how a chain is sorted, nor what groups are compared.

use crate::key::Place;

/// Up to 64 entries that are compared as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// A bucket, by its first place.
    Bucket(Place),
    /// A part of a sorted chain: the first place of the bucket that was sorted first, and the number of the part.
    Part { chain: Place, number: u32 },
}

impl Group {
    /// No group.
    pub(super) const NONE: Self = Self::Bucket(Place::NONE);

    /// A bucket of the chain that holds the group, by its first place.
    #[inline]
    pub(super) fn bucket(self) -> Place {
        match self {
            Self::Bucket(first) | Self::Part { chain: first, .. } => first,
        }
    }

    #[inline]
    pub(super) fn is_bucket(self) -> bool {
        matches!(self, Self::Bucket(_))
    }
}
