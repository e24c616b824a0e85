//! `flat_spatial`: its grids of points and of boxes, hash maps of cells.
//!
//! Cells hold about 16 objects where objects are, as it advises, and those of boxes are no smaller than usual boxes.
//! Points move lazily until `maintain`. The boxes' visitor panics in cells that were never touched, so boxes are asked
//! for by iterator. The comparison of boxes is our own: the default adds coordinates, which rounds.

use flat_spatial::aabbgrid::AABBGridHandle;
use flat_spatial::grid::GridHandle;
use flat_spatial::{AABB, AABBGrid, Grid};
use slotmapd::Key;

use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect};
use crate::index::{Dynamic, Index, Setting};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    let points = Contender::dynamic::<Points>("flat_spatial").without(&[Workload::Bulk, Workload::Read]);
    roster.points.push(points.offering(&[Workload::Within]));
    roster.rects.push(Contender::dynamic::<Boxes>("flat_spatial").without(&[Workload::Bulk, Workload::Read]));
}

const OBJECTS_A_CELL: u32 = 16;
/// The side that boxes seldom exceed.
const USUAL_SIDE: f32 = 32.0;

impl AABB for Rect {
    type V2 = Point;

    fn ll(&self) -> Point {
        self.min
    }

    fn ur(&self) -> Point {
        self.max
    }

    fn intersects(&self, other: &Self) -> bool {
        self.meets(other)
    }
}

fn handles_bytes<H>(handles: &Vec<H>) -> isize {
    -((handles.capacity() * size_of::<H>()).cast_signed())
}

struct Points {
    grid: Grid<u64, Point>,
    handles: Vec<GridHandle>,
}

impl Index<Point> for Points {
    fn build(setting: &Setting, shapes: &[Point]) -> Self {
        Self::filled(setting, shapes)
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        self.grid.query_aabb_visitor(window.min, window.max, |(handle, _)| hit(handle.data().as_ffi()));
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        self.grid.query_aabb(window.min, window.max).next().map(|(handle, _)| handle.data().as_ffi())
    }

    fn each_within(&mut self, point: Point, distance: f32, mut hit: impl FnMut(u64)) {
        self.grid.query_around(point, distance).for_each(|(handle, _)| hit(handle.data().as_ffi()));
    }

    fn name(&self, id: u32) -> u64 {
        self.handles[id as usize].data().as_ffi()
    }

    fn bytes_apart(&self) -> isize {
        handles_bytes(&self.handles)
    }
}

impl Dynamic<Point> for Points {
    fn new(setting: &Setting) -> Self {
        let cell = setting.cell_for(OBJECTS_A_CELL).round() as i32;
        Self { grid: Grid::new(cell), handles: Vec::with_capacity(setting.n) }
    }

    fn insert(&mut self, id: u32, shape: Point) {
        self.handles.push(self.grid.insert(shape, u64::from(id)));
    }

    fn move_to(&mut self, id: u32, _before: Point, after: Point) {
        self.grid.set_position(self.handles[id as usize], after);
    }

    fn move_all(&mut self, before: &[Point], after: &[Point]) {
        (0..).zip(before.iter().zip(after)).for_each(|(id, (&before, &after))| self.move_to(id, before, after));
        self.grid.maintain();
    }

    fn teleport_all(&mut self, before: &[Point], after: &[Point]) {
        self.move_all(before, after);
    }

    fn remove(&mut self, id: u32, _shape: Point) {
        self.grid.remove_maintain(self.handles[id as usize]).expect("the object is there");
    }
}

struct Boxes {
    grid: AABBGrid<u64, Rect>,
    handles: Vec<AABBGridHandle>,
}

impl Index<Rect> for Boxes {
    fn build(setting: &Setting, shapes: &[Rect]) -> Self {
        Self::filled(setting, shapes)
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        self.grid.query(*window).for_each(|(handle, _, _)| hit(handle.data().as_ffi()));
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        self.grid.query(*window).next().map(|(handle, _, _)| handle.data().as_ffi())
    }

    fn name(&self, id: u32) -> u64 {
        self.handles[id as usize].data().as_ffi()
    }

    fn bytes_apart(&self) -> isize {
        handles_bytes(&self.handles)
    }
}

impl Dynamic<Rect> for Boxes {
    fn new(setting: &Setting) -> Self {
        let cell = setting.cell_for(OBJECTS_A_CELL).max(USUAL_SIDE).round() as i32;
        Self { grid: AABBGrid::new(cell), handles: Vec::with_capacity(setting.n) }
    }

    fn insert(&mut self, id: u32, shape: Rect) {
        self.handles.push(self.grid.insert(shape, u64::from(id)));
    }

    fn move_to(&mut self, id: u32, _before: Rect, after: Rect) {
        self.grid.set_aabb(self.handles[id as usize], after);
    }

    fn remove(&mut self, id: u32, _shape: Rect) {
        self.grid.remove(self.handles[id as usize]).expect("the object is there");
    }
}
