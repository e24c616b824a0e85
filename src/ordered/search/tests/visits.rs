//! How many nodes, buckets and objects searches look at: from afar, among thin boxes, among ties.

extern crate std;

use core::array;
use core::cell::Cell;
use std::vec::Vec;

use super::{Dice, goal};
use crate::geometry::{Level, Mover, Rank, Ray, Rect, Scalar, Simd, level};
use crate::grid::Grid;
use crate::index::SpatialIndex;
use crate::key::{Excluded, LayerSet};
use crate::ordered::buffer::Found;
use crate::ordered::by_distance::Distance;
use crate::ordered::by_time::ByTime;
use crate::ordered::ranking::{CellOrder, Ranking};
use crate::ordered::search::{Search, Ties};
use crate::tree::{Bucket, Head, Node};

std::thread_local! {
    static VISITS: Cell<usize> = const { Cell::new(0) };
}

/// A ranking that counts the nodes, buckets and objects that it is asked about.
#[derive(Clone, Copy)]
struct Counted<R>(R);

impl<R> Counted<R> {
    fn count(&self) -> &R {
        VISITS.set(VISITS.get() + 1);
        &self.0
    }
}

impl<R: Ranking<S, D>, S: Scalar, const D: usize> Ranking<S, D> for Counted<R> {
    type Criterion = R::Criterion;
    const CELLS_ARE_CHEAP: bool = R::CELLS_ARE_CHEAP;
    fn kept(want: usize) -> usize {
        R::kept(want)
    }
    fn new(grid: &Grid<S, D>, criterion: &R::Criterion) -> Self {
        Self(R::new(grid, criterion))
    }
    fn criterion(&self) -> &R::Criterion {
        self.0.criterion()
    }
    fn set_floor(&mut self, floor: Rank) {
        self.0.set_floor(floor);
    }
    fn set_limit(&mut self, grid: &Grid<S, D>, limit: Rank) {
        self.0.set_limit(grid, limit);
    }
    fn near<V: Simd>(&self, simd: V, boxes: &[[S::Lanes<V>; 2]; D]) -> (u64, S::Lanes<V>) {
        self.0.near(simd, boxes)
    }
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank> {
        self.count().rank(shape)
    }
    fn cells(&self, node: &Node<D>) -> u64 {
        self.0.cells(node)
    }
    fn first_cell(&self, node: &Node<D>) -> u8 {
        self.0.first_cell(node)
    }
    fn cell_order(
        &self,
        grid: &Grid<S, D>,
        level: Level,
        limit: Rank,
        node: &Node<D>,
        cells: &mut u64,
    ) -> CellOrder<D> {
        self.count().cell_order(grid, level, limit, node, cells)
    }
    fn may_hold(&self, head: &Head<D>) -> bool {
        self.0.may_hold(head)
    }
    fn candidates<V: Simd, const ENDS: usize>(
        &self,
        simd: V,
        bucket: &Bucket<S, D, ENDS>,
        first_but: Option<u64>,
    ) -> u64 {
        self.count().candidates(simd, bucket, first_but)
    }
}

/// The nodes, buckets and objects that a search for one object looks at; it finds one.
fn visits<S: Scalar, const D: usize>(
    index: &SpatialIndex<(), S, D>,
    ranking: &impl Ranking<S, D>,
    ties: Ties,
) -> usize {
    let (first, visits) = searched(index, ranking, ties);
    assert!(first.is_some());
    visits
}

/// The first object, and the visits of the search for it.
fn searched<S: Scalar, const D: usize>(
    index: &SpatialIndex<(), S, D>,
    ranking: &impl Ranking<S, D>,
    ties: Ties,
) -> (Option<Found>, usize) {
    let (mut found, space) = (Vec::new(), &index.space);
    let (goal, excluded) = (goal(1, ties), Excluded::none());
    VISITS.set(0);
    let mut search = Search::new(space.grid(), Counted(*ranking), level(), goal, &excluded, &mut found);
    search.all_trees(space, LayerSet::ALL);
    (search.first, VISITS.get())
}

