//! The façade: a space, and the values of its objects. Knows no query.

// In the order in which the manual lists the methods.
mod world;
mod objects;
mod layers;
mod batch;
mod optimize;

mod object;

use alloc::vec::Vec;
use core::fmt;

use crate::geometry::Scalar;
use crate::key::LayerId;
use crate::space::Space;
use crate::store::Values;

pub use batch::{BatchMoved, InsertBatchError, ValueMut};
pub use object::ObjectRef;
pub use optimize::OptimizeStep;

/// Layers of points and rectangles over one world, with a stable [`Handle`] for each object.
///
/// `T` is what an object carries, `S` the type of coordinates (`f32` or `f64`), `D` the number of dimensions: 2 makes
/// a quadtree ([`Quadtree`]), 3 an octree ([`Octree`]).
///
/// The same operations in the same order give the same handles, and queries yield in the same order. A clone has the
/// same layers and handles as its original. A layer added later to one of the two is refused by the other; a handle made
/// later by one of the two is not told apart from one made by the other.
///
/// ```
/// use quadrille::{Quadtree, Rect};
///
/// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// let scout = index.insert(units, [3.0, 4.0], "scout")?;
/// index.move_to(scout, [60.0, 70.0])?;
/// assert_eq!(index.remove(scout), Some("scout"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SpatialIndex<T, S = f32, const D: usize = 2> {
    pub(crate) space: Space<S, D>,
    pub(crate) values: Values<T>,
}

/// A [`SpatialIndex`] over a plane.
pub type Quadtree<T, S = f32> = SpatialIndex<T, S, 2>;

/// A [`SpatialIndex`] over space.
pub type Octree<T, S = f32> = SpatialIndex<T, S, 3>;

/// The world, and how many objects there are in which layer.
impl<T, S: Scalar, const D: usize> fmt::Debug for SpatialIndex<T, S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let objects = |layer: LayerId| self.space.len_in(layer.into());
        let layers: Vec<_> = self.space.layers.iter().map(|layer| (layer.number, objects(layer))).collect();
        f.debug_struct("SpatialIndex")
            .field("world", &self.space.grid().world())
            .field("objects", &self.space.len())
            .field("objects_by_layer", &layers)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
