//! The index over the build side. It holds numbers of rows, knows no values but their boxes, and never changes.

use std::ops::Range;

use datafusion::common::{DataFusionError, Result};
use quadrille::{Layer, Points, Rect, Rects, SpatialIndex};

/// The most bytes that an index takes while it is being built [part by part](parts): coordinates, shapes, entries, handles,
/// values, places.
pub(crate) fn bytes_while_building(axes: usize, rows: usize) -> usize {
    rows.saturating_mul(axes * 8 * 4 + 48)
}

/// About the bytes that an index takes.
pub(crate) fn bytes(axes: usize, rows: usize) -> usize {
    rows.saturating_mul(axes * 8 * 2 + 32)
}

/// Fewer rows are indexed at once.
const ROWS_OF_PARTS: usize = 1 << 12;

/// The rows that are indexed at once, one part after the other.
///
/// An index that is filled at once takes almost three times what it will hold: all of its objects in the order of their places,
/// beside it. Filled with three fifths first, it takes twice as much at most. A smaller first part would make it slower to
/// build, for the others are put between what is there.
pub(crate) fn parts(rows: usize) -> impl Iterator<Item = Range<usize>> {
    let first = if rows < ROWS_OF_PARTS { rows } else { rows / 5 * 3 };
    [0..first, first..rows].into_iter().filter(|part| !part.is_empty())
}

/// Rows by their boxes. Most of them lie between 0 and 1 on every axis: see [`Scale`](crate::coordinate::Scale).
#[derive(Debug)]
pub(crate) struct Rows<const D: usize> {
    pub(crate) index: SpatialIndex<u32, f32, D>,
    layer: Shapes,
}

/// Where rows are kept.
#[derive(Clone, Copy, Debug)]
enum Shapes {
    Points(Layer<Points>),
    Rects(Layer<Rects>),
}

/// A row and its box.
pub(crate) type Boxed<const D: usize> = (Rect<f32, D>, u32);

impl<const D: usize> Rows<D> {
    /// An index of points or of boxes, empty.
    pub(crate) fn new(are_points: bool) -> Result<Self> {
        let mut index = SpatialIndex::new(Rect::new([0.0; D], [1.0; D])).map_err(full)?;
        let layer = if are_points {
            Shapes::Points(index.add_point_layer().map_err(full)?)
        } else {
            Shapes::Rects(index.add_rect_layer().map_err(full)?)
        };
        Ok(Self { index, layer })
    }

    /// Adds rows.
    pub(crate) fn insert(&mut self, boxes: impl IntoIterator<Item = Boxed<D>>) -> Result<()> {
        let boxes = boxes.into_iter();
        match self.layer {
            Shapes::Points(layer) => {
                self.index.insert_batch(layer, boxes.map(|(rect, row)| (rect.min(), row))).map_err(full)?;
            }
            Shapes::Rects(layer) => {
                self.index.insert_batch(layer, boxes).map_err(full)?;
            }
        }
        Ok(())
    }
}

/// All that can go wrong is that there is no room: coordinates are finite, and the world is a good one.
fn full(error: impl std::error::Error) -> DataFusionError {
    DataFusionError::ResourcesExhausted(format!("the index of a box join: {error}"))
}
