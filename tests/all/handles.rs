//! Handles as numbers and their slots, several values by their handles, and what is done by a handle whatever the kind of its
//! layer: moves by an offset or to a box, typed layers from identifiers.

use std::collections::BTreeSet;

use quadrille::{Handle, Kind, LayerSettings, ObjectError, Rect};

use quadrille_support::agreement::snapshot;
use quadrille_support::oracle::Span;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{AnyLayer, Dice, Index, Real, assert_sound, in_spaces};

in_spaces!(numbers_name_the_same, numbers_of_nonsense, moves_by_offsets, typed_layers, boxes_for_any_kind);
in_spaces!(slots_count_insertions, slots_name_what_lives, values_are_lent_together);

/// Two layers, and objects in both; some have come and gone.
fn filled<S: Real, const D: usize>() -> (Index<S, D>, [AnyLayer; 2], Vec<Handle>) {
    let mut index: Index<S, D> = roomy_scenes::<S>()[0].index();
    let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(2)));
    let mut handles = Vec::new();
    for value in 0..60_u32 {
        let at = S::of(f64::from(value));
        let span = Span::cube(at, S::of(at.value() + 0.5));
        let layer = layers[value as usize % 2];
        handles.push(layer.insert(&mut index, layer.trimmed(span), value).expect("finite"));
        if value % 3 == 0 {
            index.remove(handles[value as usize / 2]);
        }
    }
    (index, layers, handles)
}

/// A handle and its number are the same name, for living objects and dead ones, and no two have the same.
fn numbers_name_the_same<S: Real, const D: usize>() {
    let (index, _, handles) = filled::<S, D>();
    let numbers: BTreeSet<u64> = handles.iter().map(|handle| handle.to_bits()).collect();
    assert_eq!(numbers.len(), handles.len());
    assert!(!numbers.contains(&0));
    for &handle in handles.iter().chain([&Handle::default()]) {
        let again = Handle::from_bits(handle.to_bits());
        assert_eq!((again, index.get(again)), (handle, index.get(handle)));
    }
}

/// Any number may be asked about; only those of living objects name one.
fn numbers_of_nonsense<S: Real, const D: usize>() {
    let (mut index, layers, handles) = filled::<S, D>();
    let living: BTreeSet<u64> = handles.iter().filter(|&&of| index.contains(of)).map(|of| of.to_bits()).collect();
    assert!(!living.is_empty());
    let before = snapshot(&index);
    let slots = (0..70_u64).chain([u64::from(u32::MAX) - 1, u64::from(u32::MAX)]);
    let generations = (0..6_u64).chain([u64::from(u32::MAX) - 1, u64::from(u32::MAX)]);
    for bits in slots.flat_map(|slot| generations.clone().map(move |generation| generation << 32 | slot)) {
        let handle = Handle::from_bits(bits);
        assert_eq!(index.contains(handle), living.contains(&bits), "{bits:#x}");
        assert!(handle.to_bits() == bits || handle == Handle::default(), "{bits:#x}");
        if !living.contains(&bits) {
            assert!(index.get(handle).is_none() && index.get_mut(handle).is_none() && index.remove(handle).is_none());
            assert!(index.object(handle).is_none() && index.shape(handle).is_none() && index.cell_of(handle).is_none());
            let refused = index.move_by(handle, [S::of(1.0); D]);
            assert!(matches!(refused, Err(ObjectError::NoSuchObject { .. })), "{refused:?}");
            let refused = layers[0].take(&mut index, handle);
            assert!(matches!(refused, Err(ObjectError::NoSuchObject { .. })), "{refused:?}");
            assert_eq!(index.iter().excluding(handle).count(), index.len());
        }
    }
    assert_eq!(snapshot(&index), before);
    assert_sound(&index, "nonsense");
}

/// As long as nothing is removed, the n-th object gets slot n, alone or in a batch.
fn slots_count_insertions<S: Real, const D: usize>() {
    let span = |number: usize| {
        let at = [1.0, 5.0, 9.5, 20.0, 33.0, 60.0, 61.5][number % 7];
        Span::cube(S::of(at), S::of(at + 0.5))
    };
    for (alone, each) in [(0, 500), (1, 300), (70, 20)] {
        let mut index: Index<S, D> = roomy_scenes::<S>()[0].index();
        let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new()));
        assert_eq!((index.slots(), index.handle_at(0), index.handle_at(1)), (1, None, None));
        let first = |number: usize| layers[number % 2].insert(&mut index, span(number), 0).expect("finite");
        let mut handles: Vec<Handle> = (0..alone).map(first).collect();
        for layer in layers.into_iter().chain(layers) {
            let batch: Vec<_> = (0..each).map(|number| (span(number * 3), 0)).collect();
            handles.extend(layer.insert_batch(&mut index, &batch).expect("finite"));
        }
        assert!(handles.iter().map(|handle| handle.slot()).eq(1..=alone + 4 * each));
        assert_eq!(index.slots(), 1 + handles.len());
        assert!(handles.iter().all(|&handle| index.handle_at(handle.slot()) == Some(handle)));
    }
}

