//! A panic in a caller's code leaves the index sound.

use std::panic::{AssertUnwindSafe, catch_unwind};

use quadrille::{LayerSettings, SpatialIndex};

use quadrille_support::scene::roomy_scenes;
use quadrille_support::{Real, in_spaces};

in_spaces!(retain_is_interrupted, update_is_interrupted, batches_are_interrupted, values_that_will_not_go);

/// A value that panics when it is dropped, once.
struct Stubborn {
    number: u32,
    panics: bool,
}

impl Drop for Stubborn {
    fn drop(&mut self) {
        assert!(!std::mem::take(&mut self.panics), "dropped on purpose");
    }
}

type Stubbornly<S, const D: usize> = SpatialIndex<Stubborn, S, D>;

/// An index of forty values, of which the one in the middle will not go.
fn stubborn<S: Real, const D: usize>() -> Stubbornly<S, D> {
    let mut index = Stubbornly::new(roomy_scenes::<S>()[0].world()).expect("a world");
    let layer = index.add_point_layer_with(LayerSettings::new().split_above(4)).expect("a layer");
    for number in 0..40 {
        let value = Stubborn { number, panics: number == 20 };
        index.insert(layer, [S::of(f64::from(number)); D], value).expect("finite");
    }
    index
}

/// Does something that panics, without the noise.
fn interrupt<S: Real, const D: usize>(index: &mut Stubbornly<S, D>, what: impl FnOnce(&mut Stubbornly<S, D>)) {
    let outcome = catch_unwind(AssertUnwindSafe(|| what(index)));
    assert!(outcome.is_err(), "nothing panicked");
}

fn assert_sound<S: Real, const D: usize>(index: &Stubbornly<S, D>) {
    if let Err(broken) = index.check_integrity() {
        panic!("{broken:?}");
    }
    let seen: Vec<_> = index.iter().map(|object| (object.handle(), object.value().number)).collect();
    assert_eq!(seen.len(), index.len());
    assert!(seen.iter().all(|(handle, _)| index.contains(*handle)));
}

/// A caller's question panics half-way: nothing was removed yet.
fn retain_is_interrupted<S: Real, const D: usize>() {
    let mut index = stubborn::<S, D>();
    let mut asked = 0;
    interrupt(&mut index, |index| {
        index.retain(|_, _, _| {
            asked += 1;
            assert!(asked < 15, "had enough on purpose");
            false
        });
    });
    assert_sound(&index);
    assert_eq!(index.len(), 40);
    index.iter().for_each(|object| assert!(object.value().number < 40));
    disarm(&mut index);
}

/// A caller's question panics half-way: some objects have moved, none is lost.
fn update_is_interrupted<S: Real, const D: usize>() {
    let mut index = stubborn::<S, D>();
    let layer = index.add_point_layer().expect("a layer");
    let handles: Vec<_> = index.iter().map(|object| object.handle()).collect();
    for handle in handles {
        index.set_layer(handle, layer).expect("a layer of the same kind");
    }
    let mut asked = 0;
    interrupt(&mut index, |index| {
        let moved = index.update(layer, |_, value, shape| {
            asked += 1;
            assert!(asked < 15, "had enough on purpose");
            shape.min().map(|at| S::of(at.value() + f64::from(value.number % 2) * 9.0))
        });
        drop(moved);
    });
    assert_sound(&index);
    assert_eq!(index.len(), 40);
    disarm(&mut index);
}

/// A caller's iterator panics half-way: of a batch to insert nothing has come, of a batch to move what came before.
fn batches_are_interrupted<S: Real, const D: usize>() {
    let mut index = stubborn::<S, D>();
    let layer = index.add_point_layer().expect("a layer");
    let first = index.iter().next().expect("an object").handle();
    let at = |number: u32| [S::of(f64::from(number)); D];
    let until_enough = |number: u32| {
        assert!(number < 9, "had enough on purpose");
        number
    };
    interrupt(&mut index, |index| {
        let objects = (0..40).map(until_enough).map(|number| (at(number), Stubborn { number, panics: false }));
        drop(index.insert_batch(layer, objects));
    });
    assert_sound(&index);
    assert_eq!(index.len(), 40);
    interrupt(&mut index, |index| {
        drop(index.move_batch((0..40).map(until_enough).map(|number| (first, at(number)))));
    });
    assert_sound(&index);
    assert_eq!(index.shape(first).map(|shape| shape.min()), Some(at(8)));
    disarm(&mut index);
}

/// A value panics on its way out, whichever way it goes. Clearing left entries without values behind.
fn values_that_will_not_go<S: Real, const D: usize>() {
    let ways: [fn(&mut Stubbornly<S, D>); 4] = [
        SpatialIndex::clear,
        |index| {
            let layers: Vec<_> = index.layers().collect();
            index.clear_in(layers[0]);
        },
        |index| {
            let layers: Vec<_> = index.layers().collect();
            index.remove_layer(layers[0]).expect("a live layer");
        },
        |index| index.retain(|_, _, _| false),
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let mut index = stubborn();
        interrupt(&mut index, way);
        assert_sound(&index);
        assert!(number > 0 || index.is_empty(), "the rest was cleared");
        disarm(&mut index);
        index.clear();
        assert_sound(&index);
        assert!(index.is_empty());
    }
}

/// Nothing panics from here on.
fn disarm<S: Real, const D: usize>(index: &mut Stubbornly<S, D>) {
    let handles: Vec<_> = index.iter().map(|object| object.handle()).collect();
    for handle in handles {
        index.get_mut(handle).expect("a live object").panics = false;
    }
}
