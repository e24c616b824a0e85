//! Movers that slide along walls, bullets, and views of some movers.
//!
//! Motions, and ways of bullets, are such that times of impact are exact in whatever way they are computed: a mover goes along one axis,
//! then along the other; the way of a bullet is a power of two along each.

mod grid;
mod parry;
mod quadrille;

use ::quadrille::Rect;
use rand::RngExt;

use crate::measure::{Contender, Outcome, Plan, Program, Row, Scene, Threads, race};
use crate::places::{LATTICE, Places, on_lattice};

/// Added to the number of a wall.
const WALL: u32 = 1 << 31;
const MOVERS_A_WALL: usize = 10;
/// Every second mover shoots, every tenth has a view.
const MOVERS_A_BULLET: usize = 2;
const MOVERS_A_VIEW: usize = 10;
const VIEW: [f32; 2] = [40.0, 30.0];
/// The ways of bullets.
const WAYS: [[f32; 2]; 12] = [
    [64.0, 0.0],
    [64.0, 16.0],
    [32.0, 64.0],
    [0.0, 64.0],
    [-16.0, 64.0],
    [-64.0, 32.0],
    [-64.0, 0.0],
    [-64.0, -16.0],
    [-32.0, -64.0],
    [0.0, -64.0],
    [16.0, -64.0],
    [64.0, -32.0],
];

#[derive(Clone, Copy)]
struct Mover {
    body: Rect,
    velocity: [f32; 2],
}

impl Mover {
    /// Goes so far; if that is only to a wall, it turns back in the next tick.
    fn slide(&mut self, axis: usize, free: f32) {
        self.body = self.body.translated(along(axis, free));
        if free.to_bits() != self.velocity[axis].to_bits() {
            self.velocity[axis] = -self.velocity[axis];
        }
    }
}

trait Arena: Sync {
    fn new(walls: &[Rect], movers: &[Mover], side: f32) -> Self;
    fn follow(&mut self, movers: &[Mover], threads: Threads);
    /// How much of a motion along an axis the body can do.
    fn free(&self, body: &Rect, axis: usize, motion: f32) -> f32;

    /// Moves all, along one axis and then along the other.
    fn slide(&self, movers: &mut [Mover], threads: Threads) {
        threads.each(movers, |_, mover| {
            (0..2).for_each(|axis| mover.slide(axis, self.free(&mover.body, axis, mover.velocity[axis])));
        });
    }

    /// The part of a bullet's way up to the first that it hits.
    fn first(&self, shooter: u32, from: [f32; 2], way: [f32; 2]) -> Option<f32>;
    fn each_in(&self, view: &Rect, seen: impl FnMut(u32));
}

/// How far a body may go before it would enter a wall, as users write it.
fn stop_at(wall: &Rect, body: &Rect, axis: usize, motion: &mut f32) {
    let across = 1 - axis;
    if wall.min()[across] < body.max()[across] && body.min()[across] < wall.max()[across] {
        let (ahead, behind) = (wall.min()[axis] - body.max()[axis], wall.max()[axis] - body.min()[axis]);
        if 0.0 < *motion && 0.0 <= ahead {
            *motion = motion.min(ahead);
        } else if *motion < 0.0 && behind <= 0.0 {
            *motion = motion.max(behind);
        }
    }
}

/// A body and its way.
fn swept(body: &Rect, axis: usize, motion: f32) -> Rect {
    body.union(&body.translated(along(axis, motion)))
}

fn along(axis: usize, motion: f32) -> [f32; 2] {
    if axis == 0 { [motion, 0.0] } else { [0.0, motion] }
}

struct Game<A> {
    arena: A,
    movers: Vec<Mover>,
    tick: usize,
    /// The hits of each bullet, and how many each view shows, with the sum of their numbers.
    hits: Vec<Option<f32>>,
    views: Vec<(u64, u64)>,
    threads: Threads,
}

