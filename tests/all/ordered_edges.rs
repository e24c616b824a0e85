//! The ordered queries at their edges: touching, ties, inside, no direction, NaN, infinity, nothing, outside, many.

use quadrille::{Handle, Layer, LayerSettings, Points, Ray, Rect, Rects, SearchBuffer, SpatialIndex};

use quadrille_support::{Dice, Index, Real, in_spaces};

in_spaces!(
    nothing_is_there,
    distances_are_of_closest_points,
    ties_come_by_handle,
    intervals_of_distance_are_closed,
    nowhere_is_near_nothing,
    infinitely_far,
    beyond_all_squares,
    below_all_squares,
    outside_of_the_world,
    many_equal_points,
    an_object_is_not_its_own_neighbour,
    rays_touch,
    rays_begin_inside,
    rays_without_direction,
    points_on_a_ray,
    segments_end,
    the_longest_segment,
    boxes_are_thrown,
    boxes_stand_still,
    half_planes_are_thrown,
    normals_of_sides,
    far_clusters,
);

fn world<S: Real, const D: usize>() -> Index<S, D> {
    SpatialIndex::new(Rect::new([S::of(0.0); D], [S::of(64.0); D])).expect("a world")
}

/// The same with a layer of each kind.
pub(super) fn layered<S: Real, const D: usize>() -> (Index<S, D>, Layer<Points>, Layer<Rects>) {
    let mut index = world();
    let (points, rects) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
    (index, points, rects)
}

/// A point with one coordinate on the first axis and another on all others.
pub(super) fn at<S: Real, const D: usize>(first: f64, others: f64) -> [S; D] {
    core::array::from_fn(|axis| S::of(if axis == 0 { first } else { others }))
}

pub(super) fn rect<S: Real, const D: usize>(min: [S; D], max: [S; D]) -> Rect<S, D> {
    Rect::new(min, max)
}

fn values<S: Real, const D: usize>(index: &Index<S, D>, target: [S; D]) -> Vec<(u32, f64)> {
    index.nearest(target).map(|near| (*near.object.value(), near.distance_squared.value())).collect()
}

pub(super) fn hits<S: Real, const D: usize>(index: &Index<S, D>, ray: Ray<S, D>) -> Vec<(u32, f64)> {
    index.raycast(ray).map(|hit| (*hit.object.value(), hit.t.value())).collect()
}

pub(super) fn thrown<S: Real, const D: usize>(
    index: &Index<S, D>,
    from: Rect<S, D>,
    motion: [S; D],
) -> Vec<(u32, f64)> {
    index.cast(from, motion).map(|hit| (*hit.object.value(), hit.t.value())).collect()
}

fn nothing_is_there<S: Real, const D: usize>() {
    let mut index = world::<S, D>();
    for _ in 0..2 {
        assert!(!index.nearest(at(1.0, 1.0)).exists());
        assert!(!index.raycast(Ray::new(at::<S, D>(1.0, 1.0), at::<S, D>(1.0, 0.0))).exists());
        assert!(!index.cast(at(1.0, 1.0), at::<S, D>(1.0, 0.0)).exists());
        // Once more with layers, of which one had an object.
        let (points, _) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
        let handle = index.insert(points, at(1.0, 1.0), 1).expect("finite");
        index.remove(handle);
    }
}

fn distances_are_of_closest_points<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    let others = if D == 2 { 1.0 } else { 2.0 };
    for (value, (min, max)) in [(4.0, 8.0), (8.0, 9.0), (20.0, 30.0)].into_iter().enumerate() {
        let value = u32::try_from(value).expect("few");
        index.insert(rects, rect(at(min, 10.0), at(max, 12.0)), value).expect("finite");
    }
    // Inside the first, whose edge is the second's.
    assert_eq!(values(&index, at(6.0, 11.0)), [(0, 0.0), (1, 4.0), (2, 196.0)]);
    assert_eq!(values(&index, at(8.0, 12.0)), [(0, 0.0), (1, 0.0), (2, 144.0)]);
    // Off a corner.
    assert_eq!(values(&index, at(1.0, 8.0))[0], (0, 9.0 + 4.0 * others));
    // From a rectangle.
    let near: Vec<_> = index.nearest(rect(at(9.5, 0.0), at(18.0, 64.0))).collect();
    let near: Vec<_> = near.iter().map(|near| (*near.object.value(), near.distance_squared.value())).collect();
    assert_eq!(near, [(1, 0.25), (0, 2.25), (2, 4.0)]);
}

