//! Boids that keep together, fly as their neighbors fly, and keep their distance: all pairs of neighbors in each tick.

use std::f32::consts::TAU;

use quadrille::{Handle, Quadtree, Rect};
use quadrille_gallery::{Ink, Panel, Show, Stopwatch, grouped};
use rand::{Rng, RngExt};
use rayon::prelude::*;

pub(crate) const SIDE: f32 = 1000.0;
const SIGHT: f32 = 7.0;
const SPEED: f32 = 2.0;

#[derive(Clone, Copy)]
struct Boid {
    at: [f32; 2],
    velocity: [f32; 2],
}

/// The neighbors that a boid sees, added up.
#[derive(Clone, Copy, Default)]
struct Around {
    count: f32,
    offset: [f32; 2],
    velocity: [f32; 2],
    away: [f32; 2],
}

/// The boids, and the index, whose values are their numbers.
pub(crate) struct Flock {
    boids: Vec<Boid>,
    index: Quadtree<usize>,
    handles: Vec<Handle>,
    pairs: usize,
    asking: Stopwatch,
    moving: Stopwatch,
}

impl Flock {
    pub(crate) fn new(count: usize, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let boids: Vec<Boid> = (0..count)
            .map(|_| {
                let (sin, cos) = dice.random_range(0.0..TAU).sin_cos();
                let at = [(); 2].map(|()| dice.random_range(0.0..SIDE));
                Boid { at, velocity: [SPEED * cos, SPEED * sin] }
            })
            .collect();
        let mut index = Quadtree::new(Rect::new([0.0; 2], [SIDE; 2]))?;
        let layer = index.add_point_layer()?;
        let handles = index.insert_batch(layer, boids.iter().map(|boid| boid.at).zip(0..))?;
        let (asking, moving) = Default::default();
        Ok(Self { boids, index, handles, pairs: 0, asking, moving })
    }

    /// All look, then all fly.
    pub(crate) fn tick(&mut self, verified: Option<&mut Show>) -> anyhow::Result<()> {
        // Found by several threads, and in the same order whatever they do.
        let pairs: Vec<[usize; 2]> = self.asking.time(|| {
            let pairs = self.index.pairs().within(SIGHT).into_par_iter();
            pairs.map(|(one, other)| [*one.value(), *other.value()]).collect()
        });
        self.pairs += pairs.len();
        if let Some(show) = verified {
            let ordered = |[one, other]: [usize; 2]| [one.min(other), one.max(other)];
            show.same("pairs of neighbors", pairs.iter().copied().map(ordered), self.pairs_by_brute_force())?;
        }
        let mut around = vec![Around::default(); self.boids.len()];
        for [one, other] in pairs {
            around[one].add(self.boids[one], self.boids[other]);
            around[other].add(self.boids[other], self.boids[one]);
        }
        for (boid, around) in self.boids.iter_mut().zip(around) {
            boid.fly(around);
        }
        let places = self.handles.iter().copied().zip(self.boids.iter().map(|boid| boid.at));
        let moved = self.moving.time(|| self.index.move_batch(places));
        assert!(moved.refused.is_empty(), "all places are finite");
        Ok(())
    }

    fn pairs_by_brute_force(&self) -> Vec<[usize; 2]> {
        let places: Vec<[f64; 2]> = self.boids.iter().map(|boid| boid.at.map(f64::from)).collect();
        let reach = f64::from(SIGHT) * f64::from(SIGHT);
        let neighbors = |one: usize| {
            let [x, y] = places[one];
            let is_near = move |[to_x, to_y]: [f64; 2]| (to_x - x).powi(2) + (to_y - y).powi(2) <= reach;
            let others = places[one + 1..].iter().zip(one + 1..);
            others.filter(move |(other, _)| is_near(**other)).map(move |(_, other)| [one, other])
        };
        (0..places.len()).into_par_iter().flat_map_iter(neighbors).collect()
    }

    pub(crate) fn print(&self, show: &Show) {
        show.figure("pairs of neighboring boids, in all ticks", grouped(&self.pairs));
        show.figure("to find them, a tick", self.asking);
        show.figure("to move the boids, a tick", self.moving);
    }

    /// Each boid as a stroke; the color tells where it flies.
    pub(crate) fn draw(&self, panel: &mut Panel) {
        const WAYS: u8 = 8;
        for way in 0..WAYS {
            let hue = 360.0 / f64::from(WAYS) * f64::from(way);
            let boids = self.boids.iter().filter(|boid| boid.way(WAYS) == way);
            let strokes =
                boids.map(|boid| [boid.at, std::array::from_fn(|axis| boid.at[axis] - 1.7 * boid.velocity[axis])]);
            panel.lines(&Ink::line(&color(hue), 0.9), strokes);
        }
    }
}

impl Around {
    fn add(&mut self, me: Boid, other: Boid) {
        self.count += 1.0;
        for axis in 0..2 {
            let offset = other.at[axis] - me.at[axis];
            self.offset[axis] += offset;
            self.velocity[axis] += other.velocity[axis];
            self.away[axis] -= offset / SIGHT;
        }
    }
}

impl Boid {
    /// Steers by its neighbors, flies on, and comes in again on the other side.
    fn fly(&mut self, around: Around) {
        for axis in 0..2 {
            let count = around.count.max(1.0);
            let together = 0.004 * around.offset[axis] / count;
            let alike = 0.12 * (around.velocity[axis] - around.count * self.velocity[axis]) / count;
            self.velocity[axis] += together + alike + 0.02 * around.away[axis];
        }
        let [x, y] = self.velocity;
        let scale = SPEED / x.hypot(y).max(0.1);
        self.velocity = [x * scale, y * scale];
        self.at = std::array::from_fn(|axis| (self.at[axis] + self.velocity[axis]).rem_euclid(SIDE));
    }

    /// The direction, as one of so many.
    #[expect(clippy::cast_sign_loss, reason = "a share of the circle")]
    fn way(&self, ways: u8) -> u8 {
        let share = self.velocity[1].atan2(self.velocity[0]).rem_euclid(TAU) / TAU;
        ((share * f32::from(ways)) as u8).min(ways - 1)
    }
}

/// A light color of a hue in degrees.
fn color(hue: f64) -> String {
    let part = |shift: f64| {
        let wave = 0.5 + 0.5 * (hue + shift).to_radians().cos();
        (90.0 + 165.0 * wave).round()
    };
    format!("rgb({},{},{})", part(0.0), part(-120.0), part(120.0))
}
