//! Moves in groups. In unit tests small indexes use groups, too.

use alloc::format;
use alloc::vec::Vec;

use super::*;
use crate::index::Quadtree;
use crate::key::{BucketId, Place};

/// T6: once the long boxes of a batch are removed, no reach covers them any more, in any node.
#[test]
fn a_batch_of_removals_lowers_the_reach() {
    let mut index = Quadtree::new(Rect::new([0.0_f32, 0.0], [64.0, 64.0])).unwrap();
    let rects = index.add_rect_layer().unwrap();
    let shape = |number: u16| {
        let min = [number % 60, number / 60].map(f32::from);
        Rect::new(min, min.map(|at| at + if number % 50 == 7 { 7.5 } else { 0.25 }))
    };
    let handles = index.insert_batch(rects, (0..3600).map(|number| (shape(number), number))).unwrap();
    let reach = |index: &Quadtree<u16>| index.space.trees.reach();
    let before = reach(&index);
    index.remove_batch(handles.into_iter().filter(|handle| (handle.slot() - 1) % 50 == 7)).unwrap();
    index.check_integrity().unwrap();
    let mut built = index.clone();
    built.optimize();
    assert_eq!(reach(&index), reach(&built));
    assert!(reach(&index) < before);
}

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

/// A random number below `end`, from the last one.
fn below(state: &mut u64, end: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 33) % end
}

/// Objects on a coarse lattice, of which a share jumps. By all ways they come to the same places, as one by one, whether the
/// layer is built anew or not; the same again gives the same order.
fn jumps_are_moves<S: Scalar, const D: usize>() {
    let on_lattice = |state: &mut u64| core::array::from_fn(|_| S::from(below(state, 19) as u16) * S::from(4));
    let world = Rect::new([S::from(0); D], [S::from(64); D]);
    let mut state = 7;
    for round in 0..40 {
        let len = [40, 63, 64, 65, 300, 900][round % 6];
        let mut index: SpatialIndex<u64, S, D> = SpatialIndex::new(world).unwrap();
        let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
        let mut handles = Vec::new();
        for number in 0..len {
            let at: [S; D] = on_lattice(&mut state);
            let beside = at.map(|end| end + S::from(below(&mut state, 9) as u16));
            handles.push(index.insert(points, at, number).unwrap());
            handles.push(index.insert(rects, Rect::new(at, beside), number).unwrap());
        }
        handles.push(index.insert(points, [S::from(1); D], len).unwrap());
        index.remove(handles[handles.len() - 1]);
        let (share, of_one_layer) = ([1, 20, 26, 50, 100][round % 5], round % 3 == 0);
        let mut moves: Vec<(Handle, Rect<S, D>)> = Vec::new();
        for &handle in handles.iter().filter(|handle| !of_one_layer || index.layer(**handle) == Some(rects.id())) {
            let old = index.shape(handle).unwrap_or(world);
            let at = if below(&mut state, 100) < share { on_lattice(&mut state) } else { old.min() };
            let size = old.size();
            let mut end = core::array::from_fn(|axis| at[axis] + size[axis]);
            if below(&mut state, 40) == 0 {
                end[0] = S::NAN;
            }
            moves.push((handle, Rect::ordered(at, end)));
        }
        if round % 7 == 0 {
            moves.push(moves[0]);
            moves.push(moves[moves.len() / 2]);
        }
        let mut single = index.clone();
        let mut refused = Vec::new();
        for &(handle, shape) in &moves {
            refused.extend(single.move_to(handle, shape).err().map(|error| (handle, error)));
        }
        let order = |index: &SpatialIndex<u64, S, D>| index.iter().map(|object| object.handle()).collect::<Vec<_>>();
        let mut again = index.clone();
        let mut updated = index.clone();
        let outcome = index.move_batch(moves.iter().copied());
        assert_eq!(format!("{:?}", outcome.refused), format!("{refused:?}"), "round {round}");
        assert_eq!(outcome.in_place + outcome.elsewhere + refused.len(), moves.len());
        again.move_batch(moves.iter().copied()).refused.clear();
        assert_eq!(order(&index), order(&again));
        let last = |handle| moves.iter().rfind(|(of, shape)| *of == handle && shape.check_finite().is_ok());
        let _ = updated.update(points, |handle, _, old| last(handle).map_or(old, |(_, shape)| *shape).min()).unwrap();
        let _ = updated.update(rects, |handle, _, old| last(handle).map_or(old, |(_, shape)| *shape)).unwrap();
        for index in [&index, &updated] {
            index.check_integrity().unwrap();
            assert_eq!(index.len(), single.len());
            for &handle in &handles {
                assert_eq!((index.shape(handle), index.get(handle)), (single.shape(handle), single.get(handle)));
            }
        }
    }
}

#[test]
fn jumps_are_moves_in_f32_2d() {
    jumps_are_moves::<f32, 2>();
}

#[test]
fn jumps_are_moves_in_f64_3d() {
    jumps_are_moves::<f64, 3>();
}

/// A layer is built anew from a quarter on, or a half while it fits the cache, and no other layer is touched.
#[test]
fn a_layer_is_built_anew_where_enough_leaves() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0_f32, 0.0], [64.0, 64.0])).unwrap();
    let layers = [index.add_point_layer().unwrap(), index.add_point_layer().unwrap()];
    for layer in layers {
        for number in 0..1000_u16 {
            index.insert(layer, [f32::from(number % 40), f32::from(number / 40)], ()).unwrap();
        }
    }
    let all: Vec<_> = index.iter().in_layers(layers[0]).map(|object| (object.shape(), object.handle())).collect();
    for (leaving, is_built) in [(1000, true), (250, true), (249, false), (0, false)] {
        let (mut copy, mut rest) = (index.clone(), all.clone());
        assert_eq!(copy.space.build_moved(Kind::Points, leaving, &mut rest), if is_built { leaving } else { 0 });
        assert_eq!(rest.is_empty(), is_built, "{leaving}");
        copy.check_integrity().unwrap();
    }
    let order =
        |index: &Quadtree<()>| index.iter().in_layers(layers[1]).map(|object| object.handle()).collect::<Vec<_>>();
    let before = order(&index);
    let moved = index.update(layers[0], |_, _, at| [at.min()[1] * 2.0, at.min()[0]]).unwrap();
    assert!(900 < moved.elsewhere && moved.refused.is_empty(), "{moved:?}");
    assert_eq!(order(&index), before);
    index.check_integrity().unwrap();
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
