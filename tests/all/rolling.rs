//! `cast_ball` beside a search for the least distance on the way; balls that roll and slide.

use quadrille::{Ball, Hit, Periodic, Rect, SpatialIndex};

use quadrille_support::order::first_touch;
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(
    beside_the_least_distance,
    in_a_world_without_edges,
    blocked_balls_stay_outside,
    over_tiles,
    tiny_balls,
    inside_the_nearest_side_counts,
    edges_of_balls
);

const SIDE: f64 = 64.0;

type Index<S, const D: usize> = SpatialIndex<u32, S, D>;

fn filled<S: Real, const D: usize>(dice: &mut Dice, objects: u32, longest: f64) -> Index<S, D> {
    let world = Rect::new([S::of(0.0); D], [S::of(SIDE); D]);
    let mut index = Index::new(world).unwrap();
    let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    for number in 0..objects {
        // On a lattice, so that many are met at once; some are thin, some outside of the world.
        let min: [f64; D] = core::array::from_fn(|_| (dice.fraction() * 72.0).round() - 4.0);
        let max: [f64; D] = core::array::from_fn(|axis| min[axis] + (dice.fraction() * longest).round() / 2.0);
        let [min, max] = [min, max].map(|corner| corner.map(S::of));
        if number % 4 == 0 {
            index.insert(points, min, number).unwrap();
        } else {
            index.insert(rects, Rect::new(min, max), number).unwrap();
        }
    }
    index
}

fn drawn<S: Real, const D: usize>(dice: &mut Dice) -> (Ball<S, D>, [S; D]) {
    let radius = [0.0, 0.5, 1.0, 3.0, 20.0][dice.below(5)];
    let center = core::array::from_fn(|_| S::of((dice.fraction() * 280.0 - 12.0).round() / 4.0));
    let motion = core::array::from_fn(|_| S::of((dice.fraction() * 80.0).round() - 40.0));
    (Ball::new(center, S::of(radius)), motion)
}

/// Each object once, in the order of time, and what is found is what the least distances say. Returns how many there are.
fn agree<S: Real, const D: usize>(
    hits: &[Hit<'_, u32, S, D>],
    (ball, motion): (Ball<S, D>, [S; D]),
    expected: impl Iterator<Item = (u32, Option<f64>, bool)>,
) -> usize {
    assert!(hits.is_sorted_by(|a, b| a.t <= b.t), "{ball:?} {motion:?}");
    let mut left: Vec<_> = hits.iter().map(|hit| (*hit.object.value(), hit.t.value())).collect();
    for (number, part, grazes) in expected {
        let found = left.iter().position(|(value, _)| *value == number).map(|at| left.swap_remove(at).1);
        match (found, part) {
            (Some(found), Some(part)) => {
                let tolerance = if grazes { 0.05 } else { 1e-4 };
                assert!((found - part).abs() < tolerance, "{number} of {ball:?} {motion:?}: {found} {part}");
            }
            (None, None) => {}
            _ => assert!(grazes, "{number} of {ball:?} {motion:?}: {found:?} {part:?}"),
        }
    }
    assert_eq!(left, [], "twice");
    hits.len()
}

fn beside_the_least_distance<S: Real, const D: usize>() {
    let mut dice = Dice::new(41);
    let index = filled::<S, D>(&mut dice, 500, 20.0);
    let mut met = 0;
    for _ in 0..150 {
        let (ball, motion) = drawn::<S, D>(&mut dice);
        let asked = (ball.center().map(S::value), motion.map(S::value), ball.radius().value());
        let hits: Vec<_> = index.cast_ball(ball, motion).collect();
        let told = index.iter().map(|object| {
            let (part, grazes) = first_touch(asked, &object.shape());
            (*object.value(), part, grazes)
        });
        met += agree(&hits, (ball, motion), told);
        for hit in &hits {
            let shape = hit.object.shape();
            assert_eq!(hit.touches_at_start(), ball.intersects(&shape));
            let normal = hit.normal().map(S::value);
            let length = normal.iter().map(|part| part * part).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-5, "{normal:?}");
            if S::of(0.0) < hit.t && 0.0 < asked.2 {
                // From the closest point to the center.
                let at: [f64; D] = core::array::from_fn(|axis| asked.0[axis] + asked.1[axis] * hit.t.value());
                let closest = shape.closest_point(at.map(S::of)).map(S::value);
                let is_right = (0..D).all(|axis| (at[axis] - closest[axis] - normal[axis] * asked.2).abs() < 1e-3);
                assert!(is_right, "{normal:?} of {shape:?} at {at:?}");
                let point = hit.point().map(S::value);
                assert!(
                    (0..D).all(|axis| (point[axis] - closest[axis]).abs() < 1e-3),
                    "{point:?} of {shape:?} at {at:?}"
                );
            }
        }
        // The box around the ball comes to each of them at least as early.
        let by_box: Vec<_> = index.cast(ball.bounds(), motion).map(|hit| (*hit.object.value(), hit.t)).collect();
        for hit in &hits {
            assert!(by_box.iter().any(|(value, t)| value == hit.object.value() && t.value() <= hit.t.value() + 1e-6));
        }
    }
    assert!(1000 < met, "{met}");
}

