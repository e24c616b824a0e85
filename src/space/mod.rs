//! The space: layers, trees and places together. Queries walk nothing else.
//!
//! It has no values of objects, so the compiler keeps walks and searches away from them.
//!
//! Keeps L2, S1 and S2 of `docs/invariants.md`.

mod error;
mod changes;
#[cfg(feature = "serde")]
mod saved;

use core::iter;

use crate::geometry::{Rect, Scalar};
use crate::grid::Grid;
use crate::key::{BucketId, Handle, Kind, LayerId, LayerSet, Place, Stamp};
use crate::layer::{AddLayerError, LayerSettings, Layers};
use crate::store::Places;
use crate::tree::{BUCKET_SLOTS, Trees, positions};

pub use changes::Moved;
pub use error::ObjectError;
#[cfg(feature = "serde")]
pub(crate) use saved::{Objects, SavedSpace, build};

/// An index without its values.
#[derive(Clone, Debug)]
pub(crate) struct Space<S, const D: usize> {
    pub(crate) layers: Layers,
    pub(crate) trees: Trees<S, D>,
    pub(crate) places: Places,
    pub(crate) era: Era,
    /// How many moves have left their blocks, for batches. Counted where they do, so that others need not say that they do not.
    left: usize,
}

/// The stamps of an index, of its world and of its latest `clear`. A paused query can be resumed only while all of them
/// stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Era {
    /// A clone has the stamp of its original.
    pub(crate) index: Stamp,
    pub(crate) world: Stamp,
    pub(crate) cleared: Stamp,
}

impl<S: Scalar, const D: usize> Space<S, D> {
    pub(crate) fn new(grid: Grid<S, D>) -> Self {
        let stamp = Stamp::next();
        Self {
            layers: Layers::new(stamp),
            trees: Trees::new(grid),
            places: Places::new(),
            era: Era { index: stamp, world: stamp, cleared: stamp },
            left: 0,
        }
    }

    #[inline]
    pub(crate) fn grid(&self) -> &Grid<S, D> {
        self.trees.grid()
    }

    /// Bytes of memory held, used or not.
    pub(crate) fn bytes(&self) -> usize {
        self.trees.bytes() + self.places.bytes()
    }

    /// The place of an object's entry.
    #[inline]
    pub(crate) fn place(&self, handle: Handle) -> Option<Place> {
        self.places.get(handle)
    }

    /// The number of objects in a set of layers.
    pub(crate) fn len_in(&self, layers: LayerSet) -> usize {
        self.layers_in(layers).map(|layer| self.trees.len(layer)).sum()
    }

    /// The smallest box around the objects of a set of layers.
    pub(crate) fn bounds(&self, layers: LayerSet) -> Option<Rect<S, D>> {
        self.layers_in(layers).fold(None, |bounds, layer| self.trees.bounds(layer, bounds))
    }

    pub(crate) fn add_layer(&mut self, kind: Kind, settings: LayerSettings) -> Result<LayerId, AddLayerError> {
        let rules = settings.rules::<D>(kind)?;
        let layer = self.layers.add(kind)?;
        self.trees.add_tree(layer.number, rules);
        Ok(layer)
    }

    /// Removes a layer, which must have no objects.
    pub(crate) fn drop_layer(&mut self, layer: LayerId) {
        self.trees.drop_tree(layer.number);
        self.layers.remove(layer);
    }

    /// Takes the living layer with the lowest number out of a set.
    #[inline]
    pub(crate) fn next_layer(&self, layers: &mut LayerSet) -> Option<u8> {
        *layers = *layers & self.layers.living;
        layers.pop()
    }

    /// The living ones of some layers.
    pub(crate) fn layers_in(&self, mut layers: LayerSet) -> impl Iterator<Item = u8> {
        iter::from_fn(move || self.next_layer(&mut layers))
    }

    /// Records that all objects are removed, so that paused queries are not resumed.
    pub(crate) fn begin_anew(&mut self) {
        self.era.cleared = Stamp::next();
    }

    /// Removes all objects of a layer. Calls `forget` with each handle.
    pub(crate) fn clear_layer(&mut self, layer: u8, mut forget: impl FnMut(Handle)) {
        for handle in self.trees.places(layer).map(|place| self.trees.arena().handle(place)) {
            self.places.remove(handle);
            forget(handle);
        }
        self.trees.clear(layer);
    }

    /// Rebuilds all trees over the grid of another world.
    pub(crate) fn set_grid(&mut self, grid: Grid<S, D>) {
        self.era.world = Stamp::next();
        self.rebuild(grid);
    }

    /// Rebuilds all trees, top-down.
    pub(crate) fn optimize(&mut self) {
        self.rebuild(*self.grid());
    }

    /// As `optimize`, and releases memory that is not in use.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.optimize();
        self.trees.shrink_to_fit();
        self.places.shrink_to_fit();
    }

    fn rebuild(&mut self, grid: Grid<S, D>) {
        self.trees = self.trees.rebuilt(grid);
        self.relink_in(&self.trees.all_buckets());
    }

    /// Continues the defragmentation pass by one bucket. Returns the number of objects that it moved, or `None` at the end
    /// of the pass.
    pub(crate) fn defragment(&mut self) -> Option<usize> {
        if !self.trees.defragment() {
            return None;
        }
        let mut moved = 0;
        self.places.relink(self.trees.moved().drain(..).inspect(|_| moved += 1));
        Some(moved)
    }

    /// Records the places of entries that the trees have moved. Nearly always there are none.
    #[inline(always)]
    fn relink_moved(&mut self) {
        if !self.trees.moved().is_empty() {
            self.relink_some();
        }
    }

    #[inline(never)]
    fn relink_some(&mut self) {
        self.places.relink(self.trees.moved().drain(..));
    }

    /// Records the places of all entries of some buckets, after these were built.
    fn relink_in(&mut self, buckets: &[BucketId]) {
        let Self { trees, places, .. } = self;
        for first in buckets.iter().map(|&bucket| Place::new(bucket, 0)) {
            let handles = trees.arena().handles(first);
            let used = positions(trees.arena().head(first.bucket()).used);
            places.relink(used.map(|position| (handles[usize::from(position) % BUCKET_SLOTS], first.at(position))));
        }
    }
}
