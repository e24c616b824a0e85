//! Aspects: on which axes the units of a tree are longer than those of the grid, or how much larger its grid is.
//!
//! A thin object is stored by its longest side, so it would lie in the own list of a large node, where nothing narrows
//! the search for it. In a tree whose units are longer along the object it is about as long as wide. The units of an
//! aspect are `2^shift` units of the grid long on each axis, with a shift of their own. All that holds of the units of
//! the grid holds of them too, since shifting is monotone.
//!
//! Objects outside the grid would crowd in the units at its edge. So there are larger grids around it, each `2^8` times
//! as large as the one before: an object that lies outside wholly has the aspect of the first one around it.
//!
//! Knows nothing of trees. Keeps G2 of `docs/invariants.md`.

use core::array;

use super::units::{UNIT_MAX, UNITS_LOG2, UnitRange};
use crate::geometry::{Rect, Scalar};

/// The shifts that an axis may have.
const SHIFTS: [u8; 4] = [0, 4, 7, 10];

/// An object is thin if its longest side has more than `2^THIN_LOG2` times as many units as its shortest.
const THIN_LOG2: u32 = 4;

/// The aspects of larger grids are numbered from here on.
const FAR: u8 = 64;

/// The number of larger grids: their shifts are saved in a byte.
pub(super) const FAR_MAX: u8 = 31;

/// Each larger grid has `2^FAR_LOG2` times as long a side as the one before.
pub(super) const FAR_LOG2: u8 = 8;

/// The shifts of a tree's units on each axis, as two bits an axis that choose one; or from [`FAR`] on, the number of a
/// larger grid, whose units are longer on all axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Aspect(u8);

impl Aspect {
    /// The aspect of the grid itself.
    pub(crate) const SQUARE: Self = Self(0);

    /// The aspect as a number.
    #[cfg(feature = "serde")]
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// The aspect with a number, if there is one in `D` dimensions.
    #[cfg(feature = "serde")]
    pub(crate) fn numbered<const D: usize>(number: u8) -> Option<Self> {
        (number >> (2 * D) == 0 || (FAR + 1..=FAR + FAR_MAX).contains(&number)).then_some(Self(number))
    }

    /// No aspect comes after it.
    pub(crate) const LAST: Self = Self(u8::MAX);

    #[inline(always)]
    pub(crate) fn is_square(self) -> bool {
        self == Self::SQUARE
    }

    /// The aspect of a larger grid, counted from 1.
    pub(super) fn far(number: u8) -> Self {
        Self(FAR + number)
    }

    /// Whether it is that of a larger grid.
    #[inline]
    pub(crate) fn is_far(self) -> bool {
        FAR < self.0
    }

    /// The logarithm of the length of a unit on an axis, in units of the grid that the tree is over.
    #[inline]
    pub(crate) fn shift(self, axis: usize) -> u8 {
        if self.is_far() { 0 } else { SHIFTS[usize::from(self.0 >> (2 * axis) & 3)] }
    }

    /// The logarithm of the length of a unit on an axis, in units of the grid around the world.
    pub(crate) fn shift_in_all(self, axis: usize) -> u8 {
        if self.is_far() { self.growth_log2() } else { self.shift(axis) }
    }

    /// The number of the last unit on an axis.
    #[inline]
    pub(crate) fn unit_max(self, axis: usize) -> u32 {
        UNIT_MAX >> self.shift(axis)
    }

    /// The logarithm of how much larger its grid is.
    pub(super) fn growth_log2(self) -> u8 {
        if self.is_far() { (self.0 - FAR) * FAR_LOG2 } else { 0 }
    }

    /// Whether an object with these units has another aspect than the grid's.
    #[inline(always)]
    pub(crate) fn is_thin<const D: usize>(units: &UnitRange<D>) -> bool {
        let extent = |axis: usize| units.max[axis] - units.min[axis];
        let (mut least, mut most) = (extent(0), extent(0));
        for axis in 1..D {
            least = least.min(extent(axis));
            most = most.max(extent(axis));
        }
        least < most >> THIN_LOG2
    }

    /// Whether a box is so long and thin that its aspect is worth computing.
    #[inline]
    pub(crate) fn may_be_thin<S: Scalar, const D: usize>(shape: &Rect<S, D>) -> bool {
        let sides = shape.size();
        let (mut least, mut most) = (sides[0], sides[0]);
        for &side in &sides[1..] {
            least = if side < least { side } else { least };
            most = if most < side { side } else { most };
        }
        least * S::from(1 << THIN_LOG2) < most
    }

    /// The least extent, plus one, of an object beside which another one lies, among so many that are spread evenly.
    /// Shorter ones do no harm, however thin they are.
    #[inline]
    pub(crate) fn least_long<const D: usize>(objects: usize) -> u32 {
        1 << (UNITS_LOG2 + 1).saturating_sub(objects.max(1).ilog2() / D as u32)
    }

