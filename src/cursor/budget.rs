//! The budget of a cursor: how many visits it may make, and how many it has made; and the outcome of a step within it.

/// The outcome of a step.
pub(super) enum Next<X> {
    Found(X),
    /// The budget is spent.
    Spent,
    /// Nothing is left.
    Done,
}

/// A budget of visits, and the visits made so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    limit: usize,
    pub(super) visited: usize,
    /// Whether buckets may be visited before their turn.
    pub(super) looks_ahead: bool,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, visited: 0, looks_ahead: true }
    }

    /// No limit, for a cursor that pauses at the next object: it would have to visit buckets ahead once more.
    pub(super) fn of_one_object() -> Self {
        Self { looks_ahead: false, ..Self::endless() }
    }

    pub(super) fn endless() -> Self {
        Self::new(usize::MAX)
    }

    #[inline]
    pub(super) fn is_spent(&self) -> bool {
        self.limit <= self.visited
    }
}
