//! Operations when all buckets are in use. In unit tests there are only a few.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::*;
use crate::geometry::Rect;
use crate::key::{BUCKETS_MAX, Handle, Kind};
use crate::layer::{Layer, LayerSettings, Points};
use crate::space::{Moved, ObjectError};

type Index = Quadtree<u32>;

fn alone() -> LayerSettings {
    LayerSettings::new().split_above(1)
}

fn empty() -> Index {
    Index::new(Rect::new([0.0, 0.0], [256.0, 256.0])).unwrap()
}

/// The middle of each square of side 1.
fn middles() -> impl Iterator<Item = [f32; 2]> {
    (0..256_u16).flat_map(|y| (0..256_u16).map(move |x| [f32::from(x) + 0.5, f32::from(y) + 0.5]))
}

/// Fills an index with points, each in its own bucket, until it refuses one.
fn filled() -> (Index, Layer<Points>, Vec<Handle>, ObjectError) {
    let mut index = empty();
    let layer = index.add_point_layer_with(alone()).unwrap();
    let mut handles = Vec::new();
    for (point, value) in middles().zip(0..) {
        match index.insert(layer, point, value) {
            Ok(handle) => handles.push(handle),
            Err(error) => return (index, layer, handles, error),
        }
    }
    panic!("there is always room");
}

fn assert_unchanged(index: &Index, handles: &[Handle]) {
    index.check_integrity().unwrap();
    assert_eq!(index.len(), handles.len());
    for ((&handle, point), value) in handles.iter().zip(middles()).zip(0..) {
        assert_eq!(index.shape(handle), Some(Rect::from_point(point)));
        assert_eq!(index.get(handle), Some(&value));
    }
}

#[test]
fn a_full_index_says_so_and_stays_as_it_is() {
    let (mut index, layer, handles, error) = filled();
    let ObjectError::Full { buckets, buckets_max } = error else { panic!("{error:?}") };
    assert_eq!((buckets, buckets_max), (index.stats().buckets, BUCKETS_MAX));
    assert!(buckets <= BUCKETS_MAX && BUCKETS_MAX < 2 * buckets, "{error:?}");
    let message = error.to_string();
    assert!(message.contains(&buckets.to_string()) && message.contains(&BUCKETS_MAX.to_string()), "{message}");
    assert_unchanged(&index, &handles);
    assert_eq!(index.insert(layer, [200.0, 200.0], 0), Err(error), "again");
    assert_unchanged(&index, &handles);
}

#[test]
fn a_batch_without_room_leaves_the_index_as_it_was() {
    let mut index = empty();
    let layer = index.add_point_layer_with(alone()).unwrap();
    let handles = index.insert_batch(layer, middles().zip(0..).take(9)).unwrap();
    let refused = index.insert_batch(layer, middles().zip(0..).skip(9)).unwrap_err();
    assert!(matches!(refused.reason, ObjectError::Full { .. }), "{refused}");
    assert!(1000 < refused.position && refused.position < BUCKETS_MAX, "{refused}");
    assert_unchanged(&index, &handles);
    // Again with as many as there is room for.
    let all = index.insert_batch(layer, middles().zip(0..).skip(9).take(refused.position)).unwrap();
    assert_unchanged(&index, &[handles, all].concat());
    index.optimize();
    index.set_world(Rect::new([0.0, 0.0], [512.0, 512.0])).unwrap();
    index.check_integrity().unwrap();
}

/// Whether there is room is counted, where there is none for a bucket for each object: of points and boxes, thin and far ones,
/// in a layer that has others already.
#[test]
fn a_batch_of_more_objects_than_buckets_is_built() {
    let mut index = empty();
    let points = index.add_point_layer().unwrap();
    let boxes = index.add_rect_layer_with(LayerSettings::new().split_above(20)).unwrap();
    let far = [[1e6, 1e6], [5e3, -7.0]];
    let points_of = |skipped| far.into_iter().chain(middles().step_by(3).skip(skipped).take(BUCKETS_MAX + 900));
    let boxes_of = |skipped: usize| {
        let sides = [[3.0, 0.0], [0.5, 0.5], [250.0, 0.1], [0.0, 9.0]];
        points_of(skipped).zip(sides.into_iter().cycle()).map(|(min, [x, y])| Rect::new(min, [min[0] + x, min[1] + y]))
    };
    index.insert_batch(points, points_of(0).zip(0..)).unwrap();
    let in_order = index.iter().map(|object| index.space.place(object.handle()).unwrap().bucket());
    assert!(in_order.take(BUCKETS_MAX).is_sorted(), "built in the order of the walk");
    index.insert_batch(points, points_of(500).chain(middles().skip(9).step_by(3)).zip(0..)).unwrap();
    index.insert_batch(boxes, boxes_of(9000).take(70).zip(0..)).unwrap();
    index.insert_batch(boxes, boxes_of(0).zip(0..)).unwrap();
    index.check_integrity().unwrap();
    let mut built = index.clone();
    built.optimize();
    let trees = &index.space.trees;
    for (layer, kind) in [(0, Kind::Points), (1, Kind::Rects)] {
        let counted = trees.count(layer, &trees.entries(layer));
        assert_eq!(counted, built.space.trees.arena().buckets().used(kind));
    }
}

