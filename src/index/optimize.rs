//! Maintenance: rebuilding all trees at once, and defragmenting them step by step.
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
    /// The number of objects that got another place in memory: at most 128 for each visit. An object may count twice.
    pub moved: usize,
    /// Whether a pass over the whole index has ended. The next call begins another one.
    pub done: bool,
}

impl<T, S: Scalar, const D: usize> SpatialIndex<T, S, D> {
    /// Rebuilds all trees top-down: fills buckets evenly, and lays out nodes and buckets depth-first in memory.
    ///
    /// Handles and layers stay valid. Takes time in proportion to the number of objects. The old trees, the new trees
    /// and a list of all objects exist at once. So the peak is some 90 to 105 bytes per object above the memory held
    /// before (2D, `f32`), which is about three times as much in total. If that is too much, or takes too long for a
    /// frame, use [`optimize_step`](Self::optimize_step), which needs almost no memory.
    ///
    /// It pays if objects were inserted one by one or have moved far, and many queries follow. These then miss the
    /// processor's caches less often.
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

    /// Calls [`optimize`](Self::optimize), which needs memory for a while, and frees the memory that is no longer needed.
    ///
    /// Free slots of handles after the last object are cut off; [`slots`](Self::slots) says how many are left. Old handles
    /// never become valid again. Of free slots before it 8 bytes and room for a value remain, and later objects take the
    /// lowest of them first.
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
        self.space.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// Does a part of the work of [`optimize`](Self::optimize) at a bounded cost, for use in a frame.
    ///
    /// It continues a pass over the whole index, and returns after at most `budget` visits. A visit takes constant
    /// time. It exchanges one bucket, of up to 64 objects, with the bucket in its proper place in memory. So a pass
    /// takes about as many visits as [`stats`](Self::stats) counts buckets. A budget of 0 counts as 1, so a loop until
    /// `done` ends.
    ///
    /// The index may change in any way between two calls. The next pass handles changes that this one has passed. After
    /// a pass without changes, the buckets of points and the buckets of rectangles lie in the order in which queries visit
    /// them, free ones last. Queries yield the same results in the same order as before, and handles stay valid. Unlike
    /// `optimize`, a pass leaves buckets as full as they are, and neither takes nor frees memory.
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
