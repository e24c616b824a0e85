//! Cases that the test suites of well-known spatial indexes are about, stated anew for this one. No text is taken over.

use quadrille::{Ball, Handle, Layer, LayerSettings, Points, Ray, Rect, Rects};
use quadrille_support::oracle::sorted;
use quadrille_support::{Index, assert_sound};

type Plane = Index<f32, 2>;

fn plane() -> (Plane, Layer<Points>, Layer<Rects>) {
    let mut index = Plane::new(Rect::new([0.0, 0.0], [128.0, 128.0])).expect("a world");
    let points = index.add_point_layer().expect("a layer");
    let rects = index.add_rect_layer().expect("a layer");
    (index, points, rects)
}

fn square(x: f32, y: f32, side: f32) -> Rect {
    Rect::new([x, y], [x + side, y + side])
}

fn meeting(index: &Plane, window: Rect) -> Vec<Handle> {
    sorted(index.intersecting(window).map(|object| object.handle()))
}

/// Quadtrees of articles: more equal points than a leaf holds split no leaf forever, and each can go by itself.
#[test]
fn more_equal_points_than_a_leaf_holds() {
    let (mut index, ..) = plane();
    let shallow = index.add_point_layer_with(LayerSettings::new().split_above(4)).expect("a layer");
    let crowd: Vec<_> = (0..1000).map(|n| index.insert(shallow, [33.3, 44.4], n).expect("room")).collect();
    assert_sound(&index, "filling one place");
    for (gone, &handle) in (1..).zip(&crowd) {
        assert!(index.remove(handle).is_some());
        assert_eq!(index.containing([33.3, 44.4]).count(), 1000 - gone);
    }
    assert_sound(&index, "emptying it");
}

/// d3-quadtree: of several coincident points one is removed, and the others stay.
#[test]
fn one_of_coincident_points_is_removed() {
    let (mut index, points, _) = plane();
    let [a, b, c] = [1, 2, 3].map(|n| index.insert(points, [7.0, 7.0], n).expect("room"));
    assert_eq!(index.remove(b), Some(2));
    assert_eq!(index.remove(b), None, "only once");
    assert_eq!(meeting(&index, square(7.0, 7.0, 0.0)), sorted([a, c]));
}

/// d3-quadtree, rbush: finding nothing is no error, in an empty index or far from all objects.
#[test]
fn nothing_is_found() {
    let (mut index, points, _) = plane();
    assert!(index.nearest([1.0, 1.0]).next().is_none());
    assert_eq!(meeting(&index, Rect::everything()), []);
    assert!(index.raycast(Ray::new([0.0, 0.0], [1.0, 1.0])).next().is_none());
    assert_eq!(index.pairs().count(), 0);
    let far = index.insert(points, [100.0, 100.0], 0).expect("room");
    assert!(index.nearest([1.0, 1.0]).within(10.0).next().is_none());
    assert_eq!(index.nearest([1.0, 1.0]).next().map(|found| found.object.handle()), Some(far));
}

/// flatbush: the nearest within a distance, some of them filtered out, nearest first.
#[test]
fn nearest_filtered_and_limited() {
    let (mut index, points, _) = plane();
    let row: Vec<_> = (0_u8..100).map(|n| index.insert(points, [f32::from(n), 0.0], n.into()).expect("room")).collect();
    let even: Vec<_> = index
        .nearest([50.2, 0.0])
        .within(5.0)
        .filter(|found| found.object.value() % 2 == 0)
        .map(|found| found.object.handle())
        .collect();
    assert_eq!(even, [50, 52, 48, 54, 46].map(|n| row[n]));
}

/// JTS and GEOS: boxes without width or height count as what they are, and touching counts, also in a corner.
#[test]
fn flat_boxes_and_touching_corners() {
    let (mut index, _, rects) = plane();
    let line = index.insert(rects, Rect::new([10.0, 20.0], [30.0, 20.0]), 0).expect("room");
    let dot = index.insert(rects, square(64.0, 64.0, 0.0), 1).expect("room");
    let quarter = index.insert(rects, square(32.0, 32.0, 32.0), 2).expect("room");
    assert_eq!(meeting(&index, square(15.0, 15.0, 5.0)), [line], "by its edge");
    assert_eq!(meeting(&index, square(64.0, 64.0, 9.0)), sorted([dot, quarter]), "by their corners");
    assert_eq!(meeting(&index, Rect::new([20.0, 20.000_002], [21.0, 21.0])), [], "just beside the line");
    let inside = sorted(index.contained_in(Rect::new([10.0, 20.0], [30.0, 20.0])).map(|object| object.handle()));
    assert_eq!(inside, [line], "a box lies in itself");
}

