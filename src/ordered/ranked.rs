//! The position of an ordered query, and the sequence of searches that it is made of.
//!
//! An ordered query yields one object after the other, and does not know how many its caller wants. It searches for the
//! first object alone, which takes no memory. A caller who wants a second one is likely to want more, so the next
//! search finds several, the one after that twice as many, and so on. Each object then costs its share of a larger
//! search, and no search goes much further than needed. A lent buffer tells how many objects its last query yielded; if
//! they were several, the first search is for several too. Objects that are found but not yielded wait in a buffer. The
//! position is the last object yielded, so a filter that is set later only empties the buffer.
//!
//! It knows neither distances nor times; a [`Ranking`] does. Keeps invariants Q3 and Q8 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem;

use crate::geometry::{Level, Rank, Scalar, level};
use crate::grid::Block;
use crate::key::{Handle, LayerSet, Place};
use crate::space::Space;
use crate::tree::{TreeId, with_trees};

use super::asked::Asked;
use super::pending::Queue;
use super::ranking::Ranking;
use super::search::{Search, first_block};
use super::ties::{Found, Ties};

/// The number of objects that the second search looks for.
const WANT_SECOND: usize = 11;

/// The most that the first search looks for, however many the last query with the same buffer has yielded.
const WANT_FRESH: usize = 128;

/// The floor below all objects.
const NO_FLOOR: (Rank, Option<Handle>) = (Rank::ZERO, None);

/// Memory that ordered queries ([`nearest`](crate::SpatialIndex::nearest), [`raycast`](crate::SpatialIndex::raycast),
/// [`cast`](crate::SpatialIndex::cast), [`nearest_by`](crate::SpatialIndex::nearest_by)) can reuse.
///
/// An ordered query allocates when its second object is requested, and frees the memory when it is dropped. To avoid
/// that in a loop over many queries, lend each of them the same buffer with [`reusing`](crate::Ordered::reusing). A
/// buffer serves any query of any index.
///
/// A query does not know how many objects its caller will request, and to find several in one search is cheaper than
/// one by one. So a buffer remembers how many objects the last query that used it has yielded, and the next one
/// searches for as many at first: use one buffer for queries of one kind.
///
/// ```
/// # use quadrille::{Quadtree, Rect, SearchBuffer};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let mut buffer = SearchBuffer::new();
/// let mut three = |x: f32| index.nearest([x, 50.0]).reusing(&mut buffer).take(3).count();
/// assert_eq!((three(10.0), three(20.0)), (3, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SearchBuffer {
    found: Vec<Found>,
    /// How many objects the last query that used it has yielded.
    yielded: usize,
    /// For searches by a metric.
    queue: Queue,
}

impl SearchBuffer {
    /// Makes a buffer without memory; the first query that uses it allocates.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect, SearchBuffer};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let mut buffer = SearchBuffer::new();
    /// assert_eq!(index.nearest([7.0, 50.0]).reusing(&mut buffer).take(3).count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn queue(&mut self) -> &mut Queue {
        &mut self.queue
    }

    pub(super) fn queue_so_far(&self) -> &Queue {
        &self.queue
    }
}

/// A buffer that the query owns, or one that it was lent.
#[derive(Debug)]
enum Buffer<'b> {
    Own(Vec<Found>),
    Lent(&'b mut SearchBuffer),
}

impl Buffer<'_> {
    #[inline]
    fn found(&mut self) -> &mut Vec<Found> {
        match self {
            Self::Own(found) => found,
            Self::Lent(buffer) => &mut buffer.found,
        }
    }

    #[inline]
    fn note_yielded(&mut self) {
        if let Self::Lent(buffer) = self {
            buffer.yielded += 1;
        }
    }
}

impl Clone for Buffer<'_> {
    fn clone(&self) -> Self {
        Self::Own(match self {
            Self::Own(found) => found.clone(),
            Self::Lent(buffer) => buffer.found.clone(),
        })
    }
}

/// How far a query has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No search has been made.
    Fresh,
    /// The next search is for so many objects, but for no fewer than the second search. The last object that was found
    /// lies at the place.
    Wanting(usize, Place),
    /// Nothing is left but the objects in the buffer.
    Last,
}

/// The position of an ordered query.
#[derive(Clone)]
pub(super) struct Ranked<'b> {
    layers: LayerSet,
    excluded: Place,
    /// Objects up to here are not yielded, or have been.
    floor: (Rank, Option<Handle>),
    /// Objects after this rank are not yielded.
    limit: Rank,
    stage: Stage,
    /// Objects that are found but not yielded, the last one first.
    buffer: Buffer<'b>,
    level: Level,
    /// The number of objects that the caller is likely to want.
    likely: usize,
}

impl<'b> Ranked<'b> {
    /// A query that yields nothing if `layers` is empty.
    pub(super) fn new(layers: LayerSet) -> Self {
        Self {
            layers,
            excluded: Place::NONE,
            floor: NO_FLOOR,
            limit: Rank::INFINITY,
            stage: Stage::Fresh,
            buffer: Buffer::Own(Vec::new()),
            level: level(),
            likely: 1,
        }
    }

