//! Numbers of answers as limits of the next question: what tells a distance or a time is within it, and no longer within the
//! next number below. Pages, each begun after the last answer of the one before, are the whole answer.

use core::array;

use proptest::prelude::*;
use quadrille::{Ball, Handle, Periodic, Ray, Rect, Segment, SpatialIndex};

use quadrille_support::properties::for_all;
use quadrille_support::questions::{Region, region};
use quadrille_support::run::Run;
use quadrille_support::scene::scenes;
use quadrille_support::step::{Step, many, steps};
use quadrille_support::{Dice, Index, Real, in_spaces};

in_spaces!(of_changed, of_many, around_the_world, at_the_ends_of_numbers, of_what_moved);

/// A question, and how long its pages are.
#[derive(Clone, Debug)]
struct Asked {
    target: Region,
    to: Region,
    page: usize,
}

fn asked() -> impl Strategy<Value = Asked> {
    (region(), region(), 1_usize..40).prop_map(|(target, to, page)| Asked { target, to, page })
}

fn of_drawn<S: Real, const D: usize>(cases: u32, steps: BoxedStrategy<Vec<Step>>) {
    let scenes = scenes::<S>();
    let strategy = (0..scenes.len(), steps, prop::collection::vec(asked(), 1..8));
    for_all(cases, strategy, |(scene, steps, questions)| {
        let run = Run::<S, D>::of(&scenes[scene], &steps);
        let world = run.index.world();
        for Asked { target, to, page } in &questions {
            let (from, to) = (target.span(&world).rect(), to.span(&world).min);
            assert_limits(&run.index, None, from, to);
            assert_pages(&run.index, None, from, to, *page);
        }
    });
}

/// After random changes, in worlds of all scales.
fn of_changed<S: Real, const D: usize>() {
    of_drawn::<S, D>(48, steps());
}

/// Among many objects.
fn of_many<S: Real, const D: usize>() {
    of_drawn::<S, D>(12, many(200));
}

/// A query in a world that may wrap around.
macro_rules! wrapped {
    ($query:expr, $torus:expr) => {
        match $torus {
            Some(torus) => $query.periodic(torus),
            None => $query,
        }
    };
}

/// Some of an answer: the first ones and others on the way.
fn some<A>(answer: impl Iterator<Item = A>) -> impl Iterator<Item = A> {
    answer.enumerate().filter(|(number, _)| number.is_power_of_two() || *number == 0).map(|(_, found)| found)
}

/// The numbers that answers tell are the least limits that have them.
fn assert_limits<S: Real, const D: usize>(
    index: &Index<S, D>,
    torus: Option<&Periodic<S, D>>,
    target: Rect<S, D>,
    to: [S; D],
) {
    for near in some(wrapped!(index.nearest(target), torus)) {
        let (distance, handle) = (near.distance(), near.object.handle());
        let has = |limit: S| {
            wrapped!(index.nearest(target), torus).within(limit).any(|other| other.object.handle() == handle)
        };
        assert_least(distance, &has, &format!("{near:?} from {target:?}"));
        if target.min() == target.max() {
            assert_ball(index, torus, target.min(), &near.object.shape(), distance, handle);
        }
    }
    for object in index.iter().take(3) {
        let handle = object.handle();
        for near in some(wrapped!(object.nearest(), torus)) {
            let (distance, other) = (near.distance(), near.object.handle());
            let pairs = |limit: S| {
                let mut pairs = wrapped!(index.pairs_of([handle]), torus).within(limit);
                pairs.any(|(a, b)| a.handle() == other || b.handle() == other)
            };
            let neighbors = |limit: S| {
                let around = wrapped!(index.neighbors_of([handle]), torus).within(limit);
                around.map(|_, mut others| others.any(|around| around.handle == other)).any(|has| has)
            };
            // In a world that wraps around, pairs may measure from the other object, which is rounded otherwise.
            if torus.is_none() {
                assert_least(distance, &pairs, &format!("the pair of {object:?} and {near:?}"));
            }
            assert_least(distance, &neighbors, &format!("the neighbor {near:?} of {object:?}"));
        }
    }
    let origin = target.min();
    let direction = array::from_fn::<_, D, _>(|axis| S::of(to[axis].value() - origin[axis].value()));
    let longest = direction.iter().fold(0.0, |longest, step| step.value().abs().max(longest));
    for ray in [Ray::new(origin, direction), Ray::segment(origin, to)] {
        for hit in some(wrapped!(index.raycast(ray), torus)) {
            let handle = hit.object.handle();
            let has = |t: S| wrapped!(index.raycast(ray), torus).until(t).any(|other| other.object.handle() == handle);
            // Times and ways below the normal numbers have lost digits: there a lower time may have the hit too.
            let is_normal = 1e17 * S::SMALLEST.value() < hit.t.value() * longest.min(1.0);
            assert_least(hit.t, &|t| has(t) && (is_normal || t == hit.t), &format!("{hit:?} along {ray:?}"));
        }
    }
}