impl<A: Arena> Game<A> {
    fn new(walls: &[Rect], movers: &[Mover], side: f32, threads: Threads) -> Self {
        let arena = A::new(walls, movers, side);
        let (hits, views) = (vec![None; movers.len() / MOVERS_A_BULLET], vec![(0, 0); movers.len() / MOVERS_A_VIEW]);
        Self { arena, movers: movers.to_vec(), tick: 0, hits, views, threads }
    }
}

impl<A: Arena> Program<()> for Game<A> {
    fn tick(&mut self, (): &()) {
        let Self { arena, movers, tick, hits, views, threads } = self;
        *tick += 1;
        arena.slide(movers, *threads);
        arena.follow(movers, *threads);
        threads.each(hits, |number, hit| {
            let shooter = number * MOVERS_A_BULLET;
            let turn = number + *tick;
            let way = WAYS[turn % WAYS.len()];
            // Between the steps of the lattice: parry misses boxes along whose sides a ray runs.
            let from = movers[shooter].body.min().map(|c| c + 0.5 / LATTICE);
            *hit = arena.first(shooter as u32, from, way);
        });
        threads.each(views, |number, view| {
            let around = Rect::from_center_half(movers[number * MOVERS_A_VIEW].body.min(), VIEW);
            *view = (0, 0);
            arena.each_in(&around, |seen| *view = (view.0 + 1, view.1 + u64::from(seen)));
        });
    }

    fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::default();
        for (number, mover) in (0..).zip(&self.movers) {
            outcome.add([number, u64::from(mover.body.min()[0].to_bits()), u64::from(mover.body.min()[1].to_bits())]);
        }
        (0..)
            .zip(&self.hits)
            .for_each(|(number, hit)| outcome.add([number, hit.map_or(1, |t| u64::from(t.to_bits()))]));
        (0..).zip(&self.views).for_each(|(number, &(count, sum))| outcome.add([number, count, sum]));
        outcome
    }
}

fn rect(min: [f32; 2], [width, height]: [f32; 2]) -> Rect {
    Rect::new(min, [min[0] + width, min[1] + height])
}

/// Walls within the world and at its borders.
fn walls(places: &mut Places, count: usize) -> Vec<Rect> {
    let side = places.side;
    let mut walls: Vec<Rect> = (0..count)
        .map(|number| {
            let (long, short) = (places.random.random_range(8.0..48.0), places.random.random_range(1.0..4.0));
            let size = if number % 2 == 0 { [long, short] } else { [short, long] };
            rect(places.point(), size.map(on_lattice))
        })
        .collect();
    walls.extend([rect([-9.0; 2], [9.0, side + 18.0]), rect([-9.0; 2], [side + 18.0, 9.0])]);
    walls.extend([rect([side, -9.0], [99.0, side + 18.0]), rect([-9.0, side], [side + 18.0, 99.0])]);
    walls
}

pub(crate) fn run(scene: &Scene, plan: Plan) -> Vec<Row> {
    let mut places = Places::new(scene.distribution, scene.objects, 100.0);
    let walls = walls(&mut places, scene.objects / MOVERS_A_WALL);
    let (side, threads) = (places.side, plan.threads);
    let obstacles = grid::Boxes::new(walls.iter().copied().zip(0..), side);
    let draw = |places: &mut Places| {
        loop {
            let size = [(); 2].map(|()| on_lattice(places.random.random_range(0.5..2.0)));
            let body = rect(places.point(), size);
            let mut is_free = true;
            obstacles.each_in(&body, |_| is_free = false);
            if is_free {
                return Mover { body, velocity: places.step(1.0) };
            }
        }
    };
    let movers = places.sorted(scene.objects, draw, |mover| mover.body.min());
    let contenders = vec![
        Contender::new("quadrille", Game::<quadrille::Layers<true>>::new(&walls, &movers, side, threads)),
        Contender::new(
            "quadrille, neighbors for casts",
            Game::<quadrille::Layers<false>>::new(&walls, &movers, side, threads),
        ),
        Contender::new("parry", Game::<parry::Trees>::new(&walls, &movers, side, threads)),
        Contender::new("grid by hand", Game::<grid::Grids>::new(&walls, &movers, side, threads)),
    ];
    race(scene, plan, contenders, || ())
}
