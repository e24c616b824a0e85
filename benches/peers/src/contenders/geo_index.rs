//! geo-index: its R-tree packed along a Hilbert curve, and its k-d tree of points, rebuilt.
//!
//! Both answer with a list of all hits, so a first hit costs as much as all; they take no part in that.

use geo_index::kdtree::{KDTree, KDTreeBuilder, KDTreeIndex};
use geo_index::rtree::sort::HilbertSort;
use geo_index::rtree::{RTree, RTreeBuilder, RTreeIndex};

use super::apart;
use crate::contender::{Contender, Index, Roster, Setting};
use crate::data::{Point, Rect, Shape};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(Contender::rebuilt::<Packed>("geo-index R-tree").without(&[Workload::First]));
    roster.rects.push(Contender::rebuilt::<Packed>("geo-index R-tree").without(&[Workload::First]));
    roster.points.push(Contender::rebuilt::<KdTree>("geo-index k-d tree").without(&[Workload::First]));
}

struct Packed {
    tree: RTree<f32>,
}

impl<P: Shape> Index<P> for Packed {
    fn build(_setting: &Setting, shapes: &[P]) -> Self {
        let mut builder = RTreeBuilder::<f32>::new(shapes.len() as u32);
        for shape in shapes {
            let Rect { min, max } = shape.bounds();
            builder.add(min[0], min[1], max[0], max[1]);
        }
        Self { tree: builder.finish::<HilbertSort>() }
    }

    fn each_in(&mut self, window: &Rect, hit: impl FnMut(u64)) {
        let Rect { min, max } = window;
        self.tree.search(min[0], min[1], max[0], max[1]).into_iter().map(u64::from).for_each(hit);
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.tree.num_items() as usize)
    }
}

struct KdTree {
    tree: KDTree<f32>,
}

impl Index<Point> for KdTree {
    fn build(_setting: &Setting, shapes: &[Point]) -> Self {
        let mut builder = KDTreeBuilder::<f32>::new(shapes.len() as u32);
        for shape in shapes {
            builder.add(shape[0], shape[1]);
        }
        Self { tree: builder.finish() }
    }

    fn each_in(&mut self, window: &Rect, hit: impl FnMut(u64)) {
        let Rect { min, max } = window;
        self.tree.range(min[0], min[1], max[0], max[1]).into_iter().map(u64::from).for_each(hit);
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.tree.num_items() as usize)
    }
}
