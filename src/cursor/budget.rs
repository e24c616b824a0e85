//! The budget of a cursor, in visits, and the outcome of a step within it.

use crate::key::{Handle, Place};

/// A budget of visits, and the visits made so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub(super) limit: usize,
    pub(super) visited: usize,
    /// Whether the cursor pauses after one object. It would visit again all that it visits ahead.
    pub(super) is_for_one: bool,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, visited: 0, is_for_one: false }
    }

    pub(super) fn of_one_object() -> Self {
        Self { is_for_one: true, ..Self::endless() }
    }

    pub(super) fn endless() -> Self {
        Self::new(usize::MAX)
    }

    #[inline]
    pub(super) fn is_spent(&self) -> bool {
        self.limit <= self.visited
    }
}

/// The outcome of a step.
pub(super) enum Next {
    Found(Place, Handle),
    /// The budget is spent.
    Spent,
    /// Nothing is left.
    Done,
}
