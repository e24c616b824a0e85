//! `pairs`, `pairs_between`: which objects meet each other.

use core::iter::FusedIterator;

use super::pairing::{Pairing, Sides};
use crate::geometry::Scalar;
use crate::index::{ObjectRef, SpatialIndex};

/// Pairs of objects that meet each other.
#[must_use = "a query does nothing until it is iterated"]
pub struct Pairs<'a, T, S = f32, const D: usize = 2> {
    index: &'a SpatialIndex<T, S, D>,
    pairing: Pairing<S, D>,
}

impl<'a, T, S: Scalar, const D: usize> Iterator for Pairs<'a, T, S, D> {
    type Item = (ObjectRef<'a, T, S, D>, ObjectRef<'a, T, S, D>);

    fn next(&mut self) -> Option<Self::Item> {
        let [first, second] = self.pairing.next(&Sides::within(self.index), None)?;
        let object = |place| ObjectRef::new(self.index, place, self.index.forest.handle(place));
        Some((object(first), object(second)))
    }

    fn count(mut self) -> usize {
        self.pairing.count(&Sides::within(self.index), None)
    }
}

impl<T, S: Scalar, const D: usize> FusedIterator for Pairs<'_, T, S, D> {}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Every pair of objects that share at least one point, once. Touching counts.
    pub fn pairs(&self) -> Pairs<'_, T, S, D> {
        Pairs { index: self, pairing: Pairing::new(&Sides::within(self), None) }
    }
}
