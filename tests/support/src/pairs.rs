//! Two intervals and how they lie to each other: the table of edge cases.

use quadrille::Rect;

use super::Real;
use super::oracle::{Relation, Span};
use super::scene::{Scene, side_of};
use super::spot::{Fixed, Spot, at, fixed};

/// An object and a region on one axis, and whether they intersect, the object is contained, and contains.
pub struct Pair {
    pub name: &'static str,
    pub object: [Spot; 2],
    pub region: [Spot; 2],
    pub intersecting: bool,
    pub contained_in: bool,
    pub containing: bool,
}

const fn pair(name: &'static str, object: [Spot; 2], region: [Spot; 2], expected: [bool; 3]) -> Pair {
    let [intersecting, contained_in, containing] = expected;
    Pair { name, object, region, intersecting, contained_in, containing }
}

const MOST: Spot = fixed(Fixed::Largest);
const LEAST: Spot = fixed(Fixed::MinusLargest);
const ENDLESS: Spot = fixed(Fixed::Infinity);
const BOTTOMLESS: Spot = fixed(Fixed::MinusInfinity);

const APART: [bool; 3] = [false, false, false];
const MEETS: [bool; 3] = [true, false, false];
const INSIDE: [bool; 3] = [true, true, false];
const AROUND: [bool; 3] = [true, false, true];
const EQUAL: [bool; 3] = [true, true, true];

/// Sixteenths of the world's side; the world is 0 to 16.
#[rustfmt::skip]
const PAIRS: &[Pair] = &[
    pair("apart", [at(2), at(4)], [at(8), at(10)], APART),
    pair("apart, the other way", [at(8), at(10)], [at(2), at(4)], APART),
    pair("touching from the left", [at(2), at(4)], [at(4), at(10)], MEETS),
    pair("touching from the right", [at(10), at(12)], [at(4), at(10)], MEETS),
    pair("one neighbour short, left", [at(2), at(4).down()], [at(4), at(10)], APART),
    pair("one neighbour short, right", [at(10).up(), at(12)], [at(4), at(10)], APART),
    pair("one neighbour over, left", [at(2), at(4).up()], [at(4), at(10)], MEETS),
    pair("one neighbour over, right", [at(10).down(), at(12)], [at(4), at(10)], MEETS),
    pair("overlapping", [at(2), at(6)], [at(4), at(10)], MEETS),
    pair("inside", [at(5), at(9)], [at(4), at(10)], INSIDE),
    pair("inside, sharing the left edge", [at(4), at(9)], [at(4), at(10)], INSIDE),
    pair("inside, sharing the right edge", [at(5), at(10)], [at(4), at(10)], INSIDE),
    pair("around", [at(2), at(12)], [at(4), at(10)], AROUND),
    pair("around, sharing the left edge", [at(4), at(12)], [at(4), at(10)], AROUND),
    pair("around, sharing the right edge", [at(2), at(10)], [at(4), at(10)], AROUND),
    pair("equal", [at(4), at(10)], [at(4), at(10)], EQUAL),
    pair("smaller by a neighbour, left", [at(4).up(), at(10)], [at(4), at(10)], INSIDE),
    pair("smaller by a neighbour, right", [at(4), at(10).down()], [at(4), at(10)], INSIDE),
    pair("larger by a neighbour, left", [at(4).down(), at(10)], [at(4), at(10)], AROUND),
    pair("larger by a neighbour, right", [at(4), at(10).up()], [at(4), at(10)], AROUND),
    pair("larger left, smaller right", [at(4).down(), at(10).down()], [at(4), at(10)], MEETS),
    pair("a point inside", [at(6), at(6)], [at(4), at(10)], INSIDE),
    pair("a point on the left edge", [at(4), at(4)], [at(4), at(10)], INSIDE),
    pair("a point on the right edge", [at(10), at(10)], [at(4), at(10)], INSIDE),
    pair("a point before the edge", [at(4).down(), at(4).down()], [at(4), at(10)], APART),
    pair("a point after the edge", [at(10).up(), at(10).up()], [at(4), at(10)], APART),
    pair("a point region inside", [at(4), at(10)], [at(6), at(6)], AROUND),
    pair("a point region on the edge", [at(4), at(10)], [at(10), at(10)], AROUND),
    pair("a point region past the edge", [at(4), at(10)], [at(10).up(), at(10).up()], APART),
    pair("equal points", [at(7), at(7)], [at(7), at(7)], EQUAL),
    pair("neighbouring points", [at(7), at(7)], [at(7).up(), at(7).up()], APART),
    pair("between neighbours", [at(7), at(7).up()], [at(7).up(), at(7).up()], AROUND),
    pair("on the lines of the grid", [at(8), at(8)], [at(8), at(8)], EQUAL),
    pair("across the middle", [at(8).down(), at(8).up()], [at(8), at(8)], AROUND),
    pair("the world's minimum", [at(0), at(0)], [at(0), at(2)], INSIDE),
    pair("the world's maximum", [at(16), at(16)], [at(14), at(16)], INSIDE),
    pair("just below the world", [at(0).down(), at(0).down()], [at(0), at(16)], APART),
    pair("just above the world", [at(16).up(), at(16).up()], [at(0), at(16)], APART),
    pair("the whole world", [at(0), at(16)], [at(0), at(16)], EQUAL),
    pair("an object larger than the world", [at(-2), at(18)], [at(0), at(16)], AROUND),
    pair("a region larger than the world", [at(0), at(16)], [at(-2), at(18)], INSIDE),
    pair("both below the world, apart", [at(-3), at(-2)], [at(-1), at(0)], APART),
    pair("both below the world, touching", [at(-3), at(-2)], [at(-2), at(0)], MEETS),
    pair("both above the world, apart", [at(19), at(20)], [at(17), at(18)], APART),
    pair("both above the world, touching", [at(18), at(20)], [at(17), at(18)], MEETS),
    pair("above the world and in its last cell", [at(18), at(18)], [at(15), at(16)], APART),
    pair("from below the world", [at(-2), at(2)], [at(1), at(3)], MEETS),
    pair("to above the world", [at(14), at(18)], [at(17), at(20)], MEETS),
    pair("as large as can be", [LEAST, MOST], [at(4), at(10)], AROUND),
    pair("the largest point", [MOST, MOST], [at(4), at(10)], APART),
    pair("the largest point in all", [MOST, MOST], [LEAST, MOST], INSIDE),
    pair("equal and as large as can be", [LEAST, MOST], [LEAST, MOST], EQUAL),
    pair("everything", [at(4), at(10)], [BOTTOMLESS, ENDLESS], INSIDE),
    pair("everything about the largest", [LEAST, MOST], [BOTTOMLESS, ENDLESS], INSIDE),
    pair("endless, from the edge", [at(4), at(10)], [at(10), ENDLESS], MEETS),
    pair("endless, past the edge", [at(4), at(10)], [at(10).up(), ENDLESS], APART),
    pair("bottomless, to the edge", [at(4), at(10)], [BOTTOMLESS, at(4)], MEETS),
    pair("bottomless, before the edge", [at(4), at(10)], [BOTTOMLESS, at(4).down()], APART),
    pair("at infinity", [LEAST, MOST], [ENDLESS, ENDLESS], APART),
    pair("at minus infinity", [LEAST, MOST], [BOTTOMLESS, BOTTOMLESS], APART),
];

