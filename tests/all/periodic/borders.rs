//! At the borders of worlds without edges: what reaches over the upper one, and what lies so near to one that it is rounded.

use core::array;
use std::collections::BTreeSet;

use quadrille::{Ball, Handle, Periodic, Quadtree, Ray, Rect, SearchBuffer, Segment};

use quadrille_support::{Dice, Index, Real, in_spaces};

in_spaces!(touching_is_exact);

/// An image that reaches over the upper border is one period farther away than the place where it begins.
#[test]
fn four_periods_reach_what_crosses_the_border() {
    let torus = Periodic::new(Rect::new([0.0_f64, 0.0], [64.0, 4.0])).unwrap().on_axes([false, true]);
    let mut index = Quadtree::<u32, f64>::new(torus.world()).unwrap();
    let layer = index.add_rect_layer().unwrap();
    index.insert(layer, Rect::new([29.5, 3.75], [30.5, 5.5]), 0).unwrap();
    let (from, step) = ([25.75, 0.5], [0.5, -2.0]);
    assert!(index.intersecting(Segment::new(from, [29.75, -15.5])).periodic(&torus).exists());
    let ray = index.raycast(Ray::new(from, step)).until(8.0).periodic(&torus).next();
    assert_eq!(ray.map(|hit| hit.t), Some(7.5));
    let body = index.cast(from, [4.0, -16.0]).periodic(&torus).next();
    assert_eq!(body.map(|hit| hit.t), Some(0.9375));
    let ball = index.cast_ball(Ball::new(from, 0.0), [4.0, -16.0]).periodic(&torus).next();
    assert_eq!(ball.map(|hit| hit.t), Some(0.9375));
    // A region may be so long that it lies four periods to both sides of its center.
    let long = Rect::new([30.0, -15.5], [30.0, 16.5]);
    assert!(index.intersecting(long).periodic(&torus).exists());
    index.remove_layer(layer).unwrap();
    let layer = index.add_rect_layer().unwrap();
    index.insert(layer, Rect::new([29.5, 3.75], [30.5, 4.625]), 0).unwrap();
    assert!(index.intersecting(Segment::new([30.0, -15.5], [30.0, 16.5])).periodic(&torus).exists());
}

/// A place before the border was told a neighbor at it: the sum was rounded to the border.
#[test]
fn a_place_before_the_border_is_not_at_it() {
    fn assert_apart<S: Real, const D: usize>(world: Rect<S, D>, at: [S; D]) {
        let torus = Periodic::new(world).unwrap();
        let mut index = Index::<S, D>::new(world).unwrap();
        let layer = index.add_point_layer().unwrap();
        index.insert(layer, world.min(), 0).unwrap();
        let zero = S::of(0.0);
        assert_eq!(index.intersecting(at).periodic(&torus).count(), 0);
        assert_eq!(index.within_distance(at, zero).periodic(&torus).count(), 0);
        index.neighbors_at([at]).periodic(&torus).for_each(|_, others| assert_eq!(others.len(), 0));
        index.neighbors_at([at]).periodic(&torus).within(zero).for_each(|_, others| assert_eq!(others.len(), 0));
        assert_eq!(index.nearest(at).within(zero).periodic(&torus).count(), 0);
        assert_eq!(index.raycast(Ray::new(at, [zero; D])).periodic(&torus).count(), 0);
        assert_eq!(index.cast(at, [zero; D]).periodic(&torus).count(), 0);
        assert_eq!(index.cast_ball(Ball::new(at, zero), [zero; D]).periodic(&torus).count(), 0);
        index.insert(layer, at, 1).unwrap();
        assert_eq!(index.pairs().periodic(&torus).count(), 0);
        index.neighbors().periodic(&torus).for_each(|_, others| assert_eq!(others.len(), 0));
    }
    assert_apart(Rect::new([0.0_f32; 2], [1.0; 2]), [0.0, -1e-45]);
    assert_apart(Rect::new([0.0_f32; 2], [1.0; 2]), [0.0, -4e-8]);
    assert_apart(Rect::new([-512.0_f32; 3], [512.0; 3]), [-512.0, 511.999_97, -512.0]);
    assert_apart(Rect::new([0.0_f64; 2], [1.0; 2]), [0.0, -2.2e-308]);
}

/// Whether two intervals share a point once the first has been moved, exactly.
fn touch<S: Real>([a, b]: [S; 2], by: f64, [c, d]: [S; 2]) -> bool {
    // Whether `from + by <= to`: the sum, and what its rounding has left out.
    let is_below = |from: S, by: f64, to: S| {
        let (from, to) = (from.value(), to.value());
        let sum = from + by;
        let added = sum - from;
        let rest = (from - (sum - added)) + (by - added);
        sum < to || sum <= to && rest <= 0.0
    };
    is_below(a, by, d) && is_below(c, -by, b)
}

