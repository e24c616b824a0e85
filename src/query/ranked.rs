//! What ordered queries share: they yield one object after the other, and how many are wanted nobody says.
//!
//! The first object is searched for alone, which takes no memory. Who asks for a second one is likely to want some
//! more: the next search brings several, the one after that twice as many, and so on. So each object costs its
//! share of a search for many, and no search goes much further than what is asked for. What has been found and not
//! yet been yielded waits in a buffer; where the query stands is the last object that it yielded, so a filter that is
//! set on the way only empties the buffer.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::geometry::{Level, Rank, Scalar, level};
use crate::grid::Block;
use crate::index::SpatialIndex;
use crate::key::{Handle, LayerSet, Place};
use crate::layer::with_trees;

use super::search::{Found, Ranking, Search, first_block};

/// How many objects the second search is for: with the first, a dozen.
const WANT_SECOND: usize = 11;

/// Memory for ordered queries ([`nearest`](SpatialIndex::nearest), [`raycast`](SpatialIndex::raycast),
/// [`cast`](SpatialIndex::cast)), to be used again and again.
///
/// An ordered query allocates when it is asked for a second object, and lets go of the memory at its end. Where that
/// matters, such as in a loop over many queries, hand each of them the same buffer with `reusing`. It is plain memory:
/// it serves any query of any index.
#[derive(Clone, Debug, Default)]
pub struct SearchBuffer {
    found: Vec<Found>,
}

impl SearchBuffer {
    /// Makes a buffer without memory; the first query that uses it allocates.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// A buffer of the query's own, or one to be given back.
#[derive(Debug)]
enum Buffer<'b> {
    Own(Vec<Found>),
    Lent(&'b mut Vec<Found>),
}

impl Buffer<'_> {
    #[inline]
    fn found(&mut self) -> &mut Vec<Found> {
        match self {
            Self::Own(found) => found,
            Self::Lent(found) => found,
        }
    }
}

impl Clone for Buffer<'_> {
    fn clone(&self) -> Self {
        Self::Own(match self {
            Self::Own(found) => found.clone(),
            Self::Lent(found) => (**found).clone(),
        })
    }
}

/// How far a query has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing has been searched for.
    Fresh,
    /// The next search is for so many objects, or as many as the second one is for if that is more. The last object
    /// that was found lies at the place.
    Wanting(usize, Place),
    /// What is in the buffer is all there is.
    Last,
}

/// An ordered query: where it stands.
#[derive(Clone)]
pub(super) struct Ranked<'b, R> {
    pub(super) ranking: R,
    layers: LayerSet,
    excluded: Place,
    /// What comes here or before is not yielded (any more).
    floor: (Rank, Option<Handle>),
    /// What comes after is not yielded.
    limit: Rank,
    stage: Stage,
    /// What has been found and is still to be yielded, last first.
    buffer: Buffer<'b>,
    level: Level,
}

impl<'b, R> Ranked<'b, R> {
    /// A query for nothing, if `layers` are none.
    pub(super) fn new(ranking: R, layers: LayerSet) -> Self {
        Self {
            ranking,
            layers,
            excluded: Place::NONE,
            floor: (Rank::ZERO, None),
            limit: Rank::INFINITY,
            stage: Stage::Fresh,
            buffer: Buffer::Own(Vec::new()),
            level: level(),
        }
    }

