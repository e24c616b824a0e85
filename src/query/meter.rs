//! Meters: how much of a budget a running query has used. They know no query; the meter of a query without a budget is
//! a zero-sized type.

/// Counts visits.
pub(crate) trait Meter {
    /// Counts a visit to a node or bucket.
    fn visit(&mut self);
}

/// Counts nothing.
pub(crate) struct Unmetered;

impl Meter for Unmetered {
    #[inline]
    fn visit(&mut self) {}
}

/// A budget of visits, and the visits made so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    budget: usize,
    pub(crate) visited: usize,
}

impl Budget {
    pub(crate) fn new(budget: usize) -> Self {
        Self { budget, visited: 0 }
    }

    pub(crate) fn endless() -> Self {
        Self::new(usize::MAX)
    }

    #[inline]
    pub(crate) fn is_spent(&self) -> bool {
        self.budget <= self.visited
    }
}

impl Meter for Budget {
    #[inline]
    fn visit(&mut self) {
        self.visited += 1;
    }
}
