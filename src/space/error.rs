//! Errors of operations on objects. An operation that is refused leaves the index unchanged.
//!
//! Keeps its part of E1 of `docs/invariants.md`: each reason to refuse has a type.

use crate::geometry::NotFinite;
use crate::key::{BUCKETS_MAX, Handle, Kind};
use crate::layer::LayerError;

/// The index is full: the buckets of one kind of layer are numbered by 25 bits.
///
/// ```
/// # use quadrille::{Full, InsertError};
/// fn may_try_later(error: &InsertError) -> bool {
///     matches!(error, InsertError::Full(Full { .. })) // after some objects were removed
/// }
/// ```
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
///
/// ```
/// # use quadrille::{InsertError, Kind, Quadtree, Rect, WrongKind};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// let refused = index.insert_any(units, Rect::new([1.0, 1.0], [2.0, 2.0]), "too large for a point");
/// let Err(InsertError::WrongKind(WrongKind { object, called })) = refused else { panic!("it is refused") };
/// assert_eq!((object, called), (Kind::Points, Kind::Rects));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the object is in a layer of {object:?}, the call is for {called:?}")]
pub struct WrongKind {
    /// The kind that the object's layer holds.
    pub object: Kind,
    /// The kind that the call is for.
    pub called: Kind,
}

/// A handle names no object: the object was removed, or belongs to another index.
///
/// ```
/// # use quadrille::{MoveError, NoSuchObject, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// let scout = index.insert(units, [1.0, 2.0], "scout")?;
/// index.remove(scout);
/// assert_eq!(index.move_to(scout, [3.0, 4.0]), Err(MoveError::NoSuchObject(NoSuchObject { handle: scout })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no object {handle:?}")]
pub struct NoSuchObject {
    /// The handle.
    pub handle: Handle,
}

/// An object was not inserted. Its value was dropped, unless the error is part of one that carries it.
///
/// ```
/// # use quadrille::{InsertError, LayerError, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let mut other: Quadtree<&str> = Quadtree::new(index.world())?;
/// match index.insert(units, [f32::NAN, 0.0], "ghost") {
///     Ok(handle) => println!("{handle:?}"),
///     Err(InsertError::NotFinite(coordinate)) => assert_eq!(coordinate.axis, 0),
///     Err(error) => println!("not inserted: {error}"),
/// }
/// assert!(matches!(other.insert(units, [1.0, 2.0], "lost"), Err(InsertError::Layer(LayerError::Foreign { .. }))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// # use quadrille::{MoveError, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// let wall = index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
/// assert!(matches!(index.move_to(wall, [5.0, 5.0]), Err(MoveError::WrongKind(_)))); // a point is no rectangle
/// index.remove(wall);
/// assert!(matches!(index.move_by(wall, [1.0, 0.0]), Err(MoveError::NoSuchObject(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// # use quadrille::{Quadtree, Rect, SetLayerError};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// let scout = index.insert(units, [1.0, 2.0], "scout")?;
/// assert!(matches!(index.set_layer(scout, walls), Err(SetLayerError::WrongKind(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
