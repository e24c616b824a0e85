//! Pairs and joins against a look at all pairs: random objects, every answer drained.

use std::collections::BTreeSet;
use std::ops::Range;

use proptest::prelude::*;
use quadrille::{Handle, LayerSet};

use quadrille_support::couples::{self, Couple, Scattered, Wanted, drain, layers_of, near_enough, sets};
use quadrille_support::oracle::{Asked, Span};
use quadrille_support::properties::for_all;
use quadrille_support::questions::drawn_layers;
use quadrille_support::run::Run;
use quadrille_support::scene::{all_scenes, roomy_scenes, side_of};
use quadrille_support::spot::{Spot, awkward};
use quadrille_support::step::{Step, many, steps};
use quadrille_support::{Dice, Index, Real, in_spaces};

in_spaces!(
    of_changed,
    of_many,
    between_indexes,
    right_at_the_limit,
    of_a_crowd,
    of_a_crowd_that_is_sorted,
    of_neighbors_in_a_bucket,
    beyond_all_squares,
    nothing_is_near,
    layers_of_all_sizes,
);

/// A question about pairs.
#[derive(Clone, Debug)]
struct Question {
    layers: [(u8, bool); 2],
    within: Option<Spot>,
    /// Some objects, for the pairs of those; some may come twice.
    picks: Vec<u16>,
    /// How many pairs are taken before a filter is set.
    taken: u8,
}

fn question() -> impl Strategy<Value = Question> {
    let layers = || (any::<u8>(), prop::bool::weighted(0.7));
    let picks =
        prop_oneof![3 => prop::collection::vec(any::<u16>(), 0..8), 1 => prop::collection::vec(any::<u16>(), 0..200)];
    (layers(), layers(), prop::option::weighted(0.5, awkward()), picks, 0_u8..60)
        .prop_map(|(first, second, within, picks, taken)| Question { layers: [first, second], within, picks, taken })
}

impl Question {
    fn wanted<S: Real, const D: usize>(&self, indexes: [&Index<S, D>; 2]) -> Wanted<S> {
        let between = [0, 1].map(|place| drawn_layers(indexes[place], self.layers[place].0, self.layers[place].1));
        let side = side_of(&indexes[0].world());
        Wanted { between, within: self.within.map(|spot| spot.resolve(S::of(0.0), side)) }
    }
}

/// Asks questions after these steps; the same steps lead to the same order.
fn ask_after<S: Real, const D: usize>(cases: u32, steps: BoxedStrategy<Vec<Step>>, questions: Range<usize>) {
    let scenes = all_scenes::<S>();
    let strategy = (0..scenes.len(), steps, prop::collection::vec(question(), questions));
    for_all(cases, strategy, |(scene, steps, questions)| {
        let run = Run::<S, D>::of(&scenes[scene], &steps);
        for question in &questions {
            ask(&run, question);
        }
        let order = |run: &Run<S, D>| -> Vec<Couple> { run.index.pairs().map(couples::names).collect() };
        let again = Run::<S, D>::of(&scenes[scene], &steps);
        assert_eq!(order(&run), order(&again), "the same steps, the same order");
    });
}

/// After random changes.
fn of_changed<S: Real, const D: usize>() {
    ask_after::<S, D>(48, steps(), 1..6);
}

/// Among many objects, in layers of all settings.
fn of_many<S: Real, const D: usize>() {
    ask_after::<S, D>(16, many(100), 1..4);
}

/// Two indexes, of the same world or of two.
fn between_indexes<S: Real, const D: usize>() {
    let scenes = all_scenes::<S>();
    let worlds = (0..scenes.len(), prop::option::of(0..scenes.len()));
    for_all(24, (worlds, [steps(), steps()], prop::collection::vec(question(), 1..4)), |(worlds, steps, questions)| {
        let one = Run::<S, D>::of(&scenes[worlds.0], &steps[0]);
        let other = Run::<S, D>::of(&scenes[worlds.1.unwrap_or(worlds.0)], &steps[1]);
        for question in &questions {
            ask_join(&one, &other, question);
        }
    });
}

