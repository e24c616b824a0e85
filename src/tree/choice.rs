//! Which tree of its layer an object belongs to: nearly always the main one.
//!
//! - An object wholly outside the world belongs to the tree over the first large grid around it. No other object does.
//! - A long thin object belongs to a tree over a long grid. The main tree would store it by its longest side, in the
//!   own list of a large node, where a search cannot prune it. In the root's list a bucket of them stays: it is sooner
//!   searched than a tree for each shape.
//!
//! An object that leaves or enters the world changes trees at once. Whether it is thin is decided only when it moves to
//! another block. Until then its tree may not fit its shape, which costs time but changes no result.
//!
//! Keeps T10 of `docs/invariants.md`.

use core::array;

use super::bucket::BUCKET_SLOTS;
use super::forest::Record;
use super::{TreeId, Trees};
use crate::geometry::{Rect, Scalar, larger, smaller};
use crate::grid::{Address, GridId, SHIFTS, UNITS_LOG2, UnitRange, fits_below, shift_at};
use crate::key::{Handle, Kind};

/// An object is thin if its longest side has more than `2^THIN_LOG2` times as many units as its shortest.
const THIN_LOG2: u32 = 4;

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// The grid of the tree for an object, in a layer with this many objects. With it so many are in the own list of the main
    /// tree's root, if it belongs there.
    pub(super) fn choose(&self, layer: u8, shape: &Rect<S, D>, objects: usize, in_root_list: usize) -> GridId {
        let units = self.grid().range_of_object(Kind::Rects, shape);
        let address = Address::of(&units);
        let around = self.grid().first_around(&address, shape);
        if around.is_large() {
            return around;
        }
        if in_root_list <= BUCKET_SLOTS && is_for_root_list(&address) {
            return GridId::MAIN;
        }
        let long = long_grid(&units, objects, self.living_rules(layer).split_above);
        if self.grid().has_variant(long) { long } else { GridId::MAIN }
    }

    /// The number of entries in the own list of the root of a layer's main tree.
    pub(super) fn in_root_list(&self, layer: u8) -> usize {
        let own = self.root(TreeId::main(layer)).and_then(|root| self.arena().node(root).own());
        own.map_or(0, |own| self.arena().total(own) as usize)
    }

    /// Whether an object may belong to a tree other than the main one, by its address over the main grid and whether it may
    /// be thin. Most thin objects are short, which the last test finds.
    #[inline(always)]
    pub(super) fn may_leave_main(&self, may_be_thin: bool, layer: impl FnOnce() -> u8, address: &Address<D>) -> bool {
        address.is_at_edge() || may_be_thin && least_long::<D>(self.len(layer())) <= address.extent + 1
    }

    /// Whether any of these entries may belong to a tree other than the main one, given their main-grid records.
    pub(super) fn any_may_leave_main(
        &self,
        objects: usize,
        entries: &[(Rect<S, D>, Handle)],
        records: &[Record<D>],
    ) -> bool {
        let (mut is_any_at_edge, mut longest) = (false, 0);
        for Record { address, .. } in records {
            is_any_at_edge |= address.is_at_edge();
            longest = longest.max(address.extent);
        }
        let is_large = |(record, entry): (&Record<D>, &(Rect<S, D>, Handle))| {
            self.grid().first_around(&record.address, &entry.0).is_large()
        };
        let is_any_long = least_long::<D>(objects) <= longest + 1;
        is_any_at_edge && records.iter().zip(entries).any(is_large)
            || is_any_long && entries.iter().any(|(shape, _)| may_be_thin(shape))
    }
}

/// Whether an object with this address is too long for the cells of a root.
pub(super) fn is_for_root_list<const D: usize>(address: &Address<D>) -> bool {
    !fits_below(address.extent, shift_at::<D>(0))
}

#[inline(always)]
pub(super) fn is_thin<const D: usize>(units: &UnitRange<D>) -> bool {
    let [least, most] = least_and_most::<_, D>(array::from_fn(|axis| units.max[axis] - units.min[axis]));
    least < most >> THIN_LOG2
}

#[inline(always)]
fn least_and_most<N: Copy + PartialOrd, const D: usize>(numbers: [N; D]) -> [N; 2] {
    numbers.iter().fold([numbers[0]; 2], |[least, most], &number| [smaller(least, number), larger(most, number)])
}

