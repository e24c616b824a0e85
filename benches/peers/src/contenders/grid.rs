//! What users write by hand when they know their data: grids with coordinates in the cells and back pointers, their
//! cell size chosen for the data. Bounds, not rivals: they know what an index has to find out.
//!
//! Points lie in one grid. Rectangles lie in a grid for their size, in the cell of their minimum corner; windows are
//! stretched by the largest extent in a grid.

use super::apart;
use crate::contender::{Contender, Dynamic, Index, Roster, Setting};
use crate::data::{Point, Rect, Shape, WORLD};

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(Contender::dynamic::<Levels<Point>>("grid").bound());
    roster.rects.push(Contender::dynamic::<Levels<Rect>>("grid").bound());
}

const OBJECTS_A_CELL: u32 = 8;
const CELLS_A_SIDE_MAX: f32 = 2048.0;
/// The largest side of an object: the last grid has cells at least as large.
const SIDE_MAX: f32 = 64.0;

/// Where an object is: its grid, its cell there, its position in that cell.
#[derive(Clone, Copy)]
struct Place {
    level: u32,
    cell: u32,
    position: u32,
}

struct Entry<P> {
    shape: P,
    id: u32,
}

/// One grid, for objects up to some extent.
struct Grid<P> {
    extent_max: f32,
    cells_a_side: usize,
    scale: f32,
    cells: Vec<Vec<Entry<P>>>,
    len: usize,
}

impl<P: Shape> Grid<P> {
    fn new(cell: f32, extent_max: f32) -> Self {
        let cells_a_side = (WORLD / cell).ceil().clamp(1.0, CELLS_A_SIDE_MAX) as usize;
        let cells = (0..cells_a_side * cells_a_side).map(|_| Vec::new()).collect();
        Self { extent_max, cells_a_side, scale: cells_a_side as f32 / WORLD, cells, len: 0 }
    }

    #[inline]
    fn column(&self, coordinate: f32) -> usize {
        ((coordinate * self.scale) as usize).min(self.cells_a_side - 1)
    }

    #[inline]
    fn cell_of(&self, bounds: &Rect) -> u32 {
        (self.column(bounds.min[1]) * self.cells_a_side + self.column(bounds.min[0])) as u32
    }

    /// Visits what meets the window, until `hit` returns `false`; says whether it never did.
    #[inline]
    fn visit(&self, window: &Rect, hit: &mut impl FnMut(u32) -> bool) -> bool {
        if self.len == 0 {
            return true;
        }
        let from = window.min.map(|c| self.column(c - self.extent_max));
        let to = window.max.map(|c| self.column(c));
        (from[1]..=to[1]).all(|row| {
            let row = row * self.cells_a_side;
            self.cells[row + from[0]..=row + to[0]]
                .iter()
                .all(|cell| cell.iter().all(|entry| !entry.shape.bounds().meets(window) || hit(entry.id)))
        })
    }
}

struct Levels<P> {
    grids: Vec<Grid<P>>,
    places: Vec<Place>,
}

impl<P: Shape> Levels<P> {
    #[inline]
    fn level_of(&self, bounds: &Rect) -> usize {
        if self.grids.len() == 1 {
            return 0;
        }
        let size = bounds.size();
        let extent = size[0].max(size[1]);
        self.grids.iter().position(|grid| extent <= grid.extent_max).unwrap_or(self.grids.len() - 1)
    }

    #[inline]
    fn file(&mut self, id: u32, shape: P, level: usize, cell: u32) {
        let grid = &mut self.grids[level];
        let entries = &mut grid.cells[cell as usize];
        self.places[id as usize] = Place { level: level as u32, cell, position: entries.len() as u32 };
        entries.push(Entry { shape, id });
        grid.len += 1;
    }

    #[inline]
    fn take(&mut self, place: Place) {
        let grid = &mut self.grids[place.level as usize];
        let entries = &mut grid.cells[place.cell as usize];
        entries.swap_remove(place.position as usize);
        if let Some(moved) = entries.get(place.position as usize) {
            self.places[moved.id as usize].position = place.position;
        }
        grid.len -= 1;
    }
}

impl<P: Shape> Index<P> for Levels<P> {
    fn build(setting: &Setting, shapes: &[P]) -> Self {
        Self::filled(setting, shapes)
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        for grid in &self.grids {
            grid.visit(window, &mut |id| {
                hit(u64::from(id));
                true
            });
        }
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        let mut found = None;
        self.grids.iter().all(|grid| {
            grid.visit(window, &mut |id| {
                found = Some(u64::from(id));
                false
            })
        });
        found
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.places.len())
    }
}

impl<P: Shape> Dynamic<P> for Levels<P> {
    fn new(setting: &Setting) -> Self {
        let mut cell = setting.cell_for(OBJECTS_A_CELL);
        let mut grids = Vec::new();
        if P::FORM == crate::data::Form::Point {
            grids.push(Grid::new(cell, 0.0));
        } else {
            while cell < SIDE_MAX {
                grids.push(Grid::new(cell, cell));
                cell *= 2.0;
            }
            grids.push(Grid::new(cell, SIDE_MAX));
        }
        Self { grids, places: Vec::with_capacity(setting.n) }
    }

    fn insert(&mut self, id: u32, shape: P) {
        self.places.push(Place { level: 0, cell: 0, position: 0 });
        let bounds = shape.bounds();
        let level = self.level_of(&bounds);
        let cell = self.grids[level].cell_of(&bounds);
        self.file(id, shape, level, cell);
    }

    #[inline]
    fn move_to(&mut self, id: u32, _before: P, after: P) {
        // Moves keep the size, and so the grid.
        let place = self.places[id as usize];
        let level = self.level_of(&after.bounds());
        let cell = self.grids[level].cell_of(&after.bounds());
        if level as u32 == place.level && cell == place.cell {
            self.grids[level].cells[cell as usize][place.position as usize].shape = after;
        } else {
            self.take(place);
            self.file(id, after, level, cell);
        }
    }

    fn remove(&mut self, id: u32, _shape: P) {
        self.take(self.places[id as usize]);
    }
}
