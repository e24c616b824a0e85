//! A loaded index does the same as the saved one.

use quadrille::{Contacts, Scalar};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::format::FORMATS;
use crate::play::{Dice, Play};

/// Each of these is saved and loaded at some time in its life, and lives on beside itself.
const LIVES: u64 = 16;

/// After loading, the same operations give the same handles, the same order of results, and the same calls of closures.
fn exact<S: Scalar + Serialize + DeserializeOwned, const D: usize>() {
    for seed in 0..LIVES {
        let mut dice = Dice::new(seed);
        let operations = dice.below(120);
        let mut original = Play::<S, D>::after(&mut dice, operations);
        let format = FORMATS[seed as usize % 2];
        let mut loaded = Play { index: format.index(&original.index, false), ..original.clone() };
        assert_eq!(loaded.index.check_integrity(), Ok(()));
        for operation in 0..60 {
            let mut same_dice = dice.clone();
            let [seen, seen_by_loaded] = [&mut original, &mut loaded].map(|play| {
                same_dice = dice.clone();
                (play.operate(&mut same_dice), if operation % 4 == 0 { play.answers(&mut same_dice) } else { vec![] })
            });
            assert!(seen == seen_by_loaded, "life {seed}, operation {operation}, {format:?}");
            dice = same_dice;
        }
        assert_eq!(loaded.index.check_integrity(), Ok(()));
    }
}

/// The compact form keeps handles, values, shapes, layers, and which handles come next.
fn compact<S: Scalar + Serialize + DeserializeOwned, const D: usize>() {
    for seed in 0..LIVES {
        let mut dice = Dice::new(1000 + seed);
        let operations = dice.below(120);
        let mut original = Play::<S, D>::after(&mut dice, operations);
        let format = FORMATS[seed as usize % 2];
        let mut loaded = Play { index: format.index(&original.index, true), ..original.clone() };
        assert_eq!(loaded.index.check_integrity(), Ok(()));
        assert!(original.contents() == loaded.contents());
        (original.clears, loaded.clears) = (false, false);
        for _ in 0..40 {
            let mut same_dice = dice.clone();
            original.operate(&mut same_dice);
            loaded.operate(&mut dice);
            assert!(original.handles == loaded.handles, "life {seed}, {format:?}");
            assert!(original.contents() == loaded.contents());
        }
        assert_eq!(loaded.index.check_integrity(), Ok(()));
    }
}

/// An index saved twice is the same twice.
fn stable<S: Scalar + Serialize + DeserializeOwned, const D: usize>() {
    for seed in 0..LIVES {
        let mut dice = Dice::new(2000 + seed);
        let operations = dice.below(200);
        let play = Play::<S, D>::after(&mut dice, operations);
        for format in FORMATS {
            let saved = format.save(&play.index);
            assert!(saved == format.save(&format.index(&play.index, false)), "life {seed}, {format:?}");
        }
    }
}

/// Saved contacts go on as those that were kept.
fn contacts<S: Scalar + Serialize + DeserializeOwned, const D: usize>() {
    for seed in 0..LIVES {
        let mut dice = Dice::new(3000 + seed);
        let operations = 5 + dice.below(20);
        let mut play = Play::<S, D>::after(&mut dice, operations);
        let distance = S::from_f64(dice.share() * 20.0);
        let some = play.handles.clone();
        let mut kept = [const { Contacts::new() }; 3];
        let mut loaded = kept.clone();
        for round in 0..4 {
            let pairs = [play.index.pairs(), play.index.pairs().within(distance), play.index.pairs_of(&some)];
            for ((kept, loaded), pairs) in kept.iter_mut().zip(&mut loaded).zip(pairs) {
                let changes = kept.poll(pairs.clone()).expect("its index");
                assert_eq!(loaded.poll(pairs), Ok(changes), "life {seed}, round {round}");
            }
            loaded = kept.each_ref().map(|contacts| FORMATS[round % 2].through(contacts));
            for _ in 0..3 {
                play.operate(&mut dice);
            }
            play.index = FORMATS[(round + 1) % 2].index(&play.index, false);
        }
    }
}

#[test]
fn exact_f32_2d() {
    exact::<f32, 2>();
    stable::<f32, 2>();
}

#[test]
fn contacts_go_on() {
    contacts::<f32, 2>();
    contacts::<f64, 3>();
}

#[test]
fn exact_f64_3d() {
    exact::<f64, 3>();
    stable::<f64, 3>();
}

#[test]
fn compact_f32_2d() {
    compact::<f32, 2>();
}

#[test]
fn compact_f64_3d() {
    compact::<f64, 3>();
}