/// The same of regions, and of shapes alone.
fn assert_ball<S: Real, const D: usize>(
    index: &Index<S, D>,
    torus: Option<&Periodic<S, D>>,
    at: [S; D],
    shape: &Rect<S, D>,
    distance: S,
    handle: Handle,
) {
    let has = |limit: S| {
        let within = index.within_distance(at, limit);
        match torus {
            Some(torus) => within.periodic(torus).any(|object| object.handle() == handle),
            None => { within }.any(|object| object.handle() == handle),
        }
    };
    assert_least(distance, &has, &format!("{shape:?} around {at:?}"));
    if torus.is_none() {
        assert_eq!(shape.distance(at), distance, "{shape:?} {at:?}");
        let is_met = |limit: S| Ball::new(at, limit).intersects(shape);
        assert_least(distance, &is_met, &format!("{shape:?} and a ball around {at:?}"));
        let diagonal = Segment::new(shape.min(), shape.max());
        assert!(distance <= diagonal.distance(at), "{shape:?} {at:?}");
    }
}

fn assert_least<S: Real>(limit: S, has: &dyn Fn(S) -> bool, about: &str) {
    assert!(has(limit), "{limit} loses {about}");
    assert!(limit.value() <= 0.0 || !has(limit.down()), "a number below {limit} has {about}");
}

/// An answer by pages is the answer.
macro_rules! assert_paged {
    ($query:expr, $size:expr, $about:expr) => {{
        let (query, size): (_, usize) = ($query, $size);
        let name = |position: (u128, Handle)| position;
        let all: Vec<_> = query.clone().map(|found| name(found.position())).collect();
        assert!(all.is_sorted(), "{:?}", $about);
        let mut paged = Vec::new();
        loop {
            let page = match paged.last() {
                Some(&last) => query.clone().after(last),
                None => query.clone(),
            };
            assert_eq!(page.clone().exists(), paged.len() < all.len(), "after {} of {:?}", paged.len(), $about);
            let len = paged.len();
            assert!(len <= all.len(), "{:?}", $about);
            paged.extend(page.take(size).map(|found| found.position()));
            if paged.len() < len + size {
                break;
            }
        }
        assert_eq!(paged, all, "by {size}: {:?}", $about);
    }};
}

fn assert_pages<S: Real, const D: usize>(
    index: &Index<S, D>,
    torus: Option<&Periodic<S, D>>,
    target: Rect<S, D>,
    to: [S; D],
    size: usize,
) {
    let origin = target.min();
    let direction = array::from_fn::<_, D, _>(|axis| S::of(to[axis].value() - origin[axis].value()));
    let skin = S::of(0.03 * direction[0].value());
    assert_paged!(wrapped!(index.nearest(target), torus), size, target);
    let beyond = index.nearest(target).nth(size).map_or(S::of(1.0), |near| near.distance());
    assert_paged!(wrapped!(index.nearest(target).beyond(beyond), torus), size, (target, beyond));
    assert_paged!(wrapped!(index.raycast(Ray::segment(origin, to)), torus), size, (origin, to));
    assert_paged!(wrapped!(index.cast(target, direction), torus), size, (target, direction));
    assert_paged!(wrapped!(index.cast(target, direction).blocking(skin), torus), size, (target, direction, skin));
    let ball = Ball::new(origin, skin);
    assert_paged!(wrapped!(index.cast_ball(ball, direction).blocking(skin), torus), size, (ball, direction));
    if origin.iter().all(|at| at.is_finite()) {
        let taxi = quadrille_support::measure::Measure::new(
            quadrille_support::measure::How::Taxi,
            quadrille_support::oracle::Span::at(origin),
        );
        let position = |near: quadrille::NeighborBy<'_, u32, S, D>| (near.distance, near.object.handle());
        let all: Vec<_> = index.nearest_by(&taxi).map(position).collect();
        let mut paged: Vec<(f64, Handle)> = Vec::new();
        while let Some(last) = paged.last().copied().or_else(|| all.first().copied()) {
            let query = if paged.is_empty() { index.nearest_by(&taxi) } else { index.nearest_by(&taxi).after(last) };
            let len = paged.len();
            paged.extend(query.take(size).map(position));
            if paged.len() < len + size {
                break;
            }
        }
        assert_eq!(paged, all, "by {size} around {origin:?}");
    }
}

