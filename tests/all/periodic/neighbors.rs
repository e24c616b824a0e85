//! Neighbors, beside linear lists of all images.

use std::collections::{BTreeMap, BTreeSet};

use quadrille::{Around, Handle};
#[cfg(feature = "rayon")]
use rayon::iter::ParallelIterator;

use quadrille_support::images::{Known, Scene, moved, number, square};
use quadrille_support::{Dice, Real, in_spaces};

use crate::neighbors::assert_narrowed;

in_spaces!(neighbors_beside_a_list);

/// The handles of neighbors, none twice.
fn set<S: Real, const D: usize>(others: Around<'_, '_, u32, S, D>) -> BTreeSet<Handle> {
    let len = others.len();
    let set: BTreeSet<Handle> = others.map(|other| other.handle).collect();
    assert_eq!(set.len(), len, "each once");
    set
}

fn neighbors_beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(83);
    let mut crossing = 0;
    for round in 0..if D == 2 { 80 } else { 16 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round * 3 % 100);
        let dice = &mut dice;
        let most = [0, 2, 8, 24][dice.below(4)];
        let distance = number(dice, 0, most);
        let what = format!("within {distance} {:?}", scene.torus);
        let (first, second) = (scene.filters(dice).0, scene.filters(dice).0);
        let mut around = |one: &Known<S, D>| -> BTreeSet<Handle> {
            let others = scene.list.iter().filter(|other| second.contains(&other.layer));
            let others = others.filter(|other| scene.least_square(&one.shape, &other.shape) <= distance * distance);
            others
                .inspect(|other| crossing += usize::from(square(&one.shape, &other.shape) > distance * distance))
                .map(|other| other.handle)
                .collect()
        };
        let centers = scene.list.iter().filter(|one| first.contains(&one.layer));
        let mut expected: BTreeMap<Handle, BTreeSet<Handle>> = centers.map(|one| (one.handle, around(one))).collect();
        let points = scene.list.iter().filter(|known| known.shape.min() == known.shape.max());
        // They may be anywhere.
        let points: Vec<_> = points
            .map(|known| (moved(&known.shape, &scene.offsets[dice.below(scene.offsets.len())]).min(), around(known)))
            .collect();
        for (one, others) in &mut expected {
            others.remove(one);
        }
        macro_rules! asked {
            ($query:expr) => {
                $query.periodic(&scene.torus).within(S::of(distance)).between(scene.set(&first), scene.set(&second))
            };
        }
        let query = asked!(scene.index.neighbors());
        assert_narrowed(&scene.index, &query, &|one| one.handle, &scene.several(dice));
        let found: Vec<_> = query.clone().map(|one, others| (one.handle, set(others))).collect();
        assert_eq!(found.iter().cloned().collect::<BTreeMap<_, _>>(), expected, "{what}");
        assert_eq!(found.len(), expected.len(), "{what}");
        #[cfg(feature = "rayon")]
        assert!(query.par_map(|one, others| (one.handle, set(others))).collect::<Vec<_>>() == found);
        let count = [0, 1, 5, 40][dice.below(4)];
        asked!(scene.index.neighbors()).nearest(count).for_each(|one, others| {
            let near = scene.index.nearest(one.shape).periodic(&scene.torus).within(S::of(distance));
            let near = near.in_layers(scene.set(&second)).excluding(one.handle).take(count);
            let near: Vec<Handle> = near.map(|near| near.object.handle()).collect();
            assert_eq!(others.map(|other| other.handle).collect::<Vec<_>>(), near, "the nearest {count} {what}");
        });
        let some = scene.several(dice);
        expected.retain(|one, _| some.contains(one));
        let of_some = asked!(scene.index.neighbors_of(&some)).map(|one, others| (one.handle, set(others)));
        assert_eq!(of_some.collect::<BTreeMap<_, _>>(), expected, "{what}");
        let at = asked!(scene.index.neighbors_at(points.iter().map(|point| point.0)));
        let mut told = 0;
        at.for_each(|number, others| {
            assert_eq!(set(others), points[number].1, "{what}");
            told += 1;
        });
        assert_eq!(told, points.len());
    }
    assert!(100 < crossing, "some are near across a border only: {crossing}");
}
