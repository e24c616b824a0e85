//! The rule of rankings: what is within the limit is left out nowhere, be it right at the limit.

extern crate std;

mod visits;

use core::array;

use super::super::bounds::CellBounds;
use super::super::by_distance::Distance;
use super::super::by_time::ByTime;
use super::super::ranking::closest_cell;
use super::*;
use crate::geometry::{Motion, Mover, Ray, Rect, level};
use crate::index::SpatialIndex;
use crate::key::LayerSet;
use crate::layer::LayerSettings;
use crate::tree::{Trees, positions, with_kind};

/// A seeded source of numbers (`SplitMix64`).
struct Dice(u64);

impl Dice {
    /// From 0 to 1.
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        f64::from((bits >> 32) as u32) / f64::from(u32::MAX)
    }

    /// Mostly in the world, now and then far outside; clustered at all scales.
    fn point<S: Scalar, const D: usize>(&mut self, far: f64, side: f64) -> [S; D] {
        let outside = if self.fraction() < 0.1 { 1000.0 } else { 1.0 };
        let scale = outside * side / f64::from(1_u32 << (self.fraction() * 20.0).to_u32());
        array::from_fn(|_| S::from_f64(far + (self.fraction() - 0.3) * scale))
    }
}

/// Objects of all sizes, and the index of them, of which trees divide at every chance. They are clustered at a part of the
/// world's side.
fn scene<S: Scalar, const D: usize>(dice: &mut Dice, far: f64, side: f64, at: f64) -> SpatialIndex<(), S, D> {
    let corner = |part: f64| [S::from_f64(far + side * (part - at)); D];
    let mut index = SpatialIndex::new(Rect::new(corner(0.0), corner(1.0))).expect("a world");
    let settings = LayerSettings::new().split_above(3);
    let points = index.add_point_layer_with(settings).expect("a layer");
    let rects = index.add_rect_layer_with(settings).expect("a layer");
    for _ in 0..150 {
        let min: [S; D] = dice.point(far, side);
        index.insert(points, min, ()).expect("finite");
        let longest = side / f64::from(1_u32 << (dice.fraction() * 24.0).to_u32());
        let max = min.map(|end| S::from_f64(end.to_f64() + longest * dice.fraction()));
        index.insert(rects, Rect::new(min, max), ()).expect("finite");
    }
    index
}

/// No object that has a rank is left out by a limit right there. Gives how many had one.
fn assert_rule<R: Ranking<S, D>, S: Scalar, const D: usize>(index: &SpatialIndex<(), S, D>, ranking: &R) -> usize {
    let in_layer = |layer| {
        let is_found = |place: &Place| {
            let grid = index.space.grid();
            is_found(grid, &index.space.trees, R::new(grid, ranking.criterion()), *place)
        };
        index.space.trees.places(layer).filter(is_found).count()
    };
    in_layer(0) + in_layer(1)
}

fn is_found<R: Ranking<S, D>, S: Scalar, const D: usize>(
    grid: &Grid<S, D>,
    trees: &Trees<S, D>,
    mut ranking: R,
    place: Place,
) -> bool {
    let arena = trees.arena();
    let shape = arena.shape(place);
    let Some(rank) = ranking.rank(&shape) else { return false };
    ranking.set_floor(rank);
    ranking.set_limit(grid, rank);
    let head = arena.head(place.bucket());
    let entries = arena.bucket(place.bucket());
    let asked = &ranking;
    let candidates = |first_but| {
        with_kind!(entries, |bucket| with_vectors!(level(), |simd| asked.candidates(simd, bucket, first_but)))
    };
    assert!(candidates(None) >> place.position() & 1 == 1, "{shape:?}");
    let first = positions(candidates(Some(0)) & head.used);
    let ranks = first.filter_map(|position| ranking.rank(&entries.shape(position)));
    assert!(ranks.min().is_some_and(|first| first <= rank), "{shape:?}");
    let anchor = grid.address(&shape).anchor;
    for id in core::iter::successors(Some(head.node), |&id| arena.node(id).parent) {
        let (node, cell) = (arena.node(id), arena.node(id).cell_of(anchor));
        let mut cells = ranking.cells(node);
        let order = ranking.cell_order(grid, level(), rank, node, &mut cells);
        if id == head.node {
            let may_hold = match order {
                CellOrder::ByBounds(bounds) => bounds.may_hold(head, rank),
                CellOrder::Around(_) => ranking.may_hold(head),
            };
            assert!(may_hold, "{shape:?} in {head:?}");
        }
        if id != head.node || !head.is_own_list() {
            assert!(cells >> cell & 1 == 1, "{shape:?} in {cell} of {node:?}");
        }
    }
    true
}

