//! The neighbors of each object against a look at all others: random objects, every answer drained.

use core::fmt::Debug;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use quadrille::{Around, Handle, Neighbors, Object, ObjectRef, Periodic, Rect};
#[cfg(feature = "rayon")]
use rayon::iter::ParallelIterator;

use quadrille_support::couples::{Scattered, Tell, Wanted, sets};
use quadrille_support::oracle::{Known, Span};
use quadrille_support::properties::for_all;
use quadrille_support::questions::drawn_layers;
use quadrille_support::run::Run;
use quadrille_support::scene::{all_scenes, roomy_scenes, side_of};
use quadrille_support::spot::{Spot, awkward};
use quadrille_support::step::{Step, many, steps};
use quadrille_support::{Dice, Index, Real, in_spaces};

use crate::matching::is_even;

in_spaces!(
    of_changed,
    of_many,
    of_full_buckets,
    of_crowds,
    in_a_crowd_on_a_spot,
    fewer_match_than_are_wanted,
    beyond_all_squares,
    nothing_is_near,
    those_that_lie_apart_are_divided,
    as_a_query_for_each,
);

/// A center, and who is near it.
type Told<C> = BTreeMap<C, Vec<Handle>>;

/// A question about neighbors: the layers, how far, some objects, and some points.
type Question = ([(u8, bool); 2], Option<Spot>, Vec<u16>, Vec<[Spot; 3]>);

fn question() -> impl Strategy<Value = Question> {
    let layers = || (any::<u8>(), prop::bool::weighted(0.7));
    let picks =
        prop_oneof![3 => prop::collection::vec(any::<u16>(), 0..8), 1 => prop::collection::vec(any::<u16>(), 0..200)];
    let points = prop::collection::vec([awkward(), awkward(), awkward()], 0..40);
    ([layers(), layers()], prop::option::weighted(0.7, awkward()), picks, points)
}

/// Asks questions after these steps.
fn ask_after<S: Real, const D: usize>(cases: u32, steps: BoxedStrategy<Vec<Step>>) {
    let scenes = all_scenes::<S>();
    let strategy = (0..scenes.len(), steps, prop::collection::vec(question(), 1..5));
    for_all(cases, strategy, |(scene, steps, questions)| {
        let run = Run::<S, D>::of(&scenes[scene], &steps);
        for (layers, within, picks, points) in &questions {
            let (index, objects, world) = (&run.index, &run.model.objects, run.index.world());
            let within = within.map(|spot| spot.resolve(S::of(0.0), side_of(&world)));
            let between = layers.map(|(bits, all_but)| drawn_layers(index, bits, all_but));
            let picks = picks.iter().filter_map(|&pick| Some(run.known(pick)?.handle)).chain(run.gone.iter().copied());
            let points = points
                .iter()
                .map(|spots| core::array::from_fn(|axis| spots[axis].resolve(world.min()[axis], side_of(&world))));
            assert_told(index, objects, &Wanted { between, within }, (picks.collect(), points.collect()));
        }
    });
}

fn of_changed<S: Real, const D: usize>() {
    ask_after::<S, D>(48, steps());
}

fn of_many<S: Real, const D: usize>() {
    ask_after::<S, D>(16, many(100));
}

