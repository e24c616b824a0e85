//! Where objects are. All coordinates are multiples of `1 / LATTICE`, so differences, squares of short distances and sums of
//! steps are exact, whoever adds them up in whatever order.

use quadrille::{Quadtree, Rect};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution as _, StandardNormal};
use rand_pcg::Pcg64Mcg;

pub(crate) const LATTICE: f32 = 128.0;

/// The next multiple of a lattice step. The constant makes the processor round; `round` is slow on old ones.
pub(crate) fn on_lattice(value: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    if value.abs() < 4096.0 {
        ((value * LATTICE + ROUND) - ROUND) / LATTICE
    } else {
        (value * LATTICE).round() / LATTICE
    }
}

pub(crate) fn random(stream: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(0x51AD_2111 ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

pub(crate) const DISTRIBUTIONS: [&str; 2] = ["uniform", "clustered"];

/// A square world, and a way to draw places in it.
pub(crate) struct Places {
    pub(crate) side: f32,
    /// Centers and deviations; none if places are uniform.
    clusters: Vec<([f32; 2], f32)>,
    pub(crate) random: Pcg64Mcg,
}

impl Places {
    /// A world in which each of so many objects has so much room.
    pub(crate) fn new(distribution: &str, objects: usize, room: f32) -> Self {
        let side = (objects as f32 * room).sqrt().ceil();
        let mut random = random(objects as u64);
        let mut cluster = |_| {
            let center = [(); 2].map(|()| random.random_range(0.0..side));
            (center, side * random.random_range(0.02..0.1))
        };
        let clusters = if distribution == "clustered" { (0..48).map(&mut cluster).collect() } else { Vec::new() };
        Self { side, clusters, random }
    }

    pub(crate) fn world(&self) -> Rect {
        Rect::new([0.0; 2], [self.side; 2])
    }

    pub(crate) fn point(&mut self) -> [f32; 2] {
        let (random, side) = (&mut self.random, self.side);
        // One object in ten is anywhere.
        if self.clusters.is_empty() || random.random_bool(0.1) {
            return [(); 2].map(|()| on_lattice(random.random_range(0.0..side)));
        }
        let (center, deviation) = self.clusters[random.random_range(0..self.clusters.len())];
        loop {
            let at = center.map(|c| {
                let normal: f32 = StandardNormal.sample(random);
                c + deviation * normal
            });
            if at.iter().all(|c| (0.0..=side).contains(c)) {
                return at.map(on_lattice);
            }
        }
    }

    /// A step of up to so much along each axis.
    pub(crate) fn step(&mut self, up_to: f32) -> [f32; 2] {
        [(); 2].map(|()| on_lattice(self.random.random_range(-up_to..=up_to)))
    }

    /// So many, sorted by place: a list in the order of space is worth its sort to every contender.
    pub(crate) fn sorted<A>(
        &mut self,
        count: usize,
        mut draw: impl FnMut(&mut Self) -> A,
        at: impl Fn(&A) -> [f32; 2],
    ) -> Vec<A> {
        let mut items: Vec<A> = (0..count).map(|_| draw(self)).collect();
        let index: Quadtree<()> = Quadtree::new(self.world()).expect("a world");
        index.sort_by_place(&mut items, at);
        items
    }
}

/// A coordinate after a step, which turns at the edges of the world.
pub(crate) fn stepped(at: f32, step: &mut f32, low: f32, high: f32) -> f32 {
    if !(low..=high).contains(&(at + *step)) {
        *step = -*step;
    }
    at + *step
}
