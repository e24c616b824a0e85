//! The next object of a cursor: those owed first, then those of the layer at hand, then those of the next layers.
//!
//! Keeps invariants C4 and C6 of `docs/invariants.md`.

use super::budget::{Budget, Next};
use super::{Cursor, Stop};
use crate::geometry::{Region, Scalar};
use crate::grid::GridId;
use crate::key::{Handle, LayerSet, Place};
use crate::query::{Advance, Predicate, Running};
use crate::space::Space;
use crate::tree::TreeId;

/// The number of owed handles that count as a visit: as many as a bucket holds.
const OWED_A_VISIT: usize = 64;

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Cursor<P, S, D, R> {
    /// The next object. `running` is the position in the layer at hand, if that has been begun since the space was
    /// borrowed.
    #[inline]
    pub(super) fn go_on(
        &mut self,
        space: &Space<S, D>,
        running: &mut Option<Running>,
        budget: &mut Budget,
    ) -> Next<(Place, Handle)> {
        // The most frequent case. Once a layer is running, nothing is owed.
        if let Some(running) = running
            && running.has_hits()
            && !self.is_distinct()
        {
            let place = running.next_hit();
            return Next::Found((place, space.forest.handle(place)));
        }
        self.go_further(space, running, budget)
    }

    #[inline(never)]
    fn go_further(
        &mut self,
        space: &Space<S, D>,
        running: &mut Option<Running>,
        budget: &mut Budget,
    ) -> Next<(Place, Handle)> {
        loop {
            let (place, handle) = match self.next_owed(space, budget) {
                Next::Found(owed) => owed,
                Next::Spent => return Next::Spent,
                Next::Done => match self.next_to_come(space, running, budget) {
                    Next::Found(place) => (place, space.forest.handle(place)),
                    Next::Spent => return Next::Spent,
                    Next::Done => return Next::Done,
                },
            };
            if self.yielded.as_ref().is_none_or(|yielded| !yielded.contains(&handle)) {
                return Next::Found((place, handle));
            }
        }
    }

    /// Whether yielded objects are remembered.
    #[inline]
    pub(super) fn is_distinct(&self) -> bool {
        self.yielded.is_some()
    }

    /// Remembers a yielded object, if that is required.
    #[inline]
    pub(super) fn note(&mut self, handle: Handle) {
        if let Some(yielded) = &mut self.yielded {
            yielded.insert(handle);
        }
    }

    /// The next owed object.
    fn next_owed(&mut self, space: &Space<S, D>, budget: &mut Budget) -> Next<(Place, Handle)> {
        while let Some(&handle) = self.owed.last() {
            if budget.visited == 0 || self.owed.len().is_multiple_of(OWED_A_VISIT) {
                if budget.is_spent() {
                    return Next::Spent;
                }
                budget.visited += 1;
            }
            let place = self.owes(space, handle);
            self.owed.pop();
            if let Some(place) = place {
                return Next::Found((place, handle));
            }
        }
        Next::Done
    }

    /// The next object that has not been passed.
    #[inline(never)]
    fn next_to_come(&mut self, space: &Space<S, D>, running: &mut Option<Running>, budget: &mut Budget) -> Next<Place> {
        loop {
            let Some(at_hand) = running else {
                match self.begin(space, budget) {
                    Next::Found(begun) => *running = Some(begun),
                    Next::Spent => return Next::Spent,
                    Next::Done => return Next::Done,
                }
                continue;
            };
            if at_hand.has_hits() {
                return Next::Found(at_hand.next_hit());
            }
            if at_hand.next_bucket() {
                continue;
            }
            match self.advance(space, at_hand, budget) {
                Advance::Hits => {}
                Advance::Spent => return Next::Spent,
                Advance::End => (*running, self.stop) = (None, self.next_tree(space)),
            }
        }
    }

    /// The beginning of the tree that follows in the layer at hand.
    fn next_tree(&self, space: &Space<S, D>) -> Option<Stop<D>> {
        let Stop { layer, grid, .. } = self.stop?;
        let kind = space.layers.kind_of_number(layer)?;
        let TreeId { grid, .. } = space.forest.next_of_layer(TreeId { kind, layer, grid })?;
        Some(Stop { layer, grid, passed: None })
    }

    /// Begins the rest of the layer at hand, or else the next layer.
    fn begin(&mut self, space: &Space<S, D>, budget: &Budget) -> Next<Running> {
        // The layer may have been removed, and its number may belong to another layer of the other kind.
        let at_hand = self.stop.and_then(|stop| Some((stop, space.layers.kind_of_number(stop.layer)?)));
        let mut layers = self.layers;
        let next = || {
            space.next_layer(&mut layers).map(|(layer, kind)| (Stop { layer, grid: GridId::MAIN, passed: None }, kind))
        };
        let Some((stop, kind)) = at_hand.or_else(next) else {
            (self.stop, self.layers) = (None, LayerSet::NONE);
            return Next::Done;
        };
        if budget.is_spent() {
            return Next::Spent;
        }
        (self.stop, self.layers) = (Some(stop), layers);
        Next::Found(self.run_layer(space, stop, kind))
    }
}
