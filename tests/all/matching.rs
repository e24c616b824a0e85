//! Conditions on objects, which a query takes along. Random ones are in `fuzz`, beside a filtered query.

use std::cell::Cell;
use std::collections::BTreeSet;

use quadrille::{Cursor, Intersecting, ObjectRef, Periodic, Quadtree, Rect, Scalar};
#[cfg(feature = "rayon")]
use rayon::prelude::*;

type Condition<S, const D: usize> = fn(ObjectRef<'_, u32, S, D>) -> bool;

pub(crate) fn is_even<S: Scalar, const D: usize>(object: ObjectRef<'_, u32, S, D>) -> bool {
    object.value().is_multiple_of(2)
}

fn world() -> Rect {
    Rect::new([0.0; 2], [64.0; 2])
}

/// Points on a lattice, many in one place, and one far away.
fn index() -> Quadtree<u32> {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_point_layer().unwrap();
    let lattice = (0..64 * 64).map(|number| [number % 64, number / 64].map(|at: u16| f32::from(at)));
    let places = lattice.chain([[9.0; 2]; 300]).chain([[1e12; 2]]);
    index.insert_batch(layer, (1..).zip(places).map(|(value, place)| (place, value))).unwrap();
    index
}

/// The far object has an odd value, so it has no say in the size of cells.
#[test]
fn clusters_are_of_what_matches() {
    let index = index();
    assert!(index.iter().clusters(4.0).is_err());
    let even = index.iter().matching(is_even);
    let clusters = even.clone().clusters(4.0).unwrap();
    let counts = clusters.clone().counts();
    assert_eq!((counts.len(), counts.iter().map(|(_, count)| count).sum()), (256, even.clone().count()));
    for cluster in clusters.clone() {
        let group: Vec<_> =
            even.clone().filter(|object| clusters.cell_of(object.shape().min()) == Some(cluster.cell)).collect();
        assert!(group.iter().all(|object| cluster.bounds.contains(&object.shape())));
        assert!(0.5 < cluster.bounds.min()[0] % 2.0, "even values lie at odd places");
        assert!(cluster.count == group.len() && group.iter().any(|object| object.handle() == cluster.handle));
    }
    #[cfg(feature = "rayon")]
    {
        assert_eq!(clusters.clone().par_collect(), clusters.collect::<Vec<_>>());
        let parallel: Vec<_> = even.clone().into_par_iter().map(|object| object.handle()).collect();
        assert!(even.map(|object| object.handle()).eq(parallel));
    }
}

/// After a condition a query is narrowed as before it.
#[test]
fn a_query_goes_on_as_one() {
    let index = index();
    let torus = Periodic::new(world()).unwrap();
    let window = Rect::new([-3.0; 2], [3.0; 2]);
    let first = index.intersecting(window).next().unwrap().handle();
    let plain = index.intersecting(window).periodic(&torus).excluding(first);
    let narrowed = index.intersecting(window).matching(is_even).periodic(&torus).excluding(first);
    let expected = plain.filter(|object| is_even(*object) && object.value() % 3 == 0).map(|object| object.handle());
    assert!(narrowed.clone().matching(|object| object.value() % 3 == 0).map(|object| object.handle()).eq(expected));
    assert!(!narrowed.clone().matching(|_| false).exists());
    assert_eq!(narrowed.in_layers(quadrille::LayerSet::NONE).count(), 0);
}

/// It is asked about each object once, and about none ahead.
#[test]
fn it_is_asked_in_turn() {
    let (index, asked, last) = (index(), Cell::new(0), Cell::new(None));
    let mut some = index.iter().matching(|object| {
        asked.set(asked.get() + 1);
        last.set(Some(object.handle()));
        is_even(object)
    });
    for object in some.by_ref().take(100) {
        assert_eq!(last.get(), Some(object.handle()));
    }
    some.for_each(|object| assert_eq!(last.get(), Some(object.handle())));
    assert_eq!(asked.get(), index.len());
}

/// A cursor keeps its condition, which holds when an object is yielded.
#[test]
fn a_cursor_keeps_it() {
    let mut index = index();
    let expected: BTreeSet<_> =
        index.intersecting(world()).filter(|object| is_even(*object)).map(|object| object.handle()).collect();
    let mut query = index.intersecting(world()).matching(is_even as Condition<f32, 2>);
    let mut found: Vec<_> = query.by_ref().take(40).map(|object| object.handle()).collect();
    let mut cursor: Cursor<Intersecting, f32, 2, Rect, ((), Condition<f32, 2>)> = query.pause();
    found.push(cursor.step(&index).unwrap().unwrap().handle());
    let mut resumed = index.resume(cursor).unwrap();
    found.extend(resumed.by_ref().take(200).map(|object| object.handle()));
    let mut cursor = resumed.pause().distinct();
    let mut slices = 0;
    loop {
        let run = cursor.run(&index, 3, |object| found.push(object.handle())).unwrap();
        slices += 1;
        if run.done {
            break;
        }
        index.optimize();
    }
    assert!(10 < slices);
    assert_eq!((found.len(), BTreeSet::from_iter(found)), (expected.len(), expected));

    let mut cursor = index.intersecting(world()).matching(is_even).pause();
    let first = cursor.step(&index).unwrap().unwrap().handle();
    for value in index.iter_mut().map(|(_, _, value)| value) {
        *value = 1;
    }
    assert!(index.get(first).is_some() && cursor.step(&index).unwrap().is_none());
}
