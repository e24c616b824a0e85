//! Larger grids around the world, for objects that lie outside it. Knows nothing of what is stored.
//!
//! Objects outside would crowd in the units at the edge. So grids lie around the world, each `2^8` times as large as
//! the one before; an object that lies outside of the grid wholly has the aspect of the first one around it. All that
//! holds of the grid's units holds of theirs, since they are grids like it.

use super::aspect::{FAR_LOG2, FAR_MAX};
use super::{Address, Aspect, Grid, UNIT_MAX, UnitRange};
use crate::geometry::{Rect, Scalar};

impl<S: Scalar, const D: usize> Grid<S, D> {
    /// The grid of a tree of an aspect, with its positions and distances.
    #[inline]
    pub(crate) fn with_aspect(&self, aspect: Aspect) -> Self {
        if aspect.is_far() && self.aspect != aspect { self.grown(aspect) } else { Self { aspect, ..*self } }
    }

    /// The larger grid of an aspect, with the world in its middle.
    fn grown(&self, aspect: Aspect) -> Self {
        debug_assert!(self.aspect.is_square(), "grids grow from the one around the world");
        let growth = power_of_two::<S>(aspect.growth_log2().into());
        let half = self.world.longest() * S::from_f64(0.5);
        let first = |middle: S| middle - half * growth;
        Self { origin: self.origin.map(|origin| first(origin + half)), scale: self.scale / growth, aspect, ..*self }
    }

    /// The aspect of the larger grid for an object with that address, if it lies outside this one wholly; otherwise that
    /// of this one.
    ///
    /// The world belongs to this one, however its end is rounded. Beyond it the units decide, rounded as those of a move in
    /// place are, so that such a move never leaves an object in the wrong tree.
    #[inline]
    pub(crate) fn far_aspect(&self, address: &Address<D>, shape: &Rect<S, D>) -> Aspect {
        if address.is_at_edge() { self.far_aspect_at_edge(shape) } else { Aspect::SQUARE }
    }

    #[cold]
    fn far_aspect_at_edge(&self, shape: &Rect<S, D>) -> Aspect {
        let units = |axis: usize, value: S| ((value - self.origin[axis]) * self.scale).to_f64();
        let is_outside = |axis: usize| {
            let (min, max) = (shape.min()[axis], shape.max()[axis]);
            units(axis, max) < 0.0 || self.world.max()[axis] < min && f64::from(UNIT_MAX + 1) <= units(axis, min)
        };
        if !(0..D).any(is_outside) {
            return Aspect::SQUARE;
        }
        let (world, side) = (self.world.to_f64(), self.world.longest().to_f64());
        let (min, max) = (shape.to_f64().min(), shape.to_f64().max());
        // How far the object reaches from the middle of the grid, in sides of the grid.
        let away = |axis: usize| {
            let middle = world.min()[axis] + 0.5 * side;
            let [low, high] = [middle - min[axis], max[axis] - middle];
            (if low < high { high } else { low }) / side
        };
        let farthest = (0..D).map(away).fold(0.0, |a, b| if a < b { b } else { a });
        // It fits into a grid if it is nearer than half of its side.
        let wanted = (exponent(farthest) + 1).div_euclid(FAR_LOG2.into()) + 1;
        match self.far_max() {
            0 => Aspect::SQUARE,
            most => Aspect::far(wanted.clamp(1, most).cast_unsigned() as u8),
        }
    }

    /// The units that a box touches in the grid of an aspect, given those that it touches in this one.
    #[inline]
    pub(crate) fn units_in(&self, aspect: Aspect, units: &UnitRange<D>, rect: &Rect<S, D>) -> UnitRange<D> {
        if aspect.is_far() { self.with_aspect(aspect).range(rect) } else { units.in_aspect(aspect) }
    }

    /// A box around all coordinates that fall into units of an aspect, as [`bounds`](Self::bounds) of the grid's own.
    pub(crate) fn bounds_in(&self, aspect: Aspect, units: &UnitRange<D>) -> Rect<S, D> {
        if aspect.is_far() { self.with_aspect(aspect).bounds(units) } else { self.bounds(&units.of_aspect(aspect)) }
    }

