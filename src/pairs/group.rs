//! Groups: up to 64 entries that are compared as a whole.
//!
//! It does not know how a chain is sorted, nor what groups are compared.

use crate::geometry::{Rect, Scalar};
use crate::key::Place;
use crate::tree::{Bucket, PointBucket, RectBucket};

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

/// The storage of a group's entries, of either kind.
pub(super) enum Storage<'a, S, const D: usize> {
    Points(&'a PointBucket<S, D>),
    Rects(&'a RectBucket<S, D>),
}

impl<S: Scalar, const D: usize> Storage<'_, S, D> {
    pub(super) fn shape(&self, position: u8) -> Rect<S, D> {
        match self {
            Self::Points(bucket) => bucket.shape(position),
            Self::Rects(bucket) => bucket.shape(position),
        }
    }
}
