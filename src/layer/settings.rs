//! The settings of a layer: how its tree grows.

use super::AddLayerError;
use crate::grid::depth_limit;
use crate::key::Kind;
use crate::tree::{BUCKET_SLOTS, Rules};

/// How a layer's tree grows. The defaults serve most.
///
/// ```
/// use quadrille::{LayerSettings, Quadtree, Rect};
///
/// let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0]))?;
/// let by_size_alone = LayerSettings::new().split_above(0);
/// let layer = index.add_rect_layer_with(by_size_alone)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayerSettings {
    depth_max: Option<u8>,
    split_above: u32,
}

impl LayerSettings {
    /// The defaults: as deep as the grid allows, blocks divided above 64 objects.
    #[must_use]
    pub fn new() -> Self {
        Self { depth_max: None, split_above: BUCKET_SLOTS as u32 }
    }

    /// The deepest level of nodes; the root is on level 0. At most 9 in 2D and 14 in 3D, where cells are single units.
    #[must_use]
    pub fn depth_max(mut self, depth_max: u8) -> Self {
        self.depth_max = Some(depth_max);
        self
    }

    /// How many objects a block of cells may hold before it is divided.
    ///
    /// Buckets have 64 slots: more than 64 makes chains of buckets, less leaves slots empty. 0, in a layer of
    /// rectangles, means that size alone decides: each is filed as deep as it may sink. That gives every small
    /// rectangle that stands alone a node of its own.
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
        Ok(Rules { split_above: self.split_above, depth_max })
    }
}

impl Default for LayerSettings {
    fn default() -> Self {
        Self::new()
    }
}