/// Drains a question in every way. Each object told is as it is in the index.
fn drain<'a, S: Real, C: Ord + Copy + Send, B, const D: usize>(
    query: &Neighbors<'a, u32, S, D, B>,
    name: &(dyn Fn(B) -> C + Sync),
    objects: &BTreeMap<Handle, &Known<S, D>>,
) -> Told<C> {
    let tell: Tell<'_, 'a, S, B, C, D> = &|center: B, others: Around<'_, 'a, u32, S, D>| {
        let (len, more) = (others.len(), others.clone());
        assert_eq!(more.size_hint(), (len, Some(len)));
        let mut rest = others.clone();
        let handles: Vec<Handle> = others.map(|other| assert_is(&other, objects)).collect();
        assert_eq!((handles.len(), rest.clone().count()), (len, len));
        _ = rest.by_ref().take(len / 2).count();
        assert_eq!((rest.len(), rest.clone().count()), (len - len / 2, len - len / 2));
        let mut left = Vec::new();
        rest.for_each(|other| left.push(other.handle));
        assert_eq!(left, handles[len / 2..]);
        (name(center), handles)
    };
    let all: Vec<(C, Vec<Handle>)> = query.clone().map(tell).collect();
    let mut each = Vec::new();
    let push: &mut dyn FnMut(B, Around<'_, 'a, u32, S, D>) = &mut |center, others| each.push(tell(center, others));
    query.clone().for_each(push);
    assert!(each == all, "one way and the other");
    let mut begun = query.clone().map(tell);
    assert!(begun.by_ref().take(all.len() / 2).eq(all[..all.len() / 2].iter().cloned()));
    assert!(begun.by_ref().eq(all[all.len() / 2..].iter().cloned()));
    assert!(begun.next().is_none(), "a query stays at its end");
    #[cfg(feature = "rayon")]
    assert!(query.clone().par_map(tell).collect::<Vec<_>>() == all, "by several threads, in the same order");
    let mut told = Told::new();
    for (center, mut others) in all {
        others.sort_unstable();
        assert!(told.insert(center, others).is_none(), "told once");
    }
    told
}

fn assert_is<S: Real, const D: usize>(object: &Object<&u32, S, D>, objects: &BTreeMap<Handle, &Known<S, D>>) -> Handle {
    let known = objects[&object.handle];
    assert_eq!((object.layer, Span::of_rect(&object.shape), *object.value), (known.layer, known.span, known.value));
    object.handle
}

/// Each object of the first layers with those of the second that are near enough: all, some, and around points.
fn assert_told<S: Real, const D: usize>(
    index: &Index<S, D>,
    objects: &[Known<S, D>],
    wanted: &Wanted<S>,
    (some, points): (Vec<Handle>, Vec<[S; D]>),
) -> usize {
    let known: BTreeMap<Handle, &Known<S, D>> = objects.iter().map(|known| (known.handle, known)).collect();
    let around = |span: &Span<S, D>| -> Vec<Handle> {
        let near = |other: &&Known<S, D>| wanted.between[1].holds(other.layer) && wanted.are_near(span, &other.span);
        let mut near: Vec<Handle> = objects.iter().filter(near).map(|known| known.handle).collect();
        near.sort_unstable();
        near
    };
    let of_first = objects.iter().filter(|known| wanted.between[0].holds(known.layer));
    let mut expected: Told<Handle> = of_first.map(|known| (known.handle, around(&known.span))).collect();
    for (center, others) in &mut expected {
        others.retain(|other| other != center);
    }
    let [first, second] = sets(wanted);
    macro_rules! asked {
        ($query:expr) => {
            if let Some(distance) = wanted.within { $query.within(distance) } else { $query }.between(first, second)
        };
    }
    let name = &|object: Object<&u32, S, D>| assert_is(&object, &known);
    let query = asked!(index.neighbors());
    assert_narrowed(index, &query, &|object| object.handle, &some);
    let found = drain(&query, name, &known);
    assert!(found == expected, "{found:?} instead of {expected:?}: {wanted:?}");
    let seen = expected.values().map(Vec::len).sum();

    let set: BTreeSet<Handle> = some.iter().copied().collect();
    expected.retain(|center, _| set.contains(center));
    let query = asked!(index.neighbors_of(some.iter().chain(&some)));
    assert_narrowed(index, &query, &|object| object.handle, &some[..some.len() / 2]);
    let found = drain(&query, name, &known);
    assert!(found == expected, "{found:?} instead of {expected:?}: {some:?} {wanted:?}");

    let is_finite = |at: &[S; D]| at.iter().all(|at| at.value().is_finite());
    let around = |at: &[S; D]| if is_finite(at) { around(&Span::at(*at)) } else { Vec::new() };
    let expected: Told<usize> = points.iter().map(around).enumerate().collect();
    let query = asked!(index.neighbors_at(points.iter().copied()));
    assert_narrowed(index, &query, &|number| number, &some);
    let found = drain(&query, &|number| number, &known);
    assert!(found == expected, "{found:?} instead of {expected:?}: {points:?} {wanted:?}");
    let counts: &[usize] = if objects.len() < 60 { &[0, 1, 7, 100] } else { &[2, 80] };
    for &count in counts {
        assert_nearest(index, wanted, (&some, &points), count);
    }
    seen
}

