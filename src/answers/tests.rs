//! Batches that are sorted: in unit tests every index outgrows the cache, and few questions are sorted together.

use alloc::format;
use alloc::vec::Vec;

use super::*;
use crate::geometry::Rect;
use crate::key::Handle;

type Index<const D: usize> = SpatialIndex<(), f32, D>;

/// Points on a lattice, and boxes around places that follow no order.
fn points_and_boxes<const D: usize>() -> (Index<D>, Vec<Rect<f32, D>>) {
    let place = |number: u16, factor: u16| {
        core::array::from_fn(|axis| f32::from((number * factor + axis as u16 * 29) % 101)) as [f32; D]
    };
    let mut index = Index::new(Rect::new([0.0; D], [100.0; D])).unwrap();
    let units = index.add_point_layer().unwrap();
    index.insert_batch(units, (0..300).map(|number| (place(number, 7), ()))).unwrap();
    let boxes = (0..3 * BLOCK as u16 + 5).map(|number| {
        let min = place(number, 37);
        Rect::new(min, min.map(|min| min + f32::from(number % 40)))
    });
    (index, boxes.chain([Rect::from_point([f32::NAN; D]), Rect::everything()]).collect())
}

fn answers_stand_at_their_questions<const D: usize>() {
    let (index, boxes) = points_and_boxes::<D>();
    let ask = |window: &Rect<f32, D>| index.intersecting(*window).map(|object| object.handle());
    let mut order = Vec::new();
    let found: Answers<Handle> = index.query_batch(boxes.iter().copied(), |window, answer| {
        order.push(answer.number());
        assert_eq!(format!("{:?}", boxes[answer.number()]), format!("{window:?}"));
        answer.extend(ask(window));
    });
    let expected: Vec<Vec<_>> = boxes.iter().map(|window| ask(window).collect()).collect();
    assert!(found.iter().eq(&expected) && !found.items.is_empty());
    assert!(!order.is_sorted(), "the questions are sorted");
    order.sort_unstable();
    assert!(order.into_iter().eq(0..boxes.len()), "each question is asked once");
}

#[test]
fn answers_stand_at_their_questions_in_2d() {
    answers_stand_at_their_questions::<2>();
}

#[test]
fn answers_stand_at_their_questions_in_3d() {
    answers_stand_at_their_questions::<3>();
}

/// The way from question to question is shorter than in the order given.
#[test]
fn neighbours_are_asked_together() {
    let (index, boxes) = points_and_boxes::<2>();
    let mut way = 0.0;
    let mut last = [50.0, 50.0];
    let places: Vec<[f32; 2]> = boxes.iter().take(BLOCK).map(Rect::min).collect();
    let mut go = |to: [f32; 2]| {
        way += (to[0] - last[0]).abs() + (to[1] - last[1]).abs();
        last = to;
        way
    };
    let unsorted = places.iter().map(|place| go(*place)).last().unwrap();
    index.query_batch(places, |place, _: &mut Answer<'_, ()>| _ = go(place.min()));
    assert!(2.0 * (way - unsorted) < unsorted, "{way} and before {unsorted}");
}
