//! Going through all objects: values, objects with values to be changed, objects taken out; whatever is dropped, forgotten
//! or panics on the way.

use std::cell::Cell;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use quadrille::{Handle, LayerSet, LayerSettings, Rect, SpatialIndex};

use quadrille_support::oracle::Span;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{AnyLayer, Index, Real, assert_sound, in_spaces};

in_spaces!(
    values_are_those_of_objects,
    values_are_changed,
    small_layers_are_listed,
    few_are_left_of_many,
    what_is_taken_out,
    layers_are_taken_out,
    drains_are_dropped_and_forgotten,
    values_panic_on_the_way_out,
);

/// Three layers with objects that have come and gone; one layer is empty.
fn filled<S: Real, const D: usize>() -> (Index<S, D>, [AnyLayer; 3]) {
    let mut index: Index<S, D> = roomy_scenes::<S>()[0].index();
    let settings = LayerSettings::new().split_above(2);
    let layers = [false, true, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
    for value in 0..90_u32 {
        let at = S::of(f64::from(value * 7 % 60));
        let layer = layers[value as usize % 2];
        let span = layer.trimmed(Span::cube(at, S::of(at.value() + 0.75)));
        let handle = layer.insert(&mut index, span, value).expect("finite");
        if value % 4 == 0 {
            index.remove(handle);
        }
    }
    (index, layers)
}

/// Handle, shape and value of each object of some layers, by handle.
fn objects<S: Real, const D: usize>(index: &Index<S, D>, layers: LayerSet) -> Vec<(Handle, Rect<S, D>, u32)> {
    let objects = index.iter().in_layers(layers);
    let mut objects: Vec<_> = objects.map(|object| (object.handle(), object.shape(), *object.value())).collect();
    objects.sort_by_key(|object| object.0.to_bits() as u32);
    objects
}

fn values_are_those_of_objects<S: Real, const D: usize>() {
    let (mut index, _) = filled::<S, D>();
    let expected: Vec<u32> = objects(&index, LayerSet::ALL).into_iter().map(|object| object.2).collect();
    let mut values = index.values();
    for taken in 0..=expected.len() {
        assert_eq!(values.len(), expected.len() - taken);
        assert!(index.values().skip(taken).eq(&expected[taken..]));
        assert_eq!(values.next(), expected.get(taken));
    }
    assert!(values.next().is_none());
    assert_eq!(index.values().sum::<u32>(), expected.iter().sum());
    drop(values);
    assert_eq!(index.values_mut().len(), expected.len());
    index.clear();
    assert_eq!((index.values().len(), index.values().next()), (0, None));
    assert_eq!(index.values_mut().len(), 0);
    assert!(index.iter_mut().next().is_none());
}

fn values_are_changed<S: Real, const D: usize>() {
    let (mut index, [points, rects, empty]) = filled::<S, D>();
    let before = objects(&index, LayerSet::ALL);
    index.values_mut().for_each(|value| *value += 1000);
    let mut slowly = index.values_mut();
    while let Some(value) = slowly.next() {
        *value += 1;
        assert!(slowly.len() < before.len());
    }
    drop(slowly);
    let found: Vec<_> = index.iter_mut().map(|(handle, shape, value)| (handle, shape, *value - 1001)).collect();
    assert_eq!(found, before);
    for layers in [points.id().into(), points.id() | rects.id(), empty.id().into(), LayerSet::NONE] {
        let expected = objects(&index, layers);
        let found: Vec<_> =
            index.iter_mut().in_layers(layers).map(|(handle, at, value)| (handle, at, *value)).collect();
        assert_eq!(found, expected);
    }
    assert_eq!(index.iter_mut().in_layers(points.id()).in_layers(rects.id()).count(), 0);
    for (_, shape, value) in &mut index {
        *value = u32::from(S::of(30.0) <= shape.min()[0]);
    }
    assert!(index.iter().all(|object| *object.value() == u32::from(S::of(30.0) <= object.shape().min()[0])));
    assert_sound(&index, "changed values");
}

/// Objects of a small layer come by handle too, also if the layer is asked for when some have come.
fn small_layers_are_listed<S: Real, const D: usize>() {
    let (mut index, _) = filled::<S, D>();
    let small = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(2)));
    for value in 0..9_u32 {
        let at = S::of(f64::from(value * 37 % 60));
        let layer = small[value as usize % 2];
        layer.insert(&mut index, layer.trimmed(Span::cube(at, at)), value).expect("finite");
    }
    let both = small[0].id() | small[1].id();
    for layers in [both, small[0].id().into(), small[1].id().into()] {
        for taken in 0..60 {
            let mut rest = objects(&index, LayerSet::ALL).into_iter().skip(taken).map(|object| object.0);
            let expected: Vec<Handle> = rest
                .by_ref()
                .filter(|&handle| index.layer(handle).is_some_and(|layer| layers.contains(layer)))
                .collect();
            let mut some = index.iter_mut();
            some.by_ref().take(taken).for_each(drop);
            let found: Vec<_> = some.in_layers(layers).map(|(handle, _, value)| (handle, *value)).collect();
            assert!(found.iter().map(|of| of.0).eq(expected), "after {taken}");
            assert!(found.iter().all(|(handle, value)| index.get(*handle) == Some(value)));
        }
    }
    assert_eq!(index.iter_mut().in_layers(small[0].id()).in_layers(small[1].id()).count(), 0);
}

