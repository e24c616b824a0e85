//! The façade: a [`SpatialIndex`] is a space and the values of its objects.
//!
//! It checks what callers pass in, and keeps space and values in step. It knows no query: each query brings its own
//! methods. Keeps invariants S3 and E1 of `docs/invariants.md`.

// rustdoc lists the methods in this order.
mod world;
mod objects;
mod layers;
mod any_kind;
mod contents;
mod batch;
mod update;
mod removal;
mod optimize;

mod object_ref;

use alloc::vec::Vec;
use core::fmt;

use crate::geometry::Scalar;
use crate::key::LayerId;
use crate::space::Space;
use crate::store::ValueTable;

pub use batch::{BatchError, BatchMoved};
pub use contents::{IterMut, Object};
pub use object_ref::ObjectRef;
pub use optimize::OptimizeStep;
pub use update::ValueMut;

/// Layers of points and rectangles over one world, with a stable [`Handle`](crate::Handle) for each object.
///
/// `T` is the type of the objects' values, `S` the type of coordinates (`f32` or `f64`), and `D` the number of
/// dimensions: 2 for a quadtree ([`Quadtree`]), 3 for an octree ([`Octree`]).
///
/// Write the type down where you make an index, as the example does, or write `Quadtree::<&str>::new(…)`: then `S` is
/// `f32`. If all of the type is inferred, as in `let index = Quadtree::new(…)`, Rust ignores the default of `S`, and
/// literals such as `100.0` make an index of `f64`.
///
/// The same operations in the same order give the same handles and the same order of results. A clone has the layers
/// and handles of its original. If a layer is added to one of the two later, the other one refuses it. If a handle is
/// made by one of the two later, the other one cannot tell it from its own.
///
/// ```
/// use quadrille::{Quadtree, Rect};
///
/// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// let scout = index.insert(units, [3.0, 4.0], "scout")?;
/// index.move_to(scout, [60.0, 70.0])?; // the handle stays valid
/// assert_eq!(index.remove(scout), Some("scout"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SpatialIndex<T, S = f32, const D: usize = 2> {
    pub(crate) space: Space<S, D>,
    pub(crate) values: ValueTable<T>,
}

/// A [`SpatialIndex`] in two dimensions.
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// let game: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?; // f32
/// let map: Quadtree<&str, f64> = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Quadtree<T, S = f32> = SpatialIndex<T, S, 2>;

/// A [`SpatialIndex`] in three dimensions.
///
/// ```
/// # use quadrille::{Octree, Rect};
/// let mut sky: Octree<&str> = Octree::new(Rect::new([0.0; 3], [1000.0; 3]))?;
/// let planes = sky.add_point_layer()?;
/// let plane = sky.insert(planes, [100.0, 200.0, 10.0], "plane")?;
/// sky.move_by(plane, [0.0, 0.0, 5.0])?;
/// assert!(sky.within_distance([100.0, 200.0, 0.0], 15.0).exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Octree<T, S = f32> = SpatialIndex<T, S, 3>;

/// Prints the world and the number of objects, in all and by layer, but no objects.
impl<T, S: Scalar, const D: usize> fmt::Debug for SpatialIndex<T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let objects = |layer: LayerId| self.space.len_in(layer.into());
        let layers: Vec<_> = self.space.layers.iter().map(|layer| (layer.number, objects(layer))).collect();
        f.debug_struct("SpatialIndex")
            .field("world", &self.space.grid().world())
            .field("objects", &self.space.places.len())
            .field("objects_by_layer", &layers)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
