//! Behaviour that nothing tested until a mutation of the crate survived: see `tests/mutations`.

use quadrille::{
    Ball, CellKind, Handle, IntoRegion, LayerSet, LayerSettings, Octree, Quadtree, Ray, Rect, Scalar, Segment,
    SpatialIndex,
};
use quadrille_support::inside::Inside;

fn index<S: Scalar, const D: usize>() -> SpatialIndex<u32, S, D> {
    SpatialIndex::new(Rect::new([S::from(0); D], [S::from(64); D])).expect("a world")
}

/// Rays and segments tell their ends.
#[test]
fn ends_are_those_given() {
    let (from, to) = ([1.0, 2.0], [3.0, 5.0]);
    assert_eq!([Ray::new(from, to).origin(), Ray::segment(from, to).origin()], [from; 2]);
    let segment = Segment::new(from, to);
    assert_eq!([segment.from(), segment.to()], [from, to]);
    assert_eq!([Ray::new(from, to).direction(), Ray::segment(from, to).direction()], [to, [2.0, 3.0]]);
    let longest = Ray::segment([f64::MIN, 0.0], [f64::MAX, 1.0]).direction();
    assert!(longest[0].is_infinite() && (1.0..=1.0).contains(&longest[1]), "{longest:?}");
    let level = Segment::new([0.0, 1.0], [4.0, 1.0]);
    assert!(level.contains(&Rect::new([1.0, 1.0], [2.0, 1.0])) && !level.contains(&Rect::new([1.0, 1.0], [2.0, 2.0])));
}

/// Queries yield layers by rising number, whatever their kind and whenever they were filled.
#[test]
fn layers_come_by_rising_number() {
    let mut index: Quadtree<u32> = index();
    let points: Vec<_> = (0..10).map(|_| (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap())).collect();
    for (value, (points, rects)) in (0..).zip(points.iter().rev()) {
        index.insert(*rects, Rect::from_point([1.0, 2.0]), value).unwrap();
        index.insert(*points, [1.0, 2.0], value).unwrap();
    }
    let numbers = |set: LayerSet| -> Vec<u8> {
        let found = index.intersecting([1.0, 2.0]).in_layers(set);
        let numbers: Vec<_> = found.clone().map(|object| object.layer().number()).collect();
        let stepped: Vec<_> = found.filter(|_| true).map(|object| object.layer().number()).collect();
        assert_eq!(numbers, stepped);
        numbers
    };
    assert_eq!(numbers(LayerSet::ALL), (0..20).collect::<Vec<_>>());
    assert_eq!(numbers(LayerSet::from_bits(0b1_0010_1100)), [2, 3, 5, 8]);
}

/// Of several sets of layers the common ones are asked: by a query, and by the cursor that goes on with it.
#[test]
fn layers_are_asked_that_are_in_all_sets() {
    let mut index: Quadtree<u32> = index();
    let layers = [0, 1, 2].map(|value| {
        let layer = index.add_point_layer().unwrap();
        index.insert(layer, [1.0, 2.0], value).unwrap();
        layer.id()
    });
    let query = index.iter().in_layers(layers[0] | layers[1]).in_layers(layers[1] | layers[2]);
    assert_eq!(query.clone().map(|object| *object.value()).collect::<Vec<_>>(), [1]);
    let cursor = query.pause();
    assert_eq!(index.resume(cursor).unwrap().map(|object| *object.value()).collect::<Vec<_>>(), [1]);
}

/// A removed layer's number is given to another when all others are in use or have been free for longer.
#[test]
fn freed_numbers_are_given_out_last() {
    let mut index: Octree<u32> = index();
    let first = index.add_point_layer().unwrap();
    let second = index.add_point_layer().unwrap();
    index.remove_layer(first).unwrap();
    let mut numbers = Vec::new();
    while index.layers().count() < 64 {
        numbers.push(index.add_rect_layer().unwrap().id().number());
        if numbers.len() == 3 {
            index.remove_layer(second).unwrap();
        }
    }
    assert_eq!(numbers, (2..64).chain([0, 1]).collect::<Vec<_>>());
}

/// The reach of a chain covers all its buckets, not only the first, whether a long entry leaves the last or the first.
#[test]
fn a_long_entry_deep_in_a_chain_keeps_its_reach() {
    for (sides, leaves, long_left) in
        [([vec![8.0; 2], vec![0.0; 68]].concat(), 0, 1), ([vec![8.0; 64], vec![0.5, 8.0]].concat(), 65, 64)]
    {
        let mut index: Quadtree<u32> = index();
        let layer = index.add_rect_layer_with(LayerSettings::new().depth_max(0).split_above(1)).unwrap();
        let insert = |side: f32| index.insert(layer, Rect::new([1.0; 2], [1.0 + side; 2]), 0).unwrap();
        let handles: Vec<_> = sides.into_iter().map(insert).collect();
        assert_eq!(index.stats().chain_max, 2);
        index.remove(handles[leaves]).unwrap();
        index.check_integrity().unwrap();
        assert_eq!(index.intersecting([9.0, 9.0]).count(), long_left);
    }
}

