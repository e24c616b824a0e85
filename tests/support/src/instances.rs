//! All of the library that the tests call, for each scalar and dimension: compiled here, once and optimized, it need not
//! be compiled with the tests, which are not. Nothing here is ever run.
//!
//! Rust reuses an instance of a generic function that a crate below has already made, as long as nothing is optimized
//! further than level 1. A function that is missing here costs time only: a test that became slow names one.

use core::hint::black_box;

use quadrille::{
    AnyOf, Around, Ball, Contacts, Convex, HalfSpace, Handle, IntoRegion, LayerSet, Markers, Neighbors, Object,
    Periodic, Polygon, Predicate, Query, Ray, Rect, Region, SearchBuffer, Segment, Watch,
};
#[cfg(feature = "std")]
use quadrille::{Cap, GreatCircle, NearestBy};

use crate::couples::{self, Scattered, Tell, Wanted};
use crate::filled::{Filled, drained_in_every_way};
use crate::followed::{Followed, Form, Way, places};
use crate::images;
use crate::inside::Inside;
use crate::lattice::Lattice;
use crate::markers::Listed;
use crate::measure::{How, Measure, by_list, drain};
use crate::oracle::{Asked, Model, Span};
use crate::order::first_touch;
use crate::questions::{Question, ask, near_by_definition};
use crate::run::{Run, run};
use crate::scene::{roomy_scenes, scenes};
use crate::shapes::{Asks, Ring};
use crate::stage::Stage;
use crate::step::Step;
use crate::{AnyLayer, Dice, Index, Real, agreement, assert_sound};

/// Makes the instances.
pub fn all() {
    // Most other tests are in this space.
    in_space::<f32, 2>();
    #[cfg(not(any(feature = "two-spaces", feature = "other-spaces")))]
    shapes::<f32, 2>();
    #[cfg(not(feature = "other-spaces"))]
    in_plane::<f32>();
    #[cfg(feature = "std")]
    on_globe::<f32>();
    #[cfg(feature = "std")]
    on_globe::<f64>();
    #[cfg(all(feature = "two-spaces", not(feature = "other-spaces")))]
    {
        in_space::<f64, 3>();
        shapes::<f64, 3>();
    }
    #[cfg(feature = "other-spaces")]
    {
        in_space::<f32, 3>();
        in_space::<f64, 2>();
        shapes::<f32, 2>();
        shapes::<f32, 3>();
        shapes::<f64, 2>();
        in_plane::<f64>();
    }
}

fn in_space<S: Real, const D: usize>() {
    let scene = &black_box(scenes::<S>())[0];
    let mut index: Index<S, D> = scene.index();
    let steps: Vec<Step> = black_box(Vec::new());
    black_box(run::<S, D>(scene, &steps));
    let changed = Run::<S, D>::of(scene, &steps);
    assert_sound(&index, "nothing");
    let model: Model<S, D> = Model::new();
    agreement::assert_agrees(&index, &model, &[]);
    black_box(agreement::snapshot(&index));
    changes(&mut index);
    questions(&index);
    couples(&index, &changed);
    ordered(&index);
    by_metric(&Run::<S, D>::new(&roomy_scenes::<S>()[0]));
    cursors(&index, &model);
    neighbors(&index);
    let mut periodic = images::Scene::<S, D>::new(&mut Dice::new(1), 1);
    periodic.change(&mut Dice::new(2));
    let region = black_box(index.world());
    black_box(periodic.matches(&region, &region, &|image| images::meets(&region, image)));
    black_box((periodic.least_square(&region, &region), periodic.first_time(&region, &region.min(), &region)));
    black_box(first_touch(([0.0; D], [0.0; D], 1.0), &region));
    around(&index, region);
    around(&index, Ball::new(region.min(), S::of(1.0)));
    around(&index, Segment::new(region.min(), region.max()));
    around(&index, &AnyOf::new([Ball::new(region.min(), S::of(1.0))]));
    around(&index, Convex::new(&[HalfSpace::new(region.max(), S::of(1.0))]));
}

/// A region in a world without edges.
fn around<S: Real, const D: usize>(index: &Index<S, D>, region: impl IntoRegion<S, D, Region: Clone> + Clone) {
    let torus = Periodic::new(index.world()).expect("a world");
    stepped(&index.near(region.clone()).periodic(&torus));
    stepped(&index.intersecting(region.clone()).periodic(&torus));
    stepped(&index.contained_in(region.clone()).periodic(&torus));
    stepped(&index.containing(region).periodic(&torus));
}

fn stepped<P: Predicate, S: Real, const D: usize, R: Region<S, D> + Clone>(query: &Query<'_, u32, P, S, D, R>) {
    let narrowed = query.clone().in_layers(LayerSet::ALL).excluding(Handle::default());
    black_box((narrowed.clone().next(), narrowed.clone().count(), narrowed.exists()));
}

