//! Where objects are: the ordinary distributions, and those that are hard for one index or another.
//!
//! All is drawn in `f64`, and comes to the lattice when a scene is made of it. Knows no contenders and no questions.

use std::array::from_fn;
use std::f64::consts::TAU;

use clap::ValueEnum;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution as _, StandardNormal};
use rand_pcg::Pcg64Mcg;
use serde::Serialize;

use crate::data::{LATTICE, WORLD, unit};

/// The sides of rectangles in the plane: their logarithms are uniform between these.
const SIDES: [f64; 2] = [0.5, 64.0];
/// The shorter sides of thin rectangles.
const THIN_SIDES: [f64; 2] = [2.0, 16.0];
/// The width of sticks: three times the margin of rays.
const STICK: f64 = 6.0 / LATTICE;
/// The half side of the innermost of nested rectangles, and by how much the next is larger.
const NESTED: [f64; 2] = [WORLD / 4.0, 6.0 / LATTICE];
/// One object of so many is a giant.
const GIANTS: usize = 10;
const SEED: u64 = 0x51AD_2111;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Distribution {
    Uniform,
    /// Normal clusters of widths from 50 to 1000, the wider the more objects; one object in ten is elsewhere.
    Clustered,
    /// Along few straight lines, a quarter of them along the axes.
    Lines,
    /// All in a square of a tenth of the world's side that begins in the middle of the world.
    Crowd,
    /// The same around the middle of the world.
    CrowdAcross,
    /// On one line along an axis.
    LevelLine,
    /// On one slanted line.
    SlantedLine,
    /// On a circle, or the largest circle of a ball, around the middle of the world.
    Ring,
    /// All in one place.
    Equal,
    /// Rectangles around the middle of the world, each a little larger than the last.
    Nested,
    /// Rectangles ten times as long as wide, along either axis.
    Thin10,
    /// A hundred times.
    Thin100,
    /// As high as the world, next to each other.
    Sticks,
    /// One rectangle of ten is about as large as the world.
    Giants,
    /// Rectangles on a grid that do not meet.
    Apart,
    /// The same, all beyond a corner of the world.
    Outside,
}

impl Distribution {
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.expect("no value is skipped").get_name().to_owned()
    }

    /// How many questions there is time for, since so many objects are about as near or meet any window.
    pub(crate) fn questions_max(self, n: usize) -> usize {
        match self {
            Self::Ring => (4_000_000 / n.max(1)).clamp(4, 1000),
            Self::Equal | Self::Nested | Self::Giants => 1000,
            _ => usize::MAX,
        }
    }
}

struct Cluster<const D: usize> {
    center: [f64; D],
    deviation: f64,
}

struct Line<const D: usize> {
    from: [f64; D],
    to: [f64; D],
}

/// Where the center of an object may be, and how its sides are drawn.
pub(crate) struct Places<const D: usize> {
    pub(crate) distribution: Distribution,
    n: usize,
    clusters: Vec<Cluster<D>>,
    lines: Vec<Line<D>>,
}