fn ties_come_by_handle<S: Real, const D: usize>() {
    let mut index = world::<S, D>();
    let layers = [0, 1].map(|_| index.add_point_layer_with(LayerSettings::new().split_above(1)).expect("a layer"));
    let mut handles = Vec::new();
    for round in 0..30 {
        for far in [-3.0, 3.0] {
            let point = at(32.0 + far, 32.0);
            handles.push(index.insert(layers[round % 2], point, 0).expect("finite"));
        }
    }
    handles.sort();
    let all: Vec<Handle> = index.nearest(at(32.0, 32.0)).map(|near| near.object.handle()).collect();
    assert_eq!(all, handles);
    let ray = Ray::segment(at::<S, D>(0.0, 32.0), at::<S, D>(64.0, 32.0));
    let first: Vec<Handle> = index.raycast(ray).take(30).map(|hit| hit.object.handle()).collect();
    assert!(first.is_sorted() && first.len() == 30);
}

fn intervals_of_distance_are_closed<S: Real, const D: usize>() {
    let (mut index, points, _) = layered::<S, D>();
    for far in 0..5_u32 {
        index.insert(points, at(10.0 + f64::from(far), 10.0), far).expect("finite");
    }
    let between = |beyond: f64, within: f64| -> Vec<u32> {
        let query = index.nearest(at(10.0, 10.0)).beyond(S::of(beyond)).within(S::of(within));
        query.map(|near| *near.object.value()).collect()
    };
    assert_eq!(between(1.0, 3.0), [1, 2, 3]);
    assert_eq!(between(0.0, 0.0), [0]);
    assert_eq!(between(-1.0, 1.0), [0, 1]);
    assert_eq!(between(3.5, f64::INFINITY), [4]);
    assert!(between(f64::INFINITY, f64::INFINITY).is_empty());
    assert!(between(2.0, 1.0).is_empty());
    assert!(between(-2.0, -1.0).is_empty());
    assert!(between(f64::NAN, 9.0).is_empty());
    assert!(between(0.0, f64::NAN).is_empty());
    assert_eq!(between(0.0, S::of(1.0).down().value()), [0]);
    // The narrowest holds, and what is set on the way holds from there.
    let mut query = index.nearest(at(10.0, 10.0)).within(S::of(3.0)).within(S::of(9.0)).beyond(S::of(1.0));
    assert_eq!(query.next().map(|near| *near.object.value()), Some(1));
    let rest: Vec<u32> = query.beyond(S::of(0.0)).within(S::of(2.0)).map(|near| *near.object.value()).collect();
    assert_eq!(rest, [2]);
}

fn nowhere_is_near_nothing<S: Real, const D: usize>() {
    let (mut index, points, _) = layered::<S, D>();
    index.insert(points, at(1.0, 1.0), 1).expect("finite");
    assert_eq!(values(&index, at(f64::NAN, 1.0)), []);
    assert_eq!(values(&index, at(1.0, f64::NAN)), []);
}

fn infinitely_far<S: Real, const D: usize>() {
    let (mut index, points, _) = layered::<S, D>();
    index.insert(points, at(9.0, 1.0), 1).expect("finite");
    index.insert(points, at(1.0, 1.0), 2).expect("finite");
    // All are as far from there; and within an infinite distance.
    let endless = f64::INFINITY;
    for side in [endless, -endless] {
        assert_eq!(values(&index, at(side, 1.0)), [(1, endless), (2, endless)]);
        assert_eq!(index.nearest(at(side, 1.0)).within(S::of(endless)).count(), 2);
        assert_eq!(index.nearest(at(side, 1.0)).within(S::LARGEST).count(), 0);
    }
    let half = rect(at(-endless, -endless), at(5.0, endless));
    let near: Vec<_> = index.nearest(half).map(|near| near.distance_squared.value()).collect();
    assert_eq!(near, [0.0, 16.0]);
}

