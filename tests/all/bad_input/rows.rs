//! A row: an argument of a public function, with a call. The rows of objects, worlds and layers.

use quadrille::{AnyOf, Handle, LayerSet, LayerSettings, Metric, Rect};

use quadrille_support::agreement::snapshot;
pub(super) use quadrille_support::images::handles;
use quadrille_support::oracle::{Relation, Span};
use quadrille_support::{AnyLayer, Index, Real};

use super::outcome::Outcome;
use super::setting::{Hint, Lying, Setting};

/// A call with an argument of some class.
pub(super) enum Take<S: 'static, const D: usize> {
    Point(fn(&mut Setting<S, D>, [S; D]) -> Outcome),
    Rect(fn(&mut Setting<S, D>, Rect<S, D>) -> Outcome),
    Number(fn(&mut Setting<S, D>, S) -> Outcome),
    Handle(fn(&mut Setting<S, D>, Handle) -> Outcome),
    Layer(fn(&mut Setting<S, D>, AnyLayer) -> Outcome),
    Layers(fn(&mut Setting<S, D>, LayerSet) -> Outcome),
    List(fn(&mut Setting<S, D>, Hint) -> Outcome),
    Count(fn(&mut Setting<S, D>, usize) -> Outcome),
    Index(fn(&mut Setting<S, D>, &Index<S, D>) -> Outcome),
    /// Where all numbers of layers are in use.
    Room(fn(&mut Setting<S, D>) -> Outcome),
}

pub(super) struct Row<S: 'static, const D: usize> {
    /// The function and the argument: `Rect::new(corner)`. Several, if one call tries them all.
    pub(super) names: &'static str,
    pub(super) take: Take<S, D>,
}

pub(super) const fn row<S, const D: usize>(names: &'static str, take: Take<S, D>) -> Row<S, D> {
    Row { names, take }
}

pub(super) fn at<S: Real, const D: usize>() -> [S; D] {
    Setting::<S, D>::sound_point()
}

pub(super) fn sound<S: Real, const D: usize>() -> Rect<S, D> {
    Setting::<S, D>::sound_rect()
}

