//! The boxes of a node's cells, as coordinates in vectors: so a shape is compared with several cells at once. Knows no nodes.
//!
//! Rests on G2 of `docs/invariants.md`: a box holds whatever begins in its cell and is no longer than the reach.

use super::{CELLS, Grid, UNIT_MAX, axis_bits, morton_of_rows};
use crate::geometry::{Hits, LANES, Scalar, Simd, SimdBase, SimdMask, larger};

impl<S: Scalar, const D: usize> Grid<S, D> {
    /// The cells, as bits, for which a comparison holds with a box around all objects of such a reach that begin there; all
    /// cells if one of the boxes ends beyond the largest number.
    #[inline(always)]
    pub(crate) fn cells_where<V: Simd>(
        &self,
        simd: V,
        origin: [u32; D],
        shift: u8,
        reach: u32,
        holds: impl Fn(&[[S::Lanes<V>; 2]; D]) -> Hits<V, S>,
    ) -> u64 {
        let mut ends = [[[S::from(0); LANES]; 2]; D];
        for axis in 0..D {
            let Some(on_axis) = self.ends_of_cells(axis, origin[axis], shift, reach) else { return u64::MAX };
            ends[axis] = on_axis;
        }
        let mut cells = 0;
        // Loops, since closures passed to the standard library are not compiled with the wider vectors.
        for row in 0..CELLS / LANES {
            let mut boxes = [[S::Lanes::splat(simd, S::NAN); 2]; D];
            for axis in 0..D {
                let bits = axis_bits::<D>() as usize;
                for end in 0..2 {
                    let mut numbers = ends[axis][end];
                    for lane in 0..LANES {
                        numbers[lane] = ends[axis][end][(row * LANES + lane) >> (axis * bits) & ((1 << bits) - 1)];
                    }
                    boxes[axis][end] = S::Lanes::load_array(simd, numbers);
                }
            }
            cells |= holds(&boxes).to_bitmask() << (row * LANES);
        }
        morton_of_rows::<D>(cells)
    }

    /// Where the boxes of the cells on an axis begin and end, infinite at the world's edge. `None` if one of them ends beyond
    /// the largest number.
    ///
    /// A few more steps round than in `estimate`. The slack is four times as large, so that the boxes also hold the boxes of
    /// [`bounds`](Self::bounds).
    #[inline(always)]
    fn ends_of_cells(&self, axis: usize, first: u32, shift: u8, reach: u32) -> Option<[[S; LANES]; 2]> {
        let of = |units: u32| S::from_f64(f64::from(units)) / self.scale;
        let (from, side, reach_length) = (self.origin[axis] + of(first), of(1 << shift), of(reach));
        let farthest = from + side * S::from(LANES as u16) + reach_length;
        if !farthest.is_finite() {
            return None;
        }
        let slack = larger(self.origin[axis].abs(), farthest.abs()) * (S::EPSILON * S::from(32)) + S::MIN_POSITIVE;
        let mut ends = [[S::NEG_INFINITY; LANES], [S::INFINITY; LANES]];
        for number in 0..LANES as u16 {
            let at = from + side * S::from(number);
            let begin = first + (u32::from(number) << shift);
            if begin != 0 {
                ends[0][usize::from(number)] = at - slack;
            }
            if begin.saturating_add(1 << shift).saturating_add(reach) <= UNIT_MAX {
                ends[1][usize::from(number)] = at + side + reach_length + slack;
            }
        }
        Some(ends)
    }
}
