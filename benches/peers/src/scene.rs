//! The seeded worlds: all objects of one distribution, how they move, and the questions about them.

use std::array::from_fn;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::{Distribution as _, StandardNormal};
use rand_pcg::Pcg64Mcg;

use crate::check::Referee;
use crate::data::{LATTICE, Point, Rect, Scalar, Shape, WORLD, greater, lesser, on_lattice, unit};
use crate::exact::{Segment, square, square_of};
use crate::places::{Distribution, Places, anywhere, in_square, random};
use crate::workload::From;

/// The largest absolute value of a coordinate of a far target.
const FAR: f64 = 1_000_000.0;

/// All objects of one distribution, form and number, and their changes.
pub(crate) struct Scene<P, S = f32, const D: usize = 2> {
    pub(crate) distribution: Distribution,
    pub(crate) world: Rect<S, D>,
    pub(crate) shapes: Vec<P>,
    places: Places<D>,
}

impl<P: Shape<S, D>, S: Scalar, const D: usize> Scene<P, S, D> {
    pub(crate) fn new(distribution: Distribution, n: usize) -> Self {
        let places = Places::new(distribution, n);
        let shapes = shapes(&places, n, &mut random(1));
        Self { distribution, world: Rect::world(), shapes, places }
    }

    /// The shapes after one more tick, in which each moves by up to a unit on each axis.
    pub(crate) fn moved(shapes: &[P], tick: u64) -> Vec<P> {
        let mut random = random(100 + tick);
        let mut step = || on_lattice(random.random_range(-1.0..=1.0) * unit::<D>());
        shapes.iter().map(|shape| P::of(shape.bounds().shifted([(); D].map(|()| step())))).collect()
    }

    /// As many other shapes of the same distribution: each object somewhere else.
    pub(crate) fn teleported(&self, round: u64) -> Vec<P> {
        shapes(&self.places, self.shapes.len(), &mut random(200 + round))
    }

    /// A random order of all objects.
    pub(crate) fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.shapes.len() as u32).collect();
        order.shuffle(&mut random(2));
        order
    }

    /// Windows of one size that hold `target` objects on average, where the objects are: anywhere if they are uniform,
    /// otherwise around random objects.
    pub(crate) fn windows(&self, referee: &Referee<S, D>, count: usize, target: u32) -> Vec<Rect<S, D>> {
        let centers = self.centers(count, u64::from(target));
        let half = half_for(referee, &centers, target);
        centers.iter().map(|&center| self.window(center, half)).collect()
    }

    /// Points where the objects are.
    pub(crate) fn points(&self, count: usize) -> Vec<Point<S, D>> {
        self.centers(count, 0)
    }

    /// Points to be near to.
    pub(crate) fn spots(&self, count: usize, from: From) -> Vec<Point<S, D>> {
        let mut random = random(3);
        (0..count).map(|_| self.spot(from, &mut random).map(on_lattice)).collect()
    }

    fn spot(&self, from: From, random: &mut Pcg64Mcg) -> [f64; D] {
        match from {
            From::Inside => self.places.draw(random),
            From::Anywhere => anywhere(random),
            From::Corner => in_square([0.0; D], WORLD * 0.2, random),
            From::Side => {
                let corner = from_fn(|axis| if axis == 0 { 0.0 } else { WORLD * 0.45 });
                in_square(corner, WORLD * 0.15, random)
            }
            From::Center => in_square([WORLD / 2.0; D], 2.0 / LATTICE, random),
            From::Far => direction(random).map(|part| part * FAR),
        }
    }

    /// Segments from where objects might be, in any direction.
    pub(crate) fn segments(&self, count: usize, length: f64) -> impl Iterator<Item = Segment<S, D>> {
        let mut random = random(4);
        let nested = self.distribution == Distribution::Nested;
        (0..count).map(move |_| {
            let start = if nested { anywhere(&mut random) } else { self.places.draw(&mut random) };
            let way: [f64; D] = direction(&mut random);
            Segment { from: start.map(on_lattice), to: from_fn(|axis| on_lattice(start[axis] + length * way[axis])) }
        })
    }

    /// Half the side of squares around objects that meet `target` others on average.
    pub(crate) fn neighbourhood(&self, referee: &Referee<S, D>, target: u32) -> S {
        half_for(referee, &sample(&self.shapes), target)
    }

    fn window(&self, center: Point<S, D>, half: S) -> Rect<S, D> {
        if self.distribution == Distribution::Uniform {
            // All inside the world, so that all find about as many.
            let high = greater(S::from_f64(WORLD) - half, half);
            Rect::around(center.map(|c| lesser(greater(c, half), high)), half)
        } else {
            Rect::around(center, half)
        }
    }

    fn centers(&self, count: usize, stream: u64) -> Vec<Point<S, D>> {
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

/// A way of length 1, in any direction.
fn direction<const D: usize>(random: &mut Pcg64Mcg) -> [f64; D] {
    let way: [f64; D] = [(); D].map(|()| StandardNormal.sample(random));
    let length = way.iter().map(|part| part * part).sum::<f64>().sqrt();
    way.map(|part| part / length)
}

fn shapes<P: Shape<S, D>, S: Scalar, const D: usize>(places: &Places<D>, n: usize, random: &mut Pcg64Mcg) -> Vec<P> {
    let shape = |number| {
        let (center, half) = places.object(number, random);
        // Centers and half sides on the lattice, so that corners are too.
        let (center, half): (Point<S, D>, Point<S, D>) = (center.map(on_lattice), half.map(on_lattice));
        let rect =
            Rect { min: from_fn(|axis| center[axis] - half[axis]), max: from_fn(|axis| center[axis] + half[axis]) };
        let inside = places.distribution != Distribution::Outside;
        P::of(if inside { rect.shifted([S::from_f64(0.0); D]) } else { rect })
    };
    (0..n).map(shape).collect()
}

/// The centers of some of the objects.
pub(crate) fn sample<P: Shape<S, D>, S: Scalar, const D: usize>(shapes: &[P]) -> Vec<Point<S, D>> {
    shapes.iter().step_by(shapes.len() / 500 + 1).map(|shape| shape.bounds().center()).collect()
}

/// Half the side of squares around these centers that meet `target` objects on average.
pub(crate) fn half_for<S: Scalar, const D: usize>(referee: &Referee<S, D>, centers: &[Point<S, D>], target: u32) -> S {
    bisected(centers, target, |center, half, found| referee.each_in(&Rect::around(center, half), |_| *found += 1))
}

/// The distance from these centers within which `target` objects are on average.
pub(crate) fn distance_for<S: Scalar, const D: usize>(
    referee: &Referee<S, D>,
    centers: &[Point<S, D>],
    target: u32,
) -> S {
    bisected(centers, target, |center, distance, found| {
        let limit = square_of(distance);
        referee.each_in_with_bounds(&Rect::around(center, distance), |rect, _| {
            *found += u64::from(square(&Rect::at(center), rect) <= limit);
        });
    })
}

/// The extent at which a sample of centers finds `target` objects on average, found by bisection.
fn bisected<S: Scalar, const D: usize>(
    centers: &[Point<S, D>],
    target: u32,
    mut find: impl FnMut(Point<S, D>, S, &mut u64),
) -> S {
    let sample = &centers[..centers.len().min(500)];
    let wanted = u64::from(target) * sample.len() as u64;
    let (mut low, mut high) = (0.0, WORLD / 2.0);
    for _ in 0..20 {
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