/// A condition, and objects that are left out, narrow a question as a filter does its answer, before the nearest are counted.
pub(crate) fn assert_narrowed<'a, S: Real, B, C: Ord + Copy + Debug + Send, const D: usize>(
    index: &Index<S, D>,
    query: &Neighbors<'a, u32, S, D, B>,
    name: &(dyn Fn(B) -> C + Sync),
    left_out: &[Handle],
) {
    let tell: Tell<'_, 'a, S, B, C, D> =
        &|center, others| (name(center), others.map(|other| other.handle).collect::<Vec<_>>());
    let condition = |object: ObjectRef<'_, u32, S, D>| {
        let there = index.object(object.handle()).map(|there| (*there.value(), there.shape(), there.layer()));
        assert_eq!(Some((*object.value(), object.shape(), object.layer())), there);
        is_even(object)
    };
    let left_out_too: BTreeSet<Handle> = left_out.iter().copied().collect();
    let filtered = |(center, mut others): (C, Vec<Handle>)| {
        others.retain(|&other| index.object(other).is_some_and(is_even) && !left_out_too.contains(&other));
        (center, others)
    };
    let sorted = |(center, mut others): (C, Vec<Handle>)| {
        others.sort_unstable();
        (center, others)
    };
    let narrowed = query.clone().excluding(left_out.last().copied()).matching(|_| true).matching(condition);
    let narrowed = narrowed.excluding(left_out);
    let expected: Told<C> = query.clone().map(tell).map(filtered).map(sorted).collect();
    let found: Vec<_> = narrowed.clone().map(tell).collect();
    assert_eq!(found.iter().cloned().map(sorted).collect::<Told<C>>(), expected, "narrowed");
    let mut each = Vec::new();
    narrowed.clone().for_each(|center, others| each.push(tell(center, others)));
    assert!(each == found, "one way and the other");
    #[cfg(feature = "rayon")]
    assert!(narrowed.clone().par_map(tell).collect::<Vec<_>>() == found, "by several threads, in the same order");
    let expected: Told<C> = query.clone().nearest(usize::MAX).map(tell).map(filtered).collect();
    for count in [0, 1, 3, 40] {
        let nearest = narrowed.clone().nearest(count);
        let found: Vec<_> = nearest.clone().map(tell).collect();
        let first = |(&center, others): (&C, &Vec<Handle>)| (center, others[..others.len().min(count)].to_vec());
        let expected: Told<C> = expected.iter().map(first).collect();
        assert_eq!(found.iter().cloned().collect::<Told<C>>(), expected, "the nearest {count}, narrowed");
        assert_eq!(found.len(), expected.len());
        #[cfg(feature = "rayon")]
        assert!(nearest.par_map(tell).collect::<Vec<_>>() == found, "by several threads, in the same order");
    }
}

