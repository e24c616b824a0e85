//! The grids of one world. The main grid divides the world into equal squares. Some objects are in trees with another
//! grid, whose units are longer by a power of two:
//!
//! - a *long* grid, with units that are longer on some axes only. In its units a thin object is about as long as wide;
//! - a *large* grid, with units that are longer on all axes, around the world. Without it, objects
//!   outside of the world would crowd in the units at its edge.
//!
//! A power of two divides a scale exactly, so the units of a long grid are those of the main one, shifted.
//!
//! Knows nothing of trees. Keeps G2 of `docs/invariants.md`.

use core::array;

use super::id::{GridId, LARGE_LOG2, LARGE_MAX};
use super::{Address, Grid, UNIT_MAX, cells_down_to, depth_limit};
use crate::geometry::{Rect, Scalar, larger};

impl<S: Scalar, const D: usize> Grid<S, D> {
    /// Another grid of the world, of which this one is the main grid.
    ///
    /// No scale underflows: the scale of the main grid is at least `2^30` divided by the largest number.
    pub(crate) fn variant(&self, id: GridId) -> Self {
        debug_assert!(self.is_main(), "the grids of a world are made from the main one");
        let length = |axis| power_of_two::<S>(id.shift(axis).into());
        let mut origin = self.origin;
        if id.is_large() {
            // The world is in the middle.
            let half = self.world.longest() * S::from_f64(0.5);
            origin = array::from_fn(|axis| origin[axis] + half - half * length(axis));
        }
        Self::over(self.world, origin, array::from_fn(|axis| self.scale[axis] / length(axis)), id)
    }

    /// Whether trees may be over that grid. Units that end beyond the largest number do not part the numbers before it: a
    /// distance from the origin may be infinite there, and counts as the last unit.
    pub(crate) fn has_variant(&self, id: GridId) -> bool {
        let is_short = |axis| (self.world.longest() * power_of_two::<S>(i32::from(id.shift(axis)) + 1)).is_finite();
        if id.is_large() { id <= GridId::large(self.large_max()) } else { id.is_main() || (0..D).all(is_short) }
    }

    /// Whether objects outside of the world are in trees over larger grids.
    #[inline]
    pub(super) fn has_larger(&self) -> bool {
        self.large_max() != 0
    }

    /// The first large grid around an object with that address; the main grid if the object touches it.
    ///
    /// An object that touches the world belongs to the main grid. Beyond the world its units decide. They are rounded as
    /// for a move in place, so that such a move never leaves an object in the wrong tree.
    #[inline]
    pub(crate) fn first_around(&self, address: &Address<D>, shape: &Rect<S, D>) -> GridId {
        if address.is_at_edge() { self.first_large_around(shape) } else { GridId::MAIN }
    }

    #[cold]
    fn first_large_around(&self, shape: &Rect<S, D>) -> GridId {
        let units = |axis: usize, value: S| self.in_units(axis, value).to_f64();
        let is_outside = |axis: usize| {
            let (min, max) = (shape.min()[axis], shape.max()[axis]);
            units(axis, max) < 0.0 || self.world.max()[axis] < min && f64::from(UNIT_MAX + 1) <= units(axis, min)
        };
        let most = self.large_max();
        if most == 0 || !(0..D).any(is_outside) {
            return GridId::MAIN;
        }
        let (world, side) = (self.world.to_f64(), self.world.longest().to_f64());
        let (min, max) = (shape.to_f64().min(), shape.to_f64().max());
        // How far the object reaches from the middle of the grid, in sides of the grid.
        let away = |axis: usize| {
            let middle = world.min()[axis] + 0.5 * side;
            larger(middle - min[axis], max[axis] - middle) / side
        };
        let farthest = (0..D).map(away).fold(0.0, larger);
        // It fits into a grid if it is nearer than half of its side.
        let wanted = (exponent(farthest) + 1).div_euclid(LARGE_LOG2.into()) + 1;
        GridId::large(wanted.clamp(1, most.into()).cast_unsigned() as u8)
    }