/// A slot names the object that is in it now, and nothing else.
fn slots_name_what_lives<S: Real, const D: usize>() {
    let (mut index, layers, handles) = filled::<S, D>();
    let living: BTreeSet<Handle> = handles.iter().copied().filter(|&handle| index.contains(handle)).collect();
    assert!(living.len() < handles.len());
    let named = |index: &Index<S, D>| (0..index.slots()).filter_map(|slot| index.handle_at(slot)).collect::<Vec<_>>();
    assert_eq!(named(&index).into_iter().collect::<BTreeSet<_>>(), living);
    assert!(named(&index).iter().map(|handle| handle.slot()).is_sorted());
    for slot in [0, index.slots(), u32::MAX as usize, usize::MAX] {
        assert_eq!(index.handle_at(slot), None);
    }
    assert!(Handle::default().slot() >= index.slots());
    // Free slots are used before the list grows.
    let (slots, free) = (index.slots(), index.slots() - 1 - index.len());
    for number in 0..free + 2 {
        let handle = layers[1].insert(&mut index, Span::cube(S::of(1.0), S::of(2.0)), 0).expect("finite");
        assert_eq!(index.handle_at(handle.slot()), Some(handle));
        assert_eq!(index.slots(), slots + (number + 1).saturating_sub(free));
    }
    index.clear();
    assert_eq!((named(&index), index.slots()), (Vec::new(), slots + 2));
}

/// Several values at once: those of different living objects, each the one that `get` shows; otherwise none.
fn values_are_lent_together<S: Real, const D: usize>() {
    let (mut index, _, mut handles) = filled::<S, D>();
    handles.extend([Handle::default(), Handle::from_bits(handles[1].to_bits() + (2 << 32))]);
    let (mut dice, mut lent, mut refused) = (Dice::new(29), 0, 0);
    for round in 0..400_u32 {
        let three = [(); 3].map(|()| handles[dice.below(handles.len())]);
        let are_different = three[0] != three[1] && three[0] != three[2] && three[1] != three[2];
        let values = three.map(|handle| index.get(handle).copied());
        let came = index.get_disjoint_mut(three);
        if are_different && values.iter().all(Option::is_some) {
            let came = came.expect("three different objects");
            assert_eq!(values, [Some(*came[0]), Some(*came[1]), Some(*came[2])]);
            *came[1] = 1000 + round;
            assert_eq!(index.get(three[1]), Some(&(1000 + round)));
            lent += 1;
        } else {
            assert!(came.is_none(), "{three:?}");
            refused += 1;
        }
    }
    assert!(40 < lent && 40 < refused, "{lent} and {refused}");
    assert_eq!(index.get_disjoint_mut([]), Some([]));
    assert_sound(&index, "values that were lent");
}

/// A move by an offset is a move to the shape moved by the offset, or is refused and changes nothing.
fn moves_by_offsets<S: Real, const D: usize>() {
    let (mut index, _, handles) = filled::<S, D>();
    let (mut other, mut dice) = (index.clone(), Dice::new(5));
    let handles: Vec<_> = handles.into_iter().filter(|&handle| index.contains(handle)).collect();
    for _ in 0..400 {
        let handle = handles[dice.below(handles.len())];
        let offset: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() - 0.5) * 9.0));
        let shape = index.shape(handle).expect("a living object").translated(offset);
        assert_eq!(index.move_by(handle, offset), other.move_to(handle, shape));
        assert_eq!(index.shape(handle), Some(shape));
    }
    assert_sound(&index, "moves by offsets");
    // All but the figures: a clone has no memory to spare.
    assert_eq!(snapshot(&index)[2..], snapshot(&other)[2..]);
    for bad in [f64::NAN, f64::INFINITY] {
        let before = snapshot(&index);
        let refused = index.move_by(handles[0], [S::of(bad); D]);
        assert!(matches!(refused, Err(ObjectError::NotFinite(_))), "{refused:?}");
        assert_eq!(snapshot(&index), before);
    }
    for handle in handles {
        index.move_by(handle, [S::LARGEST; D]).expect("not beyond the largest number");
        let refused = index.move_by(handle, [S::LARGEST; D]);
        assert!(matches!(refused, Err(ObjectError::NotFinite(_))), "{refused:?}");
    }
}

