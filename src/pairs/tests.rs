//! Pairs of objects that crowd: the answers against a look at all pairs, and how the number of comparisons grows.

#![expect(clippy::cast_precision_loss, reason = "small numbers")]

use alloc::vec::Vec;
use core::array;

use super::Pairs;
use crate::geometry::{Proximity, Rect, Scalar};
use crate::index::SpatialIndex;
use crate::layer::LayerSettings;
use crate::tree::tests::{ENTRIES, GROUPS, counted};

type Index<S, const D: usize> = SpatialIndex<u32, S, D>;

/// Random numbers from 0 to 1.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64
    }
}

/// How objects crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Case {
    /// Spread over the world: the ordinary case.
    Inside,
    Outside,
    /// The world is 10^9 times too large.
    LargeWorld,
    /// Each extends over the whole world but on the first axis, on which they are apart.
    Sticks,
    /// A hundred times as long as wide, along any axis.
    Thin,
    /// All of these, beside each other.
    Mixed,
}

const CASES: [Case; 6] = [Case::Inside, Case::Outside, Case::LargeWorld, Case::Sticks, Case::Thin, Case::Mixed];

const SIDE: f64 = 1000.0;

impl Case {
    fn world<S: Scalar, const D: usize>(self) -> Rect<S, D> {
        let side = if self == Self::LargeWorld { SIDE * 1e9 } else { SIDE };
        Rect::new([S::from(0); D], [S::from_f64(side); D])
    }

    /// The object with a number, of `count`.
    fn shape<S: Scalar, const D: usize>(self, dice: &mut Dice, number: usize, count: usize) -> Rect<S, D> {
        let step = SIDE / (count as f64).powf(1.0 / D as f64);
        let at: [f64; D] = array::from_fn(|_| dice.roll() * SIDE);
        let (min, size) = match self {
            Self::Inside | Self::LargeWorld => (at, [step * 0.4; D]),
            Self::Outside => (at.map(|at| at + 2.0 * SIDE), [step * 0.4; D]),
            Self::Sticks => {
                // In an order that is not that of space.
                let place = number * 7919 % count;
                let width = SIDE / count as f64;
                let min = array::from_fn(|axis| if axis == 0 { place as f64 * width } else { 0.0 });
                (min, array::from_fn(|axis| if axis == 0 { width * 0.4 } else { SIDE }))
            }
            Self::Thin => (at, array::from_fn(|axis| if axis == number % D { step * 4.0 } else { step * 0.04 })),
            Self::Mixed => return CASES[number % 5].shape(dice, number, count),
        };
        let max: [f64; D] = array::from_fn(|axis| min[axis] + size[axis]);
        Rect::new(min.map(S::from_f64), max.map(S::from_f64))
    }

    fn shapes<S: Scalar, const D: usize>(self, count: usize) -> Vec<Rect<S, D>> {
        let mut dice = Dice(88_172_645_463_325_252);
        (0..count).map(|number| self.shape(&mut dice, number, count)).collect()
    }

    /// An index of `count` rectangles, or of their corners.
    fn index<S: Scalar, const D: usize>(self, count: usize, are_points: bool, settings: LayerSettings) -> Index<S, D> {
        let mut index = Index::new(self.world()).unwrap();
        let shapes = self.shapes(count);
        if are_points {
            let layer = index.add_point_layer_with(settings).unwrap();
            shapes.iter().zip(0..).for_each(|(shape, value)| {
                index.insert(layer, shape.min(), value).unwrap();
            });
        } else {
            let layer = index.add_rect_layer_with(settings).unwrap();
            shapes.iter().zip(0..).for_each(|(shape, value)| {
                index.insert(layer, *shape, value).unwrap();
            });
        }
        index
    }
}

