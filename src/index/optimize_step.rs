//! The order of memory, mended a little at a time.

use super::SpatialIndex;
use crate::geometry::Scalar;
use crate::tree::{Budget, Progress};

/// What one call of [`SpatialIndex::optimize_step`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptimizeStep {
    /// Nodes and buckets visited: no more than the budget.
    pub visited: usize,
    /// Objects that were given another place in memory; at most 128 for each visit. An object may count twice.
    pub moved: usize,
    /// Whether a pass over the whole index has come to its end. The next call begins another.
    pub done: bool,
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Does a part of what [`optimize`](Self::optimize) does, of bounded cost, for use in a frame: goes on with a pass
    /// over the whole index, and comes back after at most `budget` visits.
    ///
    /// One visit is to a node, or to a bucket of up to 64 objects; a million points have some 25 000 of both together. The
    /// visited gets the place in memory that is next in the order in which queries walk, by an exchange with what is
    /// there, and its reach becomes exact. That takes constant time, some microseconds. A budget of 0 is taken for 1, so
    /// that a loop up to `done` ends.
    ///
    /// The index may change between two calls in any way; what has changed behind the pass is for the next pass. After
    /// a pass without changes nodes and buckets lie depth-first, what is free behind them, and reaches are exact.
    /// Queries yield the same in the same order as before, handles stay valid. Unlike `optimize` a pass leaves buckets
    /// as full as they are. No memory is given back.
    ///
    /// Where more than 64 objects share what cannot be divided, such as a single spot, their buckets form a chain. To
    /// find the reach of a whole chain, and to give its node another place, counts a visit for each of its buckets. If
    /// these are more than the whole budget, that reach or that node is left as it is; the buckets are put in order all
    /// the same.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
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
        let whole = budget.max(1);
        let mut step = OptimizeStep::default();
        loop {
            let budget = Budget { whole, left: whole - step.visited };
            match self.forest.relocate(&self.grid, budget, &mut self.moved) {
                Progress::Visited(visits) => step.visited += visits,
                Progress::Postponed => return step,
                Progress::Done => return OptimizeStep { done: true, ..step },
            }
            // At once, so that the list stays short whatever the budget.
            step.moved += self.moved.len();
            self.relink_moved();
        }
    }
}

#[cfg(test)]
mod tests;
