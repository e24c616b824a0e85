//! Tables of edge cases: touching, degenerate, equal, outside, empty, infinite, off by one neighbour.

use quadrille::{Handle, LayerSet, LayerSettings, Moved, Rect};

use quadrille_support::agreement::assert_agrees;
use quadrille_support::filled::Filled;
use quadrille_support::oracle::{Asked, Model, Relation, Span, sorted};
use quadrille_support::pairs::{Pair, each_pair};
use quadrille_support::questions::{Question, ask};
use quadrille_support::scene::{Scene, roomy_scenes};
use quadrille_support::spot::{Outline, at};
use quadrille_support::{AnyLayer, Dice, Index, Real, assert_sound, in_spaces};

in_spaces!(
    pairs_alone,
    pairs_in_a_crowd,
    rect_predicates,
    an_empty_index,
    layers_and_exclusion,
    regions_that_are_nowhere,
    filters_on_the_way,
    objects_ask,
    counts_of_what_is_covered,
    moved_in_place,
    layers_come_and_go,
);

/// The kinds of layers that can hold an object.
fn kinds<S: Real, const D: usize>(object: &Span<S, D>) -> &'static [bool] {
    if object.is_point() { &[false, true] } else { &[true] }
}

/// An object alone in its index.
fn pairs_alone<S: Real, const D: usize>() {
    for scene in roomy_scenes::<S>() {
        each_pair::<S, D>(&scene, |pair, object, region, place| {
            for rects in kinds(&object) {
                let mut index = scene.index();
                let layer = AnyLayer::add(&mut index, *rects, LayerSettings::new());
                let mut model = Model::new();
                let handle = layer.insert_in_both(&mut index, &mut model, object, 7);
                assert_sound(&index, place);
                assert_pair(&index, &model, pair, region, handle, place);
            }
        });
    }
}

/// The object among others, in layers that split at every chance.
fn pairs_in_a_crowd<S: Real, const D: usize>() {
    for scene in roomy_scenes::<S>() {
        let Filled { mut index, mut model, layers } = crowd(&scene);
        each_pair::<S, D>(&scene, |pair, object, region, place| {
            for rects in kinds(&object) {
                let layer = layers[usize::from(*rects)];
                let handle = layer.insert_in_both(&mut index, &mut model, object, 7);
                assert_pair(&index, &model, pair, region, handle, place);
                assert_eq!(index.remove(handle), Some(7));
                model.remove(handle);
            }
        });
        assert_sound(&index, "all pairs came and went");
    }
}

/// Shapes on the lattice, some in every sixteenth, in layers that split at every chance.
fn crowd<S: Real, const D: usize>(scene: &Scene<S>) -> Filled<S, D> {
    let (mut filled, world) = (Filled::new(scene.index(), 2), scene.world());
    let mut dice = Dice::new(1);
    for _ in 0..60 {
        let mut place = || i16::try_from(dice.below(16)).expect("16 places");
        let corner = [at(place()), at(place()), at(place())];
        let outline = Outline { corner, opposite: Outline { corner, opposite: corner }.moved(place() % 3).corner };
        for rects in [false, true] {
            filled.insert(rects, outline.span(&world));
        }
    }
    filled
}

/// The answers about one object are those of the table, and all answers are those of the oracle.
fn assert_pair<S: Real, const D: usize>(
    index: &Index<S, D>,
    model: &Model<S, D>,
    pair: &Pair,
    region: Span<S, D>,
    handle: Handle,
    place: &str,
) {
    let rect = region.rect();
    let found = [
        index.intersecting(rect).any(|object| object.handle() == handle),
        index.contained_in(rect).any(|object| object.handle() == handle),
        index.containing(rect).any(|object| object.handle() == handle),
    ];
    let alike_elsewhere = model.find(handle).expect("the object").span;
    for (relation, found) in Relation::EVERY.into_iter().zip(found) {
        assert_eq!(found, pair.expects(relation), "{relation:?}: {place}");
        let by_oracle = relation.holds(&alike_elsewhere, &region);
        assert_eq!(by_oracle, found, "the oracle, {relation:?}: {place}");
    }
    ask(index, model, &Question::about(region));
}

