//! Where an ordered query stands. It yields one object after the other, and nobody says how many are wanted.
//!
//! The first object is searched for alone, which takes no memory. A caller who asks for a second one is likely to want
//! some more: the next search brings several, the one after that twice as many, and so on. So each object costs its
//! share of a search for many, and no search goes much further than it is asked to. Objects that have been found and not
//! yet been yielded wait in a buffer. The query stands at the last object that it yielded, so a filter that is set on the
//! way only empties the buffer.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::geometry::{Level, Rank, Scalar, level};
use crate::grid::Block;
use crate::key::{Handle, LayerSet, Place};
use crate::space::Space;
use crate::tree::with_trees;

use super::search::{Found, Ranking, Search, first_block};

/// How many objects the second search is for: with the first, a dozen.
const WANT_SECOND: usize = 11;

/// Memory for ordered queries ([`nearest`](crate::SpatialIndex::nearest),
/// [`raycast`](crate::SpatialIndex::raycast), [`cast`](crate::SpatialIndex::cast)), to be used again and again.
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
pub(super) struct Ranked<'b> {
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

impl<'b> Ranked<'b> {
    /// A query for nothing, if `layers` are none.
    pub(super) fn new(layers: LayerSet) -> Self {
        Self {
            layers,
            excluded: Place::NONE,
            floor: (Rank::ZERO, None),
            limit: Rank::INFINITY,
            stage: Stage::Fresh,
            buffer: Buffer::Own(Vec::new()),
            level: level(),
        }
    }

    pub(super) fn reusing<'c>(self, buffer: &'c mut SearchBuffer) -> Ranked<'c>
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
    pub(super) fn next<R: Ranking<S, D>, S: Scalar, const D: usize>(
        &mut self,
        space: &Space<S, D>,
        ranking: &R,
    ) -> Option<Found> {
        // Who lends a buffer wants several at once. A search for the first one knows no floor.
        let is_alone = matches!(self.buffer, Buffer::Own(_)) && self.floor == (Rank::ZERO, None);
        let next = if self.stage == Stage::Fresh && is_alone {
            let first = self.search(space, ranking, self.limit, 1);
            self.stage = first.map_or(Stage::Last, |first| Stage::Wanting(0, first.place));
            first
        } else {
            if self.buffer.found().is_empty() {
                self.refill(space, ranking);
            }
            self.buffer.found().pop()
        }?;
        self.floor = next.order();
        Some(next)
    }

    /// Searches for the next objects; leaves the buffer empty if there are none.
    fn refill<R: Ranking<S, D>, S: Scalar, const D: usize>(&mut self, space: &Space<S, D>, ranking: &R) {
        let (want, last) = match self.stage {
            Stage::Fresh => (WANT_SECOND, Place::NONE),
            Stage::Wanting(want, last) => (want.max(WANT_SECOND), last),
            Stage::Last => return,
        };
        let guess = self.guess(space, ranking, want, last).filter(|&guess| guess < self.limit);
        if let Some(guess) = guess {
            self.search(space, ranking, guess, want);
        }
        let mut is_all = false;
        if self.buffer.found().is_empty() {
            self.search(space, ranking, self.limit, want);
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
    fn guess<R: Ranking<S, D>, S: Scalar, const D: usize>(
        &self,
        space: &Space<S, D>,
        ranking: &R,
        want: usize,
        last: Place,
    ) -> Option<Rank> {
        let guess =
            |(block, objects): (Block<D>, u32)| ranking.guess(space.grid(), self.floor.0, want, &block, objects);
        if last != Place::NONE {
            return with_trees!(space.forest, last.kind(), |trees| {
                let arena = trees.arena();
                guess((arena.head(last.bucket()).block, arena.total(last.bucket())))
            });
        }
        let (mut layers, mut lowest) = (self.layers, None);
        while let Some((layer, kind)) = space.next_layer(&mut layers) {
            let of_layer = with_trees!(space.forest, kind, |trees| {
                trees.root(layer).and_then(|root| guess(first_block(trees.arena(), root, ranking)))
            });
            lowest = match (lowest, of_layer) {
                (Some(lowest), Some(guess)) if lowest <= guess => Some(lowest),
                (lowest, guess) => guess.or(lowest),
            };
        }
        lowest
    }

    fn search<R: Ranking<S, D>, S: Scalar, const D: usize>(
        &mut self,
        space: &Space<S, D>,
        ranking: &R,
        limit: Rank,
        want: usize,
    ) -> Option<Found> {
        let found = self.buffer.found();
        let mut search =
            Search::new(space.grid(), ranking, self.level, self.floor, limit, want, found).leaving_out(self.excluded);
        let mut layers = self.layers;
        while let Some((layer, kind)) = space.next_layer(&mut layers) {
            with_trees!(space.forest, kind, |trees| if let Some(root) = trees.root(layer) {
                search.node(trees.arena(), root);
            });
        }
        search.first
    }
}