/// Asks for all pairs, for those between layers, and for those of some objects.
fn ask<S: Real, const D: usize>(run: &Run<S, D>, question: &Question) {
    let index = &run.index;
    let wanted = question.wanted([index, index]);
    let layers = layers_of(&run.model.objects);
    let [first, second] = sets(&wanted);
    let near = |pairs| near_enough(pairs, &wanted);
    let all = couples::near(&run.model.objects, &wanted);
    let found = near(index.pairs());
    couples::assert_same(&drain(&found), &all, question);
    assert_eq!(found.exists(), !all.is_empty());

    let drained = drain(&near(index.pairs().between(first, second)));
    couples::assert_same(&drained, &couples::between(&all, &layers, &wanted), question);
    couples::assert_order(&layers, &drained, &wanted);
    assert_eq!(drain(&near(index.pairs()).between(first, second)), drained, "in whichever order it is said");

    let one_set = Wanted { between: [wanted.between[0].clone(), wanted.between[0].clone()], ..wanted.clone() };
    let drained = drain(&near(index.pairs()).in_layers(first));
    couples::assert_same(&drained, &couples::between(&all, &layers, &one_set), question);

    assert_some(run, question, &wanted, &all);
    filter_on_the_way(run, question, &wanted);
}

/// The pairs of some objects, which may be named twice, or be gone.
fn assert_some<S: Real, const D: usize>(run: &Run<S, D>, question: &Question, wanted: &Wanted<S>, all: &[Couple]) {
    let (objects, layers) = (&run.model.objects, layers_of(&run.model.objects));
    let picked = question.picks.iter().filter_map(|&pick| {
        let place = usize::from(pick).checked_rem(objects.len())?;
        Some(objects[place].handle)
    });
    let mut some: Vec<Handle> = picked.collect();
    let [first, second] = sets(wanted);
    let set: BTreeSet<Handle> = some.iter().copied().collect();
    let mut expected = couples::between(all, &layers, wanted);
    expected.retain(|(a, b)| set.contains(a) || set.contains(b));
    some.extend(&run.gone);
    let pairs = |objects: &[Handle]| near_enough(run.index.pairs_of(objects).between(first, second), wanted);
    let found = drain(&pairs(&some));
    couples::assert_same(&found, &expected, question);
    couples::assert_order(&layers, &found, wanted);
    some.reverse();
    assert_eq!(drain(&pairs(&some)), found, "however they are listed");
}

/// A filter that is set on the way holds for what is still to come.
fn filter_on_the_way<S: Real, const D: usize>(run: &Run<S, D>, question: &Question, wanted: &Wanted<S>) {
    let mut begun = near_enough(run.index.pairs(), wanted);
    let all: Vec<Couple> = begun.clone().map(couples::names).collect();
    let taken = usize::from(question.taken).min(all.len());
    assert_eq!(begun.by_ref().take(taken).count(), taken);
    let [first, second] = sets(wanted);
    let layers = layers_of(&run.model.objects);
    let rest = couples::between(&all[taken..], &layers, wanted);
    let found = drain(&begun.clone().between(first, second));
    couples::assert_order(&layers, &found, wanted);
    let [found, rest] = [found, rest].map(couples::all_sorted);
    assert_eq!(found, rest, "after {taken} of {question:?}");
    assert!(!begun.in_layers(LayerSet::NONE).exists());
}

fn ask_join<S: Real, const D: usize>(one: &Run<S, D>, other: &Run<S, D>, question: &Question) {
    let wanted = question.wanted([&one.index, &other.index]);
    let [first, second] = sets(&wanted);
    let near = || match wanted.within {
        Some(distance) => one.index.join(&other.index).within(distance),
        None => one.index.join(&other.index),
    };
    let all = drain(&near());
    let mut drained = all.clone();
    drained.sort_unstable();
    assert_eq!(drained, couples::near_in_both([&one.model.objects, &other.model.objects], &wanted), "{question:?}");

    let layers = [one, other].map(|run| layers_of(&run.model.objects));
    let layers = [&layers[0], &layers[1]];
    let expected = couples::of_both(&drained, layers, &wanted);
    let mut drained = drain(&near().between(first, second));
    assert_eq!(near().between(first, second).exists(), !drained.is_empty());
    drained.sort_unstable();
    assert_eq!(drained, expected, "{question:?}");

    let picked = question.picks.iter().filter_map(|&pick| Some(one.known(pick)?.handle));
    let picked: Vec<Handle> = picked.chain(one.gone.iter().copied()).collect();
    let of_picked = one.index.join_of(&picked, &other.index).between(first, second);
    let mut found = drain(&if let Some(distance) = wanted.within { of_picked.within(distance) } else { of_picked });
    found.sort_unstable();
    assert!(found.iter().eq(expected.iter().filter(|(one, _)| picked.contains(one))), "{picked:?} of {question:?}");

    let taken = usize::from(question.taken).min(all.len());
    let mut begun = near();
    assert_eq!(begun.by_ref().take(taken).count(), taken);
    let rest = couples::of_both(&all[taken..], layers, &wanted);
    assert_eq!(drain(&begun.between(first, second)), rest, "after {taken} of {question:?}");
}