fn beyond_all_squares<S: Real, const D: usize>() {
    let (mut index, points, _) = layered::<S, D>();
    // The largest power of two.
    let largest = S::of(S::LARGEST.value() * 0.5).up().value();
    for (value, part) in (0..).zip([1.0, -1.0, 0.5, -0.25, 0.75]) {
        index.insert(points, at(largest * part, 0.0), value).expect("finite");
    }
    let order: Vec<_> = index.nearest(at(-largest, 0.0)).map(|near| *near.object.value()).collect();
    assert_eq!(order, [1, 3, 2, 4, 0]);
    let far = index.nearest(at(-largest, 0.0)).last().expect("five");
    assert!(far.distance_squared.value().is_infinite());
    assert_eq!(index.nearest(at(-largest, 0.0)).within(S::of(largest * 0.75)).count(), 2);
    assert_eq!(index.nearest(at(-largest, 0.0)).beyond(S::of(largest)).count(), 3);
}

fn below_all_squares<S: Real, const D: usize>() {
    let (mut index, points, _) = layered::<S, D>();
    let tiny = S::SMALLEST.value();
    for (value, times) in (0..).zip([9.0, -2.0, 0.0, 5.0, -6.0]) {
        index.insert(points, at(tiny * times, 0.0), value).expect("finite");
    }
    let order: Vec<_> = index.nearest(at(0.0, 0.0)).map(|near| *near.object.value()).collect();
    assert_eq!(order, [2, 1, 3, 4, 0]);
    assert_eq!(index.nearest(at(0.0, 0.0)).within(S::of(tiny * 5.0)).count(), 3);
}

fn outside_of_the_world<S: Real, const D: usize>() {
    let mut index = world::<S, D>();
    let points = index.add_point_layer_with(LayerSettings::new().split_above(2)).expect("a layer");
    let rects = index.add_rect_layer_with(LayerSettings::new().split_above(2)).expect("a layer");
    let places = [-500.0, -100.0, -1.0, 1.0, 63.0, 65.0, 100.0, 500.0];
    for (value, place) in (0..).zip(places) {
        index.insert(points, at(place, place), value).expect("finite");
        index.insert(rects, rect(at(place, place), at(place + 0.5, place + 0.5)), value + 100).expect("finite");
    }
    for target in [-1000.0, -100.0, 32.0, 64.0, 100.0, 1000.0] {
        let near: Vec<f64> = values(&index, at(target, target)).iter().map(|near| near.1).collect();
        assert!(near.is_sorted() && near.len() == 16, "{near:?}");
    }
    assert!(values(&index, at(500.0, 500.0)).starts_with(&[(7, 0.0)]));
    // Along the diagonal, from far outside through the world.
    let ray = Ray::new(at::<S, D>(-600.0, -600.0), at::<S, D>(1.0, 1.0));
    let order: Vec<_> = hits(&index, ray).iter().map(|hit| hit.1).collect();
    let expected: Vec<_> = places.iter().flat_map(|place| [place + 600.0; 2]).collect();
    assert_eq!(order, expected);
    assert_eq!(index.raycast(Ray::new(at::<S, D>(600.0, 600.0), at::<S, D>(-1.0, -1.0))).count(), 16);
    assert_eq!(thrown(&index, Rect::from_point(at::<S, D>(70.0, 70.0)), at(60.0, 60.0)), [(6, 0.5), (106, 0.5)]);
}

fn many_equal_points<S: Real, const D: usize>() {
    let (mut index, points, _) = layered::<S, D>();
    let mut handles: Vec<_> =
        (0..1000).map(|value| index.insert(points, at(7.0, 7.0), value).expect("finite")).collect();
    handles.sort();
    let order: Vec<_> = index.nearest(at(1.0, 1.0)).map(|near| near.object.handle()).collect();
    assert_eq!(order, handles);
    let ray = Ray::new(at::<S, D>(0.0, 0.0), at::<S, D>(1.0, 1.0));
    let order: Vec<_> = index.raycast(ray).map(|hit| hit.object.handle()).collect();
    assert_eq!(order, handles);
}

