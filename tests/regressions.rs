//! One named test for each bug that was fixed.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use quadrille::{
    CellKind, Handle, InsertBatchError, InsertError, IntoRegion, LayerError, LayerSettings, Quadtree, Ray, Rect, Region,
    Scalar, Segment, SetLayerError, SpatialIndex, UnitRange,
};

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

/// Layers that were added to an index and to its clone had the same identity, whatever their kinds.
#[test]
fn layers_added_after_a_clone_are_told_apart() {
    let mut a: Quadtree<u16> = Quadtree::new(world()).unwrap();
    let shared = a.add_point_layer().unwrap();
    let object = a.insert(shared, [5.0, 5.0], 0).unwrap();
    let mut b = a.clone();
    let (points, more) = (a.add_point_layer().unwrap(), a.add_point_layer().unwrap());
    let (rects, other) = (b.add_rect_layer().unwrap(), b.add_point_layer().unwrap());
    let wall = b.insert(rects, square(1.0, 1.0, 8.0), 1).unwrap();
    assert!(points.id() != rects.id() && more.id() != other.id());
    for layer in [points, more] {
        let foreign = LayerError::Foreign { number: layer.id().number() };
        assert_eq!(b.insert(layer, [1.0, 1.0], 7), Err(InsertError::Layer(foreign)));
        let refused = InsertBatchError { position: 0, reason: InsertError::Layer(foreign) };
        assert_eq!(b.insert_batch(layer, [([1.0, 1.0], 7)]), Err(refused));
        assert_eq!(b.set_layer(object, layer), Err(SetLayerError::Layer(foreign)));
        assert_eq!(b.update(layer, |_, _, _| [1.0, 1.0]), Err(foreign));
        assert_eq!(b.remove_layer(layer), Err(foreign));
        assert_eq!(b.cells(layer).count(), 0);
        assert!(b.cell_at(layer, [1.0, 1.0]).is_none());
        b.check_integrity().unwrap();
    }
    assert_eq!((b.len(), b.len_in(rects), b.shape(wall)), (2, 1, Some(square(1.0, 1.0, 8.0))));
    for index in [&mut a, &mut b] {
        index.insert(shared, [6.0, 6.0], 2).unwrap();
        index.check_integrity().unwrap();
    }
    // A layer that one of the two has removed lives on in the other.
    assert_eq!(a.remove_layer(shared), Ok(2));
    assert_eq!(a.insert(shared, [1.0, 1.0], 7), Err(LayerError::Dead { number: 0 }.into()));
    b.insert(shared, [1.0, 1.0], 7).unwrap();
    b.check_integrity().unwrap();
}

/// The same where the numbers of layers are used again.
#[test]
fn numbers_given_out_again_after_a_clone_are_told_apart() {
    let mut a: Quadtree<u16> = Quadtree::new(world()).unwrap();
    let layers: Vec<_> = (0..64).map(|_| a.add_point_layer().unwrap()).collect();
    let mut b = a.clone();
    a.remove_layer(layers[9]).unwrap();
    b.remove_layer(layers[9]).unwrap();
    let (points, rects) = (a.add_point_layer().unwrap(), b.add_rect_layer().unwrap());
    assert_eq!(points.id().number(), rects.id().number());
    assert_eq!(b.insert(points, [1.0, 1.0], 7), Err(LayerError::Foreign { number: 9 }.into()));
    assert_eq!(a.insert(rects, square(1.0, 1.0, 1.0), 7), Err(LayerError::Foreign { number: 9 }.into()));
    let mut elsewhere: Quadtree<u16> = Quadtree::new(world()).unwrap();
    elsewhere.add_point_layer().unwrap();
    assert_eq!(elsewhere.insert(layers[0], [1.0, 1.0], 7), Err(LayerError::Foreign { number: 0 }.into()));
    for index in [a, b, elsewhere] {
        index.check_integrity().unwrap();
        assert!(index.is_empty());
    }
}

/// A rectangle that panics when it is asked, or cloned, once too often.
#[derive(Debug)]
struct Fused {
    rect: Rect<f32, 2>,
    /// How many questions are answered before.
    fuse: Rc<Cell<usize>>,
}

impl Fused {
    fn new(rect: Rect<f32, 2>) -> Self {
        Self { rect, fuse: Rc::new(Cell::new(usize::MAX)) }
    }

    fn burn(&self) {
        let left = self.fuse.get();
        assert!(left > 0, "had enough on purpose");
        self.fuse.set(left - 1);
    }
}

impl Clone for Fused {
    fn clone(&self) -> Self {
        self.burn();
        Self { rect: self.rect, fuse: Rc::clone(&self.fuse) }
    }
}

impl Region<f32, 2> for Fused {
    fn bounds(&self) -> Rect<f32, 2> {
        self.burn();
        self.rect
    }
    fn intersects(&self, rect: &Rect<f32, 2>) -> bool {
        self.burn();
        self.rect.intersects(rect)
    }
    fn contains(&self, rect: &Rect<f32, 2>) -> bool {
        self.burn();
        self.rect.contains(rect)
    }
}

impl IntoRegion<f32, 2> for Fused {
    type Region = Self;
    fn into_region(self) -> Self {
        self
    }
}