/// An identifier becomes a typed layer of its own kind only, while the layer lives, in its own index.
fn typed_layers<S: Real, const D: usize>() {
    let (mut index, layers, _) = filled::<S, D>();
    let (elsewhere, _, _) = filled::<S, D>();
    for layer in layers {
        let id = layer.id();
        let kind = if layer.holds_rects() { Kind::Rects } else { Kind::Points };
        assert_eq!((index.layer_kind(id), elsewhere.layer_kind(id)), (Some(kind), None));
        let typed = [index.point_layer(id).map(AnyLayer::Points), index.rect_layer(id).map(AnyLayer::Rects)];
        assert_eq!(typed, if layer.holds_rects() { [None, Some(layer)] } else { [Some(layer), None] });
        assert!(elsewhere.point_layer(id).is_none() && elsewhere.rect_layer(id).is_none());
        index.remove_layer(id).expect("a living layer");
        assert!(index.layer_kind(id).is_none() && index.point_layer(id).is_none() && index.rect_layer(id).is_none());
    }
}

/// Insertion by a box and moves to one do the same for both kinds as those by a shape of the kind.
fn boxes_for_any_kind<S: Real, const D: usize>() {
    let (mut index, layers, handles) = filled::<S, D>();
    let mut typed = index.clone();
    let thick = Rect::new([S::of(3.0); D], [S::of(4.5); D]);
    for layer in layers {
        let span = layer.trimmed(Span::of_rect(&thick));
        let handle = index.insert_any(layer.id(), span.rect(), 7).expect("a shape of its kind");
        assert_eq!(layer.insert(&mut typed, span, 7), Ok(handle));
        let shape = index.shape(handle).expect("a living object");
        assert_eq!(index.move_to(handle, shape.translated([S::of(20.0); D])), typed.move_by(handle, [S::of(20.0); D]));
        let more = AnyLayer::add(&mut index, layer.holds_rects(), LayerSettings::new());
        assert_eq!(index.set_layer(handle, more.id()), Ok(()));
        assert_eq!((index.layer(handle), index.shape(handle)), (Some(more.id()), typed.shape(handle)));
        assert_eq!(index.set_layer(handle, layer.id()), Ok(()));
    }
    // A batch of boxes moves objects of both kinds.
    let boxes = index.iter().map(|object| (object.handle(), object.shape().translated([S::of(1.0); D])));
    let boxes: Vec<_> = boxes.collect();
    let moved = index.move_batch(boxes.iter().copied());
    assert_eq!((moved.in_place + moved.elsewhere, moved.refused.len()), (boxes.len(), 0));
    assert!(boxes.iter().all(|&(handle, shape)| index.shape(handle) == Some(shape)));
    // Points take no extent, layers not the other kind.
    let points = layers[0];
    let wrong = ObjectError::WrongKind { object: Kind::Points, called: Kind::Rects };
    let before = snapshot(&index);
    assert_eq!(index.insert_any(points.id(), thick, 7), Err(wrong));
    let handle = handles.into_iter().find(|&of| index.layer(of) == Some(points.id())).expect("a point");
    assert_eq!(index.move_to(handle, thick), Err(wrong));
    assert!(matches!(index.set_layer(handle, layers[1].id()), Err(ObjectError::WrongKind { .. })));
    let nowhere = Rect::from_point([S::of(f64::NAN); D]);
    assert!(matches!(index.insert_any(points.id(), nowhere, 7), Err(ObjectError::NotFinite(_))));
    assert!(matches!(index.move_to(handle, nowhere), Err(ObjectError::NotFinite(_))));
    let foreign = AnyLayer::add(&mut typed, false, LayerSettings::new()).id();
    assert!(matches!(index.insert_any(foreign, Rect::from_point([S::of(0.0); D]), 7), Err(ObjectError::Layer(_))));
    assert!(matches!(index.set_layer(handle, foreign), Err(ObjectError::Layer(_))));
    assert_eq!(snapshot(&index), before);
    assert_sound(&index, "boxes for layers of either kind");
}