/// The nearest of each, as a query for each yields them: of all, of some, and around points.
fn assert_nearest<S: Real, const D: usize>(
    index: &Index<S, D>,
    wanted: &Wanted<S>,
    (some, points): (&[Handle], &[[S; D]]),
    count: usize,
) {
    let [first, second] = sets(wanted);
    let near = |shape: Rect<S, D>, own: Option<Handle>| -> Vec<Handle> {
        let asked = index.nearest(shape).in_layers(second).excluding(own);
        let asked = if let Some(distance) = wanted.within { asked.within(distance) } else { asked };
        asked.take(count).map(|near| near.object.handle()).collect()
    };
    macro_rules! asked {
        ($query:expr) => {{
            let query = $query.between(first, second).nearest(count);
            if let Some(distance) = wanted.within { query.within(distance) } else { query }
        }};
    }
    let what = format!("the nearest {count}: {wanted:?}");
    let of_objects = [asked!(index.neighbors()), asked!(index.neighbors_of(some))];
    let len = index.iter().in_layers(first).count();
    let of_some = some.iter().filter(|&&one| index.object(one).is_some_and(|one| first.contains(one.layer())));
    for (query, len) in of_objects.into_iter().zip([len, of_some.collect::<BTreeSet<_>>().len()]) {
        let tell: Tell<'_, '_, S, Object<&u32, S, D>, Handle, D> = &|object, others| {
            let len = others.len();
            let others: Vec<Handle> = others.map(|other| other.handle).collect();
            assert_eq!(others, near(object.shape, Some(object.handle)), "{what}");
            assert_eq!(others.len(), len);
            (object.handle, others)
        };
        let told: Vec<_> = query.clone().map(tell).collect();
        assert_eq!(told.iter().map(|(handle, _)| handle).collect::<BTreeSet<_>>().len(), len, "{what}");
        assert_eq!(told.len(), len, "{what}");
        #[cfg(feature = "rayon")]
        assert!(query.par_map(tell).collect::<Vec<_>>() == told, "by several threads, in the same order: {what}");
    }
    let tell: Tell<'_, '_, S, usize, usize, D> = &|number, others| (number, others.map(|other| other.handle).collect());
    let mut told: Vec<_> = asked!(index.neighbors_at(points.iter().copied())).map(tell).collect();
    told.sort_unstable();
    let near_point = |(number, point): (usize, &[S; D])| {
        let is_somewhere = point.iter().all(|at| at.value().is_finite());
        (number, if is_somewhere { near(Rect::from_point(*point), None) } else { Vec::new() })
    };
    assert_eq!(told, points.iter().enumerate().map(near_point).collect::<Vec<_>>(), "{what}");
}

/// All objects of a scene, the distances given.
fn assert_scattered<S: Real, const D: usize>(scattered: &Scattered<S, D>, distances: &[S]) -> usize {
    let some = scattered.objects.iter().step_by(3).map(|known| known.handle).collect::<Vec<_>>();
    let points = scattered.objects.iter().step_by(2).map(|known| known.span.max).collect::<Vec<_>>();
    let assert = |&distance: &S| {
        assert_told(&scattered.index, &scattered.objects, &Wanted::within(distance), (some.clone(), points.clone()))
    };
    distances.iter().map(assert).sum()
}

/// Many objects in many buckets, of both kinds; at exactly the distances of a lattice.
fn of_full_buckets<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let mut dice = Dice::new(61);
    for (rects, objects) in [(false, 500), (true, 200)] {
        let layer = scattered.add_layer(rects);
        for _ in 0..objects {
            let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 256.0).floor() / 4.0));
            let size = if dice.below(40) == 0 { 40.0 } else { 2.0 };
            let max = min.map(|min: S| S::of(min.value() + (dice.fraction() * size).floor() / 4.0));
            scattered.insert(layer, Span { min, max });
        }
    }
    let seen = assert_scattered(&scattered, &[0.0, 1.25, 5.0].map(S::of));
    assert!(500 < seen, "{seen}");
}

/// So many outside the world, and in one place, that their chains are sorted.
fn of_crowds<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let mut dice = Dice::new(67);
    for rects in [false, true] {
        let layer = scattered.add_layer(rects);
        for step in 0..700_usize {
            let far = |dice: &mut Dice| S::of((dice.fraction() * 2048.0).floor() / 4.0 + 1000.0);
            let min: [S; D] = core::array::from_fn(|_| if step < 50 { S::of(3.0) } else { far(&mut dice) });
            let size = |axis: usize| if step % 64 == 0 || step % D == axis { 40.0 } else { 0.5 };
            let max = core::array::from_fn(|axis| S::of(min[axis].value() + size(axis)));
            scattered.insert(layer, Span { min, max });
        }
    }
    let seen = assert_scattered(&scattered, &[S::of(4.0)]);
    assert!(3000 < seen, "{seen}");
}

