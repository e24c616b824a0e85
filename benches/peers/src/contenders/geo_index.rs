//! geo-index: its R-tree packed along a Hilbert curve, and its k-d tree of points, rebuilt.
//!
//! Both answer with a list of all hits, so a first hit costs as much as all; they take no part in that.

use geo_index::IndexableNum;
use geo_index::kdtree::{KDTree, KDTreeBuilder, KDTreeIndex};
use geo_index::rtree::sort::HilbertSort;
use geo_index::rtree::{RTree, RTreeBuilder, RTreeIndex};

use super::apart;
use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Scalar, Shape};
use crate::index::{Index, Setting};
use crate::nearby::TEN;
use crate::workload::{From, Workload};

pub(super) fn enlist<S: Scalar + IndexableNum>(roster: &mut Roster<S>) {
    fn listed<P: Shape<S>, S: Scalar + IndexableNum>() -> Contender<P, S> {
        let offered = [Workload::Nearest(1, From::Inside), Workload::Nearest(10, From::Inside), Workload::Within];
        Contender::rebuilt::<Packed<S>>("geo-index R-tree").without(&[Workload::First]).offering(&offered)
    }
    roster.points.push(listed());
    roster.rects.push(listed().offering(&[Workload::Pairs, Workload::Join]));
    let kd_tree = Contender::rebuilt::<KdTree<S>>("geo-index k-d tree").without(&[Workload::First]);
    roster.points.push(kd_tree.offering(&[Workload::Within]));
}

struct Packed<S: IndexableNum> {
    tree: RTree<S>,
}

impl<P: Shape<S>, S: Scalar + IndexableNum> Index<P, S> for Packed<S> {
    fn build(_setting: &Setting<S>, shapes: &[P]) -> Self {
        let mut builder = RTreeBuilder::<S>::new(shapes.len() as u32);
        for shape in shapes {
            let Rect { min, max } = shape.bounds();
            builder.add(min[0], min[1], max[0], max[1]);
        }
        Self { tree: builder.finish::<HilbertSort>() }
    }

    fn each_in(&mut self, window: &Rect<S>, hit: impl FnMut(u64)) {
        let Rect { min, max } = window;
        self.tree.search(min[0], min[1], max[0], max[1]).into_iter().map(u64::from).for_each(hit);
    }

    fn nearest(&mut self, [x, y]: Point<S>) -> Option<u64> {
        self.tree.neighbors(x, y, Some(1), None).first().copied().map(u64::from)
    }

    fn nearest_ten(&mut self, [x, y]: Point<S>, found: impl FnMut(u64)) {
        self.tree.neighbors(x, y, Some(TEN), None).into_iter().map(u64::from).for_each(found);
    }

    fn each_within(&mut self, [x, y]: Point<S>, distance: S, hit: impl FnMut(u64)) {
        // Its distances are squares.
        self.tree.neighbors(x, y, None, Some(distance * distance)).into_iter().map(u64::from).for_each(hit);
    }

    fn each_pair(&mut self, _distance: S, mut pair: impl FnMut(u64, u64)) {
        // With itself it finds each pair twice, and each object with itself.
        let found = self.tree.intersection_candidates_with_other_tree(&self.tree);
        found.filter(|(a, b)| a < b).for_each(|(a, b)| pair(u64::from(a), u64::from(b)));
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        let found = self.tree.intersection_candidates_with_other_tree(&others.tree);
        found.for_each(|(a, b)| pair(u64::from(a), u64::from(b)));
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.tree.num_items() as usize)
    }
}

struct KdTree<S: IndexableNum> {
    tree: KDTree<S>,
}

impl<S: Scalar + IndexableNum> Index<Point<S>, S> for KdTree<S> {
    fn build(_setting: &Setting<S>, shapes: &[Point<S>]) -> Self {
        let mut builder = KDTreeBuilder::<S>::new(shapes.len() as u32);
        for shape in shapes {
            builder.add(shape[0], shape[1]);
        }
        Self { tree: builder.finish() }
    }

    fn each_in(&mut self, window: &Rect<S>, hit: impl FnMut(u64)) {
        let Rect { min, max } = window;
        self.tree.range(min[0], min[1], max[0], max[1]).into_iter().map(u64::from).for_each(hit);
    }

    fn each_within(&mut self, [x, y]: Point<S>, distance: S, hit: impl FnMut(u64)) {
        self.tree.within(x, y, distance).into_iter().map(u64::from).for_each(hit);
    }

    fn bytes_apart(&self) -> isize {
        apart::values(self.tree.num_items() as usize)
    }
}
