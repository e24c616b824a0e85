//! Stopping in a layer and continuing there: the place in world order up to which it is done, and the objects owed.
//!
//! It does not know which layers follow. Keeps invariants C1 and C2 of `docs/invariants.md`.

use core::mem;

use super::budget::Budget;
use super::{Cursor, Stop};
use crate::geometry::{Rect, Region, Scalar, Simd, Vectorized, dispatch, level};
use crate::grid::{Grid, comes_after};
use crate::key::{BucketId, Handle, Kind, Place};
use crate::query::{Advance, Predicate, Question, Running, Visitor};
use crate::space::Space;
use crate::tree::{Arena, Bucket, TreeId, Walk, positions, with_trees};

/// The test of a bucket.
struct BucketTest<'a, P, R, B, S, const D: usize> {
    question: &'a Question<P, R, S, D>,
    arena: &'a Arena<B, D>,
    bucket: BucketId,
}

impl<P: Predicate, R: Region<S, D>, B: Bucket<D, Scalar = S>, S: Scalar, const D: usize> Vectorized
    for BucketTest<'_, P, R, B, S, D>
{
    type Output = u64;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> u64 {
        self.question.matches(self.arena, self.bucket, false, simd)
    }
}

/// The visitor of a query that may pause: it stops at the end of a budget, but only where it has come further.
struct Metered<'a, P, R, B, V, S, const D: usize> {
    question: &'a Question<P, R, S, D>,
    grid: &'a Grid<S, D>,
    arena: &'a Arena<B, D>,
    simd: V,
    /// The place in world order up to which the layer was done before.
    from: Option<[u32; D]>,
    budget: &'a mut Budget,
}

impl<P: Predicate, R: Region<S, D>, B: Bucket<D, Scalar = S>, V: Simd, S: Scalar, const D: usize> Visitor
    for Metered<'_, P, R, B, V, S, D>
{
    #[inline(always)]
    fn matches(&self, bucket: BucketId, covered: bool) -> u64 {
        let hits = self.question.matches(self.arena, bucket, covered, self.simd);
        not_done(self.from, self.grid, self.arena, bucket, hits)
    }

    #[inline(always)]
    fn looks_ahead(&self) -> bool {
        self.budget.looks_ahead
    }

    #[inline(always)]
    fn visit(&mut self) {
        self.budget.visited += 1;
    }

    #[inline(always)]
    fn pauses(&self, walk: &Walk) -> bool {
        self.budget.is_spent() && passed(self.from, self.arena, walk) != self.from
    }
}

/// A metered advance, with the vectors of the processor.
struct Onward<'a, P, R, S, const D: usize> {
    question: &'a Question<P, R, S, D>,
    space: &'a Space<S, D>,
    running: &'a mut Running,
    from: Option<[u32; D]>,
    budget: &'a mut Budget,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Vectorized for Onward<'_, P, R, S, D> {
    type Output = Advance;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> Advance {
        let Self { question, space, running, from, budget } = self;
        with_trees!(space.forest, running.tree.kind, |trees| {
            let (grid, arena) = (trees.tree_grid(running.tree.layer, running.tree.grid), trees.arena());
            let probe = question.over(grid);
            running.advance(arena, &probe, &mut Metered { question, grid, arena, simd, from, budget })
        })
    }
}