/// Nobody is its own neighbor, in no image either, and of those that coincide the lowest handles come first.
fn in_a_crowd_on_a_spot<S: Real, const D: usize>() {
    for (rects, count) in [(true, 700), (false, 1100)] {
        let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
        let layer = scattered.add_layer(rects);
        let [low, high] = [3.0, if rects { 4.0 } else { 3.0 }].map(S::of);
        for _ in 0..count {
            scattered.insert(layer, Span::cube(low, high));
        }
        let index = &scattered.index;
        let handles: Vec<Handle> = index.iter().map(|object| object.handle()).collect();
        let lowest: BTreeSet<Handle> = handles.iter().copied().collect();
        for query in [index.neighbors(), index.neighbors_of(&handles)] {
            let all = found(query.clone());
            assert_eq!(all.len(), count);
            assert!(all.iter().all(|(own, others)| others.len() == count - 1 && !others.contains(own)));
            for (own, others) in found(query.clone().nearest(5)) {
                assert!(others.iter().eq(lowest.iter().filter(|&&other| other != own).take(5)), "{own:?}: {others:?}");
            }
            if D == 2 && count == 700 {
                let torus = Periodic::new(index.world()).expect("it has an extent");
                let around = found(query.within(S::of(side_of(&index.world()).value() * 1.5)).periodic(&torus));
                assert!(around.iter().all(|(own, others)| others.len() == count - 1 && !others.contains(own)));
                let narrowed = index.neighbors_of(&handles[..70]).periodic(&torus);
                assert_narrowed(index, &narrowed, &|object| object.handle, &handles[600..]);
            }
        }
    }
}

/// Where fewer match than are wanted, no object is asked about often, however far away those are that do.
fn fewer_match_than_are_wanted<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let (mut dice, layer) = (Dice::new(79), scattered.add_layer(false));
    for number in 0..2000 {
        let side = [64.0, 1e-3][number % 2];
        let at: [S; D] = core::array::from_fn(|_| S::of(dice.fraction() * side));
        scattered.insert(layer, Span::at(at));
    }
    let (index, objects) = (&scattered.index, &scattered.objects);
    let few: BTreeSet<Handle> = objects.iter().step_by(500).map(|known| known.handle).collect();
    let asked = Cell::new(0_usize);
    let condition = |object: ObjectRef<'_, u32, S, D>| {
        asked.set(asked.get() + 1);
        few.contains(&object.handle())
    };
    let mut told = 0;
    index.neighbors().matching(condition).nearest(5).for_each(|object, others| {
        let near =
            index.nearest(object.shape).excluding(object.handle).filter(|near| few.contains(&near.object.handle()));
        assert!(others.map(|other| other.handle).eq(near.map(|near| near.object.handle())), "{:?}", object.handle);
        told += 1;
    });
    assert_eq!(told, objects.len());
    assert!(asked.get() < 500 * objects.len(), "{} times", asked.get());
}

/// Where squares of distances overflow, and where they vanish.
fn beyond_all_squares<S: Real, const D: usize>() {
    for scale in [S::LARGEST.value(), S::LARGEST.value() * 1e-30, S::SMALLEST.value() * 64.0, 1.0] {
        let scattered = Scattered::<S, D>::at_scale(scale);
        for part in [0.0, 0.25, 0.75, 1.0, 1.5, 2.0, f64::INFINITY] {
            let distance = S::of(part * scale);
            let above = if distance < S::LARGEST { distance.up() } else { distance };
            assert_scattered(&scattered, &[distance.down(), distance, above]);
        }
        assert_eq!(assert_scattered(&scattered, &[S::of(f64::INFINITY)]), 20);
    }
}

