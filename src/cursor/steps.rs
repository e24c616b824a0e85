//! The next object of a cursor, within a budget of visits: first the pending objects, then those that the scanner
//! reaches.
//!
//! Keeps invariants C4 and C6 of `docs/invariants.md`.

use super::Cursor;
use super::budget::{Budget, Next};
use crate::geometry::{Region, Scalar};
use crate::index::{ObjectRef, SpatialIndex};
use crate::key::{Handle, LayerSet};
use crate::query::{Condition, Predicate, Scanner};
use crate::space::Space;

/// The number of pending handles that count as one visit: as many as a bucket holds.
const PENDING_A_VISIT: usize = 64;

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize, C> Cursor<P, S, D, R, C> {
    /// The next object that meets the conditions. There is a scanner once no object is pending.
    #[inline]
    pub(super) fn next_object<T>(
        &mut self,
        index: &SpatialIndex<T, S, D>,
        scanner: &mut Option<Scanner>,
        budget: &mut Budget,
    ) -> Next
    where
        C: Condition<T, S, D>,
    {
        loop {
            let next = match scanner {
                // The most frequent case.
                Some(scanner) if scanner.hits != 0 && self.takes_each_hit() => {
                    let position = scanner.next_hit();
                    let place = scanner.bucket.at(position);
                    Next::Found(place, index.space.trees.arena().handle(place))
                }
                _ => self.next_unseen(&index.space, scanner, budget),
            };
            match next {
                Next::Found(place, handle) if !self.condition.holds(ObjectRef::new(index, place, handle)) => {}
                next => return next,
            }
        }
    }

    /// The next object that the cursor does not remember as yielded.
    #[inline(never)]
    fn next_unseen(&mut self, space: &Space<S, D>, scanner: &mut Option<Scanner>, budget: &mut Budget) -> Next {
        loop {
            let next = match self.next_pending(space, budget) {
                Next::Done => self.next_to_come(space, scanner, budget),
                next => next,
            };
            let Next::Found(_, handle) = next else { return next };
            if self.yielded.as_ref().is_none_or(|yielded| !yielded.contains(&handle)) {
                return next;
            }
        }
    }

    /// Whether no hit is compared with handles first.
    #[inline]
    pub(super) fn takes_each_hit(&self) -> bool {
        self.yielded.is_none() && !self.excluded.is_several()
    }

    /// Remembers a yielded object, if required.
    #[inline]
    pub(super) fn remember(&mut self, handle: Handle) {
        if let Some(yielded) = &mut self.yielded {
            yielded.insert(handle);
        }
    }

    /// The next pending object.
    fn next_pending(&mut self, space: &Space<S, D>, budget: &mut Budget) -> Next {
        while let Some(&handle) = self.pending.last() {
            if budget.visited == 0 || self.pending.len().is_multiple_of(PENDING_A_VISIT) {
                if budget.is_spent() {
                    return Next::Spent;
                }
                budget.visited += 1;
            }
            let place = self.place_of_pending(space, handle);
            self.pending.pop();
            if let Some(place) = place {
                return Next::Found(place, handle);
            }
        }
        Next::Done
    }

    /// The next object that the walk has not passed.
    #[inline(never)]
    fn next_to_come(&mut self, space: &Space<S, D>, scanner: &mut Option<Scanner>, budget: &mut Budget) -> Next {
        let scanner = if let Some(scanner) = scanner {
            scanner
        } else {
            let Some(mut begun) = self.scanner(space) else {
                (self.progress, self.layers) = (None, LayerSet::NONE);
                return Next::Done;
            };
            if budget.is_spent() {
                return Next::Spent;
            }
            if budget.is_for_one {
                begun.batch.stay_single();
            }
            scanner.insert(begun)
        };
        loop {
            if scanner.hits != 0 {
                let position = scanner.next_hit();
                let place = scanner.bucket.at(position);
                let handle = space.trees.arena().handle(place);
                if self.excluded.is_several() && self.excluded.has(handle) {
                    continue;
                }
                return Next::Found(place, handle);
            }
            if let Some(next) = scanner.batch.pop() {
                (scanner.bucket, scanner.hits) = next;
                self.drop_done(space, scanner);
                continue;
            }
            if scanner.is_over(&self.question) {
                return Next::Done;
            }
            // A cursor stops only after it has made progress.
            if budget.is_spent() && self.is_ahead(space, scanner) {
                return Next::Spent;
            }
            let visits = budget.limit.saturating_sub(budget.visited).max(1);
            scanner.visits_left = visits;
            scanner.fill::<true, _, _, _, _>(&self.question, space);
            budget.visited += visits - scanner.visits_left;
        }
    }
}
