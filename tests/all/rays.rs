//! Rays, segments and thrown boxes of numbers that are extreme: infinite, the largest, the smallest.

use quadrille::{Handle, LayerSettings, Ray, Rect, Segment};

use crate::ordered_edges::{at, hits, layered, rect, thrown};
use quadrille_support::{Dice, Index, Real, in_spaces};

in_spaces!(
    rays_are_nowhere,
    an_infinite_direction_is_the_largest,
    directions_of_all_lengths_hit_the_same,
    motions_of_all_lengths_touch_the_same,
    a_direction_may_be_the_smallest,
    far_segments_reach_both_ends,
    far_segments_pass_in_between,
    segments_with_a_skin,
);

fn rays_are_nowhere<S: Real, const D: usize>() {
    let (mut index, _, rects) = layered::<S, D>();
    index.insert(rects, index.world(), 1).expect("finite");
    let fine = at::<S, D>(1.0, 1.0);
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let odd = at::<S, D>(number, 1.0);
        assert_eq!(hits(&index, Ray::new(odd, fine)), [], "from {number}");
        assert_eq!(hits(&index, Ray::segment(odd, fine)), [], "from {number}");
        assert_eq!(hits(&index, Ray::segment(fine, odd)), [], "to {number}");
    }
    let odd = at::<S, D>(f64::NAN, f64::INFINITY);
    assert_eq!(hits(&index, Ray::new(fine, odd)), []);
    assert_eq!(thrown(&index, Rect::from_point(fine), odd), []);
}

/// Two walls in the way, one beside it.
fn walls<S: Real, const D: usize>() -> Index<S, D> {
    let (mut index, _, rects) = layered::<S, D>();
    for (value, (min, max)) in
        (0..).zip([(at(40.0, 0.0), at(42.0, 64.0)), (at(20.0, 0.0), at(22.0, 64.0)), (at(30.0, 9.0), at(32.0, 64.0))])
    {
        index.insert(rects, rect(min, max), value).expect("finite");
    }
    index
}

fn an_infinite_direction_is_the_largest<S: Real, const D: usize>() {
    let index = walls::<S, D>();
    let largest = S::LARGEST.value();
    let [from, onward, backward] = [at::<S, D>(10.0, 5.0), at(f64::INFINITY, 0.0), at(f64::NEG_INFINITY, 0.0)];
    let ray = Ray::new(from, onward);
    assert_eq!(ray.direction(), at(largest, 0.0));
    let times = [10.0, 30.0].map(|way| S::of(way / largest).value());
    assert_eq!(hits(&index, ray), [(1, times[0]), (0, times[1])]);
    let points: Vec<_> = index.raycast(ray).map(|hit| (hit.point(), hit.normal())).collect();
    assert_eq!(points, [(at(20.0, 5.0), at(-1.0, 0.0)), (at(40.0, 5.0), at(-1.0, 0.0))]);
    assert_eq!(hits(&index, Ray::new(from, backward)), []);
    assert_eq!(hits(&index, Ray::new(at::<S, D>(50.0, 5.0), backward)).len(), 2);
    // Up to a time, and not at all.
    assert_eq!(index.raycast(ray).until(S::of(20.0 / largest)).count(), 1);
    assert_eq!(index.raycast(ray).until(S::of(0.0)).count(), 0);
    assert_eq!(index.raycast(ray).until(S::of(-1.0)).count(), 0);
    // A box, with its skin or without.
    let body = rect(at(8.0, 4.0), at(10.0, 6.0));
    assert_eq!(thrown(&index, body, onward), [(1, times[0]), (0, times[1])]);
    let hit = index.cast(body, onward).blocking(S::of(1.0)).next().expect("a wall");
    assert_eq!((*hit.object.value(), hit.normal()), (1, at(-1.0, 0.0)));
    assert_eq!(thrown(&index, body, backward), []);
}