/// The most visits of some targets, among `count` points in a world of 1000 a side.
fn most_visits<S: Scalar, const D: usize>(
    objects: usize,
    mut object: impl FnMut(&mut Dice) -> [f64; D],
    mut target: impl FnMut(&mut Dice) -> [f64; D],
) -> usize {
    let world = Rect::new([S::from(0); D], [S::from(1000); D]);
    let mut index: SpatialIndex<(), S, D> = SpatialIndex::new(world).expect("a world");
    let points = index.add_point_layer().expect("a layer");
    let mut dice = Dice(3);
    let all: Vec<_> = (0..objects).map(|_| (object(&mut dice).map(S::from_f64), ())).collect();
    index.insert_batch(points, all).expect("finite");
    let ranking = |target: [f64; D]| Distance::new(index.space.grid(), &Rect::from_point(target.map(S::from_f64)));
    (0..50).map(|_| visits(&index, &ranking(target(&mut dice)), Ties::ByHandle)).max().expect("targets")
}

/// From afar, a hundred times as many objects cost `times` as many visits at most.
fn assert_growth<S: Scalar, const D: usize>(
    what: &str,
    times: usize,
    object: impl Fn(&mut Dice) -> [f64; D] + Copy,
    target: impl Fn(&mut Dice) -> [f64; D] + Copy,
) {
    let [few, many] = [1000, 100_000].map(|objects| most_visits::<S, D>(objects, object, target));
    assert!(many <= times * few, "{what}: {few} visits among 1000 objects, {many} among 100 000");
}

fn within(dice: &mut Dice, from: f64, to: f64) -> f64 {
    from + dice.fraction() * (to - from)
}

fn from_afar<S: Scalar, const D: usize>() {
    for side in [500.0, 450.0, 437.3] {
        let crowd = |dice: &mut Dice| array::from_fn(|_| within(dice, side, side + 100.0));
        assert_growth::<S, D>("a crowd, from a corner", 4, crowd, |dice| {
            let along = within(dice, 0.0, 300.0);
            array::from_fn(|_| along + within(dice, 0.0, 20.0))
        });
        assert_growth::<S, D>("a crowd, from a side", 12, crowd, |dice| {
            let along = within(dice, 0.0, 300.0);
            array::from_fn(|axis| if axis == 0 { along } else { side + 50.0 + along / 10.0 })
        });
    }
    let line = |dice: &mut Dice| array::from_fn(|axis| if axis == 0 { within(dice, 0.0, 1000.0) } else { 500.0 });
    assert_growth::<S, D>("a level line", 40, line, |dice| {
        array::from_fn(|axis| within(dice, 0.0, if axis == 0 { 1000.0 } else { 400.0 }))
    });
    // Objects outside the world are stored at its edge, so the whole edge may hold objects that are nearer.
    let uniform = |dice: &mut Dice| array::from_fn(|_| within(dice, 0.0, 1000.0));
    assert_growth::<S, D>("far outside", if D == 2 { 16 } else { 40 }, uniform, |dice| {
        array::from_fn(|_| within(dice, -1e4, -9e3))
    });
}

#[test]
fn visits_from_afar_f32() {
    from_afar::<f32, 2>();
}

#[test]
fn visits_from_afar_f64() {
    from_afar::<f64, 3>();
}

/// Where the world covers a part of the crowd, a target outside of it has its nearest object at the edge, with many others.
fn of_half_a_crowd<S: Scalar, const D: usize>() {
    let object = |dice: &mut Dice| array::from_fn(|_| within(dice, 0.0, 2000.0));
    let inside = |dice: &mut Dice| array::from_fn(|_| within(dice, 100.0, 900.0));
    let outside = |dice: &mut Dice| array::from_fn(|_| within(dice, 1100.0, 1900.0));
    let [inside, outside] = [most_visits::<S, D>(50_000, object, inside), most_visits::<S, D>(50_000, object, outside)];
    assert!(outside <= 2 * inside, "{outside} visits outside of the world, {inside} inside");
}

