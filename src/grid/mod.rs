//! From coordinates to integers and back: the only place where a float becomes an address. Knows no nodes.
//!
//! The finest square of the grid is a *unit*; there are 2^30 units per side. Every step of [`Grid::unit`] is monotone,
//! and objects and queries go through the same function. All that the crate proves by integers rests on that:
//!
//! - `a <= b` implies `unit(a) <= unit(b)`: closed intervals that meet have ranges of units that meet;
//! - `unit(b) > unit(a)` implies `b > a`: coordinates strictly between a region's end units lie inside the region.
//!
//! Keeps invariants G1 to G5 of `docs/invariants.md`.

mod cell_boxes;
mod cells;
mod cut;
mod interior;
mod units;

use core::{array, fmt};

use crate::geometry::{Rect, Scalar, larger, smaller};
use crate::key::Kind;

pub(crate) use cells::{
    Block, CELLS, CLEAR, axis_bits, cell_at, cells_down_to, cells_met, cells_within, comes_after, depth_limit,
    fits_below, morton_of_rows, outermost, row_major, shift_at,
};
pub(crate) use cut::Cut;
pub(crate) use interior::Interior;

pub(crate) use units::{END_MAX, UNIT_MAX, UNITS_LOG2, UnitRange};

/// The integers that decide where a shape is stored: the unit of its minimum corner, and its length in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address<const D: usize> {
    pub(crate) anchor: [u32; D],
    /// The largest of `unit(max) - unit(min)` over the axes.
    pub(crate) extent: u32,
}

impl<const D: usize> Address<D> {
    /// The address of a box, by the units of its ends, which may go on beyond the grid.
    #[inline(always)]
    fn by<S: Scalar>(shape: &Rect<S, D>, unit: impl Fn(usize, S) -> u32) -> Self {
        let mut address = Self { anchor: [0; D], extent: 0 };
        for axis in 0..D {
            let [min, max] = [shape.min(), shape.max()].map(|corner| unit(axis, corner[axis]));
            address.anchor[axis] = min.min(UNIT_MAX);
            address.extent = address.extent.max(max - min);
        }
        address
    }
}

/// A world cannot have a grid: its extent on an axis is not positive and finite, or is too small for the coordinate
/// type to divide it into 2^30 units (below some 3e-30 in `f32`, 6e-300 in `f64`).
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// let flat = Quadtree::<()>::new(Rect::new([0.0, 5.0], [100.0, 5.0])).unwrap_err();
/// assert_eq!(flat.axis, 1);
/// // So far from zero, `f32` cannot tell these two numbers apart.
/// let remote = Quadtree::<()>::new(Rect::new([1e30, 0.0], [1e30 + 1.0, 1.0])).unwrap_err();
/// assert!(remote.extent == 0.0 && 1e22 < remote.step);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub struct WorldError {
    /// The axis, counted from 0.
    pub axis: usize,
    /// The minimum.
    pub min: f64,
    /// The extent, computed in the coordinate type.
    pub extent: f64,
    /// How far apart neighbouring numbers of the coordinate type are at the minimum. Two coordinates that are closer are
    /// the same number.
    pub step: f64,
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { axis, min, extent, step } = self;
        if *extent == 0.0 {
            write!(f, "give the world a size: on axis {axis} it begins and ends at {min:?}")?;
            write!(f, ", where neighbouring numbers are {step:?} apart")
        } else {
            write!(f, "the world's extent on axis {axis} is {extent}; ")?;
            f.write_str("it must be positive and finite, and large enough for 2^30 units")
        }
    }
}

/// A grid of units over a world. All trees use it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid<S, const D: usize> {
    world: Rect<S, D>,
    /// Where the units begin.
    origin: [S; D],
    /// The number of units in a length of 1, the same on all axes.
    scale: S,
    /// The last unit at which an object may end: beyond the grid, unless distances from the origin overflow there.
    end_max: u32,
    /// The same number.
    end_max_of_move: f64,
}

