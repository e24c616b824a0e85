//! The seeded worlds: where objects are, how they move, and which windows are asked for.
//!
//! Every coordinate is a multiple of `1 / LATTICE`, which is what an `f32` resolves up to twice the side of the world.
//! So centers, half sides and distances are exact, and a contender that wants another notation of a rectangle, or
//! `f64`, gets the same rectangle.

use clap::ValueEnum;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution as _, StandardNormal};
use rand_pcg::Pcg64Mcg;
use serde::Serialize;

use crate::check::Referee;
use crate::exact::{Segment, square, square_of};

/// The side of the world, a square with a corner at the origin.
pub(crate) const WORLD: f32 = 16_384.0;
pub(crate) const LATTICE: f64 = 512.0;
/// The sides of rectangles: their logarithms are uniform between these.
const SIDES: [f64; 2] = [0.5, 64.0];
const SEED: u64 = 0x51AD_2111;

pub(crate) type Point = [f32; 2];

/// A closed box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) min: Point,
    pub(crate) max: Point,
}

impl Rect {
    pub(crate) const WORLD: Self = Self { min: [0.0; 2], max: [WORLD; 2] };

    pub(crate) fn at(point: Point) -> Self {
        Self { min: point, max: point }
    }

    pub(crate) fn around(center: Point, half: f32) -> Self {
        Self { min: center.map(|c| c - half), max: center.map(|c| c + half) }
    }

    /// Exact, as all is on the lattice.
    pub(crate) fn center(&self) -> Point {
        [0, 1].map(|axis| f32::midpoint(self.min[axis], self.max[axis]))
    }

    pub(crate) fn size(&self) -> Point {
        [0, 1].map(|axis| self.max[axis] - self.min[axis])
    }

    /// Whether the two share a point: touching counts.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        (self.min[0] <= other.max[0])
            & (other.min[0] <= self.max[0])
            & (self.min[1] <= other.max[1])
            & (other.min[1] <= self.max[1])
    }

    /// Larger by so much on each side.
    pub(crate) fn grown(&self, by: f32) -> Self {
        Self { min: self.min.map(|c| c - by), max: self.max.map(|c| c + by) }
    }

    /// The box that an open comparison (`<`) finds the same objects in as a closed one (`<=`) finds in this box.
    pub(crate) fn opened(&self) -> Self {
        Self { min: self.min.map(f32::next_down), max: self.max.map(f32::next_up) }
    }

    /// Moved by a step, but not out of the world.
    fn shifted(&self, step: Point) -> Self {
        let size = self.size();
        let min = [0, 1].map(|axis| (self.min[axis] + step[axis]).clamp(0.0, WORLD - size[axis]));
        Self { min, max: [0, 1].map(|axis| min[axis] + size[axis]) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    Point,
    Rect,
}

impl Form {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Rect => "rect",
        }
    }
}

/// What a contender holds: points or rectangles.
pub(crate) trait Shape: Copy + std::fmt::Debug + 'static {
    const FORM: Form;

    fn bounds(&self) -> Rect;
    /// The shape with these bounds; a point is their center.
    fn of(bounds: Rect) -> Self;
}

impl Shape for Point {
    const FORM: Form = Form::Point;

    #[inline]
    fn bounds(&self) -> Rect {
        Rect::at(*self)
    }

    fn of(bounds: Rect) -> Self {
        bounds.center()
    }
}

impl Shape for Rect {
    const FORM: Form = Form::Rect;

    #[inline]
    fn bounds(&self) -> Rect {
        *self
    }

    fn of(bounds: Rect) -> Self {
        bounds
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Distribution {
    Uniform,
    /// Normal clusters of widths from 50 to 1000, the wider the more objects; one object in ten is elsewhere.
    Clustered,
    /// Along few straight lines, a quarter of them along the axes.
    Lines,
}

impl Distribution {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Clustered => "clustered",
            Self::Lines => "lines",
        }
    }
}

struct Cluster {
    center: [f64; 2],
    deviation: f64,
}

struct Line {
    from: [f64; 2],
    to: [f64; 2],
}

/// Where objects may be.
enum Places {
    Anywhere,
    Clusters(Vec<Cluster>),
    Lines(Vec<Line>),
}

