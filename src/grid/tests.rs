//! The rules of the grid, as properties: for both scalars, in a dozen worlds, at the coordinates most likely to break
//! them.

extern crate std;

mod every;
mod properties;
mod worlds;

use alloc::format;
use alloc::vec::Vec;
use core::array;
use core::fmt::Debug;

use proptest::prelude::*;

use super::*;
use crate::geometry::{Simd, SimdBase, level, splat, with_vectors};

pub(super) use properties::check;
use worlds::{Real, ordinary_worlds, worlds};

/// Runs each property for both scalars.
macro_rules! for_both_scalars {
    ($($property:ident),+ $(,)?) => {$(
        mod $property {
            #[test]
            fn f32() {
                super::$property::<f32>();
            }
            #[test]
            fn f64() {
                super::$property::<f64>();
            }
        }
    )+};
}

for_both_scalars!(
    units_are_monotone,
    units_of_moves_are_units,
    intervals_that_meet_have_units_that_meet,
    what_lies_strictly_between_is_covered,
    bounds_are_outward,
    bounds_are_tight,
    bounds_are_monotone,
    boxes_of_cells_hold_what_begins_there,
    only_units_at_the_edge_are_endless,
    extents_of_short_boxes,
    extents_wobble_by_one,
    extents_are_at_most_their_bounds,
    the_interior_stays,
    saturation_is_at_the_edges,
);

/// A coordinate, said without its world.
#[derive(Clone, Copy, Debug)]
enum Draw {
    /// Where a unit begins, and `nudge` numbers further.
    Edge {
        unit: u32,
        nudge: i8,
    },
    /// A number of 64ths of the side from the world's minimum.
    Lattice(i16),
    /// Whatever number has these bits.
    Pattern(u64),
    Fixed(u8),
}

impl Draw {
    fn at<S: Real>(self, grid: &Grid<S, 3>, axis: usize) -> S {
        let (min, max) = (grid.world.min()[axis], grid.world.max()[axis]);
        let finite = |value: S| match value {
            value if S::MAX < value => S::MAX,
            value if value < S::NEG_INFINITY + S::MAX => S::NEG_INFINITY + S::MAX,
            value => value,
        };
        match self {
            Self::Edge { unit, nudge } => {
                let (edge, _) = grid.estimate(axis, unit);
                let step = if nudge < 0 { S::down } else { S::up };
                (0..nudge.unsigned_abs()).fold(edge, |value, _| step(value))
            }
            Self::Lattice(at) => finite(min + (max - min) * S::from_f64(f64::from(at) / 64.0)),
            Self::Pattern(bits) => S::from_pattern(bits),
            Self::Fixed(which) => {
                let zero = S::default();
                let fixed = [zero, S::SMALLEST, S::MIN_POSITIVE, S::MIN_POSITIVE.down(), S::MAX, min, max];
                let value = fixed[usize::from(which / 2) % fixed.len()];
                if which % 2 == 0 { value } else { S::from_f64(-1.0) * value }
            }
        }
    }
}

fn draw() -> BoxedStrategy<Draw> {
    // Mostly the edges of cells of all sizes.
    let unit = (0_u32..=UNITS_LOG2, 0..=UNIT_MAX).prop_map(|(level, unit)| unit >> level << level);
    prop_oneof![
        6 => (unit, -3_i8..=3).prop_map(|(unit, nudge)| Draw::Edge { unit, nudge }),
        3 => (-70_i16..140).prop_map(Draw::Lattice),
        1 => any::<u64>().prop_map(Draw::Pattern),
        1 => (0_u8..14).prop_map(Draw::Fixed),
    ]
    .boxed()
}

fn draws() -> [BoxedStrategy<Draw>; 3] {
    array::from_fn(|_| draw())
}

/// Each draw in all worlds: drawing costs more than testing.
fn in_worlds<S: Real, T: Copy + Debug + 'static>(
    grids: &[Grid<S, 3>],
    strategy: impl Strategy<Value = T> + 'static,
    property: impl Fn(&Grid<S, 3>, T),
) {
    check(1_500, strategy, |drawn| grids.iter().for_each(|grid| property(grid, drawn)));
}

