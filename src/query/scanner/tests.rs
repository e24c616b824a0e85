//! The cost of a query in steps of its walk; its state is plain data.

use alloc::vec::Vec;
use core::cell::Cell;

use super::*;
use crate::geometry::{Ball, Rect, Region};
use crate::grid::{CELLS, UnitRange, axis_bits};
use crate::index::SpatialIndex;
use crate::key::{Handle, Kind, LayerSet};
use crate::layer::{Points, Rects};
use crate::query::{ContainedIn, Containing, Intersecting, Near, Predicate, Query};
use crate::space::ObjectError;
use crate::tree::tests::{STEPS, counted};
use crate::tree::{Node, Probe};

/// A reproducible sequence of fractions from 0 to 1 (xorshift64*).
struct Dice(u64);

impl Dice {
    fn fraction(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 48) as u16;
        f32::from(high) / 65536.0
    }

    fn corner<const D: usize>(&mut self, side: f32) -> [f32; D] {
        core::array::from_fn(|_| self.fraction() * side)
    }
}

const SIDE: f32 = 1024.0;

/// A query looks at most this many buckets ahead.
const AHEAD: usize = 16;

type Index<const D: usize> = SpatialIndex<(), f32, D>;

fn cube<const D: usize>(min: [f32; D], side: f32) -> Rect<f32, D> {
    Rect::new(min, min.map(|min| min + side))
}

/// Evenly spread points, or rectangles of all sizes up to a few times their spacing: as many as requested, or as there
/// is room for.
fn spread<const D: usize>(objects: usize, kind: Kind) -> Index<D> {
    let mut index = Index::new(cube([0.0; D], SIDE)).unwrap();
    let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    let mut dice = Dice(objects as u64 + 1);
    let a_side = (1..=u16::MAX).find(|&a_side| objects <= usize::from(a_side).pow(D as u32)).unwrap();
    let apart = SIDE / f32::from(a_side);
    for _ in 0..objects {
        let min = dice.corner(SIDE);
        let inserted = match kind {
            Kind::Points => index.insert::<Points>(points, min, ()),
            Kind::Rects => index.insert::<Rects>(rects, cube(min, dice.fraction() * 2.0 * apart), ()),
        };
        match inserted {
            Err(ObjectError::Full { .. }) => break,
            inserted => drop(inserted.unwrap()),
        }
    }
    index
}

/// Counts the questions of a walk, including the refused ones.
struct Counting<'a, P> {
    probe: &'a P,
    asked: Cell<usize>,
}

impl<P: Probe<D>, const D: usize> Probe<D> for Counting<'_, P> {
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        self.asked.set(self.asked.get() + 1);
        self.probe.anchors(reach)
    }

    fn cells_covered(&self, node: &Node<D>, reach: u32) -> u64 {
        self.probe.cells_covered(node, reach)
    }
}

/// Finds the first hit in many places, and compares the cost with the nodes and the chain on a path down.
fn first_hits<P: Predicate, const D: usize>(index: &Index<D>, side: f32) {
    let depth = index.stats().depths.iter().rposition(|&objects| objects > 0).unwrap();
    let path = depth + 2;
    // A region that just reaches into a node meets a face of its cells, perhaps in vain.
    let face = CELLS >> axis_bits::<D>();
    let mut dice = Dice(7);
    let (mut hits, mut visits) = (0, 0);
    for _ in 0..100 {
        let region = cube(dice.corner(SIDE - side), side);
        let mut query = Query::<_, P, f32, D>::new(index, region);
        counted(STEPS);
        if query.next().is_none() {
            continue;
        }
        hits += 1;
        let steps = counted(STEPS);
        visits += steps;
        assert!(steps <= face * path + AHEAD, "{steps} steps to a hit in {region:?}, {depth} deep");
        let question = query.question.over(0, index.space.grid());
        let probe = Counting { probe: &question, asked: Cell::new(0) };
        let mut walk = Walk::from_root(index.space.trees.root(query.scanner.layer));
        assert!((0..steps).all(|_| walk.next(index.space.trees.arena(), &probe).is_some()));
        let asked = probe.asked.get();
        assert!(asked <= 2 * (face * path + AHEAD), "{asked} questions to a hit in {region:?}, {depth} deep");
    }
    // Where the first bucket has no hits, several are visited together.
    assert!(visits <= hits * (2 * path + AHEAD / 4), "{visits} steps to {hits} hits in {side}, {depth} deep");
}

