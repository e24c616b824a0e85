//! The constructor, and the world of an index.

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, WorldError};
use crate::key::LayerSet;
use crate::space::Space;
use crate::store::ValueTable;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Makes an index without layers.
    ///
    /// The world is a hint about where objects are. It sets the resolution: its longest side is divided into 2^30
    /// units. Objects outside the world are stored and found like all others.
    ///
    /// Only 2 and 3 dimensions compile:
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
        Ok(Self { space: Space::new(grid), values: ValueTable::new() })
    }

    /// The world.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// assert_eq!(index.world(), Rect::new([0.0, 0.0], [100.0, 100.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn world(&self) -> Rect<S, D> {
        self.space.grid().world()
    }

    /// Sets another world, and stores every object again. Handles and layers stay valid; cursors do not. Takes time and
    /// memory in proportion to the number of objects.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let scout = index.insert(units, [900.0, 900.0], "scout")?; // outside
    /// index.set_world(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?;
    /// assert_eq!(index.get(scout), Some(&"scout"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The same as for [`new`](Self::new). The index is then unchanged.
    pub fn set_world(&mut self, world: Rect<S, D>) -> Result<(), WorldError> {
        self.space.set_grid(Grid::new(world)?);
        Ok(())
    }

    /// The smallest box around all objects of a set of layers; `None` if there are none.
    ///
    /// The tree says which objects may lie at a side, and only these are compared: of a million scattered ones some
    /// tens of thousands. If nearly all lie at a side, as in a row, nearly all are compared.
    ///
    /// ```
    /// # use quadrille::{LayerSet, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let (walls, units) = (index.add_rect_layer()?, index.add_point_layer()?);
    /// index.insert(walls, Rect::new([1.0, 1.0], [9.0, 2.0]), "wall")?;
    /// index.insert(units, [-5.0, 200.0], "scout")?; // outside the world
    /// assert_eq!(index.bounds(walls), Some(Rect::new([1.0, 1.0], [9.0, 2.0])));
    /// assert_eq!(index.bounds(LayerSet::ALL), Some(Rect::new([-5.0, 1.0], [9.0, 200.0])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[doc(alias("extent", "envelope"))]
    pub fn bounds(&self, layers: impl Into<LayerSet>) -> Option<Rect<S, D>> {
        self.space.bounds(layers.into())
    }

    /// Sets the world to the [bounds](Self::bounds) of all objects, as [`set_world`](Self::set_world) does. An index
    /// without objects keeps its world.
    ///
    /// On an axis on which all objects lie in one place, the world becomes as long as its longest side, with the objects
    /// in the middle. For a margin around the objects, pass their expanded bounds to `set_world`.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// index.insert_batch(units, [([700.0, 50.0], "scout"), ([900.0, 50.0], "medic")])?;
    /// index.fit_world()?;
    /// assert_eq!(index.world(), Rect::new([700.0, -50.0], [900.0, 150.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError`] if all objects lie in one point, or if their bounds are too large or too small for a world. The
    /// index is then unchanged.
    pub fn fit_world(&mut self) -> Result<(), WorldError> {
        let Some(bounds) = self.bounds(LayerSet::ALL) else { return Ok(()) };
        self.set_world(bounds.thickened())
    }
}
