//! `static_aabb2d_index`: a port of flatbush, rebuilt. Visits with a stack that is kept, as it advises for many queries.

use static_aabb2d_index::{Control, StaticAABB2DIndex, StaticAABB2DIndexBuilder};

use super::apart;
use crate::contender::{Contender, Index, Roster, Setting};
use crate::data::{Rect, Shape};

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(Contender::rebuilt::<Static>("static_aabb2d_index"));
    roster.rects.push(Contender::rebuilt::<Static>("static_aabb2d_index"));
}

struct Static {
    tree: StaticAABB2DIndex<f32>,
    stack: Vec<usize>,
}

impl<P: Shape> Index<P> for Static {
    fn build(_setting: &Setting, shapes: &[P]) -> Self {
        let mut builder = StaticAABB2DIndexBuilder::new(shapes.len());
        for shape in shapes {
            let Rect { min, max } = shape.bounds();
            builder.add(min[0], min[1], max[0], max[1]);
        }
        Self { tree: builder.build().expect("as many were added as announced"), stack: Vec::with_capacity(64) }
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

    fn bytes_apart(&self) -> isize {
        apart::values(self.tree.count())
    }
}