pub(super) fn shapes_of_objects<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{List, Point, Rect};
    vec![
        row("SpatialIndex::insert(shape)", Point(|on, at| Outcome::of(on.index.insert(on.points, at, 0)))),
        row("SpatialIndex::insert(shape)", Rect(|on, shape| Outcome::of(on.index.insert(on.rects, shape, 0)))),
        row("SpatialIndex::insert_any(shape)", Rect(|on, shape| Outcome::of(on.index.insert_any(on.rects, shape, 0)))),
        row(
            "SpatialIndex::insert_batch(objects)",
            Point(|on, bad| {
                let objects = [(at(), 0), (bad, 1), (at(), 2)];
                Outcome::of(on.index.insert_batch(on.points, objects).map_err(|error| {
                    assert_eq!(error.position, 1);
                    error.reason
                }))
            }),
        ),
        row("SpatialIndex::move_to(shape)", Point(|on, at| Outcome::of(on.index.move_to(on.point, at)))),
        row("SpatialIndex::move_to(shape)", Rect(|on, shape| Outcome::of(on.index.move_to(on.rect, shape)))),
        row("SpatialIndex::move_by(offset)", Point(|on, offset| Outcome::of(on.index.move_by(on.rect, offset)))),
        row(
            "SpatialIndex::move_batch(moves)",
            Point(|on, at| Outcome::of_batch(&on.index.move_batch([(on.point, at)]))),
        ),
        row(
            "SpatialIndex::update(shape_of)",
            Point(|on, at| Outcome::of_batch(&on.index.update(on.points, |_, _, _| at).expect("a layer"))),
        ),
        #[cfg(feature = "rayon")]
        row(
            "SpatialIndex::par_update(shape_of)",
            Point(|on, at| Outcome::of_batch(&on.index.par_update(on.points, |_, _, _| at).expect("a layer"))),
        ),
        #[cfg(feature = "rayon")]
        changed_by_threads(),
        sorted(),
        row(
            "SpatialIndex::insert_batch(objects)",
            List(|on, hint| {
                let objects = Lying((0..30).map(|value| (at(), value)), hint);
                let handles = on.index.insert_batch(on.points, objects);
                assert_eq!(handles.as_ref().map(Vec::len), Ok(30));
                Outcome::of(handles)
            }),
        ),
        row(
            "SpatialIndex::move_batch(moves)",
            List(|on, hint| {
                let moves = Lying([(on.point, at()), (on.point, at())].into_iter(), hint);
                Outcome::of_batch(&on.index.move_batch(moves))
            }),
        ),
        row(
            "SpatialIndex::remove_batch(handles)",
            List(|on, hint| Outcome::of(on.index.remove_batch(Lying([on.rect].into_iter(), hint)))),
        ),
        row(
            "SpatialIndex::pairs_of(objects)",
            List(|on, hint| {
                let count = on.index.pairs_of(Lying([on.rect].into_iter(), hint)).count();
                Outcome::of_bool(count == on.index.pairs_of([on.rect]).count())
            }),
        ),
        row(
            "SpatialIndex::join_of(objects)",
            List(|on, hint| {
                let count = on.index.join_of(Lying([on.rect].into_iter(), hint), &on.index).count();
                Outcome::of_bool(count == on.index.join_of([on.rect], &on.index).count())
            }),
        ),
        row(
            "SpatialIndex::query_batch(questions), Answers::fill(questions)",
            List(|on, hint| {
                let questions = || Lying([sound::<S, D>()].into_iter(), hint);
                let mut answers = on.index.query_batch(questions(), |_, answer| answer.extend([1]));
                answers.fill(&on.index, questions(), |_, answer| answer.extend([2]));
                Outcome::of_bool(answers.items == [2])
            }),
        ),
        row(
            "Rect::from_points(points)",
            List(|_, hint| {
                let corners = [sound::<S, D>().min(), sound::<S, D>().max()];
                Outcome::of_bool(quadrille::Rect::from_points(Lying(corners.into_iter(), hint)) == Some(sound()))
            }),
        ),
        row(
            "Rect::from_rects(rects)",
            List(|_, hint| {
                let rects = Lying([sound::<S, D>()].into_iter(), hint);
                Outcome::of_bool(quadrille::Rect::from_rects(rects) == Some(sound()))
            }),
        ),
        row(
            "AnyOf::new(regions)",
            List(|on, hint| {
                let found = on.index.intersecting(AnyOf::new(Lying([sound::<S, D>()].into_iter(), hint)));
                on.found(&handles(found), Some((Relation::Intersecting, sound())))
            }),
        ),
    ]
}

#[cfg(feature = "rayon")]
fn changed_by_threads<S: Real, const D: usize>() -> Row<S, D> {
    row(
        "SpatialIndex::par_update_mut(shape_of)",
        Take::Point(|on, at| Outcome::of_batch(&on.index.par_update_mut(on.points, |_, _, _| at).expect("a layer"))),
    )
}

fn sorted<S: Real, const D: usize>() -> Row<S, D> {
    row(
        "SpatialIndex::sort_by_place(shape_of)",
        Take::Point(|on, bad| {
            let mut items = [(bad, 0), (at(), 1), (bad, 2), (at(), 3)];
            on.index.sort_by_place(&mut items, |item| item.0);
            let order = items.map(|item| item.1);
            assert!([[0, 2, 1, 3], [1, 3, 0, 2]].contains(&order), "{order:?}");
            if bad.iter().all(|at| at.value().is_finite()) || order[0] == 1 { Outcome::Ok } else { Outcome::Some }
        }),
    )
}