/// A cheap test of the sides, before the units are computed: whether a box may be thin.
#[inline]
pub(super) fn may_be_thin<S: Scalar, const D: usize>(shape: &Rect<S, D>) -> bool {
    let [least, most] = least_and_most(shape.size());
    least * S::from(1 << THIN_LOG2) < most
}

/// The mean distance between objects in units, a power of two, if this many are spread evenly. An object whose extent
/// plus one is less does no harm, however thin it is.
#[inline]
fn least_long<const D: usize>(objects: usize) -> u32 {
    1 << (UNITS_LOG2 + 1).saturating_sub(objects.max(1).ilog2() / D as u32)
}

/// The grid for an object with these units among `objects` others, in a tree whose blocks hold `per_block`: a long one
/// if the object is thin.
///
/// An object no longer than a block does no harm. Longer units make its blocks longer and flatter, but the blocks
/// should not become longer than the object.
fn long_grid<const D: usize>(units: &UnitRange<D>, objects: usize, per_block: u32) -> GridId {
    if !is_thin(units) {
        return GridId::MAIN;
    }
    let extents: [u32; D] = array::from_fn(|axis| units.max[axis] - units.min[axis] + 1);
    let least = extents.iter().fold(u32::MAX, |least, &extent| least.min(extent));
    GridId::long::<D>(array::from_fn(|axis| {
        let ratio_log2 = (extents[axis] / least).ilog2();
        // The number of objects side by side along this one, if all are spread evenly.
        let beside_log2 = (extents[axis].ilog2() + objects.max(1).ilog2() / D as u32).saturating_sub(UNITS_LOG2);
        if extents[axis] < least_long::<D>(objects) {
            return 0;
        }
        // Measured. Blocks of many objects call for less. But objects too long for a node's cells go to its own list,
        // and a node is up to 16 times as long as a cell.
        let limit = (2 * beside_log2 + 4).saturating_sub(per_block.max(1).ilog2());
        SHIFTS.iter().rposition(|&shift| u32::from(shift) <= limit.min(ratio_log2)).unwrap_or(0) as u8
    }))
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;
    use crate::grid::UNIT_MAX;

    /// Ranges of units of all lengths, all over the grid.
    fn ranges() -> Vec<UnitRange<2>> {
        let ends = [0, 1, 15, 16, 17, 127, 1023, 1024, 5000, 1 << 20, UNIT_MAX - 1023, UNIT_MAX - 1, UNIT_MAX];
        let on_axis =
            || ends.iter().flat_map(|&min| ends.iter().filter(move |&&max| min <= max).map(move |&max| [min, max]));
        let of = |[x, y]: [[u32; 2]; 2]| UnitRange { min: [x[0], y[0]], max: [x[1], y[1]] };
        on_axis().flat_map(|x| on_axis().map(move |y| of([x, y]))).collect()
    }

    /// Boxes of whole units are thin by their sides if they are thin by their units, whichever axis is long.
    #[test]
    fn thin_boxes_are_known_by_their_sides() {
        for units in ranges() {
            let sides: [u32; 2] = array::from_fn(|axis| units.max[axis] - units.min[axis]);
            for sides in
                [[sides[0], sides[0], sides[1]], [sides[0], sides[1], sides[0]], [sides[1], sides[0], sides[0]]]
            {
                let units = UnitRange { min: [0; 3], max: sides };
                let shape = Rect::new([0.0; 3], sides.map(f64::from));
                assert!(may_be_thin(&shape) || !is_thin(&units), "{sides:?}");
                let [least, most] = [sides.iter().min(), sides.iter().max()].map(|side| *side.unwrap());
                assert_eq!(may_be_thin(&shape), u64::from(least) << THIN_LOG2 < most.into(), "{sides:?}");
            }
        }
    }

    /// For any number of objects, longer units leave an object at least about as long as wide, on the axes where it is
    /// longer.
    #[test]
    fn units_are_no_longer_than_the_object_is_thin() {
        for units in ranges() {
            let extents: [u32; 2] = array::from_fn(|axis| units.max[axis] - units.min[axis] + 1);
            for objects in [0, 1, 1000, 1_000_000] {
                let grid = long_grid(&units, objects, 64);
                let least = extents[0].min(extents[1]);
                for (axis, extent) in extents.into_iter().enumerate() {
                    let limit = if grid.is_main() { u32::MAX } else { extent / least };
                    assert!(1 << grid.shift(axis) <= limit, "{grid:?} {units:?}");
                }
                assert!(is_thin(&units) || grid.is_main(), "{grid:?} {units:?}");
            }
        }
    }
}
