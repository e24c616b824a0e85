//! The operations that the golden script leaves out, each once, on a thread with a small stack: see `golden` for the rest.
//!
//! Uses the library alone, so that the target `profiles` compiles it in other ways.

use quadrille::{
    AnyOf, Ball, Contacts, Convex, Corridor, HalfSpace, Layer, LayerSettings, Points, Polygon, Rect, Rects, Scalar,
    SpatialIndex, Watch,
};

struct Scene<S, const D: usize> {
    index: SpatialIndex<u32, S, D>,
    other: SpatialIndex<u32, S, D>,
    points: Layer<Points>,
    rects: Layer<Rects>,
}

/// One operation. Each is a function of its own: unoptimized, one for all would take much of the stack.
type Operation<S, const D: usize> = fn(&mut Scene<S, D>);

fn at<S: Scalar, const D: usize>(place: u16) -> [S; D] {
    [S::from(place); D]
}

fn window<S: Scalar, const D: usize>() -> Rect<S, D> {
    Rect::new(at(10), at(40))
}

impl<S: Scalar, const D: usize> Scene<S, D> {
    fn new() -> Self {
        let mut index = SpatialIndex::new(Rect::new(at(0), at(100))).expect("a world");
        let settings = LayerSettings::new().split_above(4);
        let points = index.add_point_layer_with(settings).expect("a layer");
        let rects = index.add_rect_layer_with(settings).expect("a layer");
        for value in 0..400_u16 {
            let place = |axis: usize| S::from([value * 7 % 100, value * 31 % 97, value * 13 % 89][axis]);
            let min: [S; D] = core::array::from_fn(place);
            index.insert(points, min, value.into()).expect("finite");
            let side = S::from(1 << (value % 7));
            index.insert(rects, Rect::new(min, min.map(|end| end + side)), value.into()).expect("finite");
        }
        Self { other: index.clone(), index, points, rects }
    }

    fn questions() -> [Operation<S, D>; 14] {
        [
            |on| assert!(on.index.near(window()).count() > 0),
            |on| assert!(on.index.within_distance(at::<S, D>(50), S::from(20)).count() > 0),
            |on| assert!(on.index.cast(window(), at::<S, D>(9)).count() > 0),
            |on| {
                let one = on.index.iter().next().expect("one").handle();
                assert!(on.index.intersecting(window()).excluding(one).exists());
            },
            |on| assert!(on.index.intersecting(Convex::new(&[HalfSpace::behind(at(50), at(1))])).count() > 0),
            |on| assert!(on.index.intersecting(AnyOf::new([Ball::new(at(50), S::from(9))])).count() > 0),
            |on| assert!(on.index.pairs_of(on.index.iter().take(9).map(|one| one.handle())).count() > 0),
            |on| assert!(on.index.pairs().between(on.points, on.rects).count() > 0),
            |on| assert!(on.index.neighbors().within(S::from(1)).map(|_, others| others.count()).sum::<usize>() > 0),
            |on| assert!(on.index.iter().clusters(S::from(7)).expect("a size").count() > 0),
            |on| assert!(on.index.join(&on.other).within(S::from(1)).count() > 0),
            |on| assert!(on.index.values().count() == 800 && on.index.drain_in(on.points).count() == 400),
            |on| assert!(on.index.cells(on.rects).count() > 1 && on.index.stats_in(on.rects).objects == 400),
            |on| on.index.check_integrity().expect("sound"),
        ]
    }

    fn on_the_way() -> [Operation<S, D>; 4] {
        [
            |on| {
                let mut query = on.index.intersecting(window());
                query.next().expect("one");
                let cursor = query.pause();
                let mut rest = on.index.resume(cursor).expect("the same index");
                rest.next().expect("another one");
                let mut cursor = rest.pause();
                while !cursor.run(&on.index, 5, |_| {}).expect("the same index").done {}
            },
            |on| {
                let mut watch = Watch::new();
                assert!(!watch.poll(on.index.intersecting(window())).expect("the same index").entered.is_empty());
            },
            |on| {
                let mut contacts = Contacts::new();
                assert!(!contacts.poll(on.index.pairs()).expect("the same index").begun.is_empty());
            },
            |on| {
                let mut contacts = Contacts::new();
                let changes = contacts.poll(on.index.join(&on.other).filter(|_| true));
                assert!(!changes.expect("the same indexes").begun.is_empty());
            },
        ]
    }

    fn changes() -> [Operation<S, D>; 5] {
        [
            |on| {
                let handle = on.index.insert_any(on.points.id(), Rect::from_point(at(3)), 7).expect("a point");
                on.index.move_to(handle, Rect::from_point(at(99))).expect("a point");
                on.index.remove(handle).expect("a live object");
            },
            |on| {
                let added = on.index.add_point_layer().expect("a layer");
                let first = on.index.iter().in_layers(on.points).next().expect("a point").handle();
                on.index.set_layer(first, added).expect("of the same kind");
            },
            |on| assert!(on.index.remove_layer(on.points).is_ok()),
            |on| assert!(on.other.drain().count() > 0),
            |on| on.index.clear(),
        ]
    }
}

fn all<S: Scalar, const D: usize>() {
    for operation in Scene::<S, D>::questions() {
        operation(&mut Scene::new());
    }
    for operation in Scene::<S, D>::on_the_way().into_iter().chain(Scene::changes()) {
        operation(&mut Scene::new());
    }
}

fn polygons() {
    let Scene { index, .. } = Scene::<f32, 2>::new();
    let corners = [[10.0, 10.0], [60.0, 20.0], [30.0, 70.0]];
    assert!(index.intersecting(&Polygon::new(corners)).count() > 0);
    let many = || corners.into_iter().cycle().take(3000);
    let (polygon, route) = (Polygon::new(many()).with_ring(corners), Corridor::new(many(), 5.0));
    assert!(index.intersecting(&polygon).count() > 0 && index.contained_in(&polygon).count() > 0);
    assert!(index.intersecting(&route).count() > 0 && index.contained_in(&route).count() > 0);
}

/// 64 KiB, or 128 without optimization.
#[test]
fn a_small_stack_is_enough() {
    let run = || {
        all::<f32, 2>();
        all::<f64, 3>();
        polygons();
    };
    let kib = if cfg!(feature = "profiles") { 64 } else { 128 };
    let thread = std::thread::Builder::new().stack_size(kib << 10).spawn(run);
    thread.expect("a thread").join().expect("no panic");
}
