//! Boids that keep together, fly as their neighbors fly, and keep their distance: all pairs of neighbors in each tick. They fly on a
//! torus, and may see across its borders.

use std::f32::consts::TAU;

use quadrille::{Handle, Periodic, Quadtree, Rect};
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
    torus: Periodic,
    /// Whether boids see across the borders.
    sees_across: bool,
    pairs: usize,
    asking: Stopwatch,
    moving: Stopwatch,
}

impl Flock {
    pub(crate) fn new(count: usize, sees_across: bool, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut boids: Vec<Boid> = (0..count)
            .map(|_| {
                let (sin, cos) = dice.random_range(0.0..TAU).sin_cos();
                let at = [(); 2].map(|()| dice.random_range(0.0..SIDE));
                Boid { at, velocity: [SPEED * cos, SPEED * sin] }
            })
            .collect();
        let torus = Periodic::new(Rect::new([0.0; 2], [SIDE; 2]))?;
        let mut index = Quadtree::new(torus.world())?;
        let layer = index.add_point_layer()?;
        index.sort_by_place(&mut boids, |boid| boid.at);
        let handles = index.insert_batch(layer, boids.iter().map(|boid| boid.at).zip(0..))?;
        let (asking, moving) = Default::default();
        Ok(Self { boids, index, handles, torus, sees_across, pairs: 0, asking, moving })
    }

    /// All look, then all fly.
    pub(crate) fn tick(&mut self, verified: Option<&mut Show>) -> anyhow::Result<()> {
        let pairs: Vec<[usize; 2]> = self.asking.time(|| {
            let pairs = self.index.pairs().within(SIGHT);
            let pairs = if self.sees_across { pairs.periodic(&self.torus) } else { pairs };
            // Found by several threads, and in the same order whatever they do.
            let pairs = pairs.into_par_iter();
            pairs.map(|(one, other)| [*one.value(), *other.value()]).collect()
        });
        self.pairs += pairs.len();
        if let Some(show) = verified {
            let ordered = |[one, other]: [usize; 2]| [one.min(other), one.max(other)];
            show.same("pairs of neighbors", pairs.iter().copied().map(ordered), self.pairs_by_brute_force())?;
        }
        let mut around = vec![Around::default(); self.boids.len()];
        for [one, other] in pairs {
            let [from, to] = [one, other].map(|boid| self.boids[boid].at);
            // The same while nobody sees across.
            let way = self.torus.displacement(from, to);
            around[one].add(self.boids[other], way);
            around[other].add(self.boids[one], way.map(|way| -way));
        }
        for (boid, around) in self.boids.iter_mut().zip(around) {
            boid.fly(around);
            boid.at = self.torus.wrap(boid.at);
        }
        let places = self.handles.iter().copied().zip(self.boids.iter().map(|boid| boid.at));
        let moved = self.moving.time(|| self.index.move_batch(places));
        assert!(moved.refused.is_empty(), "all places are finite");
        Ok(())
    }

    fn pairs_by_brute_force(&self) -> Vec<[usize; 2]> {
        let is_near = |[x, y]: [f32; 2], [to_x, to_y]: [f32; 2]| {
            let [x, y] = [f64::from(to_x) - f64::from(x), f64::from(to_y) - f64::from(y)];
            x * x + y * y <= f64::from(SIGHT) * f64::from(SIGHT)
        };
        // Of two opposite images one, in which either may be; only at a border there is one that matters.
        let is_near_across = |one: [f32; 2], other: [f32; 2]| {
            let is_far = |axis: usize| SIDE - SIGHT - 1.0 < (one[axis] - other[axis]).abs();
            let [x, y] = [is_far(0), is_far(1)];
            let images = [[x, false], [false, y], [x, y]].into_iter().filter(|image| image.contains(&true));
            let moved = |[x, y]: [f32; 2], [to_x, to_y]: [f32; 2]| {
                let sign = |by: bool, at: f32, to: f32| if by { SIDE.copysign(to - at) } else { 0.0 };
                move |[by_x, by_y]: [bool; 2]| [x + sign(by_x, x, to_x), y + sign(by_y, y, to_y)]
            };
            // The one that is moved eastward, or else northward.
            let is_moved = |image: [bool; 2]| if image[0] { one[0] < other[0] } else { one[1] < other[1] };
            images.into_iter().any(|image| {
                let [this, that] = if is_moved(image) { [one, other] } else { [other, one] };
                is_near(moved(this, that)(image), that)
            })
        };
        let neighbors = |one: usize| {
            let at = self.boids[one].at;
            let sees = move |to: [f32; 2]| is_near(at, to) || self.sees_across && is_near_across(at, to);
            let others = self.boids[one + 1..].iter().zip(one + 1..);
            others.filter(move |(other, _)| sees(other.at)).map(move |(_, other)| [one, other])
        };
        (0..self.boids.len()).into_par_iter().flat_map_iter(neighbors).collect()
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
    fn add(&mut self, other: Boid, way: [f32; 2]) {
        self.count += 1.0;
        for (axis, offset) in way.into_iter().enumerate() {
            self.offset[axis] += offset;
            self.velocity[axis] += other.velocity[axis];
            self.away[axis] -= offset / SIGHT;
        }
    }
}

impl Boid {
    /// Steers by its neighbors, and flies on.
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
        self.at = std::array::from_fn(|axis| self.at[axis] + self.velocity[axis]);
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
