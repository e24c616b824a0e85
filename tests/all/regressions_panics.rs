//! One named test for each bug that was fixed: regions of a caller's own that panic.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use quadrille::{IntoRegion, LayerSettings, Quadtree, Rect, Region};

use crate::regressions::{square, world};

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

/// A poll swapped its lists before it asked the region: after a panic the next one reported wrong changes.
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

/// Queries, resumed or not, lost objects too: they passed a bucket before they asked the region about it.
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

        // Objects shown before the panic may come again, unless the cursor is to remember it.
        let mut cursor = index.intersecting(region.clone()).pause().distinct();
        let mut seen = Vec::new();
        let next = || (!cursor.run(&index, 3, |object| seen.push(*object.value())).unwrap().done).then_some(0);
        all_but_for_a_panic(next, &fuse, question);
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..99), "run, {question}: {seen:?}");
    }
}
