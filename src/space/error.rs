//! Why an operation on an object was refused. The index is unchanged then.

use crate::geometry::NotFinite;
use crate::key::{BUCKETS_MAX, Handle, Kind};
use crate::layer::LayerError;

/// There is no more room: the buckets of one kind of layer are numbered in 25 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the index is full: {buckets} buckets of one kind of layer in use, limit {buckets_max}")]
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

/// A handle that names no object: it was removed, or is of another index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no object {handle:?}")]
pub struct NoSuchObject {
    /// The handle.
    pub handle: Handle,
}

/// An object was not inserted. Its value was dropped.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// A coordinate is NaN or infinite.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// The layer is not one of this index, or not any more.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// There is no more room.
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
    /// A point for an object that is a rectangle, or the other way round.
    #[error(transparent)]
    WrongKind(#[from] WrongKind),
    /// There is no more room.
    #[error(transparent)]
    Full(#[from] Full),
}

/// An object did not change its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetLayerError {
    /// The handle names no object.
    #[error(transparent)]
    NoSuchObject(#[from] NoSuchObject),
    /// The layer is not one of this index, or not any more.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The layer holds the other kind of shapes.
    #[error(transparent)]
    WrongKind(#[from] WrongKind),
    /// There is no more room.
    #[error(transparent)]
    Full(#[from] Full),
}
