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
        Cut { axis, origin: self.origin[axis], scale: self.scale, from }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::geometry::{Rect, level, with_vectors};
    use crate::grid::UNIT_MAX;

    /// Coordinates around the edges of units, beside the units themselves.
    fn a_cut_parts_units<S: Scalar>() {
        let numbers = |list: [f64; 2]| list.map(S::from_f64);
        for [from, to] in [[0.0, 1000.0], [-8192.0, 8192.0], [1e6, 1e6 + 3.0], [-1e-3, 1e9]] {
            let grid = Grid::new(Rect::new(numbers([from; 2]), numbers([to; 2]))).unwrap();
            for unit in (0..400_u32).map(|nth| nth.wrapping_mul(2_654_435_769) >> (2 + nth % 29)).chain([UNIT_MAX]) {
                let unit = unit.clamp(1, UNIT_MAX);
                let cut = grid.cut(1, unit);
                let edge = S::from_f64(from + f64::from(unit) / grid.scale());
                let near =
                    [edge.next_down().next_down(), edge.next_down(), edge, edge.next_up(), edge.next_up().next_up()];
                let values =
                    [near[0], near[1], near[2], near[3], near[4], S::NEG_INFINITY, S::INFINITY, S::from_f64(from)];
                let after = with_vectors!(level(), |simd| cut.after(simd, values));
                for (lane, value) in values.into_iter().enumerate() {
                    assert_eq!(after >> lane & 1 == 1, unit <= grid.unit(1, value), "{value} {unit} {grid:?}");
                }
            }
        }
    }

    mod a_cut_parts_units {
        #[test]
        fn f32() {
            super::a_cut_parts_units::<f32>();
        }

        #[test]
        fn f64() {
            super::a_cut_parts_units::<f64>();
        }
    }
}