pub(super) fn worlds<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Count, Rect};
    vec![
        row("SpatialIndex::new(world)", Rect(|_, world| Outcome::of(Index::<S, D>::new(world)))),
        row("SpatialIndex::set_world(world)", Rect(|on, world| Outcome::of(on.index.set_world(world)))),
        row(
            "SpatialIndex::add_point_layer_with(settings), LayerSettings::depth_max(depth_max)",
            Count(|on, depth| {
                let settings = LayerSettings::new().depth_max(u8::try_from(depth).unwrap_or(u8::MAX));
                Outcome::of(on.index.add_point_layer_with(settings))
            }),
        ),
        row(
            "LayerSettings::split_above(objects)",
            Count(|on, objects| {
                let settings = LayerSettings::new().split_above(u32::try_from(objects).unwrap_or(u32::MAX));
                Outcome::of(on.index.add_point_layer_with(settings))
            }),
        ),
        row(
            "SpatialIndex::add_rect_layer_with(settings)",
            Count(|on, objects| {
                let settings = LayerSettings::new().split_above(u32::try_from(objects).unwrap_or(u32::MAX));
                Outcome::of(on.index.add_rect_layer_with(settings))
            }),
        ),
        row(
            "SpatialIndex::optimize_step(budget)",
            Count(|on, budget| {
                let _ = on.index.optimize_step(budget);
                Outcome::Ok
            }),
        ),
        row(
            "Cursor::run(budget)",
            Count(|on, budget| {
                let (mut cursor, mut found) = (on.index.iter().pause(), Vec::new());
                for _ in 0..1000 {
                    let slice = cursor.run(&on.index, budget, |object| found.push(object.handle()));
                    if slice.expect("the same index").done {
                        return on.found(&found, Some((Relation::Intersecting, quadrille::Rect::everything())));
                    }
                }
                panic!("it makes no progress");
            }),
        ),
        row("SpatialIndex::handle_at(slot)", Count(|on, slot| Outcome::of_option(on.index.handle_at(slot)))),
        row(
            "Nearest::take_with_ties(objects)",
            Count(|on, objects| {
                let found = on.index.nearest(at::<S, D>()).take_with_ties(objects);
                on.found(&handles(found.map(|found| found.object)), None)
            }),
        ),
        row(
            "Handle::from_bits(bits)",
            Count(|on, bits| Outcome::of_option(on.index.get(Handle::from_bits(bits as u64)))),
        ),
        row(
            "LayerSet::from_bits(bits)",
            Count(|on, bits| {
                let found = on.index.iter().in_layers(LayerSet::from_bits(bits as u64));
                on.found(&handles(found), None)
            }),
        ),
    ]
}

pub(super) fn layers<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::Layer;
    vec![
        row(
            "SpatialIndex::insert(layer)",
            Layer(|on, layer| typed(layer, |_| layer.insert(&mut on.index, Span::of_rect(&sound()), 0))),
        ),
        row(
            "SpatialIndex::insert_batch(layer)",
            Layer(|on, layer| {
                typed(layer, |layer| on.index.insert_batch(layer, [(sound(), 0)]).map_err(|error| error.reason))
            }),
        ),
        row(
            "SpatialIndex::update(layer)",
            Layer(|on, layer| typed(layer, |layer| on.index.update(layer, |_, _, shape| shape))),
        ),
        #[cfg(feature = "rayon")]
        row(
            "SpatialIndex::par_update(layer)",
            Layer(|on, layer| typed(layer, |layer| on.index.par_update(layer, |_, _, shape| shape))),
        ),
        #[cfg(feature = "rayon")]
        row(
            "SpatialIndex::par_update_mut(layer)",
            Layer(|on, layer| typed(layer, |layer| on.index.par_update_mut(layer, |_, _, shape| shape))),
        ),
        row(
            "SpatialIndex::insert_any(layer)",
            Layer(|on, layer| Outcome::of(on.index.insert_any(layer.id(), sound(), 0))),
        ),
        row("SpatialIndex::set_layer(layer)", Layer(|on, layer| Outcome::of(layer.take(&mut on.index, on.rect)))),
        row("SpatialIndex::remove_layer(layer)", Layer(|on, layer| Outcome::of(on.index.remove_layer(layer.id())))),
        row("SpatialIndex::layer_kind(layer)", Layer(|on, layer| Outcome::of_option(on.index.layer_kind(layer.id())))),
        row(
            "SpatialIndex::point_layer(layer)",
            Layer(|on, layer| Outcome::of_option(on.index.point_layer(layer.id()))),
        ),
        row("SpatialIndex::rect_layer(layer)", Layer(|on, layer| Outcome::of_option(on.index.rect_layer(layer.id())))),
        row(
            "SpatialIndex::cells(layer)",
            Layer(|on, layer| if on.index.cells(layer.id()).next().is_some() { Outcome::Ok } else { Outcome::Nothing }),
        ),
        row(
            "SpatialIndex::cell_at(layer)",
            Layer(|on, layer| Outcome::of_option(on.index.cell_at(layer.id(), at::<S, D>()))),
        ),
        row(
            "LayerSet::contains(layer)",
            Layer(|on, layer| Outcome::of_bool((on.points | on.rects).contains(layer.id()))),
        ),
    ]
}

