//! Many objects: on a line, in one place, mostly gone again, at a threshold, outside the world.

use quadrille::{Handle, LayerSettings, Rect};

use quadrille_support::agreement::assert_agrees;
use quadrille_support::filled::Filled;
use quadrille_support::oracle::{Model, Span, sorted};
use quadrille_support::questions::{Question, ask};
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{AnyLayer, Dice, Index, Real, assert_sound, in_spaces};

in_spaces!(
    two_hundred_on_a_line,
    a_million_in_one_place,
    one_in_a_hundred_is_left,
    no_thrashing_at_the_threshold,
    emptied_nodes_are_freed,
    memory_is_given_back,
    another_world,
);

/// A random box in the first world, which is 0 to 64, up to so long.
fn random_span<S: Real, const D: usize>(dice: &mut Dice, longest: f64) -> Span<S, D> {
    let min = core::array::from_fn(|_| S::of(dice.fraction() * 64.0));
    let max = min.map(|min: S| S::of(min.value() + dice.fraction() * longest));
    Span { min, max }
}

/// Points along each axis, and along the diagonal, at steps of one neighbour and at even steps.
fn two_hundred_on_a_line<S: Real, const D: usize>() {
    for direction in 0..=D {
        for by_neighbours in [false, true] {
            let (mut index, mut model) = (roomy_scenes::<S>()[0].index::<D>(), Model::new());
            let layers = [1, 8, 64].map(|split_above| {
                AnyLayer::add(&mut index, split_above == 8, LayerSettings::new().split_above(split_above))
            });
            let mut along = S::of(3.0);
            for value in 0..200 {
                let axis_of = |axis| axis == direction || direction == D;
                let point = core::array::from_fn(|axis| if axis_of(axis) { along } else { S::of(5.0) });
                for layer in layers {
                    layer.insert_in_both(&mut index, &mut model, Span::at(point), value);
                }
                along = if by_neighbours { along.up() } else { S::of(along.value() + 0.25) };
            }
            assert_sound(&index, "a line of points");
            assert_agrees(&index, &model, &layers);
            let spans: Vec<_> = model.objects.iter().map(|known| known.span).collect();
            for (here, there) in [(0, 0), (30, 60), (299, 300), (0, 599), (597, 597)] {
                let region = Span::between(spans[here].min, spans[there].min);
                assert!(!ask(&index, &model, &Question::about(region)).is_empty());
            }
            for handle in model.handles(|known| known.value % 3 != 0) {
                assert!(index.remove(handle).is_some());
                model.remove(handle);
            }
            assert_sound(&index, "most of a line is gone");
            assert_agrees(&index, &model, &layers);
        }
    }
}

/// Equal points make a chain of buckets, not a recursion, and each is taken out at once.
fn a_million_in_one_place<S: Real, const D: usize>() {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let layer = index.add_point_layer().expect("a layer");
    let place = [S::of(1.0); D];
    let handles: Vec<_> = (0..1_000_000).map(|value| index.insert(layer, place, value).expect("finite")).collect();
    let stats = index.stats();
    assert_eq!(stats.chain_max, 1_000_000_usize.div_ceil(64), "one chain of full buckets");
    assert_eq!(stats.buckets, stats.chain_max);
    assert!(stats.nodes <= 15, "one node a level at most");
    assert_eq!(index.intersecting(place).count(), 1_000_000);
    assert_eq!(index.containing(place).in_layers(layer).excluding(handles[7]).count(), 999_999);
    assert!(!index.intersecting([S::of(1.0).up(); D]).exists());
    for handle in handles.iter().step_by(3) {
        assert!(index.remove(*handle).is_some());
    }
    for handle in handles.iter().skip(1).step_by(3) {
        index.move_to(*handle, [S::of(40.0); D]).expect("finite");
    }
    let rest: Vec<_> = handles.iter().skip(2).step_by(3).copied().collect();
    let found = sorted(index.intersecting(place).map(|object| object.handle()));
    assert_eq!(found, sorted(rest), "those neither removed nor moved");
    assert_eq!(index.intersecting([S::of(40.0); D]).count(), 333_333);
    assert_sound(&index, "a million came and two thirds went");
}

/// After removals at random the tree is about as small as one built from the survivors alone.
fn one_in_a_hundred_is_left<S: Real, const D: usize>() {
    for (rects, longest) in [(false, 0.0), (true, 0.5), (true, 8.0)] {
        let mut dice = Dice::new(8);
        let mut index = roomy_scenes::<S>()[0].index::<D>();
        let layer = AnyLayer::add(&mut index, rects, LayerSettings::new());
        let mut all: Vec<(Handle, Span<S, D>)> = Vec::new();
        for value in 0..20_000 {
            let span = random_span(&mut dice, longest);
            all.push((layer.insert(&mut index, span, value).expect("finite"), span));
        }
        let grown = index.stats();
        while all.len() > 200 {
            let (handle, _) = all.swap_remove(dice.below(all.len()));
            assert!(index.remove(handle).is_some());
        }
        assert_sound(&index, "most are gone");
        let mut fresh = roomy_scenes::<S>()[0].index::<D>();
        let fresh_layer = AnyLayer::add(&mut fresh, rects, LayerSettings::new());
        for (value, (_, span)) in (0..).zip(&all) {
            fresh_layer.insert(&mut fresh, *span, value).expect("finite");
        }
        let (left, built) = (index.stats(), fresh.stats());
        assert!(left.nodes <= 2 * built.nodes, "{} nodes, {} would do", left.nodes, built.nodes);
        assert!(left.buckets <= 2 * built.buckets, "{} buckets, {} would do", left.buckets, built.buckets);
        assert!(built.buckets < grown.buckets, "there was something to give back");
        assert_eq!(sorted(index.iter().map(|object| object.handle())), sorted(all.iter().map(|(handle, _)| *handle)));
    }
}

