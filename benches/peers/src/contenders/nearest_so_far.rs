//! The nearest objects found so far, for those that look for them by hand.

use crate::data::Scalar;

/// The `K` nearest, the nearest first.
pub(super) struct NearestSoFar<S, const K: usize> {
    found: [(S, u64); K],
    count: usize,
}

impl<S: Scalar, const K: usize> NearestSoFar<S, K> {
    pub(super) fn new() -> Self {
        Self { found: [(S::INFINITY, 0); K], count: 0 }
    }

    /// An object whose square is below this is among them.
    #[inline]
    pub(super) fn limit(&self) -> S {
        self.found[K - 1].0
    }

    #[inline]
    pub(super) fn add(&mut self, square: S, name: u64) {
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