fn rect<S: Real>(grid: &Grid<S, 3>, corner: [Draw; 3], opposite: [Draw; 3]) -> Rect<S, 3> {
    let at = |corner: [Draw; 3]| -> [S; 3] { array::from_fn(|axis| corner[axis].at(grid, axis)) };
    Rect::new(at(corner), at(opposite))
}

/// G2, with infinities, which regions may have.
fn units_are_monotone<S: Real>() {
    in_worlds(&worlds::<S>(), (0_usize..3, draw(), draw(), -2_i8..=2), |grid, (axis, a, b, endless)| {
        let (a, mut b) = (a.at(grid, axis), b.at(grid, axis));
        match endless {
            -2 => b = S::NEG_INFINITY,
            2 => b = S::INFINITY,
            _ => {}
        }
        let (low, high) = if b < a { (b, a) } else { (a, b) };
        let units = [low, high].map(|value| grid.unit(axis, value));
        assert!(
            units[0] <= units[1] && units[1] <= UNIT_MAX,
            "{low:e} {high:e} {units:?}",
            low = low.to_f64(),
            high = high.to_f64()
        );
        assert_eq!(grid.unit(axis, a) == grid.unit(axis, b), units[0] == units[1]);
    });
}

fn extents_are_at_most_their_bounds<S: Real>() {
    in_worlds(&worlds::<S>(), (draws(), draws()), |grid, (a, b)| {
        let rect = rect(grid, a, b);
        assert!(grid.address(&rect).extent <= grid.extent_at_most(rect.size()), "{rect:?} in {grid:?}");
    });
}

/// No shape of the interior of a block leaves the block or is too long; and the interior is not much smaller.
fn the_interior_stays<S: Real>() {
    let block = (draws(), 0_u32..=UNITS_LOG2, draws(), draws(), 0_u32..=UNITS_LOG2);
    in_worlds(&worlds::<S>(), block, |grid, (at, side, a, b, longest)| {
        let anchor = grid.address(&rect(grid, at, at)).anchor;
        let min = anchor.map(|unit| unit >> side << side);
        let units = UnitRange { min, max: min.map(|unit| unit + ((1 << side) - 1)) };
        let interior = grid.interior(&units, 1 << longest);
        for shape in [rect(grid, a, b), rect(grid, at, b), rect(grid, at, at), rect(grid, a, a)] {
            let Address { anchor, extent } = grid.address(&shape);
            let holds = (0..3).all(|axis| units.min[axis] <= anchor[axis] && anchor[axis] <= units.max[axis]);
            assert!(!interior.has(&shape) || holds && extent <= 1 << longest, "{shape:?} in {units:?} of {grid:?}");
            assert!(!interior.has_point(shape.min()) || holds, "{shape:?} in {units:?} of {grid:?}");
        }
        let from = rect(grid, at, at).min();
        for value in [S::NAN, S::INFINITY] {
            assert!(!interior.has_point([value; 3]) && !interior.has(&Rect::ordered(from, [value; 3])));
        }
        assert!(!interior.has_point([S::NEG_INFINITY; 3]) && !interior.has(&Rect::everything()));
    });
    let grid = &ordinary_worlds::<S>()[1];
    let units = UnitRange { min: [1 << 20; 3], max: [(1 << 24) - 1; 3] };
    let interior = grid.interior(&units, 1 << 24);
    let middle = grid.bounds(&units).center();
    assert!(interior.has(&Rect::new(middle, middle.map(|at| at + S::from_f64(1.0)))));
}

/// Rounding and a correction give what the saturating cast gives, at the ends of the range of numbers too.
fn units_of_moves_are_units<S: Real>() {
    let endless = [S::NEG_INFINITY, S::INFINITY, S::NAN];
    in_worlds(&worlds::<S>(), (0_usize..3, draw()), |grid, (axis, drawn)| {
        for value in endless.into_iter().chain([drawn.at(grid, axis)]) {
            assert_eq!(grid.unit_of_move(axis, value, UNIT_MAX.into()), grid.unit(axis, value), "{value:?}");
            assert_eq!(
                grid.unit_of_move(axis, value, grid.end_max_of_move),
                grid.unit_up_to(grid.end_max, axis, value)
            );
        }
    });
}

