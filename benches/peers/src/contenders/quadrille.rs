//! quadrille: one layer, plain operations, built by `insert_batch`. What differs in how it asks or changes is a
//! contender of its own.

use std::marker::PhantomData;

use quadrille::{Handle, IntoShape, Layer, LayerKind, ObjectRef, Points, Quadtree, Ray, Rects, SearchBuffer};
use slotmap::Key;

use crate::contender::{Contender, Roster};
use crate::data::{Form, Point, Rect, Shape};
use crate::exact::Segment;
use crate::index::{Dynamic, Index, Setting};
use crate::nearby::TEN;
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    let all = Workload::OFFERED;
    roster.points.push(Contender::dynamic::<Quadrille<Point, Next>>("quadrille").offering(&all));
    roster.rects.push(Contender::dynamic::<Quadrille<Rect, Next>>("quadrille").offering(&all));
    let folds = |workload: Workload| workload.is_scan() || workload == Workload::First;
    roster.points.push(Contender::dynamic::<Quadrille<Point, Fold>>("quadrille fold").only(folds));
    roster.rects.push(Contender::dynamic::<Quadrille<Rect, Fold>>("quadrille fold").only(folds));
    let moves = |workload| matches!(workload, Workload::Move | Workload::Teleport | Workload::Tick);
    roster.points.push(Contender::dynamic::<Quadrille<Point, Update>>("quadrille update").only(moves));
    roster.rects.push(Contender::dynamic::<Quadrille<Rect, Update>>("quadrille update").only(moves));
    roster.points.push(Contender::dynamic::<Quadrille<Point, MoveBatch>>("quadrille move_batch").only(moves));
    roster.rects.push(Contender::dynamic::<Quadrille<Rect, MoveBatch>>("quadrille move_batch").only(moves));
}

/// A shape as quadrille files it.
trait Filed: Shape {
    type Kind: LayerKind;

    fn filed(self) -> impl IntoShape<Self::Kind, f32, 2>;
    fn add_layer(index: &mut Quadtree<u64>) -> Layer<Self::Kind>;
}

impl Filed for Point {
    type Kind = Points;

    #[inline]
    fn filed(self) -> impl IntoShape<Points, f32, 2> {
        self
    }

    fn add_layer(index: &mut Quadtree<u64>) -> Layer<Points> {
        index.add_point_layer().expect("there is room for a layer")
    }
}

impl Filed for Rect {
    type Kind = Rects;

    #[inline]
    fn filed(self) -> impl IntoShape<Rects, f32, 2> {
        region(&self)
    }

    fn add_layer(index: &mut Quadtree<u64>) -> Layer<Rects> {
        index.add_rect_layer().expect("there is room for a layer")
    }
}

#[inline]
fn region(rect: &Rect) -> quadrille::Rect {
    quadrille::Rect::new(rect.min, rect.max)
}

/// How the results of a query are gone through, and how all objects are moved.
trait Way: Sized {
    /// A `for` loop, which is what users write first.
    #[inline]
    fn each<'a>(query: impl Iterator<Item = ObjectRef<'a, u64>>, mut hit: impl FnMut(u64)) {
        for object in query {
            hit(name(object.handle()));
        }
    }

    /// One `move_to` after the other.
    fn move_all<P: Filed>(to: &mut Quadrille<P, Self>, after: &[P]) {
        for (&handle, shape) in to.handles.iter().zip(after) {
            to.index.move_to(handle, shape.filed()).expect("the object is there");
        }
    }
}

/// What users write first.
struct Next;

impl Way for Next {}

/// Moves by `update`: values are the numbers of objects.
struct Update;

impl Way for Update {
    fn move_all<P: Filed>(to: &mut Quadrille<P, Self>, after: &[P]) {
        let moved = to.index.update(to.layer, |_, id, _| after[usize::try_from(*id).expect("an id")].filed());
        assert!(moved.expect("the layer is there").refused.is_empty(), "all are moved");
    }
}

/// Moves by `move_batch`.
struct MoveBatch;

impl Way for MoveBatch {
    fn move_all<P: Filed>(to: &mut Quadrille<P, Self>, after: &[P]) {
        let moves = to.handles.iter().zip(after).map(|(&handle, shape)| (handle, shape.filed()));
        assert!(to.index.move_batch(moves).refused.is_empty(), "all are moved");
    }
}

