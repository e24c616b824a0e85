//! rstar: an R*-tree, filled by insertion, or bulk-loaded and then changed.
//!
//! Windows go through its internal iteration, which is the faster of its two ways; a first hit stops it. An object is
//! found by where it is, so moving is removing and inserting.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, PointDistance, RTree, RTreeNum, RTreeObject};

use crate::contender::{Contender, Roster};
use crate::data::{Point, Rect, Scalar, Shape};
use crate::index::{Dynamic, Index, Setting};
use crate::nearby::TEN;
use crate::workload::{From, Workload};

pub(super) fn enlist<S: Scalar + RTreeNum, const D: usize>(roster: &mut Roster<S, D>) {
    let (by_one, at_once) = ([Workload::Bulk], [Workload::Insert]);
    let near = [Workload::Nearest(1, From::Inside), Workload::Nearest(10, From::Inside), Workload::Within];
    let of_pairs = [Workload::Pairs, Workload::PairsExist];
    roster.points.push(listed::<_, OneByOne, _, _>("rstar").without(&by_one).offering(&near));
    let rects = listed::<_, OneByOne, _, _>("rstar").without(&by_one).offering(&near);
    roster.rects.push(rects.offering(&of_pairs));
    let few = [Workload::Few];
    roster.points.push(listed::<_, BulkLoaded, _, _>("rstar bulk").without(&at_once).offering(&near).offering(&few));
    let rects = listed::<_, BulkLoaded, _, _>("rstar bulk").without(&at_once).offering(&near).offering(&few);
    roster.rects.push(rects.offering(&of_pairs).offering(&[Workload::Join]));
}

fn listed<P: Geometry<S, D>, L: Load + 'static, S: Scalar + RTreeNum, const D: usize>(
    name: &'static str,
) -> Contender<P, S, D> {
    Contender::dynamic::<Rstar<P, L, S, D>>(name)
}

/// A shape as rstar holds it.
trait Geometry<S: Scalar + RTreeNum, const D: usize>: Shape<S, D> {
    type Object: RTreeObject<Envelope = AABB<Point<S, D>>> + PointDistance + PartialEq;

    fn geometry(self) -> Self::Object;
}

impl<S: Scalar + RTreeNum, const D: usize> Geometry<S, D> for Point<S, D> {
    type Object = Self;

    fn geometry(self) -> Self {
        self
    }
}

impl<S: Scalar + RTreeNum, const D: usize> Geometry<S, D> for Rect<S, D> {
    type Object = Rectangle<Point<S, D>>;

    fn geometry(self) -> Rectangle<Point<S, D>> {
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

type Object<P, S, const D: usize> = GeomWithData<<P as Geometry<S, D>>::Object, u64>;

struct Rstar<P: Geometry<S, D>, L, S: Scalar + RTreeNum, const D: usize> {
    tree: RTree<Object<P, S, D>>,
    load: PhantomData<L>,
}

fn object<P: Geometry<S, D>, S: Scalar + RTreeNum, const D: usize>(id: u32, shape: P) -> Object<P, S, D> {
    GeomWithData::new(shape.geometry(), u64::from(id))
}

fn envelope<S: Scalar + RTreeNum, const D: usize>(window: &Rect<S, D>) -> AABB<Point<S, D>> {
    AABB::from_corners(window.min, window.max)
}

impl<P: Geometry<S, D>, L: Load, S: Scalar + RTreeNum, const D: usize> Index<P, S, D> for Rstar<P, L, S, D> {
    fn build(setting: &Setting<S>, shapes: &[P]) -> Self {
        if !L::BULK {
            return Self::filled(setting, shapes);
        }
        let objects = (0..).zip(shapes).map(|(id, &shape)| object(id, shape)).collect();
        Self { tree: RTree::bulk_load(objects), load: PhantomData }
    }

    fn each_in(&mut self, window: &Rect<S, D>, mut hit: impl FnMut(u64)) {
        let _ = self.tree.locate_in_envelope_intersecting_int(envelope(window), |object| {
            hit(object.data);
            ControlFlow::<()>::Continue(())
        });
    }

    fn each_value_in(&mut self, window: &Rect<S, D>, _values: &[u64], hit: impl FnMut(u64)) {
        // Its objects carry their values.
        self.each_in(window, hit);
    }

    fn any_in(&mut self, window: &Rect<S, D>) -> Option<u64> {
        let stop = |object: &Object<P, S, D>| ControlFlow::Break(object.data);
        self.tree.locate_in_envelope_intersecting_int(envelope(window), stop).break_value()
    }

    fn nearest(&mut self, point: Point<S, D>) -> Option<u64> {
        self.tree.nearest_neighbor(point).map(|object| object.data)
    }

    fn nearest_ten(&mut self, point: Point<S, D>, mut found: impl FnMut(u64)) {
        self.tree.nearest_neighbor_iter(point).take(TEN).for_each(|object| found(object.data));
    }

    fn each_within(&mut self, point: Point<S, D>, distance: S, mut hit: impl FnMut(u64)) {
        self.tree.locate_within_distance(point, distance * distance).for_each(|object| hit(object.data));
    }

    fn each_pair(&mut self, _distance: S, mut pair: impl FnMut(u64, u64)) {
        // With itself it finds each pair twice, and each object with itself.
        let found = self.tree.intersection_candidates_with_other_tree(&self.tree);
        found.filter(|(a, b)| a.data < b.data).for_each(|(a, b)| pair(a.data, b.data));
    }

    fn any_pair(&mut self) -> Option<(u64, u64)> {
        let mut found = self.tree.intersection_candidates_with_other_tree(&self.tree);
        found.find(|(a, b)| a.data < b.data).map(|(a, b)| (a.data, b.data))
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        let found = self.tree.intersection_candidates_with_other_tree(&others.tree);
        found.for_each(|(a, b)| pair(a.data, b.data));
    }
}

impl<P: Geometry<S, D>, L: Load, S: Scalar + RTreeNum, const D: usize> Dynamic<P, S, D> for Rstar<P, L, S, D> {
    fn new(_setting: &Setting<S>) -> Self {
        Self { tree: RTree::new(), load: PhantomData }
    }

    fn insert(&mut self, id: u32, shape: P) {
        self.tree.insert(object(id, shape));
    }

    fn move_to(&mut self, id: u32, before: P, after: P) {
        self.remove(id, before);
        self.insert(id, after);
    }

    fn move_few(&mut self, before: &[P], after: &[P]) {
        self.move_all(before, after);
    }

    fn remove(&mut self, id: u32, shape: P) {
        self.tree.remove(&object(id, shape)).expect("the object is there");
    }
}