/// The predicates of rectangles are those of the queries.
fn rect_predicates<S: Real, const D: usize>() {
    for scene in roomy_scenes::<S>() {
        each_pair::<S, D>(&scene, |pair, object, region, place| {
            let (object_rect, region_rect) = (object.rect(), region.rect());
            assert_eq!(object_rect.intersects(&region_rect), pair.intersecting, "{place}");
            assert_eq!(region_rect.intersects(&object_rect), pair.intersecting, "{place}");
            assert_eq!(region_rect.contains(&object_rect), pair.contained_in, "{place}");
            assert_eq!(object_rect.contains(&region_rect), pair.containing, "{place}");
            if object.is_point() {
                assert_eq!(region_rect.contains_point(object.min), pair.contained_in, "{place}");
            }
        });
    }
}

/// Nothing is found where nothing is, without layers, with empty layers, and after the last removal.
fn an_empty_index<S: Real, const D: usize>() {
    for scene in roomy_scenes::<S>() {
        let mut index = scene.index::<D>();
        let model = Model::new();
        let everything = Question::about(Span::of_rect(&Rect::everything()));
        assert_eq!(ask(&index, &model, &everything), []);
        let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new()));
        assert_eq!(ask(&index, &model, &everything), []);
        for layer in layers {
            let span = Span::of_rect(&scene.world());
            let handle = layer.insert(&mut index, span, 1).expect("finite");
            assert_eq!(index.iter().count(), 1);
            assert_eq!(index.remove(handle), Some(1));
            assert_eq!(ask(&index, &model, &everything), []);
        }
        assert_sound(&index, "all was removed");
    }
}

/// Sets of layers pick exactly their layers; an excluded object alone is missing.
fn layers_and_exclusion<S: Real, const D: usize>() {
    let scene = &roomy_scenes::<S>()[0];
    let mut index = scene.index::<D>();
    let layers = [false, true, false].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new()));
    let handles = layers.map(|layer| {
        let span = Span::cube(S::of(1.0), S::of(2.0));
        layer.insert(&mut index, span, u32::from(layer.id().number())).expect("finite")
    });
    let ids = layers.map(AnyLayer::id);
    let table = [
        (LayerSet::NONE, vec![]),
        (LayerSet::ALL, vec![0, 1, 2]),
        (ids[0].into(), vec![0]),
        (ids[1] | ids[2], vec![1, 2]),
        (!ids[1], vec![0, 2]),
        (LayerSet::ALL - ids[0] - ids[1], vec![2]),
        (LayerSet::from_bits(1 << 63), vec![]),
    ];
    let near = Rect::new([S::of(0.0); D], [S::of(3.0); D]);
    for (set, expected) in table {
        let expected = sorted(expected.into_iter().map(|layer: usize| handles[layer]));
        let found = sorted(index.intersecting(near).in_layers(set).map(|object| object.handle()));
        assert_eq!(found, expected, "{set:?}");
        assert_eq!(index.len_in(set), expected.len());
        assert_eq!(index.near(near).in_layers(set).exists(), !expected.is_empty());
        for excluded in handles.into_iter().chain([Handle::default()]) {
            let rest = expected.iter().copied().filter(|handle| *handle != excluded);
            let query = index.contained_in(near).in_layers(set).excluding(excluded);
            assert_eq!(sorted(query.map(|object| object.handle())), sorted(rest));
        }
    }
    let narrowed = index.iter().in_layers(ids[0] | ids[1]).in_layers(ids[1] | ids[2]);
    assert_eq!(narrowed.map(|object| object.handle()).collect::<Vec<_>>(), [handles[1]], "sets narrow each other");
    assert_eq!(index.remove_layer(ids[1]), Ok(1));
    assert_eq!(index.iter().in_layers(ids[1]).count(), 0, "a dead layer holds nothing");
    assert_eq!(index.iter().count(), 2);
}

