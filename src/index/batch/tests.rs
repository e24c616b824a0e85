//! Moves in groups. In unit tests small indexes use groups, too.

use alloc::vec::Vec;

use super::*;
use crate::index::Quadtree;
use crate::key::{BucketId, Place};

/// A batch does the same as single moves, even if some are refused. Tests full groups, partial groups and many groups.
#[test]
fn moves_in_groups_are_single_moves_in_their_order() {
    let mut index = Quadtree::new(Rect::new([0.0_f32, 0.0], [64.0, 64.0])).unwrap();
    let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    let at = |number: usize| [37, 23].map(|factor| (number * factor % 61) as u8).map(f32::from);
    let mut handles: Vec<_> = (0..300).map(|number| index.insert(points, at(number), number).unwrap()).collect();
    handles.push(index.insert(rects, Rect::from_point([1.0, 1.0]), 300).unwrap());
    let removed = index.insert(points, [3.0, 3.0], 301).unwrap();
    index.remove(removed);
    handles.push(removed);
    assert!(index.space.trees.arena().outgrow_cache(), "the way of large indexes");
    for len in [0, 1, GROUP - 1, GROUP, GROUP + 1, 20 * GROUP + 3] {
        // Some come twice, some of them in one group.
        let moves: Vec<_> = (0..len)
            .map(|number| {
                let [x, y] = at(number * 7 + len);
                (handles[number / 2 * 5 % handles.len()], if number % 11 == 10 { [f32::INFINITY, y] } else { [x, y] })
            })
            .collect();
        let mut single = index.clone();
        let mut expected = BatchMoved::default();
        for &(handle, point) in &moves {
            expected.count(handle, single.move_to(handle, point));
        }
        let outcome = index.move_batch(moves);
        assert_eq!(outcome, expected, "{len}");
        assert_eq!(outcome.refused.is_empty(), len <= 1, "{len}: {:?}", outcome.refused);
        index.check_integrity().unwrap();
        for &handle in &handles {
            assert_eq!(index.shape(handle), single.shape(handle), "{len}");
        }
    }
}

/// An update visits only its own layer's buckets and nodes, however many others there are. A layer that is most of the
/// index is updated in the order of memory.
#[test]
fn an_update_looks_at_its_own_layer() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [64.0, 64.0])).unwrap();
    let (few, many) = (index.add_point_layer().unwrap(), index.add_point_layer().unwrap());
    for number in 0..20_000_u16 {
        index.insert(many, [f32::from(number % 251) / 4.0, f32::from(number % 241) / 4.0], ()).unwrap();
        if number % 100 == 0 {
            index.insert(few, [f32::from(number % 256) / 4.0; 2], ()).unwrap();
        }
    }
    let moved = index.update(few, |_, _, shape| shape.min()).unwrap();
    assert_eq!((moved.in_place, moved.refused.len()), (200, 0));
    let trees = &index.space.trees;
    let listed = |layer: u8| {
        let buckets = trees.buckets_of(layer);
        let layer_of = |&bucket: &BucketId| trees.arena().layer_of(Place::new(bucket, 0));
        assert!(buckets.iter().map(layer_of).all(|of| of == layer));
        let objects = buckets.iter().map(|&bucket| trees.arena().head(bucket).used.count_ones() as usize);
        assert_eq!(objects.sum::<usize>(), trees.len(layer));
        buckets
    };
    assert!(!listed(0).is_sorted(), "depth-first");
    assert!(listed(1).is_sorted(), "in the order of memory");
}
