//! In its index a handle never names another object, however often its slot is used again.
//!
//! Uses the library alone, so that the target `profiles` compiles it in other ways.

use quadrille::{Handle, Quadtree, Rect};

fn slot(handle: Handle) -> u32 {
    (handle.to_bits() & u64::from(u32::MAX)) as u32
}

/// One slot is used until its generations are used up, 2^31 - 1 times, and never again. A minute when it is optimized, so
/// not by default.
#[test]
#[ignore = "four billion operations"]
fn a_slot_is_retired_after_two_to_the_31_uses() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).expect("a world");
    let layer = index.add_point_layer().expect("a layer");
    // One that stays, so that no bucket is freed and made each time.
    index.insert(layer, [0.5, 0.5], ()).expect("finite");
    let first = index.insert(layer, [0.5, 0.5], ()).expect("finite");
    index.remove(first);
    let mut last = first;
    for _ in 2..1_u64 << 31 {
        let handle = index.insert(layer, [0.5, 0.5], ()).expect("finite");
        assert!(slot(handle) == slot(first) && handle != first && last < handle);
        index.remove(handle);
        last = handle;
    }
    // Old handles would come again now.
    for _ in 0..1000 {
        let handle = index.insert(layer, [0.5, 0.5], ()).expect("finite");
        assert!(slot(handle) != slot(first));
        assert!(!index.contains(first) && !index.contains(last));
        index.remove(handle);
    }
    index.check_integrity().expect("sound");
}
