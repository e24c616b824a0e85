//! The position of an ordered query, and the sequence of searches that it is made of.
//!
//! An ordered query yields one object after the other, and does not know how many its caller wants. It searches for the
//! first object alone, which takes no memory. A caller who wants a second object is likely to want more. So the next
//! search finds several objects, the one after that twice as many, and so on. Each object then costs its share of a
//! larger search, and no search goes much further than needed.
//!
//! Objects that are found but not yielded wait in a buffer. A lent buffer remembers how many objects its last query
//! yielded. If there were several, the first search looks for several too. The position is the last object yielded, so
//! a filter that is set later only empties the buffer.
//!
//! This file knows neither distances nor times; a [`Criterion`] does. Keeps invariants Q3 and Q8 of `docs/invariants.md`.

use core::mem;

use crate::geometry::{Level, PeriodicSpace, Rank, Rect, Scalar, larger, level};
use crate::grid::Block;
use crate::key::{BucketId, Excluded, LayerSet, NodeId, Place};
use crate::periodic::Periodic;
use crate::space::Space;
use crate::tree::Slot;

use super::buffer::{Buffer, Found, FoundBatch, Position, SearchBuffer, sort};
use super::images::Elsewhere;
use super::ranking::{Criterion, Ranking};
use super::search::{Goal, Search, Ties};

/// The number of objects that the second search looks for.
const WANT_SECOND: usize = 11;

/// The least that a first search for several looks for.
const WANT_LEAST: usize = 10;

/// The least that a search looks for after one that has found too few.
const WANT_REST: usize = 4;

/// The most that the first search looks for, however many the last query with the same buffer has yielded.
const WANT_FRESH: usize = 128;

/// The floor below all objects.
const NO_FLOOR: Position = (Rank::ZERO, None);

/// The aim of the next search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextSearch {
    /// The first objects: no search has been made.
    First,
    /// A number of objects. The last object found lies at the place.
    More(usize, Place),
    /// Nothing: all objects left are in the buffer.
    Nothing,
}

/// The position of an ordered query.
#[derive(Clone)]
pub(super) struct Sequence<'a, 'b, Q, S, const D: usize> {
    space: &'a Space<S, D>,
    pub(super) criterion: Q,
    pub(super) layers: LayerSet,
    excluded: Excluded<Place>,
    /// Objects up to here are left out.
    begin: Position,
    /// Objects up to here have been yielded, or are left out.
    floor: Position,
    /// Objects after this rank are not yielded.
    limit: Rank,
    next: NextSearch,
    /// Objects that are found but not yielded, the last one first.
    buffer: Buffer<'b, FoundBatch>,
    level: Level,
    /// The number of objects that the caller is likely to want.
    likely: usize,
    /// The objects left before only ties with the last of them are yielded. 0 if that is so already.
    before_ties: usize,
    torus: Option<PeriodicSpace<S, D>>,
}

impl<'a, 'b, Q: Criterion<S, D>, S: Scalar, const D: usize> Sequence<'a, 'b, Q, S, D> {
    /// A query in all layers.
    #[inline]
    pub(super) fn new(space: &'a Space<S, D>, criterion: Q) -> Self {
        Self {
            space,
            layers: if criterion.is_nowhere() { LayerSet::NONE } else { LayerSet::ALL },
            criterion,
            excluded: Excluded::none(),
            begin: NO_FLOOR,
            floor: NO_FLOOR,
            limit: Rank::INFINITY,
            next: NextSearch::First,
            buffer: Buffer::Own(FoundBatch::default()),
            level: level(),
            likely: 1,
            before_ties: usize::MAX,
            torus: None,
        }
    }

    pub(super) fn reuse(&mut self, buffer: &'b mut SearchBuffer) {
        self.reuse_batch(&mut buffer.batch);
    }

    pub(super) fn reuse_batch(&mut self, batch: &'b mut FoundBatch) {
        self.likely = mem::take(&mut batch.yielded);
        self.buffer = Buffer::Lent(batch);
        self.restart();
    }

    /// Says that the caller wants more than one object.
    pub(super) fn expect_several(&mut self) {
        self.likely = self.likely.max(2);
    }

    pub(super) fn restrict(&mut self, layers: LayerSet) {
        self.layers = self.layers & layers;
        self.restart();
    }

    pub(super) fn exclude(&mut self, places: impl IntoIterator<Item = Place>) {
        self.excluded.add(places);
        self.restart();
    }

    /// Ends the query after a rank, or at once if there is none.
    pub(super) fn end_at(&mut self, limit: Option<Rank>) {
        match limit {
            Some(limit) => self.limit = self.limit.min(limit),
            None => self.layers = LayerSet::NONE,
        }
        self.restart();
    }

