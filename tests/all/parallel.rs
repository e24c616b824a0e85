//! Pairs and joins found by several threads: the same as by one, in the same order.

use quadrille::Handle;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use quadrille_support::couples::{Couple, Scattered, names};
use quadrille_support::oracle::Span;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(the_same_in_the_same_order);

/// Pairs, those of some, and joins; from the start, and when they have begun.
fn the_same_in_the_same_order<S: Real, const D: usize>() {
    let mut scattered = Scattered::<S, D>::new(roomy_scenes::<S>()[0].index());
    let mut dice = Dice::new(41);
    for (number, objects) in [400, 900, 30, 300].into_iter().enumerate() {
        let layer = scattered.add_layer(number % 2 == 1);
        for _ in 0..objects {
            let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 256.0).floor() / 4.0));
            let max = min.map(|min: S| S::of(min.value() + (dice.fraction() * 8.0).floor() / 4.0));
            scattered.insert(layer, Span { min, max });
        }
    }
    // So many outside the world that they are sorted.
    for _ in 0..800 {
        let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 256.0).floor() / 4.0 + 1000.0));
        let max = min.map(|min: S| S::of(min.value() + (dice.fraction() * 8.0).floor() / 4.0));
        scattered.insert(scattered.layers[1], Span { min, max });
    }
    let (index, first) = (&scattered.index, scattered.layers[0].id());
    let some: Vec<Handle> = scattered.objects.iter().step_by(3).map(|known| known.handle).collect();
    for distance in [0.0, 1.0] {
        macro_rules! same {
            ($pairs:expr) => {{
                let pairs = $pairs.within(S::of(distance));
                let all: Vec<Couple> = pairs.clone().map(names).collect();
                assert!(!all.is_empty());
                for taken in [0, 1, all.len() / 2, all.len()] {
                    let mut begun = pairs.clone();
                    assert_eq!(begun.by_ref().take(taken).count(), taken);
                    let rest: Vec<Couple> = begun.clone().into_par_iter().map(names).collect();
                    assert_eq!(rest, all[taken..], "after {taken}");
                    assert_eq!(begun.into_par_iter().count(), rest.len());
                }
            }};
        }
        same!(index.pairs());
        same!(index.pairs_between(!first, first));
        same!(index.pairs_of(&some));
        same!(index.join(index));
    }
}
