//! `static_aabb2d_index`: a port of flatbush, rebuilt. Visits with a stack that is kept, as it advises for many queries.

use static_aabb2d_index::{Control, NeighborPriorityQueue, StaticAABB2DIndex, StaticAABB2DIndexBuilder};

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Shape};
use crate::index::{Index, Setting};
use crate::nearby::TEN;
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    let offered = [Workload::Nearest(1), Workload::Nearest(10), Workload::Within];
    roster.points.push(Contender::rebuilt::<Static>("static_aabb2d_index").offering(&offered));
    roster.rects.push(Contender::rebuilt::<Static>("static_aabb2d_index").offering(&offered));
}

struct Static {
    tree: StaticAABB2DIndex<f32>,
    stack: Vec<usize>,
    queue: NeighborPriorityQueue<f32>,
}

impl Static {
    /// Visits objects, the nearest first, as long as they are welcome.
    fn visit_near(&mut self, [x, y]: Point, mut visit: impl FnMut(u64, f32) -> bool) {
        let mut visit =
            |id: usize, square| if visit(id as u64, square) { Control::Continue } else { Control::Break(()) };
        let _ = self.tree.visit_neighbors_with_queue(x, y, &mut visit, &mut self.queue);
    }
}

impl<P: Shape> Index<P> for Static {
    fn build(_setting: &Setting, shapes: &[P]) -> Self {
        let mut builder = StaticAABB2DIndexBuilder::new(shapes.len());
        for shape in shapes {
            let Rect { min, max } = shape.bounds();
            builder.add(min[0], min[1], max[0], max[1]);
        }
        let tree = builder.build().expect("as many were added as announced");
        Self { tree, stack: Vec::with_capacity(64), queue: NeighborPriorityQueue::with_capacity(64) }
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        let Rect { min, max } = window;
        let mut visit = |id: usize| hit(id as u64);
        self.tree.visit_query_with_stack(min[0], min[1], max[0], max[1], &mut visit, &mut self.stack);
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        let Rect { min, max } = window;
        let mut visit = |id: usize| Control::Break(id as u64);
        match self.tree.visit_query_with_stack(min[0], min[1], max[0], max[1], &mut visit, &mut self.stack) {
            Control::Break(id) => Some(id),
            Control::Continue => None,
        }
    }

    fn nearest(&mut self, point: Point) -> Option<u64> {
        let mut nearest = None;
        self.visit_near(point, |id, _| {
            nearest = Some(id);
            false
        });
        nearest
    }

    fn nearest_ten(&mut self, point: Point, mut found: impl FnMut(u64)) {
        let mut missing = TEN;
        self.visit_near(point, |id, _| {
            found(id);
            missing -= 1;
            missing != 0
        });
    }

    fn each_within(&mut self, point: Point, distance: f32, mut hit: impl FnMut(u64)) {
        self.visit_near(point, |id, square| {
            let within = square <= distance * distance;
            if within {
                hit(id);
            }
            within
        });
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.tree.count())
    }
}
