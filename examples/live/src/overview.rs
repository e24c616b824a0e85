//! Parts of the map where there is too much to be listed: how many there are in each square of a grid, instead;
//! and the cells of the aircraft's tree.

use quadrille::{CellKind, LayerId, Rect};

use crate::frame::{Frame, Kind};
use crate::globe::Index;
use crate::sky::{LayerName, Sky};

/// How many squares the grid has from left to right, and from bottom to top.
const GRID: [u16; 2] = [160, 100];
/// How many cells are shown at most.
const CELLS_MAX: usize = 6000;

/// Writes how many objects of a layer are in each square of a grid over a view.
pub fn write_crowd(sky: &Sky<'_>, layer: LayerName, view: Rect, frame: &mut Frame) {
    let counts = grid(&sky.index, sky.layer(layer), view);
    frame.begin(Kind::Crowd, layer.number(), 0);
    frame.word(counts.iter().sum());
    frame.halves(GRID);
    for count in counts {
        frame.short(count);
    }
    frame.end();
}

/// The counts, row by row from the lower left. An object counts where its first corner is; beyond an edge, on it.
fn grid(index: &Index, layer: LayerId, view: Rect) -> Vec<u32> {
    let [columns, rows] = GRID.map(usize::from);
    let mut counts = vec![0; columns * rows];
    let (origin, size) = (view.min(), view.size());
    let scale: [f32; 2] = std::array::from_fn(|axis| f32::from(GRID[axis]) / size[axis]);
    for object in index.intersecting(view).in_layers(layer) {
        let at = object.shape().min();
        #[expect(clippy::cast_sign_loss, reason = "a cast of a float ends at 0")]
        let [column, row]: [usize; 2] = std::array::from_fn(|axis| {
            (((at[axis] - origin[axis]) * scale[axis]) as usize).min(usize::from(GRID[axis]) - 1)
        });
        counts[row * columns + column] += 1;
    }
    counts
}

/// Writes the blocks of the aircraft's tree that meet a view.
pub fn write_cells(sky: &Sky<'_>, view: Rect, frame: &mut Frame) {
    let blocks = blocks(sky, view);
    frame.begin(Kind::Cells, LayerName::Aircraft.number(), 0);
    frame.word(blocks.len() as u32);
    for (square, len) in blocks {
        frame.corners(square);
        frame.word(len as u32);
    }
    frame.end();
}

fn blocks(sky: &Sky<'_>, view: Rect) -> Vec<(Rect, usize)> {
    let mut cells = sky.index.cells(sky.aircraft);
    let mut blocks = Vec::new();
    while let Some(cell) = cells.next() {
        if !cell.bounds_with_reach().intersects(&view) {
            cells.skip_children();
        } else if cell.kind() == CellKind::Block && blocks.len() < CELLS_MAX {
            blocks.push((cell.square(), cell.len()));
        }
    }
    blocks
}