/// A call for a layer of boxes, to which the compiler admits no layer of points.
fn typed<T, E: std::fmt::Debug>(
    layer: AnyLayer,
    call: impl FnOnce(quadrille::Layer<quadrille::Rects>) -> Result<T, E>,
) -> Outcome {
    match layer {
        AnyLayer::Rects(layer) => Outcome::of(call(layer)),
        AnyLayer::Points(_) => Outcome::Untypable,
    }
}

pub(super) fn names<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    use Take::{Handle, Layers};
    fn objects<S: Real, const D: usize>(index: &Index<S, D>, left: usize) -> Outcome {
        Outcome::of_count(left, index.len())
    }
    vec![
        row("SpatialIndex::move_to(handle)", Handle(|on, handle| Outcome::of(on.index.move_to(handle, sound())))),
        row("SpatialIndex::move_by(handle)", Handle(|on, handle| Outcome::of(on.index.move_by(handle, at::<S, D>())))),
        row(
            "SpatialIndex::move_batch(moves)",
            Handle(|on, handle| Outcome::of_batch(&on.index.move_batch([(handle, sound())]))),
        ),
        row("SpatialIndex::set_layer(handle)", Handle(|on, handle| Outcome::of(on.index.set_layer(handle, on.rects)))),
        row("SpatialIndex::remove(handle)", Handle(|on, handle| Outcome::of_option(on.index.remove(handle)))),
        row(
            "SpatialIndex::remove_batch(handles)",
            Handle(|on, handle| Outcome::of(on.index.remove_batch([handle]).map_err(|error| error.reason))),
        ),
        row("SpatialIndex::object(handle)", Handle(|on, handle| Outcome::of_option(on.index.object(handle)))),
        row("SpatialIndex::get(handle)", Handle(|on, handle| Outcome::of_option(on.index.get(handle)))),
        row("SpatialIndex::get_mut(handle)", Handle(|on, handle| Outcome::of_option(on.index.get_mut(handle)))),
        row("SpatialIndex::get_disjoint_mut(handles)", Handle(lent_with_another)),
        row("SpatialIndex::shape(handle)", Handle(|on, handle| Outcome::of_option(on.index.shape(handle)))),
        row("SpatialIndex::layer(handle)", Handle(|on, handle| Outcome::of_option(on.index.layer(handle)))),
        row("SpatialIndex::contains(handle)", Handle(|on, handle| Outcome::of_bool(on.index.contains(handle)))),
        row("SpatialIndex::cell_of(object)", Handle(|on, handle| Outcome::of_option(on.index.cell_of(handle)))),
        row(
            "SpatialIndex::pairs_of(objects)",
            Handle(|on, handle| {
                let of_one = on.index.pairs_of([handle]).count();
                if of_one == 0 { Outcome::Nothing } else { Outcome::Ok }
            }),
        ),
        row(
            "Query::excluding(objects)",
            Handle(|on, handle| objects(&on.index, on.index.iter().excluding(handle).count())),
        ),
        row(
            "Nearest::excluding(objects), Cast::excluding(objects)",
            Handle(|on, handle| {
                let found = on.index.nearest(at::<S, D>()).excluding(handle).count();
                assert_eq!(on.index.cast(Rect::everything(), at::<S, D>()).excluding(handle).count(), found);
                objects(&on.index, found)
            }),
        ),
        row(
            "NearestBy::excluding(objects)",
            Handle(|on, handle| objects(&on.index, on.index.nearest_by(Answer(0.0)).excluding(handle).count())),
        ),
        row("SpatialIndex::len_in(layers)", Layers(|on, layers| objects(&on.index, on.index.len_in(layers)))),
        row(
            "SpatialIndex::stats_in(layers)",
            Layers(|on, layers| objects(&on.index, on.index.stats_in(layers).objects)),
        ),
        row("SpatialIndex::bounds(layers)", Layers(|on, layers| Outcome::of_option(on.index.bounds(layers)))),
        row(
            "SpatialIndex::clear_in(layers)",
            Layers(|on, layers| {
                let before = on.index.len();
                on.index.clear_in(layers);
                if on.index.len() == before { Outcome::Unchanged } else { Outcome::Ok }
            }),
        ),
        row(
            "SpatialIndex::drain_in(layers)",
            Layers(|on, layers| if on.index.drain_in(layers).count() == 0 { Outcome::Unchanged } else { Outcome::Ok }),
        ),
        row(
            "IterMut::in_layers(layers)",
            Layers(|on, layers| {
                let all = on.index.len();
                Outcome::of_count(on.index.iter_mut().in_layers(layers).count(), all)
            }),
        ),
        row(
            "Query::in_layers(layers)",
            Layers(|on, layers| objects(&on.index, on.index.iter().in_layers(layers).count())),
        ),
        row(
            "Nearest::in_layers(layers), Cast::in_layers(layers)",
            Layers(|on, layers| {
                let found = on.index.nearest(at::<S, D>()).in_layers(layers).count();
                assert_eq!(on.index.cast(Rect::everything(), at::<S, D>()).in_layers(layers).count(), found);
                objects(&on.index, found)
            }),
        ),
        row(
            "NearestBy::in_layers(layers)",
            Layers(|on, layers| objects(&on.index, on.index.nearest_by(Answer(0.0)).in_layers(layers).count())),
        ),
        row("Join::in_layers(layers)", Layers(|on, layers| pairs(on, on.index.pairs().in_layers(layers).count()))),
        row(
            "Join::between(first), Join::between(second)",
            Layers(|on, layers| {
                let counts = [(layers, LayerSet::ALL), (LayerSet::ALL, layers)];
                let [one, other] = counts.map(|(first, second)| on.index.pairs().between(first, second).count());
                assert_eq!(one, other);
                pairs(on, one)
            }),
        ),
    ]
}

