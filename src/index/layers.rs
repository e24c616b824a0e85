//! Layers: adding, counting, clearing and removing them.
//!
//! The space keeps L1 and L2 of `docs/invariants.md`; this file drops the values.

use alloc::vec::Vec;

use super::SpatialIndex;
use crate::geometry::Scalar;
use crate::key::{Kind, LayerId, LayerSet};
use crate::layer::{AddLayerError, Layer, LayerError, LayerSettings, Points, Rects};

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Adds a layer of points with default settings.
    ///
    /// # Errors
    /// [`AddLayerError::TooMany { .. }`](AddLayerError::TooMany) if the index has 64 layers already.
    pub fn add_point_layer(&mut self) -> Result<Layer<Points>, AddLayerError> {
        self.add_point_layer_with(LayerSettings::new())
    }

    /// Adds a layer of rectangles with default settings.
    ///
    /// # Errors
    /// [`AddLayerError::TooMany { .. }`](AddLayerError::TooMany) if the index has 64 layers already.
    pub fn add_rect_layer(&mut self) -> Result<Layer<Rects>, AddLayerError> {
        self.add_rect_layer_with(LayerSettings::new())
    }

    /// Adds a layer of points.
    ///
    /// # Errors
    /// [`AddLayerError`] if the index has 64 layers already, or a setting is beyond its limit.
    pub fn add_point_layer_with(&mut self, settings: LayerSettings) -> Result<Layer<Points>, AddLayerError> {
        self.space.add_layer(Kind::Points, settings).map(Layer::new)
    }

    /// Adds a layer of rectangles.
    ///
    /// # Errors
    /// [`AddLayerError`] if the index has 64 layers already, or a setting is beyond its limit.
    pub fn add_rect_layer_with(&mut self, settings: LayerSettings) -> Result<Layer<Rects>, AddLayerError> {
        self.space.add_layer(Kind::Rects, settings).map(Layer::new)
    }

    /// Removes a layer with all its objects, and returns how many there were.
    ///
    /// # Errors
    /// [`LayerError`] if the layer is not one of this index, or has been removed.
    pub fn remove_layer(&mut self, layer: impl Into<LayerId>) -> Result<usize, LayerError> {
        let layer = layer.into();
        let kind = self.space.layers.kind(layer)?;
        let len = self.len_in(layer);
        self.clear_in(layer);
        self.space.drop_layer(layer, kind);
        Ok(len)
    }

    /// The layers, by ascending number.
    pub fn layers(&self) -> impl Iterator<Item = LayerId> + '_ {
        self.space.layers.iter()
    }

    /// The number of objects in all layers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// The number of objects in a set of layers.
    #[must_use]
    pub fn len_in(&self, layers: impl Into<LayerSet>) -> usize {
        self.space.len_in(layers.into())
    }

    /// Whether the index holds no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all objects. The layers stay. The memory is kept for new objects until
    /// [`shrink_to_fit`](Self::shrink_to_fit).
    ///
    /// Cursors that were made before cannot be resumed; [`clear_in`](Self::clear_in) leaves them valid.
    pub fn clear(&mut self) {
        self.space.begin_anew();
        self.clear_in(LayerSet::ALL);
    }

    /// Removes all objects of a set of layers. The layers stay.
    pub fn clear_in(&mut self, layers: impl Into<LayerSet>) {
        let mut layers = layers.into();
        while let Some((layer, kind)) = self.space.next_layer(&mut layers) {
            let mut removed: Vec<T> = Vec::new();
            self.space.clear_layer(layer, kind, |handle| removed.extend(self.values.remove(handle)));
            // Values are dropped last, when nothing names them any more, because a value's `drop` may panic.
            drop(removed);
        }
    }
}