/// A region with a NaN anywhere meets nothing, not even what is everywhere.
fn regions_that_are_nowhere<S: Real, const D: usize>() {
    let scene = &roomy_scenes::<S>()[0];
    let mut filled = crowd::<S, D>(scene);
    filled.insert(true, Span::cube(S::of(-S::LARGEST.value()), S::LARGEST));
    let Filled { index, model, .. } = &filled;
    let (whole, nan) = (Span::of_rect(&scene.world::<D>()), S::of(f64::NAN));
    for axis in 0..D {
        let (mut no_min, mut no_max, mut neither) = (whole, whole, whole);
        no_min.min[axis] = nan;
        no_max.max[axis] = nan;
        (neither.min[axis], neither.max[axis]) = (nan, nan);
        for region in [no_min, no_max, neither] {
            assert_eq!(ask(index, model, &Question::about(region)), [], "{region}");
            let turned = Rect::new(region.max, region.min);
            assert!(!index.near(turned).exists() && !index.intersecting(turned).exists());
            assert!(!index.contained_in(turned).exists() && !index.containing(turned).exists());
        }
        assert_eq!(index.containing(neither.min).count(), 0, "a point that is nowhere");
    }
    assert!(!ask(index, model, &Question::about(whole)).is_empty(), "the world itself is somewhere");
}

/// A filter set in the middle of a query holds for the rest, whatever was read ahead.
fn filters_on_the_way<S: Real, const D: usize>() {
    let scene = &roomy_scenes::<S>()[0];
    let mut index = scene.index::<D>();
    let layers = [false, true, false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new()));
    let mut dice = Dice::new(2);
    for value in 0..1000 {
        let point = core::array::from_fn(|_| S::of(dice.fraction() * 64.0));
        layers[dice.below(4)].insert(&mut index, Span::at(point), value).expect("finite");
    }
    let all: Vec<_> = index.iter().map(|object| (object.handle(), object.layer())).collect();
    assert_eq!(all.len(), 1000);
    let set = layers[1].id() | layers[2].id();
    for taken in (0..=1000).step_by(37) {
        let mut query = index.iter();
        // In the bucket at hand, or in one that was read ahead.
        let excluded = all[(taken + [5, 60, 140][taken % 3]).min(999)].0;
        assert_eq!(query.by_ref().take(taken).count(), taken);
        let expected = all[taken..].iter().filter(|(handle, layer)| set.contains(*layer) && *handle != excluded);
        let rest: Vec<_> = query.clone().in_layers(set).excluding(excluded).collect();
        let rest: Vec<_> = rest.iter().map(|object| (object.handle(), object.layer())).collect();
        assert_eq!(rest, expected.copied().collect::<Vec<_>>(), "after {taken}");
        assert_eq!(query.in_layers(LayerSet::NONE).count(), 0);
    }
}

/// An object asks about its own shape and leaves itself out, as it is, wherever it lies and whatever its layer.
fn objects_ask<S: Real, const D: usize>() {
    for scene in roomy_scenes::<S>() {
        let mut filled = crowd::<S, D>(&scene);
        filled.insert(true, Span::cube(S::of(-S::LARGEST.value()), S::LARGEST));
        let Filled { index, model, layers } = filled;
        for known in &model.objects {
            let object = index.object(known.handle).expect("a live object");
            let answers = [
                sorted(object.intersecting().map(|other| other.handle())),
                sorted(object.contained_in().map(|other| other.handle())),
                sorted(object.containing().map(|other| other.handle())),
            ];
            for (relation, answer) in Relation::EVERY.into_iter().zip(answers) {
                let all = Asked::everything();
                assert_eq!(answer, model.answer(relation, &known.span, &all, Some(known.handle)), "{relation:?}");
            }
            let near = index.near(object.shape()).excluding(known.handle);
            assert!(object.near().map(|other| other.handle()).eq(near.map(|other| other.handle())));
            assert_eq!(
                object.near().in_layers(layers[0].id()).filter(|other| other.layer() != layers[0].id()).count(),
                0
            );
        }
    }
}