/// Q4: the cost of a first hit depends on the depth, not on the number of results or objects.
fn a_first_hit_costs_a_first_hit<const D: usize>() {
    for kind in [Kind::Points, Kind::Rects] {
        for objects in [1_000, 10_000, 100_000] {
            let index = spread::<D>(objects, kind);
            assert!(objects.min(32_000) <= index.len(), "room for {}", index.len());
            for percent in [1.0, 3.0, 10.0, 30.0, 60.0, 100.0] {
                let side = SIDE * percent / 100.0;
                first_hits::<Intersecting, D>(&index, side);
                first_hits::<ContainedIn, D>(&index, side);
                first_hits::<Near, D>(&index, side);
            }
            first_hits::<Containing, D>(&index, 0.0);
        }
    }
}

#[test]
fn a_first_hit_costs_a_first_hit_in_2d() {
    a_first_hit_costs_a_first_hit::<2>();
}

#[test]
fn a_first_hit_costs_a_first_hit_in_3d() {
    a_first_hit_costs_a_first_hit::<3>();
}

/// With a region that covers everything, each hit is at most a path down from the last one, and nothing is visited
/// twice.
#[test]
fn steps_come_with_hits() {
    let index = spread::<2>(10_000, Kind::Points);
    let mut query = index.intersecting(Rect::everything());
    let (mut visits, mut hits) = (0, 0);
    let figures = index.stats();
    let path = figures.depths.iter().rposition(|&objects| objects > 0).unwrap() + 2;
    counted(STEPS);
    while query.next().is_some() {
        hits += 1;
        let steps = counted(STEPS);
        assert!(steps <= AHEAD * path, "{steps} steps between two hits");
        visits += steps;
    }
    assert_eq!(hits, 10_000);
    assert_eq!(visits, figures.nodes + figures.buckets, "each once");
}

/// Counts, and returns of how many nodes, chains and buckets the number is the sum.
fn summed<P: Predicate, R: Region<f32, 2> + Clone>(index: &Index<2>, layer: LayerSet, region: R) -> (usize, usize) {
    let query = Query::<_, P, f32, 2, R>::new(index, region).in_layers(layer);
    let (count, steps) = (Cell::new(0), Cell::new(0));
    let add = |more: u32| {
        count.set(count.get() + more as usize);
        steps.set(steps.get() + 1);
        true
    };
    query.each_count(|_, _, len| add(len), |_, hits| _ = add(hits.count_ones()));
    assert_eq!(query.count(), count.get());
    (count.get(), steps.get())
}

/// Q6: of covered nodes, only the outermost are looked at.
#[test]
fn counting_stays_at_the_edge() {
    for (number, kind) in [Kind::Points, Kind::Rects].into_iter().enumerate() {
        let index = spread::<2>(100_000, kind);
        let layer = index.layers().nth(number).unwrap().into();
        let buckets = index.stats().buckets;
        let (all, steps) = summed::<Near, _>(&index, layer, Rect::everything());
        assert_eq!(all, index.len());
        assert!(0 < steps && steps <= CELLS + 2, "{steps} steps to count all, those of the root's cells");
        let (_, to_box) = summed::<Intersecting, _>(&index, layer, cube([SIDE * 0.05; 2], SIDE * 0.9));
        assert!(0 < to_box && to_box * 2 < buckets, "{to_box} steps to count most in {buckets} buckets");
        let (_, to_ball) = summed::<Intersecting, _>(&index, layer, Ball::new([SIDE * 0.5; 2], SIDE * 0.45));
        assert!(0 < to_ball && to_ball * 2 < buckets, "{to_ball} steps to count a ball in {buckets} buckets");
    }
}

/// Q5: trees of layers not requested are not visited, nor is anything before the first `next`.
#[test]
fn what_is_not_asked_for_is_not_visited() {
    let mut index = spread::<2>(1_000, Kind::Points);
    let [points, rects] = [0, 1].map(|number| index.layers().nth(number).unwrap());
    counted(STEPS);
    let mut query = index.near(Rect::everything());
    assert_eq!(counted(STEPS), 0);
    query = query.in_layers(rects);
    assert!(query.next().is_none());
    assert_eq!((counted(STEPS), query.scanner.layer), (0, rects.number()));
    let mut query = index.near(Rect::everything());
    query.next().unwrap();
    assert!(counted(STEPS) > 0);
    query = query.in_layers(!points);
    assert!(query.next().is_none());
    assert_eq!(counted(STEPS), 0, "restricted on the way");
    index.clear();
    counted(STEPS);
    let mut query = index.near(Rect::from_point([f32::NAN; 2]));
    assert!(query.next().is_none());
    assert_eq!(counted(STEPS), 0);
}