/// Boost.Geometry: the relations divide all boxes: inside is a part of meeting, and what does not meet is all the rest.
#[test]
fn relations_divide_all_boxes() {
    let (mut index, _, rects) = plane();
    for n in 0_u8..=120 {
        let (x, y) = (f32::from(n % 11) * 10.0, f32::from(n / 11) * 10.0);
        index.insert(rects, square(x, y, 1.0 + f32::from(n % 7) * 4.0), n.into()).expect("room");
    }
    let window = square(30.0, 30.0, 40.0);
    let all = sorted(index.iter().map(|object| object.handle()));
    let meets = meeting(&index, window);
    let inside = sorted(index.contained_in(window).map(|object| object.handle()));
    let rest = sorted(index.iter().filter(|object| !object.shape().intersects(&window)).map(|object| object.handle()));
    assert!(inside.iter().all(|handle| meets.binary_search(handle).is_ok()));
    assert!(!inside.is_empty() && inside.len() < meets.len());
    assert_eq!(sorted(meets.into_iter().chain(rest)), all);
}

/// CGAL: a point on the line where cells part is found from either side of it.
#[test]
fn points_on_the_lines_between_cells() {
    let (mut index, ..) = plane();
    let fine = index.add_point_layer_with(LayerSettings::new().split_above(1)).expect("a layer");
    let on_lines: Vec<_> = (1_u8..8)
        .flat_map(|n| [[f32::from(n) * 16.0, 64.0], [64.0, f32::from(n) * 16.0 + 0.5]])
        .map(|at| (at, index.insert(fine, at, 0).expect("room")))
        .collect();
    assert_sound(&index, "points on lines");
    for ([x, y], handle) in on_lines {
        for window in [[x - 1.0, y - 1.0], [x, y], [x - 1.0, y], [x, y - 1.0]].map(|[x, y]| square(x, y, 1.0)) {
            assert!(meeting(&index, window).contains(&handle), "{window:?}");
        }
    }
}

/// `SQLite`: an index that was emptied works as a new one, however often.
#[test]
fn emptied_and_filled_again() {
    let (mut index, points, rects) = plane();
    for round in 0_u8..5 {
        let at = |n: u8| [f32::from(n % 16) * 8.0, f32::from(n / 16) * 8.0];
        let dots: Vec<_> = (0..=255).map(|n| index.insert(points, at(n), n.into()).expect("room")).collect();
        let boxes: Vec<_> =
            (0..=255).map(|n| index.insert(rects, square(at(n)[0], at(n)[1], 3.0), n.into()).expect("room")).collect();
        assert_eq!(index.len(), 512, "round {round}");
        assert_sound(&index, "filling");
        for handle in boxes.into_iter().rev().chain(dots) {
            index.remove(handle).expect("it lives");
        }
        assert!(index.is_empty());
        assert_sound(&index, "emptying");
    }
}

/// libspatialindex: removal of what is stored elsewhere or not at all fails and changes nothing.
#[test]
fn removing_what_is_not_there() {
    let (mut index, points, _) = plane();
    let stays = index.insert(points, [1.0, 1.0], 1).expect("room");
    let gone = index.insert(points, [2.0, 2.0], 2).expect("room");
    assert_eq!(index.remove(gone), Some(2));
    let again = index.insert(points, [2.0, 2.0], 3).expect("room");
    assert_ne!(gone, again, "a handle names one object forever");
    assert_eq!(index.remove(gone), None);
    assert_eq!(index.remove(Handle::default()), None);
    assert_eq!(sorted(index.iter().map(|object| object.handle())), sorted([stays, again]));
}

