//! The nearest objects found so far, for those that look for them by hand.

use crate::data::{Point, Rect};

/// The square of the distance of a point from a box; 0 inside.
#[inline]
pub(super) fn square(point: Point, rect: &Rect) -> f32 {
    let gap = |axis: usize| (rect.min[axis] - point[axis]).max(point[axis] - rect.max[axis]).max(0.0);
    let (x, y) = (gap(0), gap(1));
    x * x + y * y
}

/// The `K` nearest, the nearest first.
pub(super) struct NearestSoFar<const K: usize> {
    found: [(f32, u64); K],
    count: usize,
}

impl<const K: usize> NearestSoFar<K> {
    pub(super) fn new() -> Self {
        Self { found: [(f32::INFINITY, 0); K], count: 0 }
    }

    /// What an object's square must be below to be among them.
    #[inline]
    pub(super) fn limit(&self) -> f32 {
        self.found[K - 1].0
    }

    #[inline]
    pub(super) fn add(&mut self, square: f32, name: u64) {
        if self.limit() <= square {
            return;
        }
        let mut place = K - 1;
        while 0 < place && square < self.found[place - 1].0 {
            self.found[place] = self.found[place - 1];
            place -= 1;
        }
        self.found[place] = (square, name);
        self.count = (self.count + 1).min(K);
    }

    pub(super) fn names(&self) -> impl Iterator<Item = u64> {
        self.found[..self.count].iter().map(|&(_, name)| name)
    }
}