    /// The number of the largest grid around this one that has coordinates.
    fn far_max(&self) -> i32 {
        let most = exponent(S::MAX.to_f64());
        let mut ends = self.world.min().into_iter().chain(self.world.max());
        if ends.any(|end| most - 1 <= exponent(end.abs().to_f64())) {
            // A larger grid around so remote a world would begin or end beyond the largest number.
            return 0;
        }
        let room = most - 2 - exponent(self.world.longest().to_f64()).max(0);
        let fine = exponent(self.scale.to_f64()) - exponent(S::MIN_POSITIVE.to_f64());
        (room.min(fine) / i32::from(FAR_LOG2)).clamp(0, i32::from(FAR_MAX))
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
    use super::*;

    fn grid(min: f64, max: f64) -> Grid<f64, 2> {
        Grid::new(Rect::new([min; 2], [max; 2])).unwrap()
    }

    fn far_aspect<S: Scalar>(grid: &Grid<S, 2>, shape: Rect<S, 2>) -> Aspect {
        grid.far_aspect(&grid.address(&shape), &shape)
    }

    /// The first larger grid that holds an object; one that touches the world, or lies beside it within the square of the
    /// longest side, needs none.
    #[test]
    fn each_distance_has_its_grid() {
        let numbered = |number: u8| if number == 0 { Aspect::SQUARE } else { Aspect::far(number) };
        let grid = grid(0.0, 1.0);
        let at = |x: f64| far_aspect(&grid, Rect::new([x, 0.5], [x + 0.25, 0.5]));
        for (x, number) in [(0.0, 0), (-0.25, 0), (1.0, 0), (-0.26, 1), (1.01, 1), (127.0, 1), (129.0, 2), (-127.0, 1)]
        {
            assert_eq!(at(x), numbered(number), "{x}");
        }
        for (x, number) in
            [(127.9, 1), (-127.6, 2), (32_000.0, 2), (33_000.0, 3), (1e30, 13), (1e300, FAR_MAX), (f64::MAX, FAR_MAX)]
        {
            assert_eq!(at(x), numbered(number), "{x}");
        }
        let oblong = Grid::<f64, 2>::new(Rect::new([0.0, 0.0], [4.0, 1.0])).unwrap();
        assert_eq!(far_aspect(&oblong, Rect::from_point([2.0, 3.9])), Aspect::SQUARE);
        assert_eq!(far_aspect(&oblong, Rect::from_point([2.0, 4.1])), Aspect::far(1));
        let in_last_unit = Rect::from_point([2.0, 4.0 - 1e-10]);
        assert_eq!(far_aspect(&oblong, in_last_unit), Aspect::SQUARE);
        let single = Grid::<f32, 2>::new(Rect::new([0.0; 2], [1.0; 2])).unwrap();
        assert_eq!(far_aspect(&single, Rect::from_point([1e30; 2])), Aspect::far(13));
        assert_eq!(
            far_aspect(&single, Rect::from_point([f32::MAX; 2])),
            Aspect::far(15),
            "a sixteenth has no coordinates"
        );
    }

    #[test]
    fn larger_grids_know_their_aspect() {
        let far = Aspect::far(3);
        let larger = grid(0.0, 1.0).with_aspect(far);
        assert_eq!([larger.aspect(), larger.with_aspect(far).aspect()], [far; 2]);
        assert_eq!(larger.scale().to_bits(), larger.with_aspect(far).scale().to_bits());
    }

    /// Coordinates that a larger grid is chosen for are in no unit at its edge, but for the largest.
    #[test]
    fn larger_grids_hold_their_objects() {
        for (min, max) in [(0.0, 1.0), (-1e-9, 1e-9), (4e15, 4e15 + 64.0), (1e-200, 2e-200)] {
            let grid = grid(min, max);
            for exponent in -20..240 {
                let away = (max - min) * 1.37 * power_of_two::<f64>(exponent);
                for place in [[min - away, max + away], [max, min - away], [max + away; 2]] {
                    let aspect = far_aspect(&grid, Rect::from_point(place));
                    if aspect != Aspect::far(FAR_MAX) {
                        let units = grid.with_aspect(aspect).range(&Rect::from_point(place));
                        assert!(!aspect.is_far() || !Address::of(&units).is_at_edge(), "{place:?} {units:?}");
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
        assert_eq!(far_aspect(&grid, beyond), Aspect::SQUARE);
        assert_eq!(far_aspect(&grid, Rect::from_point([10_000_077.0, 10_000_032.0])), Aspect::far(1));
    }

    /// A world as large as numbers are has no room around it.
    #[test]
    fn the_largest_world_has_no_larger_grid() {
        let half = f64::from_bits(f64::MAX.to_bits() - (1 << 53));
        let grid = grid(-half, half);
        assert_eq!(far_aspect(&grid, Rect::from_point([f64::MAX; 2])), Aspect::SQUARE);
    }
}
