//! Cells, blocks and masks against brute force, in both dimensions.

use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::grid::UNIT_MAX;
use crate::grid::tests::check;

/// A rectangle touches two cells an axis, or three, where it is no longer than one cell, or two.
#[test]
fn extents_bound_the_cells_touched() {
    let shift = 0_u32..28;
    check(4_000, (shift, 0..=UNIT_MAX, 0..=UNIT_MAX, -1_i8..=1), |(shift, from, part, nudge)| {
        for cells in [1, 2] {
            let longest = cells << shift;
            let extent = if nudge == 0 { longest } else { part % (longest + 1) };
            let to = (from + extent).min(UNIT_MAX);
            let touched = (to >> shift) - (from >> shift) + 1;
            assert!(touched <= cells + 1, "{from}..={to} touch {touched} cells of {}", 1 << shift);
        }
    });
}

#[test]
fn twice_a_cell_is_the_limit_strictly() {
    for shift in 0..=28 {
        let side = 1_u32 << shift;
        assert!(fits_below(2 * side - 2, shift));
        assert!(!fits_below(2 * side - 1, shift), "one unit is left for rounding");
    }
}

#[test]
fn the_deepest_cells_are_units() {
    assert_eq!((depth_limit::<2>(), depth_limit::<3>()), (9, 14));
    assert_eq!((shift_at::<2>(9), shift_at::<3>(14)), (0, 0));
    assert_eq!((shift_at::<2>(0), shift_at::<3>(0)), (27, 28));
}

/// Runs tests of cells in both dimensions.
macro_rules! in_both_dimensions {
    ($($property:ident),+ $(,)?) => {$(
        mod $property {
            #[test]
            fn in_2d() {
                super::$property::<2>();
            }
            #[test]
            fn in_3d() {
                super::$property::<3>();
            }
        }
    )+};
}

in_both_dimensions!(cells_met_are_those_that_meet, blocks_hold_their_units, blocks_divide_into_halves, cells_nest);

/// A node's depth and a unit in it.
fn node<const D: usize>() -> impl Strategy<Value = (u8, [u32; D])> {
    (0..=depth_limit::<D>(), prop::array::uniform::<_, D>(0..=UNIT_MAX)).prop_map(|(depth, unit)| {
        let side = u32::from(shift_at::<D>(depth)) + axis_bits::<D>();
        (shift_at::<D>(depth), unit.map(|unit| unit >> side << side))
    })
}

/// The mask says what comparing ranges cell by cell says.
fn cells_met_are_those_that_meet<const D: usize>() {
    // Ends in eighths of cells from the node's origin, some units off.
    let end = || prop_oneof![4 => -24_i64..100, 1 => Just(i64::MIN), 1 => Just(i64::MAX)];
    let ends = prop::array::uniform::<_, D>((end(), end(), -1_i64..=1, -1_i64..=1));
    check(4_000, (node::<D>(), ends), |((shift, origin), ends)| {
        let at = |axis: usize, eighths: i64, off: i64| match eighths {
            i64::MIN => 0,
            i64::MAX => UNIT_MAX,
            eighths => {
                let unit = i64::from(origin[axis]) + (eighths << shift) / 8 + off;
                u32::try_from(unit.clamp(0, i64::from(UNIT_MAX))).unwrap()
            }
        };
        let corners: [[u32; 2]; D] = array::from_fn(|axis| {
            let (a, b, off_a, off_b) = ends[axis];
            let (a, b) = (at(axis, a, off_a), at(axis, b, off_b));
            [a.min(b), a.max(b)]
        });
        let range = UnitRange { min: corners.map(|[min, _]| min), max: corners.map(|[_, max]| max) };
        let (met, within) = (cells_met(&range, origin, shift), cells_within(&range, origin, shift));
        for cell in 0..CELLS as u8 {
            let meets = Block::new(origin, shift, cell, 0).units().meets(&range);
            assert_eq!(met >> cell & 1 == 1, meets, "cell {cell} of {origin:?} at {shift}, {range:?}");
            let units = Block::new(origin, shift, cell, 0).units();
            let lies_within =
                (0..D).all(|axis| range.min[axis] <= units.min[axis] && units.max[axis] <= range.max[axis]);
            assert_eq!(within >> cell & 1 == 1, lies_within, "cell {cell} of {origin:?} at {shift}, {range:?}");
        }
        // Turned round, the range is empty: no cell that lies apart from its ends is met.
        let turned = UnitRange { min: range.max, max: range.min };
        assert_eq!(cells_met(&turned, origin, shift) & !met, 0, "{turned:?}");
        if (0..D).any(|axis| range.min[axis] >> shift < range.max[axis] >> shift) {
            assert_eq!(cells_met(&turned, origin, shift), 0, "{turned:?}");
        }
    });
}