#[cfg(feature = "std")]
fn on_globe<S: Real>() {
    let mut index: Index<S, 2> = scenes::<S>()[0].index();
    changes(&mut index);
    assert_sound(&index, "nothing");
    ordered(&index);
    let circle = black_box(GreatCircle::new([0.0; 2]));
    let mut buffer = SearchBuffer::new();
    let query: NearestBy<'_, '_, u32, GreatCircle, S> = index.nearest_by(circle);
    let narrowed = query.clone().within(1.0).in_layers(LayerSet::ALL).excluding(Handle::default());
    black_box((query.exists(), narrowed.clone().next().is_some(), narrowed.reusing(&mut buffer).count()));
    black_box((circle.distance_to(&index.world()), index.nearest_by(&circle).count()));
    let cap: Cap = circle.within(1.0);
    stepped(&index.intersecting(cap));
    stepped(&index.contained_in(cap));
}

fn told<'a, S: Real, B, C, const D: usize>(query: &Neighbors<'a, u32, S, D, B>, tell: Tell<'_, 'a, S, B, C, D>) {
    black_box(query.clone().map(tell).next().is_some());
    let push: &mut dyn FnMut(B, Around<'_, 'a, u32, S, D>) = &mut |center, others| drop(tell(center, others));
    query.clone().nearest(1).for_each(push);
}

fn neighbors<S: Real, const D: usize>(index: &Index<S, D>) {
    let torus = Periodic::new(index.world()).expect("a world");
    let handles = |others: Around<'_, '_, u32, S, D>| others.map(|other| other.handle).collect();
    let tell: Tell<'_, '_, S, Object<&u32, S, D>, Handle, D> = &|object, others| (object.handle, handles(others));
    let query = index.neighbors().within(S::of(1.0)).between(LayerSet::ALL, LayerSet::ALL).periodic(&torus);
    told(&query.excluding(Handle::default()), tell);
    told(&index.neighbors_of([Handle::default()]), tell);
    told(&index.neighbors_at([index.world().min()]), &|number, others| (number, handles(others)));
    let mut markers = Markers::new(S::of(1.0));
    black_box(markers.poll(index.world(), |bounds, size| index.intersecting(bounds).clusters(size)).is_ok());
    let mut listed = Listed::NEW;
    black_box(listed.poll(index.world(), &[]));
}

fn in_plane<S: Real>() {
    let corners: [[S; 2]; 3] = black_box([[S::of(0.0); 2]; 3]);
    let mut filled = Filled::<S, 2>::new(Lattice::each::<S>()[0].index(), 1);
    filled.about(&Polygon::new(corners));
}

fn changes<S: Real, const D: usize>(index: &mut Index<S, D>) {
    let rect = black_box(index.world());
    let (points, rects) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
    let handle = black_box(Handle::default());
    black_box((index.insert(points, rect.min(), 0).is_ok(), index.insert(rects, rect, 0).is_ok()));
    black_box((index.move_to(handle, rect.min()).is_ok(), index.move_to(handle, rect).is_ok()));
    black_box((index.set_layer(handle, points).is_ok(), index.set_layer(handle, rects).is_ok()));
    black_box((index.remove(handle), index.get(handle), index.shape(handle), index.layer(handle)));
    black_box((index.len(), index.len_in(points), index.len_in(LayerSet::ALL), index.contains(handle)));
    black_box((index.set_world(rect).is_ok(), index.clone(), index.stats(), index.optimize_step(1)));
    black_box((index.remove_layer(points).is_ok(), index.remove_layer(rects).is_ok()));
    index.optimize();
    index.shrink_to_fit();
    index.clear();
    index.clear_in(points);
    index.clear_in(LayerSet::ALL);
    let mut stage = Stage::<S, D>::new(1, 1);
    stage.disturb(0, &black_box(std::collections::BTreeSet::new()));
    for layer in [AnyLayer::Points(points), AnyLayer::Rects(rects)] {
        black_box(layer.insert(index, Span::of_rect(&rect), 0).is_ok());
        black_box(layer.move_to(index, handle, Span::of_rect(&rect)).is_ok());
        black_box(layer.take(index, handle).is_ok());
    }
}

/// Every way in which a query is driven.
fn driven<P: Predicate, S: Real, const D: usize, R: Region<S, D> + Clone>(query: &Query<'_, u32, P, S, D, R>) {
    let narrowed = query.clone().in_layers(LayerSet::ALL).excluding(Handle::default());
    black_box((narrowed.clone().next(), narrowed.clone().count(), query.clone().exists()));
    black_box(narrowed.clone().collect::<Vec<_>>());
    black_box(narrowed.clone().map(|object| object.handle()).collect::<Vec<_>>());
    black_box(drained_in_every_way(narrowed, Handle::default()));
}