/// The values of an object and of another one.
fn lent_with_another<S: Real, const D: usize>(on: &mut Setting<S, D>, handle: Handle) -> Outcome {
    assert!(on.index.get_disjoint_mut([handle, handle]).is_none());
    let other = on.index.iter().map(|object| object.handle()).find(|other| *other != handle);
    Outcome::of_option(on.index.get_disjoint_mut([other.expect("there are several"), handle]))
}

fn pairs<S: Real, const D: usize>(on: &Setting<S, D>, count: usize) -> Outcome {
    Outcome::of_count(count, on.index.pairs().count())
}

/// A metric with one answer.
pub(super) struct Answer(pub(super) f64);

impl<T, S: Real, const D: usize> Metric<T, S, D> for Answer {
    fn bound(&self, _: &Rect<S, D>) -> f64 {
        self.0
    }
}

pub(super) fn no_room<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    vec![
        row(
            "SpatialIndex::add_point_layer()",
            Take::Room(|on| refused_twice(on, |index| Outcome::of(index.add_point_layer()))),
        ),
        row(
            "SpatialIndex::add_rect_layer()",
            Take::Room(|on| refused_twice(on, |index| Outcome::of(index.add_rect_layer()))),
        ),
    ]
}

/// The outcome where 64 layers are there, and that of a second call.
fn refused_twice<S: Real, const D: usize>(
    on: &mut Setting<S, D>,
    call: impl Fn(&mut Index<S, D>) -> Outcome,
) -> Outcome {
    let mut full = on.index.clone();
    while full.layers().count() < 64 {
        full.add_rect_layer().expect("there is room");
    }
    let before = snapshot(&full);
    let outcome = call(&mut full);
    assert_eq!((call(&mut full), snapshot(&full)), (outcome.clone(), before));
    outcome
}