fn an_object_is_not_its_own_neighbour<S: Real, const D: usize>() {
    let (mut index, points, rects) = layered::<S, D>();
    let alone = index.insert(points, at(7.0, 7.0), 0).expect("finite");
    assert!(!index.object(alone).expect("alive").nearest().exists());
    index.insert(points, at(7.0, 7.0), 1).expect("finite");
    index.insert(rects, rect(at(8.0, 7.0), at(9.0, 9.0)), 2).expect("finite");
    for value in 3..60 {
        index.insert(points, at(20.0 + f64::from(value), 7.0), value).expect("finite");
    }
    let object = index.object(alone).expect("alive");
    let near: Vec<_> = object.nearest().take(2).map(|near| *near.object.value()).collect();
    assert_eq!(near, [1, 2]);
    assert_eq!(object.nearest().next().map(|near| *near.object.value()), Some(1));
    assert_eq!(object.nearest().in_layers(rects).next().map(|near| near.distance_squared.value()), Some(1.0));
    assert_eq!(object.nearest().count(), 59);
}

fn rays_touch<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    index.insert(rects, rect(at(10.0, 10.0), at(12.0, 12.0)), 0).expect("finite");
    let ray = |from: [S; D], to: [S; D]| hits(&index, Ray::new(from, to));
    // Along each edge, through corners, and just beside.
    assert_eq!(ray(at(0.0, 10.0), at(2.0, 0.0)), [(0, 5.0)]);
    assert_eq!(ray(at(0.0, 12.0), at(2.0, 0.0)), [(0, 5.0)]);
    assert_eq!(ray(at(0.0, S::of(12.0).up().value()), at(2.0, 0.0)), []);
    assert_eq!(ray(at(0.0, S::of(10.0).down().value()), at(2.0, 0.0)), []);
    assert_eq!(ray(at(9.0, 13.0), at(1.0, -1.0)), [(0, 1.0)]);
    assert_eq!(ray(at(8.0, 12.0), at(1.0, -1.0)), [(0, 2.0)]);
    assert_eq!(ray(at(8.0, S::of(12.0).down().value()), at(1.0, -1.0)), []);
    assert_eq!(ray(at(14.0, 8.0), at(-1.0, 1.0)), [(0, 2.0)]);
    // Away from it.
    assert_eq!(ray(at(9.0, 11.0), at(-1.0, 0.0)), []);
    // From an edge, away: it touches where it begins.
    assert_eq!(ray(at(10.0, 11.0), at(-1.0, 0.0)), [(0, 0.0)]);
}

fn rays_begin_inside<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    index.insert(rects, rect(at(20.0, 0.0), at(30.0, 64.0)), 1).expect("finite");
    index.insert(rects, rect(at(0.0, 0.0), at(64.0, 64.0)), 2).expect("finite");
    let ray = Ray::new(at::<S, D>(10.0, 5.0), at::<S, D>(10.0, 0.0));
    assert_eq!(hits(&index, ray), [(2, 0.0), (1, 1.0)]);
    let points: Vec<_> = index.raycast(ray).map(|hit| hit.point()).collect();
    assert_eq!(points, [at(10.0, 5.0), at(20.0, 5.0)]);
    assert_eq!(index.raycast(ray).until(S::of(1.0)).count(), 2);
    assert_eq!(index.raycast(ray).until(S::of(1.0).down()).count(), 1);
    assert_eq!(index.raycast(ray).until(S::of(-0.0)).count(), 1);
    for nothing in [-1.0, f64::NAN] {
        assert_eq!(index.raycast(ray).until(S::of(nothing)).count(), 0);
    }
}

fn rays_without_direction<S: Real, const D: usize>() {
    let (mut index, points, rects) = layered::<S, D>();
    index.insert(points, at(5.0, 5.0), 1).expect("finite");
    index.insert(rects, rect(at(5.0, 5.0), at(6.0, 6.0)), 2).expect("finite");
    index.insert(rects, rect(at(6.0, 5.0), at(7.0, 6.0)), 3).expect("finite");
    let still = at::<S, D>(0.0, -0.0);
    assert_eq!(hits(&index, Ray::new(at::<S, D>(5.0, 5.0), still)), [(1, 0.0), (2, 0.0)]);
    assert_eq!(hits(&index, Ray::new(at::<S, D>(6.0, 6.0), still)), [(2, 0.0), (3, 0.0)]);
    assert_eq!(hits(&index, Ray::segment(at::<S, D>(5.5, 5.0), at::<S, D>(5.5, 5.0))), [(2, 0.0)]);
}