/// Pairs of numbers that are the same in all worlds.
#[rustfmt::skip]
const NEAR_ZERO: &[Pair] = &[
    pair("zero in minus zero", [ZERO, ZERO], [MINUS_ZERO, MINUS_ZERO], EQUAL),
    pair("minus zero in zero", [MINUS_ZERO, MINUS_ZERO], [ZERO, ZERO], EQUAL),
    pair("from minus zero", [ZERO, ZERO], [MINUS_ZERO, MOST], INSIDE),
    pair("to minus zero", [LEAST, ZERO], [MINUS_ZERO, MOST], MEETS),
    pair("the smallest above zero", [SMALLEST, SMALLEST], [MINUS_ZERO, ZERO], APART),
    pair("the smallest below zero", [MINUS_SMALLEST, MINUS_SMALLEST], [ZERO, MOST], APART),
    pair("about zero", [MINUS_SMALLEST, SMALLEST], [MINUS_ZERO, ZERO], AROUND),
];

const ZERO: Spot = fixed(Fixed::Zero);
const MINUS_ZERO: Spot = fixed(Fixed::MinusZero);
const SMALLEST: Spot = fixed(Fixed::Smallest);
const MINUS_SMALLEST: Spot = fixed(Fixed::MinusSmallest);

impl Pair {
    /// Object and region, alike on every axis but those that the pair lies on.
    fn spans<S: Real, const D: usize>(&self, world: &Rect<S, D>, is_on: impl Fn(usize) -> bool) -> [Span<S, D>; 2] {
        let alike = [at(4), at(6)];
        [self.object, self.region].map(|ends| {
            let [min, max] = [0, 1].map(|end| {
                core::array::from_fn(|axis| {
                    let ends = if is_on(axis) { ends } else { alike };
                    ends[end].resolve(world.min()[axis], side_of(world))
                })
            });
            Span { min, max }
        })
    }

    pub fn expects(&self, relation: Relation) -> bool {
        match relation {
            Relation::Intersecting => self.intersecting,
            Relation::ContainedIn => self.contained_in,
            Relation::Containing => self.containing,
        }
    }
}

/// All pairs on each axis alone and on all axes at once, in one world.
pub fn each_pair<S: Real, const D: usize>(
    scene: &Scene<S>,
    mut visit: impl FnMut(&Pair, Span<S, D>, Span<S, D>, &str),
) {
    let world = scene.world();
    for pair in PAIRS.iter().chain(NEAR_ZERO) {
        for on in 0..=D {
            let [object, region] = pair.spans(&world, |axis| axis == on || on == D);
            let place = format!("{} on axis {on} of {}", pair.name, scene.name);
            // Object and region are equal on the other axes, which is the neutral case.
            visit(pair, object, region, &place);
        }
    }
}
