//! Upkeep: rebuilding all trees at once, and defragmenting them a little at a time.
//!
//! Keeps M1 and M2 of `docs/invariants.md`; the trees do the work.

use super::SpatialIndex;
use crate::geometry::Scalar;

/// The effect of one call of [`SpatialIndex::optimize_step`].
///
/// ```
/// # use quadrille::{Quadtree, Rect};
/// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let units = index.add_point_layer()?;
/// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
/// let step = index.optimize_step(8); // in each frame
/// println!("{} buckets, {} objects; pass ended: {}", step.visited, step.moved, step.done);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptimizeStep {
    /// The number of buckets visited: at most the budget.
    pub visited: usize,
    /// The number of objects that were given another place in memory, at most 128 for each visit. An object may count
    /// twice.
    pub moved: usize,
    /// Whether a pass over the whole index has ended. The next call begins another one.
    pub done: bool,
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Rebuilds all trees top-down: fills buckets evenly, lays out nodes and buckets depth-first in memory, and makes
    /// every reach exact. Handles and layers stay valid. Takes time in proportion to the number
    /// of objects.
    ///
    /// While it runs, the old trees and the new ones are there at once, and a list of all objects besides: at its peak
    /// it takes some 90 to 105 bytes an object more than before (2D, `f32`), which is twice as much again. Where that
    /// is too much, or too long for a frame, use [`optimize_step`](Self::optimize_step), which takes next to none.
    ///
    /// It is worth it after objects were inserted one by one or have moved far, if many queries follow, because queries
    /// then miss the processor's caches less often.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let before = index.stats().buckets;
    /// index.optimize();
    /// assert!(index.stats().buckets <= before && index.contains(handles[0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn optimize(&mut self) {
        self.space.optimize();
    }

    /// Calls [`optimize`](Self::optimize), which needs memory for a while, and frees the memory that nodes and buckets
    /// no longer need.
    ///
    /// The slots of handles are kept, 8 bytes and one value for each, as many as there ever were objects at once. So an
    /// old handle is never mistaken for a new one.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let before = index.stats().bytes;
    /// index.clear();
    /// index.shrink_to_fit();
    /// assert!(index.stats().bytes < before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.optimize();
        self.space.shrink_to_fit();
    }

    /// Does a part of the work of [`optimize`](Self::optimize) at a bounded cost, for use in a frame: continues a pass
    /// over the whole index, and returns after at most `budget` visits.
    ///
    /// One visit is to one bucket of up to 64 objects, so a pass takes about as many visits as [`stats`](Self::stats)
    /// counts buckets. A visit takes constant time: the bucket changes places in memory with the one that lies where it
    /// belongs in the order of the walk. A budget of 0 counts as 1, so a loop until `done` ends.
    ///
    /// The index may change in any way between two calls; the next pass takes up changes behind this one. After a pass
    /// without changes, the buckets lie in the order in which queries visit them, free ones last. Queries yield the
    /// same results in the same order as before, and handles stay valid. Unlike `optimize`, a pass leaves buckets as
    /// full as they are, and neither takes nor frees memory.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    /// let units = index.add_point_layer()?;
    /// for number in 0..1000_u16 {
    ///     index.insert(units, [f32::from(number % 37), f32::from(number / 37)], number)?;
    /// }
    /// let step = index.optimize_step(8); // a budget for each frame
    /// assert!(step.visited <= 8 && !step.done);
    /// while !index.optimize_step(64).done {} // or the rest at once
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