/// When few of many objects are left and memory was given back, all that goes through values still does.
fn few_are_left_of_many<S: Real, const D: usize>() {
    let mut index: Index<S, D> = roomy_scenes::<S>()[0].index();
    let layer = AnyLayer::add(&mut index, false, LayerSettings::new());
    let at = |value: u32| Span::cube(S::of(f64::from(value * 7 % 60)), S::of(f64::from(value * 7 % 60)));
    let handles: Vec<Handle> =
        (0..2000).map(|value| layer.insert(&mut index, at(value), value).expect("finite")).collect();
    let (kept, gone): (Vec<_>, Vec<_>) = handles.into_iter().partition(|handle| handle.slot() % 700 == 3);
    assert!(gone.iter().all(|&handle| index.remove(handle).is_some()));
    let full = index.stats().bytes;
    index.shrink_to_fit();
    assert!(index.stats().bytes < full / 2, "{} bytes of {full}", index.stats().bytes);
    assert_eq!(index.slots(), 1404);
    let values = |index: &Index<S, D>| index.values().copied().collect::<Vec<_>>();
    assert_eq!((values(&index), values(&index.clone())), (vec![2, 702, 1402], vec![2, 702, 1402]));
    index.values_mut().for_each(|value| *value += 1);
    index.iter_mut().for_each(|(_, _, value)| *value += 1);
    assert_eq!(index.get_disjoint_mut([kept[2], kept[0]]), Some([&mut 1404, &mut 4]));
    assert_eq!(index.get_disjoint_mut([kept[2], kept[2]]), None);
    // New objects take the lowest slots, under new handles.
    let new: Vec<Handle> = (0..2500).map(|value| layer.insert(&mut index, at(value), value).expect("finite")).collect();
    assert_eq!(new[..4].iter().map(|handle| handle.slot()).collect::<Vec<_>>(), [1, 2, 4, 5]);
    assert!(gone.iter().all(|&handle| !index.contains(handle)), "an old handle never comes back");
    assert_eq!((index.get(kept[1]), index.get(new[2200]), index.len()), (Some(&704), Some(&2200), 2503));
    assert_sound(&index, "slots that are filled again");
    index.clear();
    index.shrink_to_fit();
    assert_eq!((index.slots(), index.values().next()), (1, None));
    let again = layer.insert(&mut index, at(1), 1).expect("finite");
    assert_eq!(again.slot(), 1);
    assert!(!gone.contains(&again) && !kept.contains(&again) && !new.contains(&again));
}