fn in_a_world_without_edges<S: Real, const D: usize>() {
    let mut dice = Dice::new(43);
    let mut index = filled::<S, D>(&mut dice, 300, 20.0);
    let outside: Vec<_> = index.iter().filter(|object| !index.world().contains(&object.shape())).collect();
    let outside: Vec<_> = outside.into_iter().map(|object| object.handle()).collect();
    index.remove_batch(outside).unwrap();
    let torus = Periodic::new(index.world()).unwrap();
    for _ in 0..60 {
        let (ball, motion) = drawn::<S, D>(&mut dice);
        let center = ball.center().map(|at| S::of(at.value().rem_euclid(SIDE)));
        let ball = Ball::new(center, S::of(ball.radius().value().min(3.0)));
        let hits: Vec<_> = index.cast_ball(ball, motion).periodic(&torus).collect();
        let told = index.iter().map(|object| {
            let images = (0..3_usize.pow(D as u32)).map(|image| {
                let by = |axis: usize| [-SIDE, 0.0, SIDE][image / 3_usize.pow(axis as u32) % 3];
                let center = core::array::from_fn(|axis| center[axis].value() + by(axis));
                first_touch((center, motion.map(S::value), ball.radius().value()), &object.shape())
            });
            let images: Vec<_> = images.collect();
            let first = images.iter().filter_map(|(part, _)| *part).min_by(f64::total_cmp);
            (*object.value(), first, images.iter().any(|(_, grazes)| *grazes))
        });
        agree(&hits, (ball, motion), told);
    }
}

/// A ball that starts apart from all, and moves as far as it is free, never ends inside of one.
fn blocked_balls_stay_outside<S: Real, const D: usize>() {
    let mut dice = Dice::new(47);
    let index = filled::<S, D>(&mut dice, 160, 12.0);
    let (mut moved, mut stopped) = (0, 0);
    for _ in 0..80 {
        let (ball, _) = drawn::<S, D>(&mut dice);
        let mut ball = Ball::new(ball.center(), S::of(0.75));
        if index.intersecting(ball).exists() {
            continue;
        }
        for _ in 0..20 {
            let (_, motion) = drawn::<S, D>(&mut dice);
            let hit = index.cast_ball(ball, motion).blocking(S::of(0.01)).next();
            let t = hit.as_ref().map_or(1.0, |hit| hit.t.value());
            let center = core::array::from_fn(|axis| S::of(ball.center()[axis].value() + motion[axis].value() * t));
            ball = Ball::new(center, ball.radius());
            assert!(!index.intersecting(ball).exists(), "{ball:?} after {motion:?}");
            moved += 1;
            if let Some(hit) = hit {
                stopped += 1;
                let against: f64 = (0..D).map(|axis| hit.normal()[axis].value() * motion[axis].value()).sum();
                assert!(against < 0.0, "it blocks motions against its normal");
                // Along it, the same one blocks no more.
                let along = core::array::from_fn(|axis| {
                    S::of(motion[axis].value() - (against - 1e-3) * hit.normal()[axis].value())
                });
                let mut others = index.cast_ball(ball, along).blocking(S::of(0.01));
                assert!(others.all(|other| other.object.handle() != hit.object.handle() || 0.0 < other.t.value()));
            }
        }
    }
    assert!(60 < stopped && stopped < moved, "{stopped} {moved}");
}

/// Tiles side by side are one floor, and a ball passes a corner that the box around it would not.
fn over_tiles<S: Real, const D: usize>() {
    let mut index = Index::<S, D>::new(Rect::new([S::of(0.0); D], [S::of(SIDE); D])).unwrap();
    let rects = index.add_rect_layer().unwrap();
    let at = |first: f64, second: f64| {
        let mut at = [S::of(8.0); D];
        (at[0], at[1]) = (S::of(first), S::of(second));
        at
    };
    for tile in 0..16 {
        let [mut min, mut max] = [at(f64::from(tile) * 4.0, 0.0), at(f64::from(tile) * 4.0 + 4.0, 4.0)];
        min[2..].fill(S::of(0.0));
        max[2..].fill(S::of(64.0));
        index.insert(rects, Rect::new(min, max), tile).unwrap();
    }
    for (gap, skin) in [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.25, 0.5)] {
        let ball = Ball::new(at(6.0, 6.0 + gap), S::of(2.0));
        let blocks =
            |motion| index.cast_ball(ball, motion).blocking(S::of(skin)).map(|hit| (*hit.object.value(), hit.t));
        assert_eq!(blocks(motion_of(50.0, 0.0)).count(), 0, "along the floor, {gap} {skin}");
        assert_eq!(blocks(motion_of(-5.0, 1.0)).count(), 0);
        assert_eq!(blocks(motion_of(0.0, 0.0)).count(), 0);
        assert_eq!(blocks(motion_of(1.0, -1.0)).next().map(|(_, t)| t), Some(S::of(0.0)), "{gap} {skin}");
    }
    // Down beside the end of the floor: the ball touches nothing, its box does.
    let past = Ball::new(at(65.5, 5.5), S::of(2.0));
    assert_eq!(index.cast_ball(past, motion_of(4.0, -1.0)).count(), 0);
    assert_eq!(*index.cast(past.bounds(), motion_of(4.0, -1.0)).next().expect("the last tile").object.value(), 15);
}