/// Points and boxes on a coarse lattice, where many are touched at corners.
fn crowd<S: Real, const D: usize>(dice: &mut Dice) -> Index<S, D> {
    let mut index = layered::<S, D>().0;
    let settings = || LayerSettings::new().split_above(2);
    let points = index.add_point_layer_with(settings()).expect("a layer");
    let rects = index.add_rect_layer_with(settings()).expect("a layer");
    for value in 0..200 {
        let corner: [f64; D] = core::array::from_fn(|_| (dice.fraction() * 16.0).floor());
        let opposite = corner.map(|end| S::of(end + (dice.fraction() * 3.0).floor()));
        index.insert(points, corner.map(S::of), value).expect("finite");
        index.insert(rects, Rect::new(corner.map(S::of), opposite), value).expect("finite");
    }
    index
}

/// Somewhere on the lattice, and a direction: along an axis or along a diagonal.
fn direction<const D: usize>(dice: &mut Dice) -> ([f64; D], [f64; D]) {
    let from = core::array::from_fn(|_| (dice.fraction() * 16.0).floor());
    (from, core::array::from_fn(|_| (dice.fraction() * 3.0).floor() - 1.0))
}

fn directions_of_all_lengths_hit_the_same<S: Real, const D: usize>() {
    let mut dice = Dice::new(5);
    let index = crowd::<S, D>(&mut dice);
    for _ in 0..50 {
        let (from, direction) = direction::<D>(&mut dice);
        let hits = |length: f64| -> Vec<Handle> {
            let to = direction.map(|part| S::of(if part == 0.0 { part } else { part * length }));
            index.raycast(Ray::new(from.map(S::of), to)).map(|hit| hit.object.handle()).collect()
        };
        let expected = hits(1.0);
        for length in [f64::INFINITY, S::LARGEST.value(), 1e30, 1e-30, S::SMALLEST.value(), 7.0 * S::SMALLEST.value()] {
            assert_eq!(hits(length), expected, "{length:e} times {direction:?} from {from:?}");
        }
    }
}

fn motions_of_all_lengths_touch_the_same<S: Real, const D: usize>() {
    let mut dice = Dice::new(6);
    let index = crowd::<S, D>(&mut dice);
    for _ in 0..50 {
        let (from, direction) = direction::<D>(&mut dice);
        let touched = |length: f64| -> Vec<Handle> {
            let by = direction.map(|part| S::of(if part == 0.0 { part } else { part * length }));
            let body = Rect::from_center_half(from.map(S::of), [S::of(0.5); D]);
            index.cast(body, by).map(|hit| hit.object.handle()).collect()
        };
        let expected = touched(64.0);
        for length in [f64::INFINITY, S::LARGEST.value(), 1e30] {
            assert_eq!(touched(length), expected, "{length:e} times {direction:?} from {from:?}");
        }
    }
}

fn a_direction_may_be_the_smallest<S: Real, const D: usize>() {
    let (index, smallest) = (walls::<S, D>(), S::SMALLEST.value());
    for length in [smallest, 2000.0 * smallest] {
        let ray = Ray::new(at::<S, D>(10.0, 5.0), at::<S, D>(length, 0.0));
        assert_eq!(ray.direction(), at(length, 0.0));
        let found: Vec<_> = index.raycast(ray).map(|hit| (*hit.object.value(), hit.t.value(), hit.point())).collect();
        // No number is so large as the times.
        assert_eq!(found, [(1, f64::INFINITY, at(20.0, 5.0)), (0, f64::INFINITY, at(40.0, 5.0))]);
        assert_eq!(index.raycast(ray).until(S::LARGEST).count(), 0);
    }
}

/// One of the largest numbers, or one of the smallest.
fn extreme<S: Real>(dice: &mut Dice) -> S {
    let part = (dice.fraction() * 17.0).floor() - 8.0;
    S::of(if dice.below(2) == 0 { S::LARGEST.value() / 8.0 * part } else { S::SMALLEST.value() * part })
}

