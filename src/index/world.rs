//! The constructor, and the world of an index.

use super::SpatialIndex;
use crate::geometry::{Rect, Scalar};
use crate::grid::{Grid, WorldError};
use crate::space::Space;
use crate::store::ValueTable;

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Makes an index without layers.
    ///
    /// The world is a hint about where objects are. It sets the resolution: its longest side is divided into 2^30
    /// units. Objects outside the world are stored and found like all others. They are in separate trees over larger
    /// grids, which every query visits too.
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
}