/// Shapes at random, within roundings of the borders and of each other: all queries agree about which of them touch.
fn touching_is_exact<S: Real, const D: usize>() {
    let mut dice = Dice::new(54);
    let (mut across, mut found) = (0, 0);
    for round in 0..if D == 2 { 100 } else { 24 } {
        let origin = [0.0, -512.0, 100.0, 0.1][round % 4];
        let period = [1.0, 1024.0, 7.3][round % 3];
        let world = Rect::new([S::of(origin); D], [S::of(origin + period); D]);
        let (torus, [low, high]) = (Periodic::new(world).unwrap(), [world.min()[0], world.max()[0]]);
        let length = high.value() - low.value();
        let mut index = Index::<S, D>::new(world).unwrap();
        let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
        let mut known: Vec<(Handle, Rect<S, D>)> = Vec::new();
        let mut end = |near: S| {
            let tiny = S::of(10_f64.powi(-(dice.fraction() * 300.0) as i32) * (dice.fraction() - 0.5));
            match dice.below(6) {
                0 => near,
                1 => near.next_up(),
                2 => near.next_down(),
                3 => S::of(near.value() + tiny.value()),
                4 => tiny,
                _ => S::of(low.value() + length * dice.fraction()),
            }
        };
        for number in 0..40_u32 {
            let min = torus.wrap(array::from_fn::<_, D, _>(|axis| end([low, high][(number as usize + axis) % 2])));
            let max = array::from_fn::<_, D, _>(|axis| {
                // Often just at the image of another.
                let at = if number % 3 == 0 { min[axis] } else { low };
                let near = known.last().map_or(at, |(_, other)| other.min()[axis]);
                let end = S::of(end(near).value() + if number % 2 == 0 { length } else { 0.0 });
                if end.value() - min[axis].value() < length && min[axis] <= end { end } else { min[axis] }
            });
            let handle = match number % 4 {
                0 => index.insert(points, min, number).unwrap(),
                _ => index.insert(rects, Rect::new(min, max), number).unwrap(),
            };
            known.push((handle, Rect::new(min, if number % 4 == 0 { min } else { max })));
        }
        let on = |shape: &Rect<S, D>, axis: usize| [shape.min()[axis], shape.max()[axis]];
        let near = |one: &Rect<S, D>, other: &Rect<S, D>| {
            (0..D)
                .all(|axis| [-1.0, 0.0, 1.0].iter().any(|times| touch(on(one, axis), times * length, on(other, axis))))
        };
        let mut buffer = SearchBuffer::new();
        let mut pairs = BTreeSet::new();
        for (one, shape) in &known {
            let others = known.iter().filter(|(other, at)| other != one && near(shape, at));
            let expected: BTreeSet<Handle> = others.map(|(other, _)| *other).collect();
            let what = || format!("{shape:?} in {world:?}: {known:?}");
            let set = index.intersecting(*shape).excluding(*one).periodic(&torus).map(|object| object.handle());
            assert_eq!(set.collect::<BTreeSet<_>>(), expected, "met by {}", what());
            let nearest =
                index.nearest(*shape).reusing(&mut buffer).within(S::of(0.0)).excluding(*one).periodic(&torus);
            let set = nearest.map(|near| near.object.handle());
            // A square of a distance may underflow.
            assert!(expected.is_subset(&set.collect()), "nearest to {}", what());
            let mut set = BTreeSet::new();
            index
                .neighbors_of([*one])
                .periodic(&torus)
                .for_each(|_, others| set.extend(others.map(|other| other.handle)));
            assert_eq!(set, expected, "neighbors of {}", what());
            if shape.min() == shape.max() {
                let mut set = BTreeSet::new();
                let at = index.neighbors_at([shape.min()]).periodic(&torus);
                at.for_each(|_, others| set.extend(others.map(|other| other.handle)));
                set.remove(one);
                assert_eq!(set, expected, "neighbors at {}", what());
            }
            across += expected
                .iter()
                .filter(|other| !known.iter().any(|(handle, at)| handle == *other && at.intersects(shape)))
                .count();
            found += expected.len();
            pairs.extend(expected.into_iter().map(|other| [*one.min(&other), *one.max(&other)]));
        }
        let all = index.pairs().periodic(&torus).map(|(one, other)| {
            let [one, other] = [one.handle(), other.handle()];
            [one.min(other), one.max(other)]
        });
        assert_eq!(all.collect::<BTreeSet<_>>(), pairs, "pairs in {world:?}: {known:?}");
    }
    assert!(100 < across && across < found, "{across} of {found} across a border");
}