#[test]
fn visits_outside_of_a_small_world() {
    of_half_a_crowd::<f32, 2>();
    of_half_a_crowd::<f64, 3>();
}

/// Boxes, evenly spread, that are `ratio` times as long as wide along one axis or another, or square.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn long_boxes<S: Scalar, const D: usize>(objects: usize, ratio: f64) -> SpatialIndex<(), S, D> {
    let world = Rect::new([S::from(0); D], [S::from(1000); D]);
    let mut index: SpatialIndex<(), S, D> = SpatialIndex::new(world).expect("a world");
    let rects = index.add_rect_layer().expect("a layer");
    let mut dice = Dice(5);
    let width = 300.0 / (objects as f64).powf(1.0 / D as f64);
    let all: Vec<_> = (0..objects)
        .map(|number| {
            let side = |axis| if axis == number % D { (width * ratio).min(1000.0) } else { width };
            let min: [f64; D] = array::from_fn(|axis| within(&mut dice, 0.0, 1000.0 - side(axis)));
            let max: [f64; D] = array::from_fn(|axis| min[axis] + side(axis));
            (Rect::new(min.map(S::from_f64), max.map(S::from_f64)), ())
        })
        .collect();
    index.insert_batch(rects, all).expect("finite");
    index
}

/// The visits of some searches for the nearest, and of some for the first hit of a ray, in all; and how many boxes hold
/// the places where they begin.
fn visits_of_boxes<S: Scalar, const D: usize>(index: &SpatialIndex<(), S, D>) -> ([usize; 2], usize) {
    let (mut dice, grid) = (Dice(6), index.space.grid());
    let (mut visits_of, mut ties) = ([0; 2], 0);
    for _ in 0..60 {
        let [from, to] = [0, 1].map(|_| array::from_fn::<S, D, _>(|_| S::from_f64(within(&mut dice, 0.0, 1000.0))));
        visits_of[0] += visits(index, &Distance::new(grid, &Rect::from_point(from)), Ties::ByHandle);
        // In 3D it may hit nothing.
        let ray = ByTime::new(grid, &Mover::of_box(Ray::segment(from, to).motion()));
        visits_of[1] += searched(index, &ray, Ties::ByHandle).1;
        ties += index.containing(from).count();
    }
    (visits_of, ties)
}

fn thin<S: Scalar, const D: usize>(bounds: [(f64, usize); 3]) {
    for objects in [2000, 20_000] {
        let (square, _) = visits_of_boxes(&long_boxes::<S, D>(objects, 1.0));
        for (ratio, times) in bounds {
            let (thin, ties) = visits_of_boxes(&long_boxes::<S, D>(objects, ratio));
            let is_bounded = (0..2).all(|which| thin[which] <= times * square[which] + ties);
            assert!(is_bounded, "{objects}, {ratio} times as long: {thin:?} visits, {ties} tie, {square:?} of squares");
        }
    }
}

/// Long thin boxes cost some times as many visits as squares, whatever their number; but all that hold the place where a
/// search begins tie, so it may have to look at each. (Of 20 000 sticks across the world forty hold the same point.)
#[test]
fn visits_among_thin_boxes() {
    thin::<f32, 2>([(10.0, 3), (100.0, 12), (1e9, 12)]);
    thin::<f64, 2>([(10.0, 3), (100.0, 12), (1e9, 12)]);
    thin::<f32, 3>([(10.0, 3), (100.0, 12), (1e9, 12)]);
}

