//! The façade: objects in and out, layers, and the world. Keeps trees and store in step. Knows no query.

mod batch;
mod error;
mod object;
mod objects;
mod optimize_step;

use alloc::vec::Vec;
use core::iter;

use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, WorldError};
use crate::key::{Handle, Kind, LayerId, LayerSet, Place, Stamp};
use crate::layer::{AddLayerError, Forest, Layer, LayerError, LayerSettings, Layers, Points, Rects, with_trees};
use crate::store::Store;
use crate::tree::{Entry, Moves};

pub use batch::{BatchMoved, InsertBatchError, ValueMut};
pub use error::{Full, InsertError, MoveError, NoSuchObject, SetLayerError, WrongKind};
pub use object::ObjectRef;
pub use objects::Moved;
pub use optimize_step::OptimizeStep;

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
#[derive(Clone, Debug)]
pub struct SpatialIndex<T, S = f32, const D: usize = 2> {
    pub(crate) grid: Grid<S, D>,
    pub(crate) layers: Layers,
    pub(crate) forest: Forest<S, D>,
    pub(crate) store: Store<T>,
    pub(crate) era: Era,
    /// Empty between operations; kept for its memory.
    moved: Moves,
}

/// A [`SpatialIndex`] over a plane.
pub type Quadtree<T, S = f32> = SpatialIndex<T, S, 2>;

/// A [`SpatialIndex`] over space.
pub type Octree<T, S = f32> = SpatialIndex<T, S, 3>;

