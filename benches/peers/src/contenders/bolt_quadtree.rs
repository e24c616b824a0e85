//! bolt-quadtree: a loose quadtree.
//!
//! Told how many objects there will be, and to go as deep as they need. Touching edges are no hit by its
//! documentation, so windows are opened by one step of an `f32`. Its visitor cannot stop at a first hit. Its
//! pairs are wrong, and shown so.

use quadtree::quadtree::{Config, EntityTypeUpdate, QuadTree};
use quadtree::shapes::Rectangle;

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Shape};
use crate::index::{Dynamic, Index, Setting};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    fn listed<P: Shape>() -> Contender<P> {
        let lacking = [Workload::Bulk, Workload::First];
        Contender::dynamic::<Bolt>("bolt-quadtree").without(&lacking).offering(&[Workload::Within])
    }
    roster.points.push(listed());
    roster.rects.push(listed().offering(&[Workload::Pairs]));
}

const WORLD: f32 = crate::data::WORLD as f32;

struct Bolt {
    tree: QuadTree,
}

impl<P: Shape> Index<P> for Bolt {
    fn build(setting: &Setting, shapes: &[P]) -> Self {
        Self::filled(setting, shapes)
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        let Rect { min, max } = window.opened();
        let visit = |id| hit(u64::from(id));
        self.tree.collisions_rect_extent_with(min[0], min[1], max[0], max[1], visit).expect("the window is valid");
    }

    fn each_within(&mut self, [x, y]: Point, distance: f32, mut hit: impl FnMut(u64)) {
        // Nothing is just so far away that opening the circle would matter.
        let visit = |id| hit(u64::from(id));
        self.tree.collisions_circle_raw_with(x, y, distance, visit).expect("the circle is valid");
    }

    fn each_pair(&mut self, _distance: f32, mut pair: impl FnMut(u64, u64)) {
        self.tree.for_each_collision_pair(|a, b| pair(u64::from(a), u64::from(b)));
    }

    fn bytes_apart(&self) -> isize {
        let (_, _, entities) = self.tree.storage_counts();
        apart::values(entities)
    }
}

impl<P: Shape> Dynamic<P> for Bolt {
    fn new(setting: &Setting) -> Self {
        let usual = Config::default();
        // A level more for each fourfold of what the default depth holds at the default capacity.
        let levels = (setting.n / usual.node_capacity).max(1).ilog2().div_ceil(2) as usize + 1;
        let config = Config { pool_size: setting.n, max_depth: usual.max_depth.max(levels), ..usual };
        let world = Rectangle::new(WORLD / 2.0, WORLD / 2.0, WORLD, WORLD);
        Self { tree: QuadTree::new_with_config(world, config).expect("the world has an extent") }
    }

    fn insert(&mut self, id: u32, shape: P) {
        let Rect { min, max } = shape.bounds();
        self.tree.insert_rect_extent(id, min[0], min[1], max[0], max[1], None).expect("the shape is valid");
    }

    fn move_to(&mut self, id: u32, _before: P, after: P) {
        let Rect { min, max } = after.bounds();
        let moved = self.tree.relocate_rect_extent(id, min[0], min[1], max[0], max[1], EntityTypeUpdate::Preserve);
        moved.expect("the shape is valid");
    }

    fn remove(&mut self, id: u32, _shape: P) {
        self.tree.delete(id);
    }

    fn settle(&mut self) {
        self.tree.update();
    }
}