impl<S: Scalar, const D: usize> Grid<S, D> {
    /// The grid of a world: one scale serves all axes.
    pub(crate) fn new(world: Rect<S, D>) -> Result<Self, WorldError> {
        let units = S::from(1 << 15) * S::from(1 << 15);
        let mut scale = S::INFINITY;
        for (axis, &extent) in world.size().iter().enumerate() {
            let fit = units / extent;
            // A scale that overflows would make every position NaN or infinite.
            if !(S::MIN_POSITIVE <= extent && extent.is_finite() && fit.is_finite()) {
                let min = world.min()[axis];
                let step = min.abs() - min.abs().next_down();
                return Err(WorldError { axis, min: min.to_f64(), extent: extent.to_f64(), step: step.to_f64() });
            }
            scale = smaller(scale, fit);
        }
        let origin = world.min();
        let end_max = if origin.iter().all(|&origin| (S::MAX - origin).is_finite()) { END_MAX } else { UNIT_MAX };
        Ok(Self { world, origin, scale, end_max, end_max_of_move: end_max.into() })
    }

    /// Where the units begin.
    #[inline]
    pub(crate) fn origin(&self) -> [S; D] {
        self.origin
    }

    pub(crate) fn world(&self) -> Rect<S, D> {
        self.world
    }

    /// The unit that a coordinate falls into. Coordinates outside the world fall into the first or the last unit.
    #[inline]
    pub(crate) fn unit(&self, axis: usize, value: S) -> u32 {
        self.unit_up_to(UNIT_MAX, axis, value)
    }

    /// As [`unit`](Self::unit), with another last unit.
    #[inline(always)]
    fn unit_up_to(&self, last: u32, axis: usize, value: S) -> u32 {
        // The saturating cast and the minimum are monotone.
        self.in_units(axis, value).to_u32().min(last)
    }

    /// How far a coordinate is from the origin, in units. Subtraction and multiplication by a positive number are monotone.
    #[inline(always)]
    fn in_units(&self, axis: usize, value: S) -> S {
        (value - self.origin[axis]) * self.scale
    }

    /// The same number as [`unit`](Self::unit), for moves in place. It takes more instructions, but they depend less on
    /// each other, so the processor runs several moves at once. Elsewhere it is slower.
    ///
    /// The result is limited to a last unit, which may lie beyond the grid.
    #[inline(always)]
    fn unit_of_move(&self, axis: usize, value: S, last: f64) -> u32 {
        // 2^52 leaves no bits for fractions, so adding it rounds to the nearest whole number.
        const ROUNDING: f64 = 4_503_599_627_370_496.0;
        let units = smaller(last, larger(0.0, self.in_units(axis, value).to_f64()));
        let rounded = units + ROUNDING;
        (rounded.to_bits() as u32).wrapping_sub(u32::from(units < rounded - ROUNDING))
    }

    /// The units that the coordinates of a point fall into.
    #[inline]
    pub(crate) fn units(&self, point: [S; D]) -> [u32; D] {
        array::from_fn(|axis| self.unit(axis, point[axis]))
    }

    /// The units that a box touches.
    pub(crate) fn range(&self, rect: &Rect<S, D>) -> UnitRange<D> {
        UnitRange { min: self.units(rect.min()), max: self.units(rect.max()) }
    }

    /// The address of a shape of a kind.
    #[inline(always)]
    pub(crate) fn address_of(&self, kind: Kind, shape: &Rect<S, D>) -> Address<D> {
        match kind {
            Kind::Points => Address { anchor: self.units(shape.min()), extent: 0 },
            Kind::Rects => self.address(shape),
        }
    }

    /// The address of a box. It is counted on beyond the grid, so that its extent depends on its size alone, and the reach
    /// of a tree says how far objects stick out.
    #[inline(always)]
    pub(crate) fn address(&self, shape: &Rect<S, D>) -> Address<D> {
        Address::by(shape, |axis, end| self.unit_up_to(self.end_max, axis, end))
    }

    /// The same as [`address`](Self::address), for moves in place.
    #[inline(always)]
    pub(crate) fn address_of_move(&self, kind: Kind, shape: &Rect<S, D>) -> Address<D> {
        let unit = |axis: usize, end: S, last| self.unit_of_move(axis, end, last);
        let address = match kind {
            Kind::Points => {
                Address { anchor: array::from_fn(|axis| unit(axis, shape.min()[axis], UNIT_MAX.into())), extent: 0 }
            }
            Kind::Rects => Address::by(shape, |axis, end| unit(axis, end, self.end_max_of_move)),
        };
        debug_assert!(address == self.address(shape), "{address:?}");
        address
    }

