//! Layers whose kind is known only at run time: typed layers from identifiers, and insertion into either kind.
//!
//! Shapes are boxes here, as [`SpatialIndex::shape`] returns them. A point is a box without extent.

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind, LayerId};
use crate::layer::{Layer, LayerKind, Points, Rects};
use crate::space::ObjectError;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// The kind of shapes that a layer holds. `None` if the layer is not one of this index, or was removed.
    ///
    /// ```
    /// # use quadrille::{Kind, Quadtree, Rect};
    /// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let walls = index.add_rect_layer()?;
    /// assert_eq!(index.layer_kind(walls), Some(Kind::Rects));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn layer_kind(&self, layer: impl Into<LayerId>) -> Option<Kind> {
        self.space.layers.kind(layer.into()).ok()
    }

    /// The layer of points with an identifier. `None` if it holds rectangles, is not one of this index, or was removed.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// let id = index.layer(scout).expect("a living object"); // a `LayerId`, whose type does not name the kind
    /// assert_eq!((index.point_layer(id), index.rect_layer(id)), (Some(units), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn point_layer(&self, layer: impl Into<LayerId>) -> Option<Layer<Points>> {
        self.typed(layer.into())
    }

    /// The layer of rectangles with an identifier. `None` if it holds points, is not one of this index, or was removed.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// assert_eq!(index.rect_layer(walls.id()), Some(walls));
    /// assert_eq!(index.rect_layer(units.id()), None); // it holds points
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rect_layer(&self, layer: impl Into<LayerId>) -> Option<Layer<Rects>> {
        self.typed(layer.into())
    }

    fn typed<K: LayerKind>(&self, layer: LayerId) -> Option<Layer<K>> {
        (self.layer_kind(layer)? == K::KIND).then(|| Layer::new(layer))
    }

    /// Adds an object to a layer of either kind. A layer of points takes boxes without extent, as
    /// [`shape`](Self::shape) returns them for points.
    ///
    /// If you know the kind, use [`insert`](Self::insert): the compiler then checks it.
    ///
    /// ```
    /// # use quadrille::{ObjectError, Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// for (layer, shape) in [(walls.id(), Rect::new([1.0, 1.0], [9.0, 2.0])), (units.id(), Rect::from_point([5.0, 5.0]))] {
    ///     index.insert_any(layer, shape, "from a file")?;
    /// }
    /// let refused = index.insert_any(units, Rect::new([1.0, 1.0], [9.0, 2.0]), "too large for a point");
    /// assert!(matches!(refused, Err(ObjectError::WrongKind { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The same as for `insert`, and [`ObjectError::WrongKind`] if the layer holds points and the box has an extent.
    /// The index is then unchanged.
    pub fn insert_any(
        &mut self,
        layer: impl Into<LayerId>,
        shape: Rect<S, D>,
        value: T,
    ) -> Result<Handle, ObjectError> {
        let layer = layer.into();
        let kind = self.space.layers.kind(layer)?;
        shape.check_finite()?;
        if kind == Kind::Points && shape.min() != shape.max() {
            return Err(ObjectError::WrongKind { object: Kind::Points, called: Kind::Rects });
        }
        self.insert_shape(kind, layer.number, shape, value)
    }
}