    /// When the walk comes to an object, as a number of 96 bits that rises along the walk. Thin objects count as if they were
    /// in the main tree; those without finite coordinates come last.
    pub(crate) fn turn(&self, shape: &Rect<S, D>) -> u128 {
        const LAST: u128 = (1 << 96) - 1;
        if shape.check_finite().is_err() {
            return LAST;
        }
        let address = self.address(shape);
        let around = self.first_around(&address, shape);
        let anchor = if around.is_main() { address.anchor } else { self.variant(around).units(shape.min()) };
        let before = (1 << 90) - 1 - cells_down_to(anchor, depth_limit::<D>() + 1);
        u128::from(around.larges()) << 90 | before
    }

    /// The number of the largest grid around this one that has coordinates.
    fn large_max(&self) -> u8 {
        let most = exponent(S::MAX.to_f64());
        let mut ends = self.world.min().into_iter().chain(self.world.max());
        if ends.any(|end| most - 1 <= exponent(end.abs().to_f64())) {
            // A larger grid around so remote a world would begin or end beyond the largest number.
            return 0;
        }
        let room = most - 2 - exponent(self.world.longest().to_f64()).max(0);
        let fine = exponent(self.scale[0].to_f64()) - exponent(S::MIN_POSITIVE.to_f64());
        (room.min(fine) / i32::from(LARGE_LOG2)).clamp(0, LARGE_MAX.into()).cast_unsigned() as u8
    }
}

/// The exponent of a number's largest power of two; for a number above zero, infinity among them.
fn exponent(number: f64) -> i32 {
    (number.to_bits() >> 52) as i32 - 1023
}

fn power_of_two<S: Scalar>(exponent: i32) -> S {
    S::from_f64(f64::from_bits(u64::from((exponent + 1023).cast_unsigned()) << 52))
}

#[cfg(test)]
mod tests {
    use super::super::id::SHIFTS;
    use super::*;

    fn grid(min: f64, max: f64) -> Grid<f64, 2> {
        Grid::new(Rect::new([min; 2], [max; 2])).unwrap()
    }

    fn around<S: Scalar>(grid: &Grid<S, 2>, shape: Rect<S, 2>) -> GridId {
        grid.first_around(&grid.address(&shape), &shape)
    }

    /// The first larger grid that holds an object; one that touches the world, or lies beside it within the square of the
    /// longest side, needs none.
    #[test]
    fn each_distance_has_its_grid() {
        let numbered = |number: u8| if number == 0 { GridId::MAIN } else { GridId::large(number) };
        let grid = grid(0.0, 1.0);
        let at = |x: f64| around(&grid, Rect::new([x, 0.5], [x + 0.25, 0.5]));
        for (x, number) in [(0.0, 0), (-0.25, 0), (1.0, 0), (-0.26, 1), (1.01, 1), (127.0, 1), (129.0, 2), (-127.0, 1)]
        {
            assert_eq!(at(x), numbered(number), "{x}");
        }
        for (x, number) in [
            (127.9, 1),
            (-127.6, 2),
            (32_000.0, 2),
            (33_000.0, 3),
            (1e30, 13),
            (1e300, LARGE_MAX),
            (f64::MAX, LARGE_MAX),
        ] {
            assert_eq!(at(x), numbered(number), "{x}");
        }
        let oblong = Grid::<f64, 2>::new(Rect::new([0.0, 0.0], [4.0, 1.0])).unwrap();
        assert_eq!(around(&oblong, Rect::from_point([2.0, 3.9])), GridId::MAIN);
        assert_eq!(around(&oblong, Rect::from_point([2.0, 4.1])), GridId::large(1));
        let in_last_unit = Rect::from_point([2.0, 4.0 - 1e-10]);
        assert_eq!(around(&oblong, in_last_unit), GridId::MAIN);
        let single = Grid::<f32, 2>::new(Rect::new([0.0; 2], [1.0; 2])).unwrap();
        assert_eq!(around(&single, Rect::from_point([1e30; 2])), GridId::large(13));
        assert_eq!(
            around(&single, Rect::from_point([f32::MAX; 2])),
            GridId::large(15),
            "a sixteenth has no coordinates"
        );
    }