/// In worlds that wrap around, of all scales, with coordinates of all digits.
fn around_the_world<S: Real, const D: usize>() {
    let mut dice = Dice::new(53);
    for round in 0..40 {
        let [origin, side] = [[0.0, 1.0], [-20.0, 64.0], [1e5, 1000.0], [-1e-20, 3e-20], [1e20, 7e21]][round % 5];
        let at = |dice: &mut Dice, from: f64, to: f64| -> [S; D] {
            array::from_fn(|_| S::of(origin + side * (from + (to - from) * dice.fraction())))
        };
        let world = Rect::new([S::of(origin); D], [S::of(origin + side); D]);
        let torus = Periodic::new(world).expect("a world").on_axes(array::from_fn(|_| dice.below(4) != 0));
        let mut index: Index<S, D> = SpatialIndex::new(world).expect("a world");
        let (points, rects) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
        for value in 0..40 {
            let min = torus.wrap(at(&mut dice, 0.0, 1.0));
            if dice.below(2) == 0 {
                index.insert(points, min, value).expect("finite");
            } else {
                let by = side * 0.3 * dice.fraction();
                let max = array::from_fn::<_, D, _>(|axis| S::of(min[axis].value() + by));
                index.insert(rects, Rect::new(min, max), value).expect("finite");
            }
        }
        for _ in 0..3 {
            let (from, to) = (at(&mut dice, -1.0, 2.0), at(&mut dice, -1.0, 2.0));
            // From outside, questions of several kinds are brought in with other roundings.
            assert_limits(&index, Some(&torus), Rect::from_point(torus.wrap(from)), to);
            assert_pages(&index, Some(&torus), Rect::from_point(from), to, 1 + dice.below(9));
        }
    }
}

/// Distances whose squares overflow or vanish in the scalar are told as they are.
fn at_the_ends_of_numbers<S: Real, const D: usize>() {
    let (largest, smallest) = (S::LARGEST.value(), S::SMALLEST.value());
    for length in [3e22, 1e-23, 1e-30, largest / 8.0, smallest * 64.0, smallest] {
        let world = Rect::new([S::of(-1.0); D], [S::of(1.0); D]);
        let mut index: Index<S, D> = SpatialIndex::new(world).expect("a world");
        let points = index.add_point_layer().expect("a layer");
        let at = array::from_fn::<_, D, _>(|axis| S::of([3.0, 4.0, 0.0][axis] * length));
        index.insert(points, at, 0).expect("finite");
        let near = index.nearest([S::of(0.0); D]).next().expect("it is there");
        let (told, whole) = (near.distance().value(), (5.0 * length).min(largest));
        assert!((told / whole - 1.0).abs() <= 1e-6 || (told - whole).abs() <= smallest, "{told:e} for {whole:e}");
        assert_limits(&index, None, Rect::from_point([S::of(0.0); D]), [S::of(1.0); D]);
        // Along the smallest numbers, times lose digits.
        let ray = Ray::new([S::of(0.0); D], at);
        assert!(index.raycast(ray).all(|hit| index.raycast(ray).until(hit.t).exists()));
    }
}

/// What is gone or has moved is no gap: a page begins where its answer stood.
fn of_what_moved<S: Real, const D: usize>() {
    let mut index: Index<S, D> = SpatialIndex::new(Rect::new([S::of(0.0); D], [S::of(64.0); D])).expect("a world");
    let points = index.add_point_layer().expect("a layer");
    let at = |x: f64| array::from_fn::<_, D, _>(|axis| S::of(if axis == 0 { x } else { 0.0 }));
    let handles: Vec<Handle> =
        (0..60).map(|value| index.insert(points, at(f64::from(value / 2)), value).expect("finite")).collect();
    let position = |index: &Index<S, D>, nth: usize| index.nearest(at(0.0)).nth(nth).expect("so many").position();
    let last = position(&index, 20);
    let next =
        |index: &Index<S, D>| index.nearest(at(0.0)).after(last).map(|near| *near.object.value()).collect::<Vec<_>>();
    assert_eq!(next(&index), (21..60).collect::<Vec<_>>());
    index.remove(handles[20]).expect("it is there");
    assert_eq!(next(&index), (21..60).collect::<Vec<_>>(), "after one that is gone");
    // To before the position, and from there to behind all others.
    index.move_to(handles[30], at(0.5)).expect("finite");
    index.move_to(handles[2], at(50.0)).expect("finite");
    let expected: Vec<u32> = (21..60).filter(|value| *value != 30).chain([2]).collect();
    assert_eq!(next(&index), expected, "after moves");
}

