//! Brute force that several programs need, and how its answers are made comparable.

use quadrille::{Ray, Rect};

/// Where a ray enters a box, if it does before its end: the latest entry among the axes, unless it leaves one before.
#[must_use]
pub fn entry(ray: Ray, wall: Rect) -> Option<f64> {
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let [from, step] = [ray.origin()[axis], ray.direction()[axis]].map(f64::from);
        let [one, other] = [wall.min()[axis], wall.max()[axis]].map(|side| (f64::from(side) - from) / step);
        enters = enters.max(one.min(other));
        leaves = leaves.min(one.max(other));
    }
    (enters <= leaves).then_some(enters)
}

/// An answer and that of brute force, both sorted: for those whose order does not matter.
pub fn sorted<T: Ord>(found: impl IntoIterator<Item = T>, expected: impl IntoIterator<Item = T>) -> [Vec<T>; 2] {
    let mut both: [Vec<T>; 2] = [found.into_iter().collect(), expected.into_iter().collect()];
    for answer in &mut both {
        answer.sort_unstable();
    }
    both
}
