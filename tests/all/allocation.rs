//! No query allocates: not over all 64 layers, not over a chain of a million, not when it is cloned or dropped. Ordered
//! queries do not for the first object, nor for further ones with a buffer that has grown before. And the bytes that an index
//! says it holds are those that the allocator has given it.
#![expect(unsafe_code, reason = "a counting allocator implements an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use quadrille::{Ball, Convex, HalfSpace, LayerSettings, Periodic, Polygon, Ray, Rect, SearchBuffer, Segment};

use quadrille_support::oracle::Span;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{AnyLayer, Dice, Index, Real, in_spaces};

in_spaces!(
    without_edges,
    sixty_four_layers,
    a_million_in_one_place,
    ordered_queries,
    moves_in_place,
    counted_at_all,
    bytes_held
);

/// The system's allocator, with counts of calls and of bytes for each thread.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    /// Wraps below zero where a thread frees what another one allocated.
    static BYTES: Cell<usize> = const { Cell::new(0) };
    /// Those taken, whether freed or not.
    static TAKEN: Cell<usize> = const { Cell::new(0) };
}

/// How many more allocations the process gets; the greatest number means any.
pub(crate) static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Whether there is memory for one more allocation.
fn may_allocate() -> bool {
    let less = |left| (left != usize::MAX && left != 0).then(|| left - 1);
    LEFT.load(Ordering::Relaxed) == usize::MAX || LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
}

fn count_call(taken: usize, freed: usize) {
    CALLS.with(|calls| calls.set(calls.get() + 1));
    BYTES.with(|bytes| bytes.set(bytes.get().wrapping_add(taken).wrapping_sub(freed)));
    TAKEN.with(|bytes| bytes.set(bytes.get().wrapping_add(taken)));
}

// SAFETY: everything is left to the system's allocator, unless there is no memory left; the counts are constant thread-locals, which allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !may_allocate() {
            return null_mut();
        }
        count_call(layout.size(), 0);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count_call(0, layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !may_allocate() {
            return null_mut();
        }
        count_call(size, layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// The calls of the allocator on this thread, freeing included, while something is done.
fn calls_while(what: impl FnOnce()) -> usize {
    let before = CALLS.get();
    what();
    CALLS.get() - before
}

/// A polygon is built anew a few times at most, however its rings grow: all that is built takes memory.
#[test]
fn a_polygon_of_growing_rings() {
    let taken_for = |corner: &dyn Fn(i32) -> f64| {
        let before = TAKEN.get();
        let outline = (0..4000).map(|number| f64::from(number) / 4000.0).map(|part| [part, part * (1.0 - part)]);
        let polygon = (0..1000).fold(Polygon::new(outline), |polygon, ring| polygon.with_ring([[corner(ring), 0.5]]));
        assert_eq!(polygon.edges().count(), 5000);
        TAKEN.get() - before
    };
    let (steady, growing) = (taken_for(&|_| 0.5), taken_for(&|ring| 2.0_f64.powi(ring)));
    assert!(growing < 5 * steady, "{growing} bytes, and {steady} for rings of one size");
}

/// Asks everything in every way about a region, and says how often an object was yielded or counted.
fn ask_in_every_way<S: Real, const D: usize>(index: &Index<S, D>, region: Rect<S, D>) -> usize {
    let mut yielded = 0;
    macro_rules! every_way {
        ($($method:ident),+) => {$({
            let layers = index.layers().fold(quadrille::LayerSet::NONE, |set, layer| set | layer);
            let mut query = index.$method(region).in_layers(layers);
            for object in query.by_ref().take(3) {
                black_box((object.handle(), object.shape(), object.layer(), object.value()));
                yielded += 1;
            }
            let resumed = query.clone();
            yielded += query.count();
            yielded += resumed.clone().map(|object| black_box(object.handle())).count();
            let Some(first) = index.$method(region).next() else { panic!("nothing to ask about") };
            yielded += resumed.clone().excluding([first.handle(); 2]).count();
            yielded += resumed.excluding(first.handle()).fold(0, |count, _| count + 1);
            yielded += usize::from(index.$method(region).exists());
            for object in index.$method(region) {
                black_box(object.value());
                yielded += 1;
            }
            drop(black_box(index.$method(region)));
        })+};
    }
    every_way!(near, intersecting, contained_in, containing);
    let first_layer = index.layers().next().expect("a layer");
    for (one, other) in index.pairs().within(S::of(1.0)).take(100) {
        black_box((one.value(), other.handle()));
        yielded += 1;
    }
    yielded += usize::from(index.join(index).clone().exists())
        + index.pairs().between(!first_layer, first_layer).take(9).count();
    assert!(index.bounds(quadrille::LayerSet::ALL).is_some());
    yielded + index.iter().count() + ask_about_shapes(index, region)
}

/// As [`ask_in_every_way`], about a ball, a segment and a convex shape around a box, and by an object.
fn ask_about_shapes<S: Real, const D: usize>(index: &Index<S, D>, around: Rect<S, D>) -> usize {
    let half_spaces = [HalfSpace::new(around.max(), S::LARGEST)];
    let (ball, segment) = (Ball::new(around.center(), S::of(64.0)), Segment::new(around.min(), around.max()));
    let mut yielded = 0;
    macro_rules! every_shape {
        ($($region:expr),+) => {$(
            yielded += index.near($region).count() + index.intersecting($region).map(black_box).count();
            yielded += usize::from(index.contained_in($region).exists()) + index.containing($region).count();
            for object in index.contained_in($region).clone().take(3) {
                yielded += usize::from(object.intersecting().exists()) + object.near().take(2).count();
            }
        )+};
    }
    every_shape!(ball, segment, Convex::new(&half_spaces), Convex::new(&half_spaces).within(around));
    yielded + index.within_distance(around.min(), S::of(1.0)).count()
}

/// Region queries of a world without edges across a corner, and an ordered query far from all borders. Pairs allocate once.
fn without_edges<S: Real, const D: usize>() {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let torus = Periodic::new(index.world()).expect("the world of an index");
    let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(2)));
    for number in 0..200 {
        let at = S::of(f64::from(number * 7 % 64));
        let span = Span::cube(at, if number % 2 == 0 { at } else { S::of(at.value() + 3.0) });
        layers[number as usize % 2].insert(&mut index, span, number).expect("finite");
    }
    let corner = Rect::new([S::of(-9.0); D], [S::of(9.0); D]);
    let count = |query: &dyn Fn() -> usize| {
        let mut found = 0;
        let calls = calls_while(|| found = query());
        assert!(0 < found);
        calls
    };
    assert_eq!(count(&|| index.intersecting(corner).periodic(&torus).count()), 0);
    assert_eq!(count(&|| index.contained_in(corner).periodic(&torus).count()), 0);
    assert_eq!(count(&|| index.containing(corner.max()).periodic(&torus).count()), 0);
    let around = || index.within_distance(corner.min(), S::of(30.0)).periodic(&torus);
    assert_eq!(count(&|| around().map(black_box).count()), 0);
    assert_eq!(count(&|| index.nearest(index.world().center()).periodic(&torus).exists().into()), 0);
    let pairs = || index.pairs().within(S::of(1.0)).periodic(&torus);
    assert_eq!(count(&|| pairs().map(black_box).count()), 2, "a moved copy of a bucket is taken, and freed");
}