/// G3.
fn intervals_that_meet_have_units_that_meet<S: Real>() {
    in_worlds(&worlds::<S>(), (draws(), draws(), draws(), draws()), |grid, (a, b, c, d)| {
        let (one, other) = (rect(grid, a, b), rect(grid, c, d));
        for (one, other) in [(one, other), (one, Rect::new(one.max(), other.max())), (one, Rect::everything())] {
            let ranges = [one, other].map(|rect| grid.range(&rect));
            assert!(!one.intersects(&other) || ranges[0].meets(&ranges[1]), "{one:?} {other:?} {ranges:?}");
        }
    });
}

/// G4.
fn what_lies_strictly_between_is_covered<S: Real>() {
    in_worlds(&worlds::<S>(), (draws(), draws(), draws()), |grid, (a, b, anchor)| {
        let (region, anchor) = (rect(grid, a, b), rect(grid, anchor, anchor).min());
        let range = grid.range(&region);
        for axis in 0..3 {
            let unit = grid.unit(axis, anchor[axis]);
            let between = range.min[axis] < unit && unit < range.max[axis];
            let inside = region.min()[axis] < anchor[axis] && anchor[axis] < region.max()[axis];
            assert!(!between || inside, "{anchor:?} in {region:?} on axis {axis}");
        }
    });
}

/// The square of a node, or a block, around a unit.
fn square_around(unit: [u32; 3], depth: u8, span: u8) -> UnitRange<3> {
    let shift = shift_at::<3>(depth);
    let side = u32::from(shift) + axis_bits::<3>();
    let origin = unit.map(|unit| unit >> side << side);
    Block::new(origin, shift, cell_at(unit, shift) >> span << span, span).units()
}

/// G5: what falls into a square lies within its bounds.
fn bounds_are_outward<S: Real>() {
    let square = (draws(), 0_u8..=depth_limit::<3>(), 0_u8..=6);
    in_worlds(&worlds::<S>(), (square, draws(), 0..=UNIT_MAX), |grid, ((around, depth, span), other, unit)| {
        let shape = rect(grid, around, around);
        let units = square_around(grid.range(&shape).min, depth, span);
        let bounds = grid.bounds(&units);
        assert!(bounds.contains(&shape), "{shape:?} in {units:?} of {bounds:?}");
        // The square of any unit, filled or not.
        let units = square_around([unit; 3], depth, span);
        let bounds = grid.bounds(&units);
        let point = rect(grid, other, other).min();
        for axis in 0..3 {
            let (min, max) = (bounds.min()[axis], bounds.max()[axis]);
            assert!(min < max, "{bounds:?}");
            let at = grid.unit(axis, point[axis]);
            let falls = units.min[axis] <= at && at <= units.max[axis];
            assert!(!falls || min <= point[axis] && point[axis] <= max, "{point:?} in {bounds:?}");
            assert_eq!(min == S::NEG_INFINITY, units.min[axis] == 0, "{units:?} {bounds:?}");
            assert!(max == S::INFINITY || units.max[axis] < UNIT_MAX, "{units:?} {bounds:?}");
        }
    });
}

/// G5: what begins or ends later has bounds that do, or the same; so a part has bounds within the bounds of the whole.
fn bounds_are_monotone<S: Real>() {
    let unit = (0_u32..=UNITS_LOG2, 0..=UNIT_MAX).prop_map(|(level, unit)| unit >> level << level);
    in_worlds(&worlds::<S>(), (unit, 0_u32..4), |grid, (unit, further)| {
        let [low, high] = [unit, (unit + further).min(UNIT_MAX)]
            .map(|unit| grid.bounds(&UnitRange { min: [unit; 3], max: [unit; 3] }));
        for axis in 0..3 {
            assert!(low.min()[axis] <= high.min()[axis] && low.max()[axis] <= high.max()[axis], "{low:?} {high:?}");
        }
    });
}

