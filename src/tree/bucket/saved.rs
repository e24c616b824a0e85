//! The data form of an entry.

use serde::{Deserialize, Serialize};

use crate::geometry::{Array, Exact, Rect, RectError, Scalar};

/// A shape with a number that identifies its handle.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "Numbers<S, D, ENDS>", try_from = "Numbers<S, D, ENDS>")]
#[serde(bound(serialize = "S: Scalar + Serialize", deserialize = "S: Scalar + Deserialize<'de>"))]
pub(crate) struct SavedEntry<S: Scalar, const D: usize, const ENDS: usize> {
    pub(crate) number: u32,
    pub(crate) shape: Rect<S, D>,
}

/// The number, and the minimum and the maximum of the shape. A point has only one of these.
type Numbers<S, const D: usize, const ENDS: usize> = (u32, Array<Array<Exact<S>, D>, ENDS>);

impl<S: Scalar, const D: usize, const ENDS: usize> From<SavedEntry<S, D, ENDS>> for Numbers<S, D, ENDS> {
    fn from(SavedEntry { number, shape }: SavedEntry<S, D, ENDS>) -> Self {
        let corners = [shape.min(), shape.max()].map(|corner| Array(corner.map(Exact)));
        (number, Array(core::array::from_fn(|end| corners[end])))
    }
}

impl<S: Scalar, const D: usize, const ENDS: usize> TryFrom<Numbers<S, D, ENDS>> for SavedEntry<S, D, ENDS> {
    type Error = RectError;

    fn try_from((number, Array(corners)): Numbers<S, D, ENDS>) -> Result<Self, RectError> {
        let corner = |end: usize| corners[end].0.map(|Exact(value)| value);
        Ok(Self { number, shape: Rect::try_new(corner(0), corner(ENDS - 1))? })
    }
}
