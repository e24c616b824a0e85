//! Moves in groups. In unit tests small indexes use groups, too.

use alloc::vec::Vec;

use super::*;
use crate::index::Quadtree;

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
    let visits = |others: u16| {
        let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [64.0, 64.0])).unwrap();
        let (few, many) = (index.add_point_layer().unwrap(), index.add_point_layer().unwrap());
        for number in 0..others {
            index.insert(many, [f32::from(number % 251) / 4.0, f32::from(number % 241) / 4.0], ()).unwrap();
        }
        for number in 0..10_u8 {
            index.insert(few, [f32::from(number); 2], ()).unwrap();
        }
        let moved = index.update(few, |_, _, shape| shape.min().map(|at| at + 0.5)).unwrap();
        assert_eq!((moved.in_place + moved.elsewhere, moved.refused.len()), (10, 0));
        let trees = &index.space.trees;
        [few, many].map(|layer| {
            let (mut buckets, mut numbers) = (trees.buckets_of(layer.id().number()), Vec::new());
            while let Some(bucket) = buckets.next(trees) {
                numbers.push(bucket);
            }
            assert!(layer == few || numbers.is_sorted(), "in the order of memory");
            buckets.visits
        })
    };
    let [[few, _], [few_beside_many, many]] = [visits(100), visits(20_000)];
    assert!(few_beside_many <= 10 && few <= 10, "{few_beside_many} visits beside many, {few} beside few");
    assert!((300..600).contains(&many), "{many}");
}