impl Places {
    fn new(distribution: Distribution) -> Self {
        let mut random = random(0);
        match distribution {
            Distribution::Uniform => Self::Anywhere,
            Distribution::Clustered => Self::Clusters((0..64).map(|_| cluster(&mut random)).collect()),
            Distribution::Lines => Self::Lines((0..16).map(|number| line(&mut random, number)).collect()),
        }
    }

    fn draw(&self, random: &mut Pcg64Mcg) -> [f64; 2] {
        match self {
            Self::Clusters(clusters) if !random.random_bool(0.1) => {
                // As many as it is wide, so that narrow clusters are dense but do not hold everything.
                let total: f64 = clusters.iter().map(|cluster| cluster.deviation).sum();
                let mut rest = random.random_range(0.0..total);
                let chosen = clusters.iter().find(|cluster| {
                    rest -= cluster.deviation;
                    rest < 0.0
                });
                let Cluster { center, deviation } = chosen.unwrap_or(&clusters[0]);
                loop {
                    let place = center.map(|c| {
                        let normal: f64 = StandardNormal.sample(random);
                        c + deviation * normal
                    });
                    if place.iter().all(|c| (0.0..=f64::from(WORLD)).contains(c)) {
                        return place;
                    }
                }
            }
            Self::Anywhere | Self::Clusters(_) => anywhere(random),
            Self::Lines(lines) => {
                let Line { from, to } = &lines[random.random_range(0..lines.len())];
                let along = random.random_range(0.0..1.0);
                [0, 1].map(|axis| from[axis] + along * (to[axis] - from[axis]))
            }
        }
    }
}

fn random(stream: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(SEED ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

fn anywhere(random: &mut Pcg64Mcg) -> [f64; 2] {
    [(); 2].map(|()| random.random_range(0.0..f64::from(WORLD)))
}

/// The number of which the logarithm is uniform.
fn log_uniform(random: &mut Pcg64Mcg, [low, high]: [f64; 2]) -> f64 {
    low * (high / low).powf(random.random_range(0.0..1.0))
}

fn cluster(random: &mut Pcg64Mcg) -> Cluster {
    Cluster { center: anywhere(random), deviation: log_uniform(random, [50.0, 1000.0]) }
}

fn line(random: &mut Pcg64Mcg, number: usize) -> Line {
    let (from, mut to) = (anywhere(random), anywhere(random));
    if number.is_multiple_of(4) {
        let axis = number / 4 % 2;
        to[axis] = from[axis];
    }
    Line { from, to }
}

fn on_lattice(value: f64) -> f32 {
    ((value * LATTICE).round() / LATTICE) as f32
}

/// All objects of one distribution, form and number, and what happens to them.
pub(crate) struct Scene<P> {
    pub(crate) distribution: Distribution,
    pub(crate) shapes: Vec<P>,
    places: Places,
}

impl<P: Shape> Scene<P> {
    pub(crate) fn new(distribution: Distribution, n: usize) -> Self {
        let places = Places::new(distribution);
        let mut random = random(1);
        let shapes = (0..n).map(|_| draw(&places, &mut random)).collect();
        Self { distribution, shapes, places }
    }

    /// The shapes after one more tick, in which each moves by up to one unit on each axis.
    pub(crate) fn moved(shapes: &[P], tick: u64) -> Vec<P> {
        let mut random = random(100 + tick);
        let mut step = || on_lattice(random.random_range(-1.0..=1.0));
        shapes.iter().map(|shape| P::of(shape.bounds().shifted([step(), step()]))).collect()
    }

    /// As many other shapes of the same distribution: each object somewhere else.
    pub(crate) fn teleported(&self, round: u64) -> Vec<P> {
        let mut random = random(200 + round);
        self.shapes.iter().map(|_| draw(&self.places, &mut random)).collect()
    }

    /// A random order of all objects.
    pub(crate) fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.shapes.len() as u32).collect();
        order.shuffle(&mut random(2));
        order
    }

    /// Windows of one size that hold `target` objects on average, where the objects are: anywhere if they are uniform,
    /// otherwise around random objects.
    pub(crate) fn windows(&self, referee: &Referee, count: usize, target: u32) -> Vec<Rect> {
        let centers = self.centers(count, u64::from(target));
        let half = half_for(referee, &centers, target);
        centers.iter().map(|&center| self.window(center, half)).collect()
    }

    /// Points where the objects are.
    pub(crate) fn points(&self, count: usize) -> Vec<Point> {
        self.centers(count, 0)
    }

    /// New places where objects might be.
    pub(crate) fn spots(&self, count: usize) -> Vec<Point> {
        let mut random = random(3);
        (0..count).map(|_| self.places.draw(&mut random).map(on_lattice)).collect()
    }

    /// Segments from such places in any direction.
    pub(crate) fn segments(&self, count: usize, length: f64) -> impl Iterator<Item = Segment> {
        let mut random = random(4);
        (0..count).map(move |_| {
            let from = self.places.draw(&mut random).map(on_lattice);
            let angle = random.random_range(0.0..std::f64::consts::TAU);
            let end = |axis: usize| on_lattice(f64::from(from[axis]) + length * [angle.cos(), angle.sin()][axis]);
            Segment { from, to: [0, 1].map(end) }
        })
    }

    /// Half the side of squares around objects that meet `target` others on average.
    pub(crate) fn neighbourhood(&self, referee: &Referee, target: u32) -> f32 {
        let step = self.shapes.len() / 500 + 1;
        let centers: Vec<Point> = self.shapes.iter().step_by(step).map(|shape| shape.bounds().center()).collect();
        half_for(referee, &centers, target)
    }

    fn window(&self, center: Point, half: f32) -> Rect {
        if self.distribution == Distribution::Uniform {
            // All inside the world, so that all find about as many.
            Rect::around(center.map(|c| c.clamp(half, (WORLD - half).max(half))), half)
        } else {
            Rect::around(center, half)
        }
    }

    fn centers(&self, count: usize, stream: u64) -> Vec<Point> {
        let mut random = random(10_000 + stream);
        let center = |_| {
            if self.distribution == Distribution::Uniform || self.shapes.is_empty() {
                anywhere(&mut random).map(on_lattice)
            } else {
                self.shapes[random.random_range(0..self.shapes.len())].bounds().center()
            }
        };
        (0..count).map(center).collect()
    }
}

