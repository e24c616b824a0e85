//! `par_update`: on any number of threads the same as `update`.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use quadrille::{BatchMoved, Handle, LayerError};
use quadrille_support::oracle::Span;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{AnyLayer, Dice, Index, Real, in_spaces};
use rayon::{ThreadPool, ThreadPoolBuilder};

in_spaces!(updates_are_those_of_one_thread, values_change_as_on_one_thread, a_panic_leaves_the_index_whole);

fn par_update<S: Real, const D: usize>(
    layer: AnyLayer,
    index: &mut Index<S, D>,
    span_of: impl Fn(u32, Span<S, D>) -> Span<S, D> + Sync,
) -> Result<BatchMoved, LayerError> {
    match layer {
        AnyLayer::Points(layer) => index.par_update(layer, |_, &value, at| span_of(value, Span::of_rect(&at)).min),
        AnyLayer::Rects(layer) => index.par_update(layer, |_, &value, at| span_of(value, Span::of_rect(&at)).rect()),
    }
}

/// Some threads, to compare them with one.
fn pools() -> [ThreadPool; 3] {
    [1, 2, 8].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads"))
}

/// Points and boxes on a coarse lattice, some of them outside the world; a layer among them that is small.
fn crowd<S: Real, const D: usize>(dice: &mut Dice) -> (Index<S, D>, Vec<AnyLayer>) {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let points = [0; 2].map(|_| AnyLayer::Points(index.add_point_layer().expect("few layers")));
    let layers = [points.to_vec(), vec![AnyLayer::Rects(index.add_rect_layer().expect("few layers"))]].concat();
    for (layer, objects) in layers.iter().zip([4000, 30, 4000]) {
        let objects: Vec<_> = (0..objects).map(|value| (layer.trimmed(lattice_span(dice)), value)).collect();
        layer.insert_batch(&mut index, &objects).expect("finite shapes");
    }
    (index, layers)
}

fn lattice_span<S: Real, const D: usize>(dice: &mut Dice) -> Span<S, D> {
    let far = if dice.below(40) == 0 { 1000.0 } else { 0.0 };
    let min: [S; D] = core::array::from_fn(|_| S::of((dice.fraction() * 256.0).floor() / 4.0 + far));
    let longest = [1.0, 1.0, 8.0, 64.0][dice.below(4)];
    Span { min, max: min.map(|min: S| S::of(min.value() + (dice.fraction() * longest * 4.0).floor() / 4.0)) }
}

/// Where an object goes: most stay in their blocks, a share jumps, some are refused, some grow.
fn sent<S: Real, const D: usize>(seed: u64, share: u32, value: u32, span: Span<S, D>) -> Span<S, D> {
    let mut dice = Dice::new(seed << 32 | u64::from(value));
    let by = (dice.fraction() - 0.5) / 8.0;
    let shifted = |end: S| S::of(end.value() + by);
    match dice.below(100) as u32 {
        0 => Span::at([S::of(f64::INFINITY); D]),
        1..4 => Span { min: span.min, max: span.max.map(|end| S::of(end.value() * 1.25)) },
        at if at < 4 + share => lattice_span(&mut dice),
        _ => Span { min: span.min.map(shifted), max: span.max.map(shifted) },
    }
}

/// The same outcome, shapes and order as `update`, whatever share leaves, and the shapes of a list.
fn updates_are_those_of_one_thread<S: Real, const D: usize>() {
    let (mut index, layers) = crowd::<S, D>(&mut Dice::new(45));
    let pools = pools();
    let in_order = |index: &Index<S, D>| -> Vec<_> {
        index.iter().map(|object| (object.handle(), Span::of_rect(&object.shape()), *object.value())).collect()
    };
    let mut left = 0;
    for (round, share) in (0..).zip([0, 1, 10, 80, 30, 0, 5, 10, 2, 60]) {
        for &layer in &layers {
            let before: HashMap<Handle, _> =
                in_order(&index).into_iter().map(|(handle, span, _)| (handle, span)).collect();
            let mut others = [(); 3].map(|()| index.clone());
            let moved = layer.update(&mut index, |_, value, span| sent(round, share, value, span)).expect("a layer");
            left += moved.elsewhere;
            let expected = in_order(&index);
            for (pool, other) in pools.iter().zip(&mut others) {
                let of_pool = pool.install(|| {
                    par_update(layer, other, |value, span| sent(round, share, value, span)).expect("a layer")
                });
                assert_eq!(of_pool, moved);
                assert_eq!(other.check_integrity(), Ok(()));
                assert!(in_order(other) == expected, "round {round} on {} threads", pool.current_num_threads());
            }
            for &(handle, span, value) in &expected {
                let mut wanted = before[&handle];
                if index.layer(handle) == Some(layer.id()) {
                    let to = layer.trimmed(sent(round, share, value, wanted));
                    wanted = if to.rect().min().iter().all(|end| end.value().is_finite()) { to } else { wanted };
                }
                assert_eq!(span, wanted, "{handle:?} in round {round}");
            }
        }
    }
    assert!(1000 < left, "{left}");
}

