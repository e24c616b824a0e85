//! The settings of a layer: how its tree grows.

use super::AddLayerError;
use crate::grid::depth_limit;
use crate::key::Kind;
use crate::tree::{BUCKET_SLOTS, Rules};

/// How a layer's tree grows. The defaults suit most uses.
///
/// ```
/// use quadrille::{LayerSettings, Quadtree, Rect};
///
/// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0]))?;
/// let shallow = LayerSettings::new().depth_max(2);
/// let layer = index.add_rect_layer_with(shallow)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LayerSettings {
    depth_max: Option<u8>,
    split_above: u32,
}

impl LayerSettings {
    /// The defaults: as deep as the grid allows, blocks split above 64 objects.
    ///
    /// ```
    /// # use quadrille::{LayerSettings, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let as_usual = index.add_rect_layer_with(LayerSettings::new())?; // the same as `add_rect_layer`
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self { depth_max: None, split_above: BUCKET_SLOTS as u32 }
    }

    /// The deepest level of nodes; the root is on level 0. At most 9 in 2D and 14 in 3D, where cells are single units.
    ///
    /// ```
    /// # use quadrille::{LayerSettings, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let shallow = index.add_rect_layer_with(LayerSettings::new().depth_max(0))?; // one node, and its blocks
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn depth_max(mut self, depth_max: u8) -> Self {
        self.depth_max = Some(depth_max);
        self
    }

    /// How many objects a block of cells may hold before it is split. A cell with most of its objects at one spot is not.
    ///
    /// Buckets have 64 slots: a value above 64 makes chains of buckets, a value below 64 leaves slots empty. Empty
    /// slots cost memory and time. With 16, objects take 2.5 to 3 times as many bytes as with 64, with 4 some 9 times,
    /// with 1 some 20 times. (That is 1.2 to 1.4 KB per object of `f32` in 2D if objects are spread evenly, up to 4.2
    /// KB in clusters.) Queries slow down as much or more. Lower values are for tests and drawings; measure before you
    /// use them.
    ///
    /// In a layer of rectangles, 0 means that size alone decides: each rectangle is stored under the smallest square of
    /// the grid that is more than half as long as it, however few there are. So every small rectangle that stands alone
    /// has its own node, and costs as much as with 1. The square is a cell. If smaller rectangles have turned that cell
    /// into a node, the rectangle is in that node's own list, one level deeper than other rectangles of its size.
    ///
    /// ```
    /// # use quadrille::{LayerSettings, Quadtree, Rect};
    /// # let mut index: Quadtree<&str> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// let fine = index.add_point_layer_with(LayerSettings::new().split_above(1))?;
    /// index.insert_batch(fine, [([1.0, 1.0], "a"), ([90.0, 90.0], "b")])?;
    /// assert_eq!(index.stats_in(fine).buckets, 2); // one for each
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn split_above(mut self, objects: u32) -> Self {
        self.split_above = objects;
        self
    }

    pub(crate) fn rules<const D: usize>(self, kind: Kind) -> Result<Rules, AddLayerError> {
        let limit = depth_limit::<D>();
        let depth_max = self.depth_max.unwrap_or(limit);
        if limit < depth_max {
            return Err(AddLayerError::DepthMax { depth_max, limit });
        }
        if kind == Kind::Points && self.split_above == 0 {
            return Err(AddLayerError::SplitAboveZero);
        }
        Ok(Rules { kind, split_above: self.split_above, depth_max })
    }
}

impl Default for LayerSettings {
    fn default() -> Self {
        Self::new()
    }
}