fn questions<S: Real, const D: usize>(index: &Index<S, D>) {
    let region = black_box(index.world());
    let question = Question::about(Span::of_rect(&region));
    black_box(ask(index, &Model::new(), &question));
    black_box(near_by_definition(index, &question));
    driven(&index.near(region));
    driven(&index.intersecting(region));
    driven(&index.contained_in(region));
    driven(&index.containing(region));
    driven(&index.within_distance(region.min(), S::of(1.0)));
    driven(&index.iter());
    if let Ok(clusters) = index.iter().clusters(S::of(1.0)) {
        black_box((clusters.clone().next(), clusters.counts()));
    }
    for layer in index.layers() {
        for cell in index.cells(layer) {
            black_box((cell.units(), cell.bounds(), cell.bounds_with_reach(), cell.objects().count()));
            black_box((cell.reach(), cell.depth(), cell.len(), cell.kind(), cell.objects().collect::<Vec<_>>()));
        }
        black_box(index.cell_at(layer, region.min()));
    }
    if let Some(object) = index.object(Handle::default()) {
        driven(&object.near());
        driven(&object.intersecting());
        driven(&object.contained_in());
        driven(&object.containing());
        black_box(object.nearest().next());
        black_box(index.cell_of(object.handle()));
    }
}

/// Every way in which an ordered query is driven.
macro_rules! driven_in_order {
    ($query:expr) => {{
        let query = black_box($query);
        let mut narrowed = query.clone().in_layers(LayerSet::ALL).excluding(Handle::default());
        black_box((
            narrowed.next().is_some(),
            query.clone().exists(),
            query.clone().any_first().is_some(),
            query.clone().count(),
        ));
        black_box(query.clone().map(|found| found.object.handle()).collect::<Vec<_>>());
        let mut buffer = SearchBuffer::new();
        black_box(query.reusing(&mut buffer).next().is_some());
    }};
}

fn ordered<S: Real, const D: usize>(index: &Index<S, D>) {
    let rect = black_box(index.world());
    driven_in_order!(index.nearest(rect).within(S::of(1.0)).beyond(S::of(0.0)));
    driven_in_order!(index.nearest(rect.min()));
    driven_in_order!(index.raycast(Ray::new(rect.min(), rect.max())).until(S::of(1.0)));
    driven_in_order!(index.cast(rect, rect.max()).blocking(S::of(0.0)));
}

fn by_metric<S: Real, const D: usize>(run: &Run<S, D>) {
    let (how, from) = (black_box(How::Taxi), Span::of_rect(&run.index.world()));
    let measure = Measure::new(how, from);
    let mut buffer = SearchBuffer::new();
    let query = run.index.nearest_by(&measure).within(1.0).in_layers(LayerSet::ALL).excluding(Handle::default());
    black_box((query.clone().exists(), query.clone().take(1).count(), drain(query.reusing(&mut buffer))));
    black_box(by_list(run, (how, &from), |_| true));
}

fn couples<S: Real, const D: usize>(index: &Index<S, D>, run: &Run<S, D>) {
    let wanted = Wanted::within(S::of(1.0));
    let mut scattered = Scattered::<S, D>::new(run.index.clone());
    let layer = scattered.add_layer(true);
    scattered.insert(layer, Span::of_rect(&index.world()));
    black_box(scattered.assert_pairs(&wanted, "nowhere"));
    for pairs in
        [index.pairs(), index.pairs().between(LayerSet::ALL, LayerSet::ALL), index.pairs_of([Handle::default()])]
    {
        let pairs = couples::near_enough(pairs, &wanted).between(LayerSet::ALL, LayerSet::ALL).in_layers(LayerSet::ALL);
        black_box((couples::drain(&pairs), pairs.clone().exists(), pairs.count()));
    }
    let mut contacts = Contacts::new();
    black_box((contacts.poll(index.pairs()).is_ok(), contacts.poll(index.join(&run.index)).is_ok()));
    let join = index.join(&run.index).within(S::of(1.0)).between(LayerSet::ALL, LayerSet::ALL);
    black_box((couples::drain(&join), join.clone().exists(), join.count()));
    let layers = couples::layers_of(&run.model.objects);
    black_box((couples::between(&[], &layers, &wanted), couples::of_both(&[], [&layers; 2], &wanted)));
    couples::assert_order(&layers, &[], &wanted);
    black_box(couples::near(&run.model.objects, &wanted));
    black_box(couples::near_in_both([&run.model.objects, &run.model.objects], &wanted));
}

fn cursors<S: Real, const D: usize>(index: &Index<S, D>, model: &Model<S, D>) {
    let question = Question { asked: Asked::everything(), ..Question::about(Span::of_rect(&index.world())) };
    let form = Form { relation: None, shaped: false, distinct: false };
    let mut followed = Followed::begin(index, model, question, form, 1);
    followed.watch(index, model, &places(model));
    black_box(followed.go_on(index, model, Way::Next, 1).is_ok());
    black_box(Watch::new().poll(index.intersecting(index.world())).is_ok());
}

fn shapes<S: Real, const D: usize>() {
    let mut filled = Filled::<S, D>::new(roomy_scenes::<S>()[0].index(), 1);
    let rect: Rect<S, D> = black_box(filled.index.world());
    let half_spaces = [HalfSpace::new(rect.max(), S::of(1.0))];
    filled.about(Ball::new(rect.min(), S::of(1.0)));
    filled.about(Segment::new(rect.min(), rect.max()));
    filled.about(Convex::new(&half_spaces));
    filled.about(Ring::new(rect.min(), S::of(1.0), S::of(2.0)));
}
