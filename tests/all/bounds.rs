//! `bounds` against a scan, and worlds that fit their objects.

use proptest::prelude::*;
use quadrille::{LayerSet, LayerSettings, Rect};

use quadrille_support::oracle::{Asked, Model, Span};
use quadrille_support::properties::for_all;
use quadrille_support::questions::{drawn_layers, set_of};
use quadrille_support::run::Run;
use quadrille_support::scene::{all_scenes, roomy_scenes};
use quadrille_support::step::{Step, many, settings, steps};
use quadrille_support::{AnyLayer, Dice, Index, Real, assert_sound, in_spaces};

in_spaces!(of_changed, of_many, units_are_coarser, long_ones_reach_out, worlds_fit, worlds_that_fit_nothing);

/// The smallest box around the objects of some layers, by a scan.
fn scanned<S: Real, const D: usize>(model: &Model<S, D>, asked: &Asked) -> Option<Rect<S, D>> {
    let lower = |a: S, b: S| if b < a { b } else { a };
    let higher = |a: S, b: S| if a < b { b } else { a };
    let spans = model.objects.iter().filter(|known| asked.holds(known.layer)).map(|known| known.span);
    let around = spans.reduce(|a, b| Span {
        min: core::array::from_fn(|axis| lower(a.min[axis], b.min[axis])),
        max: core::array::from_fn(|axis| higher(a.max[axis], b.max[axis])),
    });
    around.map(Span::rect)
}

fn ask_after<S: Real, const D: usize>(steps: BoxedStrategy<Vec<Step>>) {
    let scenes = all_scenes::<S>();
    let layers = prop::collection::vec((any::<bool>(), settings()), 0..3);
    let asked = prop::collection::vec((any::<u8>(), any::<bool>()), 6);
    for_all(48, (0..scenes.len(), layers, steps, asked), move |(scene, layers, steps, asked)| {
        let run = Run::<S, D>::with_layers(&scenes[scene], layers, &steps);
        for (bits, all_but_these) in asked {
            let asked = drawn_layers(&run.index, bits, all_but_these);
            assert_eq!(run.index.bounds(set_of(&asked)), scanned(&run.model, &asked), "{asked:?}");
        }
        fit(&run);
    });
}

/// A world that fits is around all objects; one that does not leaves the index as it was.
fn fit<S: Real, const D: usize>(run: &Run<S, D>) {
    let (mut index, before) = (run.index.clone(), run.index.world());
    match (scanned(&run.model, &Asked::everything()), index.fit_world()) {
        (None, fitted) => assert_eq!((fitted, index.world()), (Ok(()), before)),
        (Some(bounds), Ok(())) => {
            assert!(index.world().contains(&bounds), "{bounds:?} in {:?}", index.world());
            for axis in 0..D {
                let ends = |rect: &Rect<S, D>| (rect.min()[axis], rect.max()[axis]);
                assert!(ends(&bounds).0 == ends(&bounds).1 || ends(&bounds) == ends(&index.world()));
            }
        }
        (Some(_), Err(_)) => assert_eq!(index.world(), before),
    }
    assert_sound(&index, "a world that fits");
    assert_eq!(index.bounds(LayerSet::ALL), scanned(&run.model, &Asked::everything()));
}

/// After random changes.
fn of_changed<S: Real, const D: usize>() {
    ask_after::<S, D>(steps());
}

/// Among many objects, in layers of all settings.
fn of_many<S: Real, const D: usize>() {
    ask_after::<S, D>(many(300));
}

fn empty<S: Real, const D: usize>() -> (Index<S, D>, [AnyLayer; 2]) {
    let mut index: Index<S, D> = roomy_scenes::<S>()[0].index();
    let settings = LayerSettings::new().split_above(2);
    let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
    (index, layers)
}