    /// Begins the query after a position.
    pub(super) fn begin_after(&mut self, position: Position) {
        self.begin = self.begin.max(position);
        self.floor = self.floor.max(position);
        self.restart();
    }

    /// Begins the query again, since its criterion has changed.
    pub(super) fn begin_again(&mut self) {
        (self.floor, self.next) = (self.begin, NextSearch::First);
        if self.criterion.is_nowhere() {
            self.layers = LayerSet::NONE;
        }
        self.restart();
    }

    /// Asks in a periodic world from here on, where it brings the criterion home.
    // Out of line, so that the query is made where it is used, and never copied.
    #[inline(never)]
    pub(super) fn wrap(&mut self, torus: &Periodic<S, D>) {
        let torus = torus.over(self.space);
        if let Some(way) = torus.way_home(self.criterion.start().map(S::to_f64)) {
            self.criterion = self.criterion.shifted(way);
        }
        self.torus = Some(torus);
        self.begin_again();
    }

    /// The criterion in the image in which an object was found, in a world that wraps around.
    #[inline]
    pub(super) fn criterion_at(&self, found: &Found) -> Option<Q> {
        self.torus.as_ref().map(|torus| self.criterion_on(torus, found))
    }

    #[cold]
    #[inline(never)]
    fn criterion_on(&self, torus: &PeriodicSpace<S, D>, found: &Found) -> Q {
        let shape = self.space.trees.arena().shape(found.place);
        // By the limit of the search, so that the images are the same.
        let images = Elsewhere::new(&self.criterion, torus, self.limit);
        images.criterion(images.image_of(found.rank, &shape).unwrap_or(images.home))
    }

    /// Ends the query after a number of objects and those that tie with the last of them.
    pub(super) fn end_after(&mut self, objects: usize) {
        if objects == 0 {
            return self.end_at(None);
        }
        self.before_ties = self.before_ties.min(objects);
        // One more, to see where the ties end.
        self.likely = self.likely.max(objects.saturating_add(1));
    }

    /// Ends the query after the objects of a rank, which is that of the object yielded last.
    fn end_with_ties(&mut self, rank: Rank) {
        self.limit = self.limit.min(rank);
        let found = &mut self.buffer.get_mut().found;
        let beyond = found.partition_point(|found| rank < found.rank);
        if beyond != 0 {
            // The search that found objects beyond has found all before.
            found.drain(..beyond);
            self.next = NextSearch::Nothing;
        }
    }

