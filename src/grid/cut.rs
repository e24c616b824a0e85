//! On which side of the first edge of a unit a coordinate lies, for eight at once. Needs no units. Knows no entries.

use super::Grid;
use crate::geometry::{LANES, Scalar, Simd, SimdBase, SimdMask};

/// Parts coordinates on an axis: those in a unit or after it, and those before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut<S> {
    pub(crate) axis: usize,
    origin: S,
    scale: S,
    /// The least number that is no less than the unit.
    from: S,
}

impl<S: Scalar> Cut<S> {
    /// Which coordinates are in the unit or after it, as bits.
    // The integer part of a number is at least the unit if the number is.
    #[inline(always)]
    pub(crate) fn after<V: Simd>(&self, simd: V, values: [S; LANES]) -> u64 {
        let units = (S::Lanes::load_array(simd, values) - self.origin) * self.scale;
        units.simd_ge(S::Lanes::splat(simd, self.from)).to_bitmask()
    }
}

impl<S: Scalar, const D: usize> Grid<S, D> {
    /// The cut before a unit of an axis, which is not the first.
    pub(crate) fn cut(&self, axis: usize, unit: u32) -> Cut<S> {
        let nearest = S::from_f64(unit.into());
        let from = if nearest.to_u32() < unit { nearest.next_up() } else { nearest };
        Cut { axis, origin: self.origin[axis], scale: self.scale[axis], from }
    }
}
