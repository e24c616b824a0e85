//! Random operations against a linear list, on both scalars and in both dimensions.

use proptest::prelude::*;

use quadrille_support::properties::for_all;
use quadrille_support::run::{Run, run};
use quadrille_support::scene::all_scenes;
use quadrille_support::step::{asked, insert, settings, steps};
use quadrille_support::{Real, assert_sound, in_spaces};

in_spaces!(operations, questions);

/// The index agrees with the list after every step, and the same steps give the same answers.
fn operations<S: Real, const D: usize>() {
    let scenes = all_scenes::<S>();
    let strategy = (0..scenes.len(), steps());
    for_all(48, strategy, |(scene, steps)| {
        let answers = run::<S, D>(&scenes[scene], &steps);
        let again = run::<S, D>(&scenes[scene], &steps);
        assert_eq!(answers, again, "the same steps, the same handles in the same order");
    });
}

/// A settled index of many objects is asked many questions.
fn questions<S: Real, const D: usize>() {
    let scenes = all_scenes::<S>();
    let strategy = (
        0..scenes.len(),
        prop::collection::vec((any::<bool>(), settings()), 1..5),
        prop::collection::vec(insert(), 1..300),
        prop::collection::vec(asked(), 1..12),
    );
    for_all(48, strategy, |(scene, layers, inserts, questions)| {
        let run = Run::<S, D>::with_layers(&scenes[scene], layers, &[inserts, questions].concat());
        assert_sound(&run.index, "many insertions");
    });
}
