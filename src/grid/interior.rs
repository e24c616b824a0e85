//! Shapes that surely stay where they are stored. A few comparisons of coordinates find them, without units. Knows no
//! entries.
//!
//! Rests on G2 of `docs/invariants.md`: between two coordinates whose units lie in a range, all units do.

use super::{Grid, UNIT_MAX, UnitRange};
use crate::geometry::{Rect, Scalar};

/// Shapes whose anchors surely lie within some units, and whose extents are surely at most a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interior<S, const D: usize> {
    /// Where the minimum corners of the shapes lie.
    anchors: Rect<S, D>,
    /// How long the shapes are at most.
    length: S,
}

impl<S: Scalar, const D: usize> Interior<S, D> {
    /// No shapes.
    pub(crate) fn none() -> Self {
        Self { anchors: Rect::nowhere(), length: S::NAN }
    }

    /// Whether a shape is one of them; no if it is not finite. Other shapes may still have such an address.
    #[inline(always)]
    pub(crate) fn has(&self, shape: &Rect<S, D>) -> bool {
        let (from, to) = (self.anchors.min(), self.anchors.max());
        let (min, max) = (shape.min(), shape.max());
        (0..D).fold(true, |all, axis| {
            all & (from[axis] <= min[axis]) & (min[axis] <= to[axis]) & (max[axis] - min[axis] <= self.length)
        })
    }

    /// As `has`, for shapes without extent.
    #[inline(always)]
    pub(crate) fn has_point(&self, point: [S; D]) -> bool {
        let (from, to) = (self.anchors.min(), self.anchors.max());
        (0..D).fold(true, |all, axis| all & (from[axis] <= point[axis]) & (point[axis] <= to[axis]))
    }
}

impl<S: Scalar, const D: usize> Grid<S, D> {
    /// Nearly all shapes with anchors in some units and extents of at most `extent`.
    pub(crate) fn interior(&self, units: &UnitRange<D>, extent: u32) -> Interior<S, D> {
        let from = core::array::from_fn(|axis| self.first_in(axis, units.min[axis]));
        let to = core::array::from_fn(|axis| self.last_in(axis, units.max[axis]));
        Interior { anchors: Rect::ordered(from, to), length: self.length_of(extent) }
    }

    /// A coordinate in `unit` or after it, close to where the unit begins; NaN if that is not found at once.
    #[inline]
    fn first_in(&self, axis: usize, unit: u32) -> S {
        if unit == 0 {
            // All finite numbers before the world.
            return S::from(0) - S::MAX;
        }
        let (value, slack) = self.estimate(axis, unit);
        if unit <= self.unit(axis, value + slack) { value + slack } else { S::NAN }
    }

    /// A coordinate in `unit` or before it, close to where the unit ends; NaN if that is not found at once.
    #[inline]
    fn last_in(&self, axis: usize, unit: u32) -> S {
        if unit == UNIT_MAX {
            return S::MAX;
        }
        let (value, slack) = self.estimate(axis, unit + 1);
        if self.unit(axis, value - slack) <= unit { value - slack } else { S::NAN }
    }

    /// Nearly the greatest length of boxes whose extents are at most `extent`; NaN if there is none.
    #[inline]
    fn length_of(&self, extent: u32) -> S {
        let length = (S::from_f64(f64::from(extent)) - Self::slack_of_extent() * S::from(2)) / self.scale;
        // The bound grows with the length.
        if self.extent_at_most([length; D]) <= extent { length } else { S::NAN }
    }
}
