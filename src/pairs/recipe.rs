//! A query for pairs as plain data, from which it can be made anew. Does not know who asks again.

use alloc::vec::Vec;

use super::join::Join;
use super::sources::{Source, Sources};
use crate::geometry::{Proximity, Scalar};
use crate::index::SpatialIndex;
use crate::key::{Handle, LayerSet, Stamp};
use crate::tree::positions;

/// The question of a query for pairs. It borrows nothing.
#[derive(Clone, Debug)]
pub(crate) struct Recipe<S> {
    /// Whether objects of one index are paired with each other.
    pub(crate) are_one: bool,
    pub(crate) between: [LayerSet; 2],
    /// How far apart the two may be; none if no pair is near enough.
    pub(crate) distance: Option<S>,
    /// The objects of which each pair has one, if it is restricted to some. Two indexes have no such restriction.
    pub(crate) some: Option<Vec<Handle>>,
}

impl<T, U, S: Scalar, const D: usize> Join<'_, '_, T, U, S, D> {
    /// The stamps of the two indexes.
    pub(crate) fn indexes(&self) -> [Stamp; 2] {
        [self.index.space.era().index, self.other.space.era().index]
    }

    pub(crate) fn recipe(&self) -> Recipe<S> {
        let handles = |source: &Source| {
            let first = source.group.bucket();
            positions(source.entries).map(move |position| self.index.space.forest.handle(first.at(position)))
        };
        Recipe {
            are_one: self.search.sides.are_one,
            between: self.search.sides.layers,
            distance: self.search.proximity.map(|proximity| proximity.distance()),
            some: self.search.sources.list_of_some().map(|some| some.iter().flat_map(handles).collect()),
        }
    }
}

impl<S: Scalar> Recipe<S> {
    /// The query, from its beginning.
    pub(crate) fn pairs<'a, 'b, T, U, const D: usize>(
        &self,
        index: &'a SpatialIndex<T, S, D>,
        other: &'b SpatialIndex<U, S, D>,
    ) -> Join<'a, 'b, T, U, S, D> {
        let places = |some: &Vec<Handle>| some.iter().filter_map(|&handle| index.space.place(handle)).collect();
        let some = self.some.as_ref().map(|some| Sources::some(Source::of_places(&index.space, places(some))));
        let sources = some.unwrap_or_else(|| Sources::all(self.are_one));
        let mut pairs = Join::new(index, other, self.are_one, sources);
        pairs.search.sides.layers = self.between;
        pairs.search.proximity = self.distance.and_then(Proximity::within);
        pairs
    }
}