/// No distance is negative, or not a number; an object is not its own neighbor; each is told all the same.
fn nothing_is_near<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    assert!(found(scattered.index.neighbors()).is_empty());
    assert!(found(scattered.index.neighbors_of([Handle::default()])).is_empty());
    let layer = scattered.add_layer(true);
    let [one, two, three] = [1.0, 2.0, 3.0].map(S::of);
    scattered.insert(layer, Span::cube(one, two));
    let counts = |scattered: &Scattered<S, D>, distance: f64| -> Vec<usize> {
        let all = scattered.index.neighbors().within(S::of(distance));
        let points = [[one; D], [S::of(f64::NAN); D], [S::of(f64::INFINITY); D]];
        let at = scattered.index.neighbors_at(points).within(S::of(distance));
        let tell: Tell<'_, '_, S, usize, usize, D> =
            &|number, others| (number, others.map(|other| other.handle).collect());
        let mut around = vec![0; 3];
        at.map(tell).for_each(|(number, others)| around[number] = others.len());
        found(all).into_iter().map(|(_, others)| others.len()).chain(around).collect()
    };
    assert_eq!(counts(&scattered, f64::INFINITY), [0, 1, 0, 0]);
    scattered.insert(layer, Span::cube(two, three));
    for (distance, numbers) in [
        (-0.0, [1, 1]),
        (0.0, [1, 1]),
        (-1.0, [0, 0]),
        (f64::NAN, [0, 0]),
        (f64::NEG_INFINITY, [0, 0]),
        (f64::INFINITY, [1, 2]),
    ] {
        assert_eq!(counts(&scattered, distance), [numbers[0], numbers[0], numbers[1], 0, 0], "{distance:?}");
    }
    let nobody = found(scattered.index.neighbors().between(layer.id(), !layer.id()));
    assert!(nobody.len() == 2 && nobody.iter().all(|(_, others)| others.is_empty()));
    assert!(found(scattered.index.neighbors().between(!layer.id(), layer.id())).is_empty());
}

/// The neighbors of objects.
fn found<'a, S: Real, const D: usize>(
    query: Neighbors<'a, u32, S, D, Object<&'a u32, S, D>>,
) -> Vec<(Handle, Vec<Handle>)> {
    let tell: Tell<'_, 'a, S, Object<&'a u32, S, D>, Handle, D> =
        &|object, others| (object.handle, others.map(|other| other.handle).collect());
    query.map(tell).collect()
}

/// Few that lie far apart among many that lie close together: in an own list, and in a bucket of a layer of its own.
fn those_that_lie_apart_are_divided<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let mut dice = Dice::new(71);
    let [sparse, dense] = [false, true].map(|rects| scattered.add_layer(rects));
    for (layer, objects) in [(sparse, 60), (dense, 1200)] {
        for number in 0..objects {
            let at: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 256.0).floor() / 4.0));
            let max = at.map(|at| if number % 100 == 0 { S::of(at.value() + 30.0) } else { at });
            scattered.insert(layer, Span { min: at, max });
        }
    }
    let wanted = Wanted { within: Some(S::of(2.0)), ..Wanted::touching() };
    let points = scattered.objects.iter().step_by(50).map(|known| known.span.min).collect();
    let seen = assert_told(&scattered.index, &scattered.objects, &wanted, (Vec::new(), points));
    assert!(300 < seen, "{seen}");
}

/// Of points, the same as by a query for each, to the last bit.
fn as_a_query_for_each<S: Real, const D: usize>() {
    let mut index: Index<S, D> = Index::new(Rect::new([S::of(-1.0); D], [S::of(2.0); D])).expect("a world");
    let (points, rects) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
    let mut dice = Dice::new(73);
    for number in 0..600 {
        let at: [S; D] = core::array::from_fn(|_| S::of(dice.fraction()));
        let end: [S; D] = core::array::from_fn(|axis| S::of(at[axis].value() + dice.fraction() * 0.01));
        index.insert(points, at, number).expect("finite");
        index.insert(rects, Rect::new(at, end), number).expect("finite");
    }
    let shapes: Vec<Rect<S, D>> = index.iter().map(|object| object.shape()).collect();
    for pair in shapes.windows(2).step_by(100) {
        let distance = Spot::finite::<S>(pair[0].distance_squared(&pair[1]).sqrt());
        for (point, mut others) in found(index.neighbors().between(points, points | rects).within(distance)) {
            let at = index.shape(point).expect("it is there").min();
            let asked = index.within_distance(at, distance).excluding(point);
            let mut expected: Vec<Handle> = asked.map(|other| other.handle()).collect();
            others.sort_unstable();
            expected.sort_unstable();
            assert_eq!(others, expected);
        }
    }
}