/// Layers of both kinds, as many as there can be, each with a tree of several levels.
fn sixty_four_layers<S: Real, const D: usize>() {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let mut dice = Dice::new(13);
    for number in 0..64 {
        let settings = LayerSettings::new().split_above(1 + number % 5);
        let layer = AnyLayer::add(&mut index, number % 2 == 0, settings);
        for value in 0..60 {
            let min = core::array::from_fn(|_| S::of(dice.fraction() * dice.fraction() * 64.0));
            let max = min.map(|min: S| S::of(min.value() + dice.fraction()));
            layer.insert(&mut index, Span { min, max }, value).expect("finite");
        }
        let everywhere = Span::of_rect(&index.world());
        layer.insert(&mut index, everywhere, 99).expect("finite");
    }
    assert!(index.stats().nodes > 64 * 2);
    let corner = Rect::from_point([S::of(0.0); D]);
    let mut yielded = 0;
    for region in [index.world(), corner] {
        let calls = calls_while(|| yielded += ask_in_every_way(&index, region));
        assert_eq!(calls, 0, "allocated by queries about {region:?}");
    }
    assert!(yielded > 64 * 60, "{yielded}");
}

/// One chain of buckets that holds a million equal points.
fn a_million_in_one_place<S: Real, const D: usize>() {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let layer = index.add_point_layer().expect("a layer");
    for value in 0..1_000_000 {
        index.insert(layer, [S::of(1.0); D], value).expect("finite");
    }
    let mut yielded = 0;
    let calls = calls_while(|| yielded = ask_in_every_way(&index, Rect::from_point([S::of(1.0); D])));
    assert_eq!(calls, 0, "allocated while walking a long chain");
    assert!(yielded > 4_000_000, "{yielded}");
    let calls = calls_while(|| {
        assert_eq!(index.len_in(layer), 1_000_000);
        assert_eq!(index.cells(layer.id()).map(|cell| cell.objects().count()).sum::<usize>(), 1_000_000);
    });
    assert_eq!(calls, 0, "allocated while walking cells");
}