/// kiddo: many points that share a coordinate can be stored, and those at exactly the distance asked for are found.
#[test]
fn one_coordinate_shared_by_all() {
    let (mut index, points, _) = plane();
    let column: Vec<_> = (0_u16..640).map(|n| ([64.0, f32::from(n) / 5.0], u32::from(n))).collect();
    let handles = index.insert_batch(points, column).expect("room");
    assert_sound(&index, "a column");
    let near = sorted(index.within_distance([61.0, 4.0], 5.0).map(|object| object.handle()));
    assert_eq!(near, sorted(handles[..=40].iter().copied()), "from 0 to 8: a triangle of 3, 4 and 5");
}

/// rstar: the nearest objects come in order to the last one, whatever is removed on the way.
#[test]
fn all_come_nearest_first() {
    let (mut index, points, rects) = plane();
    for n in 0_u8..200 {
        let (x, y) = (f32::from(n.wrapping_mul(37) % 128), f32::from(n.wrapping_mul(101) % 128));
        index.insert(points, [x, y], n.into()).expect("room");
        index.insert(rects, square(y, x, 2.0), n.into()).expect("room");
    }
    let target = [64.0, 64.0];
    while !index.is_empty() {
        let distances: Vec<_> = index.nearest(target).map(|found| found.distance_squared).collect();
        assert_eq!(distances.len(), index.len());
        assert!(distances.is_sorted());
        let nearest: Vec<_> = index.nearest(target).take(50).map(|found| found.object.handle()).collect();
        for handle in nearest {
            index.remove(handle).expect("it lives");
        }
        assert_sound(&index, "removing the nearest");
    }
}

/// parry: a ray that begins inside hits at once; one along an edge or parallel to an axis hits what it touches.
#[test]
fn rays_inside_and_along_edges() {
    let (mut index, _, rects) = plane();
    let around = index.insert(rects, square(40.0, 40.0, 20.0), 0).expect("room");
    let beside = index.insert(rects, square(80.0, 60.0, 10.0), 1).expect("room");
    let hits = |ray| index.raycast(ray).map(|hit| (hit.object.handle(), hit.t)).collect::<Vec<_>>();
    assert_eq!(hits(Ray::new([50.0, 50.0], [0.0, 1.0])), [(around, 0.0)]);
    assert_eq!(hits(Ray::new([0.0, 60.0], [1.0, 0.0])), [(around, 40.0), (beside, 80.0)], "along two edges");
    assert_eq!(hits(Ray::new([100.0, 75.0], [-1.0, 0.0])), [], "above both");
    assert_eq!(hits(Ray::segment([0.0, 50.0], [39.0, 50.0])), [], "it ends before");
}

/// `Box2D`: each pair comes once, however the two have moved, and a box does not meet itself.
#[test]
fn each_pair_once() {
    let (mut index, _, rects) = plane();
    let [a, b, c] =
        [[0.0, 0.0], [1.0, 1.0], [50.0, 50.0]].map(|[x, y]| index.insert(rects, square(x, y, 2.0), 0).expect("room"));
    let pairs = |index: &Plane| {
        let pairs = index.pairs().map(|(one, other)| sorted([one.handle(), other.handle()]));
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(pairs(&index), [sorted([a, b])]);
    index.move_to(a, square(49.0, 49.0, 2.0)).expect("it lives");
    assert_eq!(pairs(&index), [sorted([a, c])]);
    index.move_to(b, square(48.0, 48.0, 9.0)).expect("it lives");
    assert_eq!(pairs(&index), {
        let mut all = vec![sorted([a, b]), sorted([a, c]), sorted([b, c])];
        all.sort_unstable();
        all
    });
}

/// `PostGIS` and other databases: a region without an inside, or with a number that is none, meets nothing.
#[test]
fn regions_that_are_nowhere() {
    let (mut index, points, rects) = plane();
    index.insert(points, [1.0, 1.0], 0).expect("room");
    index.insert(rects, square(0.0, 0.0, 128.0), 1).expect("room");
    assert_eq!(index.within_distance([1.0, 1.0], f32::NAN).count(), 0);
    assert_eq!(index.within_distance([1.0, 1.0], -1.0).count(), 0);
    assert_eq!(index.intersecting(Ball::new([f32::NAN, 1.0], 5.0)).count(), 0);
    assert_eq!(index.intersecting([f32::NAN, 1.0]).count(), 0);
    assert!(index.nearest([f32::NAN, 1.0]).next().is_none());
}
