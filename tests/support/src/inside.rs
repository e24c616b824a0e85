//! The inside of cells, which is no part of the interface: units and reaches.

use quadrille::{Cell, Scalar};

/// A box of units. Both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitRange<const D: usize> {
    /// The first unit on each axis.
    pub min: [u32; D],
    /// The last unit on each axis.
    pub max: [u32; D],
}

impl<const D: usize> UnitRange<D> {
    /// Whether the two boxes share a unit.
    pub fn meets(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }
}

/// The answers of `Cell::inside`, one by one.
pub trait Inside<const D: usize> {
    /// The units of its square.
    fn units(&self) -> UnitRange<D>;
    /// The distance in units by which objects stored right here may extend beyond the square.
    fn reach(&self) -> u32;
    /// The same of the objects of the subtree.
    fn reach_below(&self) -> u32;
}

impl<T, S: Scalar, const D: usize> Inside<D> for Cell<'_, T, S, D> {
    fn units(&self) -> UnitRange<D> {
        let [min, max] = self.inside().units;
        UnitRange { min, max }
    }

    fn reach(&self) -> u32 {
        self.inside().reach
    }

    fn reach_below(&self) -> u32 {
        self.inside().reach_below
    }
}
