//! An ordered query that is asked again elsewhere, for the images of a periodic world. It knows no periods.

use super::buffer::{Found, Position};
use crate::geometry::{Rank, Rect};

/// An ordered query that can be moved by an offset, with its filters, and rewound.
pub(crate) trait Elsewhere<S, const D: usize> {
    /// The object and where it was found.
    type Item;

    /// The same query moved by an offset, from a position on.
    fn shifted(&self, by: [f64; D], floor: Position) -> Self;

    /// The rank that the query moved by an offset gives to an object.
    fn rank_shifted(&self, by: [f64; D], shape: &Rect<S, D>) -> Option<Rank>;

    /// Goes back to an earlier position.
    fn rewind(&mut self, floor: Position);

    /// The position up to which objects have been found, or must not be.
    fn floor(&self) -> Position;

    /// Objects after this rank are not yielded.
    fn limit(&self) -> Rank;

    /// The next object.
    fn find(&mut self) -> Option<Found>;

    fn shape(&self, found: &Found) -> Rect<S, D>;

    fn to_item(&self, found: Found) -> Self::Item;
}
