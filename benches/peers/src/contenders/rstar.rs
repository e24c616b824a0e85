//! rstar: an R*-tree, filled by insertion, or bulk-loaded and then changed.
//!
//! Windows go through its internal iteration, which is the faster of its two ways; a first hit stops it. An object is
//! found by where it is, so moving is removing and inserting.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, PointDistance, RTree, RTreeObject};

use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Shape};
use crate::index::{Dynamic, Index, Setting};
use crate::nearby::TEN;
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    fn listed<P: Geometry, L: Load + 'static>(name: &'static str, without: Workload) -> Contender<P> {
        let offered = [Workload::Nearest(1), Workload::Nearest(10), Workload::Within];
        Contender::dynamic::<Rstar<P, L>>(name).without(&[without]).offering(&offered)
    }
    roster.points.push(listed::<Point, OneByOne>("rstar", Workload::Bulk));
    roster.rects.push(listed::<Rect, OneByOne>("rstar", Workload::Bulk).offering(&[Workload::Pairs]));
    roster.points.push(listed::<Point, BulkLoaded>("rstar bulk", Workload::Insert));
    let bulk = listed::<Rect, BulkLoaded>("rstar bulk", Workload::Insert);
    roster.rects.push(bulk.offering(&[Workload::Pairs, Workload::Join]));
}

/// A shape as rstar holds it.
trait Geometry: Shape {
    type Object: RTreeObject<Envelope = AABB<Point>> + PointDistance + PartialEq;

    fn geometry(self) -> Self::Object;
}

impl Geometry for Point {
    type Object = Self;

    fn geometry(self) -> Self {
        self
    }
}

impl Geometry for Rect {
    type Object = Rectangle<Point>;

    fn geometry(self) -> Rectangle<Point> {
        Rectangle::from_corners(self.min, self.max)
    }
}

trait Load {
    const BULK: bool;
}

struct OneByOne;

impl Load for OneByOne {
    const BULK: bool = false;
}

struct BulkLoaded;

impl Load for BulkLoaded {
    const BULK: bool = true;
}

type Object<P> = GeomWithData<<P as Geometry>::Object, u64>;

struct Rstar<P: Geometry, L> {
    tree: RTree<Object<P>>,
    load: PhantomData<L>,
}

fn object<P: Geometry>(id: u32, shape: P) -> Object<P> {
    GeomWithData::new(shape.geometry(), u64::from(id))
}

fn envelope(window: &Rect) -> AABB<Point> {
    AABB::from_corners(window.min, window.max)
}

impl<P: Geometry, L: Load> Index<P> for Rstar<P, L> {
    fn build(setting: &Setting, shapes: &[P]) -> Self {
        if !L::BULK {
            return Self::filled(setting, shapes);
        }
        let objects = (0..).zip(shapes).map(|(id, &shape)| object(id, shape)).collect();
        Self { tree: RTree::bulk_load(objects), load: PhantomData }
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        let _ = self.tree.locate_in_envelope_intersecting_int(envelope(window), |object| {
            hit(object.data);
            ControlFlow::<()>::Continue(())
        });
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        let stop = |object: &Object<P>| ControlFlow::Break(object.data);
        self.tree.locate_in_envelope_intersecting_int(envelope(window), stop).break_value()
    }

    fn nearest(&mut self, point: Point) -> Option<u64> {
        self.tree.nearest_neighbor(point).map(|object| object.data)
    }

    fn nearest_ten(&mut self, point: Point, mut found: impl FnMut(u64)) {
        self.tree.nearest_neighbor_iter(point).take(TEN).for_each(|object| found(object.data));
    }

    fn each_within(&mut self, point: Point, distance: f32, mut hit: impl FnMut(u64)) {
        self.tree.locate_within_distance(point, distance * distance).for_each(|object| hit(object.data));
    }

    fn each_pair(&mut self, _distance: f32, mut pair: impl FnMut(u64, u64)) {
        // With itself it finds each pair twice, and each object with itself.
        let found = self.tree.intersection_candidates_with_other_tree(&self.tree);
        found.filter(|(a, b)| a.data < b.data).for_each(|(a, b)| pair(a.data, b.data));
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        let found = self.tree.intersection_candidates_with_other_tree(&others.tree);
        found.for_each(|(a, b)| pair(a.data, b.data));
    }
}

impl<P: Geometry, L: Load> Dynamic<P> for Rstar<P, L> {
    fn new(_setting: &Setting) -> Self {
        Self { tree: RTree::new(), load: PhantomData }
    }

    fn insert(&mut self, id: u32, shape: P) {
        self.tree.insert(object(id, shape));
    }

    fn move_to(&mut self, id: u32, before: P, after: P) {
        self.remove(id, before);
        self.insert(id, after);
    }

    fn remove(&mut self, id: u32, shape: P) {
        self.tree.remove(&object(id, shape)).expect("the object is there");
    }
}