    /// Drops the objects that are found but not yielded.
    fn restart(&mut self) {
        self.buffer.get_mut().found.clear();
        if self.next == NextSearch::Nothing {
            self.next = NextSearch::More(WANT_SECOND, Place::NONE);
        }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Found> {
        let batch = self.buffer.get_mut();
        let next = match batch.found.pop() {
            Some(next) => {
                batch.yielded += 1;
                next
            }
            None => self.search_next()?,
        };
        self.floor = next.position();
        if self.before_ties != usize::MAX {
            self.count_before_ties(next.rank);
        }
        Some(next)
    }

    /// Searches for the next object, and perhaps for others that follow.
    // Out of line, so that a loop holds no more than what yields an object that is found already.
    #[inline(never)]
    fn search_next(&mut self) -> Option<Found> {
        // From a floor on, the search for one object is no shorter than that for several.
        if self.next == NextSearch::First && self.likely <= 1 && self.floor == NO_FLOOR {
            let first = self.search(self.goal(self.limit, 1));
            self.next = first.map_or(NextSearch::Nothing, |first| NextSearch::More(WANT_SECOND, first.place));
            self.buffer.get_mut().yielded += usize::from(first.is_some());
            return first;
        }
        self.refill();
        let batch = self.buffer.get_mut();
        let next = batch.found.pop()?;
        batch.yielded += 1;
        Some(next)
    }

    fn count_before_ties(&mut self, rank: Rank) {
        if self.before_ties == 1 {
            self.end_with_ties(rank);
        }
        self.before_ties = self.before_ties.saturating_sub(1);
    }

    /// One of the objects still to come; `ties` selects it.
    pub(super) fn one(&mut self, ties: Ties) -> Option<Found> {
        match self.buffer.get_mut().found.pop() {
            None if self.next != NextSearch::Nothing => self.search(Goal { ties, ..self.goal(self.limit, 1) }),
            found => found,
        }
    }

    /// Searches for the next objects. Leaves the buffer empty if there are none.
    fn refill(&mut self) {
        let (want, last) = match self.next {
            NextSearch::First => (self.likely.clamp(WANT_LEAST, WANT_FRESH), Place::NONE),
            NextSearch::More(want, last) => (want, last),
            NextSearch::Nothing => return,
        };
        let is_first = self.next == NextSearch::First;
        // Of a long sequence, the last search may find few objects.
        self.buffer.get_mut().found.reserve(Q::Ranking::kept(want.min(WANT_FRESH)));
        let guess = self.guess(want, last).filter(|&guess| guess < self.limit);
        if let Some(guess) = guess {
            self.search(self.goal(guess, want));
        }
        let mut is_all = false;
        if self.buffer.get_mut().found.is_empty() {
            self.search(self.goal(self.limit, want));
            is_all = self.buffer.get_mut().found.len() < want;
        }
        let (level, found) = (self.level, &mut self.buffer.get_mut().found);
        sort(level, found);
        let missing = want.saturating_sub(found.len());
        self.next = match found.first() {
            // The guess was too low. The caller is likely to want the rest, and no more.
            Some(last) if !is_all && is_first && missing != 0 => NextSearch::More(missing.max(WANT_REST), last.place),
            Some(last) if !is_all => NextSearch::More(2 * want, last.place),
            _ => NextSearch::Nothing,
        };
    }

    /// An estimated limit for the next search, by how densely objects lie around the last one found, or where the
    /// search begins.
    fn guess(&self, want: usize, last: Place) -> Option<Rank> {
        let (space, floor) = (self.space, self.floor.0);
        if last != Place::NONE {
            return self.criterion.estimate(space.grid(), floor, want, || around_bucket(space, last.bucket()));
        }
        guess_at_start(space, self.layers, &self.criterion, floor, want)
    }

    /// The next objects in order.
    #[inline]
    fn goal(&self, limit: Rank, want: usize) -> Goal {
        let floor = self.floor;
        Goal { floor, limit, want, ties: Ties::ByHandle, is_first_alone: want == 1 && floor == NO_FLOOR }
    }

    fn search(&mut self, goal: Goal) -> Option<Found> {
        let (space, found) = (self.space, &mut self.buffer.get_mut().found);
        let images = self.torus.as_ref().map(|torus| Elsewhere::new(&self.criterion, torus, goal.limit));
        let ranking = Q::Ranking::new(space.grid(), &self.criterion);
        let mut search = Search::new(space.grid(), ranking, self.level, goal, &self.excluded, found);
        match &images {
            None => search.all_trees(space, self.layers),
            Some(images) => search.in_images(space, self.layers, images),
        }
        search.first
    }
}

/// An estimated limit for a number of objects after a rank, by how densely they lie where a search begins.
pub(super) fn guess_at_start<Q: Criterion<S, D>, S: Scalar, const D: usize>(
    space: &Space<S, D>,
    layers: LayerSet,
    criterion: &Q,
    floor: Rank,
    want: usize,
) -> Option<Rank> {
    let ranking = Q::Ranking::new(space.grid(), criterion);
    let guess = |layer| {
        let root = space.trees.root(layer)?;
        criterion.estimate(space.grid(), floor, want, || first_block(space, root, &ranking))
    };
    space.layers_in(layers).filter_map(guess).min()
}

/// The block or node in which an object at the first cells would be stored, and the number of objects there.
fn first_block<R: Ranking<S, D>, S: Scalar, const D: usize>(
    space: &Space<S, D>,
    root: NodeId,
    ranking: &R,
) -> (Block<D>, f64) {
    let arena = space.trees.arena();
    let mut node = arena.node(root);
    loop {
        match node.slot(ranking.first_cell(node)) {
            Slot::Child(child) => node = arena.node(child),
            Slot::Bucket(first) => {
                let closest = |top| arena.closest(top, &Rect::from_point(ranking.criterion().start()));
                return around_bucket(space, arena.crowd_of(first).map_or(first, closest));
            }
            Slot::Vacant => return (node.block(), node.len.into()),
        }
    }
}

/// The block of a bucket, and the number of objects there: of a crowd, if they lay everywhere as densely as in the
/// bucket's box.
fn around_bucket<S: Scalar, const D: usize>(space: &Space<S, D>, bucket: BucketId) -> (Block<D>, f64) {
    let (arena, head) = (space.trees.arena(), space.trees.arena().head(bucket));
    if !head.more || head.is_own_list() {
        return (head.block, arena.total(bucket).into());
    }
    let (sides, units) = (arena.box_of(bucket).to_f64().size(), head.block.units());
    // Those in a row take room too.
    let least = sides.into_iter().fold(0.0, larger) * 0.125;
    let of_block = |axis: usize| f64::from(units.max[axis] - units.min[axis] + 1) / space.grid().scale();
    let share = |objects, axis| objects * of_block(axis) / larger(sides[axis], least);
    (head.block, (0..D).fold(head.used.count_ones().into(), share))
}