/// Wherever the arithmetic is exact, a point on the ray is hit, and one right beside it is not.
fn points_on_a_ray<S: Real, const D: usize>() {
    let mut index = world::<S, D>();
    let points = index.add_point_layer_with(LayerSettings::new().split_above(1)).expect("a layer");
    // A third of the direction, a seventh, and so on: quotients that no float holds.
    for step in 1..=20 {
        index.insert(points, at(f64::from(step) * 3.0, f64::from(step)), step).expect("finite");
        index.insert(points, at(f64::from(step) * 3.0, f64::from(step) * 1.000_001), 100).expect("finite");
    }
    for length in [1.0, 7.0, 11.0] {
        let ray = Ray::new(at::<S, D>(0.0, 0.0), at::<S, D>(3.0 * length, length));
        let order: Vec<_> = hits(&index, ray).into_iter().map(|hit| hit.0).collect();
        assert_eq!(order, (1..=20).collect::<Vec<_>>());
    }
}

fn segments_end<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    index.insert(rects, rect(at(0.3, 0.3), at(1.0, 1.0)), 1).expect("finite");
    // No end is rounded away, whatever the direction is rounded to.
    let mut dice = Dice::new(3);
    for _ in 0..1000 {
        let from = core::array::from_fn(|_| S::of(-dice.fraction()));
        assert_eq!(hits(&index, Ray::segment(from, at(0.3, 0.3))), [(1, 1.0)], "{from:?}");
        assert_eq!(hits(&index, Ray::segment(from, at(S::of(0.3).value(), S::of(0.3).down().value()))), []);
    }
}

fn the_longest_segment<S: Real, const D: usize>() {
    let largest = S::LARGEST.value();
    let mut index =
        Index::<S, D>::new(Rect::new([S::of(-largest / 2.0); D], [S::of(largest / 2.0); D])).expect("a world");
    let points = index.add_point_layer().expect("a layer");
    for (value, part) in (0..).zip([1.0, 0.5, 0.0, -0.5, -1.0]) {
        index.insert(points, at(part * largest, part * largest), value).expect("finite");
    }
    let segment = Ray::segment(at::<S, D>(-largest, -largest), at::<S, D>(largest, largest));
    assert_eq!(hits(&index, segment), [(4, 0.0), (3, 0.25), (2, 0.5), (1, 0.75), (0, 1.0)]);
    assert_eq!(segment.at(S::of(1.0)), at::<S, D>(largest, largest));
    let last = index.raycast(segment).last().expect("five");
    assert_eq!(last.point(), at::<S, D>(largest, largest));
}

fn boxes_are_thrown<S: Real, const D: usize>() {
    let (mut index, points, rects) = layered::<S, D>();
    index.insert(rects, rect(at(20.0, 10.0), at(22.0, 12.0)), 1).expect("finite");
    index.insert(points, at(24.0, 8.0), 2).expect("finite");
    let from = rect(at(8.0, 8.0), at(10.0, 10.0));
    // It grazes the one with its upper edge, and the other with its lower edge, right at the end.
    assert_eq!(thrown(&index, from, at(14.0, 0.0)), [(1, 10.0 / 14.0), (2, 1.0)].map(|(v, t)| (v, S::of(t).value())));
    assert_eq!(thrown(&index, from, at(S::of(14.0).down().value(), 0.0)).len(), 1);
    assert_eq!(thrown(&index, from, at(10.0, 0.0)), [(1, 1.0)]);
    assert_eq!(thrown(&index, from, at(-10.0, 0.0)), []);
    // Lower by one neighbour, it passes below the first one.
    let lower = rect(at(8.0, 8.0), at(10.0, S::of(10.0).down().value()));
    assert_eq!(thrown(&index, lower, at(14.0, 0.0)), [(2, 1.0)]);
}

fn boxes_stand_still<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    for value in 0..40 {
        let min = f64::from(value);
        index.insert(rects, rect(at(min, 3.0), at(min + 1.0, 4.0)), value).expect("finite");
    }
    let from = rect(at(10.0, 4.0), at(12.0, 6.0));
    assert_eq!(thrown(&index, from, at(0.0, 0.0)), [9, 10, 11, 12].map(|value| (value, 0.0)));
}

