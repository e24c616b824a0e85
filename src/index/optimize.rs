//! Upkeep: trees stored anew, and the order of memory mended a little at a time.

use super::SpatialIndex;
use crate::geometry::Scalar;

/// The effect of one call of [`SpatialIndex::optimize_step`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptimizeStep {
    /// Buckets visited: no more than the budget.
    pub visited: usize,
    /// Objects that were given another place in memory; at most 128 for each visit. An object may count twice.
    pub moved: usize,
    /// Whether a pass over the whole index has come to its end. The next call begins another.
    pub done: bool,
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Stores everything anew, top-down: fills buckets evenly, lays nodes and buckets out depth-first in memory, and
    /// makes every reach exact. Handles and layers stay valid. Takes time, and memory for a while, for every object.
    ///
    /// Worth it after objects were inserted one by one or have moved far, before much is asked of them: questions
    /// that miss the processor's caches get faster. Where there is no time for all at once, a frame by frame, there is
    /// [`optimize_step`](Self::optimize_step).
    pub fn optimize(&mut self) {
        self.space.rebuild(*self.space.grid());
    }

    /// As [`optimize`](Self::optimize), and gives back the memory that nodes and buckets no longer need.
    ///
    /// The slot map that knows the handles keeps its slots, 8 bytes and one value for each of the most objects that
    /// there ever were at once, so that an old handle is never mistaken for a new one.
    pub fn shrink_to_fit(&mut self) {
        self.optimize();
        self.space.shrink_to_fit();
    }

    /// Does a part of the work of [`optimize`](Self::optimize), of bounded cost, for use in a frame: goes on with a pass
    /// over the whole index, and comes back after at most `budget` visits.
    ///
    /// One visit is to a bucket of up to 64 objects; a million points have some 22 000. The visited bucket gets the place
    /// in memory that is next in the order in which queries walk, by an exchange with the bucket that is there. That takes
    /// constant time, some microseconds. A budget of 0 counts as 1, so that a loop up to `done` ends.
    ///
    /// The index may change between two calls in any way; changes behind the pass are for the next pass. After a pass
    /// without changes the buckets lie in the order of the walk, free ones behind them. Queries yield the same in the same
    /// order as before, handles stay valid. Unlike `optimize` a pass leaves buckets as full as they are, and takes no
    /// memory. No memory is given back.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::<_>::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// for number in 0..1000_u16 {
    ///     index.insert(units, [f32::from(number % 37), f32::from(number / 37)], number)?;
    /// }
    /// let step = index.optimize_step(8); // so much in each frame
    /// assert!(step.visited <= 8 && !step.done);
    /// while !index.optimize_step(64).done {} // or all that is left
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn optimize_step(&mut self, budget: usize) -> OptimizeStep {
        let mut step = OptimizeStep::default();
        while step.visited < budget.max(1) {
            let Some(moved) = self.space.defragment() else { return OptimizeStep { done: true, ..step } };
            step.visited += 1;
            step.moved += moved;
        }
        step
    }
}

#[cfg(test)]
mod tests;