    /// An upper bound of the extent of a box with these sides; it grows with them. It is faster than the extent itself.
    ///
    /// Let `d` be `EPSILON`. Each end's unit is off by at most `2^31 d` and by its fraction; the length in units is off by
    /// `2^32 d`, unless it is longer than all extents. That makes `2^33 d + 2`.
    #[inline]
    pub(crate) fn extent_at_most(&self, sides: [S; D]) -> u32 {
        let units = |axis: usize| sides[axis] * self.scale;
        let longest = (0..D).map(units).fold(S::from(0), larger);
        (longest + Self::slack_of_extent()).to_u32()
    }

    #[inline]
    fn slack_of_extent() -> S {
        S::EPSILON * S::from(1 << 15) * S::from(1 << 15) * S::from(8) + S::from(2)
    }

    /// A coordinate in units from the world's minimum, rounded. It may lie outside the world.
    pub(crate) fn position(&self, axis: usize, value: f64) -> f64 {
        (value - self.origin[axis].to_f64()) * self.scale()
    }

    /// The number of units in a length of 1.
    pub(crate) fn scale(&self) -> f64 {
        self.scale.to_f64()
    }

    /// When the walk comes to an object, as a number of 96 bits that rises along the walk. Those without finite coordinates
    /// come last.
    pub(crate) fn turn(&self, shape: &Rect<S, D>) -> u128 {
        const LAST: u128 = (1 << 96) - 1;
        let before = |anchor| (1 << 90) - 1 - cells_down_to(anchor, depth_limit::<D>() + 1);
        if shape.check_finite().is_err() { LAST } else { before(self.units(shape.min())) }
    }

    /// A box around all coordinates that fall into the units of the grid, rounded outward; infinite at the world's edge.
    /// A part of the units has bounds within the bounds of the whole.
    #[inline]
    pub(crate) fn bounds(&self, units: &UnitRange<D>) -> Rect<S, D> {
        Rect::ordered(
            array::from_fn(|axis| self.below(axis, units.min[axis])),
            array::from_fn(|axis| self.above(axis, units.max[axis])),
        )
    }

    /// How far objects with such a reach may extend on an axis if they begin at a coordinate or before it.
    pub(crate) fn reached_from(&self, axis: usize, from: S, reach: u32) -> S {
        // The end of an object may be clamped, if it is that long.
        if UNIT_MAX < reach || self.end_max == UNIT_MAX {
            return S::MAX;
        }
        let units = f64::from(reach) + Self::slack_of_extent().to_f64();
        let end = S::from_f64(larger(from, self.origin[axis]).to_f64() + units / self.scale()).next_up();
        smaller(end, S::MAX)
    }

    /// A lower bound of the coordinates that fall into `unit` or a later one.
    #[inline]
    fn below(&self, axis: usize, unit: u32) -> S {
        if unit == 0 {
            return S::NEG_INFINITY;
        }
        let (value, slack) = self.estimate(axis, unit);
        // Only the first unit holds negative infinity.
        larger(value - slack, S::from(0) - S::MAX)
    }

    /// An upper bound of the coordinates that fall into `unit` or an earlier one.
    #[inline]
    fn above(&self, axis: usize, unit: u32) -> S {
        if unit >= UNIT_MAX {
            return S::INFINITY;
        }
        let (value, slack) = self.estimate(axis, unit + 1);
        // Only the last unit holds infinity.
        smaller(value + slack, S::MAX)
    }

    /// The coordinate where `unit` begins, rounded, and a slack that exceeds all rounding.
    ///
    /// Let `d` be half of `EPSILON`, the most that one step rounds by, and `m` the larger magnitude of the origin and
    /// the value. [`unit`](Self::unit) rounds twice, as do the number of the unit and the division here; together they
    /// move the distance from the origin, at most `2 m`, by some `4 d` of itself. The addition here, and that of the
    /// slack, round by `d m` each. That makes `10 d m`, up to terms of `d^2`; the slack is `16 d m`. The value with the
    /// slack added or subtracted still grows with the unit, since the slack grows by less than the value does.
    #[inline]
    fn estimate(&self, axis: usize, unit: u32) -> (S, S) {
        let [high, low] = [unit >> 15, unit & 0x7FFF].map(|half| S::from(half as u16));
        let origin = self.origin[axis];
        let value = origin + (high * S::from(1 << 15) + low) / self.scale;
        // On a shorter axis the last units may lie beyond the largest number.
        let value = if value.is_finite() { value } else { S::MAX };
        (value, larger(origin.abs(), value.abs()) * (S::EPSILON * S::from(8)) + S::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests;