/// No object is left out by the lower bounds of distances, with a limit right at its rank.
fn assert_bounds<S: Scalar, const D: usize>(index: &SpatialIndex<(), S, D>, ranking: &Distance<S, D>) {
    for place in [0, 1].into_iter().flat_map(|layer| index.space.trees.places(layer)) {
        assert_is_bounded(&index.space.trees, ranking, place);
    }
}

fn assert_is_bounded<S: Scalar, const D: usize>(trees: &Trees<S, D>, ranking: &Distance<S, D>, place: Place) {
    let arena = trees.arena();
    let grid = trees.grid();
    let ranking = &Distance::new(grid, ranking.criterion());
    let shape = arena.shape(place);
    let rank = ranking.rank(&shape).expect("every object has a distance");
    let anchor = grid.address(&shape).anchor;
    let head = arena.head(place.bucket());
    for level in [level(), Level::baseline()] {
        for id in core::iter::successors(Some(head.node), |&id| arena.node(id).parent) {
            let (node, cell) = (arena.node(id), arena.node(id).cell_of(anchor));
            let bounds = CellBounds::new(grid, level, ranking.criterion(), node);
            assert!(id != head.node || bounds.may_hold(head, rank), "{shape:?} in {head:?}");
            let is_in_cell = id != head.node || !head.is_own_list();
            assert!(!is_in_cell || bounds.within(rank) >> cell & 1 == 1, "{shape:?} in {cell} of {node:?}");
            let first = bounds.first(node.occupied());
            assert!(node.occupied() >> first & 1 == 1 || node.occupied() == 0, "{first} of {node:?}");
        }
    }
}

fn rankings<S: Scalar, const D: usize>() {
    let mut dice = Dice(7);
    let mut hit = 0;
    for (far, side) in [(0.0, 1.0), (-300.0, 1024.0), (1e6, 64.0), (0.0, 1e-20), (-1e30, 4e30)] {
        for at in [0.0, 0.37, 0.99] {
            let index = scene::<S, D>(&mut dice, far, side, at);
            for object in &index {
                if 0.04 < dice.fraction() {
                    continue;
                }
                let target = Rect::new(dice.point::<S, D>(far, side), dice.point::<S, D>(far, side));
                let target = if dice.fraction() < 0.5 { Rect::from_point(target.min()) } else { target };
                assert_rule(&index, &Distance::new(index.space.grid(), &target));
                assert_bounds(&index, &Distance::new(index.space.grid(), &target));
                // At a corner of the object, so that a hair decides.
                let ray = Ray::segment(target.min(), object.shape().max());
                hit += assert_rule(&index, &ByTime::new(index.space.grid(), &Mover::of_box(ray.motion())));
                let mut motion = ray.motion();
                (motion.from, motion.bounds) = (target, Rect::everything());
                hit += assert_rule(&index, &ByTime::new(index.space.grid(), &Mover::of_box(motion)));
                motion.step[0] = 0.0;
                hit += assert_rule(&index, &ByTime::new(index.space.grid(), &Mover::of_box(motion)));
            }
        }
    }
    assert!(4_000 < hit, "{hit}");
}

#[test]
fn what_is_within_is_left_out_nowhere_f32() {
    rankings::<f32, 2>();
}

#[test]
fn what_is_within_is_left_out_nowhere_f64() {
    rankings::<f64, 3>();
}

