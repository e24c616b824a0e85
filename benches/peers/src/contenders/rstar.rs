//! rstar: an R*-tree, filled by insertion, or bulk-loaded and then changed.
//!
//! Windows go through its internal iteration, which is the faster of its two ways; a first hit stops it. An object is
//! found by where it is, so moving is removing and inserting.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree, RTreeObject};

use crate::contender::{Contender, Dynamic, Index, Roster, Setting};
use crate::data::{Point, Rect, Shape};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    roster.points.push(Contender::dynamic::<Rstar<Point, OneByOne>>("rstar").without(&[Workload::Bulk]));
    roster.rects.push(Contender::dynamic::<Rstar<Rect, OneByOne>>("rstar").without(&[Workload::Bulk]));
    roster.points.push(Contender::dynamic::<Rstar<Point, BulkLoaded>>("rstar bulk").without(&[Workload::Insert]));
    roster.rects.push(Contender::dynamic::<Rstar<Rect, BulkLoaded>>("rstar bulk").without(&[Workload::Insert]));
}

/// A shape as rstar holds it.
trait Geometry: Shape {
    type Object: RTreeObject<Envelope = AABB<Point>> + PartialEq;

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
