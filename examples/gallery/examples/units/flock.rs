//! Boids that keep together, fly as their neighbors fly, and keep their distance: all look around in each tick. They fly on a
//! torus, and may see across its borders.

use std::f32::consts::TAU;

use quadrille::{Around, Layer, Periodic, Points, Quadtree, Rect};
use quadrille_gallery::{Ink, Panel, Show, Stopwatch, grouped};
use rand::{Rng, RngExt};
use rayon::prelude::*;

pub(crate) const SIDE: f32 = 1000.0;
const SIGHT: f32 = 7.0;
const SPEED: f32 = 2.0;

/// The boids, whose values are their velocities.
pub(crate) struct Flock {
    index: Quadtree<[f32; 2]>,
    layer: Layer<Points>,
    torus: Periodic,
    /// Whether boids see across the borders.
    sees_across: bool,
    seen: usize,
    asking: Stopwatch,
    moving: Stopwatch,
}

impl Flock {
    pub(crate) fn new(count: usize, sees_across: bool, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut boids: Vec<([f32; 2], [f32; 2])> = (0..count)
            .map(|_| {
                let (sin, cos) = dice.random_range(0.0..TAU).sin_cos();
                ([(); 2].map(|()| dice.random_range(0.0..SIDE)), [SPEED * cos, SPEED * sin])
            })
            .collect();
        let torus = Periodic::new(Rect::new([0.0; 2], [SIDE; 2]))?;
        let mut index = Quadtree::new(torus.world())?;
        let layer = index.add_point_layer()?;
        index.sort_by_place(&mut boids, |boid| boid.0);
        index.insert_batch(layer, boids)?;
        let (asking, moving) = Default::default();
        Ok(Self { index, layer, torus, sees_across, seen: 0, asking, moving })
    }

    /// All look, then all fly.
    pub(crate) fn tick(&mut self, verified: Option<&mut Show>) -> anyhow::Result<()> {
        let neighbors = self.index.neighbors().within(SIGHT);
        let neighbors = if self.sees_across { neighbors.periodic(&self.torus) } else { neighbors };
        if let Some(show) = verified {
            let later = |one: usize, others: Around<'_, '_, [f32; 2]>| -> Vec<[usize; 2]> {
                others.map(|other| [one, other.handle.slot()]).filter(|[one, other]| one < other).collect()
            };
            let found = neighbors.clone().map(|boid, others| later(boid.handle.slot(), others));
            show.same("pairs of neighbors", found.flatten(), self.pairs_by_brute_force())?;
        }
        // By several threads, and the same whatever they do.
        let torus = &self.torus;
        let steered: Vec<(usize, usize, [f32; 2])> = self.asking.time(|| {
            let all = neighbors.par_map(|boid, others| {
                let count = others.len();
                (boid.handle.slot(), count, steered(torus, boid.shape.min(), *boid.value, others))
            });
            all.collect()
        });
        let mut velocities = vec![[0.0; 2]; self.index.slots()];
        for (slot, count, velocity) in steered {
            velocities[slot] = velocity;
            self.seen += count;
        }
        let Self { index, torus, .. } = self;
        let moved = self.moving.time(|| {
            index.update(self.layer, |boid, mut velocity, shape| {
                *velocity = velocities[boid.slot()];
                torus.wrap(std::array::from_fn::<_, 2, _>(|axis| shape.min()[axis] + velocity[axis]))
            })
        })?;
        assert!(moved.refused.is_empty(), "all places are finite");
        Ok(())
    }