/// Objects at the ends of blocks, and motions from so far away that the way there is rounded by more than their units are.
fn rounding_from_afar<S: Scalar>() {
    let corner = |at: f64| [S::from_f64(at); 2];
    let mut index = SpatialIndex::new(Rect::new(corner(0.0), corner(1024.0))).expect("a world");
    let layer = index.add_point_layer_with(LayerSettings::new().split_above(1)).expect("a layer");
    index.add_rect_layer().expect("a layer");
    let unit = 1.0 / index.space.grid().scale();
    for (x, y) in (0..25).flat_map(|x| (0..25).map(move |y| (x, y))) {
        index.insert(layer, [x, y].map(|shift| S::from_f64(unit * f64::from(1_u32 << shift))), ()).expect("finite");
    }
    let (mut dice, mut hit) = (Dice(3), 0);
    for round in 0..100 {
        let far = f64::from(1_u32 << (dice.fraction() * 30.0).to_u32()) * (1024.0 + dice.fraction());
        let (at, speed) = if round % 2 == 0 { (-far, 1.0) } else { (far, -1.0) };
        let from = Rect::new([S::from_f64(at), S::from_f64(0.0)], [at, 1024.0].map(S::from_f64));
        let step = [speed * (2.0 + dice.fraction()), 0.0];
        let motion = Motion { from, step, bounds: Rect::everything(), is_far: false };
        hit += assert_rule(&index, &ByTime::new(index.space.grid(), &Mover::of_box(motion)));
    }
    assert_eq!(hit, 100 * 25 * 25);
}

#[test]
fn what_is_within_is_left_out_nowhere_from_afar() {
    rounding_from_afar::<f32>();
    rounding_from_afar::<f64>();
}

fn goal(want: usize, ties: Ties) -> Goal {
    Goal { floor: (Rank::ZERO, None), limit: Rank::INFINITY, want, ties, is_first_alone: want == 1 }
}

/// The objects that come first with the vectors of a level, one alone or several, with an object left out.
fn found<S: Scalar, const D: usize>(
    index: &SpatialIndex<(), S, D>,
    ranking: &impl Ranking<S, D>,
    (level, want, out): (Level, usize, Place),
) -> Vec<Found> {
    let mut found = Vec::new();
    let mut excluded = Excluded::none();
    excluded.add([out]);
    let (grid, goal) = (index.space.grid(), goal(want, Ties::ByHandle));
    let mut search = Search::new(grid, *ranking, level, goal, &excluded, &mut found);
    let mut layers = LayerSet::ALL;
    while let Some(layer) = index.space.next_layer(&mut layers) {
        search.node(index.space.trees.arena(), index.space.trees.root(layer).expect("objects"));
    }
    let first = search.first;
    found.extend(first);
    found.sort_by(Found::compare);
    found.truncate(want);
    found
}

fn assert_widths_agree<S: Scalar, const D: usize>(index: &SpatialIndex<(), S, D>, ranking: &impl Ranking<S, D>) {
    let mut excluded = Place::NONE;
    for want in [1, 1, 7, 200] {
        let [detected, baseline] =
            [level(), Level::baseline()].map(|level| found(index, ranking, (level, want, excluded)));
        assert_eq!(detected, baseline);
        assert!(detected.iter().all(|found| found.place != excluded));
        excluded = detected.first().map_or(excluded, |first| first.place);
    }
}

fn widths_agree<S: Scalar, const D: usize>() {
    let mut dice = Dice(D as u64);
    for (far, side) in [(0.0, 1.0), (-300.0, 1024.0), (0.0, 1e-20)] {
        let index = scene::<S, D>(&mut dice, far, side, 0.0);
        for _ in 0..50 {
            let [from, to] = [dice.point::<S, D>(far, side), dice.point::<S, D>(far, side)];
            assert_widths_agree(&index, &Distance::new(index.space.grid(), &Rect::from_point(from)));
            assert_widths_agree(&index, &Distance::new(index.space.grid(), &Rect::new(from, to)));
            assert_widths_agree(
                &index,
                &ByTime::new(index.space.grid(), &Mover::of_box(Ray::segment(from, to).motion())),
            );
        }
    }
}

#[test]
fn vectors_of_any_width_give_the_same_answers() {
    widths_agree::<f32, 2>();
    widths_agree::<f64, 3>();
}

#[test]
fn cells_come_by_the_smallest_common_block() {
    for first in 0..64 {
        for seed in 0..50_u64 {
            let cells = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 << (seed % 64);
            let expected = positions(cells).min_by_key(|cell| cell ^ first).expect("a cell");
            assert_eq!(closest_cell(cells, first), expected, "{cells:b} from {first}");
        }
    }
}
