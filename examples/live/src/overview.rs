//! Parts of the map where there is too much to be listed: markers, instead; and the cells of the aircraft's tree.

use quadrille::{CellKind, LayerId, Markers, Rect};

use crate::frame::{Frame, Kind, Steps};
use crate::globe::{Index, Place, world};
use crate::sky::{LayerName, Sky};

/// About how many cells of clusters there are in a view, whatever its size, and how many from edge to edge at most.
const CLUSTERS: f32 = 160.0;
const CLUSTERS_ACROSS: f32 = 256.0;
/// The radius of markers in sides of cells: of it the markers take a third part, which so is a part of the index too.
const RADIUS: f32 = 0.75;
/// The number of no marker.
pub const NONE: u32 = u32::MAX;
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

/// The markers of a layer in a view: clusters that stay while objects move, as long as the cells are as large.
#[derive(Debug)]
pub struct Crowd {
    side: f32,
    markers: Markers,
}

impl Default for Crowd {
    fn default() -> Self {
        Self { side: 0.0, markers: Markers::new(0.0) }
    }
}

impl Crowd {
    /// Writes them: so many objects are in the view.
    pub fn write(&mut self, sky: &Sky<'_>, layer: LayerName, view: Rect, count: usize, frame: &mut Frame) {
        let found = self.poll(&sky.index, sky.layer(layer), view);
        let steps = Steps::of(view);
        let came = |number: u64| {
            let come = &self.markers.come;
            come.binary_search_by_key(&number, |&(new, _)| new).ok().and_then(|at| come[at].1)
        };
        let word = |number: Option<u64>| number.map_or(NONE, |number| number as u32);
        frame.begin(Kind::Crowd, layer.number(), 0);
        frame.word(count as u32);
        frame.float(self.side);
        frame.words([found.len(), self.markers.gone.len()].map(|len| len as u32));
        for (number, cluster) in &found {
            frame.words([word(Some(*number)), word(came(*number)), cluster.count as u32]);
            frame.halves(steps.step(cluster.mean));
        }
        for &(number, into) in &self.markers.gone {
            frame.words([word(Some(number)), word(into)]);
        }
        frame.end();
    }

    fn poll(&mut self, index: &Index, layer: LayerId, view: Rect) -> Vec<(u64, quadrille::Cluster)> {
        let side = cell_side(view);
        if self.side.to_bits() != side.to_bits() {
            *self = Self { side, markers: Markers::new(RADIUS * side) };
        }
        let ask = |bounds, size| index.intersecting(bounds).in_layers(layer).clusters(size);
        self.markers.poll(view, ask).expect("the side of a cell")
    }
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
    use super::*;

    #[test]
    fn each_object_is_in_a_marker_that_stays() {
        let place = |n: u16| [f32::from(n % 1733 * 37 % 1000) * 0.1 - 130.0, f32::from(n % 611) * 0.1];
        let mut index = Index::new(world()).expect("a world");
        let layer = index.add_point_layer().expect("a layer");
        let handles = index.insert_batch(layer, (0..5000).map(|n| (place(n), 0))).expect("finite places");
        let mut crowd = Crowd::default();
        let whole = Rect::new([-140.0, -10.0], [-20.0, 70.0]);
        let first = crowd.poll(&index, layer.id(), whole);
        assert_eq!(first.iter().map(|(_, cluster)| cluster.count).sum::<usize>(), 5000);
        assert!(30 < first.len() && first.len() < 400, "{} markers", first.len());
        for &handle in &handles {
            let [x, y] = index.shape(handle).expect("it is there").min();
            index.move_to(handle, [x + 0.2, y]).expect("a finite place");
        }
        let second = crowd.poll(&index, layer.id(), whole);
        let stays = |number: u64| second.iter().any(|&(other, _)| number == other);
        let gone = first.iter().filter(|&&(number, _)| !stays(number)).count();
        assert!(20 * gone < first.len(), "{gone} of {} are gone", first.len());
        // Of another size: a memory of its own.
        assert!(2 * crowd.poll(&index, layer.id(), world()).len() < first.len());
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
