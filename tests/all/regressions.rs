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

/// An object that grew while it was filed anew raised the reach of the nodes it went down through, not of those above.
#[test]
fn reach_covers_what_grew_far_below_the_root() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(1)).unwrap();
    let objects: Vec<_> =
        (0..9_u16).map(|n| index.insert(layer, square(f32::from(n), 0.0, 0.01), n).unwrap()).collect();
    // Still small enough for the nodes below the root, but another block, and a longer reach.
    index.move_to(objects[4], square(12.0, 12.0, 14.0)).unwrap();
    index.check_integrity().unwrap();
    assert_eq!(index.intersecting([25.0, 25.0]).count(), 1);
}

/// `near` yielded all blocks of a node that its region touched.
#[test]
fn near_asks_every_block() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_point_layer().unwrap();
    for n in 0..1024_u16 {
        index.insert(layer, [f32::from(n), f32::from(n)], n).unwrap();
    }
    assert!(index.near([1.0, 1.0]).count() <= 64);
}

/// A value whose `drop` panicked while its layer was cleared left entries without values behind.
#[test]
fn clearing_survives_a_value_that_panics() {
    struct Stubborn(bool);
    impl Drop for Stubborn {
        fn drop(&mut self) {
            assert!(!self.0, "dropped on purpose");
        }
    }
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_point_layer().unwrap();
    for n in 0..10_u16 {
        index.insert(layer, [f32::from(n), 0.0], Stubborn(n == 5)).unwrap();
    }
    let cleared = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| index.clear()));
    assert!(cleared.is_err());
    index.check_integrity().unwrap();
    assert!(index.is_empty());
}

/// Where a unit is less than the step between two floats, the bounds of cells near the last were infinite.
#[test]
fn only_the_last_units_reach_to_infinity() {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [f32::MAX, f32::MAX])).unwrap();
    let layer = index.add_point_layer_with(LayerSettings::new().split_above(1)).unwrap();
    for step in 0..40 {
        index.insert(layer, [f32::from_bits(f32::MAX.to_bits() - step); 2], ()).unwrap();
    }
    let last = (1 << 30) - 1;
    let mut finite = 0;
    for cell in index.cells(layer).filter(|cell| cell.units().max[0] < last) {
        assert!(cell.bounds().max()[0].is_finite(), "{cell:?}");
        finite += 1;
    }
    assert!(finite > 20, "{finite} cells");
}
