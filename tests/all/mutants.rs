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