fn far_segments_reach_both_ends<S: Real, const D: usize>() {
    let mut dice = Dice::new(4);
    let mut index =
        Index::<S, D>::new(Rect::new([S::of(0.0); D], [S::of(S::LARGEST.value() / 4.0); D])).expect("a world");
    let rects = index.add_rect_layer().expect("a layer");
    let mut far = 0;
    for _ in 0..20_000 {
        let [from, to, corner]: [[S; D]; 3] = core::array::from_fn(|_| core::array::from_fn(|_| extreme(&mut dice)));
        far += u32::from((0..D).any(|axis| !(to[axis].value() - from[axis].value()).is_finite()));
        let shape = Rect::new(to, corner);
        let handle = index.insert(rects, shape, 0).expect("finite");
        for (from, to) in [(from, to), (to, from)] {
            let (segment, ray) = (Segment::new(from, to), Ray::segment(from, to));
            assert!(segment.intersects(&shape), "{from:?} to {to:?}, {shape:?}");
            assert!(index.intersecting(segment).exists(), "{from:?} to {to:?}, {shape:?}");
            assert!(index.raycast(ray).exists(), "{from:?} to {to:?}, {shape:?}");
        }
        index.remove(handle);
    }
    assert!(S::LARGEST.value() < f64::MAX || 1000 < far, "{far}");
}

/// A skin reaches beyond both ends of a segment, and the last call holds.
fn segments_with_a_skin<S: Real, const D: usize>() {
    let mut index = walls::<S, D>();
    let layer = index.add_rect_layer().expect("a layer");
    for (value, [from, to]) in [(7, [40.0, 40.5]), (8, [49.5, 50.0])] {
        index.insert(layer, rect(at(9.0, from), at(11.0, to)), value).expect("finite");
    }
    let cast = index.raycast(Ray::segment(at(10.0, 41.0), at(10.0, 49.0))).in_layers(layer);
    let found = |skin: f64| {
        let query = cast.clone().blocking(S::of(2.0)).blocking(S::of(skin));
        query.map(|hit| (*hit.object.value(), hit.t)).collect::<Vec<_>>()
    };
    assert_eq!((found(0.25), found(0.5)), (vec![], vec![(8, S::of(1.0))]));
    assert_eq!(found(1.0), [(8, S::of(0.9375))]);
}

/// Where the ends differ by more than the largest number on one axis and by three of the smallest on another.
fn far_segments_pass_in_between<S: Real, const D: usize>() {
    let (largest, smallest) = (S::LARGEST.value(), S::SMALLEST.value());
    let mut index =
        Index::<S, D>::new(Rect::new([S::of(0.0); D], [S::of(S::LARGEST.value() / 4.0); D])).expect("a world");
    let rects = index.add_rect_layer().expect("a layer");
    for (value, (from, to)) in (0..).zip([(-1.0, -0.4), (-0.3, 0.3), (0.4, 1.0)]) {
        for height in 0..4 {
            let [min, max] = [from, to].map(|part| at::<S, D>(largest * part, smallest * f64::from(height)));
            index.insert(rects, rect(min, max), 10 * value + height).expect("finite");
        }
    }
    let segment = Segment::new(at::<S, D>(-largest, 0.0), at::<S, D>(largest, 3.0 * smallest));
    let mut found: Vec<_> = index.intersecting(segment).map(|object| *object.value()).collect();
    found.sort_unstable();
    // It is at 1 a third of the way from -1 to 1, and at 2 after two thirds.
    assert_eq!(found, [0, 23]);
    let there: Vec<_> = index.raycast(Ray::from(segment)).map(|hit| (*hit.object.value(), hit.t)).collect();
    assert_eq!(there, [(0, S::of(0.0)), (23, S::of(1.0))]);
    let wide = rect(at::<S, D>(-largest / 2.0, smallest), at::<S, D>(largest / 2.0, smallest));
    assert!(segment.intersects(&wide));
}