    fn pairs_by_brute_force(&self) -> Vec<[usize; 2]> {
        let is_near = |[x, y]: [f32; 2], [to_x, to_y]: [f32; 2]| {
            let [x, y] = [f64::from(to_x) - f64::from(x), f64::from(to_y) - f64::from(y)];
            x * x + y * y <= f64::from(SIGHT) * f64::from(SIGHT)
        };
        // Only at a border there is an image that matters.
        let is_near_across = |one: [f32; 2], other: [f32; 2]| {
            let is_far = |axis: usize| SIDE - SIGHT - 1.0 < (one[axis] - other[axis]).abs();
            let [x, y] = [is_far(0), is_far(1)];
            let images = [[x, false], [false, y], [x, y]].into_iter().filter(|image| image.contains(&true));
            let moved = |[x, y]: [f32; 2], [to_x, to_y]: [f32; 2]| {
                let sign = |by: bool, at: f32, to: f32| if by { SIDE.copysign(to - at) } else { 0.0 };
                move |[by_x, by_y]: [bool; 2]| [x + sign(by_x, x, to_x), y + sign(by_y, y, to_y)]
            };
            images.into_iter().any(|image| is_near(moved(one, other)(image), other))
        };
        let mut places = vec![[f32::NAN; 2]; self.index.slots()];
        for boid in &self.index {
            places[boid.handle().slot()] = boid.shape().min();
        }
        let places = &places;
        let neighbors = |one: usize| {
            let at = places[one];
            let sees = move |to: [f32; 2]| is_near(at, to) || self.sees_across && is_near_across(at, to);
            let others = places[one + 1..].iter().zip(one + 1..);
            others.filter(move |(other, _)| sees(**other)).map(move |(_, other)| [one, other])
        };
        (0..places.len()).into_par_iter().flat_map_iter(neighbors).collect()
    }

    pub(crate) fn print(&self, show: &Show) {
        show.figure("neighbors seen, in all ticks", grouped(&self.seen));
        show.figure("to look at them and steer, a tick", self.asking);
        show.figure("to move the boids, a tick", self.moving);
    }

    /// Each boid as a stroke; the color tells where it flies.
    pub(crate) fn draw(&self, panel: &mut Panel) {
        const WAYS: u8 = 8;
        for way in 0..WAYS {
            let hue = 360.0 / f64::from(WAYS) * f64::from(way);
            let boids = self.index.iter().filter(|boid| way_of(*boid.value(), WAYS) == way);
            let strokes = boids.map(|boid| {
                let (at, velocity) = (boid.shape().min(), boid.value());
                [at, std::array::from_fn(|axis| at[axis] - 1.7 * velocity[axis])]
            });
            panel.lines(&Ink::line(&color(hue), 0.9), strokes);
        }
    }
}

/// The next velocity of a boid.
#[expect(clippy::cast_precision_loss, reason = "some neighbors")]
fn steered(torus: &Periodic, at: [f32; 2], own: [f32; 2], others: Around<'_, '_, [f32; 2]>) -> [f32; 2] {
    let count = others.len().max(1) as f32;
    let mut velocity = own;
    for other in others {
        // The same while nobody sees across.
        let way = torus.displacement(at, other.shape.min());
        for axis in 0..2 {
            let (together, alike) = (0.004 * way[axis], 0.12 * (other.value[axis] - own[axis]));
            velocity[axis] += (together + alike) / count - 0.02 * way[axis] / SIGHT;
        }
    }
    let scale = SPEED / velocity[0].hypot(velocity[1]).max(0.1);
    velocity.map(|part| part * scale)
}

/// The direction of a velocity, as one of so many.
#[expect(clippy::cast_sign_loss, reason = "a share of the circle")]
fn way_of([x, y]: [f32; 2], ways: u8) -> u8 {
    let share = y.atan2(x).rem_euclid(TAU) / TAU;
    ((share * f32::from(ways)) as u8).min(ways - 1)
}

/// A light color of a hue in degrees.
fn color(hue: f64) -> String {
    let part = |shift: f64| {
        let wave = 0.5 + 0.5 * (hue + shift).to_radians().cos();
        (90.0 + 165.0 * wave).round()
    };
    format!("rgb({},{},{})", part(0.0), part(-120.0), part(120.0))
}
