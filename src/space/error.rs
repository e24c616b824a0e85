//! Errors of operations on objects. An operation that is refused leaves the index unchanged.
//!
//! Keeps its part of E1 of `docs/invariants.md`: each reason to refuse has a type.

use crate::geometry::NotFinite;
use crate::key::{BUCKETS_MAX, Handle, Kind};
use crate::layer::LayerError;

/// The index is full: the buckets of one kind of layer are numbered by 25 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the index is full: {buckets} buckets of one kind of layer are in use, the limit is {buckets_max}")]
pub struct Full {
    /// Buckets in use.
    pub buckets: usize,
    /// How many there can be.
    pub buckets_max: usize,
}

impl Full {
    pub(super) fn at(buckets: usize) -> Self {
        Self { buckets, buckets_max: BUCKETS_MAX }
    }
}

/// A shape is of the wrong kind for its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the object is in a layer of {object:?}, the call is for {called:?}")]
pub struct WrongKind {
    /// The kind that the object's layer holds.
    pub object: Kind,
    /// The kind that the call is for.
    pub called: Kind,
}

/// A handle names no object: the object was removed, or belongs to another index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no object {handle:?}")]
pub struct NoSuchObject {
    /// The handle.
    pub handle: Handle,
}

/// An object was not inserted. Its value was dropped, unless the error is part of one that carries it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// A coordinate is NaN or infinite.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// The layer is not one of this index, or was removed.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// A box with an extent was given for a layer of points, by a call that takes boxes for layers of either kind.
    #[error(transparent)]
    WrongKind(#[from] WrongKind),
    /// The index is full.
    #[error(transparent)]
    Full(#[from] Full),
}

/// An object was not moved.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The handle names no object.
    #[error(transparent)]
    NoSuchObject(#[from] NoSuchObject),
    /// A coordinate is NaN or infinite.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// A point was given for a rectangle, or the other way round.
    #[error(transparent)]
    WrongKind(#[from] WrongKind),
    /// The index is full.
    #[error(transparent)]
    Full(#[from] Full),
}

/// An object was not put into another layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetLayerError {
    /// The handle names no object.
    #[error(transparent)]
    NoSuchObject(#[from] NoSuchObject),
    /// The layer is not one of this index, or was removed.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The layer holds the other kind of shapes.
    #[error(transparent)]
    WrongKind(#[from] WrongKind),
    /// The index is full.
    #[error(transparent)]
    Full(#[from] Full),
}
