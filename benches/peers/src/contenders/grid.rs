//! Users write this by hand when they know their data: grids with coordinates in the cells and back pointers, their
//! cell size chosen for the data. Bounds, not rivals: they know all that an index has to find out.
//!
//! Points lie in one grid. Rectangles lie in a grid for their size, in the cell of their minimum corner; windows are
//! stretched by the largest extent in a grid.

use std::ops::RangeInclusive;

use super::apart;
use super::nearest_so_far::NearestSoFar;
use crate::contender::{Contender, Roster};
use crate::data::{Form, Point, Rect, Shape};
use crate::index::{Dynamic, Index, Setting};
use crate::nearby::TEN;
use crate::workload::{From, Workload};

pub(super) fn enlist(roster: &mut Roster) {
    let offered = [
        Workload::Nearest(1, From::Inside),
        Workload::Nearest(10, From::Inside),
        Workload::Within,
        Workload::Pairs,
        Workload::Join,
    ];
    roster.points.push(Contender::dynamic::<Levels<Point>>("grid").bound().offering(&offered));
    roster.rects.push(Contender::dynamic::<Levels<Rect>>("grid").bound().offering(&offered));
}

const WORLD: f32 = crate::data::WORLD as f32;
const OBJECTS_A_CELL: u32 = 8;
/// A grid has at most so many cells for each object, however small the cells should be.
const CELLS_AN_OBJECT_MAX: f32 = 2.0;
/// The largest side of an object: the last grid has cells at least as large.
const EXTENT_MAX: f32 = 64.0;

/// An object may be so far outside its cell by rounding.
const ROUNDING: f32 = 0.01;

/// Where an object is: its cell, counted through all grids, and its position in that cell.
#[derive(Clone, Copy)]
struct Place {
    cell: u32,
    position: u32,
}

struct Entry<P> {
    shape: P,
    id: u32,
}

/// One grid, for objects up to some extent: which of all cells are its own.
struct Grid {
    extent_max: f32,
    cells_a_side: usize,
    scale: f32,
    first: usize,
}

impl Grid {
    fn new(cell: f32, extent_max: f32, first: usize) -> Self {
        let cells_a_side = (WORLD / cell).ceil().max(1.0) as usize;
        Self { extent_max, cells_a_side, scale: cells_a_side as f32 / WORLD, first }
    }

    fn end(&self) -> usize {
        self.first + self.cells_a_side * self.cells_a_side
    }

    #[inline]
    fn column(&self, coordinate: f32) -> usize {
        ((coordinate * self.scale) as usize).min(self.cells_a_side - 1)
    }

    #[inline]
    fn cell_of(&self, bounds: &Rect) -> usize {
        self.first + self.column(bounds.min[1]) * self.cells_a_side + self.column(bounds.min[0])
    }

    /// The cells of objects that may meet the window, row by row.
    #[inline]
    fn rows(&self, window: &Rect) -> impl Iterator<Item = RangeInclusive<usize>> {
        let from = window.min.map(|c| self.column(c - self.extent_max));
        let to = window.max.map(|c| self.column(c));
        (from[1]..=to[1]).map(move |row| {
            let row = self.first + row * self.cells_a_side;
            row + from[0]..=row + to[0]
        })
    }
}

impl Grid {
    /// The cells that are so many from the point's on one axis, and no more on the other.
    #[inline]
    fn ring(&self, point: Point, ring: usize, mut visit: impl FnMut(RangeInclusive<usize>)) {
        let [column, row] = point.map(|c| self.column(c));
        let last = self.cells_a_side - 1;
        let (from, to) = (column.saturating_sub(ring), (column + ring).min(last));
        for row_of_ring in row.saturating_sub(ring)..=(row + ring).min(last) {
            let start = self.first + row_of_ring * self.cells_a_side;
            if row_of_ring.abs_diff(row) == ring {
                visit(start + from..=start + to);
                continue;
            }
            if ring <= column {
                visit(start + from..=start + from);
            }
            if column + ring <= last {
                visit(start + to..=start + to);
            }
        }
    }

    /// How far objects in this ring or a farther one are at least, which may stick out of their cell to high sides.
    #[inline]
    fn beyond(&self, point: Point, ring: usize) -> f32 {
        if ring == 0 {
            return 0.0;
        }
        let (side, before) = (self.scale.recip(), ring as f32 - 1.0);
        let gap = |c: f32| {
            let place = c - self.column(c) as f32 * side;
            (place + before * side - self.extent_max).min(side - place + before * side)
        };
        (gap(point[0]).min(gap(point[1])) - ROUNDING).max(0.0)
    }
}

struct Levels<P> {
    /// By rising extent; for points one.
    grids: Vec<Grid>,
    cells: Vec<Vec<Entry<P>>>,
    places: Vec<Place>,
}

impl<P: Shape> Levels<P> {
    #[inline]
    fn cell_of(&self, bounds: &Rect) -> usize {
        let (last, finer) = self.grids.split_last().expect("there is a grid");
        let size = bounds.size();
        let extent = size[0].max(size[1]);
        finer.iter().find(|grid| extent <= grid.extent_max).unwrap_or(last).cell_of(bounds)
    }