/// The stamps that must be as they were for a paused query to go on: of the index, of its world, of its last clearing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Era {
    /// A clone has that of its original.
    pub(crate) index: Stamp,
    pub(crate) world: Stamp,
    pub(crate) cleared: Stamp,
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Makes an index without layers.
    ///
    /// The world is a hint about where objects are, and so about resolution: its longest side is divided into 2^30
    /// units. Objects outside are filed and found all the same, but the more of them there are beyond one edge, the
    /// slower it gets there.
    ///
    /// Other dimensions than 2 and 3 do not compile:
    ///
    /// ```compile_fail,E0080
    /// # use quadrille::{Rect, SpatialIndex};
    /// let index: SpatialIndex<(), f32, 4> = SpatialIndex::new(Rect::new([0.0; 4], [1.0; 4])).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`WorldError`] if the world's extent on an axis is not positive and finite, or too small for 2^30 units.
    pub fn new(world: Rect<S, D>) -> Result<Self, WorldError> {
        const { assert!(D == 2 || D == 3, "quadrille indexes planes (D = 2) and space (D = 3)") };
        let grid = Grid::new(world)?;
        let stamp = Stamp::next();
        Ok(Self {
            grid,
            layers: Layers::new(),
            forest: Forest::new(),
            store: Store::new(),
            era: Era { index: stamp, world: stamp, cleared: stamp },
            moved: Vec::new(),
        })
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> Rect<S, D> {
        self.grid.world()
    }

    /// Files everything anew in another world. Handles and layers stay valid. Takes time for every object.
    ///
    /// # Errors
    /// As [`new`](Self::new); the index is unchanged then.
    pub fn set_world(&mut self, world: Rect<S, D>) -> Result<(), WorldError> {
        self.grid = Grid::new(world)?;
        self.era.world = Stamp::next();
        self.optimize();
        Ok(())
    }

    /// Adds a layer of points with default settings.
    ///
    /// # Errors
    /// [`AddLayerError::TooMany`] if there are 64 layers.
    pub fn add_point_layer(&mut self) -> Result<Layer<Points>, AddLayerError> {
        self.add_point_layer_with(LayerSettings::new())
    }

    /// Adds a layer of rectangles with default settings.
    ///
    /// # Errors
    /// [`AddLayerError::TooMany`] if there are 64 layers.
    pub fn add_rect_layer(&mut self) -> Result<Layer<Rects>, AddLayerError> {
        self.add_rect_layer_with(LayerSettings::new())
    }

    /// Adds a layer of points.
    ///
    /// # Errors
    /// [`AddLayerError`] if there are 64 layers, or a setting is beyond its limit.
    pub fn add_point_layer_with(&mut self, settings: LayerSettings) -> Result<Layer<Points>, AddLayerError> {
        self.add_layer(Kind::Points, settings).map(Layer::new)
    }

    /// Adds a layer of rectangles.
    ///
    /// # Errors
    /// [`AddLayerError`] if there are 64 layers, or a setting is beyond its limit.
    pub fn add_rect_layer_with(&mut self, settings: LayerSettings) -> Result<Layer<Rects>, AddLayerError> {
        self.add_layer(Kind::Rects, settings).map(Layer::new)
    }

    fn add_layer(&mut self, kind: Kind, settings: LayerSettings) -> Result<LayerId, AddLayerError> {
        let rules = settings.rules::<D>(kind)?;
        let layer = self.layers.add(kind)?;
        self.forest.add_tree(kind, layer.number, rules);
        Ok(layer)
    }

    /// Removes a layer with all its objects; says how many there were.
    ///
    /// # Errors
    /// [`LayerError`] if the layer is not one of this index, or not any more.
    pub fn remove_layer(&mut self, layer: impl Into<LayerId>) -> Result<usize, LayerError> {
        let layer = layer.into();
        let kind = self.layers.kind(layer)?;
        let len = self.len_in(layer);
        self.clear_in(layer);
        self.forest.drop_tree(kind, layer.number);
        self.layers.remove(layer);
        Ok(len)
    }

    /// The layers by rising number.
    pub fn layers(&self) -> impl Iterator<Item = LayerId> + '_ {
        self.layers.iter()
    }

    /// How many objects there are in all layers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// How many objects there are in a set of layers.
    #[must_use]
    pub fn len_in(&self, layers: impl Into<LayerSet>) -> usize {
        let mut layers = layers.into();
        iter::from_fn(|| self.next_layer(&mut layers)).map(|(layer, kind)| self.forest.len(kind, layer)).sum()
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all objects. Layers stay, and so does memory until [`shrink_to_fit`](Self::shrink_to_fit).
    pub fn clear(&mut self) {
        self.era.cleared = Stamp::next();
        self.clear_in(LayerSet::ALL);
    }

    /// Removes all objects of a set of layers. The layers stay.
    pub fn clear_in(&mut self, layers: impl Into<LayerSet>) {
        let mut layers = layers.into();
        while let Some((layer, kind)) = self.next_layer(&mut layers) {
            let store = &mut self.store;
            let values: Vec<T> = with_trees!(self.forest, kind, |trees| {
                trees
                    .places(layer)
                    .filter_map(|place| store.remove(trees.handle(place)).map(|(_, value)| value))
                    .collect()
            });
            self.forest.clear(kind, layer);
            // Dropped when nothing names them any more: a value's own `drop` may panic.
            drop(values);
        }
    }

    /// Files everything anew, top-down: fills buckets evenly, lays nodes and buckets out depth-first in memory, and
    /// makes every reach exact. Handles and layers stay valid. Takes time, and memory for a while, for every object.
    ///
    /// Worth it after objects were inserted one by one or have moved far, before much is asked of them: questions
    /// that miss the processor's caches get faster. Where there is no time for all at once, a frame by frame, there is
    /// [`optimize_step`](Self::optimize_step).
    pub fn optimize(&mut self) {
        self.forest = self.forest.rebuilt(&self.grid, &mut self.moved);
        self.relink_all();
    }

    /// As [`optimize`](Self::optimize), and gives back the memory that nodes and buckets no longer need.
    ///
    /// The slot map that knows the handles keeps its slots, 8 bytes and one value for each of the most objects that
    /// there ever were at once, so that an old handle is never mistaken for a new one.
    pub fn shrink_to_fit(&mut self) {
        self.optimize();
        self.forest.shrink_to_fit();
    }

    /// Takes the living layer with the lowest number out of a set.
    #[inline]
    pub(crate) fn next_layer(&self, layers: &mut LayerSet) -> Option<(u8, Kind)> {
        *layers = *layers & self.layers.living();
        let number = layers.pop()?;
        Some((number, self.layers.kind_of_number(number)?))
    }

    /// Files where an object is now, and then what the trees report to have moved, which may be that object again.
    #[inline]
    fn relink(&mut self, handle: Handle, place: Place) {
        self.store.relink([(handle, place)]);
        self.relink_moved();
    }

    #[inline]
    fn relink_moved(&mut self) {
        if !self.moved.is_empty() {
            self.store.relink(self.moved.drain(..));
        }
    }

    /// As `relink_moved`, after so much has moved that the list is too long to be kept.
    fn relink_all(&mut self) {
        self.relink_moved();
        self.moved = Vec::new();
    }

    /// What the trees file for an object.
    fn entry(&self, shape: Rect<S, D>, handle: Handle) -> Entry<S, D> {
        Entry { shape, handle, address: self.grid.address(&shape) }
    }
}

#[cfg(test)]
mod tests;
