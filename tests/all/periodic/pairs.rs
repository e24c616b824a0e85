//! Pairs, beside linear lists of all images.

use std::collections::BTreeSet;

use quadrille::{Handle, ObjectRef, Periodic, Quadtree, Rect};

use quadrille_support::images::{Scene, number, square};
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(beside_a_list);

fn beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(43);
    let mut crossing = 0;
    for round in 0..if D == 2 { 80 } else { 24 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % 24);
        let dice = &mut dice;
        let most = [0, 2, 8, 24][dice.below(4)];
        let distance = number(dice, 0, most);
        let mut all = BTreeSet::new();
        for (place, one) in scene.list.iter().enumerate() {
            for other in &scene.list[..place] {
                if scene.least_square(&one.shape, &other.shape) <= distance * distance {
                    crossing += usize::from(square(&one.shape, &other.shape) > distance * distance);
                    let mut pair = [(one.handle, one.layer), (other.handle, other.layer)];
                    pair.sort_unstable();
                    all.insert(pair);
                }
            }
        }
        let what = format!("within {distance} {:?}", scene.torus);
        let query = || scene.index.pairs().periodic(&scene.torus).within(S::of(distance));
        let layer_of = |handle| scene.list.iter().find(|known| known.handle == handle).expect("it lives").layer;
        let drain = |pairs: &mut dyn Iterator<Item = (ObjectRef<'_, u32, S, D>, ObjectRef<'_, u32, S, D>)>| {
            let mut found = BTreeSet::new();
            for (one, other) in pairs {
                let mut pair = [one.handle(), other.handle()].map(|handle| (handle, layer_of(handle)));
                pair.sort_unstable();
                assert!(found.insert(pair), "twice: {pair:?} {what}");
            }
            found
        };
        assert_eq!(drain(&mut query()), all, "{what}");
        assert_eq!(query().count(), all.len(), "{what}");
        assert_eq!(query().exists(), !all.is_empty(), "{what}");
        if distance == 0.0 {
            assert_eq!(drain(&mut scene.index.pairs().periodic(&scene.torus)), all, "{what}");
        }

        let (first, second) = (scene.filters(dice).0, scene.filters(dice).0);
        let [of_first, of_second] = [scene.set(&first), scene.set(&second)];
        let is_wanted = |[a, b]: &[(Handle, usize); 2]| {
            first.contains(&a.1) && second.contains(&b.1) || first.contains(&b.1) && second.contains(&a.1)
        };
        let between = query().between(of_first, of_second);
        for (one, other) in between.clone() {
            assert!(of_first.contains(one.layer()) && of_second.contains(other.layer()), "{what}");
        }
        let wanted: BTreeSet<_> = all.iter().filter(|&pair| is_wanted(pair)).copied().collect();
        assert_eq!(drain(&mut between.clone()), wanted, "{what}");
        let mut begun = query();
        let mut found = drain(&mut begun.by_ref().take(all.len() / 2));
        found.retain(is_wanted);
        let rest = drain(&mut begun.between(of_first, of_second));
        assert!(found.is_disjoint(&rest), "{what}");
        found.extend(rest);
        assert_eq!(found, wanted, "{what}");
        let within = |a: usize, b: usize| first.contains(&a) && first.contains(&b);
        let of_set: BTreeSet<_> = all.iter().filter(|[a, b]| within(a.1, b.1)).copied().collect();
        assert_eq!(drain(&mut query().in_layers(of_first)), of_set, "{what}");

        let of: Vec<Handle> = scene.list.iter().map(|known| known.handle).filter(|_| dice.below(3) == 0).collect();
        let has_one = |pair: &[(Handle, usize); 2]| pair.iter().any(|known| of.contains(&known.0));
        let all_of: BTreeSet<_> = all.iter().filter(|&pair| has_one(pair)).copied().collect();
        // In any order, twice, and with a handle without an object.
        let named = || of.iter().rev().chain(&of).copied().chain([Handle::from_bits(77 << 32 | 1)]);
        let query = || scene.index.pairs_of(named()).periodic(&scene.torus).within(S::of(distance));
        assert_eq!(drain(&mut query()), all_of, "of {of:?} {what}");
        assert_eq!(query().count(), all_of.len(), "of {of:?} {what}");
        assert_eq!(query().exists(), !all_of.is_empty(), "of {of:?} {what}");
        let wanted: BTreeSet<_> = all_of.iter().filter(|&pair| is_wanted(pair)).copied().collect();
        assert_eq!(drain(&mut query().between(of_first, of_second)), wanted, "of {of:?} {what}");
        let mut begun = query();
        let mut found = drain(&mut begun.by_ref().take(all_of.len() / 2));
        assert_eq!(drain(&mut begun.clone()).len() + found.len(), all_of.len(), "of {of:?} {what}");
        found.retain(is_wanted);
        found.extend(drain(&mut begun.between(of_first, of_second)));
        assert_eq!(found, wanted, "of {of:?} {what}");
    }
    assert!(30 < crossing, "some are close across a border only: {crossing}");
}