pub(crate) fn random(stream: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(SEED ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

pub(crate) fn anywhere<const D: usize>(random: &mut Pcg64Mcg) -> [f64; D] {
    in_square([0.0; D], WORLD, random)
}

/// A point of the square, or cube, with this lowest corner.
pub(crate) fn in_square<const D: usize>(corner: [f64; D], side: f64, random: &mut Pcg64Mcg) -> [f64; D] {
    corner.map(|c| c + random.random_range(0.0..side))
}

/// A number whose logarithm is uniform.
fn log_uniform(random: &mut Pcg64Mcg, [low, high]: [f64; 2]) -> f64 {
    low * (high / low).powf(random.random_range(0.0..1.0))
}

fn cluster<const D: usize>(random: &mut Pcg64Mcg) -> Cluster<D> {
    Cluster { center: anywhere(random), deviation: log_uniform(random, [50.0, 1000.0]) }
}

fn line<const D: usize>(random: &mut Pcg64Mcg, number: usize) -> Line<D> {
    let (from, mut to): ([f64; D], [f64; D]) = (anywhere(random), anywhere(random));
    if number.is_multiple_of(4) {
        let along = (number / 4 + 1) % D;
        to = from_fn(|axis| if axis == along { to[axis] } else { from[axis] });
    }
    Line { from, to }
}

impl<const D: usize> Places<D> {
    pub(crate) fn new(distribution: Distribution, n: usize) -> Self {
        let mut random = random(0);
        let (mut clusters, mut lines) = (Vec::new(), Vec::new());
        let (low, high) = ([WORLD * 0.1; D], [WORLD * 0.9; D]);
        match distribution {
            Distribution::Clustered => clusters = (0..64).map(|_| cluster(&mut random)).collect(),
            Distribution::Lines => lines = (0..16).map(|number| line(&mut random, number)).collect(),
            Distribution::LevelLine => {
                let mut from = [WORLD * 0.3; D];
                from[0] = low[0];
                let to = from_fn(|axis| if axis == 0 { high[0] } else { from[axis] });
                lines.push(Line { from, to });
            }
            Distribution::SlantedLine => lines.push(Line { from: low, to: high.map(|c| c * 0.9) }),
            _ => {}
        }
        Self { distribution, n, clusters, lines }
    }

    /// The center and the half sides of the object of a number.
    pub(crate) fn object(&self, number: usize, random: &mut Pcg64Mcg) -> ([f64; D], [f64; D]) {
        match self.distribution {
            Distribution::Sticks => self.stick(number),
            Distribution::Apart => self.apart(number, 0.0, WORLD, random),
            Distribution::Outside => self.apart(number, 1.5 * WORLD, 0.1 * WORLD, random),
            Distribution::Nested => {
                let half = NESTED[0] + NESTED[1] * number as f64;
                ([WORLD / 2.0; D], [half; D])
            }
            _ => {
                let center = self.draw(random);
                (center, self.halves(number, random))
            }
        }
    }

    /// A place where an object might be.
    pub(crate) fn draw(&self, random: &mut Pcg64Mcg) -> [f64; D] {
        match self.distribution {
            Distribution::Clustered if !random.random_bool(0.1) => self.in_cluster(random),
            Distribution::Lines | Distribution::LevelLine | Distribution::SlantedLine => {
                let Line { from, to } = &self.lines[random.random_range(0..self.lines.len())];
                let along = random.random_range(0.0..1.0);
                from_fn(|axis| from[axis] + along * (to[axis] - from[axis]))
            }
            Distribution::Crowd => in_square([WORLD * 0.5; D], WORLD * 0.1, random),
            Distribution::CrowdAcross => in_square([WORLD * 0.45; D], WORLD * 0.1, random),
            Distribution::Outside => in_square([WORLD * 1.5; D], WORLD * 0.1, random),
            Distribution::Equal => [WORLD * 0.3; D],
            Distribution::Ring => {
                let angle = random.random_range(0.0..TAU);
                from_fn(|axis| WORLD * (0.5 + 0.4 * [angle.cos(), angle.sin(), 0.0][axis]))
            }
            _ => anywhere(random),
        }
    }

    fn in_cluster(&self, random: &mut Pcg64Mcg) -> [f64; D] {
        // As many as it is wide, so that narrow clusters are dense but do not hold everything.
        let total: f64 = self.clusters.iter().map(|cluster| cluster.deviation).sum();
        let mut rest = random.random_range(0.0..total);
        let chosen = self.clusters.iter().find(|cluster| {
            rest -= cluster.deviation;
            rest < 0.0
        });
        let Cluster { center, deviation } = chosen.unwrap_or(&self.clusters[0]);
        loop {
            let place = center.map(|c| {
                let normal: f64 = StandardNormal.sample(random);
                c + deviation * normal
            });
            if place.iter().all(|c| (0.0..=WORLD).contains(c)) {
                return place;
            }
        }
    }

    fn halves(&self, number: usize, random: &mut Pcg64Mcg) -> [f64; D] {
        let mut drawn = |sides| log_uniform(random, sides) * unit::<D>() / 2.0;
        match self.distribution {
            Distribution::Thin10 | Distribution::Thin100 => {
                let ratio = if self.distribution == Distribution::Thin10 { 10.0 } else { 100.0 };
                let half = drawn(THIN_SIDES);
                from_fn(|axis| if axis == number % D { half * ratio } else { half })
            }
            Distribution::Giants if number.is_multiple_of(GIANTS) => {
                [(); D].map(|()| random.random_range(0.45..0.5) * WORLD)
            }
            _ => [(); D].map(|()| drawn(SIDES)),
        }
    }

    /// As high as the world; the next one begins where there is still room between.
    fn stick(&self, number: usize) -> ([f64; D], [f64; D]) {
        let pitch = WORLD / self.n.max(1) as f64;
        let along = |axis: usize, first: f64, other: f64| if axis == 0 { first } else { other };
        let center = from_fn(|axis| along(axis, (number as f64 + 0.5) * pitch, WORLD / 2.0));
        (center, from_fn(|axis| along(axis, STICK / 2.0, WORLD / 2.0)))
    }

    /// In a grid's cell of its own.
    fn apart(&self, number: usize, corner: f64, side: f64, random: &mut Pcg64Mcg) -> ([f64; D], [f64; D]) {
        let cells = (self.n as f64).powf(1.0 / D as f64).ceil() as usize;
        let cell = side / cells as f64;
        let center = from_fn(|axis| {
            let column = number / cells.pow(axis as u32) % cells;
            corner + (column as f64 + 0.5) * cell
        });
        (center, [(); D].map(|()| (random.random_range(0.1..0.4) * cell).max(1.0 / LATTICE)))
    }
}
