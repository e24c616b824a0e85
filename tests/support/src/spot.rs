//! Coordinates that are awkward in any world: lattice lines, cell edges, neighbours, extremes.

use proptest::prelude::*;
use quadrille::Rect;

use super::Real;
use super::oracle::Span;
use super::scene::side_of;

/// A coordinate, said without its scalar and its world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    place: Place,
    nudge: i8,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// So many sixteenths of the side from the world's minimum.
    Sixteenth(i16),
    /// `at / 2^level` of the side from the world's minimum.
    Fine {
        level: u8,
        at: i64,
    },
    Fixed(Fixed),
}

/// A number that is the same in every world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fixed {
    Zero,
    MinusZero,
    Smallest,
    MinusSmallest,
    Largest,
    MinusLargest,
    Infinity,
    MinusInfinity,
}

impl Fixed {
    pub const FINITE: [Self; 6] =
        [Self::Zero, Self::MinusZero, Self::Smallest, Self::MinusSmallest, Self::Largest, Self::MinusLargest];

    fn value<S: Real>(self) -> S {
        match self {
            Self::Zero => S::of(0.0),
            Self::MinusZero => S::of(-0.0),
            Self::Smallest => S::SMALLEST,
            Self::MinusSmallest => S::of(0.0).down(),
            Self::Largest => S::LARGEST,
            Self::MinusLargest => S::of(-S::LARGEST.value()),
            Self::Infinity => S::of(f64::INFINITY),
            Self::MinusInfinity => S::of(f64::NEG_INFINITY),
        }
    }
}

/// So many sixteenths of the side from the world's minimum.
pub const fn at(sixteenths: i16) -> Spot {
    Spot { place: Place::Sixteenth(sixteenths), nudge: 0 }
}

/// A number that is the same in every world.
pub const fn fixed(number: Fixed) -> Spot {
    Spot { place: Place::Fixed(number), nudge: 0 }
}

/// `at / 2^level` of the side from the world's minimum.
pub const fn fine(level: u8, at: i64) -> Spot {
    Spot { place: Place::Fine { level, at }, nudge: 0 }
}

impl Spot {
    /// So many neighbours further.
    pub const fn nudged(self, by: i8) -> Self {
        Self { nudge: by, ..self }
    }

    /// The next number above.
    pub const fn up(self) -> Self {
        Self { nudge: self.nudge + 1, ..self }
    }

    /// The next number below.
    pub const fn down(self) -> Self {
        Self { nudge: self.nudge - 1, ..self }
    }

    /// A spot so many sixteenths on; a fixed number stays where it is.
    fn moved(self, sixteenths: i16) -> Self {
        let place = match self.place {
            Place::Sixteenth(at) => Place::Sixteenth(at + sixteenths),
            Place::Fine { level, at } => Place::Fine { level, at: at + i64::from(sixteenths) * ((1 << level) / 16) },
            Place::Fixed(number) => Place::Fixed(number),
        };
        Self { place, ..self }
    }

    /// A spot at most `1 / 2^level` of the side on.
    fn beyond(self, level: u8) -> Self {
        let place = match self.place {
            Place::Sixteenth(at) => Place::Fine { level: level + 4, at: (i64::from(at) << level) + 1 },
            Place::Fine { level: own, at } if own < level => Place::Fine { level, at: (at << (level - own)) + 1 },
            Place::Fine { level: own, at } => Place::Fine { level: own, at: at + 1 },
            Place::Fixed(number) => Place::Fixed(number),
        };
        Self { place, ..self }
    }

