//! A fluid in 3D: the density at each particle, by the poly6 kernel of all within reach of it; then each makes a step, backward where it
//! is crowded.
//!
//! Coordinates are whole numbers, so densities are exact, in whatever order they are added up. A particle counts itself.

mod columns;
mod grid;
mod others;
mod quadrille;

use ::quadrille::{Octree, Rect};
use rand::RngExt;

use crate::measure::{Contender, Outcome, Plan, Program, Row, Scene, Threads, race};
use crate::places::{random, stepped};

/// Each with how many neighbours.
pub(crate) const PROGRAMS: [(&str, f32); 3] =
    [("fluid, 30 neighbours", 30.0), ("fluid, 40 neighbours", 40.0), ("fluid, 60 neighbours", 60.0)];

const REACH: f32 = 9.0;
const SQUARE: f32 = REACH * REACH;

/// The part of one at a distance, which is below the reach.
#[inline(always)]
fn poly6(square: f32) -> f32 {
    let left = SQUARE - square;
    left * left * left
}

#[inline(always)]
fn square(from: [f32; 3], to: [f32; 3]) -> f32 {
    let [x, y, z] = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    x * x + y * y + z * z
}

#[derive(Clone, Copy, Debug)]
struct Particle {
    at: [f32; 3],
    velocity: [f32; 3],
}

impl Particle {
    #[inline(always)]
    fn flow(&mut self, density: f32, side: f32, rest: f32) {
        for axis in 0..3 {
            let velocity = &mut self.velocity[axis];
            *velocity = if rest < density { -*velocity } else { *velocity };
            self.at[axis] = stepped(self.at[axis], velocity, 0.0, side);
        }
    }
}

/// The parts that all contenders share.
#[derive(Clone)]
struct Fluid {
    all: Vec<Particle>,
    densities: Vec<f32>,
    side: f32,
    /// The density where a particle turns back.
    rest: f32,
    threads: Threads,
}

impl Fluid {
    fn flow(&mut self) {
        let (densities, side, rest) = (&self.densities, self.side, self.rest);
        self.threads.each(&mut self.all, |number, particle| particle.flow(densities[number], side, rest));
    }

    fn outcome(particles: impl Iterator<Item = (Particle, f32)>) -> Outcome {
        let mut outcome = Outcome::default();
        for (Particle { at: [x, y, z], .. }, density) in particles {
            outcome.add([x, y, z, density].map(|part| u64::from(part.to_bits())));
        }
        outcome
    }
}

/// A way to find the densities.
trait Densities {
    /// Fills them in.
    fn sum(&mut self, fluid: &mut Fluid);
    /// Told after a tick, if the contender keeps its index.
    fn follow(&mut self, _fluid: &Fluid) {}
    fn tick(&mut self, fluid: &mut Fluid) {
        self.sum(fluid);
        fluid.flow();
        self.follow(fluid);
    }
    /// Reads the particles where the contender keeps them.
    fn outcome(&self, fluid: &Fluid) -> Outcome {
        Fluid::outcome(fluid.all.iter().zip(&fluid.densities).map(|(particle, density)| (*particle, *density)))
    }
}

struct Flow<N> {
    fluid: Fluid,
    densities: N,
}

impl<N: Densities> Program<()> for Flow<N> {
    fn tick(&mut self, (): &()) {
        self.densities.tick(&mut self.fluid);
    }

    fn outcome(&self) -> Outcome {
        self.densities.outcome(&self.fluid)
    }
}

fn contender<N: Densities + 'static>(
    name: &'static str,
    fluid: &Fluid,
    make: impl FnOnce(&Fluid) -> N,
) -> Contender<'static, ()> {
    Contender::new(name, Flow { fluid: fluid.clone(), densities: make(fluid) })
}

/// A fluid is even: there are no clusters of it.
pub(crate) fn run(scene: &Scene, plan: Plan) -> Vec<Row> {
    let Some((_, neighbours)) = PROGRAMS.into_iter().find(|(name, _)| *name == scene.program) else {
        return Vec::new();
    };
    if scene.distribution != "uniform" {
        return Vec::new();
    }
    let reached = std::f32::consts::PI * 4.0 / 3.0 * REACH.powi(3);
    let side = (scene.objects as f32 * reached / neighbours).cbrt().ceil();
    let mut random = random(scene.objects as u64);
    let mut draw = |low: f32, high: f32| [(); 3].map(|()| random.random_range(low..=high).round());
    let mut all: Vec<Particle> =
        (0..scene.objects).map(|_| Particle { at: draw(0.0, side), velocity: draw(-1.0, 1.0) }).collect();
    let index: Octree<()> = Octree::new(Rect::new([0.0; 3], [side; 3])).expect("a world");
    index.sort_by_place(&mut all, |particle: &Particle| particle.at);
    // The mean, where particles are even.
    let rest = SQUARE.powi(3) * (1.0 + neighbours * 16.0 / 105.0);
    let fluid = Fluid { densities: vec![0.0; all.len()], all, side, rest, threads: plan.threads };
    let contenders = vec![
        contender("quadrille, neighbors", &fluid, quadrille::Around::new),
        contender("quadrille, a query each", &fluid, quadrille::Each::new),
        contender("grid by hand", &fluid, grid::Grid::new),
        contender("grid by hand, eight lanes", &fluid, columns::Columns::new),
        contender("kiddo", &fluid, others::Kiddo::new),
    ];
    race(scene, plan, contenders, || ())
}
