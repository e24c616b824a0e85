//! One named test for each bug that was fixed: questions that mean the same are answered the same.

use std::collections::BTreeSet;

use quadrille::{Handle, LayerSettings, Quadtree, Ray, Rect, Scalar, Segment, SpatialIndex};
#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// A reproducible sequence of numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40) as usize % limit
    }

    /// One of the numbers, or one beside it, of either sign.
    fn beside<S: Scalar>(&mut self, numbers: &[f64]) -> S {
        let number = S::from_f64(numbers[self.below(numbers.len())]);
        let number = if number.is_finite() { number } else { S::MAX };
        let number = if self.below(2) == 0 { number } else { S::from(0) - number };
        match self.below(6) {
            0 if number.next_up().is_finite() => number.next_up(),
            1 if number.next_down().is_finite() => number.next_down(),
            _ => number,
        }
    }
}

/// An index of points and rectangles, in a layer each.
fn index_of<S: Scalar>(points: &[[S; 2]], rects: &[Rect<S, 2>]) -> (SpatialIndex<(), S>, Vec<Handle>) {
    let mut index = SpatialIndex::new(Rect::new([S::from(0); 2], [S::from(1024); 2])).unwrap();
    let layers = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    let mut handles = index.insert_batch(layers.0, points.iter().map(|&point| (point, ()))).unwrap();
    handles.extend(index.insert_batch(layers.1, rects.iter().map(|&rect| (rect, ()))).unwrap());
    (index, handles)
}

/// Asks in every way what is at most so far from what, and compares.
fn assert_one_distance<S: Scalar>(points: &[[S; 2]], rects: &[Rect<S, 2>], distances: &[S]) {
    let (index, handles) = index_of(points, rects);
    let other = index.clone();
    for &distance in distances {
        let pairs = index.pairs().within(distance).map(|(a, b)| [a.handle(), b.handle()]);
        let pairs: BTreeSet<_> =
            pairs.flat_map(|[a, b]| [[a, b], [b, a]]).chain(handles.iter().map(|&a| [a, a])).collect();
        let join = index.join(&other).within(distance).map(|(a, b)| [a.handle(), b.handle()]).collect();
        assert_eq!(pairs, join, "pairs and join within {distance:?} of {points:?} {rects:?}");
        for (&handle, shape) in
            handles.iter().zip(points.iter().map(|&point| Rect::from_point(point)).chain(rects.iter().copied()))
        {
            let paired: BTreeSet<_> = pairs.iter().filter(|pair| pair[0] == handle).map(|pair| pair[1]).collect();
            let nearest = index.nearest(shape).within(distance).map(|found| found.object.handle()).collect();
            assert_eq!(paired, nearest, "pairs and nearest within {distance:?} of {shape:?} in {points:?} {rects:?}");
            if shape.min() == shape.max() {
                let ball = index.within_distance(shape.min(), distance).map(|object| object.handle()).collect();
                assert_eq!(nearest, ball, "nearest and ball within {distance:?} of {shape:?} in {points:?} {rects:?}");
            }
        }
    }
}

/// Awkward numbers, of many magnitudes.
const NUMBERS: [f64; 24] = [
    0.0, 1.0, 2.0, 3.0, 0.1, 1e-17, 1e-9, 1e-8, 1e9, 9e15, 5e-324, 2e-308, 1e-160, 1e-154, 1e154, 1e200, 1e308,
    1.7e308, 1e-45, 1.2e-38, 1e-20, 1e19, 1e38, 3.4e38,
];

fn assert_one_distance_anywhere<S: Scalar>() {
    for seed in 1..40 {
        let mut dice = Dice(seed);
        let numbers: Vec<_> = (0..=dice.below(4)).map(|_| NUMBERS[dice.below(NUMBERS.len())]).collect();
        let points: Vec<[S; 2]> = (0..8).map(|_| [dice.beside(&numbers), dice.beside(&numbers)]).collect();
        let rects: Vec<_> =
            points.iter().map(|&point| Rect::new(point, [dice.beside(&numbers), dice.beside(&numbers)])).collect();
        let mut distances: Vec<S> = (0..2).map(|_| dice.beside::<S>(&numbers).abs()).collect();
        for _ in 0..4 {
            let [a, b] = [points[dice.below(8)], points[dice.below(8)]];
            let [x, y] = [0, 1].map(|axis| a[axis].to_f64() - b[axis].to_f64());
            let distance = S::from_f64(x.hypot(y));
            distances.extend([distance, distance.next_down(), distance.next_up()].map(S::abs));
        }
        assert_one_distance(&points, &rects, &distances);
    }
}

/// A ball measured in another way than `nearest`, and pairs.
#[test]
fn at_most_so_far_means_one_thing() {
    assert_one_distance(&[[1e-17, 0.0], [-1.0, 0.0]], &[], &[1.0]);
    assert_one_distance_anywhere::<f64>();
    assert_one_distance_anywhere::<f32>();
}