/// Of some objects, the pairs are exactly those of all that have one of them, though sums of coordinates are rounded.
#[test]
fn pairs_of_some_are_among_all_pairs() {
    let mut dice = Dice::new(47);
    let mut compared = 0;
    for round in 0..60 {
        // Periods that no coordinate divides; the last bits of small coordinates get lost on the way around.
        let [origin, side] = [[0.0, 0.1], [-0.7, 1.1], [1000.3, 7.7]][round % 3];
        let torus = Periodic::new(Rect::new([origin; 2], [origin + side, origin + 1.3 * side])).unwrap();
        let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
        let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
        let mut handles = Vec::new();
        for number in 0..60 {
            let [x, y] =
                [(); 2].map(|()| origin + side * dice.fraction() as f32 * if number % 3 == 0 { 1e-3 } else { 1.3 });
            handles.push(if number % 2 == 0 {
                index.insert(points, torus.wrap([x, y]), number).unwrap()
            } else {
                let end = [x + side * 0.1 * dice.fraction() as f32, y];
                index.insert(rects, torus.wrap_rect(Rect::new([x, y], end)), number).unwrap()
            });
        }
        // At exactly the distance of some pair, as far as that is rounded alike.
        let [one, other] = [handles[0], handles[7]].map(|handle| index.shape(handle).unwrap().min());
        let [x, y] = torus.displacement(one, other);
        for distance in [0.0, side * 0.05, x.hypot(y)] {
            let of: Vec<Handle> = handles.iter().copied().filter(|_| dice.below(4) == 0).collect();
            let names = |(one, other): (ObjectRef<'_, u32>, ObjectRef<'_, u32>)| {
                let [one, other] = [one.handle(), other.handle()];
                [one.min(other), one.max(other)]
            };
            let is_named = |pair: &[Handle; 2]| pair.iter().any(|handle| of.contains(handle));
            let wanted: BTreeSet<_> =
                index.pairs().periodic(&torus).within(distance).map(names).filter(is_named).collect();
            let found: Vec<_> = index.pairs_of(&of).periodic(&torus).within(distance).map(names).collect();
            assert_eq!(found.len(), wanted.len(), "within {distance} {torus:?}");
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), wanted, "within {distance} {torus:?}");
            compared += wanted.len();
        }
    }
    assert!(3000 < compared, "{compared}");
}

/// An object close to its own image is no pair; two that are close on both sides are one.
#[test]
fn pairs_of_a_narrow_world() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [2.0, 100.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert_batch(points, [([0.5, 50.0], 0), ([1.5, 50.0], 1)]).unwrap();
    for distance in [1.0, 2.0, 3.0, 50.0, 1e9] {
        assert_eq!(index.pairs().periodic(&torus).within(distance).count(), 1, "{distance}");
    }
    assert_eq!(index.pairs().periodic(&torus).within(0.9).count(), 0);
}
