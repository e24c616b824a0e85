//! quadrille: one layer, plain operations, built by `insert_batch`. Each other way of asking or changing, and each
//! unusual setting, is a contender of its own.

use std::marker::PhantomData;

use quadrille::{
    Handle, IntoShape, Layer, LayerKind, LayerSettings, ObjectRef, Points, Ray, Rects, SearchBuffer, SpatialIndex,
};
use slotmap::Key;

use crate::contender::{Contender, Roster};
use crate::data::{Form, Point, Rect, Scalar, Shape, WORLD};
use crate::exact::Segment;
use crate::index::{Dynamic, Index, Setting};
use crate::nearby::TEN;
use crate::workload::{FEW, Workload};

pub(super) fn enlist<S: Scalar, const D: usize>(roster: &mut Roster<S, D>) {
    let all = Workload::OFFERED;
    roster.points.push(listed::<_, Next, S, D>("quadrille").offering(&all));
    roster.rects.push(listed::<_, Next, S, D>("quadrille").offering(&all));
    let folds = |workload: Workload| matches!(workload, Workload::Window(..) | Workload::Stab | Workload::Within);
    roster.points.push(listed::<_, Fold, S, D>("quadrille fold").only(folds));
    roster.rects.push(listed::<_, Fold, S, D>("quadrille fold").only(folds));
    let moves = |workload| matches!(workload, Workload::Move | Workload::Teleport | Workload::Tick);
    roster.points.push(listed::<_, Update, S, D>("quadrille update").only(moves));
    roster.rects.push(listed::<_, Update, S, D>("quadrille update").only(moves));
    roster.points.push(listed::<_, MoveBatch, S, D>("quadrille move_batch").only(moves));
    roster.rects.push(listed::<_, MoveBatch, S, D>("quadrille move_batch").only(moves));
}

pub(super) fn enlist_unusual(roster: &mut Roster) {
    let all = Workload::OFFERED;
    let settings = |workload: Workload| !matches!(workload, Workload::Few | Workload::JoinFew | Workload::Join);
    roster.points.push(listed::<_, Layers, _, _>("quadrille 64 layers").only(settings).unusual());
    roster.rects.push(listed::<_, Layers, _, _>("quadrille 64 layers").only(settings).unusual());
    roster.points.push(listed::<_, Split, _, _>("quadrille split_above 1").only(settings).unusual());
    roster.rects.push(listed::<_, Split, _, _>("quadrille split_above 1").only(settings).unusual());
    roster.points.push(listed::<_, WideWorld, _, _>("quadrille wide world").only(settings).unusual());
    roster.rects.push(listed::<_, WideWorld, _, _>("quadrille wide world").only(settings).unusual());
    let questions = |workload| !matches!(workload, Workload::Bulk | Workload::Budget) && settings(workload);
    roster.points.push(listed::<_, LargeWorld, _, _>("quadrille large world").only(questions).unusual());
    roster.rects.push(listed::<_, LargeWorld, _, _>("quadrille large world").only(questions).unusual());
    roster.points.push(listed::<_, SmallWorld, _, _>("quadrille small world").only(questions).unusual());
    roster.rects.push(listed::<_, SmallWorld, _, _>("quadrille small world").only(questions).unusual());
    let few = |workload| workload == Workload::Few;
    roster.points.push(listed::<_, OwnLayer, _, _>("quadrille own layer").only(few).unusual());
    roster.rects.push(listed::<_, OwnLayer, _, _>("quadrille own layer").only(few).unusual());
    let one_by_one = listed::<_, OneByOne, _, _>("quadrille one by one").offering(&all);
    roster.rects.push(one_by_one.only(|workload| matches!(workload, Workload::Join | Workload::JoinFew)).unusual());
}

fn listed<P: Stored<S, D>, W: Way + 'static, S: Scalar, const D: usize>(name: &'static str) -> Contender<P, S, D>
where
    P::Kind: 'static,
{
    Contender::dynamic::<Quadrille<P, W, S, D>>(name)
}

/// A shape as quadrille stores it.
trait Stored<S: Scalar, const D: usize>: Shape<S, D> {
    type Kind: LayerKind;

    fn stored(self) -> impl IntoShape<Self::Kind, S, D>;
    fn add_layer(index: &mut SpatialIndex<u64, S, D>, settings: LayerSettings) -> Layer<Self::Kind>;
}

