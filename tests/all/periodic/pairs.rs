//! Pairs, beside linear lists of all images.

use std::collections::BTreeSet;

use quadrille::{Handle, ObjectRef, Periodic, Quadtree, Rect};

use quadrille_support::{Dice, Real, in_spaces};

use super::scene::{FAR, Scene, moved, number, square};

in_spaces!(beside_a_list);

fn beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(43);
    let mut crossing = 0;
    for round in 0..if D == 2 { 80 } else { 16 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % 24);
        let dice = &mut dice;
        let most = [0, 2, 8, 24][dice.below(4)];
        let distance = number(dice, 0, most);
        let offsets = scene.offsets(FAR);
        let mut all = BTreeSet::new();
        for (place, one) in scene.list.iter().enumerate() {
            for other in &scene.list[..place] {
                let near = |by: &[f64; D]| square(&one.shape, &moved(&other.shape, by)) <= distance * distance;
                if offsets.iter().any(near) {
                    crossing += usize::from(!near(&[0.0; D]));
                    let mut pair = [(one.handle, one.layer), (other.handle, other.layer)];
                    pair.sort_unstable();
                    all.insert(pair);
                }
            }
        }
        let what = format!("within {distance} {:?}", scene.torus);
        let query = || scene.world().pairs().within(S::of(distance));
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
            assert_eq!(drain(&mut scene.world().pairs()), all, "{what}");
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
    }
    assert!(30 < crossing, "some are close across a border only: {crossing}");
}

/// An object close to its own image is no pair; two that are close on both sides are one.
#[test]
fn pairs_of_a_narrow_world() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [2.0, 100.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert_batch(points, [([0.5, 50.0], 0), ([1.5, 50.0], 1)]).unwrap();
    for distance in [1.0, 2.0, 3.0, 50.0, 1e9] {
        assert_eq!(torus.over(&index).pairs().within(distance).count(), 1, "{distance}");
    }
    assert_eq!(torus.over(&index).pairs().within(0.9).count(), 0);
}