fn draw<P: Shape>(places: &Places, random: &mut Pcg64Mcg) -> P {
    let center = places.draw(random).map(on_lattice);
    // Half sides on the lattice, so that centers are too.
    let half = [(); 2].map(|()| on_lattice(log_uniform(random, SIDES) / 2.0));
    let rect =
        Rect { min: [0, 1].map(|axis| center[axis] - half[axis]), max: [0, 1].map(|axis| center[axis] + half[axis]) };
    P::of(rect.shifted([0.0; 2]))
}

/// Half the side of squares around these centers that meet `target` objects on average.
pub(crate) fn half_for(referee: &Referee, centers: &[Point], target: u32) -> f32 {
    bisected(centers, target, |center, half, found| referee.each_in(&Rect::around(center, half), |_| *found += 1))
}

/// The distance from these centers within which `target` objects are on average.
pub(crate) fn distance_for(referee: &Referee, centers: &[Point], target: u32) -> f32 {
    bisected(centers, target, |center, distance, found| {
        let limit = square_of(distance);
        referee.each_in_with_bounds(&Rect::around(center, distance), |rect, _| {
            *found += u64::from(square(&Rect::at(center), rect) <= limit);
        });
    })
}

/// The extent at which a sample of centers finds `target` objects on average, found by bisection.
fn bisected(centers: &[Point], target: u32, mut find: impl FnMut(Point, f32, &mut u64)) -> f32 {
    let sample = &centers[..centers.len().min(500)];
    let wanted = u64::from(target) * sample.len() as u64;
    let (mut low, mut high) = (0.0, f64::from(WORLD) / 2.0);
    for _ in 0..16 {
        let half = f64::midpoint(low, high);
        let mut found = 0;
        for &center in sample {
            find(center, on_lattice(half), &mut found);
            if wanted < found {
                break;
            }
        }
        if found < wanted { low = half } else { high = half }
    }
    on_lattice(f64::midpoint(low, high))
}
