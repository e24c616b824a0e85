//! Groups: the entries that are compared as wholes, up to 64 at a time. A group is a bucket, or a part of a crowd.
//!
//! It does not know how a crowd is divided.

use crate::geometry::{Rect, Scalar};
use crate::key::Place;
use crate::tree::{Bucket, PointBucket, RectBucket};

/// Up to 64 entries that are compared as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// A bucket, by its first place.
    Bucket(Place),
    /// A part of a crowd, both by their numbers.
    Part { crowd: u32, number: u32 },
}

impl Group {
    /// No group.
    pub(super) const NONE: Self = Self::Bucket(Place::NONE);

    /// The first place of a bucket.
    #[inline]
    pub(super) fn first(self) -> Place {
        match self {
            Self::Bucket(first) => first,
            Self::Part { .. } => Place::NONE,
        }
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