/// `par_update_mut` is `update`, values included, where slots are free and other layers lie among them.
fn values_change_as_on_one_thread<S: Real, const D: usize>() {
    let (mut index, layers) = crowd::<S, D>(&mut Dice::new(47));
    let gone: Vec<_> = index.iter().step_by(9).map(|object| object.handle()).collect();
    index.remove_batch(gone).expect("they are there");
    let in_order = |index: &Index<S, D>| -> Vec<_> {
        index.iter().map(|object| (object.handle(), Span::of_rect(&object.shape()), *object.value())).collect()
    };
    for (seed, &layer) in (0..).zip(&layers) {
        let to = |value: &mut u32, at| {
            *value += 10_000;
            sent(seed, 10, *value, Span::of_rect(&at))
        };
        let mut others = [(); 3].map(|()| index.clone());
        let moved = match layer {
            AnyLayer::Points(layer) => index.update(layer, |_, mut value, at| to(&mut value, at).min),
            AnyLayer::Rects(layer) => index.update(layer, |_, mut value, at| to(&mut value, at).rect()),
        };
        for (pool, other) in pools().iter().zip(&mut others) {
            let of_pool = pool.install(|| match layer {
                AnyLayer::Points(layer) => other.par_update_mut(layer, |_, value, at| to(value, at).min),
                AnyLayer::Rects(layer) => other.par_update_mut(layer, |_, value, at| to(value, at).rect()),
            });
            assert_eq!(of_pool, moved);
            assert_eq!(other.check_integrity(), Ok(()));
            assert!(in_order(other) == in_order(&index), "on {} threads", pool.current_num_threads());
        }
    }
}

/// A panic in the closure of any thread is that of the caller. The index is whole, and each object is where it was or where it
/// was sent.
fn a_panic_leaves_the_index_whole<S: Real, const D: usize>() {
    let (index, layers) = crowd::<S, D>(&mut Dice::new(46));
    for pool in pools() {
        for (layer, call) in [(0, 0), (0, 1700), (0, 3999), (2, 40), (2, 3000)] {
            let (layer, mut index, before) = (layers[layer], index.clone(), index.clone());
            let calls = AtomicUsize::new(0);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool.install(|| {
                    par_update(layer, &mut index, |value, span| {
                        if calls.fetch_add(1, Ordering::Relaxed) == call {
                            resume_unwind(Box::new(call));
                        }
                        sent(1, 20, value, span)
                    })
                })
            }));
            assert_eq!(outcome.map(drop).unwrap_err().downcast_ref(), Some(&call));
            assert_eq!((index.check_integrity(), index.len()), (Ok(()), before.len()));
            for object in &before {
                let now = index.object(object.handle()).expect("it is there");
                let (old, value) = (Span::of_rect(&object.shape()), *now.value());
                let span = Span::of_rect(&now.shape());
                assert!(span == old || layer.id() == now.layer() && span == layer.trimmed(sent(1, 20, value, old)));
            }
            let again = pool.install(|| par_update(layer, &mut index, |_, span| span)).expect("a layer");
            assert_eq!((again.in_place, again.refused.len()), (index.len_in(layer.id()), 0));
        }
    }
}

/// A layer of another index is refused before anything is asked.
#[test]
fn a_foreign_layer_is_refused() {
    let mut index = roomy_scenes::<f32>()[0].index::<2>();
    let mut other = index.clone();
    let layer = other.add_point_layer().expect("few layers");
    let asked = index.par_update(layer, |_, _, _| -> [f32; 2] { unreachable!("nothing is asked") });
    assert_eq!(asked, index.update(layer, |_, _, shape| shape.min()));
    assert!(asked.is_err());
}
