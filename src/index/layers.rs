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
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let sparks = index.add_point_layer()?;
    /// index.insert(sparks, [1.0, 2.0], "spark")?;
    /// assert_ne!(sparks, units);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`AddLayerError::TooMany { .. }`](AddLayerError::TooMany) if the index has 64 layers already.
    pub fn add_point_layer(&mut self) -> Result<Layer<Points>, AddLayerError> {
        self.add_point_layer_with(LayerSettings::new())
    }

    /// Adds a layer of rectangles with default settings.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let walls = index.add_rect_layer()?;
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// assert_eq!(index.len_in(walls), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`AddLayerError::TooMany { .. }`](AddLayerError::TooMany) if the index has 64 layers already.
    pub fn add_rect_layer(&mut self) -> Result<Layer<Rects>, AddLayerError> {
        self.add_rect_layer_with(LayerSettings::new())
    }

    /// Adds a layer of points.
    ///
    /// ```
    /// # use quadrille::{AddLayerError, LayerSettings, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let settings = LayerSettings::new().depth_max(3);
    /// let sparks = index.add_point_layer_with(settings)?;
    /// let refused = index.add_point_layer_with(LayerSettings::new().depth_max(200));
    /// assert!(matches!(refused, Err(AddLayerError::DepthMax { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`AddLayerError`] if the index has 64 layers already, or a setting is beyond its limit.
    pub fn add_point_layer_with(&mut self, settings: LayerSettings) -> Result<Layer<Points>, AddLayerError> {
        self.space.add_layer(Kind::Points, settings).map(Layer::new)
    }

    /// Adds a layer of rectangles.
    ///
    /// ```
    /// # use quadrille::{LayerSettings, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let drawn = index.add_rect_layer_with(LayerSettings::new().split_above(4))?; // for a picture of the tree
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`AddLayerError`] if the index has 64 layers already, or a setting is beyond its limit.
    pub fn add_rect_layer_with(&mut self, settings: LayerSettings) -> Result<Layer<Rects>, AddLayerError> {
        self.space.add_layer(Kind::Rects, settings).map(Layer::new)
    }

    /// Removes a layer with all its objects, and returns how many there were.
    ///
    /// ```
    /// # use quadrille::{LayerError, ObjectError, Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert_eq!(index.remove_layer(units)?, 100);
    /// assert!(matches!(index.insert(units, [1.0, 2.0], 7), Err(ObjectError::Layer(LayerError::Dead { .. }))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LayerError`] if the layer is not one of this index, or has been removed.
    pub fn remove_layer(&mut self, layer: impl Into<LayerId>) -> Result<usize, LayerError> {
        let layer = layer.into();
        self.space.layers.kind(layer)?;
        let len = self.len_in(layer);
        self.clear_in(layer);
        self.space.drop_layer(layer);
        Ok(len)
    }

    /// The layers, by ascending number.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// assert!(index.layers().eq([walls.id(), units.id()]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn layers(&self) -> impl Iterator<Item = LayerId> + '_ {
        self.space.layers.iter()
    }

    /// The number of objects in all layers.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// assert_eq!(index.len(), 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.space.places.len()
    }

    /// The number of objects in a set of layers.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// assert_eq!((index.len_in(walls), index.len_in(units), index.len_in(walls | units)), (1, 0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len_in(&self, layers: impl Into<LayerSet>) -> usize {
        self.space.len_in(layers.into())
    }

    /// Whether the index holds no objects.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// assert!(index.is_empty()); // a layer is no object
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all objects. The layers stay. The memory is kept for new objects until
    /// [`shrink_to_fit`](Self::shrink_to_fit).
    ///
    /// Earlier cursors cannot be resumed. [`clear_in`](Self::clear_in) leaves them valid.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// index.clear();
    /// assert!(index.is_empty() && !index.contains(handles[0]));
    /// index.insert(units, [1.0, 2.0], 7)?; // the layers are still there
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&mut self) {
        self.space.begin_anew();
        self.clear_in(LayerSet::ALL);
    }

    /// Removes all objects of a set of layers. The layers stay.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// index.insert(units, [1.0, 2.0], "scout")?;
    /// index.clear_in(units);
    /// assert_eq!(index.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear_in(&mut self, layers: impl Into<LayerSet>) {
        let mut layers = layers.into();
        while let Some(layer) = self.space.next_layer(&mut layers) {
            let mut removed: Vec<T> = Vec::new();
            self.space.clear_layer(layer, |handle| removed.extend(self.values.remove(handle)));
            // A value's `drop` may panic, so values are dropped last, when nothing names them any more.
            drop(removed);
        }
    }
}