    /// On an axis where its units are longer, a long grid has those of the main grid, shifted, and goes on beyond these.
    #[test]
    fn long_units_are_shifted() {
        for (min, max) in [(0.0, 1.0), (-1e-9, 1e-9), (4e15, 4e15 + 64.0), (0.0, f64::MAX), (1e-290, 2e-290)] {
            let main = grid(min, max);
            for (chosen, shift) in (0..).zip(SHIFTS) {
                let long = main.variant(GridId::long::<2>([chosen, 0]));
                for number in 0..1000 {
                    let value = min + (max - min) * 0.000_976_5 * f64::from(number);
                    assert_eq!(long.unit(0, value), main.unit(0, value) >> shift, "{value}");
                    assert_eq!(long.unit(1, value), main.unit(1, value), "{value}");
                }
            }
        }
        let long = grid(0.0, 1.0).variant(GridId::long::<2>([1, 0]));
        assert_eq!([long.unit(0, 2.0), long.unit(0, 15.5)], [1 << 27, 31 << 25]);
    }

    /// Long units that go on beyond the largest number had infinite distances inside the grid: an object there ended in the
    /// last unit, so its extent and the bounds of its units were wrong.
    #[test]
    fn long_units_end_where_numbers_do() {
        let power = power_of_two::<f32>;
        for (half, is_small) in [(power(119), true), (power(121), true), (power(126), false), (f32::MAX / 2.0, false)] {
            let main = Grid::<f32, 2>::new(Rect::new([-half; 2], [half; 2])).unwrap();
            let long = GridId::long::<2>([0, 1]);
            let grid = main.variant(if main.has_variant(long) { long } else { GridId::MAIN });
            for part in 0_u8..100 {
                let low = half.min(f32::MAX / 101.0) * f32::from(part);
                for high in [low, half.max(low), f32::MAX] {
                    let thin = Rect::new([0.0, low], [0.0, high]);
                    assert!(grid.address(&thin).extent <= grid.extent_at_most(thin.size()), "{thin:?} {grid:?}");
                    assert!(grid.bounds(&grid.range(&thin)).contains(&thin), "{thin:?} {grid:?}");
                }
            }
            assert_eq!(main.has_variant(long), is_small, "{half:e}");
        }
    }

    /// Coordinates that a larger grid is chosen for are in no unit at its edge, but for the largest.
    #[test]
    fn larger_grids_hold_their_objects() {
        for (min, max) in [(0.0, 1.0), (-1e-9, 1e-9), (4e15, 4e15 + 64.0), (1e-200, 2e-200)] {
            let grid = grid(min, max);
            for exponent in -20..240 {
                let away = (max - min) * 1.37 * power_of_two::<f64>(exponent);
                for place in [[min - away, max + away], [max, min - away], [max + away; 2]] {
                    let id = around(&grid, Rect::from_point(place));
                    if id != GridId::large(LARGE_MAX) {
                        let units = grid.variant(id).range(&Rect::from_point(place));
                        assert!(!id.is_large() || !Address::of(&units).is_at_edge(), "{place:?} {units:?}");
                    }
                }
            }
        }
    }

    /// Where units are coarser than the numbers, an object at the end of the square may be in a unit before the last.
    #[test]
    fn a_unit_before_the_last_is_inside() {
        let grid = Grid::new(Rect::new([10_000_029.0_f32, 10_000_016.0], [10_000_072.0, 10_000_063.0])).unwrap();
        let beyond = Rect::from_point([10_000_076.0, 10_000_032.0]);
        assert!(!grid.address(&beyond).is_at_edge());
        assert_eq!(around(&grid, beyond), GridId::MAIN);
        assert_eq!(around(&grid, Rect::from_point([10_000_077.0, 10_000_032.0])), GridId::large(1));
    }

    /// A world as large as numbers are has no room around it.
    #[test]
    fn the_largest_world_has_no_larger_grid() {
        let half = f64::from_bits(f64::MAX.to_bits() - (1 << 53));
        let grid = grid(-half, half);
        assert_eq!(around(&grid, Rect::from_point([f64::MAX; 2])), GridId::MAIN);
    }
}
