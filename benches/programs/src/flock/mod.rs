//! All boids look at their neighbours, read how these fly, steer, and move.
//!
//! A boid counts among its neighbours itself, which changes nothing that it would notice.

mod columns;
mod grid;
mod others;
mod quadrille;

use crate::measure::{Contender, Outcome, Plan, Program, Row, Scene, Threads, race};
use crate::places::{Places, on_lattice, stepped};

/// The least number above 15. No square of a distance on the lattice lies between the square of 15 and that of this one, so rounding
/// does not decide who is seen.
const SIGHT: f32 = 15.000_001;

#[derive(Clone, Copy, Debug)]
struct Boid {
    at: [f32; 2],
    velocity: [f32; 2],
}

impl Boid {
    #[inline(always)]
    fn fly(&mut self, sum: &Sum, side: f32) {
        for axis in 0..2 {
            let apart = (0.004 - 0.02 * sum.count / SIGHT) * sum.offset[axis] / sum.count;
            let alike = 0.12 * (sum.heading[axis] / sum.count - self.velocity[axis]);
            let mut velocity = on_lattice((self.velocity[axis] + apart + alike).clamp(-1.0, 1.0));
            self.at[axis] = stepped(self.at[axis], &mut velocity, 0.0, side);
            self.velocity[axis] = velocity;
        }
    }
}

/// The neighbours of a boid, added up: exact, in any order.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: f32,
    offset: [f32; 2],
    heading: [f32; 2],
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, offset: [f32; 2], velocity: [f32; 2]) {
        self.count += 1.0;
        for axis in 0..2 {
            self.offset[axis] += offset[axis];
            self.heading[axis] += velocity[axis];
        }
    }

    #[inline(always)]
    fn add_if_seen(&mut self, at: [f32; 2], other: &Boid) {
        let offset = offset(at, other.at);
        if is_seen(offset) {
            self.add(offset, other.velocity);
        }
    }

    /// The same without a branch.
    #[inline(always)]
    fn add_times(&mut self, at: [f32; 2], other: &Boid) {
        let offset = offset(at, other.at);
        let times = f32::from(u8::from(is_seen(offset)));
        self.count += times;
        for axis in 0..2 {
            self.offset[axis] += times * offset[axis];
            self.heading[axis] += times * other.velocity[axis];
        }
    }
}

#[inline(always)]
fn offset(from: [f32; 2], to: [f32; 2]) -> [f32; 2] {
    [to[0] - from[0], to[1] - from[1]]
}

#[inline(always)]
fn is_seen(offset: [f32; 2]) -> bool {
    offset[0] * offset[0] + offset[1] * offset[1] <= SIGHT * SIGHT
}

/// The parts that all contenders share.
struct Boids {
    all: Vec<Boid>,
    sums: Vec<Sum>,
    side: f32,
    threads: Threads,
}

impl Boids {
    fn fly(&mut self) {
        let (sums, side) = (&self.sums, self.side);
        self.threads.each(&mut self.all, |number, boid| boid.fly(&sums[number], side));
    }

    fn outcome(boids: impl Iterator<Item = (Boid, Sum)>) -> Outcome {
        let mut outcome = Outcome::default();
        for (boid, sum) in boids {
            outcome.add(
                [boid.at[0], boid.at[1], sum.count, sum.offset[0], sum.heading[1]]
                    .map(|part| u64::from(part.to_bits())),
            );
        }
        outcome
    }
}

/// A way to find the neighbours.
trait Neighbours {
    /// Fills in the sums.
    fn look(&mut self, boids: &mut Boids);
    /// Told after a tick, if the contender keeps its index.
    fn follow(&mut self, _boids: &Boids) {}
    fn tick(&mut self, boids: &mut Boids) {
        self.look(boids);
        boids.fly();
        self.follow(boids);
    }
    /// Reads the boids where the contender keeps them.
    fn outcome(&self, boids: &Boids) -> Outcome {
        Boids::outcome(boids.all.iter().zip(&boids.sums).map(|(boid, sum)| (*boid, *sum)))
    }
}

struct Flock<N> {
    boids: Boids,
    neighbours: N,
}

impl<N: Neighbours> Program<()> for Flock<N> {
    fn tick(&mut self, (): &()) {
        self.neighbours.tick(&mut self.boids);
    }

    fn outcome(&self) -> Outcome {
        self.neighbours.outcome(&self.boids)
    }
}

fn contender<N: Neighbours + 'static>(
    name: &'static str,
    boids: &[Boid],
    side: f32,
    threads: Threads,
    make: impl FnOnce(&Boids) -> N,
) -> Contender<'static, ()> {
    let boids = Boids { all: boids.to_vec(), sums: vec![Sum::default(); boids.len()], side, threads };
    let neighbours = make(&boids);
    Contender::new(name, Flock { boids, neighbours })
}

pub(crate) fn run(scene: &Scene, plan: Plan) -> Vec<Row> {
    // About 15 neighbours, where boids are even.
    let mut places = Places::new(scene.distribution, scene.objects, 47.0);
    let draw = |places: &mut Places| Boid { at: places.point(), velocity: places.step(1.0) };
    let boids = places.sorted(scene.objects, draw, |boid| boid.at);
    let (side, threads) = (places.side, plan.threads);
    let mut contenders = vec![
        contender("quadrille, neighbors", &boids, side, threads, quadrille::Around::new),
        contender("quadrille, pairs", &boids, side, threads, quadrille::Pairs::new),
        contender("quadrille, a query each", &boids, side, threads, quadrille::Each::new),
        contender("quadrille, a query for eight", &boids, side, threads, quadrille::Eight::new),
        contender("grid by hand", &boids, side, threads, grid::Grid::<true>::new),
        contender("grid by hand, no branches", &boids, side, threads, grid::Grid::<false>::new),
        contender("grid by hand, eight lanes", &boids, side, threads, columns::Columns::new),
        contender("kiddo", &boids, side, threads, others::Kiddo::new),
    ];
    if scene.objects <= 100_000 {
        if threads == Threads::One {
            contenders.push(contender("kiddo, join", &boids, side, threads, others::KiddoJoin::new));
        }
        contenders.push(contender("rstar", &boids, side, threads, others::Rstar::new));
        contenders.push(contender("flat_spatial", &boids, side, threads, others::FlatSpatial::new));
    }
    race(scene, plan, contenders, || ())
}