    pub(super) fn reusing<'c>(self, buffer: &'c mut SearchBuffer) -> Ranked<'c>
    where
        'b: 'c,
    {
        let likely = mem::take(&mut buffer.yielded);
        let mut lent = Ranked { buffer: Buffer::Lent(buffer), likely, ..self };
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

    /// Ends the query after a rank, or at once if there is none.
    pub(super) fn end_at(&mut self, limit: Option<Rank>) {
        match limit {
            Some(limit) => self.limit = self.limit.or_less(limit),
            None => self.layers = LayerSet::NONE,
        }
        self.search_anew();
    }

    /// Begins the query at a rank.
    pub(super) fn begin_at(&mut self, floor: Rank) {
        if self.floor < (floor, None) {
            self.floor = (floor, None);
        }
        self.search_anew();
    }

    /// Drops the objects that are found but not yielded.
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
        // From a floor on, the search for one object is no shorter than that for several.
        let is_alone = self.likely <= 1 && self.floor == NO_FLOOR;
        let next = if self.stage == Stage::Fresh && is_alone {
            let first = self.search(space, ranking, Asked { is_first_alone: true, ..self.asked(self.limit, 1) });
            self.stage = first.map_or(Stage::Last, |first| Stage::Wanting(0, first.place));
            first
        } else {
            if self.buffer.found().is_empty() {
                self.refill(space, ranking);
            }
            self.buffer.found().pop()
        }?;
        self.floor = next.order();
        self.buffer.note_yielded();
        Some(next)
    }

    /// One of the objects still to come, which of them `ties` says.
    pub(super) fn one<R: Ranking<S, D>, S: Scalar, const D: usize>(
        &mut self,
        space: &Space<S, D>,
        ranking: &R,
        ties: Ties,
    ) -> Option<Found> {
        match self.buffer.found().pop() {
            None if self.stage != Stage::Last => {
                let is_first_alone = self.floor == NO_FLOOR;
                self.search(space, ranking, Asked { ties, is_first_alone, ..self.asked(self.limit, 1) })
            }
            found => found,
        }
    }

    /// Searches for the next objects. Leaves the buffer empty if there are none.
    fn refill<R: Ranking<S, D>, S: Scalar, const D: usize>(&mut self, space: &Space<S, D>, ranking: &R) {
        let (want, last) = match self.stage {
            Stage::Fresh => (self.likely.clamp(WANT_SECOND, WANT_FRESH), Place::NONE),
            Stage::Wanting(want, last) => (want.max(WANT_SECOND), last),
            Stage::Last => return,
        };
        let guess = self.guess(space, ranking, want, last).filter(|&guess| guess < self.limit);
        if let Some(guess) = guess {
            self.search(space, ranking, self.asked(guess, want));
        }
        let mut is_all = false;
        if self.buffer.found().is_empty() {
            self.search(space, ranking, self.asked(self.limit, want));
            is_all = self.buffer.found().len() < want;
        }
        let found = self.buffer.found();
        // No two objects are equal, so these two cases suffice.
        found.sort_unstable_by(|a, b| if b < a { Ordering::Less } else { Ordering::Greater });
        self.stage = match found.first() {
            Some(last) if !is_all => Stage::Wanting(2 * want, last.place),
            _ => Stage::Last,
        };
    }

    /// An estimated limit for the next search, by how densely objects lie around the last one found, or where the
    /// search begins.
    fn guess<R: Ranking<S, D>, S: Scalar, const D: usize>(
        &self,
        space: &Space<S, D>,
        ranking: &R,
        want: usize,
        last: Place,
    ) -> Option<Rank> {
        let guess = |tree: TreeId, (block, objects): (Block<D>, u32)| {
            ranking.guess(space.forest.grid_of(tree), self.floor.0, want, &block, objects)
        };
        if last != Place::NONE {
            let block = with_trees!(space.forest, last.kind(), |trees| {
                let (arena, bucket) = (trees.arena(), last.bucket());
                (arena.head(bucket).block, arena.total(bucket))
            });
            return guess(space.forest.tree_of(last), block);
        }
        let mut lowest = None;
        for tree in space.trees(self.layers) {
            let Some(root) = space.forest.root(tree) else { continue };
            let over = || ranking.over(space.forest.grid_of(tree));
            let ranking = if tree.grid.is_main() { *ranking } else { over() };
            let first = with_trees!(space.forest, tree.kind, |trees| first_block(trees.arena(), root, &ranking));
            lowest = match (lowest, guess(tree, first)) {
                (Some(lowest), Some(guess)) if lowest <= guess => Some(lowest),
                (lowest, guess) => guess.or(lowest),
            };
        }
        lowest
    }

    /// The next objects in order.
    #[inline]
    fn asked(&self, limit: Rank, want: usize) -> Asked {
        Asked { floor: self.floor, limit, excluded: self.excluded, want, ties: Ties::ByHandle, is_first_alone: false }
    }

    fn search<R: Ranking<S, D>, S: Scalar, const D: usize>(
        &mut self,
        space: &Space<S, D>,
        ranking: &R,
        asked: Asked,
    ) -> Option<Found> {
        let mut search = Search::new(space.grid(), *ranking, self.level, asked, self.buffer.found());
        for tree in space.trees(self.layers) {
            let Some(root) = space.forest.root(tree) else { continue };
            search.go_over(space.forest.grid_of(tree));
            with_trees!(space.forest, tree.kind, |trees| search.node(trees.arena(), root));
            if search.is_over() {
                break;
            }
        }
        search.first
    }
}
