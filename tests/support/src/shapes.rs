//! Regions that are not boxes: a user's own, and shapes of every sort at awkward coordinates.

use core::fmt::Debug;

use proptest::prelude::*;
use quadrille::{Ball, Convex, Corridor, HalfSpace, IntoRegion, Rect, Region, Segment};

use super::Real;
use super::scene::side_of;
use super::spot::{Spot, awkward};

/// A user's region: all points whose distance from a center is from `inner` to `outer`.
#[derive(Clone, Copy, Debug)]
pub struct Ring<S, const D: usize> {
    center: [S; D],
    inner: f64,
    outer: f64,
    bounds: Rect<S, D>,
}

impl<S: Real, const D: usize> Ring<S, D> {
    pub fn new(center: [S; D], inner: S, outer: S) -> Self {
        let half = [outer; D];
        Self { center, inner: inner.value(), outer: outer.value(), bounds: Rect::from_center_half(center, half) }
    }

    /// Distances are divided by this before they are squared: a power of two, so that nothing is rounded.
    fn scale(&self) -> f64 {
        self.outer.log2().floor().min(1000.0).exp2()
    }

    /// The squares of the distances to the nearest and the farthest point of a box.
    fn distances(&self, rect: &Rect<S, D>) -> [f64; 2] {
        let mut squares = [0.0, 0.0];
        for axis in 0..D {
            let [min, at, max] = [rect.min()[axis], self.center[axis], rect.max()[axis]].map(S::value);
            let gap = (min - at).max(at - max).max(0.0) / self.scale();
            let far = (at - min).max(max - at) / self.scale();
            squares = [squares[0] + gap * gap, squares[1] + far * far];
        }
        squares
    }
}

impl<S: Real, const D: usize> Region<S, D> for Ring<S, D> {
    fn bounds(&self) -> Rect<S, D> {
        self.bounds
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        let [near, far] = self.distances(rect);
        let [inner, outer] = [self.inner, self.outer].map(|radius| radius / self.scale());
        near <= outer * outer && inner * inner <= far
    }

    fn contains(&self, rect: &Rect<S, D>) -> bool {
        let [near, far] = self.distances(rect);
        let [inner, outer] = [self.inner, self.outer].map(|radius| radius / self.scale());
        inner * inner <= near && far <= outer * outer
    }
}

impl<S: Real, const D: usize> IntoRegion<S, D> for Ring<S, D> {
    type Region = Self;
    fn into_region(self) -> Self {
        self
    }
}

/// A region that is handed over by reference.
impl<'a, S: Real, const D: usize> IntoRegion<S, D> for &'a Ring<S, D> {
    type Region = &'a Ring<S, D>;
    fn into_region(self) -> Self::Region {
        self
    }
}

/// A shape, said without its scalar and its world.
#[derive(Clone, Debug)]
pub struct Drawn {
    which: u8,
    spots: [[Spot; 3]; 4],
    /// Of the side of the world, in sixteenths.
    lengths: [i16; 2],
    corners: Vec<[Spot; 3]>,
}

pub fn drawn() -> impl Strategy<Value = Drawn> {
    let spots = || [awkward(), awkward(), awkward()];
    (0_u8..6, [spots(), spots(), spots(), spots()], [-1_i16..24, 0_i16..24], prop::collection::vec(spots(), 0..6))
        .prop_map(|(which, spots, lengths, corners)| Drawn { which, spots, lengths, corners })
}

/// Asks something about a shape in a world.
pub trait Asks<S, const D: usize> {
    fn about<I: IntoRegion<S, D> + Clone + Debug>(&mut self, region: I)
    where
        I::Region: Clone + Debug;
}

impl Drawn {
    pub fn put<S: Real, const D: usize>(&self, world: &Rect<S, D>, asks: &mut impl Asks<S, D>) {
        let side = side_of(world);
        let point =
            |spots: &[Spot; 3]| -> [S; D] { core::array::from_fn(|axis| spots[axis].resolve(world.min()[axis], side)) };
        let length = |sixteenths: i16| Spot::finite::<S>(side.value() / 16.0 * f64::from(sixteenths));
        let [a, b, c, d] = [0, 1, 2, 3].map(|spot| point(&self.spots[spot]));
        let [inner, more] = self.lengths;
        match self.which {
            0 => asks.about(Ball::new(a, length(inner))),
            1 => asks.about(Segment::new(a, b)),
            2 if more > 0 => asks.about(Ring::new(a, length(inner.min(more)), length(more))),
            3 => {
                // Three corners of a box around a point, and what points from there to others.
                let normal = |to: [S; D]| {
                    core::array::from_fn::<S, D, _>(|axis| {
                        Spot::finite((to[axis].value() * 0.5 - a[axis].value() * 0.5) / (side.value() * 0.5))
                    })
                };
                let half_spaces = [b, c, d].map(|to| HalfSpace::behind(a, normal(to)));
                asks.about(Convex::new(&half_spaces));
                asks.about(Convex::new(&half_spaces[1..]).within(Rect::new(b, c)));
            }
            4 => {
                let more = self.corners.iter().map(point);
                asks.about(&Corridor::new([a, b, c, d].into_iter().chain(more), length(inner)));
            }
            _ => asks.about(Ball::new(a, S::of(f64::INFINITY))),
        }
    }

    /// The polygon of a plane that the corners make, in whatever order they come: it need not be convex.
    pub fn polygon<S: Real>(&self, world: &Rect<S, 2>) -> Vec<[S; 2]> {
        let side = side_of(world);
        let corner = |spots: &[Spot; 3]| core::array::from_fn(|axis| spots[axis].resolve(world.min()[axis], side));
        self.corners.iter().map(corner).collect()
    }
}