/// One object more and one less, at the point where a block splits, does not split and merge it each time.
fn no_thrashing_at_the_threshold<S: Real, const D: usize>() {
    for (rects, split_above) in [(false, 1), (false, 2), (false, 8), (false, 64), (true, 1), (true, 8), (true, 64)] {
        let mut dice = Dice::new(9);
        let mut index = roomy_scenes::<S>()[0].index::<D>();
        let layer = AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(split_above));
        let spans: Vec<_> = (0..split_above).map(|_| random_span(&mut dice, 0.5)).collect();
        for span in &spans {
            layer.insert(&mut index, *span, 1).expect("finite");
        }
        let whole = nodes_and_buckets(&index);
        // It has company in its block, so its coming and going alone needs no bucket.
        let last = *spans.last().expect("an object");
        let handle = layer.insert(&mut index, last, 2).expect("finite");
        let split = nodes_and_buckets(&index);
        assert!(split > whole, "the block was full at {split_above}");
        assert!(index.remove(handle).is_some());
        let settled = nodes_and_buckets(&index);
        for _ in 0..20 {
            let handle = layer.insert(&mut index, last, 2).expect("finite");
            assert_eq!(nodes_and_buckets(&index), settled, "at {split_above}, rectangles: {rects}");
            assert!(index.remove(handle).is_some());
            assert_eq!(nodes_and_buckets(&index), settled, "at {split_above}, rectangles: {rects}");
        }
        assert_sound(&index, "coming and going");
    }
}

fn nodes_and_buckets<S: Real, const D: usize>(index: &Index<S, D>) -> (usize, usize) {
    let stats = index.stats();
    (stats.nodes, stats.buckets)
}

/// When all is gone, next to nothing is left, whichever way it went.
fn emptied_nodes_are_freed<S: Real, const D: usize>() {
    for way in 0..4 {
        let mut dice = Dice::new(10);
        let mut index = roomy_scenes::<S>()[0].index::<D>();
        let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(4)));
        let mut handles = Vec::new();
        for value in 0..1000 {
            let span = random_span(&mut dice, 4.0);
            handles.extend(layers.map(|layer| layer.insert(&mut index, span, value).expect("finite")));
        }
        assert!(index.stats().nodes > 20, "there was something to free");
        match way {
            0 => handles.iter().for_each(|handle| assert!(index.remove(*handle).is_some())),
            1 => handles.iter().rev().for_each(|handle| assert!(index.remove(*handle).is_some())),
            2 => index.retain(|_, _, _| false),
            _ => index.clear(),
        }
        assert_sound(&index, "all were removed");
        let stats = index.stats();
        assert_eq!((index.len(), stats.objects, stats.buckets), (0, 0, 0));
        assert!(stats.nodes <= layers.len(), "{} nodes for nothing", stats.nodes);
        assert!(handles.iter().all(|handle| !index.contains(*handle)));
    }
}

/// `shrink_to_fit` gives memory back, keeps handles, and changes no answer.
fn memory_is_given_back<S: Real, const D: usize>() {
    let (mut index, mut model, mut dice) = (roomy_scenes::<S>()[0].index::<D>(), Model::new(), Dice::new(11));
    let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(16)));
    let mut passing = Vec::new();
    for value in 0..3000 {
        let span = random_span(&mut dice, 1.0);
        let layer = layers[dice.below(2)];
        if value % 20 == 0 {
            layer.insert_in_both(&mut index, &mut model, span, value);
        } else {
            passing.push(layer.insert(&mut index, span, value).expect("finite"));
        }
    }
    for handle in passing {
        assert!(index.remove(handle).is_some());
    }
    let before = index.stats();
    index.shrink_to_fit();
    let after = index.stats();
    assert!(after.bytes < before.bytes, "{} bytes, {} before", after.bytes, before.bytes);
    assert_eq!(after.objects, before.objects);
    assert!(after.nodes <= before.nodes && after.buckets <= before.buckets, "{after:?}, {before:?} before");
    assert_sound(&index, "shrinking");
    assert_agrees(&index, &model, &layers);
    let region = Span::cube(S::of(10.0), S::of(30.0));
    assert!(!ask(&index, &model, &Question::about(region)).is_empty());
    let again = model.objects[0].clone();
    index.shrink_to_fit();
    assert_eq!(index.stats().bytes, after.bytes, "there is nothing more to give");
    assert_eq!(index.remove(again.handle), Some(again.value));
    assert_sound(&index, "a removal from what is packed");
}

/// In any world, however little it fits, all objects keep their handles and are found.
fn another_world<S: Real, const D: usize>() {
    let (mut filled, mut dice) = (Filled::new(roomy_scenes::<S>()[0].index::<D>(), 4), Dice::new(12));
    for _ in 0..200 {
        filled.insert(dice.below(2) == 1, random_span(&mut dice, 4.0));
    }
    let Filled { mut index, model, layers } = filled;
    for scene in roomy_scenes::<S>() {
        index.set_world(scene.world()).expect("a scene is a world");
        assert_eq!(index.world(), scene.world());
        assert_sound(&index, scene.name);
        assert_agrees(&index, &model, &layers);
        for region in [Span::cube(S::of(10.0), S::of(30.0)), Span::of_rect(&Rect::everything())] {
            assert!(!ask(&index, &model, &Question::about(region)).is_empty());
        }
    }
}