/// Full buckets of many objects; distances that some pair of them has, and their neighbours.
fn right_at_the_limit<S: Real, const D: usize>() {
    for scene in roomy_scenes::<S>() {
        let mut scattered = Scattered::<S, D>::new(scene.index());
        let world = scattered.index.world();
        let side = side_of(&world).value();
        let mut dice = Dice::new(29);
        for rects in [false, true] {
            let layer = scattered.add_layer(rects);
            for _ in 0..120 {
                let min: [S; D] =
                    core::array::from_fn(|axis| Spot::finite(world.min()[axis].value() + dice.fraction() * side));
                let longest = dice.fraction() * dice.fraction() * 0.1 * side;
                let max = min.map(|min| Spot::finite(min.value() + dice.fraction() * longest));
                scattered.insert(layer, Span { min, max });
            }
        }
        let mut found = scattered.assert_pairs(&Wanted::touching(), scene.name);
        for _ in 0..4 {
            let of = dice.below(240);
            let distance = |other: usize| distance(&scattered.objects[of].span, &scattered.objects[other].span, side);
            let others = (0..12).map(|_| dice.below(240)).filter(|other| *other != of);
            let least: S = Spot::finite(others.map(distance).fold(side, f64::min));
            for distance in [least.down(), least, least.up()] {
                found += scattered.assert_pairs(&Wanted::within(distance), scene.name);
            }
        }
        assert!(found > 1000, "{found} in {}", scene.name);
    }
}

/// About how far two spans are apart.
fn distance<S: Real, const D: usize>(a: &Span<S, D>, b: &Span<S, D>, side: f64) -> f64 {
    let gap = |axis: usize| (a.min[axis].value() - b.max[axis].value()).max(b.min[axis].value() - a.max[axis].value());
    // Scaled, so that no square overflows.
    side * (0..D).map(|axis| gap(axis).max(0.0) / side).map(|gap| gap * gap).sum::<f64>().sqrt()
}

/// Chains of buckets, and more objects with hits than are kept at a time.
fn of_a_crowd<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    for rects in [false, true] {
        let layer = scattered.add_layer(rects);
        for step in 0..150_u32 {
            let from = S::of(32.0 + f64::from(step % 3));
            scattered.insert(layer, Span::cube(from, from.up()));
        }
    }
    let all = scattered.objects.len() * (scattered.objects.len() - 1) / 2;
    assert_eq!(scattered.assert_pairs(&Wanted::within(S::of(8.0)), "a crowd"), all);
    assert_eq!(scattered.assert_pairs(&Wanted::touching(), "a crowd"), 3 * (100 * 99 / 2));
    let picked: Vec<Handle> = scattered.objects.iter().step_by(7).map(|known| known.handle).collect();
    let pairs = scattered.index.pairs_of(&picked).within(S::of(8.0));
    let rest = scattered.objects.len() - picked.len();
    assert_eq!(drain(&pairs).len(), all - rest * (rest - 1) / 2);
    let joined = scattered.index.join(&scattered.index);
    assert_eq!(joined.clone().count(), 3 * 100 * 100, "with themselves too");
    assert_eq!(joined.clone().between(scattered.layers[0].id(), scattered.layers[1].id()).count(), 3 * 50 * 50);
    assert_eq!(joined.within(S::of(8.0)).count(), scattered.objects.len().pow(2));
}

