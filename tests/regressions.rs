//! One named test for each bug that was fixed.

use quadrille::{LayerSettings, Quadtree, Rect};

fn world() -> Rect<f32, 2> {
    Rect::new([0.0, 0.0], [1024.0, 1024.0])
}

fn square(x: f32, y: f32, side: f32) -> Rect<f32, 2> {
    Rect::new([x, y], [x + side, y + side])
}

/// A full bucket's reach did not cover the entry that came over from the chain's first bucket to fill a gap.
#[test]
fn reach_covers_what_fills_a_gap_in_a_chain() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_rect_layer_with(LayerSettings::new().depth_max(0).split_above(1)).unwrap();
    let small: Vec<_> = (0..65).map(|n| index.insert(layer, square(8.0, 8.0, 1.0), n).unwrap()).collect();
    index.insert(layer, square(8.0, 8.0, 200.0), 65).unwrap();
    index.remove(small[3]).unwrap();
    index.check_integrity().unwrap();
    assert_eq!(index.intersecting([100.0, 100.0]).count(), 1);
}

/// Joining two blocks into a chain of buckets raised the reach of its first bucket only.
#[test]
fn reach_covers_all_buckets_of_a_joined_chain() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(100)).unwrap();
    for n in 0..40 {
        index.insert(layer, square(8.0, 8.0, 1.0), n).unwrap();
    }
    let right: Vec<_> = (0..61).map(|n| index.insert(layer, square(900.0, 8.0, 100.0), n).unwrap()).collect();
    assert_eq!(index.stats().buckets, 2);
    for &handle in &right[..26] {
        index.remove(handle).unwrap();
        index.check_integrity().unwrap();
    }
    assert_eq!(index.stats().chain_max, 2, "75 objects in one block");
    assert_eq!(index.intersecting([990.0, 100.0]).count(), 35);
}