fn sorted<S: Scalar, const D: usize>(pairs: Pairs<'_, u32, S, D>) -> Vec<[u32; 2]> {
    let mut pairs: Vec<[u32; 2]> = pairs.map(|(a, b)| [*a.value(), *b.value()]).collect();
    for pair in &mut pairs {
        pair.sort_unstable();
    }
    pairs.sort_unstable();
    pairs
}

/// All pairs, by a look at each.
fn scanned<S: Scalar, const D: usize>(index: &Index<S, D>, proximity: &Proximity<S>) -> Vec<[u32; 2]> {
    let mut objects: Vec<_> = index.iter().map(|object| (*object.value(), object.shape())).collect();
    objects.sort_unstable_by_key(|object| object.0);
    let mut pairs = Vec::new();
    for (place, (a, shape)) in objects.iter().enumerate() {
        let is_partner = |other: &Rect<S, D>| match proximity {
            Proximity::Touching => shape.intersects(other),
            Proximity::Within(within) => within.holds(shape, other),
        };
        let partners = objects[place + 1..].iter().filter(|(_, other)| is_partner(other));
        pairs.extend(partners.map(|(b, _)| [*a, *b]));
    }
    pairs
}

fn answers_are_right<S: Scalar, const D: usize>() {
    for case in CASES {
        for are_points in [false, true] {
            let index = case.index::<S, D>(900, are_points, LayerSettings::new());
            for distance in [0.0, 9.0] {
                let distance = S::from_f64(distance);
                let pairs = index.pairs().within(distance);
                let expected = scanned(&index, &Proximity::within(distance).unwrap());
                let found = sorted(pairs.clone());
                assert_eq!(found, expected, "{case:?}, {are_points}, {distance}");
                assert_eq!(pairs.clone().count(), expected.len());
                continued(&pairs);
                of_some(&index, distance, &expected);
                let joined = index.join(&index).within(distance);
                assert_eq!(joined.count(), 2 * expected.len() + index.len(), "{case:?}");
            }
        }
    }
}

/// A clone continues, and so does what it was cloned from, in the same order.
fn continued<S: Scalar, const D: usize>(pairs: &Pairs<'_, u32, S, D>) {
    let all: Vec<_> = pairs.clone().map(|(a, b)| (a.handle(), b.handle())).collect();
    for taken in [0, all.len() / 3, all.len() / 2, all.len()] {
        let mut begun = pairs.clone();
        assert_eq!(begun.by_ref().take(taken).count(), taken);
        for rest in [begun.clone(), begun] {
            assert!(rest.map(|(a, b)| (a.handle(), b.handle())).eq(all[taken..].iter().copied()));
        }
    }
}

fn of_some<S: Scalar, const D: usize>(index: &Index<S, D>, distance: S, all: &[[u32; 2]]) {
    for every in [3, 40] {
        let some: Vec<_> =
            index.iter().filter(|object| object.value() % every == 0).map(|object| object.handle()).collect();
        let of_some = all.iter().filter(|pair| pair.iter().any(|value| value % every == 0));
        assert!(sorted(index.pairs_of(some).within(distance)).iter().eq(of_some), "every {every}th");
    }
}

#[test]
fn pairs_in_a_crowd_are_right() {
    answers_are_right::<f32, 2>();
    answers_are_right::<f64, 3>();
}