/// Objects too long for the cells of a root, and thin ones among them, cost each window two steps.
#[test]
fn a_few_long_objects_make_no_query_wider() {
    let mut index = Index::<2>::new(cube([0.0; 2], SIDE)).unwrap();
    let layer = index.add_rect_layer().unwrap();
    let mut dice = Dice(5);
    for _ in 0..5_000 {
        index.insert(layer, cube(dice.corner(SIDE), 8.0), ()).unwrap();
    }
    let places: Vec<[f32; 2]> = (0..100).map(|_| dice.corner(SIDE)).collect();
    let steps = |index: &Index<2>, hits: usize| {
        counted(STEPS);
        for &place in &places {
            assert!(index.intersecting(cube(place, 8.0)).by_ref().count() >= hits);
        }
        counted(STEPS)
    };
    let before = steps(&index, 0);
    let long = [[SIDE, SIDE], [SIDE, 2.0], [2.0, SIDE], [SIDE, 0.0], [0.0, SIDE]];
    for size in long {
        index.insert(layer, Rect::new([0.0; 2], size), ()).unwrap();
    }
    assert!(steps(&index, 1) <= before + 2 * places.len(), "the root, and its own list");
}

/// The objects from a position on.
fn rest(index: &Index<2>, region: Rect<f32, 2>, scanner: &Scanner) -> Vec<Handle> {
    let mut query = index.intersecting(region);
    query.handles = (scanner.hits != 0).then(|| index.space.trees.arena().handles(scanner.bucket));
    query.scanner = *scanner;
    query.map(|object| object.handle()).collect()
}

fn assert_plain<T: Copy + Send + Sync + 'static>(plain: T) -> T {
    plain
}

/// The position of a query borrows nothing: the index may be borrowed for changes, and if no entry moved, the copy
/// continues.
#[test]
fn a_copy_of_where_a_query_stands_goes_on() {
    let mut index = spread::<2>(2_000, Kind::Rects);
    let region = cube([100.0; 2], 500.0);
    let all: Vec<_> = index.intersecting(region).map(|object| object.handle()).collect();
    assert!(all.len() > 400);
    for taken in [0, 1, 63, 64, 65, 300, all.len()] {
        let mut query = index.intersecting(region);
        for handle in &all[..taken] {
            assert_eq!(query.next().map(|object| object.handle()), Some(*handle));
        }
        let paused = assert_plain(query.scanner);
        *index.get_mut(all[0]).unwrap() = ();
        assert_eq!(rest(&index, region, &paused), all[taken..]);
        assert_eq!(rest(&index.clone(), region, &paused), all[taken..]);
    }
}

/// The places that a query reaches with the vectors of a level.
fn places<P: Predicate, S: Scalar, const D: usize>(
    index: &SpatialIndex<(), S, D>,
    region: Rect<S, D>,
    level: Level,
) -> Vec<Place> {
    let mut query = Query::<_, P, S, D>::new(index, region);
    query.scanner.level = level;
    query.map(|object| object.origin().1).collect()
}

/// Vectors of any width give the same answers in the same order.
fn widths_agree<S: Scalar, const D: usize>() {
    let number = |value: f32| S::from_f64(value.into());
    let mut index = SpatialIndex::<(), S, D>::new(Rect::new([number(0.0); D], [number(SIDE); D])).unwrap();
    let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    let mut dice = Dice(D as u64);
    let mut corner = || dice.corner::<D>(64.0).map(|value| number(value.floor()));
    for _ in 0..2000 {
        index.insert::<Points>(points, corner(), ()).unwrap();
        index.insert::<Rects>(rects, Rect::new(corner(), corner()), ()).unwrap();
    }
    for _ in 0..100 {
        let region = Rect::new(corner(), corner());
        let [detected, baseline] = [level(), Level::baseline()].map(|level| {
            [
                places::<Near, S, D>(&index, region, level),
                places::<Intersecting, S, D>(&index, region, level),
                places::<ContainedIn, S, D>(&index, region, level),
                places::<Containing, S, D>(&index, region, level),
            ]
        });
        assert_eq!(detected, baseline);
        assert!(!baseline[1].is_empty());
    }
}

#[test]
fn vectors_of_any_width_give_the_same_answers() {
    widths_agree::<f32, 2>();
    widths_agree::<f64, 3>();
}