/// G5: what begins in a cell, and is no longer than the reach, lies in the box of the cell.
fn boxes_of_cells_hold_what_begins_there<S: Real>() {
    let boxes = (draws(), draws(), 0_u8..=depth_limit::<3>());
    in_worlds(&worlds::<S>(), boxes, |grid, (corner, opposite, depth)| {
        let shape = rect(grid, corner, opposite);
        if !shape.min().iter().chain(&shape.max()).all(|at| at.is_finite()) {
            return;
        }
        let (Address { anchor, extent }, shift) = (grid.address(&shape), shift_at::<3>(depth));
        let side = u32::from(shift) + axis_bits::<3>();
        let cells = with_vectors!(level(), |simd| cells_around(simd, grid, &shape, (side, shift, extent)));
        assert_ne!(cells >> cell_at(anchor, shift) & 1, 0, "{shape:?} from {anchor:?}, {extent} long");
    });
}

/// The cells, in the node around a shape's anchor, whose boxes hold the shape.
#[inline(always)]
fn cells_around<V: Simd, S: Real>(
    simd: V,
    grid: &Grid<S, 3>,
    shape: &Rect<S, 3>,
    (side, shift, reach): (u32, u8, u32),
) -> u64 {
    let origin = grid.units(shape.min()).map(|unit| unit >> side << side);
    let ends = splat(simd, shape);
    grid.cells_where(simd, origin, shift, reach, |boxes| {
        let mut holds = boxes[0][0].simd_le(ends[0][0]);
        for axis in 0..3 {
            holds &= boxes[axis][0].simd_le(ends[axis][0]) & ends[axis][1].simd_le(boxes[axis][1]);
        }
        holds
    })
}

fn only_units_at_the_edge_are_endless<S: Real>() {
    for grid in worlds::<S>() {
        for unit in [0, 1, 2, 100, 1 << 20, UNIT_MAX - 100, UNIT_MAX - 1, UNIT_MAX] {
            let bounds = grid.bounds(&UnitRange { min: [unit; 3], max: [unit; 3] });
            for axis in 0..3 {
                assert_eq!(bounds.min()[axis] == S::NEG_INFINITY, unit == 0, "{unit} of {grid:?}");
                assert_eq!(bounds.max()[axis] == S::INFINITY, unit == UNIT_MAX, "{unit} of {grid:?}");
            }
        }
    }
}

/// Short boxes far from the world's minimum, where the units of both ends are rounded most.
fn extents_of_short_boxes<S: Real>() {
    let third = Rect::new([S::from_f64(-1.0 / 3.0); 3], [S::from_f64(2.0 / 3.0); 3]);
    let grid = Grid::<S, 3>::new(third).expect("a world");
    for number in 0..20_000_u16 {
        let min = S::from_f64(0.66 - f64::from(number) * 1.37e-5);
        let max = (0..=number % 5).fold(min, |end, _| end.up());
        let rect = Rect::new([min; 3], [max; 3]);
        let (extent, bound) = (grid.address(&rect).extent, grid.extent_at_most(rect.size()));
        assert!(extent <= bound && bound <= extent + 3 * Grid::<S, 3>::slack_of_extent().to_u32(), "{rect:?}: {bound}");
    }
}

/// G5: no further out than a few numbers, or a unit where numbers are denser than units.
fn bounds_are_tight<S: Real>() {
    let square = (draws(), 0_u8..=depth_limit::<3>(), 0_u8..=6);
    in_worlds(&ordinary_worlds::<S>(), square, |grid, (around, depth, span)| {
        let units = square_around(grid.range(&rect(grid, around, around)).min, depth, span);
        let bounds = grid.bounds(&units);
        for axis in 0..3 {
            let (min, max) = (bounds.min()[axis], bounds.max()[axis]);
            let slack = |value: S| {
                let origin = grid.world.min()[axis].abs();
                (if origin < value.abs() { value.abs() } else { origin }) * S::EPSILON * S::from(16)
            };
            let inside = min + slack(min);
            assert!(min == S::NEG_INFINITY || units.min[axis] <= grid.unit(axis, inside) + 1, "{units:?} {bounds:?}");
            let inside = max - slack(max);
            assert!(max == S::INFINITY || grid.unit(axis, inside) <= units.max[axis] + 1, "{units:?} {bounds:?}");
        }
    });
}

