//! Items sorted by place: the order of the walk, whatever the world, and what a batch in that order becomes.

use quadrille::{Handle, LayerSettings, Rect};

use quadrille_support::oracle::Span;
use quadrille_support::scene::{Scene, all_scenes, side_of};
use quadrille_support::{AnyLayer, Dice, Index, Real, assert_sound, in_spaces};

in_spaces!(batches_are_in_the_order_of_the_walk, equal_places_keep_their_order, boxes_go_by_their_corners);

/// Objects on a coarse lattice, in the world and around it; many lie in the same place.
fn spans<S: Real, const D: usize>(dice: &mut Dice, scene: &Scene<S>, count: u32) -> Vec<(Span<S, D>, u32)> {
    let (field, fine) = (scene.field::<D>(), dice.below(2) == 0);
    let side = side_of(&field).value();
    let mut ends = |axis: usize| {
        let at = if fine { dice.fraction() * 16.0 } else { f64::from(u32::try_from(dice.below(16)).expect("few")) };
        let at = field.min()[axis].value() + side * (at / 8.0 - 0.5);
        let long = if dice.below(9) == 0 { side / 2.0 } else { side / 64.0 };
        let within = |at: f64| S::of(at.clamp(-S::LARGEST.value(), S::LARGEST.value()));
        [within(at), within(at + long)]
    };
    (0..count)
        .map(|number| {
            let ends: [[S; 2]; D] = core::array::from_fn(&mut ends);
            (Span { min: ends.map(|ends| ends[0]), max: ends.map(|ends| ends[1]) }, number)
        })
        .collect()
}

fn sort<S: Real, const D: usize>(index: &Index<S, D>, layer: AnyLayer, items: &mut [(Span<S, D>, u32)]) {
    match layer {
        AnyLayer::Points(_) => index.sort_by_place(items, |item| item.0.min),
        AnyLayer::Rects(_) => index.sort_by_place(items, |item| item.0.rect()),
    }
}

fn numbers<S, const D: usize>(items: &[(Span<S, D>, u32)]) -> Vec<u32> {
    items.iter().map(|item| item.1).collect()
}

/// A walk over points that were inserted in the order of space comes to them slot by slot, also where they are outside the
/// world, unless they crowd. A batch in any other order has the same places.
fn batches_are_in_the_order_of_the_walk<S: Real, const D: usize>() {
    let mut dice = Dice::new(7);
    for scene in all_scenes::<S>() {
        for (count, split_above) in [(0, 2), (2, 2), (300, 1), (300, 64), (300, 100), (1000, 5)] {
            let mut items = spans::<S, D>(&mut dice, &scene, count);
            let settings = LayerSettings::new().split_above(split_above);
            for rects in [false, true] {
                let mut index: Index<S, D> = scene.index();
                let layer = AnyLayer::add(&mut index, rects, settings);
                let mut unsorted = index.clone();
                layer.insert_batch(&mut unsorted, &items).expect("finite");
                assert_sound(&unsorted, "a batch in any order");
                sort(&index, layer, &mut items);
                let handles = layer.insert_batch(&mut index, &items).expect("finite");
                assert_sound(&index, "a batch in the order of space");
                assert!(handles.iter().map(|handle| handle.slot()).eq(1..=items.len()));
                let walked: Vec<Handle> = index.iter().map(|object| object.handle()).collect();
                let is_in_order = !rects && index.stats().chain_max <= 1;
                assert!(!is_in_order || walked == handles, "{} {split_above}", scene.name);
                let buckets = [&index, &unsorted].map(|index| index.stats().buckets);
                assert_eq!(buckets[0], buckets[1], "{} {split_above}", scene.name);
                let sorted = numbers(&items);
                // Built anew, the same objects in the same order.
                index.optimize();
                assert!(!is_in_order || index.iter().map(|object| object.handle()).eq(handles), "{}", scene.name);
                // The order is that of the world, whatever the index holds.
                sort(&unsorted, layer, &mut items);
                assert_eq!(numbers(&items), sorted);
                let mut walked: Vec<u32> = index.iter().map(|object| *object.value()).collect();
                walked.sort_unstable();
                assert!(walked.into_iter().eq(0..count), "nothing is lost");
            }
        }
    }
}

/// Ties keep their order, and items without a place come last, in theirs.
fn equal_places_keep_their_order<S: Real, const D: usize>() {
    let mut dice = Dice::new(8);
    for scene in all_scenes::<S>() {
        let index: Index<S, D> = scene.index();
        let mut items: Vec<_> = spans::<S, D>(&mut dice, &scene, 200);
        for number in (0..200).step_by(9) {
            items[number].0.min[number % D] = S::of([f64::NAN, f64::INFINITY, f64::NEG_INFINITY][number % 3]);
        }
        let mut asked = Vec::new();
        let mut sorted = items.clone();
        index.sort_by_place(&mut sorted, |item| {
            asked.push(item.1);
            item.0.min
        });
        assert!(asked.into_iter().eq(0..200), "each is asked once");
        let is_finite = |item: &(Span<S, D>, u32)| item.0.min.iter().all(|at| at.value().is_finite());
        assert!(sorted.is_sorted_by_key(|item| !is_finite(item)));
        let last = sorted.iter().filter(|item| !is_finite(item));
        assert!(last.map(|item| item.1).is_sorted());
        let finite: Vec<_> = sorted.iter().filter(|item| is_finite(item)).collect();
        for of_place in finite.chunk_by(|a, b| a.0.min == b.0.min) {
            assert!(of_place.iter().map(|item| item.1).is_sorted(), "{}", scene.name);
        }
        let again = numbers(&sorted);
        index.sort_by_place(&mut sorted, |item| item.0.min);
        assert_eq!(numbers(&sorted), again);
    }
}

/// Boxes that touch the world are in the order of their minimum corners.
fn boxes_go_by_their_corners<S: Real, const D: usize>() {
    let mut dice = Dice::new(9);
    let scene = &all_scenes::<S>()[0];
    let index: Index<S, D> = scene.index();
    let world: Rect<S, D> = index.world();
    let mut items = spans::<S, D>(&mut dice, scene, 300);
    items.retain(|item| {
        (0..D).all(|axis| world.min()[axis] <= item.0.min[axis] && item.0.max[axis] <= world.max()[axis])
    });
    assert!(D == 3 || 50 < items.len(), "{}", items.len());
    let mut corners = items.clone();
    index.sort_by_place(&mut corners, |item| item.0.min);
    index.sort_by_place(&mut items, |item| item.0.rect());
    assert_eq!(numbers(&items), numbers(&corners));
}
