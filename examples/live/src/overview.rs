//! Parts of the map where there is too much to be listed: clusters, instead; and the cells of the aircraft's tree.

use quadrille::{CellKind, LayerId, Rect};

use crate::frame::{Frame, Kind, Steps};
use crate::globe::{Index, Place, world};
use crate::sky::{LayerName, Sky};

/// About how many cells of clusters there are in a view, whatever its size, and how many from edge to edge at most.
const CLUSTERS: f32 = 160.0;
const CLUSTERS_ACROSS: f32 = 256.0;
/// The smallest side of a cell, in degrees of the map.
const CELL_MIN: f32 = 1e-4;
/// How many cells of the tree are shown at most.
const CELLS_MAX: usize = 6000;

/// The objects in a square cell of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// How many they are.
    pub count: u32,
    /// The mean of their places.
    pub mean: Place,
}

/// Writes the clusters of a layer in a view.
pub fn write_crowd(sky: &Sky<'_>, layer: LayerName, view: Rect, frame: &mut Frame) {
    let clusters = clusters(&sky.index, sky.layer(layer), view);
    let steps = Steps::of(view);
    frame.begin(Kind::Crowd, layer.number(), 0);
    frame.word(clusters.iter().map(|cluster| cluster.count).sum());
    frame.float(cell_side(view));
    frame.word(clusters.len() as u32);
    for cluster in clusters {
        frame.word(cluster.count);
        frame.halves(steps.step(cluster.mean));
    }
    frame.end();
}

/// The clusters of a layer in a view, row by row.
fn clusters(index: &Index, layer: LayerId, view: Rect) -> Vec<Cluster> {
    let found = index.intersecting(view).in_layers(layer).clusters(cell_side(view)).expect("the side of a cell");
    let mut found: Vec<_> = found.collect();
    found.sort_unstable_by_key(|cluster| (cluster.cell[1], cluster.cell[0]));
    found.into_iter().map(|cluster| Cluster { count: cluster.count as u32, mean: cluster.mean }).collect()
}

/// The side of a view's cells: that of the world, halved some times, so that the cells stay where they are while the view moves,
/// each is split into four as it becomes smaller, and the index has their borders.
#[must_use]
pub fn cell_side(view: Rect) -> f32 {
    let ([width, height], [world, _]) = (view.size(), world().size());
    let side = (width * height / CLUSTERS).sqrt().max(width.max(height) / CLUSTERS_ACROSS).max(CELL_MIN);
    world / (world / side).log2().round().exp2()
}

/// Groups places by cells, row by row. Those beyond an edge of the view count in the cell at the edge.
pub fn group(places: impl Iterator<Item = Place>, view: Rect) -> Vec<Cluster> {
    let (side, corner) = (f64::from(cell_side(view)), world().min().map(f64::from));
    let cell = |place: Place| [0, 1].map(|axis| ((f64::from(place[axis]) - corner[axis]) / side).floor() as i32);
    let (low, high) = (cell(view.min()), cell(view.max()));
    let [columns, rows] = [0, 1].map(|axis| high[axis].abs_diff(low[axis]) as usize + 1);
    let mut cells = vec![(0_u32, [0.0; 2]); columns * rows];
    for place in places {
        let at = cell(place);
        let [column, row] = [0, 1].map(|axis| at[axis].clamp(low[axis], high[axis]).abs_diff(low[axis]) as usize);
        let (count, sum) = &mut cells[row * columns + column];
        *count += 1;
        (0..2).for_each(|axis| sum[axis] += f64::from(place[axis]));
    }
    let full = cells.into_iter().filter(|&(count, _)| 0 < count);
    full.map(|(count, sum)| Cluster { count, mean: sum.map(|sum| (sum / f64::from(count)) as f32) }).collect()
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn clusters_are_the_cells_of_a_scan() {
        let places: Vec<_> =
            (0..5000_u16).map(|n| [f32::from(n % 1733 * 37 % 1000) * 0.1 - 130.0, f32::from(n % 611) * 0.1]).collect();
        for view in [Rect::new([-130.0, 0.0], [-30.0, 61.1]), Rect::new([-101.3, 11.0], [-90.7, 24.5])] {
            let side = f64::from(cell_side(view));
            let cell = |[x, y]: Place| [y, x].map(|number| ((f64::from(number) + 180.0) / side).floor() as i32);
            let inside = || places.iter().copied().filter(|&place| Rect::from_point(place).intersects(&view));
            let mut counts = BTreeMap::new();
            inside().for_each(|place| *counts.entry(cell(place)).or_insert(0) += 1);
            let mut index = Index::new(world()).expect("a world");
            let layer = index.add_point_layer().expect("a layer");
            index.insert_batch(layer, places.iter().map(|&place| (place, 0))).expect("finite places");
            let clusters = clusters(&index, layer.into(), view);
            let scanned = group(inside(), view);
            assert!(scanned.iter().map(|cluster| cluster.count).eq(counts.values().copied()));
            assert!(clusters.iter().map(|cluster| cluster.count).eq(counts.values().copied()));
            assert!(40 < clusters.len() && clusters.len() < 400, "{} clusters", clusters.len());
            assert!(clusters.iter().map(|cluster| cell(cluster.mean)).eq(counts.keys().copied()));
        }
    }

    #[test]
    fn no_view_has_too_many_cells() {
        for size in [[2000.0, 2000.0], [2000.0, 1e-30], [1e-40, 1e-40], [1e-6, 900.0]] {
            let view = Rect::new([-1000.0, -1000.0], [-1000.0 + size[0], -1000.0 + size[1]]);
            let side = cell_side(view);
            assert!(size.iter().all(|size| size / side < 400.0) && 5e-5 < side, "{size:?} has cells of {side}");
            assert_eq!(group([[0.0; 2]; 3].into_iter(), view).len(), 1);
        }
    }
}