    /// The coordinate on one axis of a world whose longest side is `side`.
    pub fn resolve<S: Real>(self, world_min: S, side: S) -> S {
        // Halves are exact, and the largest worlds do not overflow on the way.
        let along = |part: f64| S::of((world_min.value() * 0.5 + side.value() * 0.5 * part) * 2.0);
        let spot = match self.place {
            Place::Sixteenth(at) => along(f64::from(at) / 16.0),
            Place::Fine { level, at } => along(part(at, level)),
            Place::Fixed(number) => return number.value(),
        };
        (0..self.nudge.unsigned_abs()).fold(Self::finite(spot.value()), |spot, _| {
            let next = if self.nudge < 0 { spot.down() } else { spot.up() };
            Self::finite(next.value())
        })
    }

    /// The nearest finite number.
    pub fn finite<S: Real>(number: f64) -> S {
        let largest = S::LARGEST.value();
        S::of(number.clamp(-largest, largest))
    }
}

/// `at / 2^level`.
#[expect(clippy::cast_precision_loss, reason = "at most 35 bits")]
fn part(at: i64, level: u8) -> f64 {
    at as f64 / (1_i64 << level) as f64
}

/// A shape, said without its scalar, its dimension and its world.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    pub corner: [Spot; 3],
    pub opposite: [Spot; 3],
}

impl Outline {
    pub fn span<S: Real, const D: usize>(&self, world: &Rect<S, D>) -> Span<S, D> {
        let side = side_of(world);
        let resolve = |corner: &[Spot; 3]| core::array::from_fn(|axis| corner[axis].resolve(world.min()[axis], side));
        Span::between(resolve(&self.corner), resolve(&self.opposite))
    }

    /// The same outline with all of it so many sixteenths on.
    pub fn moved(&self, sixteenths: i16) -> Self {
        Self {
            corner: self.corner.map(|spot| spot.moved(sixteenths)),
            opposite: self.opposite.map(|spot| spot.moved(sixteenths)),
        }
    }
}

/// Lattice lines inside the world and a little outside, so that edges coincide.
fn lattice() -> BoxedStrategy<Spot> {
    (-3_i16..=20).prop_map(at).boxed()
}

/// Numbers near the edges of cells of every level, and the extremes.
pub fn awkward() -> BoxedStrategy<Spot> {
    let nudge = prop_oneof![3 => Just(0_i8), 1 => -2_i8..=2];
    let place = prop_oneof![
        4 => (-3_i16..=20).prop_map(Place::Sixteenth),
        4 => (0_u8..=30, any::<u32>()).prop_map(|(level, at)| Place::Fine {
            level,
            at: i64::from(at) % ((1 << level) + 1),
        }),
        1 => prop::sample::select(&Fixed::FINITE[..]).prop_map(Place::Fixed),
    ];
    (place, nudge).prop_map(|(place, nudge)| Spot { place, nudge }).boxed()
}

/// Mostly lattice lines, now and then something awkward.
fn spot() -> BoxedStrategy<Spot> {
    prop_oneof![6 => lattice(), 1 => awkward()].boxed()
}

/// Outlines of all sizes, none included.
pub fn outline() -> BoxedStrategy<Outline> {
    let steps = prop_oneof![3 => Just(0_i16), 4 => 0_i16..=2, 1 => 0_i16..=20];
    let beside = ([spot(), spot(), spot()], [steps.clone(), steps.clone(), steps]).prop_map(|(corner, steps)| {
        Outline { corner, opposite: core::array::from_fn(|axis| corner[axis].moved(steps[axis])) }
    });
    let short = ([spot(), spot(), spot()], 4_u8..=30)
        .prop_map(|(corner, level)| Outline { corner, opposite: corner.map(|spot| spot.beyond(level)) });
    prop_oneof![3 => beside, 1 => short, 1 => awkward_outline()].boxed()
}

/// Outlines whose corners are both awkward.
pub fn awkward_outline() -> BoxedStrategy<Outline> {
    ([awkward(), awkward(), awkward()], [awkward(), awkward(), awkward()], 0_u8..4)
        .prop_map(|(corner, opposite, degenerate)| Outline {
            corner,
            opposite: if degenerate == 0 { corner } else { opposite },
        })
        .boxed()
}