/// A ball far smaller than the rounding of its center is stopped by what a point is stopped by.
fn tiny_balls<S: Real, const D: usize>() {
    let mut index = Index::<S, D>::new(Rect::new([S::of(0.0); D], [S::of(100.0); D])).unwrap();
    let rects = index.add_rect_layer().unwrap();
    index.insert(rects, Rect::new([S::of(50.0); D], [S::of(60.0); D]), 1).unwrap();
    for number in 0..200 {
        let mut center = [S::of(55.0); D];
        center[0] = S::of(1.0 + f64::from(number) * 0.137);
        for radius in [0.0, 1e-3, 1e-13, 1e-16, 1e-23] {
            let query = index.cast_ball(Ball::new(center, S::of(radius)), motion_of(99.9, 0.3));
            assert!(query.clone().exists() && query.blocking(S::of(1e-4)).exists(), "{center:?} {radius}");
        }
    }
}

fn motion_of<S: Real, const D: usize>(first: f64, second: f64) -> [S; D] {
    let mut motion = [S::of(0.0); D];
    (motion[0], motion[1]) = (S::of(first), S::of(second));
    motion
}

/// A ball whose center is in an object leaves through the nearest side, moves along it, and does not go further in.
fn inside_the_nearest_side_counts<S: Real, const D: usize>() {
    let index = {
        let mut index = filled::<S, D>(&mut Dice::new(1), 0, 1.0);
        let layer = index.add_rect_layer().expect("a layer");
        index.insert(layer, Rect::new([S::of(10.0); D], [S::of(20.0); D]), 0).expect("finite");
        index
    };
    for (from, towards) in [(11.0, -1.0), (19.0, 1.0)] {
        for radius in [0.0, 0.5, 3.0, 30.0].map(S::of) {
            let mut center = [S::of(15.0); D];
            center[0] = S::of(from);
            let first = |motion: [S; D]| index.cast_ball(Ball::new(center, radius), motion).blocking(S::of(0.0)).next();
            assert!(first(motion_of(towards, 0.0)).is_none(), "{center:?} {radius}");
            assert!(first(motion_of(0.0, 1.0)).is_none(), "{center:?} {radius}");
            let hit = first(motion_of(-towards, 0.0)).map(|hit| hit.t);
            assert_eq!(hit, Some(S::of(0.0)), "{center:?} {radius}");
        }
    }
}

fn edges_of_balls<S: Real, const D: usize>() {
    let mut dice = Dice::new(53);
    let index = filled::<S, D>(&mut dice, 60, 12.0);
    let (center, motion) = ([S::of(20.0); D], motion_of(30.0, 5.0));
    let count = |center: [S; D], radius: S, motion: [S; D]| index.cast_ball(Ball::new(center, radius), motion).count();
    for radius in [S::of(-1.0), S::of(f64::NAN)] {
        assert_eq!(count(center, radius, motion), 0);
    }
    assert_eq!(count([S::of(f64::NAN); D], S::of(1.0), motion), 0);
    assert_eq!(count(center, S::of(1.0), [S::of(f64::NAN); D]), 0);
    assert_eq!(count(center, S::of(f64::INFINITY), motion), index.len());
    let still = index.cast_ball(Ball::new(center, S::of(9.0)), [S::of(0.0); D]);
    assert_eq!(still.count(), index.within_distance(center, S::of(9.0)).count());
    // A ball without extent is a point.
    let by_point: Vec<_> = index.cast(center, motion).map(|hit| (*hit.object.value(), hit.t)).collect();
    let by_ball = index.cast_ball(Ball::new(center, S::of(0.0)), motion).map(|hit| (*hit.object.value(), hit.t));
    assert!(by_ball.eq(by_point));
    let mut blocked = index.cast_ball(Ball::new(center, S::of(1.0)), motion).blocking(S::of(f64::NAN));
    assert!(blocked.next().is_none());
    assert_eq!(
        count(center, S::of(1.0), [S::LARGEST; D]),
        index.cast_ball(Ball::new(center, S::of(1.0)), [S::of(f64::INFINITY); D]).count()
    );
}