/// Boxes that all hold the middle of the world.
fn overlapping<S: Scalar, const D: usize>(objects: usize) -> SpatialIndex<(), S, D> {
    let world = Rect::new([S::from(0); D], [S::from(1000); D]);
    let mut index: SpatialIndex<(), S, D> = SpatialIndex::new(world).expect("a world");
    let rects = index.add_rect_layer().expect("a layer");
    let mut dice = Dice(4);
    let all: Vec<_> = (0..objects)
        .map(|_| {
            let corner = |dice: &mut Dice, from| array::from_fn(|_| S::from_f64(within(dice, from, from + 300.0)));
            (Rect::new(corner(&mut dice, 150.0), corner(&mut dice, 550.0)), ())
        })
        .collect();
    index.insert_batch(rects, all).expect("finite");
    index
}

fn ties<S: Scalar, const D: usize>() {
    let middle = [S::from(500); D];
    let [few, many] = [1000, 100_000].map(|objects| {
        let index = overlapping::<S, D>(objects);
        let nearest = Distance::new(index.space.grid(), &Rect::from_point(middle));
        let ray = ByTime::new(index.space.grid(), &Mover::of_box(Ray::segment(middle, [S::from(1); D]).motion()));
        let any = |ties| visits(&index, &nearest, ties).max(visits(&index, &ray, ties));
        let first = any(Ties::ByHandle);
        assert!(first < 100, "{first} of {objects} objects at distance 0 are ranked");
        any(Ties::Any).max(any(Ties::AnyRank))
    });
    // The rest of one bucket.
    assert!(many <= few + 64, "{few} visits among 1000 objects, {many} among 100 000");
}

#[test]
fn visits_among_ties() {
    ties::<f32, 2>();
    ties::<f64, 3>();
}

/// The visits of some rays in a crowd, in a world that is some times as long and begins that part of it before the crowd.
fn visits_in_a_world<S: Scalar, const D: usize>(times: f64, part: f64) -> usize {
    let (side, mut dice) = (1000.0, Dice(8));
    let corner = |end: f64| [S::from_f64(side * (times - 1.0) * (end - part) + if end == 0.0 { 0.0 } else { side }); D];
    let mut index: SpatialIndex<(), S, D> = SpatialIndex::new(Rect::new(corner(0.0), corner(1.0))).expect("a world");
    let rects = index.add_rect_layer().expect("a layer");
    let mut place = || array::from_fn::<_, D, _>(|_| within(&mut dice, 0.0, side));
    let all: Vec<_> = (0..20_000)
        .map(|_| {
            let min = place();
            (Rect::new(min.map(S::from_f64), min.map(|end| S::from_f64(end + side * 0.003))), ())
        })
        .collect();
    index.insert_batch(rects, all).expect("finite");
    let mut ray = || Ray::segment(place().map(S::from_f64), place().map(S::from_f64));
    let visits = |ray: Ray<S, D>| {
        searched(&index, &ByTime::new(index.space.grid(), &Mover::of_box(ray.motion())), Ties::ByHandle).1
    };
    (0..60).map(|_| visits(ray())).sum()
}

/// A ray was widened by 512 units of the world in `f32`: in a world a million times as long as the crowd, by half of it.
#[test]
fn rays_cost_little_more_in_large_worlds() {
    fn assert_few<S: Scalar, const D: usize>(worlds: &[(f64, f64)]) {
        let plain = visits_in_a_world::<S, D>(1.0, 0.0);
        for &(times, part) in worlds {
            let visits = visits_in_a_world::<S, D>(times, part);
            assert!(
                visits <= 3 * plain,
                "{times} times as long, {part}, {D}D: {visits} visits, {plain} in a small world"
            );
        }
    }
    let worlds = [(1e4, 0.0), (1e5, 0.0), (1e6, 0.0), (1e4, 0.5), (1e5, 0.5), (1e4, 1.0), (1e5, 1.0)];
    assert_few::<f32, 2>(&worlds);
    assert_few::<f32, 3>(&worlds);
    assert_few::<f64, 2>(&[(1e6, 0.5), (1e6, 1.0)]);
}
