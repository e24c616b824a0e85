//! Behaviour that nothing tested until a mutation of the crate survived: see `tests/mutations`.

use quadrille::{LayerSet, LayerSettings, Octree, Quadtree, Rect, Scalar, SpatialIndex};

fn index<S: Scalar, const D: usize>() -> SpatialIndex<u32, S, D> {
    SpatialIndex::new(Rect::new([S::from(0); D], [S::from(64); D])).expect("a world")
}

/// Queries yield layers by rising number, whatever their kind and whenever they were filled.
#[test]
fn layers_come_by_rising_number() {
    let mut index: Quadtree<u32> = index();
    let points: Vec<_> = (0..10).map(|_| (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap())).collect();
    for (value, (points, rects)) in (0..).zip(points.iter().rev()) {
        index.insert(*rects, Rect::at([1.0, 2.0]), value).unwrap();
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

/// The reach of a chain covers all its buckets, not only the first, when an entry leaves another.
#[test]
fn a_long_entry_deep_in_a_chain_keeps_its_reach() {
    let mut index: Quadtree<u32> = index();
    let settings = LayerSettings::new().depth_max(0).split_above(1);
    let layer = index.add_rect_layer_with(settings).unwrap();
    let long = Rect::new([1.0, 1.0], [9.0, 9.0]);
    let handles = [0, 1].map(|value| index.insert(layer, long, value).unwrap());
    for value in 2..70 {
        index.insert(layer, Rect::at([1.0, 1.0]), value).unwrap();
    }
    index.remove(handles[0]).unwrap();
    index.check_integrity().unwrap();
    assert_eq!(index.intersecting([8.0, 8.0]).count(), 1);
}

/// The large object that leaves a chain's first bucket is not the only one: its followers still reach as far.
#[test]
fn a_chain_reaches_as_far_as_its_last_bucket() {
    let mut index: Quadtree<u32> = index();
    let layer = index.add_rect_layer_with(LayerSettings::new().depth_max(0).split_above(1)).unwrap();
    let square = |side: f32| Rect::new([1.0, 1.0], [1.0 + side, 1.0 + side]);
    for value in 0..64 {
        index.insert(layer, square(8.0), value).unwrap();
    }
    index.insert(layer, square(0.5), 64).unwrap();
    let large = index.insert(layer, square(8.0), 65).unwrap();
    assert_eq!(index.stats().chain_max, 2);
    index.remove(large).unwrap();
    index.check_integrity().unwrap();
    assert_eq!(index.intersecting([9.0, 9.0]).count(), 64);
}
