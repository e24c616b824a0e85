//! Layers: adding, counting, clearing and removing them.

use alloc::vec::Vec;

use super::SpatialIndex;
use crate::geometry::Scalar;
use crate::key::{Kind, LayerId, LayerSet};
use crate::layer::{AddLayerError, Layer, LayerError, LayerSettings, Points, Rects};

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
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
        self.space.add_layer(Kind::Points, settings).map(Layer::new)
    }

    /// Adds a layer of rectangles.
    ///
    /// # Errors
    /// [`AddLayerError`] if there are 64 layers, or a setting is beyond its limit.
    pub fn add_rect_layer_with(&mut self, settings: LayerSettings) -> Result<Layer<Rects>, AddLayerError> {
        self.space.add_layer(Kind::Rects, settings).map(Layer::new)
    }

    /// Removes a layer with all its objects; says how many there were.
    ///
    /// # Errors
    /// [`LayerError`] if the layer is not one of this index, or not any more.
    pub fn remove_layer(&mut self, layer: impl Into<LayerId>) -> Result<usize, LayerError> {
        let layer = layer.into();
        let kind = self.space.layers.kind(layer)?;
        let len = self.len_in(layer);
        self.clear_in(layer);
        self.space.drop_layer(layer, kind);
        Ok(len)
    }

    /// The layers by rising number.
    pub fn layers(&self) -> impl Iterator<Item = LayerId> + '_ {
        self.space.layers.iter()
    }

    /// How many objects there are in all layers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// How many objects there are in a set of layers.
    #[must_use]
    pub fn len_in(&self, layers: impl Into<LayerSet>) -> usize {
        self.space.len_in(layers.into())
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all objects. Layers stay, and so does memory until [`shrink_to_fit`](Self::shrink_to_fit).
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
            // Dropped when nothing names them any more: a value's own `drop` may panic.
            drop(removed);
        }
    }
}