/// The test of one object.
struct Test<'a, P, R, S, const D: usize> {
    question: &'a Question<P, R, S, D>,
    object: Rect<S, D>,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Vectorized for Test<'_, P, R, S, D> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> bool {
        self.question.matches_one(&self.object, simd)
    }
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Cursor<P, S, D, R> {
    /// Begins in a layer, after the place in world order up to which it is done.
    pub(super) fn run_layer(&self, space: &Space<S, D>, stop: Stop<D>, kind: Kind) -> Running {
        let tree = TreeId { kind, layer: stop.layer, grid: stop.grid };
        let root = space.forest.root(tree);
        let walk = match stop.passed {
            Some(passed) if passed == [0; D] => Walk::NOWHERE,
            Some(passed) => with_trees!(space.forest, kind, |trees| Walk::after(trees.arena(), root, passed)),
            None => Walk::from_root(root),
        };
        let excluded = self.excluded.and_then(|handle| space.place(handle)).unwrap_or(Place::NONE);
        Running::over(tree, walk, excluded)
    }

    /// Goes on to the next buckets with hits; stops only where it has come further.
    // Out of line, so that steps through owed objects do not pay for its frame.
    #[inline(never)]
    pub(super) fn advance(&self, space: &Space<S, D>, running: &mut Running, budget: &mut Budget) -> Advance {
        let (question, from) = (&self.question, self.from());
        dispatch(running.level, Onward { question, space, running, from, budget })
    }

    /// Leaves the space, so that it may change: notes how far the layer is done in world order, and the objects owed.
    pub(super) fn halt(&mut self, space: &Space<S, D>, running: &mut Running, budget: &mut Budget) {
        running.rewind(space);
        let (question, from) = (&self.question, self.from());
        // Once a layer is running, nothing is owed, so the list is empty. It stays apart until the region, which may
        // panic, has answered.
        let mut owed = mem::take(&mut self.owed);
        while running.has_hits() {
            owed.push(space.forest.handle(running.next_hit()));
        }
        let done = with_trees!(space.forest, running.tree.kind, |trees| {
            let (grid, arena) = (trees.tree_grid(running.tree.layer, running.tree.grid), trees.arena());
            let matches = |bucket: BucketId| {
                let hits = dispatch(running.level, BucketTest { question, arena, bucket });
                let left_out = running.excluded.bit_in(Place::new(running.tree.kind, bucket, 0));
                not_done(from, grid, arena, bucket, hits & !left_out)
            };
            let mut owe = |bucket: BucketId, hits| {
                budget.visited += 1;
                owed.extend(positions(hits).map(|position| arena.bucket(bucket).handle(position)));
            };
            for bucket in arena.chain(running.chain) {
                owe(bucket, matches(bucket));
            }
            let done = passed(from, arena, &running.walk);
            if let Some(done) = done {
                let probe = question.over(grid);
                let own_lists = running.walk.own_lists(arena).filter(|&own| arena.is_met(&probe, own));
                for bucket in own_lists.flat_map(|own| arena.chain(Some(own))) {
                    let hits = matches(bucket);
                    owe(bucket, hits & !those_after(done, grid, arena, bucket, hits));
                }
            }
            done
        });
        owed.reverse();
        self.owed = owed;
        if let Some(stop) = &mut self.stop {
            stop.passed = done;
        }
    }

    /// The place of an owed object, if it is still to be yielded as such.
    // Out of line, so that what it looks up is not looked up in advance for steps that need it not.
    #[inline(never)]
    pub(super) fn owes(&self, space: &Space<S, D>, handle: Handle) -> Option<Place> {
        let stop = self.stop?;
        let place = space.place(handle)?;
        let (shape, tree) = (space.forest.shape(place), space.forest.tree_of(place));
        let is_in_passed = || Some(!comes_after(space.forest.grid_of(tree).address(&shape).anchor, stop.passed?));
        // An object that has moved to a place not done yet is found there.
        let is_passed =
            tree.layer == stop.layer && (tree.grid < stop.grid || tree.grid == stop.grid && is_in_passed()?);
        (is_passed && self.matches_at(space, place, shape)).then_some(place)
    }

    /// Whether the object at a place, with that shape, matches.
    fn matches_at(&self, space: &Space<S, D>, place: Place, object: Rect<S, D>) -> bool {
        let question = &self.question;
        if P::TESTED {
            return dispatch(level(), Test { question, object });
        }
        with_trees!(space.forest, place.kind(), |trees| {
            let arena = trees.arena();
            let probe = question.over(trees.grid_of(place.bucket()));
            arena.is_met(&probe, arena.first_of(place.bucket()))
        })
    }

    /// The place in world order up to which the layer at hand was done when the cursor stopped last.
    fn from(&self) -> Option<[u32; D]> {
        self.stop.and_then(|stop| stop.passed)
    }
}

/// The place in world order up to which a layer is done, if it was done up to `from` before.
fn passed<B, const D: usize>(from: Option<[u32; D]>, arena: &Arena<B, D>, walk: &Walk) -> Option<[u32; D]> {
    match (walk.passed(arena), from) {
        (Some(passed), Some(from)) if !comes_after(passed, from) => Some(from),
        (None, from) => from,
        (passed, _) => passed,
    }
}

/// The hits of a bucket that were not done before, as bits.
fn not_done<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize>(
    from: Option<[u32; D]>,
    grid: &Grid<S, D>,
    arena: &Arena<B, D>,
    bucket: BucketId,
    hits: u64,
) -> u64 {
    match from {
        // Only blocks and own lists around that place have entries on both sides of it.
        Some(from) if arena.head(bucket).block.holds(from) => those_after(from, grid, arena, bucket, hits),
        _ => hits,
    }
}

/// The hits of a bucket whose anchors come after a place in world order, as bits.
fn those_after<B: Bucket<D, Scalar = S>, S: Scalar, const D: usize>(
    passed: [u32; D],
    grid: &Grid<S, D>,
    arena: &Arena<B, D>,
    bucket: BucketId,
    hits: u64,
) -> u64 {
    let anchor = |position| grid.address(&arena.bucket(bucket).shape(position)).anchor;
    let is_after = |&position: &u8| comes_after(anchor(position), passed);
    positions(hits).filter(is_after).fold(0, |those, position| those | 1 << position)
}