/// `for_each`, by the query's own `fold`.
struct Fold;

impl Way for Fold {
    #[inline]
    fn each<'a>(query: impl Iterator<Item = ObjectRef<'a, u64>>, mut hit: impl FnMut(u64)) {
        query.for_each(|object| hit(name(object.handle())));
    }
}

struct Quadrille<P: Filed, W> {
    index: Quadtree<u64>,
    layer: Layer<P::Kind>,
    handles: Vec<Handle>,
    buffer: SearchBuffer,
    way: PhantomData<W>,
}

/// Results are named by their handles: values would be a look-up more.
#[inline]
fn name(handle: Handle) -> u64 {
    handle.data().as_ffi()
}

impl<P: Filed, W: Way> Index<P> for Quadrille<P, W> {
    fn build(setting: &Setting, shapes: &[P]) -> Self {
        let mut built = Self::new(setting);
        let objects = (0..).zip(shapes).map(|(id, shape)| (shape.filed(), id));
        built.handles = built.index.insert_batch(built.layer, objects).expect("shapes are finite");
        built
    }

    fn each_in(&mut self, window: &Rect, hit: impl FnMut(u64)) {
        W::each(self.index.intersecting(region(window)), hit);
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        self.index.intersecting(region(window)).next().map(|object| name(object.handle()))
    }

    fn each_at(&mut self, point: Point, hit: impl FnMut(u64)) {
        W::each(self.index.containing(point), hit);
    }

    fn nearest(&mut self, point: Point) -> Option<u64> {
        self.index.nearest(point).next().map(|neighbor| name(neighbor.object.handle()))
    }

    fn nearest_ten(&mut self, point: Point, mut found: impl FnMut(u64)) {
        for neighbor in self.index.nearest(point).reusing(&mut self.buffer).take(TEN) {
            found(name(neighbor.object.handle()));
        }
    }

    fn each_within(&mut self, point: Point, distance: f32, hit: impl FnMut(u64)) {
        W::each(self.index.within_distance(point, distance), hit);
    }

    fn first_along(&mut self, segment: &Segment) -> Option<u64> {
        let hit = self.index.raycast(Ray::segment(segment.from, segment.to)).next();
        hit.map(|hit| name(hit.object.handle()))
    }

    fn each_pair(&mut self, distance: f32, mut pair: impl FnMut(u64, u64)) {
        let pairs = match P::FORM {
            Form::Point => self.index.pairs().within(distance),
            Form::Rect => self.index.pairs(),
        };
        for (a, b) in pairs {
            pair(name(a.handle()), name(b.handle()));
        }
    }

    fn each_joined(&mut self, others: &mut Self, mut pair: impl FnMut(u64, u64)) {
        for (a, b) in self.index.join(&others.index) {
            pair(name(a.handle()), name(b.handle()));
        }
    }

    fn name(&self, id: u32) -> u64 {
        name(self.handles[id as usize])
    }

    fn bytes_apart(&self) -> isize {
        -((self.handles.capacity() * size_of::<Handle>()).cast_signed())
    }
}

impl<P: Filed, W: Way> Dynamic<P> for Quadrille<P, W> {
    fn new(setting: &Setting) -> Self {
        let mut index = Quadtree::new(region(&Rect::WORLD)).expect("the world has an extent");
        let layer = P::add_layer(&mut index);
        let (handles, buffer) = (Vec::with_capacity(setting.n), SearchBuffer::new());
        Self { index, layer, handles, buffer, way: PhantomData }
    }

    fn insert(&mut self, id: u32, shape: P) {
        let handle = self.index.insert(self.layer, shape.filed(), u64::from(id)).expect("shapes are finite");
        self.handles.push(handle);
    }

    fn move_to(&mut self, id: u32, _before: P, after: P) {
        self.index.move_to(self.handles[id as usize], after.filed()).expect("the object is there");
    }

    fn move_all(&mut self, _before: &[P], after: &[P]) {
        W::move_all(self, after);
    }

    fn teleport_all(&mut self, _before: &[P], after: &[P]) {
        W::move_all(self, after);
    }

    fn remove(&mut self, id: u32, _shape: P) {
        self.index.remove(self.handles[id as usize]).expect("the object is there");
    }
}