impl<S: Scalar, const D: usize> Stored<S, D> for Point<S, D> {
    type Kind = Points;

    #[inline]
    fn stored(self) -> impl IntoShape<Points, S, D> {
        self
    }

    fn add_layer(index: &mut SpatialIndex<u64, S, D>, settings: LayerSettings) -> Layer<Points> {
        index.add_point_layer_with(settings).expect("there is room for a layer")
    }
}

impl<S: Scalar, const D: usize> Stored<S, D> for Rect<S, D> {
    type Kind = Rects;

    #[inline]
    fn stored(self) -> impl IntoShape<Rects, S, D> {
        region(&self)
    }

    fn add_layer(index: &mut SpatialIndex<u64, S, D>, settings: LayerSettings) -> Layer<Rects> {
        index.add_rect_layer_with(settings).expect("the index takes the layer")
    }
}

#[inline]
fn region<S: Scalar, const D: usize>(rect: &Rect<S, D>) -> quadrille::Rect<S, D> {
    quadrille::Rect::new(rect.min, rect.max)
}

/// The index's settings, the way through the results of a query, and the way in which all objects are moved.
trait Way: Sized {
    /// How many layers the objects are spread over.
    const LAYERS: usize = 1;
    /// The side of the world, in sides of the world of the objects.
    const WORLDS: f64 = 1.0;

    /// The number of an object's layer.
    fn layer_of(_id: u32) -> usize {
        0
    }

    fn settings() -> LayerSettings {
        LayerSettings::new()
    }

    /// A `for` loop, which users write first.
    #[inline]
    fn each<'a, S: Scalar, const D: usize>(
        query: impl Iterator<Item = ObjectRef<'a, u64, S, D>>,
        mut hit: impl FnMut(u64),
    ) {
        for object in query {
            hit(name(object.handle()));
        }
    }

    /// One `move_to` after the other.
    #[inline]
    fn move_all<P: Stored<S, D>, S: Scalar, const D: usize>(to: &mut Quadrille<P, Self, S, D>, after: &[P]) {
        for (&handle, shape) in to.handles.iter().zip(after) {
            to.index.move_to(handle, shape.stored()).expect("the object is there");
        }
    }

    /// The same for the first few.
    fn move_few<P: Stored<S, D>, S: Scalar, const D: usize>(to: &mut Quadrille<P, Self, S, D>, after: &[P]) {
        Self::move_all(to, after);
    }

    /// By the join itself.
    fn join<P: Stored<S, D>, S: Scalar, const D: usize>(
        index: &Quadrille<P, Self, S, D>,
        others: &Quadrille<P, Self, S, D>,
        mut pair: impl FnMut(u64, u64),
    ) {
        for (a, b) in index.index.join(&others.index) {
            pair(name(a.handle()), name(b.handle()));
        }
    }
}

/// The usual way.
struct Next;

impl Way for Next {}

/// Moves by `update`: values are the numbers of objects.
struct Update;

impl Way for Update {
    fn move_all<P: Stored<S, D>, S: Scalar, const D: usize>(to: &mut Quadrille<P, Self, S, D>, after: &[P]) {
        update(to, 0, after);
    }
}

/// Moves all objects of a layer by `update`.
fn update<P: Stored<S, D>, W, S: Scalar, const D: usize>(to: &mut Quadrille<P, W, S, D>, layer: usize, after: &[P]) {
    let moved = to.index.update(to.layers[layer], |_, id, _| after[usize::try_from(*id).expect("an id")].stored());
    assert!(moved.expect("the layer is there").refused.is_empty(), "all are moved");
}

/// Moves by `move_batch`.
struct MoveBatch;

impl Way for MoveBatch {
    fn move_all<P: Stored<S, D>, S: Scalar, const D: usize>(to: &mut Quadrille<P, Self, S, D>, after: &[P]) {
        let moves = to.handles.iter().zip(after).map(|(&handle, shape)| (handle, shape.stored()));
        assert!(to.index.move_batch(moves).refused.is_empty(), "all are moved");
    }
}

/// `for_each`, by the query's own `fold`.
struct Fold;

