//! How far a cursor has come: the place in world order up to which a layer is done, and the pending objects.
//!
//! Makes the scanner that continues from there. Keeps invariants C1 and C2 of `docs/invariants.md`.

use core::mem;

use super::budget::Budget;
use super::{Cursor, Progress};
use crate::geometry::{Rect, Region, Scalar, level, with_vectors};
use crate::grid::comes_after;
use crate::key::{BucketId, Excluded, Handle, Place};
use crate::query::{Predicate, Scanner};
use crate::space::Space;
use crate::tree::{Arena, Walk, positions, with_kind};

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize, C> Cursor<P, S, D, R, C> {
    /// A scanner of the rest; `None` if nothing is left.
    pub(super) fn scanner(&mut self, space: &Space<S, D>) -> Option<Scanner> {
        let mut scanner = Scanner::before(self.layers);
        // Several are compared by handle: to look up all their places at each step would cost more.
        if !self.excluded.is_several() && !self.excluded.is_empty() {
            self.question.excluded = Excluded::none();
            self.question.excluded.add(space.place(self.excluded.least()));
        }
        if let Some(Progress { layer, image, passed, is_before_root_list }) = self.progress {
            let root = space.trees.root(layer);
            let walk = match passed {
                None => Walk::from_root(root),
                Some(passed) if passed != [0; D] => Walk::after(space.trees.arena(), root, passed),
                Some(_) if is_before_root_list => Walk::of_root_list(root),
                Some(_) => Walk::NOWHERE,
            };
            (scanner.layer, scanner.walk) = (layer, walk);
            scanner.image = image;
        }
        let is_left = !scanner.is_layer_over(&self.question) || !(self.layers & space.layers.living).is_empty();
        is_left.then_some(scanner)
    }

    /// Records how far a scanner has come, and which objects are pending. Then the space may change.
    pub(super) fn pause_at(&mut self, space: &Space<S, D>, mut scanner: Scanner, budget: &mut Budget) {
        scanner.rewind(space);
        let (question, from) = (&self.question, self.from(&scanner));
        let is_over = scanner.is_layer_over(question);
        // Nothing is pending while there is a scanner, so the list is empty. It stays separate until the region, which
        // may panic, has answered.
        let mut pending = mem::take(&mut self.pending);
        let (grid, arena) = (space.grid(), space.trees.arena());
        let asked = &question.in_image(scanner.image);
        let matches = |bucket: BucketId| {
            let hits = with_vectors!(scanner.level, |simd| asked.matches(arena, bucket, false, simd));
            let excluded = question.excluded.bits_in(Place::new(bucket, 0));
            not_done(from, space, bucket, hits & !excluded)
        };
        let mut add = |bucket: BucketId, hits| {
            let handles = arena.bucket(bucket).handles();
            match hits {
                u64::MAX => pending.extend_from_slice(handles),
                _ => pending.extend(positions(hits).map(|position| handles[usize::from(position)])),
            }
        };
        if scanner.hits != 0 {
            add(scanner.bucket.bucket(), scanner.hits);
        }
        for bucket in arena.chain(scanner.chain) {
            // This list may be long, so its objects are tested only when their turn comes.
            if arena.is_of_root_list(bucket) {
                add(bucket, arena.head(bucket).used);
                continue;
            }
            budget.visited += 1;
            add(bucket, matches(bucket));
        }
        let passed = passed(from, arena, &scanner.walk);
        if let Some(passed) = passed {
            let probe = question.over(scanner.image, grid);
            let own_lists = scanner.walk.own_lists(arena).filter(|&own| arena.is_met(&probe, own));
            for bucket in own_lists.flat_map(|own| arena.chain(Some(own))) {
                budget.visited += 1;
                let hits = matches(bucket);
                add(bucket, hits & !those_after(passed, space, bucket, hits));
            }
        }
        pending.reverse();
        let Scanner { layer, image, .. } = scanner;
        let progress = Progress { layer, image, passed, is_before_root_list: scanner.walk.is_before_root_list(arena) };
        (self.layers, self.pending, self.progress) = (scanner.layers, pending, (!is_over).then_some(progress));
    }

    /// Whether a scanner whose batch is over has come further than the cursor.
    pub(super) fn is_ahead(&self, space: &Space<S, D>, scanner: &Scanner) -> bool {
        let (from, arena) = (self.from(scanner), space.trees.arena());
        let was_before = self.progress.is_some_and(|progress| progress.is_before_root_list);
        passed(from, arena, &scanner.walk) != from || was_before && !scanner.walk.is_before_root_list(arena)
    }

    /// Drops the hits in the scanner's current bucket that were done before.
    pub(super) fn drop_done(&self, space: &Space<S, D>, scanner: &mut Scanner) {
        scanner.hits = not_done(self.from(scanner), space, scanner.bucket.bucket(), scanner.hits);
    }

    /// The place in world order up to which the scanner's layer was done before.
    fn from(&self, scanner: &Scanner) -> Option<[u32; D]> {
        let Progress { layer, image, passed, .. } = self.progress?;
        if (layer, image) == (scanner.layer, scanner.image) { passed } else { None }
    }

    /// The place of a pending object, if it is still to be yielded as such.
    // Not inlined, so that steps without pending objects do not make its look-ups in advance.
    #[inline(never)]
    pub(super) fn place_of_pending(&self, space: &Space<S, D>, handle: Handle) -> Option<Place> {
        let Progress { layer, image, passed, is_before_root_list } = self.progress?;
        let (place, arena) = (space.place(handle)?, space.trees.arena());
        let shape = arena.shape(place);
        // If an object has moved to a place that is not done yet, the walk finds it there.
        let is_to_come = || {
            if arena.is_of_root_list(place.bucket()) {
                return is_before_root_list;
            }
            passed.is_none_or(|passed| comes_after(space.grid().units(shape.min()), passed))
        };
        let is_passed = arena.layer_of(place) == layer && !is_to_come();
        (is_passed && !self.excluded.has(handle) && self.matches_at(space, place, shape, image)).then_some(place)
    }

    /// Whether the object of that shape at a place matches.
    fn matches_at(&self, space: &Space<S, D>, place: Place, object: Rect<S, D>, image: u16) -> bool {
        let question = &self.question;
        if P::TESTED {
            let asked = question.in_image(image);
            return with_vectors!(level(), |simd| asked.matches_one(&object, simd));
        }
        let arena = space.trees.arena();
        let probe = question.over(image, space.grid());
        arena.is_met(&probe, arena.first_of(place.bucket()))
    }
}