/// A poll swapped its lists before it asked the region: after a panic the next one told what was not so.
#[test]
fn a_watch_survives_a_region_that_panics() {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_point_layer().unwrap();
    let handles: Vec<_> = (0..14_u16).map(|n| index.insert(layer, [f32::from(n), 0.0], ()).unwrap()).collect();
    let region = Fused::new(square(0.0, 0.0, 9.5));
    let fuse = Rc::clone(&region.fuse);
    let mut watch = index.intersecting(region).watch();
    assert_eq!(watch.poll(&index).unwrap().entered, &handles[..10]);
    index.move_to(handles[2], [500.0, 0.0]).unwrap();
    index.remove(handles[5]);
    index.move_to(handles[12], [4.0, 4.0]).unwrap();
    let mut panics = 0;
    loop {
        let mut watch = watch.clone();
        fuse.set(panics);
        let polled = catch_unwind(AssertUnwindSafe(|| watch.poll(&index).map(drop)));
        fuse.set(usize::MAX);
        if polled.is_ok() {
            break;
        }
        assert_eq!(watch.inside(), &handles[..10], "after question {panics}");
        let changes = watch.poll(&index).unwrap();
        assert_eq!(changes.entered, [handles[12]], "after question {panics}");
        assert_eq!(changes.left, [handles[2], handles[5]], "after question {panics}");
        panics += 1;
    }
    assert!(panics > 9, "{panics} questions");
}

/// Ninety-nine squares, from small ones to some as large as the world, in many blocks and own lists.
fn ninety_nine() -> Quadtree<u16> {
    let mut index = Quadtree::new(world()).unwrap();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(8)).unwrap();
    for n in 0..99_u16 {
        let side = f32::from(1_u16 << (n % 11)) / 2.0;
        index.insert(layer, square(f32::from(n * 37 % 1000), f32::from(n * 91 % 1000), side), n).unwrap();
    }
    index
}

/// All that `next` yields, which may panic at the question with that number, and then not again.
fn all_but_for_a_panic(mut next: impl FnMut() -> Option<u16>, fuse: &Cell<usize>, question: usize) -> Vec<u16> {
    fuse.set(question);
    let mut seen = Vec::new();
    loop {
        match catch_unwind(AssertUnwindSafe(&mut next)) {
            Ok(Some(number)) => seen.push(number),
            Ok(None) => break,
            Err(_) => fuse.set(usize::MAX),
        }
    }
    fuse.set(usize::MAX);
    seen
}

/// A cursor forgot what it owed before it asked the region about it; one that is distinct had remembered, before it
/// stopped, what it could not yield.
#[test]
fn a_cursor_survives_a_region_that_panics() {
    let index = ninety_nine();
    let region = Fused::new(square(-5.0, -5.0, 5000.0));
    let fuse = Rc::clone(&region.fuse);
    for (taken, is_distinct) in [(0, false), (1, false), (1, true), (30, false), (30, true)] {
        for question in 0..150 {
            let mut query = index.intersecting(region.clone());
            let mut seen: Vec<_> = query.by_ref().take(taken).map(|object| *object.value()).collect();
            let mut cursor = query.pause();
            if is_distinct {
                cursor = cursor.distinct();
            }
            let next = || cursor.next(&index).unwrap().map(|object| *object.value());
            seen.extend(all_but_for_a_panic(next, &fuse, question));
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..99), "{taken} {is_distinct} {question}: {seen:?}");
        }
    }
}

/// So did what is resumed, and a query of its own kind: a bucket was behind them before they asked about it.
#[test]
fn queries_survive_a_region_that_panics() {
    let index = ninety_nine();
    let region = Fused::new(square(-5.0, -5.0, 5000.0));
    let fuse = Rc::clone(&region.fuse);
    for question in 0..150 {
        let mut query = index.intersecting(region.clone());
        let next = || query.next().map(|object| *object.value());
        let mut seen = all_but_for_a_panic(next, &fuse, question);
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..99), "query, {question}: {seen:?}");

        let mut query = index.intersecting(region.clone());
        let mut seen: Vec<_> = query.by_ref().take(1).map(|object| *object.value()).collect();
        let mut resumed = index.resume(query.pause()).unwrap();
        let next = || resumed.next().map(|object| *object.value());
        seen.extend(all_but_for_a_panic(next, &fuse, question));
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..99), "resumed, {question}: {seen:?}");
    }
}

/// `insert_batch` reserved memory for as many objects as the iterator promised.
#[test]
fn batches_do_not_believe_size_hints() {
    struct Boaster(u16, usize);
    impl Iterator for Boaster {
        type Item = ([f32; 2], u16);
        fn next(&mut self) -> Option<Self::Item> {
            self.0 = self.0.checked_sub(1)?;
            Some(([f32::from(self.0), 1.0], self.0))
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.1, None)
        }
    }
    for promised in [usize::MAX, 1 << 50, 0] {
        let mut index = Quadtree::new(world()).unwrap();
        let layer = index.add_point_layer().unwrap();
        for objects in [200, 50] {
            assert_eq!(index.insert_batch(layer, Boaster(objects, promised)).unwrap().len(), usize::from(objects));
        }
        index.check_integrity().unwrap();
        assert_eq!(index.len(), 250);
    }
}