    /// The aspect for an object with these units, among so many objects, in a tree whose blocks hold so many.
    ///
    /// An object that is no longer than a block does no harm. In longer units its blocks become longer and flatter; if
    /// they were longer than the object itself, that would be too much.
    pub(crate) fn of<const D: usize>(units: &UnitRange<D>, objects: usize, per_block: u32) -> Self {
        if !Self::is_thin(units) {
            return Self::SQUARE;
        }
        let extents: [u32; D] = array::from_fn(|axis| units.max[axis] - units.min[axis] + 1);
        let least = extents.iter().fold(u32::MAX, |least, &extent| least.min(extent));
        let chosen = |axis: usize| {
            let ratio_log2 = (extents[axis] / least).ilog2();
            // How many objects are side by side along this one, if all are spread evenly.
            let beside_log2 = (extents[axis].ilog2() + objects.max(1).ilog2() / D as u32).saturating_sub(UNITS_LOG2);
            if extents[axis] < Self::least_long::<D>(objects) {
                return 0;
            }
            // Measured. By how many objects a block holds it should be less; but what is too long for a node's cells is
            // stored in its own list, and a node is up to 16 times as long.
            let limit = (2 * beside_log2 + 4).saturating_sub(per_block.max(1).ilog2());
            SHIFTS.iter().rposition(|&shift| u32::from(shift) <= limit.min(ratio_log2)).unwrap_or(0) as u8
        };
        Self((0..D).fold(0, |bits, axis| bits | chosen(axis) << (2 * axis)))
    }
}

impl<const D: usize> UnitRange<D> {
    /// The units of an aspect that hold these units of the grid.
    #[inline]
    pub(crate) fn in_aspect(&self, aspect: Aspect) -> Self {
        let shifted = |units: [u32; D]| array::from_fn(|axis| units[axis] >> aspect.shift(axis));
        Self { min: shifted(self.min), max: shifted(self.max) }
    }

    /// The units of the grid in these units of an aspect, as far as there are any.
    #[inline]
    pub(crate) fn of_aspect(&self, aspect: Aspect) -> Self {
        let begin = |unit: u64, axis: usize| unit << aspect.shift(axis);
        let limited = |unit: u64| unit.min(UNIT_MAX.into()) as u32;
        Self {
            min: array::from_fn(|axis| limited(begin(self.min[axis].into(), axis))),
            max: array::from_fn(|axis| limited(begin(u64::from(self.max[axis]) + 1, axis) - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;

    fn all<const D: usize>() -> impl Iterator<Item = Aspect> {
        (0..1 << (2 * D)).map(Aspect)
    }

    /// Ranges of units of all lengths, all over the grid.
    fn ranges() -> Vec<UnitRange<2>> {
        let ends = [0, 1, 15, 16, 17, 127, 1023, 1024, 5000, 1 << 20, UNIT_MAX - 1023, UNIT_MAX - 1, UNIT_MAX];
        let on_axis =
            || ends.iter().flat_map(|&min| ends.iter().filter(move |&&max| min <= max).map(move |&max| [min, max]));
        let of = |[x, y]: [[u32; 2]; 2]| UnitRange { min: [x[0], y[0]], max: [x[1], y[1]] };
        on_axis().flat_map(|x| on_axis().map(move |y| of([x, y]))).collect()
    }

    #[test]
    fn longer_units_hold_their_units() {
        let ranges = ranges();
        for aspect in all::<2>() {
            for (number, units) in ranges.iter().enumerate() {
                let longer = units.in_aspect(aspect);
                let back = longer.of_aspect(aspect);
                for axis in 0..2 {
                    assert!(longer.max[axis] <= aspect.unit_max(axis), "{aspect:?} {units:?}");
                    assert!(longer.max[axis] - longer.min[axis] <= units.max[axis] - units.min[axis], "no more extent");
                    assert!(
                        back.min[axis] <= units.min[axis] && units.max[axis] <= back.max[axis],
                        "{back:?} {units:?}"
                    );
                }
                // All that meet still do; not each with each.
                for other in ranges[number % 7..].iter().step_by(7) {
                    assert!(!units.meets(other) || longer.meets(&other.in_aspect(aspect)), "{units:?} {other:?}");
                }
            }
        }
    }

    /// Boxes of whole units are thin by their sides if they are so by their units, on whichever axis they are long.
    #[test]
    fn thin_boxes_are_known_by_their_sides() {
        for units in ranges() {
            let sides: [u32; 2] = array::from_fn(|axis| units.max[axis] - units.min[axis]);
            for sides in
                [[sides[0], sides[0], sides[1]], [sides[0], sides[1], sides[0]], [sides[1], sides[0], sides[0]]]
            {
                let units = UnitRange { min: [0; 3], max: sides };
                let shape = Rect::new([0.0; 3], sides.map(f64::from));
                assert!(Aspect::may_be_thin(&shape) || !Aspect::is_thin(&units), "{sides:?}");
                let [least, most] = [sides.iter().min(), sides.iter().max()].map(|side| *side.unwrap());
                assert_eq!(Aspect::may_be_thin(&shape), u64::from(least) << THIN_LOG2 < most.into(), "{sides:?}");
            }
        }
    }

    /// However many objects there are, the longer units leave an object about as long as wide or longer, on the axes
    /// where it is longer.
    #[test]
    fn units_are_no_longer_than_the_object_is_thin() {
        for units in ranges() {
            let extents: [u32; 2] = array::from_fn(|axis| units.max[axis] - units.min[axis] + 1);
            for objects in [0, 1, 1000, 1_000_000] {
                let aspect = Aspect::of(&units, objects, 64);
                let least = extents[0].min(extents[1]);
                for (axis, extent) in extents.into_iter().enumerate() {
                    let limit = if aspect.is_square() { u32::MAX } else { extent / least };
                    assert!(1 << aspect.shift(axis) <= limit, "{aspect:?} {units:?}");
                }
                assert!(Aspect::is_thin(&units) || aspect.is_square(), "{aspect:?} {units:?}");
            }
        }
    }
}
