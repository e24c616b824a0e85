//! Two grids by hand: each box is in all cells that it meets; that of movers is built anew in each tick.

use quadrille::Rect;

use super::{Arena, Mover, WALL, stop_at, swept};
use crate::measure::Threads;

const CELL: f32 = 16.0;

pub(super) struct Boxes {
    columns: usize,
    begins: Vec<u32>,
    entries: Vec<(Rect, u32)>,
}

/// Boxes beyond the world are in the cells at its border.
fn column(at: f32, columns: usize) -> usize {
    ((at * (1.0 / CELL)).max(0.0) as usize).min(columns - 1)
}

impl Boxes {
    pub(super) fn new(boxes: impl Iterator<Item = (Rect, u32)> + Clone, side: f32) -> Self {
        let columns = (side * (1.0 / CELL)) as usize + 1;
        let mut grid = Self { columns, begins: Vec::new(), entries: Vec::new() };
        grid.fill(boxes);
        grid
    }

    fn cells(&self, rect: &Rect) -> impl Iterator<Item = usize> + use<> {
        let columns = self.columns;
        let [[left, low], [right, high]] = [rect.min(), rect.max()].map(|corner| corner.map(|c| column(c, columns)));
        (low..=high).flat_map(move |row| row * columns + left..=row * columns + right)
    }

    fn fill(&mut self, boxes: impl Iterator<Item = (Rect, u32)> + Clone) {
        self.begins.clear();
        self.begins.resize(self.columns * self.columns + 1, 0);
        for (rect, _) in boxes.clone() {
            self.cells(&rect).for_each(|cell| self.begins[cell] += 1);
        }
        let mut end = 0;
        for begin in &mut self.begins {
            end += *begin;
            *begin = end;
        }
        self.entries.resize(end as usize, (Rect::from_point([0.0; 2]), 0));
        for entry in boxes {
            for cell in self.cells(&entry.0) {
                self.begins[cell] -= 1;
                self.entries[self.begins[cell] as usize] = entry;
            }
        }
    }

    fn in_cell(&self, cell: usize) -> &[(Rect, u32)] {
        &self.entries[self.begins[cell] as usize..self.begins[cell + 1] as usize]
    }

    /// Each once: in the first cell that it shares with the window.
    pub(super) fn each_in(&self, window: &Rect, mut seen: impl FnMut(&(Rect, u32))) {
        for cell in self.cells(window) {
            for entry in self.in_cell(cell).iter().filter(|entry| entry.0.intersects(window)) {
                let [x, y] = [0, 1].map(|axis| column(entry.0.min()[axis].max(window.min()[axis]), self.columns));
                if cell == y * self.columns + x {
                    seen(entry);
                }
            }
        }
    }

    /// Where a ray enters a box, up to a limit; from cell to cell along the ray.
    fn first(&self, from: [f32; 2], way: [f32; 2], shooter: u32, limit: &mut f32) {
        let mut cell = from.map(|c| column(c, self.columns));
        loop {
            for (rect, number) in self.in_cell(cell[1] * self.columns + cell[0]) {
                if let Some(t) = entry(rect, from, way).filter(|&t| t <= *limit && *number != shooter) {
                    *limit = t;
                }
            }
            // The time at which it leaves the cell on each axis.
            let leaves = [0, 1].map(|axis| {
                let border = CELL * (cell[axis] + usize::from(0.0 < way[axis])) as f32;
                if way[axis] == 0.0 { f32::INFINITY } else { (border - from[axis]) / way[axis] }
            });
            let axis = usize::from(leaves[1] < leaves[0]);
            let next = if 0.0 < way[axis] { cell[axis] + 1 } else { cell[axis].wrapping_sub(1) };
            if (*limit).min(1.0) < leaves[axis] || self.columns <= next {
                return;
            }
            cell[axis] = next;
        }
    }
}

fn entry(rect: &Rect, from: [f32; 2], way: [f32; 2]) -> Option<f32> {
    let (mut enters, mut leaves) = (0.0_f32, 1.0_f32);
    for axis in 0..2 {
        if way[axis] == 0.0 {
            if from[axis] < rect.min()[axis] || rect.max()[axis] < from[axis] {
                return None;
            }
        } else {
            let [a, b] = [rect.min(), rect.max()].map(|corner| (corner[axis] - from[axis]) / way[axis]);
            (enters, leaves) = (enters.max(a.min(b)), leaves.min(a.max(b)));
        }
    }
    (enters <= leaves).then_some(enters)
}

pub(super) struct Grids {
    walls: Boxes,
    movers: Boxes,
}

impl Arena for Grids {
    fn new(walls: &[Rect], movers: &[Mover], side: f32) -> Self {
        let walls = Boxes::new(walls.iter().copied().zip(WALL..), side);
        Self { walls, movers: Boxes::new(movers.iter().map(|mover| mover.body).zip(0..), side) }
    }

    fn follow(&mut self, movers: &[Mover], _threads: Threads) {
        self.movers.fill(movers.iter().map(|mover| mover.body).zip(0..));
    }

    fn free(&self, body: &Rect, axis: usize, motion: f32) -> f32 {
        let mut free = motion;
        let swept = swept(body, axis, motion);
        for (wall, _) in self.walls.cells(&swept).flat_map(|cell| self.walls.in_cell(cell)) {
            if wall.intersects(&swept) {
                stop_at(wall, body, axis, &mut free);
            }
        }
        free
    }

    fn first(&self, shooter: u32, from: [f32; 2], way: [f32; 2]) -> Option<f32> {
        let mut limit = 2.0;
        self.walls.first(from, way, shooter, &mut limit);
        self.movers.first(from, way, shooter, &mut limit);
        (limit <= 1.0).then_some(limit)
    }

    fn each_in(&self, view: &Rect, mut seen: impl FnMut(u32)) {
        self.walls.each_in(view, |&(_, number)| seen(number));
        self.movers.each_in(view, |&(_, number)| seen(number));
    }
}
