//! The index over the build side. It holds numbers of rows, knows no values but their boxes, and never changes.

use datafusion::common::{DataFusionError, Result};
use quadrille::{Rect, SpatialIndex};

/// The most bytes that an index takes while it is being built: coordinates, shapes, entries, handles, values, places.
pub(crate) fn bytes_while_building(axes: usize, rows: usize) -> usize {
    rows.saturating_mul(axes * 8 * 4 + 48)
}

/// About the bytes that an index takes.
pub(crate) fn bytes(axes: usize, rows: usize) -> usize {
    rows.saturating_mul(axes * 8 * 2 + 32)
}

/// Rows by their boxes. Most of them lie between 0 and 1 on every axis: see [`Scale`](crate::coordinate::Scale).
#[derive(Debug)]
pub(crate) struct Rows<const D: usize>(pub(crate) SpatialIndex<u32, f32, D>);

/// A row and its box.
pub(crate) type Boxed<const D: usize> = (Rect<f32, D>, u32);

impl<const D: usize> Rows<D> {
    /// Builds an index of points or of boxes.
    pub(crate) fn new(are_points: bool, boxes: impl IntoIterator<Item = Boxed<D>>) -> Result<Self> {
        let mut index = SpatialIndex::new(Rect::new([0.0; D], [1.0; D])).map_err(full)?;
        if are_points {
            let layer = index.add_point_layer().map_err(full)?;
            index.insert_batch(layer, boxes.into_iter().map(|(rect, row)| (rect.min(), row))).map_err(full)?;
        } else {
            let layer = index.add_rect_layer().map_err(full)?;
            index.insert_batch(layer, boxes).map_err(full)?;
        }
        Ok(Self(index))
    }
}

/// All that can go wrong is that there is no room: coordinates are finite, and the world is a good one.
fn full(error: impl std::error::Error) -> DataFusionError {
    DataFusionError::ResourcesExhausted(format!("the index of a box join: {error}"))
}