/// `holds` and `units` say the same, and sides differ by a factor of two at the most.
fn blocks_hold_their_units<const D: usize>() {
    let offs = prop::array::uniform::<_, D>((-1_i64..=2, -1_i64..=1));
    check(4_000, (node::<D>(), 0..CELLS as u8, 0_u8..=6, offs), |((shift, origin), cell, span, offs)| {
        let block = Block::new(origin, shift, cell >> span << span, span);
        let units = block.units();
        let sides: [u32; D] = array::from_fn(|axis| units.max[axis] - units.min[axis] + 1);
        let (least, most) = (sides.iter().min().unwrap(), sides.iter().max().unwrap());
        assert!(most / least <= 2 && sides.is_sorted_by(|a, b| a >= b), "{sides:?}");
        let volume: u32 = sides.iter().map(|side| side.ilog2()).sum();
        assert_eq!(volume, u32::from(shift) * D as u32 + u32::from(span));
        let unit: [u32; D] = array::from_fn(|axis| {
            let (sides_off, off) = offs[axis];
            let unit = i64::from(units.min[axis]) + sides_off * i64::from(sides[axis]) + off;
            u32::try_from(unit.clamp(0, i64::from(UNIT_MAX))).unwrap()
        });
        assert_eq!(block.holds(unit), units.meets(&UnitRange { min: unit, max: unit }), "{unit:?} {units:?}");
    });
}

/// Each block is the lower and the upper half, and nothing else.
fn blocks_divide_into_halves<const D: usize>() {
    check(2_000, (node::<D>(), 0..CELLS as u8, 1_u8..=6), |((shift, origin), cell, span)| {
        let cell = cell >> span << span;
        let whole = Block::new(origin, shift, cell, span).units();
        let [lower, upper] =
            [cell, cell | 1 << (span - 1)].map(|half| Block::new(origin, shift, half, span - 1).units());
        assert!(!lower.meets(&upper));
        assert_eq!((lower.min, upper.max), (whole.min, whole.max));
        let divided: Vec<_> = (0..D).filter(|&axis| lower.max[axis] != upper.max[axis]).collect();
        assert_eq!(divided, vec![usize::from(span - 1) % D], "axes take turns");
    });
}

/// A cell's number and its place are each other's inverse, and a cell is as large as the node below it.
fn cells_nest<const D: usize>() {
    check(2_000, (node::<D>(), 0..CELLS as u8), |((shift, origin), cell)| {
        let units = Block::new(origin, shift, cell, 0).units();
        assert_eq!([units.min, units.max].map(|corner| cell_at(corner, shift)), [cell; 2]);
        if let Some(below) = shift.checked_sub(axis_bits::<D>() as u8) {
            assert_eq!(Block::new(units.min, below, 0, 6).units(), units);
        }
    });
}

/// The order of units is that of their interleaved bits, the last axis deciding first, falling.
#[test]
fn units_come_in_falling_morton_order() {
    fn code<const D: usize>(unit: [u32; D]) -> u128 {
        let bits = (0..30 * D).map(|bit| u128::from(unit[bit % D] >> (bit / D) & 1) << bit);
        bits.fold(0, |code, bit| code | bit)
    }
    fn compare<const D: usize>(one: [u32; 3], other: [u32; 3]) {
        let [one, other] = [one, other].map(|unit| core::array::from_fn::<_, D, _>(|axis| unit[axis]));
        assert_eq!(comes_after(one, other), code(one) < code(other), "{one:?} and {other:?}");
        assert!(!comes_after(one, one));
        let [of_one, of_other] = [one, other].map(|unit| cell_at(unit, shift_at::<D>(0)));
        assert!(of_one == of_other || comes_after(one, other) == (of_one < of_other), "cells come so too");
    }
    let near = (0..=UNIT_MAX, 0_u32..30, any::<bool>());
    check(8_000, [near.clone(), near.clone(), near], |axes: [(u32, u32, bool); 3]| {
        let one = axes.map(|(unit, _, _)| unit);
        let other = axes.map(|(unit, bit, differs)| if differs { unit ^ 1 << bit } else { unit });
        compare::<2>(one, other);
        compare::<3>(one, other);
    });
}