/// Objects in the same unit as the outermost one may lie farther out, by less than a unit. They are in other buckets, as
/// their places on the other axes differ.
fn units_are_coarser<S: Real, const D: usize>() {
    let mut world = Rect::new([S::of(0.0); D], [S::of(1e12); D]);
    for _ in 0..2 {
        let (mut index, layers) = empty::<S, D>();
        index.set_world(world).expect("a world");
        let mut dice = Dice::new(31);
        for number in 0..200 {
            // Less than a unit apart on the first axis, at both ends.
            let at = if number % 2 == 0 { 100.0 + dice.fraction() } else { 9e11 + 500.0 * dice.fraction() };
            let mut min = core::array::from_fn(|_| S::of(1e11 * (1.0 + 8.0 * dice.fraction())));
            min[0] = S::of(at);
            layers[number % 4 / 2].insert(&mut index, Span { min, max: min }, 0).expect("finite");
            let ends = index.iter().map(|object| object.shape().min()[0].value());
            let ends = ends.fold([f64::MAX, f64::MIN], |[low, high], at| [at.min(low), at.max(high)]);
            let bounds = index.bounds(LayerSet::ALL).expect("there are some");
            assert_eq!((bounds.min()[0], bounds.max()[0]), (S::of(ends[0]), S::of(ends[1])), "{number}");
        }
        // All outside of the world.
        world = Rect::new([S::of(-1e12); D], [S::of(0.0); D]);
    }
}

/// The object that reaches farthest to the high side may begin anywhere.
fn long_ones_reach_out<S: Real, const D: usize>() {
    let (mut index, [_, rects]) = empty::<S, D>();
    let mut dice = Dice::new(37);
    for number in 0..300 {
        let min: [S; D] = core::array::from_fn(|_| S::of(2.0 + 40.0 * dice.fraction()));
        rects.insert(&mut index, Span { min, max: min }, number).expect("finite");
    }
    for (number, side) in (0..40).zip([1.0, 3.0, 7.0, 16.0, 33.0].into_iter().cycle()) {
        let mut max = [S::of(21.0); D];
        let before = index.bounds(rects.id()).expect("there are some");
        max[number % D] = S::of(before.max()[number % D].value().max(20.0 + side) + 0.25);
        let handle = rects.insert(&mut index, Span { min: [S::of(20.0); D], max }, 0).expect("finite");
        let bounds = index.bounds(rects.id()).expect("there are some");
        assert_eq!(bounds, before.union(&Rect::new([S::of(20.0); D], max)), "{side}");
        if number % 3 == 0 {
            index.remove(handle);
            assert_eq!(index.bounds(rects.id()), Some(before));
        }
    }
}

fn worlds_fit<S: Real, const D: usize>() {
    let (mut index, [points, rects]) = empty::<S, D>();
    let before = index.world();
    assert_eq!((index.bounds(LayerSet::ALL), index.fit_world(), index.world()), (None, Ok(()), before), "no objects");
    let mut row = [S::of(500.0); D];
    for at in [1000.0, 1200.0, 1400.0] {
        row[0] = S::of(at);
        points.insert(&mut index, Span::at(row), 0).expect("finite");
    }
    assert_eq!(index.fit_world(), Ok(()), "a row");
    let mut expected = Span::cube(S::of(300.0), S::of(700.0));
    (expected.min[0], expected.max[0]) = (S::of(1000.0), S::of(1400.0));
    assert_eq!(index.world(), expected.rect());
    let tall = Span { min: [S::of(0.0); D], max: core::array::from_fn(|axis| S::of([10.0, 11.0, 12.0][axis])) };
    rects.insert(&mut index, tall, 0).expect("finite");
    let bounds = index.bounds(LayerSet::ALL).expect("there are some");
    assert_eq!((index.fit_world(), index.world()), (Ok(()), bounds), "all layers");
    assert_eq!(index.bounds(rects.id()), Some(tall.rect()));
    assert_eq!(index.bounds(LayerSet::NONE), None);
    assert_sound(&index, "worlds that fit");
}

/// All in one point, farther apart than numbers reach, or closer together than units can be.
fn worlds_that_fit_nothing<S: Real, const D: usize>() {
    let least = S::of(-S::LARGEST.value());
    let cases =
        [([S::of(7.0), S::of(7.0)], 0.0), ([least, S::LARGEST], f64::INFINITY), ([S::of(0.0), S::SMALLEST], 1e-40)];
    for ([low, high], most) in cases {
        let (mut index, layers) = empty::<S, D>();
        for end in [low, high] {
            layers[0].insert(&mut index, Span::at([end; D]), 0).expect("finite");
        }
        let before = index.world();
        let error = index.fit_world().expect_err("no world");
        assert!(error.axis == 0 && error.extent <= most, "{error}");
        assert_eq!((index.world(), index.bounds(LayerSet::ALL)), (before, Some(Rect::new([low; D], [high; D]))));
    }
}
