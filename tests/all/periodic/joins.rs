//! Joins of two indexes in one world without edges, beside linear lists of all images.

use std::collections::BTreeSet;

use quadrille::{Handle, LayerSettings, ObjectRef, SpatialIndex};
#[cfg(feature = "rayon")]
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use quadrille_support::images::{Known, Scene, number, square};
use quadrille_support::oracle::Span;
use quadrille_support::{AnyLayer, Dice, Real, in_spaces};

in_spaces!(joins_beside_a_list);

/// A pair by its handles.
type Couple = (Handle, Handle);

fn names<S: Real, const D: usize>((one, other): (ObjectRef<'_, u32, S, D>, ObjectRef<'_, u32, S, D>)) -> Couple {
    (one.handle(), other.handle())
}

/// The second scene with the objects of another, which keep their world: theirs are other borders of trees.
fn with_objects_in<S: Real, const D: usize>(dice: &mut Dice, first: &Scene<S, D>, objects: usize) -> Scene<S, D> {
    let mut second = Scene::of(first.torus, dice, objects);
    if dice.below(2) == 0 {
        let world = first.torus.world();
        let larger = world.expanded(S::of(5.0));
        let mut index = SpatialIndex::new(larger).expect("a world");
        let layers =
            [false, true, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(2)));
        for Known { handle, layer, shape } in &mut second.list {
            *handle = layers[*layer].insert(&mut index, Span::of_rect(shape), 0).expect("finite");
        }
        (second.index, second.layers) = (index, layers);
    }
    second
}

fn joins_beside_a_list<S: Real, const D: usize>() {
    let (mut dice, mut crossing) = (Dice::new(79), 0);
    for round in 0..if D == 2 { 60 } else { 12 } {
        let first = Scene::<S, D>::new(&mut dice, 1 + round % 24);
        let dice = &mut dice;
        let objects = 1 + dice.below(30);
        let second = with_objects_in(dice, &first, objects);
        let torus = &first.torus;
        let most = [0, 2, 8, 24][dice.below(4)];
        let distance = number(dice, 0, most);
        let what = format!("within {distance} {torus:?}");
        let (of_first, of_second) = (first.filters(dice).0, second.filters(dice).0);
        let some = first.several(dice);
        let mut expected = [const { BTreeSet::new() }; 3];
        for one in &first.list {
            let near = |other: &&Known<S, D>| first.least_square(&one.shape, &other.shape) <= distance * distance;
            for other in second.list.iter().filter(near) {
                let couple = (one.handle, other.handle);
                crossing += usize::from(square(&one.shape, &other.shape) > distance * distance);
                expected[0].insert(couple);
                if of_first.contains(&one.layer) && of_second.contains(&other.layer) {
                    expected[1].insert(couple);
                }
                if some.contains(&one.handle) {
                    expected[2].insert(couple);
                }
            }
        }
        let [all, between, of_some] = expected;
        let (join, far) = (|| first.index.join(&second.index).within(S::of(distance)), S::of(distance));
        macro_rules! same {
            ($join:expr, $all:expr) => {
                let found: Vec<Couple> = $join.map(names).collect();
                let set: BTreeSet<_> = found.iter().copied().collect();
                assert_eq!((set.len(), &set), (found.len(), $all), "{what}");
                assert_eq!($join.count(), found.len(), "{what}");
                assert_eq!($join.exists(), !found.is_empty(), "{what}");
                for taken in [0, found.len() / 2, found.len()] {
                    let mut begun = $join;
                    assert_eq!(begun.by_ref().take(taken).count(), taken, "{what}");
                    assert!(begun.clone().map(names).eq(found[taken..].iter().copied()), "{what}");
                    #[cfg(feature = "rayon")]
                    {
                        let rest: Vec<Couple> = begun.clone().into_par_iter().map(names).collect();
                        assert_eq!(rest, found[taken..], "on several threads: {what}");
                        assert_eq!(begun.into_par_iter().count(), rest.len(), "{what}");
                    }
                }
            };
        }
        same!(join().periodic(torus), &all);
        same!(first.index.join(&second.index).periodic(torus).within(far), &all);
        same!(join().periodic(torus).between(first.set(&of_first), second.set(&of_second)), &between);
        same!(join().between(first.set(&of_first), second.set(&of_second)).periodic(torus), &between);
        same!(first.index.join_of(&some, &second.index).within(far).periodic(torus), &of_some);
        // Begun without periods, it starts again.
        let mut begun = join();
        begun.next();
        same!(begun.clone().periodic(torus), &all);

        // With itself: each object with itself, and each pair in both orders.
        let mut itself = BTreeSet::new();
        for one in &first.list {
            let close =
                first.list.iter().filter(|other| first.least_square(&one.shape, &other.shape) <= distance * distance);
            itself.extend(close.map(|other| (one.handle, other.handle)));
        }
        same!(first.index.join(&first.index).within(far).periodic(torus), &itself);
        let pairs: BTreeSet<_> = itself.iter().filter(|(one, other)| one < other).copied().collect();
        let found: Vec<_> = first.index.pairs().within(far).periodic(torus).map(names).collect();
        let ordered: BTreeSet<_> = found.iter().map(|&(one, other)| (one.min(other), one.max(other))).collect();
        assert_eq!((ordered.len(), &ordered), (found.len(), &pairs), "{what}");
        #[cfg(feature = "rayon")]
        {
            let on_threads: Vec<Couple> =
                first.index.pairs().periodic(torus).within(far).into_par_iter().map(names).collect();
            assert_eq!(on_threads, found, "on several threads: {what}");
            let of_some: Vec<Couple> = first.index.pairs_of(&some).periodic(torus).within(far).map(names).collect();
            let on_threads: Vec<Couple> =
                first.index.pairs_of(&some).periodic(torus).within(far).into_par_iter().map(names).collect();
            assert_eq!(on_threads, of_some, "{what}");
        }
    }
    assert!(50 < crossing, "{crossing}");
}