/// So many outside the world that their chains are sorted: flat and tall rectangles, giants, and points.
fn of_a_crowd_that_is_sorted<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let mut dice = Dice::new(43);
    for rects in [false, true] {
        let layer = scattered.add_layer(rects);
        for step in 0..800_usize {
            let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 2048.0).floor() / 4.0 + 1000.0));
            let size = |axis: usize| if step % 64 == 0 || step % D == axis { 40.0 } else { 0.5 };
            let max = core::array::from_fn(|axis| S::of(min[axis].value() + size(axis)));
            scattered.insert(layer, Span { min, max });
        }
    }
    let found = [0.25, 4.0].map(|distance| scattered.assert_pairs(&Wanted::within(S::of(distance)), "sorted"));
    assert!(0 < found[0] && found[0] < found[1], "{found:?}");
    let all: BTreeSet<Couple> = drain(&scattered.index.pairs()).into_iter().map(couples::sorted).collect();
    assert_eq!(scattered.assert_pairs(&Wanted::touching(), "sorted"), all.len());
    let picked: BTreeSet<Handle> = scattered.objects.iter().step_by(3).map(|known| known.handle).collect();
    let of_picked: BTreeSet<Couple> =
        drain(&scattered.index.pairs_of(&picked)).into_iter().map(couples::sorted).collect();
    assert!(of_picked.iter().eq(all.iter().filter(|(a, b)| picked.contains(a) || picked.contains(b))));
    let [points, rects] = [0, 1].map(|layer: usize| scattered.layers[layer].id());
    let between = scattered.index.pairs().between(points, rects).count();
    assert_eq!(scattered.index.join(&scattered.index).between(rects, points).count(), between);
    let alone = [points, rects].map(|layer| scattered.index.pairs().in_layers(layer).count());
    assert_eq!(between + alone[0] + alone[1], all.len());
    let joined: BTreeSet<Couple> = drain(&scattered.index.join(&scattered.index)).into_iter().collect();
    let of_picked: BTreeSet<Couple> = drain(&scattered.index.join_of(&picked, &scattered.index)).into_iter().collect();
    assert!(of_picked.iter().eq(joined.iter().filter(|(one, _)| picked.contains(one))));
}

/// One to five objects at a time that lie close together: in a bucket, a chain, an own list, outside the world, and among
/// thin rectangles; points and rectangles. Each pair comes once, though both of it are asked for.
fn of_neighbors_in_a_bucket<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let mut dice = Dice::new(47);
    for rects in [false, true] {
        let layer = scattered.add_layer(rects);
        // How many, the corner around which they lie, how far from it, how long on the first axis, and on the others.
        for (count, corner, far, long, wide) in [
            (60, 4.0, 8.0, 0.5, 0.5),
            (90, 32.0, 0.0, 0.25, 0.25),
            (70, 0.0, 4.0, 40.0, 40.0),
            (80, 1000.0, 16.0, 1.0, 1.0),
            (70, 2.0, 30.0, 50.0, 0.25),
        ] {
            for _ in 0..count {
                let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * far * 4.0).floor() / 4.0 + corner));
                let size = |axis: usize| if axis == 0 { long } else { wide };
                let max = core::array::from_fn(|axis| S::of(min[axis].value() + size(axis)));
                scattered.insert(layer, Span { min, max });
            }
        }
    }
    let (index, all): (_, Vec<Handle>) =
        (&scattered.index, scattered.objects.iter().map(|known| known.handle).collect());
    let sorted = |pairs: Vec<Couple>| -> Vec<Couple> {
        let mut pairs: Vec<Couple> = pairs.into_iter().map(couples::sorted).collect();
        pairs.sort_unstable();
        pairs
    };
    let (pairs, joined) = (sorted(drain(&index.pairs())), drain(&index.join(index)));
    for number in 1..=5 {
        for (first, step) in (0..all.len()).step_by(29).flat_map(|first| [(first, 1), (first, 2)]) {
            let picked: Vec<Handle> = all[first..].iter().step_by(step).take(number).copied().collect();
            let of_picked = pairs.iter().filter(|(a, b)| picked.contains(a) || picked.contains(b));
            assert!(sorted(drain(&index.pairs_of(&picked))).iter().eq(of_picked), "{number} from {first} on");
            let mut found = drain(&index.join_of(&picked, index));
            found.sort_unstable();
            let mut wanted: Vec<Couple> = joined.iter().filter(|(one, _)| picked.contains(one)).copied().collect();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{number} from {first} on");
        }
    }
}