    #[inline]
    fn file(&mut self, id: u32, shape: P, cell: usize) {
        let entries = &mut self.cells[cell];
        self.places[id as usize] = Place { cell: cell as u32, position: entries.len() as u32 };
        entries.push(Entry { shape, id });
    }

    #[inline]
    fn take(&mut self, place: Place) {
        let entries = &mut self.cells[place.cell as usize];
        entries.swap_remove(place.position as usize);
        if let Some(moved) = entries.get(place.position as usize) {
            self.places[moved.id as usize].position = place.position;
        }
    }

    /// Ring by ring around the cell of the point, in each grid, until no farther ring can hold a nearer object.
    fn nearest_of<const K: usize>(&self, point: Point) -> NearestSoFar<f32, K> {
        let mut nearest = NearestSoFar::new();
        for grid in &self.grids {
            for ring in 0..grid.cells_a_side {
                if nearest.limit() <= grid.beyond(point, ring).powi(2) {
                    break;
                }
                grid.ring(point, ring, |cells| {
                    for entry in self.cells[cells].iter().flatten() {
                        nearest.add(Rect::at(point).gap_square(&entry.shape.bounds()), u64::from(entry.id));
                    }
                });
            }
        }
        nearest
    }

    /// All objects that meet the window.
    #[inline]
    fn hits(&self, window: &Rect) -> impl Iterator<Item = u64> {
        let rows = self.grids.iter().flat_map(move |grid| grid.rows(window));
        let entries = rows.flat_map(|row| self.cells[row].iter().flatten());
        entries.filter(move |entry| entry.shape.bounds().meets(window)).map(|entry| u64::from(entry.id))
    }
}

impl<P: Shape> Index<P> for Levels<P> {
    fn build(setting: &Setting, shapes: &[P]) -> Self {
        Self::filled(setting, shapes)
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        for grid in &self.grids {
            for row in grid.rows(window) {
                for entry in self.cells[row].iter().flatten() {
                    if entry.shape.bounds().meets(window) {
                        hit(u64::from(entry.id));
                    }
                }
            }
        }
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        self.hits(window).next()
    }

    fn nearest(&mut self, point: Point) -> Option<u64> {
        self.nearest_of::<1>(point).names().next()
    }

    fn nearest_ten(&mut self, point: Point, found: impl FnMut(u64)) {
        self.nearest_of::<TEN>(point).names().for_each(found);
    }

    fn each_within(&mut self, point: Point, distance: f32, mut hit: impl FnMut(u64)) {
        let window = Rect::around(point, distance);
        for grid in &self.grids {
            for row in grid.rows(&window) {
                for entry in self.cells[row].iter().flatten() {
                    if Rect::at(point).gap_square(&entry.shape.bounds()) <= distance * distance {
                        hit(u64::from(entry.id));
                    }
                }
            }
        }
    }

    fn each_pair(&mut self, distance: f32, mut pair: impl FnMut(u64, u64)) {
        let limit = distance * distance;
        for (level, grid) in self.grids.iter().enumerate() {
            for entry in self.cells[grid.first..grid.end()].iter().flatten() {
                let bounds = entry.shape.bounds();
                let window = bounds.grown(distance);
                for (coarser, other) in self.grids[level..].iter().enumerate() {
                    for row in other.rows(&window) {
                        for partner in self.cells[row].iter().flatten() {
                            // A partner of the same grid finds this one too.
                            let first = 0 < coarser || entry.id < partner.id;
                            if first && bounds.gap_square(&partner.shape.bounds()) <= limit {
                                pair(u64::from(entry.id), u64::from(partner.id));
                            }
                        }
                    }
                }
            }
        }
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        for other in others.cells.iter().flatten() {
            Index::<P>::each_in(self, &other.shape.bounds(), |id| pair(id, u64::from(other.id)));
        }
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.places.len())
    }
}

impl<P: Shape> Dynamic<P> for Levels<P> {
    fn new(setting: &Setting) -> Self {
        let smallest = WORLD / (CELLS_AN_OBJECT_MAX * setting.n as f32).sqrt();
        let mut cell = setting.cell_for(OBJECTS_A_CELL).max(smallest);
        let mut grids: Vec<Grid> = Vec::new();
        let extents_max = if P::FORM == Form::Point { 0.0 } else { EXTENT_MAX };
        loop {
            let first = grids.last().map_or(0, Grid::end);
            grids.push(Grid::new(cell, cell.min(extents_max), first));
            if extents_max <= cell {
                break;
            }
            cell *= 2.0;
        }
        let cells = (0..grids.last().map_or(0, Grid::end)).map(|_| Vec::new()).collect();
        Self { grids, cells, places: Vec::with_capacity(setting.n) }
    }

    fn insert(&mut self, id: u32, shape: P) {
        self.places.push(Place { cell: 0, position: 0 });
        let cell = self.cell_of(&shape.bounds());
        self.file(id, shape, cell);
    }

    #[inline]
    fn move_to(&mut self, id: u32, _before: P, after: P) {
        let place = self.places[id as usize];
        let cell = self.cell_of(&after.bounds());
        if cell == place.cell as usize {
            self.cells[cell][place.position as usize].shape = after;
        } else {
            self.take(place);
            self.file(id, after, cell);
        }
    }

    fn remove(&mut self, id: u32, _shape: P) {
        self.take(self.places[id as usize]);
    }
}