/// `drain` and `into_iter` yield what `iter` yielded, in its order, and the index is as after `clear`.
fn what_is_taken_out<S: Real, const D: usize>() {
    let (mut index, layers) = filled::<S, D>();
    let all = |index: &Index<S, D>| -> Vec<_> {
        index.iter().map(|object| (object.handle(), object.layer(), object.shape(), *object.value())).collect()
    };
    let expected = all(&index);
    let whole: Vec<_> = index.clone().into_iter().map(|of| (of.handle, of.layer, of.shape, of.value)).collect();
    assert_eq!(whole, expected);
    let cursor = index.iter().pause();
    let mut drain = index.drain();
    assert!(index.is_empty() && index.resume(cursor).is_err(), "all have left at once");
    assert_sound(&index, "a drain that was just begun");
    let mut found = Vec::new();
    while let Some(of) = drain.next() {
        assert!(!index.contains(of.handle));
        found.push((of.handle, of.layer, of.shape, of.value));
        assert_eq!(drain.len(), expected.len() - found.len());
        // The index is free meanwhile.
        index.insert_any(of.layer, of.shape, of.value).expect("it was there before");
    }
    assert_eq!(found, expected);
    assert_sound(&index, "a drain that fills anew");
    let mut values = [index.values().copied().collect(), expected.iter().map(|object| object.3).collect::<Vec<_>>()];
    for values in &mut values {
        values.sort_unstable();
    }
    assert_eq!(values[0], values[1]);
    assert_eq!(index.drain().rev().count(), expected.len());
    assert_eq!((index.drain().count(), index.layers().count()), (0, layers.len()));
}

fn layers_are_taken_out<S: Real, const D: usize>() {
    let (mut index, [points, rects, empty]) = filled::<S, D>();
    let stay = objects(&index, points.id().into());
    let cursor = index.iter().pause();
    let taken: Vec<_> = index.drain_in(rects.id() | empty.id()).collect();
    assert!(!taken.is_empty() && taken.iter().all(|object| object.layer == rects.id()));
    assert_eq!((objects(&index, LayerSet::ALL), index.len_in(rects.id())), (stay, 0));
    assert!(index.resume(cursor).is_ok());
    assert_eq!(index.drain_in(LayerSet::NONE).len(), 0);
    assert_sound(&index, "a layer taken out");
}

/// A value that counts how often one is dropped, and that may panic when it is.
struct Counted {
    drops: Rc<Cell<usize>>,
    panics: bool,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.drops.set(self.drops.get() + 1);
        assert!(!self.panics, "dropped on purpose");
    }
}

/// Forty values, of which one panics when it is dropped, if asked for.
fn counted<S: Real, const D: usize>(panics: bool) -> (SpatialIndex<Counted, S, D>, Rc<Cell<usize>>) {
    let mut index = SpatialIndex::new(roomy_scenes::<S>()[0].world()).expect("a world");
    let layer = index.add_point_layer_with(LayerSettings::new().split_above(4)).expect("a layer");
    let drops = Rc::new(Cell::new(0));
    for number in 0..40 {
        let value = Counted { drops: Rc::clone(&drops), panics: panics && number == 20 };
        index.insert(layer, [S::of(f64::from(number)); D], value).expect("finite");
    }
    (index, drops)
}

fn is_sound_and_empty<S: Real, const D: usize>(index: &SpatialIndex<Counted, S, D>) {
    index.check_integrity().expect("a sound index");
    assert!(index.is_empty() && index.values().next().is_none());
}

fn drains_are_dropped_and_forgotten<S: Real, const D: usize>() {
    let (mut index, drops) = counted::<S, D>(false);
    let mut drain = index.drain();
    let few: Vec<_> = drain.by_ref().take(15).collect();
    drop(drain);
    assert_eq!(drops.get(), 25, "what was not asked for");
    drop(few);
    assert_eq!(drops.get(), 40);
    is_sound_and_empty(&index);

    let (mut index, drops) = counted::<S, D>(false);
    let mut drain = index.drain();
    drop(drain.next());
    mem::forget(drain);
    is_sound_and_empty(&index);
    drop(index);
    assert_eq!(drops.get(), 1, "the others are leaked");
}

fn values_panic_on_the_way_out<S: Real, const D: usize>() {
    let (mut index, drops) = counted::<S, D>(true);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(index.drain()))).is_err());
    assert_eq!(drops.get(), 40, "the others are dropped all the same");
    is_sound_and_empty(&index);

    let (mut index, drops) = counted::<S, D>(true);
    let outcome = catch_unwind(AssertUnwindSafe(|| index.drain().for_each(drop)));
    assert!(outcome.is_err());
    assert_eq!(drops.get(), 40);
    is_sound_and_empty(&index);

    let (index, drops) = counted::<S, D>(true);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(index.into_iter()))).is_err());
    assert_eq!(drops.get(), 40);
}