impl Way for Fold {
    #[inline]
    fn each<'a, S: Scalar, const D: usize>(
        query: impl Iterator<Item = ObjectRef<'a, u64, S, D>>,
        mut hit: impl FnMut(u64),
    ) {
        query.for_each(|object| hit(name(object.handle())));
    }
}

/// Objects in turn in each of 64 layers.
struct Layers;

impl Way for Layers {
    const LAYERS: usize = 64;

    fn layer_of(id: u32) -> usize {
        id as usize % Self::LAYERS
    }
}

/// Blocks are split as soon as they hold two objects.
struct Split;

impl Way for Split {
    fn settings() -> LayerSettings {
        LayerSettings::new().split_above(1)
    }
}

/// A world so much larger than where the objects are that its units do not part them.
struct WideWorld;

impl Way for WideWorld {
    const WORLDS: f64 = 1e9;
}

/// As large as the pages allow.
struct LargeWorld;

impl Way for LargeWorld {
    const WORLDS: f64 = 1e6;
}

/// Nearly all objects are outside.
struct SmallWorld;

impl Way for SmallWorld {
    const WORLDS: f64 = 0.01;
}

/// The few that move alone have a layer of their own, and move by `update`.
struct OwnLayer;

impl Way for OwnLayer {
    const LAYERS: usize = 2;

    fn layer_of(id: u32) -> usize {
        usize::from((id as usize) < FEW)
    }

    fn move_few<P: Stored<S, D>, S: Scalar, const D: usize>(to: &mut Quadrille<P, Self, S, D>, after: &[P]) {
        update(to, 1, after);
    }
}

/// Asks for each of the others instead of joining.
struct OneByOne;

impl Way for OneByOne {
    fn join<P: Stored<S, D>, S: Scalar, const D: usize>(
        index: &Quadrille<P, Self, S, D>,
        others: &Quadrille<P, Self, S, D>,
        mut pair: impl FnMut(u64, u64),
    ) {
        for other in others.index.intersecting(others.index.world()) {
            for object in index.index.intersecting(other.shape()) {
                pair(name(object.handle()), name(other.handle()));
            }
        }
    }
}

struct Quadrille<P: Stored<S, D>, W, S: Scalar, const D: usize> {
    index: SpatialIndex<u64, S, D>,
    layers: Vec<Layer<P::Kind>>,
    handles: Vec<Handle>,
    buffer: SearchBuffer,
    way: PhantomData<W>,
}

/// Results are named by their handles: values would be a look-up more.
#[inline]
fn name(handle: Handle) -> u64 {
    handle.data().as_ffi()
}

impl<P: Stored<S, D>, W: Way, S: Scalar, const D: usize> Index<P, S, D> for Quadrille<P, W, S, D> {
    fn build(setting: &Setting<S>, shapes: &[P]) -> Self {
        let mut built = Self::new(setting);
        let objects = (0..).zip(shapes).map(|(id, shape)| (shape.stored(), id));
        if W::LAYERS == 1 {
            built.handles = built.index.insert_batch(built.layers[0], objects).expect("shapes are finite");
            return built;
        }
        built.handles = vec![Handle::default(); shapes.len()];
        for layer in 0..W::LAYERS {
            let ids: Vec<u32> = (0..shapes.len() as u32).filter(|&id| W::layer_of(id) == layer).collect();
            let objects = ids.iter().map(|&id| (shapes[id as usize].stored(), u64::from(id)));
            let handles = built.index.insert_batch(built.layers[layer], objects).expect("shapes are finite");
            ids.iter().zip(handles).for_each(|(&id, handle)| built.handles[id as usize] = handle);
        }
        built
    }

    fn each_in(&mut self, window: &Rect<S, D>, hit: impl FnMut(u64)) {
        W::each(self.index.intersecting(region(window)), hit);
    }

    fn each_value_in(&mut self, window: &Rect<S, D>, _values: &[u64], mut hit: impl FnMut(u64)) {
        for object in self.index.intersecting(region(window)) {
            hit(*object.value());
        }
    }

    fn count_in(&mut self, window: &Rect<S, D>) -> usize {
        self.index.intersecting(region(window)).count()
    }

    fn any_in(&mut self, window: &Rect<S, D>) -> Option<u64> {
        self.index.intersecting(region(window)).next().map(|object| name(object.handle()))
    }

    fn exists_in(&mut self, window: &Rect<S, D>) -> bool {
        self.index.intersecting(region(window)).exists()
    }

