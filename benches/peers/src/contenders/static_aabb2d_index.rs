//! `static_aabb2d_index`: a port of flatbush, rebuilt. Visits with a stack that is kept, as it advises for many queries.

use static_aabb2d_index::{Control, IndexableNum, NeighborPriorityQueue, StaticAABB2DIndex, StaticAABB2DIndexBuilder};

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Scalar, Shape};
use crate::index::{Index, Setting};
use crate::nearby::TEN;
use crate::workload::{From, Workload};

pub(super) fn enlist<S: Scalar + IndexableNum>(roster: &mut Roster<S>) {
    let offered = [Workload::Nearest(1, From::Inside), Workload::Nearest(10, From::Inside), Workload::Within];
    roster.points.push(Contender::rebuilt::<Static<S>>("static_aabb2d_index").offering(&offered));
    roster.rects.push(Contender::rebuilt::<Static<S>>("static_aabb2d_index").offering(&offered));
}

struct Static<S: IndexableNum> {
    tree: StaticAABB2DIndex<S>,
    stack: Vec<usize>,
    queue: NeighborPriorityQueue<S>,
}

impl<S: Scalar + IndexableNum> Static<S> {
    /// Visits objects, the nearest first, as long as they are welcome.
    fn visit_near(&mut self, [x, y]: Point<S>, mut visit: impl FnMut(u64, S) -> bool) {
        let mut visit =
            |id: usize, square| if visit(id as u64, square) { Control::Continue } else { Control::Break(()) };
        let _ = self.tree.visit_neighbors_with_queue(x, y, &mut visit, &mut self.queue);
    }
}

impl<P: Shape<S>, S: Scalar + IndexableNum> Index<P, S> for Static<S> {
    fn build(_setting: &Setting<S>, shapes: &[P]) -> Self {
        let mut builder = StaticAABB2DIndexBuilder::new(shapes.len());
        for shape in shapes {
            let Rect { min, max } = shape.bounds();
            builder.add(min[0], min[1], max[0], max[1]);
        }
        let tree = builder.build().expect("as many were added as announced");
        Self { tree, stack: Vec::with_capacity(64), queue: NeighborPriorityQueue::with_capacity(64) }
    }

    fn each_in(&mut self, window: &Rect<S>, mut hit: impl FnMut(u64)) {
        let Rect { min, max } = window;
        let mut visit = |id: usize| hit(id as u64);
        self.tree.visit_query_with_stack(min[0], min[1], max[0], max[1], &mut visit, &mut self.stack);
    }

    fn any_in(&mut self, window: &Rect<S>) -> Option<u64> {
        let Rect { min, max } = window;
        let mut visit = |id: usize| Control::Break(id as u64);
        match self.tree.visit_query_with_stack(min[0], min[1], max[0], max[1], &mut visit, &mut self.stack) {
            Control::Break(id) => Some(id),
            Control::Continue => None,
        }
    }

    fn nearest(&mut self, point: Point<S>) -> Option<u64> {
        let mut nearest = None;
        self.visit_near(point, |id, _| {
            nearest = Some(id);
            false
        });
        nearest
    }

    fn nearest_ten(&mut self, point: Point<S>, mut found: impl FnMut(u64)) {
        let mut missing = TEN;
        self.visit_near(point, |id, _| {
            found(id);
            missing -= 1;
            missing != 0
        });
    }

    fn each_within(&mut self, point: Point<S>, distance: S, mut hit: impl FnMut(u64)) {
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