/// When the object that extends furthest leaves or shrinks, nodes say again how far the others do.
#[test]
fn nodes_reach_no_further_than_what_is_left() {
    let mut index: Quadtree<u32> = index();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(1)).unwrap();
    let small = |at: [f32; 2]| Rect::new(at, at.map(|at| at + 0.0625));
    // The root's cells are 8 a side, those below it 1.
    for (value, step) in (0..16).zip(0_u8..) {
        let at = [step % 4, step / 4].map(|cell| f32::from(cell) * 2.0 + 0.25);
        index.insert(layer, small(at), value).unwrap();
    }
    let reaches = |index: &Quadtree<u32>| -> Vec<_> {
        let nodes = index.cells(layer).filter(|cell| cell.kind() == CellKind::Node);
        nodes.map(|node| (node.key(), node.reach_below())).collect()
    };
    let before = reaches(&index);
    assert!(1 < before.len(), "{before:?}");
    let large = Rect::new([3.25, 3.25], [4.125, 4.125]);
    let handle = index.insert(layer, large, 16).unwrap();
    let grown = reaches(&index);
    assert!(before.iter().zip(&grown).all(|(before, grown)| before.0 == grown.0 && before.1 < grown.1), "{grown:?}");
    index.remove(handle).unwrap();
    assert_eq!(reaches(&index), before);
}

/// A node is made for a full cell if three quarters of its objects may sink into it.
#[test]
fn a_node_is_worth_it_for_three_quarters() {
    for (small, nodes) in [(4, 1), (8, 1), (11, 1), (12, 2), (16, 2)] {
        let mut index: Quadtree<u32> = index();
        let layer = index.add_rect_layer_with(LayerSettings::new().split_above(15)).unwrap();
        // The root's cells are 8 a side, those below it 1.
        for value in 0..16 {
            let side = if value < small { 0.5 } else { 4.0 };
            index.insert(layer, Rect::new([1.0; 2], [1.0 + side; 2]), value).unwrap();
        }
        let made = index.cells(layer).filter(|cell| cell.kind() == CellKind::Node).count();
        assert_eq!(made, nodes, "{small} of 16");
    }
}

/// Two large objects, and sixteen small ones beside each other from a corner on.
fn two_large_ones(large: Rect, corner: f32) -> (Quadtree<u32>, [Handle; 2]) {
    let mut index: Quadtree<u32> = index();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(1)).unwrap();
    let handles = [0, 1].map(|value| index.insert(layer, large, value).unwrap());
    for value in 0..16_u8 {
        let at = [value % 4, value / 4].map(|step| corner + f32::from(step));
        index.insert(layer, Rect::from_point(at), value.into()).unwrap();
    }
    (index, handles)
}

/// A cursor has noted large objects that the ball touched, which then move to a corner of the ball's bounds.
#[test]
fn a_cursor_yields_nothing_that_has_left_a_ball_for_its_bounds() {
    let touched = Rect::new([46.0, 46.0], [56.0, 56.0]);
    let (mut index, large) = two_large_ones(touched, 33.0);
    for taken in 0..18 {
        let mut query = index.intersecting(Ball::new([40.0, 40.0], 16.0));
        assert_eq!(query.by_ref().take(taken).count(), taken);
        let cursor = query.pause();
        for handle in large {
            index.move_to(handle, Rect::new([54.5, 54.5], [64.0, 64.0])).unwrap();
        }
        let mut rest = index.resume(cursor).unwrap().map(|object| object.handle());
        assert!(rest.all(|handle| !large.contains(&handle)), "after {taken}");
        drop(rest);
        for handle in large {
            index.move_to(handle, touched).unwrap();
        }
    }
}

/// A cursor has noted large objects that were near a region, which then move to where it has been.
fn yields_nothing_that_is_near_no_more(near: Rect, corner: f32, region: impl IntoRegion<f32, 2> + Copy, away: Rect) {
    let (mut index, large) = two_large_ones(near, corner);
    let count = index.near(region).count();
    assert!(index.near(region).any(|object| large.contains(&object.handle())));
    for taken in 0..count {
        let mut query = index.near(region);
        assert_eq!(query.by_ref().take(taken).count(), taken);
        let cursor = query.pause();
        for handle in large {
            index.move_to(handle, away).unwrap();
        }
        let mut rest = index.resume(cursor).unwrap().map(|object| object.handle());
        assert!(rest.all(|handle| !large.contains(&handle)), "after {taken}");
        drop(rest);
        for handle in large {
            index.move_to(handle, near).unwrap();
        }
    }
}