#[test]
fn in_a_full_index_objects_move_in_place_only() {
    let (mut index, layer, handles, error) = filled();
    assert_eq!(index.move_to(handles[9], [200.0, 200.0]), Err(error));
    assert_unchanged(&index, &handles);
    assert_eq!(index.move_to(handles[0], [0.6, 0.6]), Ok(Moved::InPlace));
    assert_eq!(index.move_to(handles[0], [0.5, 0.5]), Ok(Moved::InPlace));
    let other = index.add_point_layer().unwrap();
    assert_eq!(index.set_layer(handles[9], other), Err(error));
    assert_eq!(index.set_layer(handles[9], layer), Ok(()), "it is there");
    assert_unchanged(&index, &handles);
}

#[test]
fn layers_of_both_kinds_share_the_room() {
    let (mut index, _, handles, error) = filled();
    let rects = index.add_rect_layer().unwrap();
    let shape = Rect::from_point([1.0, 1.0]);
    assert_eq!(index.insert(rects, shape, 0), Err(error));
    assert_unchanged(&index, &handles);
    // Free buckets of points have no room for boxes until they are released.
    index.clear();
    index.optimize();
    index.insert(rects, shape, 0).unwrap();
    index.check_integrity().unwrap();
}

#[test]
fn what_is_removed_leaves_room() {
    let (mut index, layer, mut handles, error) = filled();
    let last = handles.pop().unwrap();
    index.remove(last).unwrap();
    assert!(index.insert(layer, [200.0, 200.0], 0).is_ok());
    assert_eq!(index.insert(layer, [201.0, 201.0], 0), Err(error));
    index.clear();
    handles.clear();
    assert_unchanged(&index, &handles);
    assert!(index.insert(layer, [200.0, 200.0], 0).is_ok());
}

/// One insertion may divide whole chains on several levels, because objects that were too large for a child node have
/// shrunk since they were stored.
#[test]
fn there_is_room_for_whatever_one_insertion_divides() {
    let mut index = empty();
    let (crowd, others) = (index.add_rect_layer_with(alone()).unwrap(), index.add_rect_layer_with(alone()).unwrap());
    // The sides of cells are 32 in the root, 4 in its child and a half in the next node. On the levels 256, 128 and 64 objects
    // and one more fall into the first cell, so that its chain must be divided.
    let lattice = |side: f32| (1..64_u16).map(move |cell| [f32::from(cell % 8) * side, f32::from(cell / 8) * side]);
    let extra = [[4.0, 0.0], [4.0, 0.0], [0.5, 0.0], [0.0, 0.0], [0.0, 0.0]];
    let corners: Vec<[f32; 2]> = [4.0, 4.0, 0.5, 0.0625].into_iter().flat_map(lattice).chain(extra).collect();
    let handles: Vec<_> =
        corners.iter().map(|&min| index.insert(crowd, Rect::new(min, min.map(|min| min + 40.0)), 0).unwrap()).collect();
    assert_eq!(index.stats().nodes, 1, "too large to sink");
    for (&handle, &min) in handles.iter().zip(&corners) {
        assert_eq!(index.move_to(handle, Rect::from_point(min)), Ok(Moved::InPlace));
    }
    while index.space.has_room_for(Kind::Rects, 0) {
        let value = index.len() as u32;
        let [x, y] = middles().nth(value as usize).unwrap();
        index.insert(others, Rect::from_point([x, y]), value).unwrap();
    }
    // Room for one insertion, and no more.
    let last = index.iter().in_layers(others).next().unwrap().handle();
    index.remove(last).unwrap();
    let before = index.stats().buckets;
    index.insert(crowd, Rect::from_point([0.0, 0.0]), 0).unwrap();
    index.check_integrity().unwrap();
    let after = index.stats().buckets;
    assert!(after <= BUCKETS_MAX, "{} more than {before}", after - before);
    assert!(before + 128 < after, "the chain was divided on several levels: {before} {after}");
}
