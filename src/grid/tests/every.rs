//! Every number of `f32`, infinite ones and those that are none too: 13 s of processor time a world, so by
//! hand and each week.
//!
//! ```sh
//! cargo test --release --package quadrille --lib -- --ignored grid::tests::every
//! ```

use super::*;
use crate::geometry::LANES;

/// The numbers in ascending order; those that are none come first and last.
fn number(nth: u32) -> f32 {
    f32::from_bits(if nth >> 31 == 0 { !nth } else { nth & (u32::MAX >> 1) })
}

/// G2 and G5: units ascend, a number lies within the bounds of its unit, and the ways to a unit agree: that of insertions, that
/// of moves, that of vectors.
#[inline(always)]
fn walk<V: Simd>(simd: V, grid: &Grid<f32, 3>, axis: usize) -> u32 {
    let (mut last, mut units) = (0, 1);
    let mut bounds = [grid.below(axis, 0), grid.above(axis, 0)];
    for eight in 0..1_u32 << 29 {
        let mut values = [0.0; LANES];
        for (nth, value) in (eight * 8..).zip(&mut values) {
            *value = number(nth);
        }
        let cut = grid.unit(axis, values[LANES / 2]).max(1);
        let after = grid.cut(axis, cut).after(simd, values);
        for (lane, value) in values.into_iter().enumerate() {
            let unit = grid.unit(axis, value);
            assert_eq!(grid.unit_of_move(axis, value, UNIT_MAX.into()), unit, "{value:?} in {grid:?}");
            assert_eq!(after >> lane & 1 == 1, cut <= unit, "{value:?} and {cut} in {grid:?}");
            if value.is_nan() {
                assert_eq!(unit, 0);
                continue;
            }
            if unit != last {
                assert!(last < unit, "{value:?} has {unit} after {last} in {grid:?}");
                (last, units) = (unit, units + 1);
                bounds = [grid.below(axis, unit), grid.above(axis, unit)];
            }
            assert!(bounds[0] <= value && value <= bounds[1], "{value:?} in {unit} of {grid:?}: {bounds:?}");
        }
    }
    assert_eq!(last, UNIT_MAX);
    units
}

/// A test for each world, so that they run at the same time.
macro_rules! in_worlds {
    ($($name:ident: $world:expr, $axis:expr;)+) => {$(
        #[test]
        #[ignore = "four thousand million numbers"]
        fn $name() {
            let (grid, axis) = (worlds::<f32>()[$world], $axis);
            let units = with_vectors!(level(), |simd| walk(simd, &grid, axis));
            assert!(1 < units, "{units} units of {grid:?}");
        }
    )+};
}

in_worlds! {
    from_zero: 0, 0;
    around_zero: 3, 0;
    far_away: 4, 0;
    of_the_smallest_numbers: 11, 0;
    of_the_largest_numbers: 10, 0;
    oblong: 14, 1;
    large: 15, 2;
    long: 18, 2;
}