#[test]
fn a_cursor_yields_nothing_that_is_near_no_more() {
    let [near, away] = [16.0, 54.0].map(|min| Rect::new([min; 2], [min + 10.0; 2]));
    yields_nothing_that_is_near_no_more(near, 3.0, Rect::new([0.0, 0.0], [20.0, 20.0]), away);
    // To where the bounds of the ball are, but not the ball: their cell begins at 48.
    let [near, away] = [33.0, 50.0].map(|min| Rect::new([min; 2], [min + 10.0; 2]));
    yields_nothing_that_is_near_no_more(near, 33.0, Ball::new([40.0, 40.0], 11.0), away);
}

/// Objects in one of the first units, of which some match.
#[test]
fn objects_in_a_unit_are_told_apart() {
    // A unit has the side 1.
    let mut index = Quadtree::<u32, f64>::new(Rect::new([0.0; 2], [f64::from(1 << 30); 2])).unwrap();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(1)).unwrap();
    for unit in [0.0, 1.0] {
        for (value, [min, max]) in (0..).zip([[0.25, 0.3], [0.75, 0.8], [0.25, 0.8], [0.5, 0.6]]) {
            index.insert(layer, Rect::new([unit + min; 2], [unit + max; 2]), value).unwrap();
        }
    }
    for unit in [0.0, 1.0] {
        let values = |found: Vec<u32>| found.into_iter().collect::<std::collections::BTreeSet<_>>();
        let region = Rect::new([unit + 0.5; 2], [unit + 0.9; 2]);
        let inside = index.contained_in(region).map(|object| *object.value()).collect();
        assert_eq!(values(inside), [1, 3].into(), "unit {unit}");
        let around = index.containing([unit + 0.55; 2]).map(|object| *object.value()).collect();
        assert_eq!(values(around), [2, 3].into(), "unit {unit}");
    }
}

/// Points about a target in a world that is scaled by a power of two, within it and far away from it: the nearest ones, with
/// the squares of their distances as if nothing were scaled.
fn nearest_of_scaled(log2: i32, target: [f64; 2], within: f64) -> Vec<(u32, f64)> {
    let scaled = |at: [f64; 2]| at.map(|at| at * 2_f64.powi(log2));
    let mut index = Quadtree::<u32, f64>::new(Rect::new([0.0; 2], scaled([64.0; 2]))).unwrap();
    let layer = index.add_point_layer().unwrap();
    let places =
        (0..3000).map(|value| (scaled([value * 37 % 256, value * 91 % 251].map(|at| f64::from(at) / 4.0)), value));
    index.insert_batch(layer, places).unwrap();
    let near = index.nearest(scaled(target)).within(within * 2_f64.powi(log2));
    let exact = |square: f64| square * 2_f64.powi(-log2) * 2_f64.powi(-log2);
    near.map(|near| (*near.object.value(), exact(near.distance_squared))).collect()
}

/// Where squares are too small or too large for numbers, the order is that of the distances.
#[test]
fn the_scale_changes_no_order() {
    for (target, within) in [([31.0, 30.0], 9.0), ([-200.0, 17.0], 223.0), ([90.0, 300.0], 1e4)] {
        let ordinary = nearest_of_scaled(0, target, within);
        assert!(40 < ordinary.len(), "{} near {target:?}", ordinary.len());
        for (log2, are_numbers) in [(-480, false), (-455, false), (-440, true), (490, true), (520, false)] {
            let scaled = nearest_of_scaled(log2, target, within);
            assert_eq!(ordinary.len(), scaled.len(), "{target:?} by 2^{log2}");
            for (ordinary, scaled) in ordinary.iter().zip(&scaled) {
                assert_eq!(ordinary.0, scaled.0, "{target:?} by 2^{log2}");
                assert!(!are_numbers || ordinary.1.to_bits() == scaled.1.to_bits(), "{target:?} by 2^{log2}");
            }
        }
    }
}

/// Objects that a ball just touches, in all positions of a bucket.
#[test]
fn balls_touch_what_is_at_their_border() {
    let mut index: Quadtree<u32> = index();
    let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    for (value, around) in (0..60).zip([[3.0, 4.0], [-4.0, 3.0], [5.0, 0.0], [0.0, -5.0], [-3.0, -4.0]].iter().cycle())
    {
        let at = around.map(|away| 32.0 + away);
        index.insert(points, at, value).unwrap();
        index.insert(rects, Rect::from_point(at), value).unwrap();
    }
    assert_eq!(index.intersecting(Ball::new([32.0; 2], 5.0)).count(), 120);
    assert_eq!(index.intersecting(Ball::new([32.0; 2], 5.0_f32.next_down())).count(), 0);
}
