//! Layers whose kind is known at run time only: from an identifier to a typed layer, and inserting and moving by a box
//! whatever the kind.
//!
//! Shapes are boxes here, as [`SpatialIndex::shape`] returns them: a point is a box without extent.

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::key::{Handle, Kind, LayerId, Place};
use crate::layer::{Layer, LayerKind, Points, Rects};
use crate::space::{InsertError, MoveError, Moved, NoSuchObject, SetLayerError, WrongKind};

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// The kind of shapes that a layer holds; `None` if the layer is not one of this index, or was removed.
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

    /// The layer of points with an identifier; `None` if it holds rectangles, is not one of this index, or was removed.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// let id = index.layer(scout).expect("a living object"); // a `LayerId`: the type has forgotten the kind
    /// assert_eq!((index.point_layer(id), index.rect_layer(id)), (Some(units), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn point_layer(&self, layer: impl Into<LayerId>) -> Option<Layer<Points>> {
        self.typed(layer.into())
    }

    /// The layer of rectangles with an identifier; `None` if it holds points, is not one of this index, or was removed.
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

    /// Adds an object to a layer of either kind. A layer of points takes boxes without extent, such as
    /// [`shape`](Self::shape) returns of a point.
    ///
    /// Where the kind is known, [`insert`](Self::insert) lets the compiler check it.
    ///
    /// ```
    /// # use quadrille::{InsertError, Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// for (layer, shape) in [(walls.id(), Rect::new([1.0, 1.0], [9.0, 2.0])), (units.id(), Rect::from_point([5.0, 5.0]))] {
    ///     index.insert_any(layer, shape, "from a file")?;
    /// }
    /// let refused = index.insert_any(units, Rect::new([1.0, 1.0], [9.0, 2.0]), "too large for a point");
    /// assert!(matches!(refused, Err(InsertError::WrongKind(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InsertError`] as `insert`, and [`InsertError::WrongKind(_)`](InsertError::WrongKind) if the layer holds points and
    /// the box has an extent. The index is unchanged then.
    pub fn insert_any(
        &mut self,
        layer: impl Into<LayerId>,
        shape: Rect<S, D>,
        value: T,
    ) -> Result<Handle, InsertError> {
        let layer = layer.into();
        let kind = self.space.layers.kind(layer)?;
        let shape = shape.finite()?;
        check_extent(kind, &shape)?;
        self.insert_shape(kind, layer.number, shape, value)
    }

    /// Changes an object's shape, whatever the kind of its layer. A point takes boxes without extent.
    ///
    /// So `index.move_any(handle, before)` puts an object back to where [`shape`](Self::shape) said that it was. Where
    /// the kind is known, [`move_to`](Self::move_to) is a little faster. The cost is the same otherwise.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [1.0, 2.0], "scout")?;
    /// let before = index.shape(scout).expect("a living object");
    /// index.move_to(scout, [8.0, 9.0])?;
    /// index.move_any(scout, before)?; // undone
    /// assert_eq!(index.shape(scout), Some(Rect::from_point([1.0, 2.0])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MoveError`] as `move_to`, with [`MoveError::WrongKind(_)`](MoveError::WrongKind) if the object is a point and the
    /// box has an extent. The object is unchanged then.
    pub fn move_any(&mut self, handle: Handle, shape: Rect<S, D>) -> Result<Moved, MoveError> {
        let kind = self.kind_of(handle)?;
        check_extent(kind, &shape.finite()?)?;
        self.space.move_to(handle, kind, shape)
    }

    /// Moves an object into another layer of the same kind, given by its identifier, as [`set_layer`](Self::set_layer)
    /// does.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let (awake, asleep) = (index.add_point_layer()?, index.add_point_layer()?);
    /// let scout = index.insert(awake, [1.0, 2.0], "scout")?;
    /// let before = index.layer(scout).expect("a living object");
    /// index.set_layer(scout, asleep)?;
    /// index.set_layer_any(scout, before)?; // undone
    /// assert_eq!(index.len_in(awake), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The same as for `set_layer`.
    pub fn set_layer_any(&mut self, handle: Handle, layer: impl Into<LayerId>) -> Result<(), SetLayerError> {
        let layer = layer.into();
        match self.space.layers.kind(layer)? {
            Kind::Points => self.space.set_layer(handle, Layer::<Points>::new(layer)),
            Kind::Rects => self.space.set_layer(handle, Layer::<Rects>::new(layer)),
        }
    }

    fn kind_of(&self, handle: Handle) -> Result<Kind, NoSuchObject> {
        self.space.place(handle).map(Place::kind).ok_or(NoSuchObject { handle })
    }
}

/// Refuses a box with an extent where a point is wanted.
fn check_extent<S: Scalar, const D: usize>(kind: Kind, shape: &Rect<S, D>) -> Result<(), WrongKind> {
    if kind == Kind::Points && shape.min() != shape.max() {
        return Err(WrongKind { object: Kind::Points, called: Kind::Rects });
    }
    Ok(())
}