    fn found_first_in(&mut self, window: &Rect<S, D>) -> Option<u64> {
        let mut cursor = self.index.intersecting(region(window)).pause();
        let mut found = None;
        let run = cursor.run(&self.index, 1, |object| found = Some(name(object.handle())));
        found.filter(|_| run.is_ok())
    }

    fn each_at(&mut self, point: Point<S, D>, hit: impl FnMut(u64)) {
        W::each(self.index.containing(point), hit);
    }

    fn nearest(&mut self, point: Point<S, D>) -> Option<u64> {
        self.index.nearest(point).next().map(|neighbor| name(neighbor.object.handle()))
    }

    fn nearest_ten(&mut self, point: Point<S, D>, mut found: impl FnMut(u64)) {
        for neighbor in self.index.nearest(point).reusing(&mut self.buffer).take(TEN) {
            found(name(neighbor.object.handle()));
        }
    }

    fn each_within(&mut self, point: Point<S, D>, distance: S, hit: impl FnMut(u64)) {
        W::each(self.index.within_distance(point, distance), hit);
    }

    fn first_along(&mut self, segment: &Segment<S, D>) -> Option<u64> {
        let hit = self.index.raycast(Ray::segment(segment.from, segment.to)).next();
        hit.map(|hit| name(hit.object.handle()))
    }

    fn each_pair(&mut self, distance: S, mut pair: impl FnMut(u64, u64)) {
        let pairs = match P::FORM {
            Form::Point => self.index.pairs().within(distance),
            Form::Rect => self.index.pairs(),
        };
        for (a, b) in pairs {
            pair(name(a.handle()), name(b.handle()));
        }
    }

    fn any_pair(&mut self) -> Option<(u64, u64)> {
        self.index.pairs().next().map(|(a, b)| (name(a.handle()), name(b.handle())))
    }

    fn each_joined(&mut self, others: &mut Self, pair: impl FnMut(u64, u64)) {
        W::join(self, others, pair);
    }

    fn name(&self, id: u32) -> u64 {
        name(self.handles[id as usize])
    }

    fn bytes_apart(&self) -> isize {
        let layers = self.layers.capacity() * size_of::<Layer<P::Kind>>();
        -((self.handles.capacity() * size_of::<Handle>() + layers).cast_signed())
    }
}

impl<P: Stored<S, D>, W: Way, S: Scalar, const D: usize> Dynamic<P, S, D> for Quadrille<P, W, S, D> {
    fn new(setting: &Setting<S>) -> Self {
        let side = S::from_f64(WORLD * W::WORLDS);
        let world = quadrille::Rect::new([S::from_f64(0.0); D], [side; D]);
        let mut index = SpatialIndex::new(world).expect("the world has an extent");
        let layers = (0..W::LAYERS).map(|_| P::add_layer(&mut index, W::settings())).collect();
        let (handles, buffer) = (Vec::with_capacity(setting.n), SearchBuffer::new());
        Self { index, layers, handles, buffer, way: PhantomData }
    }

    fn insert(&mut self, id: u32, shape: P) {
        let layer = self.layers[W::layer_of(id)];
        let handle = self.index.insert(layer, shape.stored(), u64::from(id)).expect("shapes are finite");
        self.handles.push(handle);
    }

    fn move_to(&mut self, id: u32, _before: P, after: P) {
        self.index.move_to(self.handles[id as usize], after.stored()).expect("the object is there");
    }

    fn move_all(&mut self, _before: &[P], after: &[P]) {
        W::move_all(self, after);
    }

    fn update_all(&mut self, _before: &[P], _after: &[P], step: Point<S, D>) {
        for &layer in &self.layers {
            let moved = self
                .index
                .update(layer, |_, _, shape| P::of(Rect { min: shape.min(), max: shape.max() }.shifted(step)).stored());
            assert!(moved.expect("the layer is there").refused.is_empty(), "all are moved");
        }
    }

    fn move_few(&mut self, _before: &[P], after: &[P]) {
        W::move_few(self, after);
    }

    fn teleport_all(&mut self, _before: &[P], after: &[P]) {
        W::move_all(self, after);
    }

    fn remove(&mut self, id: u32, _shape: P) {
        self.index.remove(self.handles[id as usize]).expect("the object is there");
    }
}
