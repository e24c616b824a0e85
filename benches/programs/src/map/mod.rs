//! Many things, of which a hundredth moves; windows that read values, the ten nearest, and one lasso.

mod grid;
mod others;
mod quadrille;

use ::quadrille::Rect;
use rand::RngExt;

use crate::measure::{Contender, Outcome, Plan, Program, Row, Scene, Threads, race};
use crate::places::{LATTICE, Places, stepped};

type Point = [f32; 2];

/// A place and a value.
type Thing = (Point, u32);

struct Input {
    moves: Vec<(u32, Point)>,
    windows: Vec<Rect>,
    points: Vec<Point>,
    lasso: Vec<Point>,
}

const WINDOWS: usize = 200;
/// Half the side of a window: with about a thousand things, where they are even.
const HALF: f32 = 108.0;
const POINTS: usize = 1000;
const TEN: usize = 10;
const CORNERS: usize = 64;

/// Values that were added up, and how many there were.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: u64,
    values: u64,
}

impl Sum {
    fn add(&mut self, value: u32) {
        self.count += 1;
        self.values += u64::from(value);
    }
}

/// The square of a distance, in lattice steps: exact.
fn square(a: Point, b: Point) -> u64 {
    let steps = |axis: usize| ((f64::from(a[axis]) - f64::from(b[axis])) * f64::from(LATTICE)).abs() as u64;
    steps(0).pow(2) + steps(1).pow(2)
}

/// Whether a point is inside a ring, or on it, as users write it.
fn is_inside(ring: &[Point], [x, y]: Point) -> bool {
    let (x, y) = (f64::from(x), f64::from(y));
    let mut is_inside = false;
    let mut last = ring[ring.len() - 1].map(f64::from);
    for &corner in ring {
        let next = corner.map(f64::from);
        if (last[1] <= y) != (next[1] <= y) {
            let side = (next[0] - last[0]) * (y - last[1]) - (next[1] - last[1]) * (x - last[0]);
            if side == 0.0 {
                return true;
            }
            is_inside ^= (0.0 < side) == (last[1] < next[1]);
        }
        last = next;
    }
    is_inside
}

fn bounds(ring: &[Point]) -> Rect {
    let boxes = ring.iter().map(|&corner| Rect::from_point(corner));
    boxes.reduce(|a, b| a.union(&b)).expect("a ring has corners")
}

trait Things: Sync {
    fn move_some(&mut self, moves: &[(u32, Point)]);
    fn in_window(&self, window: &Rect) -> Sum;
    /// The squares of the distances of the nearest ten.
    fn nearest(&self, at: Point) -> u64;
    fn in_lasso(&self, lasso: &[Point]) -> Sum;
}

struct Map<M> {
    things: M,
    sums: Vec<Sum>,
    squares: Vec<u64>,
    threads: Threads,
}

impl<M: Things> Map<M> {
    fn new(things: M, threads: Threads) -> Self {
        Self { things, sums: vec![Sum::default(); WINDOWS + 1], squares: vec![0; POINTS], threads }
    }
}

impl<M: Things> Program<Input> for Map<M> {
    fn tick(&mut self, input: &Input) {
        self.things.move_some(&input.moves);
        let things = &self.things;
        let (lasso, windows) = self.sums.split_last_mut().expect("there is one for the lasso");
        self.threads.each(windows, |number, sum| *sum = things.in_window(&input.windows[number]));
        self.threads.each(&mut self.squares, |number, squares| *squares = things.nearest(input.points[number]));
        *lasso = things.in_lasso(&input.lasso);
    }

    fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::default();
        (0..).zip(&self.sums).for_each(|(number, sum)| outcome.add([number, sum.count, sum.values]));
        (0..).zip(&self.squares).for_each(|(number, &squares)| outcome.add([number, squares]));
        outcome
    }
}

/// A star with as many corners, between the steps of the lattice, so that no thing is at one of them.
fn lasso(places: &mut Places) -> Vec<Point> {
    let (side, center) = (places.side, places.point());
    let corner = |number| {
        let (sin, cos) = (std::f32::consts::TAU * number as f32 / CORNERS as f32).sin_cos();
        let far = side * places.random.random_range(0.03..0.1);
        [cos, sin].map(|way| way * far)
    };
    let corners: Vec<Point> = (0..CORNERS).map(corner).collect();
    let corner =
        |&[x, y]: &Point| [center[0] + x, center[1] + y].map(|c| crate::places::on_lattice(c) + 0.25 / LATTICE);
    corners.iter().map(corner).collect()
}

pub(crate) fn run(scene: &Scene, plan: Plan) -> Vec<Row> {
    let mut places = Places::new(scene.distribution, scene.objects, 47.0);
    let draw = |places: &mut Places| (places.point(), places.random.random_range(0..1000));
    let things: Vec<Thing> = places.sorted(scene.objects, draw, |&(at, _)| at);
    let (side, threads) = (places.side, plan.threads);
    let mut at: Vec<Point> = things.iter().map(|&(at, _)| at).collect();
    let contenders = vec![
        Contender::new("quadrille", Map::new(quadrille::Tree::new(&things, side), threads)),
        Contender::new("grid by hand", Map::new(grid::Grid::new(&things, side), threads)),
        Contender::new("rstar", Map::new(others::Rstar::new(&things), threads)),
        Contender::new("packed_spatial_index", Map::new(others::Packed::new(&things), threads)),
    ];
    let next = || {
        let mut moves = std::collections::BTreeMap::new();
        for _ in 0..things.len() / 100 {
            let number = places.random.random_range(0..things.len());
            let mut step = places.step(20.0);
            at[number] = [0, 1].map(|axis| stepped(at[number][axis], &mut step[axis], 0.0, side));
            moves.insert(number as u32, at[number]);
        }
        let lasso = lasso(&mut places);
        let windows = (0..WINDOWS).map(|_| Rect::from_center_half(places.point(), [HALF; 2])).collect();
        Input {
            moves: moves.into_iter().collect(),
            windows,
            points: (0..POINTS).map(|_| places.point()).collect(),
            lasso,
        }
    };
    race(scene, plan, contenders, next)
}
