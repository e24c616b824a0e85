//! The aim of a search. Knows neither trees nor rankings.

use super::ties::Ties;
use crate::geometry::Rank;
use crate::key::{Handle, Place};

/// Which objects a search looks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Objects up to here are not results.
    pub(super) floor: (Rank, Option<Handle>),
    /// Objects after this rank are not results.
    pub(super) limit: Rank,
    /// The place of the object that is left out, if there is one.
    pub(super) excluded: Place,
    /// The number of objects wanted.
    pub(super) want: usize,
    pub(super) ties: Ties,
    /// Whether one object is wanted and the floor is below all: then only the first candidates of a bucket count.
    pub(super) is_first_alone: bool,
}
