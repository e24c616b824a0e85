//! The polygons: smooth and rough ones around the middle of the world, and islands in any order.

use std::f64::consts::TAU;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

pub(super) const SIDE: f64 = 10_000.0;

pub(super) struct Outline {
    pub(super) name: &'static str,
    corners: usize,
    kind: Kind,
}

enum Kind {
    /// A few bays and capes.
    Smooth,
    /// Each corner at a distance of its own: the border is everywhere.
    Rough,
    /// As a coast: bays in bays (the midpoint of each side is moved by a part of its length, again and again).
    Coast,
    /// Of ten corners each, in a random order.
    Islands,
}

const fn outline(name: &'static str, corners: usize, kind: Kind) -> Outline {
    Outline { name, corners, kind }
}

pub(super) const OUTLINES: [Outline; 9] = [
    outline("smooth", 100, Kind::Smooth),
    outline("rough", 100, Kind::Rough),
    outline("smooth", 1_000, Kind::Smooth),
    outline("rough", 1_000, Kind::Rough),
    outline("smooth", 10_000, Kind::Smooth),
    outline("rough", 10_000, Kind::Rough),
    outline("smooth", 50_000, Kind::Smooth),
    outline("coast", 65_536, Kind::Coast),
    outline("islands", 50_000, Kind::Islands),
];

impl Outline {
    pub(super) fn rings(&self, random: &mut Pcg64Mcg) -> Vec<Vec<[f64; 2]>> {
        let middle = [SIDE / 2.0; 2];
        match self.kind {
            Kind::Smooth => vec![around(middle, self.corners, |turn| {
                SIDE * (0.35 + 0.08 * (5.0 * turn).sin() + 0.03 * (23.0 * turn).cos())
            })],
            Kind::Rough => vec![around(middle, self.corners, |_| SIDE * random.random_range(0.2..0.45))],
            Kind::Coast => vec![coast(self.corners, random)],
            Kind::Islands => islands(self.corners / 10, random),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn around(middle: [f64; 2], corners: usize, mut radius: impl FnMut(f64) -> f64) -> Vec<[f64; 2]> {
    let corner = |number: usize| {
        let turn = number as f64 / corners as f64 * TAU;
        let radius = radius(turn);
        [middle[0] + radius * turn.cos(), middle[1] + radius * turn.sin()]
    };
    (0..corners).map(corner).collect()
}

fn coast(corners: usize, random: &mut Pcg64Mcg) -> Vec<[f64; 2]> {
    let mut ring = around([SIDE / 2.0; 2], 4, |_| SIDE * 0.4);
    while ring.len() < corners {
        let next = ring.iter().skip(1).chain(&ring[..1]);
        let halves = ring.iter().zip(next).flat_map(|(&from, &to)| {
            let aside = random.random_range(-0.25..0.25);
            let step = [to[0] - from[0], to[1] - from[1]];
            [from, [from[0] + step[0] / 2.0 - aside * step[1], from[1] + step[1] / 2.0 + aside * step[0]]]
        });
        ring = halves.collect();
    }
    ring
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn islands(count: usize, random: &mut Pcg64Mcg) -> Vec<Vec<[f64; 2]>> {
    let side = count.isqrt() + 1;
    let cell = SIDE / side as f64;
    let mut rings: Vec<_> = (0..count)
        .map(|number| {
            let middle = [number % side, number / side].map(|at| (at as f64 + 0.5) * cell);
            around(middle, 10, |_| cell * random.random_range(0.2..0.45))
        })
        .collect();
    for last in (1..rings.len()).rev() {
        rings.swap(last, random.random_range(0..=last));
    }
    rings
}