fn half_planes_are_thrown<S: Real, const D: usize>() {
    let (mut index, points, _) = layered::<S, D>();
    for (value, place) in (0..).zip([60.0, 10.0, 40.0, 20.0]) {
        index.insert(points, at(place, place), value).expect("finite");
    }
    let left = rect(at(f64::NEG_INFINITY, f64::NEG_INFINITY), at(20.0, f64::INFINITY));
    assert_eq!(thrown(&index, left, at(40.0, 0.0)), [(1, 0.0), (3, 0.0), (2, 0.5), (0, 1.0)]);
}

/// A unit vector along the first axis or the second.
pub(super) fn along<S: Real, const D: usize>(axis: usize, outward: f64) -> [S; D] {
    core::array::from_fn(|other| S::of(if other == axis { outward } else { 0.0 }))
}

fn normals_of_sides<S: Real, const D: usize>() {
    let (mut index, points, rects) = layered::<S, D>();
    index.insert(rects, rect(at(10.0, 10.0), at(20.0, 16.0)), 0).expect("finite");
    let ray = |from: [S; D], to: [S; D]| index.raycast(Ray::segment(from, to)).map(|hit| hit.normal()).next();
    let sides = [
        (at(5.0, 12.0), at(15.0, 12.0), along(0, -1.0)),
        (at(25.0, 12.0), at(15.0, 12.0), along(0, 1.0)),
        (at(15.0, 5.0), at(15.0, 12.0), along(1, -1.0)),
        // Late on the second axis; then on all at once, at a corner.
        (at(18.0, 24.0), at(10.0, 12.0), along(1, 1.0)),
        (at(8.0, 8.0), at(12.0, 12.0), along(0, -1.0)),
        // From within, by the nearest side, however it goes; from an edge; without direction, from the middle.
        (at(18.0, 13.0), at(0.0, 13.0), along(0, 1.0)),
        (at(14.0, 10.0), at(14.0, 0.0), along(1, -1.0)),
        (at(15.0, 13.0), at(15.0, 13.0), along(1, -1.0)),
        // Along a side from one of its points on: it is touched before the flight begins.
        (at(15.0, 10.0), at(20.0, 10.0), along(1, -1.0)),
        (at(20.0, 13.0), at(20.0, 16.0), along(0, 1.0)),
    ];
    for (from, to, normal) in sides {
        assert_eq!(ray(from, to), Some(normal), "{from:?} {to:?}");
    }
    // A box reaches all axes with its own sides; a point is a box.
    let body = rect(at(2.0, 8.0), at(4.0, 9.0));
    let hit = index.cast(body, at(8.0, 4.0)).next().expect("in the way");
    assert_eq!((hit.t.value(), hit.normal(), hit.touches_at_start()), (0.75, along(0, -1.0), false));
    index.insert(points, at(3.0, 20.0), 1).expect("finite");
    let hit = index.cast(body, at(0.0, 22.0)).next().expect("in the way");
    assert_eq!((hit.t.value(), hit.normal(), hit.touches_at_start()), (0.5, along(1, -1.0), false));
    let hit = index.cast(rect(at(3.0, 19.0), at(5.0, 20.0)), at(0.0, 22.0)).next().expect("touched");
    assert_eq!((hit.t.value(), hit.normal(), hit.touches_at_start()), (0.0, along(0, 1.0), true));
}

/// Nothing near the target: two dense clusters far away, one a little farther; and the buffer of the query before.
fn far_clusters<S: Real, const D: usize>() {
    let (mut index, points, _) = layered::<S, D>();
    let mut dice = Dice::new(9);
    let mut places = Vec::new();
    for value in 0..4000 {
        let corner = if value % 2 == 0 { 50.0 } else { 50.01 };
        let point = core::array::from_fn(|_| S::of(corner + dice.fraction() / 64.0));
        places.push(point.map(S::value));
        index.insert(points, point, value).expect("finite");
    }
    let mut buffer = SearchBuffer::new();
    for target in [0.0, 50.005, 64.0].map(|target| S::of(target).value()) {
        let near: Vec<_> =
            index.nearest([S::of(target); D]).reusing(&mut buffer).map(|near| near.distance_squared).collect();
        assert!(near.is_sorted_by(|a, b| a <= b) && near.len() == 4000);
        let square = |place: &[f64; D]| place.iter().map(|end| (end - target) * (end - target)).sum::<f64>();
        let least = places.iter().map(square).fold(f64::INFINITY, f64::min);
        assert_eq!(near[0], S::of(least));
    }
}