/// The place in world order up to which a layer is done, if it was done up to `from` before.
fn passed<S: Scalar, const D: usize>(from: Option<[u32; D]>, arena: &Arena<S, D>, walk: &Walk) -> Option<[u32; D]> {
    match (walk.passed(arena), from) {
        (Some(passed), Some(from)) if !comes_after(passed, from) => Some(from),
        (None, from) => from,
        (passed, _) => passed,
    }
}

/// The hits of a bucket that were not done before, as bits.
fn not_done<S: Scalar, const D: usize>(
    from: Option<[u32; D]>,
    space: &Space<S, D>,
    bucket: BucketId,
    hits: u64,
) -> u64 {
    let arena = space.trees.arena();
    match from {
        // Only blocks and own lists around that place have entries on both sides of it. The root's list comes last as a
        // whole.
        Some(from) if arena.head(bucket).block.holds(from) && !arena.is_of_root_list(bucket) => {
            those_after(from, space, bucket, hits)
        }
        _ => hits,
    }
}

/// The hits of a bucket whose anchors come after a place in world order, as bits.
fn those_after<S: Scalar, const D: usize>(passed: [u32; D], space: &Space<S, D>, bucket: BucketId, hits: u64) -> u64 {
    let is_after = |shape: &Rect<S, D>| comes_after(space.grid().units(shape.min()), passed);
    with_kind!(space.trees.arena().bucket(bucket), |stored| stored.entries_where(hits, is_after))
}