    pub(super) fn reusing<'c>(self, buffer: &'c mut SearchBuffer) -> Ranked<'c, R>
    where
        'b: 'c,
    {
        let mut lent = Ranked { buffer: Buffer::Lent(&mut buffer.found), ..self };
        lent.search_anew();
        lent
    }

    pub(super) fn restrict(&mut self, layers: LayerSet) {
        self.layers = self.layers & layers;
        self.search_anew();
    }

    pub(super) fn exclude(&mut self, object: Option<Place>) {
        self.excluded = object.unwrap_or(Place::NONE);
        self.search_anew();
    }

    /// Leaves out what comes after; nothing is left if there is no such rank.
    pub(super) fn end_at(&mut self, limit: Option<Rank>) {
        match limit {
            Some(limit) => self.limit = self.limit.or_less(limit),
            None => self.layers = LayerSet::NONE,
        }
        self.search_anew();
    }

    /// Leaves out what comes before.
    pub(super) fn begin_at(&mut self, floor: Rank) {
        if self.floor < (floor, None) {
            self.floor = (floor, None);
        }
        self.search_anew();
    }

    /// Forgets what has been found and not been yielded.
    fn search_anew(&mut self) {
        self.buffer.found().clear();
        if self.stage == Stage::Last {
            self.stage = Stage::Wanting(0, Place::NONE);
        }
    }

    pub(super) fn layers(&self) -> LayerSet {
        self.layers
    }

    #[inline]
    pub(super) fn next<T, S: Scalar, const D: usize>(&mut self, index: &SpatialIndex<T, S, D>) -> Option<Found>
    where
        R: Ranking<S, D>,
    {
        // Who lends a buffer wants several at once. A search for the first one knows no floor.
        let is_alone = matches!(self.buffer, Buffer::Own(_)) && self.floor == (Rank::ZERO, None);
        let next = if self.stage == Stage::Fresh && is_alone {
            let first = self.search(index, self.limit, 1);
            self.stage = first.map_or(Stage::Last, |first| Stage::Wanting(0, first.place));
            first
        } else {
            if self.buffer.found().is_empty() {
                self.refill(index);
            }
            self.buffer.found().pop()
        }?;
        self.floor = next.order();
        Some(next)
    }

    /// Searches for the next objects; leaves the buffer empty if there are none.
    fn refill<T, S: Scalar, const D: usize>(&mut self, index: &SpatialIndex<T, S, D>)
    where
        R: Ranking<S, D>,
    {
        let (want, last) = match self.stage {
            Stage::Fresh => (WANT_SECOND, Place::NONE),
            Stage::Wanting(want, last) => (want.max(WANT_SECOND), last),
            Stage::Last => return,
        };
        let guess = self.guess(index, want, last).filter(|&guess| guess < self.limit);
        if let Some(guess) = guess {
            self.search(index, guess, want);
        }
        let mut is_all = false;
        if self.buffer.found().is_empty() {
            self.search(index, self.limit, want);
            is_all = self.buffer.found().len() < want;
        }
        let found = self.buffer.found();
        // No two are equal.
        found.sort_unstable_by(|a, b| if b < a { Ordering::Less } else { Ordering::Greater });
        self.stage = match found.first() {
            Some(last) if !is_all => Stage::Wanting(2 * want, last.place),
            _ => Stage::Last,
        };
    }

    /// A limit for the next search, by how densely objects lie around the last one found, or where the search begins.
    fn guess<T, S: Scalar, const D: usize>(
        &self,
        index: &SpatialIndex<T, S, D>,
        want: usize,
        last: Place,
    ) -> Option<Rank>
    where
        R: Ranking<S, D>,
    {
        let guess =
            |(block, objects): (Block<D>, u32)| self.ranking.guess(&index.grid, self.floor.0, want, &block, objects);
        if last != Place::NONE {
            return with_trees!(index.forest, last.kind(), |trees| {
                guess((trees.head(last.bucket()).block, trees.total(last.bucket())))
            });
        }
        let (mut layers, mut lowest) = (self.layers, None);
        while let Some((layer, kind)) = index.next_layer(&mut layers) {
            let of_layer = with_trees!(index.forest, kind, |trees| {
                let root = trees.root(layer);
                if root.is_none() { None } else { guess(first_block(trees, root, &self.ranking)) }
            });
            lowest = match (lowest, of_layer) {
                (Some(lowest), Some(guess)) if lowest <= guess => Some(lowest),
                (lowest, guess) => guess.or(lowest),
            };
        }
        lowest
    }

    fn search<T, S: Scalar, const D: usize>(
        &mut self,
        index: &SpatialIndex<T, S, D>,
        limit: Rank,
        want: usize,
    ) -> Option<Found>
    where
        R: Ranking<S, D>,
    {
        let found = self.buffer.found();
        let mut search = Search::new(&index.grid, &self.ranking, self.level, self.floor, limit, want, found)
            .leaving_out(self.excluded);
        let mut layers = self.layers;
        while let Some((layer, kind)) = index.next_layer(&mut layers) {
            with_trees!(index.forest, kind, |trees| {
                let root = trees.root(layer);
                if !root.is_none() {
                    search.node(trees, root);
                }
            });
        }
        search.first
    }
}

/// What all ordered queries have: filters, the loan of a buffer, and the traits of an iterator.
macro_rules! ordered_query {
    ($name:ident, $item:ident, [$($field:ident),*], |$object:ident, $query:ident, $rank:ident| $make:expr) => {
        impl<'a, 'b, T, S: Scalar, const D: usize> $name<'a, 'b, T, S, D> {
            /// Restricts the query to a set of layers, within those it was restricted to before.
            ///
            /// The trees of other layers are not visited. Called after the first `next` it holds for what is still to
            /// come.
            pub fn in_layers(mut self, layers: impl Into<LayerSet>) -> Self {
                self.ranked.restrict(layers.into());
                self
            }

            /// Leaves out one object: of several calls the last. Called after the first `next` it holds for what is
            /// still to come.
            pub fn excluding(mut self, object: Handle) -> Self {
                self.ranked.exclude(self.index.store.place(object));
                self
            }

            /// Uses the memory of a buffer instead of its own, so that a loop of queries allocates once.
            pub fn reusing<'c>(self, buffer: &'c mut SearchBuffer) -> $name<'a, 'c, T, S, D>
            where
                'b: 'c,
            {
                $name { index: self.index, ranked: self.ranked.reusing(buffer), $($field: self.$field),* }
            }

            /// Whether there is (still) any object: stops at the first.
            #[must_use]
            pub fn exists(mut self) -> bool {
                self.next().is_some()
            }
        }

        impl<'a, T, S: Scalar, const D: usize> Iterator for $name<'a, '_, T, S, D> {
            type Item = $item<'a, T, S, D>;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let found = self.ranked.next(self.index)?;
                let ($object, $query, $rank) = (ObjectRef::new(self.index, found.place, found.handle), &*self, found.rank);
                Some($make)
            }
        }

        impl<T, S: Scalar, const D: usize> FusedIterator for $name<'_, '_, T, S, D> {}

        /// The clone has a buffer of its own.
        impl<T, S: Scalar, const D: usize> Clone for $name<'_, '_, T, S, D> {
            fn clone(&self) -> Self {
                Self { index: self.index, ranked: self.ranked.clone(), $($field: self.$field),* }
            }
        }
    };
}
pub(super) use ordered_query;