/// Two whose distances differ by less than the scalar tells: the second one is on the second page.
#[test]
fn pages_part_what_is_nearly_as_far() {
    let mut index: Index<f32, 2> = SpatialIndex::new(Rect::new([0.0, 0.0], [1000.0, 1000.0])).unwrap();
    let points = index.add_point_layer().unwrap();
    let handles = [[959.2109, 945.0777], [959.21094, 945.07764]].map(|at| index.insert(points, at, 0).unwrap());
    let first = index.nearest([0.0, 0.0]).next().unwrap();
    let next = index.nearest([0.0, 0.0]).after(first.position()).next().unwrap();
    assert_eq!([first.object.handle(), next.object.handle()], handles);
    assert!(index.within_distance([0.0, 0.0], first.distance()).exists());
}

/// Metrics compare the distances that they tell; a segment's distance, rounded up, is a limit of theirs.
#[test]
fn distances_by_metrics_are_limits() {
    let mut dice = Dice::new(59);
    let mut index: quadrille::Quadtree<Segment> = SpatialIndex::new(Rect::new([-180.0, -90.0], [180.0, 90.0])).unwrap();
    let rects = index.add_rect_layer().unwrap();
    let place = |dice: &mut Dice| [f32::of(dice.fraction() * 360.0 - 180.0), f32::of(dice.fraction() * 180.0 - 90.0)];
    for _ in 0..60 {
        let road = Segment::new(place(&mut dice), place(&mut dice));
        index.insert(rects, road.bounds(), road).unwrap();
    }
    for _ in 0..100 {
        let at = place(&mut dice);
        for near in index.nearest_by(at).take(5) {
            let road = near.object.value();
            let has = |limit: f64| index.nearest_by(at).within(limit).any(|other| other.object.value() == road);
            assert!(has(near.distance) && !has(near.distance.down()), "{road:?} from {at:?}");
            assert!(has(road.distance(at).into()) && !has(road.distance(at).down().into()), "{road:?} from {at:?}");
        }
        #[cfg(feature = "std")]
        for near in index.nearest_by(quadrille::GreatCircle::new(at.map(f64::from))).take(5) {
            let circle = quadrille::GreatCircle::new(at.map(f64::from));
            let has = |limit: f64| {
                index.nearest_by(circle).within(limit).any(|other| other.object.value() == near.object.value())
            };
            assert!(has(near.distance) && (near.distance == 0.0 || !has(near.distance.down())), "from {at:?}");
        }
    }
}

/// Bits that no position has are a position like any other.
#[test]
fn bits_of_no_position() {
    let mut index: Index<f32, 2> = SpatialIndex::new(Rect::new([0.0, 0.0], [64.0, 64.0])).unwrap();
    let rects = index.add_rect_layer().unwrap();
    for value in 0..50_u16 {
        let at = f32::from(value);
        index.insert(rects, Rect::new([at, 0.0], [at + 3.0, 9.0]), u32::from(value)).unwrap();
    }
    for bits in (0..128).flat_map(|shift| [1_u128 << shift, u128::MAX << shift, u128::MAX >> shift]) {
        for handle in [Handle::default(), index.iter().next().unwrap().handle()] {
            let position = (bits, handle);
            let expected = index.nearest([2.0, 2.0]).filter(|near| position < near.position()).count();
            assert_eq!(index.nearest([2.0, 2.0]).after(position).count(), expected);
            let ray = Ray::new([-9.0, 2.0], [1.0, 0.0]);
            let expected = index.raycast(ray).filter(|hit| position < hit.position()).count();
            assert_eq!(index.raycast(ray).after(position).count(), expected);
            assert!(index.cast([-9.0, 2.0], [9.0, 0.0]).blocking(0.1).after(position).count() <= 50);
        }
    }
}