/// The first object takes no memory, and a loop of queries takes it once.
fn ordered_queries<S: Real, const D: usize>() {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new()));
    let mut dice = Dice::new(17);
    for value in 0..2000 {
        let min = core::array::from_fn(|_| S::of(dice.fraction() * 64.0));
        let max = min.map(|min: S| S::of(min.value() + dice.fraction() * 8.0));
        layers[usize::from(value % 2 == 0)].insert(&mut index, Span { min, max }, value).expect("finite");
    }
    let targets: Vec<[S; D]> = (0..50).map(|_| core::array::from_fn(|_| S::of(dice.fraction() * 64.0))).collect();
    let far = [S::of(60.0); D];
    let calls = calls_while(|| {
        for &target in &targets {
            assert!(index.nearest(target).next().is_some());
            assert!(index.object(index.nearest(target).next().expect("many").object.handle()).is_some());
            black_box(index.raycast(Ray::segment(target, far)).next());
            black_box(index.cast(target, far).next());
            black_box(index.cast(target, far).blocking(S::of(0.5)).next());
        }
    });
    assert_eq!(calls, 0, "allocated for the first object");
    let mut buffer = SearchBuffer::new();
    let mut yielded = 0;
    let mut ask = |target: [S; D]| {
        yielded += index.nearest(target).reusing(&mut buffer).take(40).count();
        yielded += index.raycast(Ray::segment(target, far)).reusing(&mut buffer).count();
        yielded += index.cast(Rect::new(target, far), far).reusing(&mut buffer).take(100).count();
    };
    // Once over all of it, for the memory to grow.
    let calls = calls_while(|| targets.iter().for_each(|&target| ask(target)));
    assert!(0 < calls && calls < 20, "{calls} times it grew");
    let calls = calls_while(|| targets.iter().for_each(|&target| ask(target)));
    assert_eq!(calls, 0, "allocated in spite of a buffer");
    assert!(50 * 2 * 40 < yielded, "{yielded}");
}

/// Moves within a node and look-ups by handle need no memory either.
fn moves_in_place<S: Real, const D: usize>() {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new()));
    let span = |step: u32| Span::cube(S::of(1.0 + f64::from(step) / 64.0), S::of(2.0 + f64::from(step) / 64.0));
    for layer in layers {
        let handles: Vec<_> = (0..50).map(|step| layer.insert(&mut index, span(step), step).expect("finite")).collect();
        let calls = calls_while(|| {
            for (step, handle) in (1..).zip(&handles) {
                layer.move_to(&mut index, *handle, span(step)).expect("finite");
                assert!(index.contains(*handle) && index.object(*handle).is_some());
                *index.get_mut(*handle).expect("a live object") += 1;
            }
        });
        assert_eq!(calls, 0);
    }
}

/// The count counts.
fn counted_at_all<S: Real, const D: usize>() {
    let index = roomy_scenes::<S>()[0].index::<D>();
    let calls = calls_while(|| drop(black_box(vec![index.world()])));
    assert_eq!(calls, 2, "one allocation and its release");
}

/// The figure of the bytes is that of the allocator, but for what does not grow with the objects: while nearly each bucket holds
/// one object or few buckets hold all, and after most are gone.
fn bytes_held<S: Real, const D: usize>() {
    for split_above in [1, 64] {
        let before = BYTES.get();
        let mut index = roomy_scenes::<S>()[0].index::<D>();
        let settings = LayerSettings::new().split_above(split_above);
        let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
        let mut dice = Dice::new(19);
        let handles: Vec<_> = (0..6000)
            .map(|value| {
                let min = core::array::from_fn(|_| S::of(dice.fraction() * 63.0));
                let max = min.map(|min: S| S::of(min.value() + dice.fraction() * dice.fraction()));
                layers[usize::from(value % 2 == 0)].insert(&mut index, Span { min, max }, value).expect("finite")
            })
            .collect();
        let own = handles.capacity() * size_of_val(&handles[0]);
        let assert_told = |index: &Index<S, D>, when: &str| {
            let (told, held) = (index.stats().bytes, BYTES.get().wrapping_sub(before).wrapping_sub(own));
            assert!(told.abs_diff(held) < 3072, "{when}: {told} bytes, of the allocator {held}");
        };
        assert_told(&index, "full");
        for handle in handles.iter().step_by(2).chain(handles.iter().skip(1).step_by(4)) {
            index.remove(*handle).expect("a live object");
        }
        index.shrink_to_fit();
        assert_told(&index, "shrunk");
    }
}
