//! The error of operations on objects. An operation that is refused leaves the index unchanged.
//!
//! Keeps its part of E1 of `docs/invariants.md`: each reason to refuse has a variant.

use crate::geometry::NotFinite;
use crate::key::{Handle, Kind};
use crate::layer::LayerError;

/// An object was not inserted, not moved, or not put into another layer. The index is unchanged. An insertion that fails
/// drops the value.
///
/// ```
/// # use quadrille::{LayerError, ObjectError, Quadtree, Rect};
/// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
/// # let mut other: Quadtree<&str> = Quadtree::new(index.world())?;
/// match index.insert(units, [f32::NAN, 0.0], "ghost") {
///     Ok(handle) => println!("{handle:?}"),
///     Err(ObjectError::NotFinite(coordinate)) => assert_eq!(coordinate.axis, 0),
///     Err(error) => println!("not inserted: {error}"),
/// }
/// assert!(matches!(other.insert(units, [1.0, 2.0], "lost"), Err(ObjectError::Layer(LayerError::Foreign { .. }))));
///
/// let wall = index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
/// assert!(matches!(index.move_to(wall, [5.0, 5.0]), Err(ObjectError::WrongKind { .. }))); // a point is no rectangle
/// assert!(matches!(index.set_layer(wall, units), Err(ObjectError::WrongKind { .. })));
/// index.remove(wall);
/// assert_eq!(index.move_by(wall, [1.0, 0.0]), Err(ObjectError::NoSuchObject { handle: wall }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The handle names no object here: it was removed, or was never made by this index.
    #[error("there is no object {handle:?}")]
    NoSuchObject {
        /// The handle.
        handle: Handle,
    },
    /// A coordinate is NaN or infinite.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// The layer is not one of this index, or was removed.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The call was for points and the object is a rectangle, or the reverse. A rectangle without extent may move a point.
    #[error("the object is in a layer of {object:?}, the call is for {called:?}{}", way_out(*called))]
    WrongKind {
        /// The kind that the object's layer holds.
        object: Kind,
        /// The kind that the call is for.
        called: Kind,
    },
    /// The handle comes twice in a batch that removes objects.
    #[error("{handle:?} came before")]
    Repeated {
        /// The handle.
        handle: Handle,
    },
    /// The index is full: buckets are numbered by 26 bits. Buckets that points have freed hold no rectangles, nor the
    /// reverse, until [`optimize`](crate::SpatialIndex::optimize).
    #[error("the index is full: {buckets} buckets are in use, the limit is {buckets_max}")]
    Full {
        /// Buckets in use, of all layers.
        buckets: usize,
        /// How many there can be.
        buckets_max: usize,
    },
}

/// How a point becomes a rectangle; the reverse has no way.
fn way_out(called: Kind) -> &'static str {
    match called {
        Kind::Points => ": `Rect::from_point` makes a rectangle of a point",
        Kind::Rects => "",
    }
}
