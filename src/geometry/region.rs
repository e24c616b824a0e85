//! What a query may be asked about.

use super::{Rect, Scalar};

/// What can be a query's region: a [`Rect`], or a point as whatever converts into `[S; D]`.
///
/// Implemented by the crate for these two; a point is the region of no extent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a region of this index",
    label = "a region is a `Rect<{S}, {D}>` or a point that converts into `[{S}; {D}]`"
)]
pub trait IntoRegion<S, const D: usize> {
    /// The region as a box.
    fn into_region(self) -> Rect<S, D>;
}

impl<S: Scalar, const D: usize> IntoRegion<S, D> for Rect<S, D> {
    fn into_region(self) -> Rect<S, D> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<S: Scalar, const D: usize, P: Into<[S; D]>> IntoRegion<S, D> for P {
    fn into_region(self) -> Rect<S, D> {
        Rect::at(self)
    }
}