/// Pairs are counted as they are looked at one by one, however far apart, from the first one on or amid them; and whole
/// buckets at once where all of them are near.
fn counts_are_right<S: Scalar, const D: usize>() {
    for case in CASES {
        for are_points in [false, true] {
            let index = case.index::<S, D>(500, are_points, LayerSettings::new());
            let other = case.index::<S, D>(90, !are_points, LayerSettings::new());
            let some: Vec<_> =
                index.iter().filter(|object| object.value() % 7 == 0).map(|object| object.handle()).collect();
            for distance in [0.0, 20.0, 130.0, 400.0, 900.0, 1400.0, 4000.0, f64::INFINITY].map(S::from_f64) {
                let proximity = Proximity::within(distance).unwrap();
                let expected = scanned(&index, &proximity);
                let pairs = index.pairs().within(distance);
                assert_eq!(pairs.clone().count(), expected.len(), "{case:?}, {are_points}, {distance:?}");
                for taken in [1, expected.len() / 2, expected.len()] {
                    let mut begun = pairs.clone();
                    let taken = begun.by_ref().take(taken).count_by_next();
                    assert_eq!(begun.counts().sum::<usize>() + taken, expected.len());
                }
                let of_some = expected.iter().filter(|pair| pair.iter().any(|value| value % 7 == 0)).count();
                assert_eq!(index.pairs_of(&some).within(distance).count(), of_some);
                let shapes: Vec<_> = index.iter().map(|object| object.shape()).collect();
                let between = |a: &Rect<S, D>| other.iter().filter(|b| proximity.holds(a, &b.shape())).count();
                let joined: usize = shapes.iter().map(between).sum();
                assert_eq!(index.join(&other).within(distance).count(), joined, "{case:?}, {are_points}, {distance:?}");
                assert_eq!(other.join(&index).within(distance).count(), joined);
                let of_some: usize = some.iter().map(|&handle| between(&index.shape(handle).unwrap())).sum();
                assert_eq!(index.join_of(&some, &other).within(distance).count(), of_some);
                assert_eq!(index.join(&index).within(distance).count(), 2 * expected.len() + index.len());
            }
            let most = index.join(&index).within(S::from_f64(4000.0)).counts().max().unwrap();
            assert!(case != Case::Inside || 300 < most, "{most} pairs at once");
        }
    }
}

#[test]
fn pairs_are_counted_without_a_look_at_each() {
    counts_are_right::<f32, 2>();
    counts_are_right::<f64, 3>();
}

/// How many groups are compared for all pairs, and how many entries, for each 1000 objects.
fn visits<S: Scalar, const D: usize>(index: &Index<S, D>) -> [usize; 2] {
    let _ = [GROUPS, ENTRIES].map(counted);
    index.pairs().for_each(drop);
    [GROUPS, ENTRIES].map(|kind| counted(kind) * 1000 / index.len())
}

fn grows_in_proportion<S: Scalar, const D: usize>() {
    for case in [Case::Inside, Case::Outside, Case::LargeWorld, Case::Sticks, Case::Thin] {
        let visits = [1000, 7000, 50_000].map(|count| visits(&case.index::<S, D>(count, false, LayerSettings::new())));
        let [_, few, many] = visits;
        assert!(many[0] <= 2 * few[0] + 50 && many[1] <= 2 * few[1], "{case:?}: {visits:?}");
        assert!(many[0] <= 600 && many[1] <= 8000, "{case:?}: {visits:?}");
    }
}

#[test]
fn comparisons_grow_with_the_number_of_objects() {
    grows_in_proportion::<f32, 2>();
    grows_in_proportion::<f64, 3>();
}

/// Points far apart, joined with rectangles close together, meet no more buckets than by queries one by one.
#[test]
fn a_sparse_side_is_asked_one_by_one() {
    let dense = Case::Inside.index::<f32, 2>(50_000, false, LayerSettings::new());
    let visits = [20, 100, 1000].map(|count| {
        let sparse = Case::Inside.index::<f32, 2>(count, true, LayerSettings::new());
        counted(GROUPS);
        let (found, groups) = (sparse.join(&dense).count_by_next(), counted(GROUPS));
        let expected: usize = sparse.iter().map(|point| dense.containing(point.shape().min()).count()).sum();
        assert_eq!(found, expected);
        groups / count
    });
    assert!(visits.iter().all(|visits| *visits <= 8), "{visits:?} buckets a point");
}

trait CountByNext: Iterator {
    /// The number of items, found without `count`.
    fn count_by_next(&mut self) -> usize {
        self.fold(0, |count, _| count + 1)
    }
}

impl<I: Iterator> CountByNext for I {}