/// Where squares of distances overflow, and where they vanish.
fn beyond_all_squares<S: Real, const D: usize>() {
    for scale in [S::LARGEST.value(), S::LARGEST.value() * 1e-30, S::SMALLEST.value() * 64.0, 1.0] {
        let scattered = Scattered::<S, D>::at_scale(scale);
        for part in [0.0, 0.25, 0.5, 0.75, 0.875, 1.0, 1.5, 2.0, f64::INFINITY] {
            let distance = S::of(part * scale);
            for distance in [distance.down(), distance, if distance < S::LARGEST { distance.up() } else { distance }] {
                scattered.assert_pairs(&Wanted::within(distance), "extremes");
            }
        }
        let all = Wanted::within(S::of(f64::INFINITY));
        assert_eq!(scattered.assert_pairs(&all, "endless"), 10);
        assert_eq!(scattered.assert_pairs(&Wanted::touching(), "extremes"), 2);
    }
}

/// No distance is negative, or not a number; an object is not its own partner.
fn nothing_is_near<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let index = &scattered.index;
    assert_eq!(
        (index.pairs().count(), index.join(index).count(), index.pairs_of([Handle::default()]).count()),
        (0, 0, 0)
    );
    assert_eq!(index.join_of([Handle::default()], index).count(), 0);
    let layer = scattered.add_layer(true);
    let only = scattered.insert(layer, Span::cube(S::of(1.0), S::of(2.0)));
    assert_eq!(scattered.index.pairs().within(S::LARGEST).count(), 0);
    assert_eq!(scattered.index.pairs_of([only, only]).count(), 0);
    scattered.insert(layer, Span::cube(S::of(2.0), S::of(3.0)));
    let index = &scattered.index;
    for (distance, found) in [(-0.0, 1), (0.0, 1), (-1.0, 0), (f64::NAN, 0), (f64::NEG_INFINITY, 0), (f64::INFINITY, 1)]
    {
        let distance = S::of(distance);
        assert_eq!(index.pairs().within(distance).count(), found, "{distance:?}");
        assert_eq!(index.pairs_of([only]).within(distance).count(), found, "{distance:?}");
        assert_eq!(index.join(index).within(distance).count(), 4 * found, "{distance:?}");
        assert_eq!(index.join_of([only, only], index).within(distance).count(), 2 * found, "{distance:?}");
    }
    let mut begun = index.pairs();
    assert!(begun.next().is_some() && begun.next().is_none());
    assert_eq!(begun.within(S::of(0.0)).count(), 1, "begins anew");
    assert_eq!(index.pairs().between(layer.id(), LayerSet::NONE).count(), 0);
}

/// Layers of few objects beside layers of many, of each kind, and large objects beside small ones.
fn layers_of_all_sizes<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let mut dice = Dice::new(37);
    for (number, objects) in [3, 150, 40, 90].into_iter().enumerate() {
        let layer = scattered.add_layer(number % 2 == 1);
        for _ in 0..objects {
            let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 64.0).floor()));
            let size = if dice.below(20) == 0 { 40.0 } else { 3.0 };
            let max = min.map(|min: S| S::of(min.value() + (dice.fraction() * size).floor()));
            scattered.insert(layer, Span { min, max });
        }
    }
    let one = scattered.layers.iter().map(|layer| layer.id());
    let sets: Vec<Asked> =
        one.map(|layer| Asked { layers: vec![layer], all_but_these: false }).chain([Asked::everything()]).collect();
    let (all, layers) = (couples::near(&scattered.objects, &Wanted::touching()), layers_of(&scattered.objects));
    for first in &sets {
        for second in &sets {
            let wanted: Wanted<S> = Wanted { between: [first.clone(), second.clone()], ..Wanted::touching() };
            let [a, b] = couples::sets(&wanted);
            let found = drain(&scattered.index.pairs().between(a, b));
            couples::assert_same(&found, &couples::between(&all, &layers, &wanted), &wanted);
            assert_eq!(scattered.index.pairs().between(b, a).count(), found.len(), "the other way round");
        }
    }
}