/// `count` uses counters for whole trees, whole nodes and chains of several buckets. It is right at every stage, and
/// with one object left out that is counted, was yielded before, or lies in another layer or kind of layer.
fn counts_of_what_is_covered<S: Real, const D: usize>() {
    let scene = &roomy_scenes::<S>()[0];
    let mut index = scene.index::<D>();
    let layers = [false, true, false, true]
        .map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(if rects { 3 } else { 2 })));
    let mut dice = Dice::new(3);
    let mut handles = Vec::new();
    for value in 0..900 {
        // A third of all in one place, in a chain.
        let side = if value % 3 == 0 { 0.0 } else { 60.0 };
        let min = core::array::from_fn(|_| S::of(2.0 + dice.fraction() * side));
        let span = Span { min, max: min.map(|min: S| S::of(min.value() + dice.fraction())) };
        let layer = layers[dice.below(4)];
        handles.push(layer.insert(&mut index, layer.trimmed(span), value).expect("finite"));
    }
    let wide = Rect::new([S::of(-1.0); D], [S::of(65.0); D]);
    let most = Rect::new([S::of(1.0); D], [S::of(40.0); D]);
    let set = layers[0].id() | layers[1].id();
    macro_rules! assert_counts {
        ($query:expr) => {
            let mut query = $query;
            let all: Vec<_> = query.clone().map(|object| object.handle()).collect();
            for taken in 0..=all.len() {
                assert_eq!(query.clone().count(), all.len() - taken);
                let excluded = handles[dice.below(handles.len())];
                let rest = all[taken..].iter().filter(|handle| **handle != excluded).count();
                assert_eq!(query.clone().excluding(excluded).count(), rest, "{excluded:?} left out after {taken}");
                let of_layers = all[taken..].iter().filter(|handle| set.contains(index.layer(**handle).expect("live")));
                assert_eq!(query.clone().in_layers(set).count(), of_layers.count());
                query.next();
            }
        };
    }
    for region in [wide, most] {
        assert_counts!(index.intersecting(region));
        assert_counts!(index.contained_in(region));
        assert_counts!(index.near(region));
        assert_counts!(index.near(region).in_layers(set));
    }
    assert_counts!(index.within_distance([S::of(20.0); D], S::of(39.0)));
    assert_counts!(index.contained_in(quadrille::Ball::new([S::of(32.0); D], S::of(64.0))));
    assert_counts!(index.near(quadrille::Ball::new([S::of(20.0); D], S::of(39.0))));
    assert_counts!(index.iter());
    assert_eq!(index.iter().count(), index.len());
}

/// A move that changes nothing stays in place, and a move across the world does not.
fn moved_in_place<S: Real, const D: usize>() {
    let scene = &roomy_scenes::<S>()[0];
    let mut index = scene.index::<D>();
    for rects in [false, true] {
        let layer = AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(1));
        let span = |min: f64| layer.trimmed(Span::cube(S::of(min), S::of(min + 0.25)));
        let handle = layer.insert(&mut index, span(1.0), 5).expect("finite");
        for far in 0..40 {
            layer.insert(&mut index, span(f64::from(far) * 1.5), 0).expect("finite");
        }
        assert_eq!(layer.move_to(&mut index, handle, span(1.0)), Ok(Moved::InPlace));
        assert_eq!(layer.move_to(&mut index, handle, span(62.0)), Ok(Moved::Elsewhere));
        assert_eq!(index.shape(handle), Some(span(62.0).rect()));
        assert_eq!((index.get(handle), index.layer(handle)), (Some(&5), Some(layer.id())));
        assert_sound(&index, "a long move");
        let found: Vec<_> =
            index.containing(span(62.0).min).in_layers(layer.id()).map(|object| object.handle()).collect();
        assert_eq!(found, [handle]);
    }
}

/// Numbers of layers are used again, for either kind, and nothing of the former layer is left in them.
fn layers_come_and_go<S: Real, const D: usize>() {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let mut model = Model::new();
    let mut layers: Vec<AnyLayer> = Vec::new();
    for round in 0..200 {
        let layer = AnyLayer::add(&mut index, round % 3 == 0, LayerSettings::new().split_above(2));
        assert!(!layers.contains(&layer));
        layers.push(layer);
        for value in 0..6 {
            let span = Span::cube(S::of(f64::from(value)), S::of(f64::from(value + round % 7)));
            layer.insert_in_both(&mut index, &mut model, span, value);
        }
        if layers.len() > 5 {
            let oldest = layers.remove(usize::from(round % 2 == 0));
            assert_eq!(index.remove_layer(oldest.id()), Ok(6));
            model.objects.retain(|known| known.layer != oldest.id());
        }
        assert_sound(&index, "a round of layers");
        assert_agrees(&index, &model, &layers);
        ask(&index, &model, &Question::about(Span::cube(S::of(2.0), S::of(3.0))));
    }
}