/// T5 and T6 rest on this. Where neither the shape nor the grid rounds and nothing saturates, a rectangle that
/// translates has one of two extents. Where they round, by less than a thousandth of a unit, that holds but for
/// lengths so near to whole units that they round to either side: there it is one of three.
fn extents_wobble_by_one<S: Real>() {
    // The most eighths of a unit that a scalar holds exactly, lengths added.
    let eighths = if S::EPSILON.to_f64() < 1e-9 { u32::MAX / 2 } else { 1 << 22 };
    let exact = Grid::<S, 3>::new(Rect::ordered([S::default(); 3], [S::from(64); 3])).unwrap();
    let at = |eighths: u32| S::from_f64(f64::from(eighths) / f64::from(1 << 27));
    assert_eq!(exact.unit(0, at(8 * 1000 + 7)), 1000);
    check(4_000, (0..eighths, 0..eighths, prop_oneof![0..64_u32, 0..eighths]), |(a, b, len)| {
        let extents = [a, b].map(|from| {
            let (min, max) = (at(from), at(from + len));
            exact.address(&Rect::ordered([min; 3], [max, min, max])).extent
        });
        let whole = len / 8;
        assert!(extents.iter().all(|extent| [whole, whole + 1].contains(extent)), "{extents:?} at a length of {len}/8");
        assert!(len % 8 > 0 || extents == [whole; 2], "{extents:?} at a length of {whole}");
    });
    let rounding = Grid::<S, 3>::new(Rect::ordered([S::from_f64(0.1); 3], [S::from_f64(100.1); 3])).unwrap();
    let resolved = if S::EPSILON.to_f64() < 1e-9 { 1.0 } else { 1e-5 };
    check(4_000, (0.0..0.4 * resolved, 0.0..0.4 * resolved, 0.0..0.5 * resolved), |(a, b, len)| {
        let extents = [a, b].map(|from| {
            // In f32 no number near a world's corner is finer than a unit unless the corner is the origin.
            let rounding = if resolved < 1.0 { &exact } else { &rounding };
            let side = rounding.world.size()[0];
            let from = rounding.world.min()[0] + S::from_f64(from) * side;
            rounding.address(&Rect::ordered([from; 3], [from + S::from_f64(len) * side; 3])).extent
        });
        let units = len * f64::from(1 << UNITS_LOG2);
        let to_whole = (units - (units + 0.5).trunc()).abs();
        let wobble = extents[0].abs_diff(extents[1]);
        assert!(wobble <= if to_whole < 2e-3 { 2 } else { 1 }, "{extents:?} at a length of {units}");
    });
}

/// A coordinate outside the world falls into the units of its edge, however far.
fn saturation_is_at_the_edges<S: Real>() {
    for grid in worlds::<S>() {
        for axis in 0..3 {
            let least = S::NEG_INFINITY + S::MAX;
            for below in [S::NEG_INFINITY, least, grid.world.min()[axis].down(), grid.world.min()[axis]] {
                assert_eq!(grid.unit(axis, below), 0, "{below:?} in {grid:?}");
            }
            assert_eq!(grid.unit(axis, S::INFINITY), UNIT_MAX);
        }
        let longest = (0..3).max_by(|&a, &b| grid.world.size()[a].partial_cmp(&grid.world.size()[b]).unwrap()).unwrap();
        // The scale is rounded, so the world's end may fall short of the last unit by as much as a number is exact.
        let last = f64::from(grid.unit(longest, grid.world.max()[longest]));
        assert!(f64::from(UNIT_MAX) * (1.0 - 4.0 * S::EPSILON.to_f64()) - 1.0 <= last, "{last} in {grid:?}");
    }
}

/// Worlds that are refused, and the smallest that is not.
#[test]
fn a_world_has_an_extent() {
    let world = |extent: f32| Grid::new(Rect::ordered([0.0_f32; 2], [1.0, extent]));
    for extent in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::from_bits(1), f32::MIN_POSITIVE] {
        let error = world(extent).unwrap_err();
        assert_eq!((error.axis, error.extent.to_bits()), (1, f64::from(extent).to_bits()));
        assert!(format!("{error}").contains(&format!("{}", f64::from(extent))), "{error}");
    }
    let least = f32::from(1_u16 << 15) * f32::from(1_u16 << 15) / f32::MAX;
    assert!(world(least.up()).is_ok());
}
