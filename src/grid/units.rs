//! Units and ranges of them. Knows no coordinates.

/// The logarithm of the number of units per side: a multiple of the three levels of a 2D node and of the two of a 3D
/// node.
pub(crate) const UNITS_LOG2: u32 = 30;

/// The number of the last unit on an axis.
pub(crate) const UNIT_MAX: u32 = (1 << UNITS_LOG2) - 1;

/// The last unit beyond the grid at which an object may end. An object that ends farther away counts as ending here.
pub(crate) const END_MAX: u32 = (1 << (UNITS_LOG2 + 1)) - 2;

/// A box of units. Both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UnitRange<const D: usize> {
    /// The first unit on each axis.
    pub(crate) min: [u32; D],
    /// The last unit on each axis.
    pub(crate) max: [u32; D],
}

impl<const D: usize> UnitRange<D> {
    /// All units of a grid.
    #[inline]
    pub(crate) fn everywhere() -> Self {
        Self { min: [0; D], max: [UNIT_MAX; D] }
    }

    /// Whether the two boxes share a unit.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// A copy made number by number. A copy of the whole would read larger pieces than were just written, and the processor
    /// would wait until these are in the cache.
    #[inline(always)]
    pub(crate) fn by_number(&self) -> Self {
        let copied = |numbers: &[u32; D]| core::array::from_fn(|axis| numbers[axis]);
        Self { min: copied(&self.min), max: copied(&self.max) }
    }

    /// A range that is empty on every axis.
    #[cfg(feature = "serde")]
    pub(crate) fn nowhere() -> Self {
        Self { min: [1; D], max: [0; D] }
    }

    /// The range, extended to the low side by `reach` units: there begins whatever meets it, if nothing is longer.
    #[inline]
    pub(crate) fn reached(&self, reach: u32) -> Self {
        Self { min: self.min.map(|first| first.saturating_sub(reach)), max: self.max }
    }

    /// The range, extended to the high side by `reach` units, as far as there are units.
    #[inline]
    pub(crate) fn stretched(&self, reach: u32) -> Self {
        Self { min: self.min, max: self.max.map(|last| last.saturating_add(reach).min(UNIT_MAX)) }
    }
}