/// Asks about a segment as a region and as a ray, and compares.
fn assert_one_line<S: Scalar>(from: [S; 2], to: [S; 2], points: &[[S; 2]], rects: &[Rect<S, 2>]) {
    let (index, _) = index_of(points, rects);
    let segment = Segment::new(from, to);
    let met: BTreeSet<_> = index.intersecting(segment).map(|object| object.handle()).collect();
    for ray in [Ray::from(segment), Ray::segment(from, to)] {
        let hit: BTreeSet<_> = index.raycast(ray).map(|hit| hit.object.handle()).collect();
        let shapes = |handles: BTreeSet<Handle>| {
            handles.into_iter().map(|handle| index.shape(handle).unwrap()).collect::<Vec<_>>()
        };
        assert!(met == hit, "from {from:?} to {to:?}: region {:?}, ray {:?}", shapes(&met - &hit), shapes(&hit - &met));
    }
}

fn assert_one_line_anywhere<S: Scalar>() {
    for seed in 1..400 {
        let mut dice = Dice(seed);
        let of_lattice = |dice: &mut Dice| S::from(dice.below(101) as u16) - S::from(50);
        let [from, to] = [0, 1].map(|_| [0, 1].map(|_| of_lattice(&mut dice)));
        let ray = Ray::segment(from, to);
        let points: Vec<_> = (0..50_u16)
            .map(|n| {
                let at = ray.at(S::from(n) / S::from(if seed % 2 == 0 { 49 } else { 64 }));
                at.map(|at| {
                    dice.beside::<S>(&[at.to_f64().abs()]).abs()
                        * if at < S::from(0) { S::from(0) - S::from(1) } else { S::from(1) }
                })
            })
            .collect();
        let rects: Vec<_> =
            points.iter().map(|&point| Rect::new(point, [0, 1].map(|_| of_lattice(&mut dice)))).collect();
        assert_one_line(from, to, &points, &rects);
        let numbers: Vec<_> = (0..=dice.below(4)).map(|_| NUMBERS[dice.below(NUMBERS.len())]).collect();
        let mut corners = || (0..12).map(|_| [dice.beside(&numbers), dice.beside(&numbers)]).collect::<Vec<[S; 2]>>();
        let (points, others) = (corners(), corners());
        let rects: Vec<_> = points.iter().zip(&others).map(|(&a, &b)| Rect::new(a, b)).collect();
        assert_one_line(points[0], others[0], &points, &rects);
    }
}

/// A segment met, as a region, points that a ray along it passed by, and the other way round.
#[test]
fn on_a_segment_means_one_thing() {
    assert_one_line_anywhere::<f64>();
    assert_one_line_anywhere::<f32>();
}

/// The rest of a chain was taken for one that a later chain is: yielded without a test.
#[test]
fn a_query_is_restricted_within_a_long_chain() {
    let mut index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [1024.0, 1024.0])).unwrap();
    let layer = index.add_point_layer_with(LayerSettings::new().split_above(1000)).unwrap();
    // Two cells of the root with a chain of 15 buckets each. The region cuts the one and covers the other.
    let place = |n: u16| [f32::from(256 + n / 900 * 128 + n % 128 * 97 % 128), f32::from(256 + n % 127)];
    index.insert_batch(layer, (0..1800).map(|n| (place(n), u32::from(n)))).unwrap();
    let query = || index.intersecting(Rect::new([200.0, 200.0], [448.0, 600.0]));
    let all: Vec<_> = query().map(|object| *object.value()).collect();
    assert!(900 < all.len() && all.len() < 1800);
    for taken in (0..all.len()).step_by(7) {
        let mut begun = query();
        let mut seen: Vec<_> = begun.by_ref().take(taken).map(|object| *object.value()).collect();
        #[cfg(feature = "rayon")]
        {
            let rest: Vec<_> = begun.clone().into_par_iter().map(|object| *object.value()).collect();
            assert_eq!(rest, all[taken..]);
        }
        seen.extend(begun.excluding(Handle::default()).map(|object| *object.value()));
        assert_eq!(seen, all, "{taken}");
    }
}

/// A segment longer than the largest number is gone along in halves. Where it is hardly slanted, half of its height is no
/// number; a ray met boxes that the segment as a region did not.
#[test]
fn on_the_longest_segment_means_one_thing() {
    let tiny = |times: i32| f64::from(times) * f64::from_bits(1);
    let levels = || -9..=9;
    let boxes =
        levels().flat_map(|low| (low..=9).map(move |high| Rect::new([1e308, tiny(low)], [1.5e308, tiny(high)])));
    let (index, _) = index_of(&[], &boxes.collect::<Vec<_>>());
    for height in levels() {
        let (from, to) = ([-1e308, 0.0], [1e308, tiny(height)]);
        let met: BTreeSet<_> = index.intersecting(Segment::new(from, to)).map(|object| object.handle()).collect();
        let hit: BTreeSet<_> = index.raycast(Ray::segment(from, to)).map(|hit| hit.object.handle()).collect();
        assert_eq!(met, hit, "{height}");
    }
}
